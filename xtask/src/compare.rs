//! `cargo xtask compare reduce`: compares smelt with ddSMT on files from bug reports that old releases get wrong.
//!
//! Both get the same file, solver, predicate and two cores, one after the other. ddSMT gets the predicate as a
//! shell script that runs the solvers; smelt gets the equivalent `--expect` or `--finding`. At the end, the script
//! checks every result.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{options, peers, root, target};

const DDSMT: &str = "2.0.6";
/// The release whose answers count as right.
const REFERENCE: &str = "z3@5.4.0";
/// Releases to search for crashes and wrong answers: the column in the table of known bugs, and smelt's name.
const RELEASES: [(&str, &str); 5] = [
    ("z3-4.8.10.0", "z3@4.8.10"),
    ("z3-4.8.7.0", "z3@4.8.7"),
    ("z3-4.8.5.0", "z3@4.8.5"),
    ("z3-4.5.1.0.post2", "z3@4.5.1.0.post2"),
    ("cvc4-1.8", "cvc4"),
];
/// The release to search for wrong models, and how many to find.
const MODELS: (&str, usize) = ("z3@4.8.5", 5);

pub(crate) struct Settings {
    /// How many triggers.
    pub(crate) triggers: usize,
    /// How long ddSMT may take for one.
    pub(crate) cap: Duration,
    /// Only smelt, for a quick look.
    pub(crate) alone: bool,
    /// Only files whose name has this in it.
    pub(crate) only: String,
    /// Another smelt than the one built here.
    pub(crate) smelt: Option<PathBuf>,
}

impl Settings {
    pub(crate) fn read(options: &[&str]) -> Option<Settings> {
        let mut settings = Settings {
            triggers: 40,
            cap: Duration::from_secs(120),
            alone: false,
            only: String::new(),
            smelt: None,
        };
        options::read(options, |name, values| {
            match name {
                "--triggers" => settings.triggers = values.parse()?,
                "--cap" => settings.cap = Duration::from_secs(values.parse()?),
                "--only" => settings.only = values.text()?,
                "--smelt" => settings.smelt = Some(values.parse()?),
                "--alone" => settings.alone = true,
                _ => return None,
            }
            Some(())
        })?;
        Some(settings)
    }
}

/// A file that a release gets wrong, and the test for it.
struct Trigger {
    file: PathBuf,
    name: String,
    solver: &'static str,
    kind: &'static str,
    /// The arguments that tell smelt what to keep.
    keep: Vec<String>,
    script: String,
}

struct Outcome {
    bytes: usize,
    wall: Duration,
    holds: bool,
    capped: bool,
    checks: String,
}

pub(crate) fn reduce(settings: &Settings) -> Result<(), String> {
    let corpus = root().join("../shared/corpus");
    if !corpus.join("known-bugs.tsv").is_file() {
        return Err("the comparison needs ../shared/corpus".to_owned());
    }
    let smelt = crate::smelt(settings.smelt.as_ref())?;
    let ddsmt = if settings.alone { None } else { Some(peers::install("ddsmt", DDSMT)?.join("ddsmt")) };
    let work = target().join("compare-reduce");
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(&work).map_err(|e| e.to_string())?;
    let triggers = triggers(&corpus, &smelt, &work, settings)?;
    println!(
        "{:<24} {:<18} {:<14} {:>6}  {:>14}  {:>14} {:>7}",
        "trigger", "solver", "kind", "bytes", "ddSMT", "smelt", "checks"
    );
    let mut rows = Vec::new();
    for (i, t) in triggers.iter().enumerate() {
        let folder = work.join(i.to_string());
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        let test = folder.join("test.sh");
        write_script(&test, &t.script)?;
        let ours = with_smelt(&smelt, t, &folder, &test, settings.cap)?;
        let theirs = match &ddsmt {
            Some(ddsmt) => Some(with_ddsmt(ddsmt, t, &folder, &test, settings.cap)?),
            None => None,
        };
        let before = fs::metadata(&t.file).map_or(0, |m| m.len());
        let shown = |o: &Outcome| {
            let mark = if !o.holds {
                "!"
            } else if o.capped {
                "+"
            } else {
                ""
            };
            format!("{} {:.1}s{mark}", o.bytes, o.wall.as_secs_f64())
        };
        println!(
            "{:<24} {:<18} {:<14} {before:>6}  {:>14}  {:>14} {:>7}",
            t.name,
            t.solver,
            t.kind,
            theirs.as_ref().map_or("-".to_owned(), shown),
            shown(&ours),
            ours.checks
        );
        rows.push((ours, theirs));
    }
    summary(&rows, settings);
    Ok(())
}

fn summary(rows: &[(Outcome, Option<Outcome>)], settings: &Settings) {
    let failed = rows.iter().filter(|(ours, _)| !ours.holds).count();
    println!("{} triggers; smelt's result fails its predicate in {failed}", rows.len());
    let both: Vec<_> = rows.iter().filter_map(|(a, b)| Some((a, b.as_ref()?))).collect();
    if both.is_empty() {
        return;
    }
    let median = |mut times: Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let smelt = median(both.iter().map(|(a, _)| a.wall.as_secs_f64()).collect());
    let ddsmt = median(both.iter().map(|(_, b)| b.wall.as_secs_f64()).collect());
    let ratio = median(both.iter().map(|(a, b)| a.wall.as_secs_f64() / b.wall.as_secs_f64()).collect());
    println!(
        "median wall time: smelt {smelt:.2} s, ddSMT {ddsmt:.2} s, ratio {:.3}; median of ratios {ratio:.3}",
        smelt / ddsmt
    );
    let smaller = both.iter().filter(|(a, b)| a.bytes <= b.bytes || !b.holds).count();
    println!(
        "smelt's result is no larger in {smaller} of {} ({:.0} %)",
        both.len(),
        100.0 * smaller as f64 / both.len() as f64
    );
    let capped = both.iter().filter(|(_, b)| b.capped).count();
    let broken = both.iter().filter(|(_, b)| !b.holds).count();
    println!(
        "ddSMT was stopped after {} s in {capped} (counted with that time and its best so far, marked +); its result fails in {broken} (marked !)",
        settings.cap.as_secs()
    );
}

fn write_script(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| e.to_string())?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).map_err(|e| e.to_string())
}

/// The command that runs a solver on a file, in sh.
fn invocation(solver: &str) -> Option<String> {
    let flags = if solver.starts_with("cvc") { " --lang smt2" } else { "" };
    Some(format!("timeout 10 {}{flags}", peers::program(solver)?))
}

/// Finds files that releases get wrong, by running them: the table only suggests files.
fn triggers(corpus: &Path, smelt: &Path, work: &Path, settings: &Settings) -> Result<Vec<Trigger>, String> {
    let table = fs::read_to_string(corpus.join("known-bugs.tsv")).map_err(|e| e.to_string())?;
    let mut lines = table.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    // By release and kind: the triggers are taken from all of them in turn.
    let mut found: BTreeMap<(&str, &str), Vec<Trigger>> = BTreeMap::new();
    let mut sat = Vec::new();
    for line in lines.filter(|l| l.contains(&settings.only)) {
        let cells: Vec<&str> = line.split('\t').collect();
        let file = corpus.join("known-bugs").join(cells[0]);
        let said =
            |column: &str| header.iter().position(|h| *h == column).and_then(|i| cells.get(i).copied());
        let right = said("z3-5.4.0.0").unwrap_or_default();
        for (column, solver) in RELEASES {
            let answer = said(column).unwrap_or_default();
            let wrong = matches!((answer, right), ("sat", "unsat") | ("unsat", "sat"));
            let trigger = match answer {
                _ if answer.contains("crash") => crash(&file, solver),
                _ if wrong && !is_dialect(smelt, &file, solver) => wrong_answer(&file, solver, answer, right),
                _ => None,
            };
            if let Some(trigger) = trigger.filter(|t| holds_by_script(t, work)) {
                found.entry((solver, trigger.kind)).or_default().push(trigger);
                break;
            }
        }
        if said("z3-4.8.5.0") == Some("sat") {
            sat.push(file);
        }
    }
    found.insert((MODELS.0, "invalid-model"), wrong_models(smelt, &sat));
    let mut chosen = Vec::new();
    while chosen.len() < settings.triggers && found.values().any(|v| !v.is_empty()) {
        for group in found.values_mut().filter(|v| !v.is_empty()) {
            chosen.push(group.remove(0));
        }
    }
    chosen.truncate(settings.triggers);
    Ok(chosen)
}

fn trigger(
    file: &Path,
    solver: &'static str,
    kind: &'static str,
    keep: &[String],
    script: String,
) -> Trigger {
    let name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    Trigger { file: file.to_owned(), name, solver, kind, keep: keep.to_vec(), script }
}

/// Whether the answers agree if each release gets the file in its own dialect: such a difference is not a bug.
fn is_dialect(smelt: &Path, file: &Path, solver: &str) -> bool {
    let mut check = Command::new(smelt);
    check.args(["check", "--json", "-S", solver, "-S", REFERENCE]).arg(file).stderr(Stdio::null());
    check.output().is_ok_and(|o| {
        let files: Value = serde_json::from_slice(&o.stdout).unwrap_or_default();
        let outcomes = files[0]["outcomes"].as_array();
        let says = |word: &str| outcomes.is_some_and(|all| all.iter().any(|o| o["outcome"] == word));
        !(says("sat") && says("unsat"))
    })
}

/// The first line a solver prints is one answer, and that of the reference another.
fn wrong_answer(file: &Path, solver: &'static str, answer: &str, right: &str) -> Option<Trigger> {
    let (solver_command, reference) = (invocation(solver)?, invocation(REFERENCE)?);
    let script = format!(
        "#!/bin/sh\n[ \"$({solver_command} \"$1\" 2>&1 | head -n 1)\" = {answer} ] || exit 1\n\
         [ \"$({reference} \"$1\" 2>&1 | head -n 1)\" = {right} ]\n"
    );
    let keep = ["--expect", &format!("{solver}={answer}"), "--expect", &format!("{REFERENCE}={right}")]
        .map(str::to_owned);
    let kind = if answer == "sat" { "said sat" } else { "said unsat" };
    Some(trigger(file, solver, kind, &keep, script))
}

/// The same exit code, and the same place in the source if the output names one.
fn crash(file: &Path, solver: &'static str) -> Option<Trigger> {
    let command = invocation(solver)?;
    let output =
        Command::new("sh").args(["-c", &format!("{command} \"$0\" 2>&1")]).arg(file).output().ok()?;
    let code = output.status.code()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let place = |word: &&str| {
        let (path, line) = word.trim_end_matches([',', ':', '.', ')']).rsplit_once(':')?;
        let source = [".cpp", ".h", ".cc"].iter().any(|end| path.ends_with(end));
        (source && line.parse::<u32>().is_ok()).then(|| format!("{path}:{line}"))
    };
    let site = text.split_whitespace().find_map(|w| place(&w));
    let grep = site.map_or(String::new(), |s| format!(" && printf '%s' \"$out\" | grep -qF '{s}'"));
    let script = format!("#!/bin/sh\nout=$({command} \"$1\" 2>&1)\n[ $? -eq {code} ]{grep}\n");
    (code != 0 && code != 124).then(|| {
        let keep = ["--expect".to_owned(), format!("{solver}=crash")];
        trigger(file, solver, "crash", &keep, script)
    })
}

/// Files for which `smelt check` calls a model wrong.
fn wrong_models(smelt: &Path, files: &[PathBuf]) -> Vec<Trigger> {
    let mut found = Vec::new();
    for file in files {
        if found.len() == MODELS.1 {
            break;
        }
        let mut check = Command::new(smelt);
        check.args(["check", "--json", "--timeout", "2s", "-S", MODELS.0]).arg(file).stderr(Stdio::null());
        let said =
            check.output().map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
        if said.contains("\"invalid-model\"") {
            let script = format!(
                "#!/bin/sh\n{} check --json --timeout 5s -S {} \"$1\" 2>/dev/null | grep -q '\"invalid-model\"'\n",
                smelt.display(),
                MODELS.0
            );
            let keep = ["-S", MODELS.0, "--finding", "invalid-model"].map(str::to_owned);
            found.push(trigger(file, MODELS.0, "invalid-model", &keep, script));
        }
    }
    found
}

fn holds_by_script(t: &Trigger, work: &Path) -> bool {
    let test = work.join("candidate.sh");
    write_script(&test, &t.script).is_ok() && holds(&test, &t.file)
}

fn holds(test: &Path, file: &Path) -> bool {
    let mut command = Command::new(test);
    command.arg(file).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

fn with_smelt(
    smelt: &Path,
    t: &Trigger,
    folder: &Path,
    test: &Path,
    cap: Duration,
) -> Result<Outcome, String> {
    let result = folder.join("smelt.smt2");
    let mut command = Command::new(smelt);
    command.arg("reduce").arg(&t.file).args(&t.keep).args(["-j", "2", "--json", "-o"]).arg(&result);
    command.args(["--time", &format!("{}s", cap.as_secs())]);
    let start = Instant::now();
    let output = command.output().map_err(|e| e.to_string())?;
    let wall = start.elapsed();
    let figures: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let checks = figures["checks"].as_u64().map_or("-".to_owned(), |n| n.to_string());
    if !output.status.success() {
        println!("{}: {}", t.name, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let bytes = fs::metadata(&result).map_or(0, |m| m.len() as usize);
    let holds = output.status.success() && holds(test, &result);
    let capped = figures["complete"] == false;
    Ok(Outcome { bytes, wall, holds, capped, checks })
}

fn with_ddsmt(
    ddsmt: &Path,
    t: &Trigger,
    folder: &Path,
    test: &Path,
    cap: Duration,
) -> Result<Outcome, String> {
    let result = folder.join("ddsmt.smt2");
    let mut command = Command::new("timeout");
    command.args(["-k", "5", "-s", "INT", &cap.as_secs().to_string()]).arg(ddsmt).args(["-j", "2"]);
    command.arg(&t.file).arg(&result).arg(test).stdout(Stdio::null()).stderr(Stdio::null());
    let start = Instant::now();
    command.status().map_err(|e| e.to_string())?;
    let wall = start.elapsed();
    // Without a result file it was stopped before it found anything smaller.
    let file = if result.is_file() { &result } else { &t.file };
    let bytes = fs::metadata(file).map_or(0, |m| m.len() as usize);
    let capped = wall >= cap;
    Ok(Outcome { bytes, wall, holds: holds(test, file), capped, checks: String::new() })
}
