//! `smelt bugs --by-fix`: counts unique bugs by the release that fixed them.
//!
//! If a release fixes at most one bug, all findings that it fixed are triggers of the same bug. This count needs no
//! reduction and no grouping, only releases: a campaign on an old release, and newer ones in the zoo.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use serde::Serialize;
use smelt_core::{Dossier, History, Kind, Severity, SolverId};

use super::Campaign;
use crate::exit::Failure;
use crate::{output, units};

/// What shows of one finding.
struct Seen<'a> {
    id: &'a str,
    solver: &'a SolverId,
    kind: Kind,
    strategy: &'a str,
    history: &'a History,
}

/// Findings with one fate.
#[derive(Debug, Default, PartialEq, Serialize)]
struct Fix {
    /// The solver, without its release.
    solver: String,
    /// The release that fixed them; `None` if they show in the newest release, or no later one is clear.
    fixed_in: Option<String>,
    /// Whether one of them is a wrong answer, model or core.
    correctness: bool,
    kinds: BTreeSet<String>,
    strategies: BTreeSet<String>,
    findings: Vec<String>,
}

/// The findings by the release that fixed them, those without one last.
fn count<'a>(findings: impl Iterator<Item = Seen<'a>>) -> Vec<Fix> {
    let mut fixes: BTreeMap<(String, bool, Option<&SolverId>), Fix> = BTreeMap::new();
    for seen in findings {
        let fixed_in = seen.history.fixed_in();
        let solver = seen.solver.name().to_owned();
        let fix = fixes.entry((solver.clone(), fixed_in.is_none(), fixed_in)).or_default();
        (fix.solver, fix.fixed_in) = (solver, fixed_in.map(ToString::to_string));
        fix.correctness |= matches!(seen.kind.row().severity, Severity::Wrong | Severity::Invalid);
        fix.kinds.insert(seen.kind.to_string());
        fix.strategies.insert(seen.strategy.to_owned());
        fix.findings.push(seen.id.to_owned());
    }
    fixes.into_values().collect()
}

pub(super) fn show(out: &mut impl Write, case: &Campaign<'_>, json: bool) -> Result<(), Failure> {
    let (mut dossiers, mut unexamined) = (Vec::new(), 0);
    for stored in case.store.stored()?.into_iter().filter(|s| !s.flaky) {
        match case.store.dossier(&stored.finding.id)? {
            Some(dossier) => dossiers.push((stored.finding, dossier)),
            None => unexamined += 1,
        }
    }
    // What was recognised as a known bug has no releases of its own.
    let bisected = |bug: &Dossier| {
        let same = dossiers.iter().filter(|(_, d)| d.identity == bug.identity).map(|(_, d)| &d.history);
        same.into_iter().find(|h| !h.releases.is_empty())
    };
    let seen = dossiers.iter().filter_map(|(finding, dossier)| {
        let own = Some(&dossier.history).filter(|h| !h.releases.is_empty());
        Some(Seen {
            id: &finding.id,
            solver: dossier.accused.first()?,
            kind: dossier.kind,
            strategy: finding.strategy.as_deref().unwrap_or("seed"),
            history: own.or_else(|| bisected(dossier)).unwrap_or(&dossier.history),
        })
    });
    let fixes = count(seen);
    let fixed: Vec<&Fix> = fixes.iter().filter(|f| f.fixed_in.is_some()).collect();
    let correctness = fixed.iter().filter(|f| f.correctness).count();
    if json {
        let document = serde_json::json!({
            "version": 1, "fixes": fixes, "unique": fixed.len(), "unique_correctness": correctness,
            "unexamined": unexamined,
        });
        writeln!(out, "{document}")?;
        return Ok(());
    }
    let join = |words: &BTreeSet<String>| words.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
    for f in &fixes {
        let fate = f
            .fixed_in
            .as_ref()
            .map_or_else(|| format!("{} not fixed", f.solver), |r| format!("fixed in {r}"));
        let findings = units::count(f.findings.len(), "finding");
        let (fate, strategies) = (output::printable(&fate), join(&f.strategies));
        writeln!(out, "  {fate:<26} {findings}: {}; by {}", join(&f.kinds), output::printable(&strategies))?;
    }
    let unique = units::count(fixed.len(), "unique bug");
    writeln!(
        out,
        "{unique} by the release that fixed it, {correctness} of them wrong answers, models or cores"
    )?;
    if unexamined > 0 {
        let left = units::count(unexamined, "finding");
        writeln!(out, "run `smelt bugs {} examine` to examine {left}", case.folder.display())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::{Release, Standing};

    fn history(standings: &[(&str, Standing)]) -> History {
        let release = |(version, standing): &(&str, Standing)| {
            Release::new(SolverId::new("z3", Some(version.parse().unwrap())), *standing)
        };
        History { releases: standings.iter().map(release).collect() }
    }

    #[test]
    fn findings_that_one_release_fixed_are_one_bug() {
        use Standing::{Bad, Good};
        let early = history(&[("4.8.5", Bad), ("4.8.7", Good), ("4.8.10", Good)]);
        let late = history(&[("4.8.5", Bad), ("4.8.7", Bad), ("4.8.10", Good)]);
        let never = history(&[("4.8.5", Good), ("4.8.7", Bad), ("4.8.10", Bad)]);
        let solver = SolverId::new("z3", Some("4.8.5".parse().unwrap()));
        let seen = |id, kind, history| Seen { id, solver: &solver, kind, strategy: "construct", history };
        let fixes = count(
            [
                seen("1", Kind::Crash, &late),
                seen("2", Kind::InvalidModel, &early),
                seen("3", Kind::Crash, &never),
                seen("4", Kind::Crash, &early),
            ]
            .into_iter(),
        );
        let rows: Vec<(Option<&str>, bool, &[String])> =
            fixes.iter().map(|f| (f.fixed_in.as_deref(), f.correctness, &f.findings[..])).collect();
        let ids = |list: &[&str]| list.iter().map(|i| (*i).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            rows,
            [
                (Some("z3@4.8.7"), true, &ids(&["2", "4"])[..]),
                (Some("z3@4.8.10"), false, &ids(&["1"])),
                (None, false, &ids(&["3"])),
            ]
        );
    }
}
