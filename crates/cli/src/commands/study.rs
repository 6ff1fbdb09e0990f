//! `smelt study`: compares the correctness and the speed of releases on the same formulas.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use smelt_core::OutcomeKind;
use smelt_solvers::Mode;
use smelt_strategies::enumerate::{CATALOG, Index, Params};
use smelt_study::{
    Baseline, Cell, Comparison, FormulaIndex, Size, Study, StudyConfig, compare, formula_counts, study,
    within,
};

use crate::console::{Console, Watch};
use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::{inputs, output, setup, units};

/// Compare releases on the same formulas: wrong answers and speed
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Grammars, by name or file; default: core, ints, reals, realints, bitvectors, arrays, fp and strings
    #[arg(value_name = "GRAMMAR")]
    grammars: Vec<String>,
    /// Release, such as z3@4.8.7; with --ci, the first one is under test
    #[arg(short = 'S', long = "solver", value_name = "RELEASE", required = true)]
    solvers: Vec<String>,
    /// Number of formulas per grammar, smallest first; default: 1000, with --ci as many as --time allows
    #[arg(short = 'n', long = "number", value_name = "N", value_parser = units::positive::<u64>)]
    number: Option<u64>,
    /// Index of the first formula; may be large, such as 10^1700
    #[arg(long, value_name = "INDEX", default_value = "0", value_parser = super::enumerate::index, help_heading = MORE)]
    from: Index,
    /// Measure each answer this often and use the median
    #[arg(long, value_name = "N", default_value = "1", value_parser = units::positive::<u32>, help_heading = MORE)]
    repeat: u32,
    /// Number of variables, 1 to 5
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::up_to::<5>, help_heading = MORE)]
    vars: u32,
    /// Number of assertions, 1 or 2
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::up_to::<2>, help_heading = MORE)]
    asserts: u32,
    /// Time limit of one solver on one formula
    #[arg(long, value_name = "DURATION", default_value = "8s", value_parser = units::duration)]
    timeout: Duration,
    /// Memory limit of one solver
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = units::size, help_heading = MORE)]
    memory: u64,
    /// Target time; later formulas get a short limit; default with --ci: 20m
    #[arg(long, value_name = "DURATION", alias = "budget", value_parser = units::duration)]
    time: Option<Duration>,
    #[command(flatten)]
    jobs: setup::Jobs,
    /// Start a new process for each query; times then include its start
    #[arg(long, help_heading = MORE)]
    fresh: bool,
    /// Folder for tables and plots
    #[arg(short = 'o', long, value_name = "DIR", default_value = "smelt-study")]
    out: PathBuf,
    /// File that caches solver answers; default: in the user's cache folder
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    cache: Option<PathBuf>,
    /// Cache answers in a database, postgres://..#NAME: machines that run the same command share the work
    #[arg(long, value_name = "URL", conflicts_with_all = ["cache", "ci"], help_heading = MORE)]
    store: Option<PathBuf>,
    /// For continuous integration: run as many formulas as --time allows, and compare with --baseline
    #[arg(long, requires = "baseline")]
    ci: bool,
    /// Baseline file; created if missing
    #[arg(long, value_name = "FILE", requires = "ci")]
    baseline: Option<PathBuf>,
    #[command(flatten)]
    config: setup::Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    watch: Watch,
}

/// How many formulas of each grammar a study has, if neither -n nor --ci says it.
const NUMBER: u64 = 1000;

/// How long a study with --ci may take, if --time does not say it.
const BUDGET: Duration = Duration::from_secs(20 * 60);

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let names: Vec<String> = match &a.grammars[..] {
        [] => CATALOG.iter().filter(|g| g.basic).map(|g| g.name.to_owned()).collect(),
        names => names.to_vec(),
    };
    let cache = setup::cache(&catalog, a.cache.as_deref());
    let config = StudyConfig {
        grammars: names.into_iter().map(|name| (name, a.number.unwrap_or(NUMBER))).collect(),
        from: FormulaIndex(a.from.clone()),
        repeat: a.repeat,
        params: Params { vars: a.vars, asserts: a.asserts },
        solvers: setup::solvers(&catalog, &a.solvers)?,
        timeout: a.timeout,
        memory: a.memory,
        time: a.time,
        jobs: a.jobs.count(),
        mode: if a.fresh { Mode::Fresh } else { Mode::Reuse },
        cache,
        store: a.store.clone(),
        keep_times: a.ci,
    };
    let stop = setup::on_interrupt()?;
    let title = format!("smelt study  {}  in {}", a.solvers.join(" "), a.out.display());
    let console = Console::watch(a.json, a.watch, &title, &stop);
    if let (true, Some(file)) = (a.ci, &a.baseline) {
        let baseline: Option<Baseline> = file.exists().then(|| read(file)).transpose()?;
        if let Some(baseline) = &baseline {
            same_formulas(a, &config, file, baseline)?;
        }
        let size = match &baseline {
            Some(baseline) => Size::Of(baseline),
            None if a.number.is_some() => Size::Given,
            None => Size::Affordable,
        };
        let found = within(&config, a.time.unwrap_or(BUDGET), size, &stop, &console)?;
        write_files(&a.out, &found)?;
        if let Some(why) = silent(&found) {
            return Err(Failure::usage(why));
        }
        let Some(baseline) = baseline else { return make_baseline(a, file, &found, &console) };
        // The release of the baseline, unless its program is gone or another one by now.
        let old = baseline.releases.first().and_then(|release| {
            // The file may come from someone else.
            let spec = Some(&release.spec).filter(|spec| crate::trust::is_trusted(&catalog, spec))?;
            let old = setup::solver(&catalog, spec).ok()?;
            old.solver.identity().is_ok_and(|identity| identity == release.identity).then_some(old)
        });
        let verdict = compare(&config, &baseline, &found, old.as_ref(), &stop, &console)?;
        console.result(a.json, &verdict, |out| show(out, &verdict, &found))?;
        return Ok(if verdict.is_good() { Exit::Ok } else { Exit::Findings });
    }
    let found = study(&config, &stop, &console)?;
    console.clear();
    write_files(&a.out, &found)?;
    console.result(a.json, &found, |out| {
        write!(out, "{}", smelt_report::study_markdown(&found))?;
        writeln!(out, "\ntables, plots and index.html: {}", a.out.display())
    })?;
    let wrong = (0..found.releases.len()).any(|r| found.wrong(r) > 0);
    match silent(&found) {
        _ if wrong => Ok(Exit::Findings),
        Some(why) => Err(Failure::usage(why)),
        None => Ok(Exit::Ok),
    }
}

/// Fails if the formulas that were asked for are not those of the baseline: a study of others cannot be compared with it.
fn same_formulas(
    a: &Arguments,
    config: &StudyConfig,
    file: &Path,
    baseline: &Baseline,
) -> Result<(), Failure> {
    let counts = |grammars: &[(String, u64)]| {
        let named = |(name, n): &(String, u64)| format!("{n} of {name}");
        grammars.iter().map(named).collect::<Vec<_>>().join(", ")
    };
    let names = |grammars: &[(String, u64)]| grammars.iter().map(|g| g.0.clone()).collect::<Vec<_>>();
    let mut asked = config.clone();
    if a.grammars.is_empty() {
        asked.grammars = baseline.grammars.iter().map(|g| (g.0.clone(), a.number.unwrap_or(g.1))).collect();
    }
    let same_shape = (a.vars, a.asserts, &config.from) == (baseline.vars, baseline.asserts, &baseline.from);
    let same_names = || names(&asked.grammars) == names(&baseline.grammars);
    let same_numbers = || a.number.is_none() || formula_counts(&asked).is_ok_and(|n| n == baseline.grammars);
    if same_shape && same_names() && same_numbers() {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{} is a baseline for other formulas ({}; --vars {} --asserts {} --from {}): use these options, or another --baseline file",
        file.display(),
        counts(&baseline.grammars),
        baseline.vars,
        baseline.asserts,
        baseline.from,
    )))
}

/// Says that a release answered no formula, if one did not: nothing is known of it.
fn silent(found: &Study) -> Option<String> {
    let is_answer = |kind: &&OutcomeKind| kind.verdict().is_some();
    let words: Vec<&str> = OutcomeKind::ALL.iter().filter(is_answer).map(|kind| kind.as_str()).collect();
    let answers = |cells: &Vec<Cell>| {
        cells.iter().any(|c| c.outcomes.keys().any(|word| words.contains(&word.as_str())))
    };
    let (release, cells) = found.releases.iter().zip(&found.cells).find(|(_, cells)| !answers(cells))?;
    let spec = &release.spec;
    Some(match cells.iter().flat_map(|c| &c.outcomes).max_by_key(|(_, n)| **n) {
        None => format!("no time was left to run {spec}: increase --time"),
        Some((most, _)) => {
            format!("{spec} answered none of the formulas ({most}): run `smelt solvers doctor {spec}`")
        }
    })
}

/// Reads a study that was written as JSON.
pub(super) fn read(file: &Path) -> Result<Study, Failure> {
    let text = inputs::read(file)?;
    serde_json::from_slice(&text)
        .map_err(|e| Failure::usage(format!("{} is not a study: {e}", file.display())))
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
fn make_baseline(a: &Arguments, file: &Path, found: &Study, console: &Console) -> Result<Exit, Failure> {
    output::write(file, output::json(found)?)?;
    console.result(a.json, &serde_json::json!({"baseline": file, "made": true}), |out| {
        writeln!(out, "no baseline yet: saved this study as the baseline, {}", file.display())
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
                "slower: {name} needs {ratio:.2} times the CPU time on {formulas} formulas of {grammar}"
            )?;
        }
        if s.lost > 0 {
            writeln!(out, "incomplete: {name} solves {} fewer formulas of {grammar}", s.lost)?;
        }
    }
    if verdict.is_good() {
        writeln!(out, "no difference: {name} is as correct and as fast as the baseline")?;
    }
    Ok(())
}
