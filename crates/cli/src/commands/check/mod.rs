//! `smelt check`: runs solvers on scripts, checks models and cores, and reports wrong answers with evidence.

mod show;

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::Serialize;
use smelt_core::{Case, Claim, Class, Expectation, FindingRow, Outcome, OutcomeKind, Relation, SolverId};
use smelt_oracle::{CaseScript, Judgement};
use smelt_solvers::{Limits, Mode};
use smelt_trial::{
    Inquest, Lineup, NamedSolver, Panel, RUNS, Scrutiny, Suspicion, Trial, is_decided, is_unknown,
};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::output::{self, JsonList};
use crate::setup::{self, Config};
use crate::{inputs, units};

/// Run solvers on scripts, and report wrong answers with evidence
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script files, or folders to search for .smt2 files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Solver: z3, z3@4.8.7, builtin, "./my-z3 -x" or a name from smelt.toml; default: every solver found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Also report scripts that this older release solves, but a -S solver does not
    #[arg(long, value_name = "SOLVER")]
    regression: Vec<String>,
    /// Script whose answer determines that of FILE, because one implies the other: report solvers that solve RELATED but not FILE
    #[arg(long, value_name = "RELATED")]
    before: Option<PathBuf>,
    /// Time limit of one solver on one script
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory limit of one solver
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::size, help_heading = MORE)]
    memory: u64,
    /// Start a new process for each script instead of keeping solvers alive
    #[arg(long, help_heading = MORE)]
    fresh: bool,
    /// Make solvers check their own models, cores and proofs; a failed check is a finding
    #[arg(long)]
    self_check: bool,
    #[command(flatten)]
    config: Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// The report on one file, as other programs read it.
#[derive(Serialize)]
struct FileReport {
    file: String,
    outcomes: Vec<OutcomeReport>,
    findings: Vec<FindingRow>,
}

#[derive(Serialize)]
struct OutcomeReport {
    solver: SolverId,
    outcome: OutcomeKind,
    wall_ms: f64,
    model: &'static str,
    /// Why it said unknown, or its message where it gave no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let files = inputs::scripts(&a.files)?;
    // A file may be gone or unreadable: fail before the first solver runs.
    for file in &files {
        std::fs::File::open(file).map_err(|e| inputs::unreadable(file, &e))?;
    }
    let mut solvers = setup::solvers(&catalog, &a.solvers)?;
    if a.self_check {
        solvers = setup::self_checking(&catalog, solvers)?;
    }
    let older = solvers.len();
    if !a.regression.is_empty() {
        solvers.extend(setup::solvers(&catalog, &a.regression)?);
    }
    let asked = solvers.len();
    // The reference solver checks cores.
    solvers.extend(setup::solver(&catalog, "builtin").ok());
    let limits = Limits { memory: a.memory, ..Limits::within(a.timeout) };
    // Ctrl-C first completes a JSON document; without --json it ends the process at once.
    let stop = if a.json { Some(setup::on_interrupt()?) } else { None };
    let is_over = || stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed));
    let panel = Panel::patient(Lineup { solvers: &solvers, limits, is_over: &is_over }, setup::cores());
    let mode = if a.fresh { Mode::Fresh } else { Mode::Reuse };
    let mut check = Check { panel, mode, asked, older };
    let before = a.before.as_deref().map(inputs::read).transpose()?;
    let mut list = if a.json { Some(JsonList::begin()?) } else { None };
    let mut found = 0;
    let mut use_of = Use { answered: vec![false; asked], empty: Vec::new() };
    for file in &files {
        let source = inputs::read(file)?;
        let mut case = check.case(&source)?;
        // A trial that was stopped has no outcomes.
        if is_over() {
            break;
        }
        check.incompleteness(&mut case, &source, before.as_deref())?;
        if is_over() {
            break;
        }
        let name = file.display().to_string();
        use_of.note(&name, &source, &case.outcomes);
        let outcomes = solvers[..asked].iter().zip(&case.outcomes).enumerate();
        let findings: Vec<FindingRow> = case
            .confirmed
            .iter()
            .map(|claim| {
                found += 1;
                claim.row(found.to_string(), None, name.clone(), source.len() as u64)
            })
            .collect();
        if let Some(list) = &mut list {
            let outcomes = outcomes.map(|(i, (solver, outcome))| OutcomeReport {
                solver: solver.solver.id().clone(),
                outcome: outcome.kind,
                wall_ms: (outcome.usage.wall.as_secs_f64() * 1e5).round() / 100.0,
                model: case.model_word(i),
                reason: outcome.message.clone().filter(|_| !is_decided(outcome)),
            });
            list.push(&FileReport { file: name.clone(), outcomes: outcomes.collect(), findings })?;
        } else {
            let ids: Vec<&SolverId> = solvers[..asked].iter().map(|s| s.solver.id()).collect();
            show::file(&mut std::io::stdout().lock(), &name, &ids, &case)?;
        }
        show::asides(&mut std::io::stderr().lock(), &name, &case, a.json)?;
    }
    let is_whole = list.is_none();
    drop(list);
    if is_over() {
        return Err(Failure::internal("interrupted: files missing from the list were not checked"));
    }
    match use_of.failure(&solvers, files.len())? {
        Some(failure) if found == 0 => return Err(failure),
        Some(failure) => writeln!(std::io::stderr(), "{}", output::printable(&failure.message))?,
        None => {}
    }
    if is_whole {
        show::summary(&mut std::io::stdout().lock(), files.len(), asked, found)?;
    }
    Ok(if found > 0 { Exit::Findings } else { Exit::Ok })
}

/// Whether a check tested anything: "nothing found" would be wrong if nothing was tested.
struct Use {
    /// By solver, whether it answered a script, or had a reason for not answering: a limit, a crash, a rejection.
    answered: Vec<bool>,
    /// Files without a query, with the reason.
    empty: Vec<String>,
}

impl Use {
    fn note(&mut self, name: &str, source: &[u8], outcomes: &[Outcome]) {
        self.empty.extend(inputs::asks_nothing(source).map(|why| format!("{name} {why}")));
        for (answered, outcome) in self.answered.iter_mut().zip(outcomes) {
            *answered |= outcome.kind != OutcomeKind::Error;
        }
    }

    /// The failure of a check that tested nothing; a few files without a query only cause a message on stderr.
    fn failure(self, solvers: &[NamedSolver], files: usize) -> Result<Option<Failure>, Failure> {
        if self.empty.len() == files {
            return Ok(self.empty.into_iter().next().map(Failure::usage));
        }
        for line in &self.empty {
            writeln!(std::io::stderr(), "{}", output::printable(line))?;
        }
        for (named, _) in solvers.iter().zip(&self.answered).filter(|(_, answered)| !**answered) {
            if let Some(why) = smelt_campaign::answers_nothing(named)? {
                let message = format!("{} does not answer even an easy query: {why}", named.spec);
                return Ok(Some(Failure::usage(message)));
            }
        }
        Ok(None)
    }
}

/// Everything about one file.
struct CheckedScript {
    script: CaseScript,
    /// By solver.
    outcomes: Vec<Outcome>,
    judgement: Judgement,
    confirmed: Vec<Claim>,
    flaky: Vec<Claim>,
    /// The reasons why `unknown` is not a finding.
    no_news: Vec<String>,
}

impl CheckedScript {
    /// The truth of a solver's last model, by our evaluator.
    fn model_word(&self, who: usize) -> &'static str {
        let last = self.judgement.models[who].last().and_then(Option::as_ref);
        last.map_or("none", |report| report.truth.as_str())
    }
}

struct Check<'a> {
    panel: Panel<'a>,
    mode: Mode,
    /// Solvers before this position run the script.
    asked: usize,
    /// From this position on, solvers are only older releases for comparison.
    older: usize,
}

impl Check<'_> {
    /// Runs the trial of a script, and separates confirmed claims from the rest.
    fn case(&mut self, source: &[u8]) -> Result<CheckedScript, Failure> {
        let case = Case::open(source);
        let trial = Trial { case: &case, scrutiny: Scrutiny::Thorough };
        let judged = self.panel.hold(&trial, self.mode, |i| i < self.asked)?.unwrap_or_default();
        let mut claims = judged.judgement.claims.clone();
        claims.sort_by_key(|c| (c.kind.class() == Class::Crash, c.query));
        let (mut confirmed, mut flaky) = (Vec::new(), Vec::new());
        if !claims.is_empty() {
            let asked: Vec<&Claim> = claims.iter().collect();
            let runs = self.panel.confirm(&trial, &judged, &asked, self.patience())?.unwrap_or_default();
            for (claim, runs) in claims.into_iter().zip(runs) {
                if runs == RUNS { confirmed.push(claim) } else { flaky.push(claim) }
            }
        }
        let outcomes = judged.outcomes.into_iter().flatten().collect();
        let script = CaseScript::new(source);
        Ok(CheckedScript {
            script,
            outcomes,
            judgement: judged.judgement,
            confirmed,
            flaky,
            no_news: Vec::new(),
        })
    }

    /// Allows enough time for an answer that was in time to be repeated.
    fn patience(&self) -> Duration {
        self.panel.lineup().limits.time * 2
    }

    /// Adds missing answers: compared with an older release, or with the script of --before.
    fn incompleteness(
        &mut self,
        case: &mut CheckedScript,
        source: &[u8],
        before: Option<&[u8]>,
    ) -> Result<(), Failure> {
        let patience = Some(self.patience());
        let mut results = Vec::new();
        for accused in (0..self.older).filter(|i| is_unknown(&case.outcomes[*i])) {
            for reference in (self.older..self.asked).filter(|i| is_decided(&case.outcomes[*i])) {
                let suspicion = Suspicion { accused, reference, gave_up: true };
                results.push(self.panel.look_into_regression(suspicion, source, patience)?);
            }
            if let Some(before) = before {
                // The user claims that the answer follows.
                let (pair, same) = ((before, source), Expectation::Related(Relation::Same));
                results.push(self.panel.look_into_implication(accused, pair, same, None, patience)?);
            }
        }
        for result in results {
            match result {
                Inquest::Claim(claim) => case.confirmed.push(*claim),
                Inquest::NoNews(why) => case.no_news.push(why),
                Inquest::Nothing => {}
            }
        }
        Ok(())
    }
}
