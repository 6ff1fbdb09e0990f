//! The counts of an audit, and the scripts that it saves.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

/// The counts of one strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Cases that were made.
    pub made: u64,
    /// Cases with a known status or relation that a solver decided.
    pub checked: u64,
    /// Cases without one, whose models were evaluated.
    pub open: u64,
    /// Cases that no solver decided in time.
    pub undecided: u64,
}

/// A contradiction: one or more families of solvers against smelt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Charge {
    /// The families; empty where smelt contradicts itself.
    pub families: Vec<String>,
    /// The identity of the bug, as the oracle sees it.
    pub fingerprint: String,
    /// The number of the case.
    pub number: u64,
    /// Strategy and options.
    pub made_by: String,
    /// Kind, evidence and reason of each claim.
    pub why: Vec<String>,
    /// The script.
    pub script: Vec<u8>,
    /// Whether it reproduced in fresh processes.
    pub confirmed: bool,
    /// How often it was seen.
    pub times: u64,
}

/// The result of an audit.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// By strategy.
    pub rows: BTreeMap<String, Row>,
    /// Contradictions by two families, and contradictions of smelt with itself: mistakes of smelt.
    pub failures: Vec<Charge>,
    /// Contradictions by one family, one for each fingerprint, with the smallest script.
    pub single: BTreeMap<String, Charge>,
    /// Contradictions by one family that did not reproduce.
    pub flaky: u64,
    /// Queries run on solvers.
    pub queries: u64,
}

impl Tally {
    /// Notes a contradiction by one family.
    pub fn note(&mut self, charge: Charge) {
        match self.single.get_mut(&charge.fingerprint) {
            Some(known) => {
                known.times += 1;
                if charge.script.len() < known.script.len() {
                    *known = Charge { times: known.times, ..charge };
                }
            }
            None => drop(self.single.insert(charge.fingerprint.clone(), charge)),
        }
    }

    /// The number of cases that were made.
    pub fn made(&self) -> u64 {
        self.rows.values().map(|r| r.made).sum()
    }

    /// As a table with all contradictions.
    pub fn text(&self) -> String {
        let mut out =
            format!("{:<12}{:>9}{:>9}{:>9}{:>11}\n", "strategy", "made", "checked", "open", "undecided");
        let mut all = Row::default();
        let mut line = |name: &str, row: &Row| {
            let Row { made, checked, open, undecided } = row;
            let _ = writeln!(out, "{name:<12}{made:>9}{checked:>9}{open:>9}{undecided:>11}");
        };
        for (name, row) in &self.rows {
            line(name, row);
            all.made += row.made;
            all.checked += row.checked;
            all.open += row.open;
            all.undecided += row.undecided;
        }
        line("all", &all);
        let single: u64 = self.single.values().map(|c| c.times).sum();
        let _ = writeln!(
            out,
            "{} queries; {} contradictions by two families or by smelt itself; {single} by one family, of {} kinds; {} did not repeat",
            self.queries,
            self.failures.len(),
            self.single.len(),
            self.flaky
        );
        for charge in self.failures.iter().chain(self.single.values()) {
            let _ = writeln!(out, "{}", charge.line());
        }
        out
    }

    /// Writes the scripts of all contradictions into a folder, each with what is known of it in comments.
    pub fn save(&self, folder: &Path) -> std::io::Result<()> {
        let failures = self.failures.iter().map(|c| ("failures", c));
        for (name, charge) in failures.chain(self.single.values().map(|c| ("single", c))) {
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder)?;
            let mut text = format!("; {}\n", charge.line().replace('\n', "\n; ")).into_bytes();
            text.extend(&charge.script);
            std::fs::write(folder.join(format!("{:08}.smt2", charge.number)), text)?;
        }
        Ok(())
    }
}

impl Charge {
    fn line(&self) -> String {
        let who = if self.families.is_empty() { "smelt".to_owned() } else { self.families.join("+") };
        let mut line = format!("{who}: case {} ({}), {} times", self.number, self.made_by, self.times);
        for why in &self.why {
            let _ = write!(line, "\n    {}", why.lines().collect::<Vec<_>>().join(" "));
        }
        line
    }
}
