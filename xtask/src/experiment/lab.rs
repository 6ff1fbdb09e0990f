//! What experiments run with: the `smelt` program, solvers, seeds, repetitions, and a cache of results.
//!
//! An experiment consists of units, such as one campaign of one strategy. The result of each unit is appended to a
//! file of JSON lines as soon as it is there, so an experiment that was stopped continues with the next unit. The
//! key of a unit contains all that its result depends on, the program included.

use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::peers;

/// Settings of an experiment.
pub(crate) struct Lab {
    pub(crate) smelt: PathBuf,
    /// A hash of the program.
    program: u64,
    /// The time of the whole experiment, and of one unit if it is given.
    pub(crate) budget: Duration,
    pub(crate) each: Option<Duration>,
    pub(crate) repeat: usize,
    /// Only units with one of these texts in their names; all, if empty.
    pub(crate) only: Vec<String>,
    /// Solvers to use instead of those of the experiment.
    pub(crate) solvers: Vec<String>,
    /// Seeds to use instead of the corpus, and how many are drawn.
    pub(crate) seeds: Option<PathBuf>,
    pub(crate) sample: usize,
    /// The folder for results and for files of units.
    pub(crate) folder: PathBuf,
    results: BTreeMap<String, Value>,
    /// What the units of this page used, those of earlier runs included.
    pub(crate) spent: Spent,
}

/// The time that units took, and the load of the machine when they began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) units: usize,
    pub(crate) wall: f64,
    pub(crate) cpu: f64,
    pub(crate) loads: Vec<f64>,
}

/// What a command of smelt printed, and the CPU time of its processes in seconds, those of solvers included.
pub(crate) struct Ran {
    pub(crate) json: Value,
    pub(crate) cpu: f64,
    pub(crate) wall: f64,
}

impl Lab {
    pub(crate) fn new(smelt: PathBuf, folder: PathBuf) -> Result<Lab, String> {
        let smelt = smelt.canonicalize().map_err(|e| format!("{}: {e}", smelt.display()))?;
        fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let folder = folder.canonicalize().map_err(|e| e.to_string())?;
        let program = chance(fs::read(&smelt).map_err(|e| format!("{}: {e}", smelt.display()))?);
        adopt_orphans();
        let text = fs::read_to_string(folder.join(RESULTS)).unwrap_or_default();
        let rows = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let results = rows.filter_map(|row| Some((row["key"].as_str()?.to_owned(), row))).collect();
        Ok(Lab {
            smelt,
            program,
            budget: Duration::from_secs(60),
            each: None,
            repeat: 3,
            only: Vec::new(),
            solvers: Vec::new(),
            seeds: None,
            sample: 300,
            folder,
            results,
            spent: Spent::default(),
        })
    }

    /// The time of one unit out of this many.
    pub(crate) fn share(&self, units: usize) -> Duration {
        let share = self.budget / u32::try_from(units.max(1)).unwrap_or(u32::MAX);
        self.each.unwrap_or(share).max(Duration::from_secs(1))
    }

    /// The result of a unit, from an earlier run if there is one. `None` if it is not among those asked for.
    pub(crate) fn unit(
        &mut self,
        name: &str,
        depends_on: impl Hash,
        run: impl FnOnce(&Lab, &Path) -> Result<Value, String>,
    ) -> Result<Option<Value>, String> {
        let key = format!("{name} {:016x}", chance((self.program, &self.solvers, depends_on)));
        let row = match self.results.get(&key) {
            Some(row) => row.clone(),
            None if !self.only.is_empty() && !self.only.iter().any(|o| name.contains(o)) => return Ok(None),
            None => {
                let load = load();
                let scratch = self.folder.join("scratch");
                let _ = fs::remove_dir_all(&scratch);
                fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
                let (start, before) = (Instant::now(), cpu_of_children());
                let value = run(self, &scratch)?;
                let _ = fs::remove_dir_all(&scratch);
                let wall = start.elapsed().as_secs_f64();
                let cpu = cpu_of_children() - before;
                eprintln!("xtask: {name}: {wall:.0} s, {cpu:.0} s of CPU time");
                let row = json!({"key": key, "value": value, "wall": wall, "cpu": cpu, "load": load});
                self.store(&row)?;
                self.results.insert(key, row.clone());
                row
            }
        };
        self.spent.units += 1;
        self.spent.wall += row["wall"].as_f64().unwrap_or_default();
        self.spent.cpu += row["cpu"].as_f64().unwrap_or_default();
        self.spent.loads.extend(row["load"].as_f64());
        Ok(Some(row["value"].clone()))
    }

    fn store(&self, row: &Value) -> Result<(), String> {
        let file = self.folder.join(RESULTS);
        let mut out = OpenOptions::new().create(true).append(true).open(&file).map_err(|e| e.to_string())?;
        writeln!(out, "{row}").and_then(|()| out.flush()).map_err(|e| format!("{}: {e}", file.display()))
    }

    /// Runs smelt and reads the JSON document that it prints.
    pub(crate) fn json(&self, arguments: &[String]) -> Result<Value, String> {
        Ok(self.run(arguments, None)?.json)
    }

    /// The same, with its CPU time. A cache folder of its own hides answers of earlier runs, but not installed solvers.
    pub(crate) fn run(&self, arguments: &[String], cache: Option<&Path>) -> Result<Ran, String> {
        let text = self.output(arguments, cache)?;
        let json = serde_json::from_str(&text.0)
            .map_err(|e| format!("smelt {}: {e}\n{}", arguments.join(" "), text.0))?;
        Ok(Ran { json, cpu: text.1, wall: text.2 })
    }

    /// What smelt prints, its CPU time and its wall time.
    pub(crate) fn output(
        &self,
        arguments: &[String],
        cache: Option<&Path>,
    ) -> Result<(String, f64, f64), String> {
        let mut command = Command::new(&self.smelt);
        command.args(arguments).stdin(Stdio::null());
        if let Some(folder) = cache {
            let own = folder.join("smelt");
            fs::create_dir_all(&own).map_err(|e| e.to_string())?;
            let link = own.join("solvers");
            if let Some(releases) = peers::releases().filter(|_| !link.exists()) {
                std::os::unix::fs::symlink(releases, link).map_err(|e| e.to_string())?;
            }
            command.env("XDG_CACHE_HOME", folder);
        }
        let (start, before) = (Instant::now(), cpu_of_children());
        let out = command.output().map_err(|e| format!("{}: {e}", self.smelt.display()))?;
        reap();
        let (cpu, wall) = (cpu_of_children() - before, start.elapsed().as_secs_f64());
        match out.status.code() {
            Some(0 | 10) => Ok((String::from_utf8_lossy(&out.stdout).into_owned(), cpu, wall)),
            _ => Err(format!(
                "smelt {}: {}",
                arguments.join(" "),
                String::from_utf8_lossy(&out.stderr).trim_end().lines().last().unwrap_or_default()
            )),
        }
    }

    /// The solvers of an experiment that are installed, unless others are asked for.
    pub(crate) fn solvers(&self, usual: &[&str]) -> Result<Vec<String>, String> {
        if !self.solvers.is_empty() {
            return Ok(self.solvers.clone());
        }
        let installed = self.installed()?;
        let name = |s: &str| s.split(' ').next().unwrap_or(s).to_owned();
        Ok(usual.iter().filter(|s| installed.contains(&name(s))).map(|s| (*s).to_owned()).collect())
    }

    /// All solvers that can run here.
    pub(crate) fn installed(&self) -> Result<Vec<String>, String> {
        let list = self.json(&words(&["solvers", "list", "--json"]))?;
        let specs = list.as_array().into_iter().flatten().filter_map(|row| row["spec"].as_str());
        Ok(specs.map(str::to_owned).collect())
    }

    /// The installed releases of a solver, from old to new, and whether none is on PATH only.
    pub(crate) fn releases(&self, name: &str) -> Result<Vec<String>, String> {
        let start = format!("{name}@");
        Ok(self.installed()?.into_iter().filter(|s| s.starts_with(&start)).collect())
    }

    /// Scripts of a folder of the corpus, or of the folder that was asked for, drawn by hash.
    pub(crate) fn scripts(&self, below: &str, number: usize, draw: u64) -> Result<Vec<PathBuf>, String> {
        let folder = match &self.seeds {
            Some(folder) => folder.clone(),
            None => crate::root().join("../shared/corpus").join(below),
        };
        let mut files = Vec::new();
        collect(&folder, &mut files).map_err(|e| format!("{}: {e}", folder.display()))?;
        let place = |f: &PathBuf| f.strip_prefix(&folder).unwrap_or(f).to_owned();
        files.sort_by_cached_key(|f| chance((draw, place(f))));
        files.truncate(number);
        if files.is_empty() {
            return Err(format!("no scripts in {}", folder.display()));
        }
        Ok(files)
    }
}

/// The file of results.
const RESULTS: &str = "results.jsonl";

/// Arguments as they are passed on.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|w| (*w).to_owned()).collect()
}

/// `-S` for each solver.
pub(crate) fn with_solvers(arguments: &mut Vec<String>, solvers: &[String]) {
    arguments.extend(solvers.iter().flat_map(|s| ["-S".to_owned(), s.clone()]));
}

/// A number that looks random, and is the same for the same thing.
pub(crate) fn chance(thing: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    thing.hash(&mut hasher);
    hasher.finish()
}

/// Copies scripts into a folder, by their label.
pub(crate) fn copy_by_label(files: &[PathBuf], folder: &Path) -> Result<(), String> {
    for label in ["sat", "unsat", "unlabelled"] {
        fs::create_dir_all(folder.join(label)).map_err(|e| e.to_string())?;
    }
    for (i, file) in files.iter().enumerate() {
        let text = fs::read(file).map_err(|e| e.to_string())?;
        let to = folder.join(label(&String::from_utf8_lossy(&text)));
        fs::write(to.join(format!("{i}.smt2")), text).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The status that a script claims of itself; none if it claims several.
fn label(script: &str) -> &'static str {
    let after = |rest: &str| rest.split_whitespace().next().map(|w| w.trim_end_matches(')').to_owned());
    let claimed: BTreeSet<String> = script.split(":status").skip(1).filter_map(after).collect();
    match claimed.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sat"] => "sat",
        ["unsat"] => "unsat",
        _ => "unlabelled",
    }
}

/// All scripts below a folder.
pub(crate) fn collect(folder: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, found)?;
        } else if path.extension().is_some_and(|e| e == "smt2") {
            found.push(path);
        }
    }
    Ok(())
}

/// The load of the last minute.
fn load() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|w| w.parse().ok()).unwrap_or_default()
}

/// Makes this process the parent of processes whose parents have ended, so that their CPU time is counted.
fn adopt_orphans() {
    // SAFETY: this option of prctl takes a number and no pointers.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1_usize, 0_usize, 0_usize, 0_usize) };
}

/// Waits for the processes that a command left behind, such as the one that starts solvers.
fn reap() {
    // SAFETY: a null pointer means that the status is not wanted. No other code of xtask waits for children meanwhile.
    while unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0 {}
}

/// The CPU time of all processes that have ended, in seconds.
fn cpu_of_children() -> f64 {
    // SAFETY: `rusage` consists of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a local variable.
    unsafe { libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage) };
    let time = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 / 1e6;
    time(usage.ru_utime) + time(usage.ru_stime)
}

/// The least, the most, the mean and the standard deviation of some numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Spread {
    pub(crate) number: usize,
    pub(crate) mean: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) deviation: f64,
}

impl Spread {
    pub(crate) fn of(numbers: &[f64]) -> Spread {
        let number = numbers.len();
        if number == 0 {
            return Spread::default();
        }
        let mean = numbers.iter().sum::<f64>() / number as f64;
        let square = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (number.max(2) - 1) as f64;
        Spread {
            number,
            mean,
            least: numbers.iter().copied().fold(f64::INFINITY, f64::min),
            most: numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            deviation: if number > 1 { square.sqrt() } else { 0.0 },
        }
    }

    /// The mean with the least and the most.
    pub(crate) fn text(&self, digits: usize) -> String {
        match self.number {
            0 => "-".to_owned(),
            1 => format!("{:.digits$}", self.mean),
            _ => format!("{:.digits$} ({:.digits$} to {:.digits$})", self.mean, self.least, self.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_the_one_status_a_script_claims() {
        assert_eq!(label("(set-info :status sat)\n(check-sat)"), "sat");
        assert_eq!(label("(set-info :status  unsat )"), "unsat");
        assert_eq!(label("(set-info :status unknown)"), "unlabelled");
        assert_eq!(label("(set-info :status sat)(set-info :status unsat)"), "unlabelled");
        assert_eq!(label("(check-sat)"), "unlabelled");
    }

    #[test]
    fn the_spread_of_numbers_has_their_extremes() {
        let s = Spread::of(&[1.0, 2.0, 6.0]);
        assert_eq!((s.number, s.mean, s.least, s.most), (3, 3.0, 1.0, 6.0));
        assert!((s.deviation - 7.0_f64.sqrt()).abs() < 1e-9);
        assert_eq!((s.text(0), Spread::of(&[]).text(0)), ("3 (1 to 6)".to_owned(), "-".to_owned()));
    }
}
