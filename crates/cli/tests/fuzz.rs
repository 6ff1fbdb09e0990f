//! `smelt fuzz`, `bugs`, `replay` and `mutate` from the outside: repeatable, resumable, and clear about trouble.
//!
//! Hermetic: the built-in solver with planted faults, and seeds written here. `cargo xtask test --slow` tries more.

use crate::common::{Folder, json, stderr, stdout, wait_until};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn smelt(folder: &Folder) -> Command {
    folder.command()
}

fn run(folder: &Folder, args: &[&str]) -> Output {
    folder.smelt(args)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| {
            let path = e.unwrap().path();
            (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn same_seed_and_one_worker_make_the_same_tests_byte_for_byte() {
    let folder = Folder::new("same");
    let cases = |name: &str, seed: &str| {
        let out = run(
            &folder,
            &[
                "fuzz",
                "-S",
                "builtin",
                "-j",
                "1",
                "--seed",
                seed,
                "--tests",
                "150",
                "--json",
                "--out",
                &folder.path(name),
                "--save-cases",
                &folder.path(&format!("{name}-cases")),
            ],
        );
        assert_eq!(json(&out)["tests"], 150);
        files(&folder.0.join(format!("{name}-cases")))
    };
    let (a, b, c) = (cases("a", "7"), cases("b", "7"), cases("c", "8"));
    assert_eq!(a.len(), 150);
    assert_eq!(a, b);
    assert_ne!(a, c);
}

#[test]
fn a_finding_has_every_field_and_replays_byte_for_byte() {
    let folder = Folder::new("replay");
    let out = run(
        &folder,
        &[
            "fuzz",
            "-S",
            "builtin",
            "-S",
            "builtin:segfault-xor",
            "-S",
            "builtin:bvudiv-zero",
            "--tests",
            "250",
            "--seed",
            "3",
            "--json",
            "--out",
            "store",
        ],
    );
    let summary = json(&out);
    assert_eq!(out.status.code(), Some(10), "{}", stderr(&out));
    for key in ["tests", "solver_calls", "cpu_s", "wall_s", "by_strategy", "by_outcome", "findings"] {
        assert!(summary.get(key).is_some(), "{key}");
    }
    let findings = summary["findings"].as_array().unwrap();
    assert!(findings.iter().any(|f| f["kind"] == "crash"), "{summary}");
    let mut prints = std::collections::HashSet::new();
    for finding in findings {
        for key in [
            "id",
            "kind",
            "solver",
            "strategy",
            "theory",
            "evidence",
            "fingerprint",
            "file",
            "reduced",
            "bytes",
        ] {
            assert!(finding.get(key).is_some(), "{key}");
        }
        assert!(prints.insert(finding["fingerprint"].clone()), "one row for each bug");
        assert_ne!(finding["solver"], "builtin@0.2.0", "{finding}");
        let stored = std::fs::read(folder.0.join(finding["file"].as_str().unwrap())).unwrap();
        assert_eq!(stored.len() as u64, finding["bytes"].as_u64().unwrap());
        let id = finding["id"].as_str().unwrap();
        assert_eq!(run(&folder, &["replay", id, "store", "--print"]).stdout, stored);
    }
    let id = findings.iter().find(|f| f["kind"] == "crash").unwrap()["id"].as_str().unwrap().to_owned();
    let replayed = json(&run(&folder, &["replay", &id, "store", "--json"]));
    assert_eq!((&replayed["identical"], &replayed["again"]), (&true.into(), &true.into()), "{replayed}");
    let bugs = json(&run(&folder, &["bugs", "store", "--json"]));
    assert_eq!(bugs.as_array().unwrap().len(), findings.len());
    let every = json(&run(&folder, &["bugs", "store", "--findings", "--json"]));
    let members: usize =
        bugs.as_array().unwrap().iter().map(|b| b["findings"].as_array().unwrap().len()).sum();
    assert_eq!(members, every.as_array().unwrap().len(), "each finding is of one bug");
    let shown = run(&folder, &["bugs", "store", "show", &id]);
    assert!(stdout(&shown).contains("crash in builtin:segfault-xor"));
    let exported = run(&folder, &["bugs", "store", "export", "exported"]);
    assert_eq!(exported.status.code(), Some(10));
    let scripts = files(&folder.0.join("exported")).into_iter().filter(|f| f.0.ends_with(".smt2")).count();
    assert_eq!(scripts, bugs.as_array().unwrap().len());
    assert!(folder.0.join("exported/bugs.json").is_file());
}

fn fingerprints(folder: &Folder) -> Vec<String> {
    let listed = json(&run(folder, &["bugs", "store", "--findings", "--flaky", "--json"]));
    listed.as_array().unwrap().iter().map(|f| f["trigger"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn killed_at_any_moment_and_resumed_nothing_is_lost_and_nothing_twice() {
    let folder = Folder::new("kill");
    let rounds = if smelt_testing::is_slow() { 10 } else { 4 };
    let mut known: Vec<String> = Vec::new();
    for round in 0..rounds {
        let mut args = vec!["fuzz", "--out", "store", "--tests", "100000", "-j", "2"];
        if Store::is_in(&folder) {
            args.push("--resume");
        } else {
            args.extend([
                "-S",
                "builtin",
                "-S",
                "builtin:segfault-xor",
                "-S",
                "builtin:distinct-neighbours",
                "--seed",
                "5",
            ]);
        }
        let mut child =
            smelt(&folder).args(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // Some moment, a different one each time and each run; the first may be before there is a store.
        if round > 0 {
            wait_until(|| Store::is_in(&folder));
        }
        let moment = 300 + (round * 977 + std::process::id() as u64 * 31) % 2500;
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        if !Store::is_in(&folder) {
            continue;
        }
        let now = fingerprints(&folder);
        assert!(known.iter().all(|f| now.contains(f)), "lost: {known:?} {now:?}");
        let mut once = now.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), now.len(), "twice");
        known = now;
    }
    let resume = |tests: u64| {
        let tests = tests.to_string();
        json(&run(&folder, &["fuzz", "--out", "store", "--resume", "--tests", &tests, "--json"]))
    };
    let done = resume(1)["tests"].as_u64().unwrap();
    let more = resume(done + 20);
    assert_eq!(more["tests"], done + 20, "{more}");
    // Each row has its script, and each script its row.
    for finding in more["findings"].as_array().unwrap() {
        let id = finding["id"].as_str().unwrap();
        let script = std::fs::read(folder.0.join(finding["file"].as_str().unwrap())).unwrap();
        assert_eq!(run(&folder, &["replay", id, "store", "--print"]).stdout, script);
    }
}

struct Store;

impl Store {
    fn is_in(folder: &Folder) -> bool {
        folder.0.join("store/campaign.sqlite").exists()
    }
}

#[test]
fn an_interrupt_ends_with_the_summary() {
    let folder = Folder::new("interrupt");
    let child = smelt(&folder)
        .args(["fuzz", "-S", "builtin", "-j", "1", "--json", "--out", "store", "--save-cases", "cases"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until(|| std::fs::read_dir(folder.0.join("cases")).is_ok_and(|cases| cases.count() > 10));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(json(&output)["tests"].as_u64().unwrap() > 0);
}

#[test]
fn trouble_is_one_clear_line() {
    let folder = Folder::new("trouble");
    std::fs::write(folder.0.join("bad.smt2"), "(assert (+ true 1))").unwrap();
    std::fs::write(folder.0.join("good.smt2"), "(declare-const x Int)(assert (> x 1))(check-sat)").unwrap();
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    for (args, part) in [
        (&["fuzz", "bad.smt2", "-S", "builtin", "--tests", "1"][..], "no usable seed"),
        (&["fuzz", "none.smt2", "-S", "builtin", "--tests", "1"], "cannot read none.smt2"),
        (&["fuzz", "empty", "-S", "builtin", "--tests", "1"], "no .smt2 file"),
        (&["fuzz", "*.smt9", "-S", "builtin", "--tests", "1"], "no file matches"),
        (&["fuzz", "good.smt2", "-S", "no-such-solver", "--tests", "1"], "no-such-solver"),
        (&["fuzz", "good.smt2", "-S", "builtin", "-s", "magic", "--tests", "1"], "no strategy `magic`"),
        (&["fuzz", "good.smt2", "-S", "builtin", "-j", "0"], "-j 1"),
        (&["fuzz", "--resume", "--out", "nothing"], "no campaign in nothing"),
        (&["bugs", "nothing"], "no campaign in nothing"),
        (&["replay", "1", "nothing"], "no campaign in nothing"),
        (&["mutate", "magic", "good.smt2"], "no strategy `magic`"),
        (&["mutate", "operator", "bad.smt2"], "no mutant"),
    ] {
        let output = run(&folder, args);
        let text = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.starts_with("smelt: ") && last.contains(part), "{args:?}: {text}");
    }
    let made = run(&folder, &["fuzz", "good.smt2", "-S", "builtin", "--tests", "3", "--out", "store"]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    let again = run(&folder, &["fuzz", "good.smt2", "-S", "builtin", "--tests", "3", "--out", "store"]);
    assert_eq!(again.status.code(), Some(2));
    assert!(stderr(&again).contains("--resume"));
    std::fs::write(folder.0.join("store/campaign.sqlite"), "rubbish ".repeat(1000)).unwrap();
    let damaged = run(&folder, &["fuzz", "--resume", "--out", "store"]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(stderr(&damaged).contains("damaged"), "{}", stderr(&damaged));
}

#[test]
fn mutants_have_a_header_and_can_be_made_again() {
    let folder = Folder::new("mutate");
    let seed = "(set-logic QF_LIA)(set-info :status sat)(declare-const x Int)(assert (and (> x 1) (< (+ x 2) 9)))(check-sat)";
    std::fs::write(folder.0.join("a.smt2"), seed).unwrap();
    std::fs::write(folder.0.join("b.smt2"), seed.replace('x', "y")).unwrap();
    for strategy in ["operator", "typefuzz", "fusion", "shuffle"] {
        let make = || run(&folder, &["mutate", strategy, "a.smt2", "b.smt2", "-n", "5", "--seed", "4"]);
        let (one, two) = (make(), make());
        assert_eq!(one.status.code(), Some(0), "{strategy}: {}", stderr(&one));
        assert_eq!(one.stdout, two.stdout);
        assert!(one.stdout.starts_with(b"; smelt strategy="), "{strategy}");
    }
    let out = run(&folder, &["mutate", "operator", "a.smt2", "-n", "7", "--out", "mutants", "--json"]);
    assert_eq!(json(&out)["made"], 7);
    assert_eq!(files(&folder.0.join("mutants")).len(), 7);
}

#[test]
fn resume_goes_on_with_the_files_that_options_named() {
    let folder = Folder::new("files");
    let words = |text: &str| folder.smelt(&text.split_whitespace().collect::<Vec<_>>());
    let seed: String = (0..8).map(|n| format!("(assert (< x {n}))\n")).collect();
    let seed = format!("(set-logic QF_LIA)\n(declare-const x Int)\n{seed}(check-sat)\n");
    folder.file("seed.smt2", &seed);
    folder.file("rules.txt", "(rule own (theory arithmetic) (var x y Int) (from (< x y)) (weaker (<= x y)))");
    folder.file("classes.txt", "(class < >)");
    let first = words(
        "fuzz seed.smt2 -s weaken:steps=1,operator:steps=1 --rules rules.txt --classes classes.txt -S builtin --seed 2 \
         -j 1 --tests 4 --out store --json",
    );
    assert_eq!(json(&first)["tests"], 4, "{}", stderr(&first));
    // From now on it does not matter what the files say.
    folder.file("rules.txt", "not a rule");
    std::fs::remove_file(folder.0.join("classes.txt")).unwrap();
    let resumed = words("fuzz --resume --tests 10 --out store --save-cases cases --json");
    assert_eq!(json(&resumed)["tests"], 10, "{}", stderr(&resumed));
    let cases = files(&folder.0.join("cases"));
    assert_eq!(cases.len(), 6);
    for (_, case) in cases {
        let case = String::from_utf8(case).unwrap();
        let (header, body) = case.split_once('\n').unwrap();
        let own = if header.contains("weaken") { "(<= " } else { "(> " };
        assert!(body != seed && body.replace(own, "(< ") == seed, "{case}");
    }
}

#[test]
fn the_readme_names_every_strategy() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let folder = Folder::new("readme");
    let document = json(&run(&folder, &["strategies", "--json"]));
    for row in document["strategies"].as_array().unwrap() {
        let command = if row["needs_seeds"] == true { "smelt mutate" } else { "smelt generate" };
        let line = readme.lines().find(|l| l.contains(command)).unwrap();
        let name = row["name"].as_str().unwrap();
        assert!(line.contains(&format!("`{name}`")), "{name}: {line}");
    }
}

#[test]
fn options_of_strategies_are_the_same_behind_a_name_and_as_flags() {
    let folder =
        Folder::new("options").with("a.smt2", "(declare-const p Bool)(assert (and p (or p p)))(check-sat)");
    let made = |arguments: &[&str]| {
        let out = run(&folder, &[&["mutate"], arguments, &["a.smt2", "-n", "20", "--json"]].concat());
        json(&out)["mutants"].clone()
    };
    assert_eq!(made(&["operator:steps=3,logic=all"]), made(&["opfuzz", "--steps", "3", "--wide"]));
    assert_eq!(made(&["skeleton:form=cnf"]), made(&["skeleton", "--form", "cnf"]));
    for (arguments, message) in [
        ("mutate construct a.smt2", "`construct` needs no seeds: use `smelt generate construct`"),
        ("generate fusion", "`fusion` needs seeds: use `smelt mutate fusion FILE`"),
        (
            "mutate fusion --steps 3 a.smt2",
            "no chosen strategy has --steps: it belongs to operator, generative",
        ),
        ("mutate skeleton:form=x a.smt2", "no form `x`: choose one of written, cnf, any"),
        ("fuzz -s nothing -S builtin", "no strategy `nothing`: choose one of operator, generative"),
        ("strategies nothing", "no strategy `nothing`"),
    ] {
        let out = run(&folder, &arguments.split(' ').collect::<Vec<_>>());
        let error = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{arguments}");
        assert!(error.contains(message) && error.lines().count() == 1, "{arguments}: {error}");
    }
}

/// Labels are claims of their author: wrong ones, and those that no solver can back, accuse nobody.
#[test]
fn a_label_that_nothing_backs_accuses_nobody() {
    let folder = Folder::new("labels");
    let script =
        |status: &str, body: &str| format!("(set-logic ALL)(set-info :status {status}){body}(check-sat)\n");
    // Nobody here decides the last one.
    let hard =
        "(declare-fun f (Int) Int)(declare-const x Int)(assert (forall ((y Int)) (> (f (f y)) (* x y))))";
    let seeds = [
        ("sat", script("unsat", "(declare-const x Int)(assert (> x 1))(assert (< x 9))")),
        ("unsat", script("sat", "(declare-const x Int)(assert (> x 1))(assert (< x 1))")),
        ("open", script("unsat", hard)),
    ]
    .map(|(name, text)| folder.file(&format!("{name}.smt2"), &text));
    let mut args = vec!["fuzz"];
    args.extend(seeds.iter().map(String::as_str));
    args.extend(["-S", "builtin", "--tests", "120", "--seed", "1", "-j", "1", "--json", "--out", "store"]);
    let out = run(&folder, &args);
    let summary = json(&out);
    assert_eq!((out.status.code(), summary["findings"].as_array().unwrap().len()), (Some(0), 0), "{summary}");
    assert_eq!(summary["tests"], 120);
}

/// A program without answers ends a campaign, with its own message; a wrapper of a known solver is that solver.
#[test]
fn a_solver_that_answers_nothing_ends_the_campaign() {
    let folder = Folder::new("mute");
    let silent = folder.program("silent", "echo 'silent: cannot open library'; exit 3");
    let out = run(&folder, &["fuzz", "-S", &silent, "--tests", "5", "--out", "store"]);
    assert_eq!(out.status.code(), Some(2), "{}", stdout(&out));
    let line = stderr(&out);
    assert!(line.contains("easy queries") && line.contains("cannot open library"), "{line}");
}

/// Starting is not part of a query: a solver behind a wrapper that sleeps is tested like any other.
#[test]
fn a_solver_that_starts_slowly_shows_what_it_shows_without_the_wrapper() {
    let folder = Folder::new("slow-start");
    let smelt = env!("CARGO_BIN_EXE_smelt");
    let found = |name: &str, first: &str| {
        let body = format!(
            "{first}\nif [ \"$1\" = solve ]; then exec {smelt} \"$@\" --fault distinct-neighbours; fi\nexec {smelt} \"$@\""
        );
        std::fs::create_dir_all(folder.0.join(name)).unwrap();
        let program = folder.program(&format!("{name}/dev"), &body);
        let args = ["fuzz", "-S", "builtin", "-S", &program, "--tests", "120", "-j", "1", "--seed", "4"];
        let store = folder.path(&format!("{name}-store"));
        // In a shard each query has the whole time limit: limits that are learned would depend on the machine.
        let args = [&args[..], &["--shard", "1/1", "--no-reduce", "--json", "--out", &store]].concat();
        let summary = json(&run(&folder, &args));
        assert_eq!(summary["tests"], 120);
        // The name of a program is not that of its wrapper.
        let after = |text: &str| text.split_once('/').map(|(_, rest)| rest.to_owned());
        let key = |f: &serde_json::Value| (f["kind"].to_string(), after(f["fingerprint"].as_str().unwrap()));
        summary["findings"].as_array().unwrap().iter().map(key).collect::<std::collections::BTreeSet<_>>()
    };
    let plain = found("plain", ":");
    assert!(!plain.is_empty());
    assert_eq!(found("slow", "sleep 0.5"), plain);
}

#[test]
fn focus_makes_tests_about_what_it_names() {
    let folder = Folder::new("focus");
    folder.file("notes.txt", "- The solver now knows `bvsdiv` better.\n");
    let share = |name: &str, focus: &[&str]| {
        let cases = folder.path(&format!("{name}-cases"));
        let args = [
            "fuzz",
            "-S",
            "builtin",
            "--tests",
            "100",
            "-j",
            "1",
            "--seed",
            "5",
            "-s",
            "operator,generative",
        ];
        let more = ["--json", "--out", &folder.path(name), "--save-cases", &cases];
        let summary = json(&run(&folder, &[&args[..], &more[..], focus].concat()));
        assert_eq!(summary["tests"], 100);
        let has = |(_, text): &(String, Vec<u8>)| String::from_utf8_lossy(text).contains("bvsdiv");
        files(Path::new(&cases)).iter().filter(|f| has(f)).count()
    };
    let (all, named, listed) = (
        share("all", &[]),
        share("named", &["--focus", "bvsdiv"]),
        share("listed", &["--focus", "notes.txt"]),
    );
    assert!(named > 2 * all && named > 40, "{all} {named}");
    assert!(listed > 2 * all && listed > 40, "{all} {listed}");
}

/// Models come from the solvers' answers to the seeds, which are run for them.
#[test]
fn mutants_with_a_certificate_show_wrong_answers_and_replay_byte_for_byte() {
    let declared = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))";
    let seed = |body: &str| format!("{declared}{body}(check-sat)\n");
    let folder = Folder::new("certified")
        .with("a.smt2", &seed("(assert (= (bvudiv x y) #xf))(assert (bvult y #x1))(assert (bvult x #x3))"))
        .with("b.smt2", &seed("(assert (bvult (bvadd x y) (bvmul x #x3)))(assert (distinct x y))"))
        .with("c.smt2", &seed("(assert (distinct x x))"));
    let fuzz = |name: &str| {
        let cases = format!("{name}-cases");
        let args = ["fuzz", "a.smt2", "b.smt2", "c.smt2", "-s", "certified", "-S", "builtin", "--seed", "3"];
        let more = ["-S", "builtin:bvudiv-zero", "--tests", "60", "-j", "1", "--no-reduce", "--json"];
        // A campaign that learns files what mutants show of their seed under the finding of the seed.
        let to = ["--schedule", "uniform", "--out", name, "--save-cases", &cases];
        let summary = json(&run(&folder, &[&args[..], &more, &to].concat()));
        assert_eq!(summary["tests"], 60, "{summary}");
        (summary, files(&folder.0.join(cases)))
    };
    let (summary, cases) = fuzz("store");
    assert_eq!(cases, fuzz("again").1);
    let findings: Vec<_> = summary["findings"].as_array().unwrap().iter().collect();
    let made: Vec<_> = findings.iter().filter(|f| f["strategy"] == "certified").collect();
    assert!(made.iter().any(|f| f["kind"] == "refutation-unsound"), "{summary}");
    for finding in made {
        assert_eq!(finding["evidence"], "model", "{finding}");
        let id = finding["id"].as_str().unwrap();
        let replayed = json(&run(&folder, &["replay", id, "store", "--json"]));
        assert_eq!((&replayed["identical"], &replayed["again"]), (&true.into(), &true.into()), "{replayed}");
    }
    // Without a campaign the model is that of the built-in solver.
    let mutate = |file: &str| run(&folder, &["mutate", "certified", file, "-n", "3"]);
    assert!(stdout(&mutate("b.smt2")).contains("; smelt strategy=certified seed="));
    assert!(stderr(&mutate("c.smt2")).contains("no model of the seed is known"));
}

/// The store keeps the user's operators: what reads it needs no file.
#[test]
fn findings_about_operators_of_the_user_are_made_again_without_the_file() {
    let folder = Folder::new("signatures");
    let signatures = "(theory Mine)(sort Color)(fun red () Color)(fun blue () Color)\n\
        (fun mix (Color Color) Color :left-assoc)(fun blend (Color Color) Color :left-assoc)\n";
    folder.file("mine.sig", signatures);
    let formula = "(= (mix c red) (blend d blue))";
    let seed = format!("(declare-const c Color)(declare-const d Color)(assert {formula})(check-sat)\n");
    folder.file("seed.smt2", &seed);
    // It fails on mutants only.
    let broken = "[ \"$1\" = --version ] && exit 0\nscript=$(cat)\n\
        case $script in *'(blend c'*|*'(mix d'*) echo \"Assertion \\`c' failed\"; exit 1;; esac\necho sat\n";
    folder.file("broken", broken);
    let campaign = ["fuzz", "seed.smt2", "-S", "sh broken", "-s", "operator", "--signatures", "mine.sig"];
    let more = ["--tests", "20", "--seed", "1", "-j", "1", "--go-on", "--no-cache", "--json", "--out"];
    let found = json(&run(&folder, &[&campaign[..], &more, &["store"]].concat()));
    let first = &found["findings"][0];
    assert_eq!((&first["kind"], &first["strategy"]), (&"crash".into(), &"operator".into()), "{found}");
    std::fs::remove_file(folder.0.join("mine.sig")).unwrap();
    let id = first["id"].as_str().unwrap();
    let again = json(&run(&folder, &["replay", id, "store", "--json"]));
    assert_eq!((&again["identical"], &again["again"]), (&true.into(), &true.into()), "{again}");
    assert_eq!(run(&folder, &["bugs", "store", "examine"]).status.code(), Some(10));
}
