//! `smelt rules check`: refute rules by evaluation, and have solvers prove them.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use smelt_solvers::Limits;
use smelt_strategies::rules::{BUILTIN, Effort, Rule, RuleError, RuleSet, STATEMENTS, statements};

use smelt_trial::{Lineup, NamedSolver, Panel, Proof, provers};

use crate::exit::{Exit, Failure};
use crate::setup::{self, Config};
use crate::{inputs, output, units};

/// Check rules by evaluation and, with -S, by proof
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of rules; default: the built-in ones
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A solver that must prove each rule at several sorts
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Time for one solver on one proof
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = units::duration)]
    timeout: Duration,
    #[command(flatten)]
    config: Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// The report on one rule.
#[derive(Serialize)]
struct Report {
    file: String,
    rule: String,
    statement: String,
    /// The counterexample, or another flaw.
    flaw: Option<String>,
    /// How many proofs are wanted, and how many no solver found.
    wanted: usize,
    open: usize,
    /// By solver: proofs, refutations, and questions without an answer.
    proofs: Vec<Proofs>,
}

#[derive(Serialize)]
struct Proofs {
    solver: String,
    proved: usize,
    refuted: usize,
    open: usize,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let solvers = if a.solvers.is_empty() { Vec::new() } else { setup::solvers(&catalog, &a.solvers)? };
    let lanes = solvers.len().max(2);
    let all = provers(&solvers, lanes);
    let limits = Limits::within(a.timeout);
    let mut panel = Panel::with_lanes(Lineup { solvers: &all, limits, is_over: &|| false }, lanes);
    let mut texts: Vec<(String, Vec<u8>)> = Vec::new();
    for file in &a.files {
        texts.push((file.display().to_string(), inputs::read(file)?));
    }
    if texts.is_empty() {
        texts.extend(BUILTIN.iter().map(|(name, text)| (format!("built-in {name}"), text.to_vec())));
    }
    let mut reports = Vec::new();
    let mut out = std::io::stdout().lock();
    let mut files: Vec<(String, Vec<Rule>)> = Vec::new();
    for (file, text) in &texts {
        let wrong = |e: RuleError| Failure::usage(format!("{file}: {e}"));
        let rules = statements(text).map_err(wrong)?;
        // A rule with chosen variables cannot rewrite, so a file with such rules holds statements.
        if !rules.iter().any(Rule::is_chosen) {
            RuleSet::unchecked(text).map_err(wrong)?;
        }
        files.push((file.clone(), rules));
    }
    if a.files.is_empty() {
        for (name, text) in STATEMENTS {
            let rules = statements(text).map_err(|e| Failure::internal(format!("{name}: {e}")))?;
            files.push((format!("built-in {name}"), rules));
        }
    }
    for (file, rules) in &files {
        for rule in rules {
            let report = report(file, rule, &mut panel, &solvers)?;
            if !a.json && (report.is_wrong() || report.is_open()) {
                report.show(&mut out)?;
            }
            reports.push(report);
        }
    }
    let wrong = reports.iter().filter(|r| r.is_wrong()).count();
    if a.json {
        output::print_json(&reports)?;
    } else {
        let proved = |r: &&Report| r.wanted > 0 && r.open == 0;
        let proved = match solvers.is_empty() {
            false => format!(", {} proved at every sort tried", reports.iter().filter(proved).count()),
            true => String::new(),
        };
        writeln!(out, "{} checked{proved}, {wrong} wrong", units::count(reports.len(), "rule"))?;
    }
    Ok(if wrong > 0 { Exit::Usage } else { Exit::Ok })
}

fn report(
    file: &str,
    rule: &Rule,
    panel: &mut Panel<'_>,
    solvers: &[NamedSolver],
) -> Result<Report, Failure> {
    let mut proofs = Vec::new();
    let (mut wanted, mut open) = (0, 0);
    if !solvers.is_empty() {
        let scripts: Vec<String> = rule.obligations().into_iter().map(|o| o.1).collect();
        let said = panel.prove(solvers.len(), &scripts)?;
        wanted = scripts.len();
        open = said.iter().filter(|s| !s.contains(&Proof::Proved)).count();
        for (who, solver) in solvers.iter().enumerate() {
            let count = |wanted: Proof| said.iter().filter(|s| s[who] == wanted).count();
            proofs.push(Proofs {
                solver: solver.solver.id().to_string(),
                proved: count(Proof::Proved),
                refuted: count(Proof::Refuted),
                open: count(Proof::Open),
            });
        }
    }
    Ok(Report {
        file: file.to_owned(),
        rule: rule.name.clone(),
        statement: rule.statement(),
        flaw: rule.check(Effort::THOROUGH).err().map(|f| f.to_string()),
        wanted,
        open,
        proofs,
    })
}

impl Report {
    fn is_wrong(&self) -> bool {
        self.flaw.is_some() || self.proofs.iter().any(|p| p.refuted > 0)
    }

    /// Whether some obligation stayed open with every solver.
    fn is_open(&self) -> bool {
        self.open > 0
    }

    fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{}: rule {}: {}", self.file, self.rule, self.statement)?;
        if let Some(flaw) = &self.flaw {
            writeln!(out, "  {flaw}")?;
        }
        for p in &self.proofs {
            writeln!(out, "  {}: {} proved, {} refuted, {} open", p.solver, p.proved, p.refuted, p.open)?;
        }
        Ok(())
    }
}
