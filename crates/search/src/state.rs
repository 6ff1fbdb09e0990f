//! The state of a search, saved after each generation as `evolve.json` in its folder.

use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::candidates::Candidates;
use super::coverage::Ledger;
use super::individual::Individual;
use smelt_store::{Error, ErrorKind};

/// The version of the format. Another one is refused.
const VERSION: u32 = 1;

/// A search between two generations.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct State {
    version: u32,
    /// Generations so far.
    pub generation: u64,
    /// Individuals measured so far.
    pub evaluations: u64,
    /// Solver runs so far.
    pub calls: u64,
    /// Timeouts so far that do not count, because the machine was busy.
    #[serde(default)]
    pub starved: u64,
    /// Time so far, in seconds.
    pub wall_s: f64,
    /// The population.
    pub population: Vec<Individual>,
    /// The lines covered so far.
    pub ledger: Ledger,
    /// The candidates, and the results of confirming them.
    #[serde(rename = "desk")]
    pub candidates: Candidates,
    /// The figures of each generation.
    pub history: Vec<Generation>,
}

/// One generation in figures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number.
    pub number: u64,
    /// When it ended, in seconds of the search.
    pub at_s: f64,
    /// The best time score of the population.
    pub best: f64,
    /// The mean time score of the population.
    pub mean: f64,
    /// How many individuals no other dominates.
    pub front: usize,
    /// How many individuals the target does not finish.
    pub timeouts: usize,
    /// How many lines were ever covered.
    pub lines: usize,
}

/// A generation in full, as one line of a recording.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recorded {
    /// The new individuals, in the order in which they were bred.
    pub measured: Vec<Individual>,
    /// The scripts of the population after it.
    pub population: Vec<String>,
}

impl Recorded {
    pub(crate) fn new(measured: Vec<Individual>, population: &[Individual]) -> Recorded {
        Recorded { measured, population: population.iter().map(|i| i.text.clone()).collect() }
    }

    pub(crate) fn append(&self, path: &Path) -> Result<(), Error> {
        let failed = |e| Error::io(format!("cannot write {}", path.display()), e);
        let text = serde_json::to_string(self).map_err(|e| Error::new(ErrorKind::System, e.to_string()))?;
        let mut file = fs::OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        writeln!(file, "{text}").map_err(failed)
    }

    /// The generations of a recording, the first population first.
    pub fn read(path: &Path) -> Result<Vec<Recorded>, Error> {
        let text =
            fs::read_to_string(path).map_err(|e| Error::io(format!("cannot read {}", path.display()), e))?;
        let damaged =
            |e| Error::new(ErrorKind::Damaged, format!("{} is not a recording: {e}", path.display()));
        text.lines().map(|line| serde_json::from_str(line).map_err(damaged)).collect()
    }
}

impl State {
    fn file(folder: &Path) -> PathBuf {
        folder.join("evolve.json")
    }

    /// Reads the state of the search in a folder.
    pub fn load(folder: &Path) -> Result<State, Error> {
        let path = State::file(folder);
        let text = fs::read(&path).map_err(|_| {
            let message =
                format!("no search in {}: start one with `smelt evolve --out DIR`", folder.display());
            Error::new(ErrorKind::NotFound, message)
        })?;
        let state: State = serde_json::from_slice(&text)
            .map_err(|e| Error::new(ErrorKind::Damaged, format!("{} cannot be read: {e}", path.display())))?;
        if state.version != VERSION {
            let message =
                format!("{} was written by another version of smelt: use that version", path.display());
            return Err(Error::new(ErrorKind::Version, message));
        }
        Ok(state)
    }

    /// Writes the population, and the candidates that were not confirmed, as scripts; returns the latter with their operators.
    pub(crate) fn write_scripts(&self, folder: &Path) -> Result<Vec<(String, String)>, Error> {
        let write = |name: &str, scripts: &mut dyn Iterator<Item = &str>| -> Result<Vec<String>, Error> {
            let folder = folder.join(name);
            let failed = |e| Error::io(format!("cannot write {}", folder.display()), e);
            // Those of an earlier end are other ones.
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).map_err(failed)?;
            let one = |(i, text): (usize, &str)| {
                let path = folder.join(format!("{:03}.smt2", i + 1));
                smelt_store::write_over(&path, text.as_bytes()).map_err(failed)?;
                Ok(path.display().to_string())
            };
            scripts.enumerate().map(one).collect()
        };
        write("population", &mut self.population.iter().map(|i| &*i.text))?;
        let unconfirmed = self.candidates.unconfirmed();
        let paths = write("candidates", &mut unconfirmed.iter().map(|(text, _)| *text))?;
        Ok(paths.into_iter().zip(unconfirmed).map(|(path, (_, operators))| (path, operators)).collect())
    }

    /// Writes the whole file or nothing.
    pub(crate) fn save(&mut self, folder: &Path) -> Result<(), Error> {
        self.version = VERSION;
        let path = State::file(folder);
        let failed = |e| Error::io(format!("cannot write {}", path.display()), e);
        let text = serde_json::to_vec(self).map_err(|e| Error::new(ErrorKind::System, e.to_string()))?;
        smelt_store::write_whole(&path, &text).map_err(failed)
    }
}
