//! `--run`: runs solvers on generated formulas, and prints outcomes by category and wrong answers.

use std::io::Write;
use std::time::{Duration, Instant};

use serde::Serialize;
use smelt_core::{Case, Expectation, FindingRow};
use smelt_solvers::Limits;
use smelt_trial::grade::{Exam, Grade, Marks, grade};

use super::Common;
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::scripts::ScriptSink;
use crate::setup::{self, Config};
use crate::units;

/// The solvers that formulas are run on.
#[derive(clap::Args)]
pub(super) struct Candidates {
    /// Run solvers on the formulas and print a table of outcomes; exit code 10 if an answer is wrong
    #[arg(long)]
    run: bool,
    /// Solver: z3, z3@4.8.7, builtin, "./my-z3 -x" or a name from smelt.toml; default: every solver found
    #[arg(short = 'S', long = "solver", value_name = "SOLVER", requires = "run")]
    solvers: Vec<String>,
    /// Time limit of one solver on one formula
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = units::duration, requires = "run")]
    timeout: Duration,
    /// Memory limit of one solver
    #[arg(long, value_name = "SIZE", default_value = "4GiB", value_parser = units::size, requires = "run", help_heading = MORE)]
    memory: u64,
    /// Random seeds to start each solver with
    #[arg(long, value_name = "LIST", default_value = "0,1465", value_delimiter = ',', value_parser = units::number, requires = "run", help_heading = MORE)]
    random_seeds: Vec<u64>,
    /// Parallel workers; default: one per core
    #[arg(short = 'j', long = "jobs", value_name = "N", requires = "run", value_parser = setup::number_of_jobs)]
    jobs: Option<usize>,
    #[command(flatten)]
    config: Config,
}

impl Candidates {
    pub(super) fn is_wanted(&self) -> bool {
        self.run
    }
}

/// A formula to run.
pub(super) struct Row {
    pub(super) number: u64,
    /// What it is counted under.
    pub(super) category: String,
    /// How it was made, for people.
    pub(super) steps: String,
    pub(super) case: Case,
}

/// One line of the table.
#[derive(Serialize)]
struct Line {
    solver: String,
    random_seed: u64,
    expected: &'static str,
    category: String,
    total: usize,
    /// By grade, in the order of the table.
    grades: serde_json::Map<String, serde_json::Value>,
    /// How many formulas got another grade under another random seed.
    unstable: usize,
}

/// A confirmed finding, with how to make its formula again.
#[derive(Serialize)]
struct Found {
    #[serde(flatten)]
    finding: FindingRow,
    case: u64,
    random_seed: u64,
    /// What the formula was made to be, which is evidence besides any other.
    construction: &'static str,
    times: u64,
    reason: String,
    steps: String,
}

pub(super) fn examine(
    strategy: &str,
    options: &str,
    rows: Vec<Row>,
    common: &Common,
    a: &Candidates,
) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let solvers = setup::solvers(&catalog, &a.solvers)?;
    if a.random_seeds.is_empty() {
        return Err(Failure::usage("--random-seeds: give at least one number"));
    }
    let exam = Exam {
        solvers,
        seeds: a.random_seeds.clone(),
        limits: Limits { memory: a.memory, ..Limits::within(a.timeout) },
        jobs: setup::jobs(a.jobs),
    };
    let mut files: Vec<String> = rows.iter().map(|r| super::file_name(strategy, r.number)).collect();
    if let Some(folder) = common.folder() {
        let mut sink = ScriptSink::new(Some(folder), true)?;
        for (name, row) in files.iter().zip(&rows) {
            sink.put(name, &row.case.script)?;
        }
        files = sink.list;
    }
    let (labels, cases): (Vec<(u64, String, String)>, Vec<Case>) =
        rows.into_iter().map(|r| ((r.number, r.category, r.steps), r.case)).unzip();
    let start = Instant::now();
    let mut progress =
        Progress { done: 0, total: cases.len() * exam.solvers.len() * exam.seeds.len(), last: start };
    let marks = grade(&exam, &cases, |_| progress.one(), &|| false)?;
    let lines = table(&exam, &marks, &labels, &cases);
    let found: Vec<Found> = marks
        .failed
        .iter()
        .enumerate()
        .map(|(i, f)| {
            let bytes = cases[f.case].script.len() as u64;
            let finding =
                f.claim.row((i + 1).to_string(), Some(strategy.to_owned()), files[f.case].clone(), bytes);
            Found {
                finding,
                case: labels[f.case].0,
                random_seed: f.seed,
                construction: status(cases[f.case].expectation()),
                times: f.times,
                reason: f.claim.reason.to_string(),
                steps: labels[f.case].2.clone(),
            }
        })
        .collect();
    let seconds = start.elapsed().as_secs_f64();
    let mut out = std::io::stdout().lock();
    if common.json {
        let document = serde_json::json!({
            "strategy": strategy, "options": options, "made": cases.len(), "seconds": seconds,
            "table": lines, "findings": found, "flaky": marks.flaky, "conflicts": marks.conflicts.len(),
        });
        crate::output::print_json(&document)?;
    } else {
        show(&mut out, &lines, &found, strategy, options)?;
        writeln!(out, "{} formulas in {seconds:.0} s, {} findings", cases.len(), found.len())?;
        if marks.flaky > 0 {
            writeln!(out, "{} answers were wrong once but correct when repeated", marks.flaky)?;
        }
    }
    if let Some(&case) = marks.conflicts.first() {
        let message = format!(
            "internal error: the model of case {} contradicts its status; please report this",
            labels[case].0
        );
        return Err(Failure::internal(message));
    }
    Ok(if found.is_empty() { Exit::Ok } else { Exit::Findings })
}

fn status(expectation: Expectation) -> &'static str {
    match expectation {
        Expectation::SAT => "sat",
        Expectation::UNSAT => "unsat",
        _ => "open",
    }
}

/// One line for each solver, random seed and category.
fn table(exam: &Exam, marks: &Marks, labels: &[(u64, String, String)], cases: &[Case]) -> Vec<Line> {
    let mut categories: Vec<(&str, &'static str)> = Vec::new();
    for (label, case) in labels.iter().zip(cases) {
        let category = (&*label.1, status(case.expectation()));
        if !categories.contains(&category) {
            categories.push(category);
        }
    }
    let mut lines = Vec::new();
    for (who, label) in smelt_trial::labels(&exam.solvers).into_iter().enumerate() {
        for (s, &random_seed) in exam.seeds.iter().enumerate() {
            for (category, expected) in &categories {
                let cases: Vec<usize> = (0..labels.len()).filter(|&i| labels[i].1 == *category).collect();
                let given = |case: usize| marks.grades[who][s][case];
                let count = |grade: Grade| cases.iter().filter(|&&c| given(c) == Some(grade)).count();
                let differs = |&&case: &&usize| marks.grades[who].iter().any(|g| g[case] != given(case));
                lines.push(Line {
                    solver: label.clone(),
                    random_seed,
                    expected,
                    category: (*category).to_owned(),
                    total: cases.len(),
                    grades: Grade::ALL
                        .iter()
                        .map(|g| (g.as_str().replace(' ', "_"), count(*g).into()))
                        .collect(),
                    unstable: cases.iter().filter(differs).count(),
                });
            }
        }
    }
    lines
}

/// The short names of grades over the columns of the table.
const COLUMNS: [&str; 8] = ["IM", "IC", "LC", "S", "U", "K", "T", "E"];

fn show(
    out: &mut impl Write,
    lines: &[Line],
    found: &[Found],
    strategy: &str,
    options: &str,
) -> std::io::Result<()> {
    let mut last = (String::new(), 0);
    for line in lines {
        if last != (line.solver.clone(), line.random_seed) {
            last = (line.solver.clone(), line.random_seed);
            writeln!(out, "\n{} with random seed {}", line.solver, line.random_seed)?;
            write!(out, "  {:6} {:26} {:>7}", "", "", "total")?;
            COLUMNS.iter().try_for_each(|c| write!(out, "{c:>7}"))?;
            writeln!(out, "{:>10}", "unstable")?;
        }
        write!(out, "  {:6} {:26} {:>7}", line.expected, line.category, line.total)?;
        for grade in Grade::ALL {
            let n = line.grades.get(&grade.as_str().replace(' ', "_")).and_then(serde_json::Value::as_u64);
            write!(out, "{:>7}", n.unwrap_or(0))?;
        }
        writeln!(out, "{:>10}", line.unstable)?;
    }
    let names: Vec<String> =
        COLUMNS.iter().zip(Grade::ALL).map(|(c, g)| format!("{c} {}", g.as_str())).collect();
    writeln!(out, "\n{}\n", names.join(", "))?;
    for f in found {
        let FindingRow { kind, solver, .. } = &f.finding;
        let evidence = f.finding.evidence.map_or("", smelt_core::Evidence::as_str);
        let made = if evidence == "construction" {
            String::new()
        } else {
            format!(" and construction ({})", f.construction)
        };
        writeln!(out, "{kind} {solver}: case {}, {} times; evidence {evidence}{made}", f.case, f.times)?;
        writeln!(out, "  {}; made by {}", f.reason, f.steps)?;
        writeln!(out, "  smelt generate {} -n 1 --from {}", recipe(strategy, options), f.case)?;
    }
    Ok(())
}

/// The strategy as the command line has it.
fn recipe(strategy: &str, options: &str) -> String {
    let text = format!("{strategy}:{}", options.replace(' ', ","));
    if text.contains(['"', ';', '\\']) { format!("'{text}'") } else { text }
}

struct Progress {
    done: usize,
    total: usize,
    last: Instant,
}

impl Progress {
    fn one(&mut self) {
        self.done += 1;
        if self.last.elapsed() > Duration::from_secs(10) {
            self.last = Instant::now();
            let _ = writeln!(std::io::stderr(), "{} of {} answers", self.done, self.total);
        }
    }
}
