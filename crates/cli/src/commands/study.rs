//! `smelt study`: correctness and speed of many releases over the same formulas.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_solvers::Mode;
use smelt_strategies::enumerate::{CATALOG, Params};
use smelt_study::{Baseline, Comparison, Study, StudyConfig, compare, study, within};

use crate::console::Console;
use crate::exit::{Exit, Failure};
use crate::{inputs, output, setup, units};

/// Put the same formulas to many releases: who is wrong how often, and how fast each is
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Grammars by name or file; default: the eight basic ones
    #[arg(value_name = "GRAMMAR")]
    grammars: Vec<String>,
    /// A release: z3@4.8.7, cvc5@1.4.2; with --ci the first is the one under test
    #[arg(short = 'S', long = "solver", value_name = "RELEASE", required = true)]
    solvers: Vec<String>,
    /// Formulas of each grammar: the smallest
    #[arg(short = 'n', value_name = "N", default_value_t = 1000)]
    number: u64,
    /// The index of the first formula
    #[arg(long, value_name = "INDEX", default_value_t = 0)]
    from: u64,
    /// Variables, 1 to 5
    #[arg(long, value_name = "N", default_value_t = 2)]
    vars: u32,
    /// Assertions, 1 or 2
    #[arg(long, value_name = "N", default_value_t = 1)]
    asserts: u32,
    /// The most one query may take
    #[arg(long, value_name = "DURATION", default_value = "8s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory for one solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size)]
    memory: u64,
    /// How long the study may take: what is slow gets its full limit only while there is time
    #[arg(long, value_name = "DURATION", value_parser = units::duration)]
    time: Option<Duration>,
    /// Solvers at work at a time; default: one for each core
    #[arg(short = 'j', long = "jobs", value_name = "N")]
    jobs: Option<usize>,
    /// Start a process for each query, and so measure its start too
    #[arg(long)]
    fresh: bool,
    /// The folder for tables and plots
    #[arg(long, value_name = "DIR", default_value = "smelt-study")]
    out: PathBuf,
    /// The file that keeps answers for the next study; default: in the user's cache
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// For continuous integration: as many formulas as --budget allows, held against --baseline
    #[arg(long, requires = "baseline")]
    ci: bool,
    /// The file of the baseline; made if it is not there
    #[arg(long, value_name = "FILE", requires = "ci")]
    baseline: Option<PathBuf>,
    /// How long a study with --ci may take
    #[arg(long, value_name = "DURATION", default_value = "20m", value_parser = units::duration)]
    budget: Duration,
    #[command(flatten)]
    config: setup::Config,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let names: Vec<String> = match &a.grammars[..] {
        [] => CATALOG.iter().filter(|g| g.basic).map(|g| g.name.to_owned()).collect(),
        names => names.to_vec(),
    };
    let cache = setup::cache(&catalog, a.cache.as_deref());
    let config = StudyConfig {
        grammars: names.into_iter().map(|name| (name, a.number)).collect(),
        from: a.from,
        params: Params { vars: a.vars, asserts: a.asserts },
        solvers: setup::solvers(&catalog, &a.solvers)?,
        timeout: a.timeout,
        memory: a.memory,
        time: a.time,
        jobs: a.jobs.unwrap_or_else(setup::cores).max(1),
        mode: if a.fresh { Mode::Fresh } else { Mode::Reuse },
        cache,
        keep_times: a.ci,
    };
    let stop = setup::on_interrupt()?;
    let console = Console::new(a.json);
    if let (true, Some(file)) = (a.ci, &a.baseline) {
        let baseline: Option<Baseline> = file.exists().then(|| read(file)).transpose()?;
        let found = within(&config, a.budget, baseline.as_ref(), &stop, &console)?;
        write_files(&a.out, &found)?;
        let Some(baseline) = baseline else { return make_baseline(a, file, &found) };
        // The release of the baseline, unless its program is gone or another one by now.
        let old = baseline.releases.first().and_then(|release| {
            let old = setup::solver(&catalog, &release.spec).ok()?;
            old.solver.identity().is_ok_and(|identity| identity == release.identity).then_some(old)
        });
        let verdict = compare(&config, &baseline, &found, old.as_ref(), &stop, &console)?;
        output::result(a.json, &verdict, |out| show(out, &verdict, &found))?;
        return Ok(if verdict.is_good() { Exit::Ok } else { Exit::Findings });
    }
    let found = study(&config, &stop, &console)?;
    console.clear();
    write_files(&a.out, &found)?;
    output::result(a.json, &found, |out| {
        write!(out, "{}", smelt_report::study_markdown(&found))?;
        writeln!(out, "\ntables, plots and index.html: {}", a.out.display())
    })?;
    let wrong = (0..found.releases.len()).any(|r| found.wrong(r) > 0);
    Ok(if wrong { Exit::Findings } else { Exit::Ok })
}

/// Reads a study that was written as JSON.
pub(super) fn read(file: &Path) -> Result<Study, Failure> {
    let text = inputs::read(file)?;
    serde_json::from_slice(&text).map_err(|e| Failure::usage(format!("{} is no study: {e}", file.display())))
}

/// Puts everything into a folder: `study.json`, `study.csv`, `study.md`, plots, and a page.
fn write_files(folder: &Path, found: &Study) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(found).map_err(|e| Failure::internal(e.to_string()))?;
    let mut files = vec![
        ("study.json".to_owned(), json),
        ("study.csv".to_owned(), smelt_report::study_csv(found)),
        ("study.md".to_owned(), smelt_report::study_markdown(found)),
        ("index.html".to_owned(), smelt_report::study_page(found)),
    ];
    files
        .extend(smelt_report::study_plots(found).into_iter().map(|(name, svg)| (format!("{name}.svg"), svg)));
    files.iter().try_for_each(|(name, text)| output::write(&folder.join(name), text))
}

/// Makes a study the baseline.
fn make_baseline(a: &Arguments, file: &Path, found: &Study) -> Result<Exit, Failure> {
    output::write(file, output::json(found)?)?;
    output::result(a.json, &serde_json::json!({"baseline": file, "made": true}), |out| {
        writeln!(out, "there was no baseline: this study is it now, in {}", file.display())
    })?;
    Ok(Exit::Ok)
}

/// Shows how a study compares with the baseline.
fn show(out: &mut impl Write, verdict: &Comparison, found: &Study) -> std::io::Result<()> {
    let name = found.releases.first().map_or("", |r| r.solver.as_str());
    const MOST: usize = 10;
    for (grammar, index, kind) in verdict.new_triggers.iter().take(MOST) {
        writeln!(
            out,
            "new: {kind} in {name} on formula {index} of {grammar}: `smelt enumerate {grammar} --from {index} -n 1`"
        )?;
    }
    if let Some(more) = verdict.new_triggers.len().checked_sub(MOST + 1) {
        writeln!(out, "new: {} more", more + 1)?;
    }
    for s in &verdict.slower {
        let (grammar, formulas) = (&s.grammar, s.formulas);
        if let Some(ratio) = s.ratio {
            writeln!(
                out,
                "slower: {name} takes {ratio:.2} times the CPU time on {formulas} formulas of {grammar}"
            )?;
        }
        if s.lost > 0 {
            writeln!(out, "lost: {name} solves {} fewer formulas of {grammar}", s.lost)?;
        }
    }
    if verdict.is_good() {
        writeln!(out, "nothing new: {name} is as correct and as fast as the baseline")?;
    }
    Ok(())
}
