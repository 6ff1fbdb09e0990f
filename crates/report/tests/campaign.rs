//! The pages of a campaign: links, escaping, sizes. The store is made here; no solver runs.

use smelt_core::{
    Accused, Case, Cause, Certificate, Claim, Dossier, Evidence, Kind, OutcomeKind, Provenance, Reason,
    SeedHash, SolverId,
};

use smelt_report::{Facts, Site, Source, Spelling, Tone, campaign_site, issue, terminal};
use smelt_solvers::Profiles;
use smelt_store::{Answer, Batch, Bug, NewFinding, Origin, Store, Stored, Triaged};
use smelt_triage::Mute;
use std::path::PathBuf;
use std::time::Duration;

const HOSTILE: &str = "<img src=x onerror=alert(1)>.smt2";
const SCRIPT: &str = "(declare-const x Int)\n(assert (> x (+ 1 1)))\n(check-sat)\n";
const MODEL: &str = "((define-fun x () Int 1))";

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("smelt-report-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn finding(number: u64, script: &str, seed: &str) -> NewFinding {
    let solver: SolverId = serde_json::from_value("z3@4.8.5".into()).unwrap();
    NewFinding {
        claim: Claim {
            query: Some(0),
            kind: Kind::InvalidModel,
            accused: vec![Accused { position: 0, solver }],
            evidence: Some(Evidence::Model),
            theory: "ints".into(),
            cause: Cause::Operators(vec![format!("f{number}")]),
            reason: Reason::Witness,
        },
        number,
        case: Case {
            provenance: Provenance {
                seeds: vec![SeedHash::of(seed.as_bytes())],
                strategy: "operator".into(),
                steps: vec!["<b>step</b>".into()],
                ..Provenance::default()
            },
            ..Case::open(script)
        },
        seen: Some(3),
        solvers: vec!["z3@4.8.5".into(), HOSTILE.into()],
        story: serde_json::Value::Null,
        seeds: vec![(SeedHash::of(seed.as_bytes()).to_string(), HOSTILE.into(), seed.into())],
    }
}

/// A dossier with a model in which assertions have these truths.
fn dossier(number: u64, model: &str, assertions: Vec<(String, String)>) -> Dossier {
    let release = |solver: &str, standing: &str| {
        serde_json::json!({"solver": solver, "standing": standing, "outcome": "sat", "wall_ms": 1.0, "kind": null,
            "evidence": null, "reason": "\"><i>"})
    };
    let value = serde_json::json!({
        "kind": "invalid-model", "evidence": "model", "reason": "assertion <0> is `false`", "accused": ["z3@4.8.5"],
        "profile": "z3", "theory": "ints",
        "identity": {"solvers": ["z3"], "class": "wrong", "cause": {"operators": [format!("<op{number}>")]}},
        "said": [{"solver": "z3@4.8.5", "command": "z3 bug.smt2", "outcome": "sat", "answers": ["sat"],
            "message": "<script>alert(1)</script>", "accused": true}],
        "model": {"solver": "z3@4.8.5", "text": model, "assertions": assertions},
        "culprit": null, "needs": {"flags": [], "options": [], "default": true, "safe": null},
        "history": {"releases": [release("z3@4.8.5", "bad"), release("z3@4.8.6", "good")]},
        "reduction": null, "differences": [["(> x 1)", "(>= x <b>)"]], "smelt": null
    });
    serde_json::from_value(value).unwrap()
}

/// Stores the dossier of a finding.
fn note(store: &mut Store, finding: u64, reduced: Option<&str>, dossier: Dossier) {
    let finding = finding.to_string();
    let file = store.finding(&finding).unwrap().relative_file;
    store.note(Triaged { finding, file, reduced: reduced.map(Into::into), dossier }).unwrap();
}

fn truth_of_script() -> Vec<(String, String)> {
    vec![("(> x (+ 1 1))".to_owned(), "false".to_owned())]
}

fn batch(tests: u64, findings: Vec<NewFinding>) -> Batch {
    let answer = |us| Answer { outcome: "sat".into(), wall_us: us };
    let sample = |i| [("z3@4.8.5".to_owned(), answer(i)), ("cvc4@1.8".to_owned(), answer(2 * i))];
    let outcomes = ["z3@4.8.5", "cvc4@1.8"].map(|s| ((s.to_owned(), OutcomeKind::Sat), [tests, 1000, 1000]));
    let request = "{\"command\":\"smelt fuzz\"}".to_owned();
    let values = [("tests", tests.to_string()), ("wall_ms", "600000".to_owned()), ("request", request)];
    Batch {
        at: Some(Duration::from_secs(600)),
        values: values.into_iter().map(|(k, v)| (k.into(), v)).collect(),
        tests: vec![("operator".into(), tests, [9, 5, 1, 7]), ("fusion".into(), 5, [5, 5, 0, 1])],
        outcomes: outcomes.into_iter().collect(),
        logics: [("QF_LIA".to_owned(), [5, 10, 5]), ("<QF_X>".to_owned(), [5, 10, 5])].into_iter().collect(),
        samples: (0..2000).map(|i| (i, sample(i).into_iter().collect())).collect(),
        findings,
        ..Batch::default()
    }
}

fn site(store: &Store) -> Site {
    campaign_site(store, &Profiles::load(None).unwrap(), &Mute::default()).unwrap()
}

/// The links of a page.
fn links(page: &str) -> Vec<&str> {
    page.split("href=\"").skip(1).map(|p| p.split('"').next().unwrap()).collect()
}

#[test]
fn every_link_resolves_and_nothing_can_become_markup() {
    let folder = Folder::new("links");
    let mut store = Store::create(&folder.0).unwrap();
    let seed = "(declare-const x Int)(assert (< x 2))(check-sat)";
    store.write(&batch(50, (1..=3).map(|n| finding(n, SCRIPT, seed)).collect())).unwrap();
    for id in 1..=2 {
        let dossier = dossier(id, MODEL, truth_of_script());
        note(&mut store, id, Some(SCRIPT), dossier);
    }
    let site = site(&store);
    assert_eq!(site.pages.len(), 4, "an overview and three bugs");
    let paths = site.pages.iter().map(|p| p.0.as_str());
    let scripts = site.scripts.iter().map(|p| p.0.as_str());
    let known: Vec<&str> = paths.chain(scripts).chain(site.files.iter().map(String::as_str)).collect();
    // What a command runs is the script that the page shows.
    assert_eq!(site.scripts.len(), 3);
    assert!(site.pages[1].1.contains(&format!("z3 {}/bugs/1.smt2", folder.0.display())));
    for (path, page) in &site.pages {
        for tag in ["<img", "<b>step", "<script>alert", "<i>", "<op1>", "<QF_X>"] {
            assert!(!page.contains(tag), "{tag} in {path}");
        }
        for link in links(page).into_iter().filter(|l| !l.starts_with("data:")) {
            if let Some(id) = link.strip_prefix('#') {
                assert!(page.contains(&format!("id=\"{id}\"")), "{link} in {path}");
                continue;
            }
            let target = match (path.starts_with("bugs/"), link.strip_prefix("../")) {
                (true, Some(up)) => up.to_owned(),
                (true, None) => format!("bugs/{link}"),
                (false, _) => link.to_owned(),
            };
            assert!(known.contains(&target.as_str()), "{link} in {path}");
        }
    }
    assert!(site.files.iter().all(|f| folder.0.join(f).is_file()), "{:?}", site.files);
    let index = &site.pages[0].1;
    let start = index.split("</header>").nth(1).unwrap();
    assert!(start.contains("<h1>2 bugs in z3 4.8.5, 1 finding not examined yet</h1>"), "{start}");
    for plot in [
        "Outcomes by solver",
        "Bugs over time",
        "Tests by strategy",
        "Solver calls by logic",
        "cvc4@1.8 against z3@4.8.5",
    ] {
        assert!(index.contains(plot), "{plot}");
    }
}

#[test]
fn a_bug_is_told_with_the_values_of_its_sub_terms() {
    let folder = Folder::new("values");
    let mut store = Store::create(&folder.0).unwrap();
    store.write(&batch(5, vec![finding(1, SCRIPT, SCRIPT)])).unwrap();
    let dossier = dossier(1, MODEL, truth_of_script());
    note(&mut store, 1, None, dossier);
    let page = site(&store).pages.remove(1).1;
    let values = page.split("table class=\"values\"").nth(1).expect("a table of values");
    let rows: Vec<&str> = values.split("</table>").next().unwrap().split("<tr>").skip(1).collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(
        rows[0].contains("class=\"false\"") && rows[2].contains("<span class=\"n\">2</span>"),
        "{rows:?}"
    );
    for part in ["class=\"bad\"", "class=\"good\"", "smelt replay 1", "<del>", "confirmed"] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_megabyte_and_ten_thousand_values_are_harmless() {
    let folder = Folder::new("large");
    let mut store = Store::create(&folder.0).unwrap();
    let names = || (0..10_000).map(|i| format!("a-long-name-of-a-constant-{i}"));
    let formula = |n: &str| format!("(> (* 2 {n}) (+ {n} 1 2 3 4 5))");
    let declared: String = names().map(|n| format!("(declare-const {n} Int)\n")).collect();
    let asserted: String = names().map(|n| format!("(assert {})\n", formula(&n))).collect();
    let script = format!("{declared}{asserted}(check-sat)\n");
    assert!(script.len() > 1_000_000, "{}", script.len());
    let model: String = names().map(|n| format!("(define-fun {n} () Int 1)\n")).collect();
    let truths = names().map(|n| (formula(&n), "false".to_owned())).collect();
    store.write(&batch(1_000_000, vec![finding(1, &script, &script)])).unwrap();
    let dossier = dossier(1, &format!("({model})"), truths);
    note(&mut store, 1, None, dossier);
    for (path, page) in site(&store).pages {
        assert!(page.len() < 2_000_000, "{path}: {}", page.len());
        assert!(page.ends_with("</html>\n"));
    }
}

#[test]
fn a_dossier_of_a_script_that_was_replaced_meanwhile_is_dropped() {
    let folder = Folder::new("replaced");
    let mut store = Store::create(&folder.0).unwrap();
    let long = format!("; long\n{SCRIPT}");
    store.write(&batch(1, vec![finding(1, &long, SCRIPT)])).unwrap();
    let examined = store.finding("1").unwrap().relative_file;
    // While it is examined, a smaller trigger with the same fingerprint takes its place.
    let smaller = NewFinding { number: 2, ..finding(1, SCRIPT, SCRIPT) };
    store.write(&batch(2, vec![smaller])).unwrap();
    let stored = store.finding("1").unwrap();
    assert_eq!((stored.finding.bytes, stored.triggers), (SCRIPT.len() as u64, 2));
    let old = dossier(1, MODEL, truth_of_script());
    store.note(Triaged { finding: "1".into(), file: examined, reduced: None, dossier: old }).unwrap();
    assert!(!store.finding("1").unwrap().examined, "it told of another script");
    note(&mut store, 1, None, dossier(1, MODEL, truth_of_script()));
    assert!(store.finding("1").unwrap().examined);
    // From then on the script stays: its dossier tells of it.
    let tiny = NewFinding { number: 3, ..finding(1, "(check-sat)", SCRIPT) };
    store.write(&batch(3, vec![tiny])).unwrap();
    assert_eq!(store.finding("1").unwrap().finding.bytes, SCRIPT.len() as u64);
}

#[test]
fn numbers_and_fingerprints_of_bugs_stay_while_others_are_examined() {
    let folder = Folder::new("names");
    let mut store = Store::create(&folder.0).unwrap();
    store.write(&batch(9, (1..=6).map(|n| finding(n, SCRIPT, SCRIPT)).collect())).unwrap();
    let about = |operators: &[&str]| {
        let mut about = dossier(0, MODEL, truth_of_script());
        about.identity.cause = Cause::Operators(operators.iter().map(|o| (*o).to_owned()).collect());
        about
    };
    let profiles = Profiles::load(None).unwrap();
    let named = |store: &Store, mute: &str| {
        let mut all = smelt_store::bugs(store, &profiles, &Mute::parse(mute)).unwrap();
        all.retain(|b| b.dossier.is_some() && b.muted.is_none());
        all.sort_by_key(|b| b.id.parse::<u64>().unwrap());
        all
    };
    let names = |store: &Store| -> Vec<String> {
        named(store, "").iter().map(|b| format!("{} {}", b.id, b.fingerprint)).collect()
    };
    note(&mut store, 4, None, about(&["f", "g"]));
    note(&mut store, 2, None, about(&["h"]));
    assert_eq!(names(&store), ["2 z3/wrong/h", "4 z3/wrong/f,g"]);
    note(&mut store, 1, None, about(&["f", "k"]));
    assert_eq!(names(&store), ["1 z3/wrong/f,k", "2 z3/wrong/h", "4 z3/wrong/f,g"]);
    // `f` explains two of them: they are one bug, under the name that was given first.
    note(&mut store, 3, None, about(&["f"]));
    assert_eq!(names(&store), ["2 z3/wrong/h", "4 z3/wrong/f,g"]);
    let bugs = named(&store, "");
    assert_eq!(bugs[1].aliases, [("1".to_owned(), "z3/wrong/f,k".to_owned())]);
    assert!(bugs[1].is_called("1") && bugs[1].is_called("4") && !bugs[1].is_called("3"));
    assert_eq!(named(&store, "z3/wrong/f,k # known").len(), 1, "it is muted under its other name too");
    // What may be either of two leaves their names alone.
    note(&mut store, 5, None, about(&["f", "h"]));
    assert_eq!(names(&store), ["2 z3/wrong/h", "4 z3/wrong/f,g", "5 z3/wrong/f,h"]);
    // Releases tell it from bug 2.
    let mut other = about(&["h"]);
    other.history.releases.iter_mut().for_each(|r| {
        r.standing = if r.solver.version().unwrap().to_string() == "4.8.5" {
            smelt_core::Standing::Good
        } else {
            smelt_core::Standing::Bad
        }
    });
    note(&mut store, 6, None, other);
    assert_eq!(names(&store).last().unwrap(), "6 z3/wrong/h@4.8.6");
}

/// A bug of a kind that a dossier shows.
fn bug(kind: Kind, d: &Dossier) -> Bug {
    let NewFinding { claim, .. } = finding(1, SCRIPT, SCRIPT);
    Bug {
        id: "1".into(),
        aliases: Vec::new(),
        fingerprint: d.fingerprint(),
        kind,
        finding: Stored {
            finding: claim.row("1".into(), None, "a.smt2".into(), 9),
            flaky: false,
            seen: 3,
            claim,
            triggers: 1,
            number: 1,
            relative_file: "a.smt2".into(),
            folder: "".into(),
            relative_reduced: None,
            trigger: String::new(),
            examined: true,
            place: None,
            reduced_bytes: None,
            at: None,
        },
        dossier: Some(d.clone()),
        members: vec!["1".into()],
        triggers: 1,
        priority: 1,
        outside: Vec::new(),
        muted: None,
        fixed: None,
    }
}

fn source(bug: &Bug) -> Source<'_> {
    static POLICY: std::sync::LazyLock<smelt_solvers::ReportPolicy> =
        std::sync::LazyLock::new(Default::default);
    static NAMES: std::sync::LazyLock<Spelling> = std::sync::LazyLock::new(Default::default);
    Source { bug, script: SCRIPT, origin: None, maintainers: &POLICY, spelling: &NAMES, place: "store" }
}

/// The issue, the text on a terminal and the JSON document of a bug.
fn rendered(facts: &Facts) -> [String; 3] {
    let plain = |_: Tone, text: &str| text.to_owned();
    [issue(facts), terminal(facts, &plain), serde_json::to_string(facts).unwrap()]
}

#[test]
fn the_model_that_a_case_was_made_with_is_shown() {
    const OWN: &str = "((define-fun x () Int 77))";
    let case = Case { certificate: Certificate::Model(OWN.into()), ..Case::open(SCRIPT) };
    let origin = Origin { case, solvers: Vec::new(), seeds: Vec::new() };
    let mut d = dossier(1, MODEL, Vec::new());
    (d.kind, d.evidence, d.model) = (Kind::RefutationUnsound, Some(Evidence::Construction), None);
    let examined = bug(d.kind, &d);
    let open = Bug { dossier: None, ..examined.clone() };
    for bug in [&examined, &open] {
        let facts = Facts::new(&Source { origin: Some(&origin), ..source(bug) });
        for text in rendered(&facts) {
            assert!(
                text.contains("(define-fun x () Int 77)") && text.contains("the assertion is true"),
                "{text}"
            );
        }
    }
    // One that does not satisfy the script shows nothing.
    let wrong = Case { certificate: Certificate::Model(MODEL.into()), ..origin.case.clone() };
    let wrong = Origin { case: wrong, ..origin };
    let facts = Facts::new(&Source { origin: Some(&wrong), ..source(&examined) });
    assert!(!issue(&facts).contains("define-fun"), "{facts:?}");
    // On the page too, before and after it was examined.
    let folder = Folder::new("own-model");
    let mut store = Store::create(&folder.0).unwrap();
    let mut new = finding(1, SCRIPT, SCRIPT);
    (new.claim.kind, new.case.certificate) = (Kind::RefutationUnsound, Certificate::Model(OWN.into()));
    store.write(&batch(5, vec![new])).unwrap();
    for _ in 0..2 {
        let page = site(&store).pages.remove(1).1;
        assert!(page.contains("The model known by construction:"), "{page}");
        note(&mut store, 1, None, d.clone());
    }
}

#[test]
fn every_kind_and_every_accused_is_shown_everywhere() {
    for kind in Kind::ALL {
        let mut d = dossier(1, MODEL, truth_of_script());
        (d.kind, d.said[0].accused) = (kind, true);
        let mut other = d.said[0].clone();
        other.solver = serde_json::from_value("cvc4@1.8".into()).unwrap();
        d.said.push(other);
        d.accused = d.said.iter().map(|s| s.solver.clone()).collect();
        let facts = Facts::new(&source(&bug(kind, &d)));
        assert_eq!(facts.accused, d.accused);
        for text in rendered(&facts) {
            let title = kind.row().title;
            assert!(text.contains(&format!("z3 4.8.5 / cvc4 1.8: {title}")), "{title}: {text}");
        }
        assert_eq!(issue(&facts).matches("| **sat**").count(), 2, "{}", issue(&facts));
        let folder = Folder::new("accused");
        let mut store = Store::create(&folder.0).unwrap();
        store.write(&batch(5, vec![finding(1, SCRIPT, SCRIPT)])).unwrap();
        note(&mut store, 1, None, d);
        let site = site(&store);
        for (path, page) in &site.pages {
            for name in ["z3 4.8.5", "cvc4 1.8"] {
                assert!(
                    page.contains(&format!("<span class=\"badge wrong\">{name}</span>")),
                    "{name} in {path}"
                );
            }
        }
    }
}

#[test]
fn an_issue_says_only_what_holds_for_the_script_that_it_shows() {
    let release = |standing: &str| {
        serde_json::json!({"solver": "z3@4.8.6", "standing": standing, "outcome": "sat",
        "wall_ms": 1.0, "kind": null, "evidence": null, "reason": null})
    };
    let mut value = serde_json::to_value(dossier(1, MODEL, truth_of_script())).unwrap();
    value["culprit"] = serde_json::json!({"operator": "+", "application": "(+ 1 1)", "value": "2", "answer": "sat",
        "script": "(assert (not (= (+ 1 1) 2)))\n(check-sat)\n", "history": {"releases": [release("bad")]}});
    let other = |solver: &str| {
        serde_json::json!({"solver": solver, "command": "x bug.smt2", "outcome": "rejected",
        "answers": [], "message": null, "accused": false, "adapted": true})
    };
    let said = value["said"].as_array_mut().unwrap();
    said.extend([other("yices@2.6.5"), other("cvc5@1.4.2"), other("cvc4@1.8")]);
    let d: Dossier = serde_json::from_value(value).unwrap();
    let told = |kind: Kind, d: &Dossier| issue(&Facts::new(&source(&bug(kind, d))));
    // The operator alone comes first, and the releases are those that get it wrong.
    let alone = told(Kind::SolutionUnsound, &d);
    assert!(alone.contains("## Affected versions (first script)\n\nAffects 4.8.6"), "{alone}");
    assert!(!alone.contains("not affected: 4.8.6"), "{alone}");
    let whole = told(Kind::InvalidModel, &d);
    assert!(
        whole.contains("## Affected versions\n\nAffects 4.8.5") && whole.contains("not affected: 4.8.6"),
        "{whole}"
    );
    // They were given it; whether they read it stands in the table.
    assert!(
        whole
            .contains("For yices 2.6.5, cvc5 1.4.2 and cvc4 1.8, the script was translated to their syntax."),
        "{whole}"
    );
    let crash = Dossier { kind: Kind::Crash, evidence: None, culprit: None, ..d.clone() };
    let told_of_model = told(crash.kind, &Dossier { with_model: true, ..crash.clone() });
    assert!(told_of_model.contains("(get-model)"), "{told_of_model}");
    assert!(told_of_model.contains("z3 4.8.5 crashes when asked for the model."), "{told_of_model}");
    let told_of_check = told(crash.kind, &Dossier { goes_on: true, ..crash });
    assert!(told_of_check.contains("z3 4.8.5 reports a failed internal check."), "{told_of_check}");
    assert!(!told_of_check.contains("crash"), "{told_of_check}");
    // The build of each accused.
    let mut both = Dossier { kind: Kind::Unsound, evidence: None, culprit: None, ..d.clone() };
    both.said[0].build = Some("Z3 version 4.8.5".into());
    assert!(told(both.kind, &both).contains("- Build: `Z3 version 4.8.5`."));
    (both.said[3].accused, both.said[3].build) = (true, Some("This is CVC4 version 1.8".into()));
    both.accused = both.said.iter().filter(|s| s.accused).map(|s| s.solver.clone()).collect();
    let told_of_both = told(both.kind, &both);
    for line in ["of z3 4.8.5: `Z3 version 4.8.5`", "of cvc4 1.8: `This is CVC4 version 1.8`"] {
        assert!(told_of_both.contains(&format!("- Build {line}.")), "{told_of_both}");
    }
    let vote = Dossier { kind: Kind::RefutationUnsound, evidence: Some(Evidence::Vote), culprit: None, ..d };
    let title = smelt_report::title(&bug(vote.kind, &vote), &Spelling::default());
    assert!(title.starts_with("z3 4.8.5: unsat, but other solvers say sat"), "{title}");
}

#[test]
fn a_report_names_operators_as_its_script_does() {
    let mut d = dossier(1, MODEL, vec![("(= (set.card a) 1)".into(), "false".into())]);
    let z3: SolverId = serde_json::from_value("z3@5.4.0".into()).unwrap();
    (d.kind, d.profile, d.accused) = (Kind::InvalidModel, "z3".into(), vec![z3]);
    (d.cleared, d.reason) = (vec!["set.card".into()], "assertion 1 is false: (= (set.card a) 1)".into());
    let standard = bug(d.kind, &d);
    d.spelled = Some("(declare-const a (FiniteSet Int))\n(assert (= (set.size a) 1))\n(check-sat)\n".into());
    let own = bug(d.kind, &d);
    for (bug, word, other) in [(&own, "set.size", "set.card"), (&standard, "set.card", "set.size")] {
        let spelling = Spelling::of(&Profiles::load(None).unwrap(), bug);
        let text = issue(&Facts::new(&Source { spelling: &spelling, ..source(bug) }));
        assert!(
            text.contains(&format!("`(= ({word} a) 1)`")) && text.contains(&format!("`{word}`")),
            "{text}"
        );
        assert!(!text.contains(other), "{text}");
    }
}

#[test]
fn an_overview_of_thousands_of_bugs_stays_small() {
    let folder = Folder::new("many");
    let mut store = Store::create(&folder.0).unwrap();
    store.write(&batch(1_000_000, (1..=3000).map(|n| finding(n, SCRIPT, SCRIPT)).collect())).unwrap();
    let site = site(&store);
    assert_eq!(site.pages.len(), 3001);
    let largest = site.pages.iter().map(|p| p.1.len()).max().unwrap();
    assert!(largest < 2_000_000, "{largest}");
}

/// The CPU time of this thread.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}

#[test]
fn a_day_of_a_million_tests_is_a_page_in_seconds() {
    let folder = Folder::new("million");
    let mut store = Store::create(&folder.0).unwrap();
    let kinds = [OutcomeKind::Sat, OutcomeKind::Unsat, OutcomeKind::Unknown, OutcomeKind::Timeout];
    let solvers: Vec<String> = (0..4).map(|i| format!("solver-{i}@1.{i}")).collect();
    let (rounds, bugs) = (500, 200);
    for round in 1..=rounds {
        let outcomes = solvers.iter().flat_map(|s| kinds.map(|k| ((s.clone(), k), [500, 9000, 8000])));
        let logics = (0..30).map(|i| (format!("QF_{i}"), [66, 264, 200]));
        let answer = |us| Answer { outcome: "sat".into(), wall_us: us };
        let times = |slot: u64| solvers.iter().map(|s| (s.clone(), answer(slot * 7 + 1))).collect();
        let new = if round <= bugs { vec![finding(round, SCRIPT, SCRIPT)] } else { Vec::new() };
        let batch = Batch {
            at: Some(Duration::from_secs(86_400 * round / rounds)),
            tests: vec![("operator".into(), 2000, [2000, 1500, 1, 7])],
            outcomes: outcomes.collect(),
            logics: logics.collect(),
            samples: (round * 4..round * 4 + 4).map(|slot| (slot % 2000, times(slot))).collect(),
            seeds: (0..300).map(|i| (format!("seed-{i}"), [round as u32, 5, 1, 7])).collect(),
            ..batch(round * 2000, new)
        };
        store.write(&batch).unwrap();
    }
    (1..=bugs).for_each(|id| note(&mut store, id, Some(SCRIPT), dossier(id, MODEL, truth_of_script())));
    let before = cpu();
    let site = site(&store);
    let spent = cpu() - before;
    assert!(spent < Duration::from_secs(10), "{spent:?}");
    assert_eq!(site.pages.len() as u64, 1 + bugs);
    assert!(site.pages[0].1.contains("1,000,000 tests"), "{}", &site.pages[0].1);
    let largest = site.pages.iter().map(|p| p.1.len()).max().unwrap();
    assert!(largest < 2_000_000, "{largest}");
}

#[test]
fn an_empty_campaign_has_a_page_without_plots() {
    let folder = Folder::new("empty");
    let store = Store::create(&folder.0).unwrap();
    let page = site(&store).pages.remove(0).1;
    assert!(page.contains("No bug was found") && !page.contains("<figure"));
    let ids: Vec<&str> = links(&page).into_iter().filter_map(|l| l.strip_prefix('#')).collect();
    assert!(ids.iter().all(|id| page.contains(&format!("id=\"{id}\""))), "{ids:?}");
}

#[test]
fn a_report_says_what_its_commands_run_and_what_a_new_release_does() {
    let d = dossier(1, MODEL, truth_of_script());
    let told = |d: &Dossier| issue(&Facts::new(&source(&bug(d.kind, d))));
    let with = |change: &dyn Fn(&mut Dossier)| {
        let mut changed = d.clone();
        changed.said[0].accused = true;
        change(&mut changed);
        told(&changed)
    };
    let program = with(&|d| d.said[0].package = Some("z3-solver==4.8.5".into()));
    assert!(program.contains("z3 4.8.5 comes from the Python package `z3-solver==4.8.5`."), "{program}");
    let module = with(&|d| {
        d.said[0].package = Some("z3-solver==4.8.5".into());
        d.said[0].untried = Some("z3 bug.smt2".into());
    });
    assert!(
        module.contains("which has no executable")
            && module.contains("the command is `z3 bug.smt2` (not tested)"),
        "{module}"
    );
    let without = with(&|d| d.said[0].command = None);
    assert!(without.contains("No plain command line on `bug.smt2` reproduces it in z3 4.8.5"), "{without}");
    let lines = with(&|d| {
        (d.kind, d.evidence, d.said[0].outcome) = (Kind::Crash, None, smelt_core::OutcomeKind::Crash);
        d.said[0].lines = vec!["ASSERTION VIOLATION".into(), "File: a.cpp".into(), "Line: 7".into()];
    });
    assert!(lines.contains("ASSERTION VIOLATION\nFile: a.cpp\nLine: 7\n"), "{lines}");
    let figures =
        smelt_core::Figures { bytes_before: 9, bytes_after: 8, checks: 9, wall_s: 1.0, complete: false };
    let half = with(&|d| d.reduction = Some(figures));
    assert!(half.contains("stopped early"), "{half}");
    // The newest release decides what stands on top.
    let newest = |standing| {
        with(&|d| {
            d.kind = Kind::SolutionUnsound;
            let mut new = d.history.releases[0].clone();
            new.solver = serde_json::from_value("z3@9.9".into()).unwrap();
            (new.standing, new.doubt) = (standing, None);
            d.history.releases[0].standing = smelt_core::Standing::Bad;
            d.history.releases.truncate(1);
            d.history.releases.push(new);
        })
    };
    assert!(
        newest(smelt_core::Standing::Good).contains("Fixed in z3 9.9: do not file it."),
        "{}",
        newest(smelt_core::Standing::Good)
    );
    assert!(
        !newest(smelt_core::Standing::Bad).contains("do not file"),
        "{}",
        newest(smelt_core::Standing::Bad)
    );
}
