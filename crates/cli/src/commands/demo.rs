//! `smelt demo`: a short campaign that needs only smelt.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use smelt_campaign::{Config, Focus, Learning, SeedText, Summary};
use smelt_core::{Class, Event, EventSink, Evidence, FindingRow, SolverId, Version};
use smelt_semantics::goal::Goal;
use smelt_semantics::solver::{Answer, Limits, solve};
use smelt_smtlib::{Arena, parse_script};
use smelt_solvers::{Catalog, Mode, Origin, SolverSpec};
use smelt_trial::NamedSolver;

use super::{report, summary};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{folders, output, recipes, setup, units};

/// Run a first campaign, on the built-in solver with planted bugs, then on installed solvers
///
/// Takes under a minute and needs no network. With --real, installs and tests an old release with known bugs instead.
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder for findings
    #[arg(short = 'o', long, value_name = "DIR", default_value = "smelt-demo")]
    out: PathBuf,
    /// Total time
    #[arg(long, value_name = "DURATION", default_value = "50s", value_parser = units::duration)]
    time: Duration,
    /// Install z3 4.8.5 with pip, and find real bugs in it
    #[arg(long)]
    real: bool,
    /// Random seed
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::number)]
    seed: u64,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// Faults of different kinds that small seeds trigger soon.
const FAULTS: [&str; 5] =
    ["bvudiv-zero", "distinct-neighbours", "model-off-by-one", "segfault-xor", "str-to-int-zeros"];
/// Operators that the faults are about.
const FOCUS: [&str; 4] = ["bvudiv", "distinct", "xor", "str.to_int"];
/// How many seeds are used for each of these operators at most.
const SEEDS: usize = 24;
/// The effort in which the built-in solver must decide a seed: each fault then shows soon, also on a busy machine.
const SEED_STEPS: u64 = 20_000;
/// The time limit of a query: the built-in solver answers small scripts in milliseconds or not at all.
const PLANTED_TIMEOUT: Duration = Duration::from_millis(30);
const REAL_TIMEOUT: Duration = Duration::from_secs(2);
/// At most this many real solvers, the newest release of each.
const SOLVERS: usize = 3;
/// Solvers with most theories come first.
const FIRST: [&str; 3] = ["z3", "cvc5", "cvc4"];
/// A release with bugs that a minute is enough for.
const BUGGY: (&str, &str) = ("z3", "4.8.5");
/// The time in which findings are reduced and grouped after the last test of a campaign, at most.
const REDUCING: Duration = Duration::from_secs(10);

/// Passes events on, and has seen enough when every planted fault is found.
struct UntilAllAreFound<'a> {
    console: &'a Console,
    found: Mutex<BTreeSet<&'static str>>,
}

impl UntilAllAreFound<'_> {
    /// The faults that were found.
    fn found(&self) -> MutexGuard<'_, BTreeSet<&'static str>> {
        self.found.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl EventSink for UntilAllAreFound<'_> {
    fn event(&self, event: &Event) {
        if let Event::Found(finding) = event {
            self.found().extend(FAULTS.iter().filter(|fault| blames(finding, fault)));
        }
        self.console.event(event);
    }

    fn is_enough(&self) -> bool {
        self.found().len() == FAULTS.len()
    }
}

/// One campaign of the demo.
struct Part {
    /// Its folder.
    name: &'static str,
    seeds: Vec<SeedText>,
    solvers: Vec<NamedSolver>,
    time: Duration,
    timeout: Duration,
    focus: Focus,
}

/// What all campaigns have in common.
struct Demo<'a> {
    a: &'a Arguments,
    catalog: &'a Catalog,
    stop: &'a AtomicBool,
}

impl Demo<'_> {
    fn say(&self, text: &str) -> Result<(), Failure> {
        if !self.a.json {
            writeln!(std::io::stdout(), "{text}")?;
        }
        Ok(())
    }

    /// Runs a campaign, and writes its pages.
    fn campaign(&self, part: Part, sink: &dyn EventSink) -> Result<Summary, Failure> {
        let Part { name, seeds, solvers, time, timeout, focus } = part;
        let config = Config {
            seeds,
            solvers,
            strategies: recipes::every()?,
            seed: self.a.seed,
            jobs: setup::cores(),
            timeout,
            memory: 1 << 30,
            time: Some(time),
            tests: None,
            learning: Learning::Full,
            mode: Mode::Reuse,
            out: folders::free(&self.a.out.join(name)),
            resume: false,
            triage: Some(setup::means(self.catalog)),
            profiles: self.catalog.profiles().clone(),
            mute: Vec::new(),
            per_seed: None,
            shard: smelt_campaign::Shard::WHOLE,
            lease: None,
            numbers: None,
            go_on: true,
            focus,
            cache: None,
            save_cases: None,
            request: crate::request::stored(&serde_json::json!({}))?,
        };
        let mut summary = smelt_campaign::run(&config, self.stop, sink)?;
        certified_first(&mut summary);
        let folder = Path::new(&summary.out);
        report::write(folder, &report::site(folder, self.catalog.profiles())?)?;
        Ok(summary)
    }

    /// The built-in solver with planted faults; ends as soon as all are found.
    fn planted(&self, time: Duration) -> Result<Summary, Failure> {
        let mut planted = vec![setup::solver(self.catalog, "builtin")?];
        for fault in FAULTS {
            planted.push(setup::solver(self.catalog, &format!("builtin:{fault}"))?);
        }
        let seeds = planted_seeds();
        self.say(&format!(
            "1. The built-in solver with {} planted faults, on {} small seeds.\n   \
             smelt should find all of them.\n",
            FAULTS.len(),
            seeds.len()
        ))?;
        let console = Console::new(self.a.json);
        let sink = UntilAllAreFound { console: &console, found: Mutex::default() };
        let mut focus = Focus::default();
        FOCUS.iter().for_each(|name| focus.add(name));
        let (name, timeout) = ("planted", PLANTED_TIMEOUT);
        let summary = self.campaign(Part { name, seeds, solvers: planted, time, timeout, focus }, &sink)?;
        console.clear();
        let found = sink.found().len();
        self.show(&summary)?;
        self.say(&format!("\n   {found} of {} planted faults found.\n", FAULTS.len()))?;
        Ok(summary)
    }

    /// Real solvers.
    fn installed(
        &self,
        name: &'static str,
        solvers: Vec<NamedSolver>,
        time: Duration,
    ) -> Result<Summary, Failure> {
        let console = Console::new(self.a.json);
        let (timeout, focus, seeds) = (REAL_TIMEOUT, Focus::default(), smelt_campaign::seeds::bundled());
        let summary = self.campaign(Part { name, seeds, solvers, time, timeout, focus }, &console)?;
        console.clear();
        self.show(&summary)?;
        Ok(summary)
    }

    fn show(&self, summary: &Summary) -> Result<(), Failure> {
        if !self.a.json {
            summary::show_briefly(&mut std::io::stdout().lock(), summary)?;
        }
        Ok(())
    }
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let started = Instant::now();
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let stop = setup::on_interrupt()?;
    let demo = Demo { a, catalog: &catalog, stop: &stop };
    if a.real {
        return real(&demo);
    }
    let others = installed(&catalog);
    let first = demo.planted(if others.is_empty() { a.time * 3 / 4 } else { a.time / 2 })?;
    let second = if others.is_empty() {
        demo.say("2. No real solver is installed. To install two: smelt solvers install z3 cvc5")?;
        None
    } else {
        let names: Vec<String> = others.iter().map(|c| c.solver.id().to_string()).collect();
        demo.say(&format!(
            "2. The solvers installed here: {}.\n   Every finding from here on is a real bug.\n",
            names.join(", ")
        ))?;
        let left = a.time.saturating_sub(started.elapsed()).saturating_sub(REDUCING).max(a.time / 8);
        Some(demo.installed("installed", others, left)?)
    };
    let pages: Vec<PathBuf> = [Some(&first), second.as_ref()].into_iter().flatten().map(page).collect();
    let document = serde_json::json!({"planted": first, "installed": second, "pages": pages});
    output::result(a.json, &document, |out| next_steps(out, &[Some(&first), second.as_ref()]))?;
    // Only findings in real solvers set the exit code, not planted faults.
    let found = second.is_some_and(|s| !s.findings.is_empty());
    Ok(if found { Exit::Findings } else { Exit::Ok })
}

/// An old release, installed for this, beside the newest of the solvers installed here.
fn real(demo: &Demo<'_>) -> Result<Exit, Failure> {
    let Demo { a, catalog, .. } = demo;
    let (name, version) = BUGGY;
    let spec = format!("{name}@{version}");
    writeln!(std::io::stderr(), "installing {spec} ..")?;
    let version: Version = version.parse().map_err(|e| Failure::internal(format!("{e}")))?;
    catalog.install(name, &version)?;
    let mut solvers = vec![setup::solver(catalog, &spec)?];
    solvers.extend(installed(catalog).into_iter().filter(|other| other.spec != spec).take(SOLVERS - 1));
    let names: Vec<String> = solvers.iter().map(|s| s.solver.id().to_string()).collect();
    demo.say(&format!("{}, on the embedded seeds. Every finding is a real bug.\n", names.join(", ")))?;
    let summary = demo.installed("real", solvers, a.time.saturating_sub(REDUCING).max(a.time / 2))?;
    let document = serde_json::json!({"real": summary, "pages": [page(&summary)]});
    output::result(a.json, &document, |out| next_steps(out, &[Some(&summary)]))?;
    Ok(if summary.findings.is_empty() { Exit::Ok } else { Exit::Findings })
}

/// Puts bugs that are proved before those that only opinions speak for. Findings that were not examined stay last.
fn certified_first(summary: &mut Summary) {
    let examined = summary.findings.len().saturating_sub(summary.unexamined as usize);
    let is_opinion = |f: &FindingRow| match f.evidence {
        Some(evidence) => matches!(evidence, Evidence::Vote | Evidence::SelfCheck),
        None => f.kind.class() != Class::Crash,
    };
    summary.findings[..examined].sort_by_key(is_opinion);
}

/// The page of a campaign.
fn page(summary: &Summary) -> PathBuf {
    Path::new(&summary.out).join("index.html")
}

/// Whether a finding accuses the solver with a fault, and no other, of what a fault does: none makes it know less.
fn blames(finding: &FindingRow, fault: &str) -> bool {
    let accused = |solver: &SolverId| solver.name().strip_prefix("builtin:") == Some(fault);
    !finding.kind.row().compares && matches!(&finding.accused[..], [one] if accused(one))
}

/// Whether the built-in solver decides a seed at once.
fn is_easy(seed: &SeedText) -> bool {
    let mut arena = Arena::new();
    let Ok(parsed) = parse_script(&mut arena, &seed.text) else { return false };
    let limits = Limits { steps: SEED_STEPS };
    matches!(solve(&mut arena, &Goal::last(&parsed.script), limits), Answer::Sat(_) | Answer::Unsat)
}

/// The smallest of the embedded seeds about each operator that a fault is about, and that are easy to decide.
fn planted_seeds() -> Vec<SeedText> {
    let mut all = smelt_campaign::seeds::bundled();
    all.sort_by_key(|seed| seed.text.len());
    let mut chosen = BTreeSet::new();
    for name in FOCUS {
        let mut focus = Focus::default();
        focus.add(name);
        let about = all.iter().enumerate().filter(|(_, seed)| focus.is_met(&seed.text) && is_easy(seed));
        chosen.extend(about.map(|(at, _)| at).take(SEEDS));
    }
    chosen.into_iter().map(|at| all[at].clone()).collect()
}

/// The newest of each solver installed here.
fn installed(catalog: &Catalog) -> Vec<NamedSolver> {
    let mut rows = catalog.list();
    rows.retain(|row| row.origin != Origin::Builtin);
    rows.sort_by(|a, b| (a.id.name(), b.id.version()).cmp(&(b.id.name(), a.id.version())));
    rows.dedup_by(|a, b| a.id.name() == b.id.name());
    let rank = |name: &str| FIRST.iter().position(|f| *f == name).unwrap_or(FIRST.len());
    rows.sort_by_key(|row| rank(row.id.name()));
    let solvers = rows.iter().filter_map(|row| {
        let spec: SolverSpec = row.spec.parse().ok()?;
        Some(NamedSolver { spec: row.spec.clone(), solver: catalog.resolve(&spec).ok()? })
    });
    solvers.take(SOLVERS).collect()
}

/// What to try next; the path of each page comes last.
fn next_steps(out: &mut impl Write, summaries: &[Option<&Summary>]) -> std::io::Result<()> {
    let all = || summaries.iter().copied().flatten();
    let Some(shown) = all().rev().find(|s| !s.findings.is_empty()).or(all().next()) else { return Ok(()) };
    let folder = &shown.out;
    let mut steps = vec![(format!("smelt bugs {folder}"), "list the bugs, with their numbers")];
    if let Some(FindingRow { id, .. }) = shown.findings.first() {
        steps.push((format!("smelt bugs show {id} {folder}"), "show one of them, with its evidence"));
        steps.push((format!("smelt replay {id} {folder}"), "run its test case again"));
    }
    steps.push(("smelt fuzz FOLDER -S z3 -S cvc5 --time 10m".to_owned(), "test solvers with your own seeds"));
    let width = steps.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    writeln!(out, "\nTry next:")?;
    steps.iter().try_for_each(|(command, what)| writeln!(out, "  {command:<width$}  {what}"))?;
    writeln!(out, "\nHTML pages of the campaigns, with plots and a page per bug:")?;
    all().try_for_each(|summary| writeln!(out, "  {}", page(summary).display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Kind, SolverId};

    fn finding(id: &str, kind: Kind, evidence: Option<Evidence>) -> FindingRow {
        FindingRow {
            id: id.to_owned(),
            kind,
            solver: "z3".to_owned(),
            accused: vec![SolverId::new("z3", None)],
            strategy: None,
            theory: None,
            evidence,
            fingerprint: String::new(),
            file: String::new(),
            reduced: None,
            bytes: 1,
        }
    }

    #[test]
    fn every_planted_fault_has_small_easy_seeds() {
        let seeds = planted_seeds();
        for name in FOCUS {
            let mut focus = Focus::default();
            focus.add(name);
            assert!(seeds.iter().filter(|seed| focus.is_met(&seed.text)).count() >= 3, "{name}");
        }
        assert!(seeds.len() <= FOCUS.len() * SEEDS && seeds.iter().all(|seed| seed.text.len() < 2000));
    }

    #[test]
    fn proved_bugs_come_first_and_unexamined_findings_stay_last() {
        let wrong = Kind::SolutionUnsound;
        let findings = vec![
            finding("open", Kind::Unsound, None),
            finding("vote", wrong, Some(Evidence::Vote)),
            finding("model", wrong, Some(Evidence::Model)),
            finding("crash", Kind::Crash, None),
            finding("not examined", wrong, Some(Evidence::Model)),
        ];
        let mut summary = Summary { findings, unexamined: 1, ..Summary::default() };
        certified_first(&mut summary);
        let order: Vec<&str> = summary.findings.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(order, ["model", "crash", "open", "vote", "not examined"]);
    }
}
