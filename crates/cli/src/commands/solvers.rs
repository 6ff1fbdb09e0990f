//! `smelt solvers`: lists solvers, installs releases, and checks that solvers work with smelt.

use std::io::Write;

use smelt_core::Version;
use smelt_strategies::operator_probes;
use smelt_study::{Changed, Item};
use std::sync::atomic::Ordering::Relaxed;

use smelt_solvers::{
    Catalog, CheckResult, DoctorReport, Installed, InstalledSolver, Profiles, Releases, doctor,
};

use crate::exit::{Exit, Failure};
use crate::output::print_json;
use crate::table::{Column, Table, column};
use crate::{inputs, output, setup, style, trust, units};

/// List, install, add, compare and check solvers
#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
    #[command(flatten)]
    config: setup::GlobalConfig,
    /// Print the result as one JSON document
    #[arg(long, global = true)]
    json: bool,
}

#[derive(clap::Subcommand)]
enum Action {
    /// List every solver that can be run here
    List,
    /// Install releases from PyPI with pip
    Install {
        /// Releases, such as z3, z3@4.8.7 or z3@newest,4.8.5-4.8.17; without a version, the newest
        #[arg(required = true, value_name = "NAME[@VERSION]")]
        releases: Vec<String>,
    },
    /// Add a solver of your own to smelt.toml
    Add {
        /// Name, to use with -S
        name: String,
        /// Program, or a quoted command line
        #[arg(value_name = "PROGRAM")]
        program: String,
    },
    /// Compare two releases: operators, options and tactics, and answers that differ
    Diff {
        /// Earlier release, such as z3@5.3.0
        #[arg(value_name = "A")]
        before: String,
        /// Later release, such as z3@5.4.0
        #[arg(value_name = "B")]
        after: String,
    },
    /// Check that solvers work with smelt: answers, models, cores, sessions, limits
    Doctor {
        /// Solvers, as for -S; default: every solver found
        #[arg(value_name = "SOLVER")]
        solvers: Vec<String>,
    },
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    match &a.action {
        Action::List => list(a),
        Action::Install { releases } => install(a, releases),
        Action::Add { name, program } => add(a, name, program),
        Action::Diff { before, after } => diff(a, before, after),
        Action::Doctor { solvers } => examine(a, solvers),
    }
}

fn list(a: &Arguments) -> Result<Exit, Failure> {
    let rows = setup::catalog(a.config.file.as_deref())?.list();
    if a.json {
        print_json(&rows)?;
        return Ok(Exit::Ok);
    }
    let version = |row: &InstalledSolver| row.id.version().map_or("?".to_owned(), ToString::to_string);
    let origin = |row: &InstalledSolver| format!("{:?}", row.origin).to_lowercase();
    const COLUMNS: [Column; 5] = [
        column("SOLVER"),
        column("VERSION"),
        column("FROM"),
        column("SESSIONS").gives_way(2),
        column("PATH").gives_way(1),
    ];
    let mut table = Table::new(&COLUMNS);
    for row in &rows {
        let sessions = if row.sessions { "yes" } else { "-" };
        let path = row.path.display().to_string();
        table.row(vec![row.spec.clone(), version(row), origin(row), sessions.to_owned(), path], None);
    }
    table.write(&mut std::io::stdout().lock())?;
    Ok(Exit::Ok)
}

/// Adds a solver to `smelt.toml`, after a question that it must answer.
fn add(a: &Arguments, name: &str, program: &str) -> Result<Exit, Failure> {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
    if name.is_empty() || !name.bytes().all(is_word) {
        return Err(Failure::usage(format!("`{name}` is not a name: use letters, digits, `-` and `_`")));
    }
    let file = a.config.file.clone().unwrap_or_else(|| setup::CONFIG.into());
    let present = if file.exists() {
        String::from_utf8_lossy(&inputs::read(&file)?).into_owned()
    } else {
        String::new()
    };
    let built_in = setup::catalog_of("")?;
    // The user who adds a solver need not know the rest of the file.
    trust::check_config(built_in.zoo(), &file, &present)?;
    if Profiles::load(Some(&present))?.configured().iter().any(|known| known == name) {
        return Err(Failure::usage(format!(
            "{} already has a solver `{name}`: choose another name",
            file.display()
        )));
    }
    let mut words = shlex::split(program).unwrap_or_default();
    let first = words.first_mut().ok_or_else(|| Failure::usage("name the program"))?;
    if first.contains('/') {
        let whole =
            std::fs::canonicalize(&first).map_err(|e| Failure::usage(format!("no program {first}: {e}")))?;
        *first = whole.display().to_string();
    }
    let command: Vec<String> = words.iter().map(|word| smelt_solvers::quote(word)).collect();
    let gap = if present.is_empty() || present.ends_with("\n\n") { "" } else { "\n" };
    let command = command.join(" ");
    // What it is, by its program's name and by what it says of itself.
    let guess = setup::solver(&built_in, &command)?.solver.profile().name.clone();
    let is_known = guess == "generic" && built_in.profiles().get(name).is_some();
    let profile = if is_known { name.to_owned() } else { guess };
    let row = format!(
        "{gap}[solver.{name}]\nprofile = {}\ncommand = {}\n",
        toml_text(&profile),
        toml_text(&command)
    );
    let text = present + &row;
    let catalog = setup::catalog_of(&text)?;
    let added = setup::solver(&catalog, name)?;
    let report = doctor_answers(&added.solver)?;
    output::write(&file, &text)?;
    trust::trust_config(catalog.zoo(), &text)?;
    let document = serde_json::json!({
        "version": 1, "name": name, "solver": added.solver.id(), "profile": profile, "file": file, "answers": report.is_none(),
    });
    output::result(a.json, &document, |out| {
        writeln!(out, "{name}: {}, profile {profile}, added to {}", added.solver.id(), file.display())?;
        match &report {
            None => writeln!(out, "use it with -S {name}"),
            Some(why) => {
                writeln!(out, "it does not answer an easy query ({why}): run `smelt solvers doctor {name}`")
            }
        }
    })?;
    Ok(Exit::Ok)
}

/// Why a solver fails the first two checks of the doctor, if it does.
fn doctor_answers(solver: &smelt_solvers::Solver) -> Result<Option<String>, Failure> {
    let failed = smelt_solvers::doctor_basics(solver)?;
    Ok(failed.map(|check| output::printable(&check.detail).into_owned()))
}

/// A text as TOML writes it.
fn toml_text(text: &str) -> String {
    // JSON's escapes are TOML's.
    serde_json::Value::from(text).to_string()
}

fn install(a: &Arguments, releases: &[String]) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    // All arguments are read before the first download.
    let wanted: Vec<(&String, Releases)> =
        releases.iter().map(|text| Ok((text, text.parse()?))).collect::<Result<_, Failure>>()?;
    let mut asked = Vec::new();
    for (text, wanted) in &wanted {
        match versions_to_install(&catalog, wanted) {
            Ok(versions) => asked.extend(versions.into_iter().map(|version| {
                let name = wanted.name();
                (format!("{name}@{version}"), Ok((name, version)))
            })),
            Err(failure) => asked.push(((*text).clone(), Err(failure))),
        }
    }
    let many = asked.len() > 1;
    let (mut done, mut failed) = (Vec::new(), Vec::new());
    for (text, release) in asked {
        match release.and_then(|(name, version)| install_one(&catalog, name, &version)) {
            Ok(installed) => {
                if !a.json {
                    tell_installed(&catalog, &installed)?;
                }
                done.push(installed);
            }
            // The others may go well.
            Err(failure) if many => {
                writeln!(std::io::stderr(), "{text}: {}", output::printable(&failure.message))?;
                failed.push((text, failure.exit));
            }
            Err(failure) => return Err(failure),
        }
    }
    if a.json {
        print_json(&done)?;
    }
    let names: Vec<&str> = failed.iter().map(|f| f.0.as_str()).collect();
    match failed.first() {
        Some(&(_, exit)) => Err(Failure { exit, message: format!("not installed: {}", names.join(", ")) }),
        None => Ok(Exit::Ok),
    }
}

/// The versions to install; looks them up where the user gave no exact version.
fn versions_to_install(catalog: &Catalog, wanted: &Releases) -> Result<Vec<Version>, Failure> {
    if wanted.need_index() {
        writeln!(std::io::stderr(), "looking for releases of {} ..", wanted.name())?;
    }
    Ok(catalog.to_install(wanted)?)
}

fn install_one(catalog: &Catalog, name: &str, version: &Version) -> Result<Installed, Failure> {
    writeln!(std::io::stderr(), "installing {name}@{version} ..")?;
    Ok(catalog.install(name, version)?)
}

/// Says where a release is and how to use it: the name alone may mean a program on PATH.
fn tell_installed(catalog: &Catalog, installed: &Installed) -> Result<(), Failure> {
    let (id, name) = (&installed.id, installed.id.name());
    let how = if installed.new { "installed" } else { "already installed" };
    let mut out = std::io::stdout();
    writeln!(out, "{id}: {how} in {}", installed.folder.display())?;
    if let Ok(other) = setup::solver(catalog, name)
        && other.solver.id() != id
    {
        let newest = setup::solver(catalog, &format!("{name}@newest")).is_ok_and(|n| n.solver.id() == id);
        let or = if newest { format!(" or -S {name}@newest") } else { String::new() };
        writeln!(out, "use it with -S {id}{or}; -S {name} is {}", other.solver.id())?;
    }
    Ok(())
}

/// Compares what two releases know; exits with 10 if there is a difference, as `diff` of files exits with 1.
fn diff(a: &Arguments, before: &str, after: &str) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let pair = [setup::solver(&catalog, before)?, setup::solver(&catalog, after)?];
    let stop = setup::on_interrupt()?;
    let news = smelt_study::news(&pair, &operator_probes(), &|| stop.load(Relaxed))?;
    let nothing = news.new.is_empty() && news.gone.is_empty() && news.changed.is_empty();
    output::result(
        a.json,
        &serde_json::json!({ "version": 1, "before": before, "after": after, "news": news }),
        |out| {
            items(out, &format!("only in {after}"), &news.new)?;
            items(out, &format!("only in {before}"), &news.gone)?;
            if !news.changed.is_empty() {
                writeln!(out, "different answers:")?;
            }
            for changed in &news.changed {
                let Changed { name, theory, before: was, after: is, script } = changed;
                writeln!(out, "  {name} ({theory}): {was} in {before}, {is} in {after}")?;
                let lines =
                    script.lines().filter(|line| line.starts_with("(declare") || line.starts_with("(assert"));
                lines.into_iter().try_for_each(|line| writeln!(out, "    {}", output::printable(line)))?;
            }
            writeln!(out, "{} run on each", units::count(news.asked, "script"))
        },
    )?;
    Ok(if nothing { Exit::Ok } else { Exit::Findings })
}

/// Names that only one release has, a line for each kind of thing.
fn items(out: &mut dyn Write, title: &str, items: &[Item]) -> std::io::Result<()> {
    let mut kinds: Vec<&str> = items.iter().map(|item| &*item.what).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let of_kind = items.iter().filter(|item| item.what == kind);
        let names: Vec<String> = of_kind.map(|item| output::printable(&item.name).into_owned()).collect();
        writeln!(out, "{title}: {}: {}", units::count(names.len(), kind), names.join(" "))?;
    }
    Ok(())
}

fn examine(a: &Arguments, names: &[String]) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let names = if names.is_empty() { setup::every(&catalog)? } else { names.to_vec() };
    let solvers = setup::solvers(&catalog, &names)?;
    let mut reports: Vec<DoctorReport> = Vec::new();
    for solver in &solvers {
        writeln!(std::io::stderr(), "examining {} ..", solver.solver.id())?;
        let report = doctor(&solver.solver)?;
        if !a.json {
            print_report(&report)?;
        }
        reports.push(report);
    }
    if a.json {
        print_json(&reports)?;
    }
    let healthy = reports.iter().all(DoctorReport::healthy);
    Ok(if healthy { Exit::Ok } else { Exit::Findings })
}

fn print_report(report: &DoctorReport) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let state = match report.healthy() {
        true => style::good("healthy"),
        false => style::urgency(1, "not healthy"),
    };
    writeln!(out, "{}: {state}", report.solver)?;
    for check in &report.checks {
        let word = match check.result {
            CheckResult::Pass => "pass",
            CheckResult::Fail => "FAIL",
            CheckResult::Skip => "skip",
        };
        let detail = if check.detail.is_empty() {
            String::new()
        } else {
            format!("  {}", output::printable(&check.detail))
        };
        writeln!(out, "  {word}  {:12}  {:>6} ms{detail}", check.name, check.wall.as_millis())?;
    }
    Ok(())
}
