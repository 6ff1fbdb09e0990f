//! `smelt demo`: a short campaign that needs nothing but smelt.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_campaign::{Config, Focus, Learning, Summary};
use smelt_core::{Evidence, Finding, FindingKind};
use smelt_solvers::{Catalog, Mode, Origin, SolverSpec};
use smelt_trial::NamedSolver;

use super::{fuzz, report};
use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{folders, output, recipes, setup, units};

/// A campaign of under a minute, offline: embedded seeds against the built-in solver with planted faults, and
/// against whatever solvers are installed
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder for findings
    #[arg(long, value_name = "DIR", default_value = "smelt-demo")]
    out: PathBuf,
    /// How long, in all
    #[arg(long, value_name = "DURATION", default_value = "40s", value_parser = units::duration)]
    time: Duration,
    /// The seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// Faults of different kinds that small seeds trigger soon.
const FAULTS: [&str; 5] =
    ["bvudiv-zero", "distinct-neighbours", "model-off-by-one", "segfault-xor", "str-to-int-zeros"];
/// At most this many real solvers, the newest release of each.
const SOLVERS: usize = 3;
/// Solvers with most theories come first.
const FIRST: [&str; 3] = ["z3", "cvc5", "cvc4"];

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let mut planted = vec![setup::solver(&catalog, "builtin")?];
    for fault in FAULTS {
        planted.push(setup::solver(&catalog, &format!("builtin:{fault}"))?);
    }
    let real = installed(&catalog);
    let stop = setup::on_interrupt()?;
    let console = Console::new(a.json);
    let parts = if real.is_empty() { 1 } else { 2 };
    let say = |text: &str| -> Result<(), Failure> {
        if !a.json {
            writeln!(std::io::stdout(), "{text}")?;
        }
        Ok(())
    };
    say(&format!(
        "1. smelt's own solver with {} planted faults, on the embedded seeds.\n   \
         It should find each of them.\n",
        FAULTS.len()
    ))?;
    let campaign = |name: &str, solvers: Vec<NamedSolver>| -> Result<Summary, Failure> {
        let out = folders::free(&a.out.join(name));
        let config = Config {
            seeds: smelt_campaign::seeds::bundled(),
            solvers,
            strategies: recipes::every()?,
            seed: a.seed,
            jobs: setup::cores(),
            timeout: Duration::from_secs(2),
            memory: 1 << 30,
            // A quarter of the time is for reducing and grouping.
            time: Some(a.time * 3 / 4 / parts),
            tests: None,
            learning: Learning::Full,
            mode: Mode::Reuse,
            out,
            resume: false,
            triage: Some(setup::means(&catalog)),
            profiles: catalog.profiles().clone(),
            mute: Vec::new(),
            per_seed: None,
            go_on: true,
            focus: Focus::default(),
            cache: None,
            save_cases: None,
            request: crate::request::stored(&serde_json::json!({}))?,
        };
        let mut summary = smelt_campaign::run(&config, &stop, &console)?;
        console.clear();
        certified_first(&mut summary);
        let folder = Path::new(&summary.out);
        report::write(folder, &report::site(folder, catalog.profiles())?)?;
        Ok(summary)
    };
    let first = campaign("planted", planted)?;
    if !a.json {
        let mut out = std::io::stdout().lock();
        fuzz::show(&mut out, &first)?;
        let found = FAULTS.iter().filter(|f| blames(&first, f)).count();
        writeln!(out, "\n   {found} of {} planted faults found.\n", FAULTS.len())?;
    }
    let second = if real.is_empty() {
        say("2. No real solver is installed. To have one: smelt solvers install z3@5.4.0 cvc5@1.4.2")?;
        None
    } else {
        let names: Vec<String> = real.iter().map(|c| c.solver.id().to_string()).collect();
        say(&format!(
            "2. The solvers installed here: {}.\n   What is found now is real.\n",
            names.join(", ")
        ))?;
        let summary = campaign("installed", real)?;
        if !a.json {
            fuzz::show(&mut std::io::stdout().lock(), &summary)?;
        }
        Some(summary)
    };
    let pages: Vec<PathBuf> = [Some(&first), second.as_ref()].into_iter().flatten().map(page).collect();
    let document = serde_json::json!({"planted": first, "installed": second, "pages": pages});
    output::result(a.json, &document, |out| next_steps(out, &first, second.as_ref()))?;
    // Only findings in real solvers set the exit code, not planted faults.
    let found = second.is_some_and(|s| !s.findings.is_empty());
    Ok(if found { Exit::Findings } else { Exit::Ok })
}

/// Puts bugs that are proved before those that only opinions speak for. Findings that were not examined stay last.
fn certified_first(summary: &mut Summary) {
    let examined = summary.findings.len().saturating_sub(summary.unexamined as usize);
    let is_opinion = |f: &Finding| match f.evidence {
        Some(evidence) => matches!(evidence, Evidence::Vote | Evidence::SelfCheck),
        None => f.kind != FindingKind::Crash,
    };
    summary.findings[..examined].sort_by_key(is_opinion);
}

/// The page of a campaign.
fn page(summary: &Summary) -> PathBuf {
    Path::new(&summary.out).join("index.html")
}

fn blames(summary: &Summary, fault: &str) -> bool {
    let name = format!("builtin:{fault}");
    summary
        .findings
        .iter()
        .any(|f| f.solver.name().split(" / ").any(|part| part.split('@').next() == Some(&name)))
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

fn next_steps(out: &mut impl Write, first: &Summary, second: Option<&Summary>) -> std::io::Result<()> {
    let folder = second.filter(|s| !s.findings.is_empty()).unwrap_or(first);
    writeln!(out, "\nTry next:")?;
    writeln!(out, "  smelt bugs {}            what was found, with numbers", folder.out)?;
    if let Some(finding) = folder.findings.first() {
        writeln!(
            out,
            "  smelt bugs {} show {}     one of them, and why it is believed",
            folder.out, finding.id
        )?;
        writeln!(out, "  smelt replay {} {}        the same test once more", finding.id, folder.out)?;
    }
    writeln!(out, "  smelt fuzz FOLDER -S z3 -S cvc5 --time 10m    your own seeds, real solvers")?;
    writeln!(out, "\nAll of it as a page, with plots and a page for each bug:")?;
    for summary in [Some(first), second].into_iter().flatten() {
        writeln!(out, "  {}", page(summary).display())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::SolverId;

    fn finding(id: &str, kind: FindingKind, evidence: Option<Evidence>) -> Finding {
        Finding {
            id: id.to_owned(),
            kind,
            solver: SolverId::new("z3", None),
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
    fn proved_bugs_come_first_and_unexamined_findings_stay_last() {
        let wrong = FindingKind::SolutionUnsound;
        let findings = vec![
            finding("open", FindingKind::Unsound, None),
            finding("vote", wrong, Some(Evidence::Vote)),
            finding("model", wrong, Some(Evidence::Model)),
            finding("crash", FindingKind::Crash, None),
            finding("not examined", wrong, Some(Evidence::Model)),
        ];
        let mut summary = Summary { findings, unexamined: 1, ..Summary::default() };
        certified_first(&mut summary);
        let order: Vec<&str> = summary.findings.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(order, ["model", "crash", "open", "vote", "not examined"]);
    }
}
