//! `smelt check`: run scripts on solvers, compare, validate models and cores, and say who is wrong and why.

mod bench;
mod incomplete;
mod show;

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use smelt_core::{Expectation, Finding, FindingKind, Outcome, OutcomeKind, SolverId};
use smelt_oracle::{CaseScript, Claim, Judgement, SolverOutcome, Truth, family, judge, judge_core};
use smelt_solvers::{Catalog, Limits, Mode, Query, SolverSpec};

use crate::exit::{Exit, Failure};
use crate::setup::{self, Config};
use crate::{inputs, units};
use bench::Bench;

/// Run scripts on solvers, compare, validate models and cores, say who is wrong and why
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script files, or folders to search for .smt2 files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A solver: z3, z3@4.8.7, builtin, a name from smelt.toml, or a quoted command line; default: every one found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// An older release: report what it decides and a solver of -S does not
    #[arg(long, value_name = "SOLVER")]
    regression: Vec<String>,
    /// A script that implies FILE, or is implied by it: report what is decided there and not in FILE
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Time for one solver on one script
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory for one solver
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::size)]
    memory: u64,
    /// Start a process for each script instead of keeping solvers alive
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    config: Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// What is said of one file, as other programs read it.
#[derive(Serialize)]
struct FileReport {
    file: String,
    outcomes: Vec<OutcomeReport>,
    findings: Vec<Finding>,
}

#[derive(Serialize)]
struct OutcomeReport {
    solver: SolverId,
    outcome: OutcomeKind,
    wall_ms: f64,
    model: &'static str,
}

/// How often a finding must show in fresh processes.
const CONFIRMATIONS: usize = 3;

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let files = inputs::scripts(&a.files)?;
    // A folder may lose a file, and a file may be locked: better to know before the first solver runs.
    for file in &files {
        std::fs::File::open(file)
            .map_err(|e| Failure::usage(format!("cannot read {}: {e}", file.display())))?;
    }
    let mut check = Check::new(a, &catalog)?;
    let before = a.before.as_deref().map(inputs::read).transpose()?;
    let mut reports = Vec::new();
    let mut found = 0;
    for file in &files {
        let source = inputs::read(file)?;
        let mut case = check.case(&source)?;
        check.incompleteness(&mut case, &source, before.as_deref())?;
        let name = file.display().to_string();
        let outcomes = check.bench.solvers().iter().zip(&case.first.outcomes).enumerate();
        let findings: Vec<Finding> = case
            .confirmed
            .iter()
            .map(|claim| {
                found += 1;
                claim.finding(found.to_string(), None, name.clone(), source.len() as u64)
            })
            .collect();
        if a.json {
            let outcomes = outcomes.map(|(i, (solver, outcome))| OutcomeReport {
                solver: solver.id().clone(),
                outcome: outcome.kind,
                wall_ms: (outcome.usage.wall.as_secs_f64() * 1e5).round() / 100.0,
                model: case.first.model_word(i),
            });
            reports.push(FileReport { file: name.clone(), outcomes: outcomes.collect(), findings });
        } else {
            let ids: Vec<&SolverId> = check.bench.solvers().iter().map(|s| s.id()).collect();
            show::file(&mut std::io::stdout().lock(), &name, &ids, &case)?;
        }
        show::asides(&mut std::io::stderr().lock(), &name, &case, a.json)?;
    }
    if a.json {
        let text = serde_json::to_string(&reports).map_err(|e| Failure::internal(e.to_string()))?;
        std::io::Write::write_all(&mut std::io::stdout(), format!("{text}\n").as_bytes())?;
    } else {
        show::summary(&mut std::io::stdout().lock(), files.len(), check.bench.solvers().len(), found)?;
    }
    Ok(if found > 0 { Exit::Findings } else { Exit::Ok })
}

/// One run of a script on all solvers, and what the oracle says to it.
struct Round {
    outcomes: Vec<Outcome>,
    judgement: Judgement,
}

impl Round {
    /// What our evaluator says of a solver's last model.
    fn model_word(&self, who: usize) -> &'static str {
        let last = self.judgement.models[who].last().and_then(Option::as_ref);
        last.map_or("none", |report| report.truth.as_str())
    }

    /// Whether a solver's part is a proof that stays one, so that it need not be run again.
    fn is_witness(&self, who: usize) -> bool {
        let proves = self.judgement.models[who].iter().flatten().any(|r| r.truth == Truth::True);
        proves && !self.judgement.claims.iter().any(|c| c.accused.contains(&who))
    }
}

/// Everything about one file.
struct Case {
    reading: CaseScript,
    first: Round,
    confirmed: Vec<Claim>,
    flaky: Vec<Claim>,
    /// Where unknown is no news, and why.
    trivial: Vec<String>,
}

struct Check {
    bench: Bench,
    fresh: Bench,
    /// Asks about cores too, where it works.
    builtin: Option<Bench>,
    /// From this position on, solvers are there as older releases only.
    older: usize,
}

impl Check {
    fn new(a: &Arguments, catalog: &Catalog) -> Result<Check, Failure> {
        let mut solvers = setup::solvers(catalog, &a.solvers)?;
        let older = solvers.len();
        if !a.regression.is_empty() {
            solvers.extend(setup::solvers(catalog, &a.regression)?);
        }
        let limits = Limits { memory: a.memory, ..Limits::wall(a.timeout) };
        // What was decided in time should be so again.
        let patient = Limits { wall: a.timeout * 2, ..limits };
        let mode = if a.fresh { Mode::Fresh } else { Mode::Reuse };
        let builtin = catalog.resolve(&SolverSpec::Builtin(None)).ok();
        Ok(Check {
            bench: Bench::new(solvers.clone(), mode, limits),
            fresh: Bench::new(solvers, Mode::Fresh, patient),
            builtin: builtin.map(|solver| Bench::new(vec![solver], Mode::Reuse, limits)),
            older,
        })
    }

    fn case(&mut self, source: &[u8]) -> Result<Case, Failure> {
        let mut reading = CaseScript::new(source);
        let mut query = Query::new(source).with_model();
        if reading.has_names() {
            query = query.with_core();
        }
        let outcomes = self.bench.run(&query, |_| true)?;
        let outcomes = outcomes.into_iter().map(|o| o.unwrap_or_else(not_run)).collect();
        let first = round(&mut reading, &mut self.bench, &mut self.builtin, outcomes)?;
        let mut case = Case { reading, first, confirmed: Vec::new(), flaky: Vec::new(), trivial: Vec::new() };
        if !case.first.judgement.claims.is_empty() {
            self.confirm(&query, &mut case)?;
        }
        Ok(case)
    }

    /// Sorts claims into those that show in every one of some fresh runs, and the rest.
    fn confirm(&mut self, query: &Query, case: &mut Case) -> Result<(), Failure> {
        let mut standing = case.first.judgement.claims.clone();
        for _ in 0..CONFIRMATIONS {
            if standing.is_empty() {
                break;
            }
            let first = &case.first;
            let speaks = |i: usize| {
                matches!(
                    first.outcomes[i].kind,
                    OutcomeKind::Sat | OutcomeKind::Unsat | OutcomeKind::Unknown | OutcomeKind::Crash
                ) || first.judgement.claims.iter().any(|c| c.accused.contains(&i))
            };
            let again = self.fresh.run(query, |i| speaks(i) && !first.is_witness(i))?;
            let outcomes = again
                .into_iter()
                .enumerate()
                .map(|(i, o)| match o {
                    Some(outcome) => outcome,
                    None if first.is_witness(i) => first.outcomes[i].clone(),
                    None => not_run(),
                })
                .collect();
            let next = round(&mut case.reading, &mut self.fresh, &mut self.builtin, outcomes)?;
            let repeated = |c: &Claim| next.judgement.claims.iter().any(|d| c.repeats(d));
            let (kept, lost): (Vec<_>, Vec<_>) = standing.into_iter().partition(repeated);
            standing = kept;
            case.flaky.extend(lost);
        }
        case.confirmed = standing;
        Ok(())
    }
}

/// A solver that was left out of a run says nothing.
fn not_run() -> Outcome {
    Outcome::bare(OutcomeKind::Unknown, "not run")
}

/// Judges outcomes, and asks what the oracle wants to know about cores.
fn round(
    reading: &mut CaseScript,
    bench: &mut Bench,
    builtin: &mut Option<Bench>,
    outcomes: Vec<Outcome>,
) -> Result<Round, Failure> {
    let solver_outcomes: Vec<SolverOutcome<'_>> = bench
        .solvers()
        .iter()
        .zip(&outcomes)
        .map(|(solver, outcome)| SolverOutcome {
            solver: solver.id(),
            family: family(&solver.profile().name, solver.id().name()),
            outcome,
            seed: None,
        })
        .collect();
    let mut judgement = judge(reading, Expectation::None, &solver_outcomes, None);
    drop(solver_outcomes);
    for question in std::mem::take(&mut judgement.questions) {
        let query = Query::new(question.script.clone()).with_model();
        let mut claim = None;
        let said = bench.run(&query, |i| i != question.accused)?;
        for (solver, outcome) in bench.solvers().iter().zip(&said) {
            let judged = outcome.as_ref().and_then(|o| judge_core(&question, solver.id(), o));
            claim = claim.or(judged);
        }
        if let (None, Some(builtin)) = (&claim, builtin.as_mut()) {
            let said = builtin.run(&query, |_| true)?;
            let id = builtin.solvers()[0].id();
            claim = said.iter().flatten().find_map(|o| judge_core(&question, id, o));
        }
        judgement.claims.extend(claim);
    }
    judgement.claims.sort_by_key(|c| (c.kind == FindingKind::Crash, c.check));
    Ok(Round { outcomes, judgement })
}
