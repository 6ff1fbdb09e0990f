//! The history of a bug: which releases of a solver are affected.

use crate::word::fixed_words;
use crate::{Crash, Evidence, Kind, OutcomeKind, SolverId};
use serde::{Deserialize, Serialize};

fixed_words! {
    /// The standing of a release.
    Standing {
        /// It shows the bug.
        Bad = "bad",
        /// It gives a right answer.
        Good = "good",
        /// It refuses the script, gives up, or nothing shows whether it is right.
        Unclear = "unclear",
        /// It was not run.
        Untested = "untested",
    }
}

fixed_words! {
    /// Why a release that fails is not called bad.
    Doubt {
        /// It was bad once, and not in another run.
        SomeRuns = "some-runs",
        /// It crashes in another way than the accused.
        AnotherCrash = "another-crash",
        /// It is wrong in the other direction: unsat, where the accused says sat, or the reverse.
        AnotherAnswer = "another-answer",
        /// It does not crash, but what it answers is wrong, or contradicts others.
        WrongAnswer = "wrong-answer",
    }
}

/// One release.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Release {
    /// Name and version.
    pub solver: SolverId,
    /// Its standing.
    pub standing: Standing,
    /// Its outcome.
    pub outcome: Option<OutcomeKind>,
    /// How long that took.
    pub wall_ms: f64,
    /// The kind of the finding.
    pub kind: Option<Kind>,
    /// The evidence.
    pub evidence: Option<Evidence>,
    /// The evidence in words, or the message it gave instead of an answer.
    pub reason: Option<String>,
    /// Why it is not called bad although it fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
    /// How it crashed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crash: Option<Crash>,
}

impl Release {
    /// A release of which only the standing is known.
    pub fn new(solver: SolverId, standing: Standing) -> Release {
        Release {
            solver,
            standing,
            outcome: None,
            wall_ms: 0.0,
            kind: None,
            evidence: None,
            reason: None,
            doubt: None,
            crash: None,
        }
    }

    /// Whether it cannot read the script, or does not support it.
    fn rejects(&self) -> bool {
        self.doubt.is_none() && matches!(self.outcome, Some(OutcomeKind::Rejected | OutcomeKind::Error))
    }

    /// Whether it crashes like another: in the same file of the source, or with the same signal.
    fn crashes_like(&self, other: &Release) -> bool {
        let file =
            |crash: &Crash| crash.site.as_ref().map(|s| s.split(':').next().unwrap_or_default().to_owned());
        match (&self.crash, &other.crash) {
            (Some(a), Some(b)) => match (file(a), file(b)) {
                (Some(a), Some(b)) => a == b,
                // Not every release prints the place of a failed check.
                _ => (a.kind, a.signal) == (b.kind, b.signal),
            },
            _ => false,
        }
    }
}

/// The releases of a solver, oldest first, and which are bad.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct History {
    /// All of them.
    pub releases: Vec<Release>,
}

/// Releases in a row that are all bad or all good; unclear ones between them do not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run<'a> {
    /// Whether they are bad.
    pub bad: bool,
    /// The oldest.
    pub first: &'a SolverId,
    /// The newest.
    pub last: &'a SolverId,
}

/// What a release is called among others: its version, or its name too if another build has that version.
pub fn release_name(releases: &[Release], id: &SolverId) -> String {
    let Some(version) = id.version() else { return id.to_string() };
    let same = releases.iter().filter(|r| r.solver.version() == Some(version)).count();
    if same > 1 { format!("{} {version}", id.name()) } else { version.to_string() }
}

impl History {
    /// Releases that crash in another way than the accused, or are wrong in the other direction, may have another bug: they are
    /// no longer called bad.
    pub fn doubt_others(&mut self, accused: &SolverId) {
        let is_accused = |r: &&Release| r.solver.is_build_of(accused);
        let Some(accused) = self.releases.iter().find(is_accused).cloned() else { return };
        let says = |r: &Release| r.kind.and_then(|kind| kind.row().said);
        for release in self.releases.iter_mut().filter(|r| r.standing == Standing::Bad) {
            let doubt = match (&accused.crash, &release.crash) {
                (Some(_), Some(_)) if !release.crashes_like(&accused) => Doubt::AnotherCrash,
                (None, None) if says(release).is_some_and(|own| says(&accused).is_some_and(|a| a != own)) => {
                    Doubt::AnotherAnswer
                }
                _ => continue,
            };
            release.standing = Standing::Unclear;
            release.doubt = Some(doubt);
        }
    }

    /// Whether no release shows one bug and is right on the other.
    pub fn agrees(&self, other: &History) -> bool {
        self.releases.iter().all(|r| {
            let other = other.releases.iter().find(|o| o.solver == r.solver);
            !matches!(
                (r.standing, other.map(|o| o.standing)),
                (Standing::Bad, Some(Standing::Good)) | (Standing::Good, Some(Standing::Bad))
            )
        })
    }

    /// The runs, oldest first.
    pub fn runs(&self) -> Vec<Run<'_>> {
        let mut runs: Vec<Run<'_>> = Vec::new();
        for release in &self.releases {
            let bad = match release.standing {
                Standing::Bad => true,
                Standing::Good => false,
                Standing::Unclear | Standing::Untested => continue,
            };
            match runs.last_mut() {
                Some(run) if run.bad == bad => run.last = &release.solver,
                _ => runs.push(Run { bad, first: &release.solver, last: &release.solver }),
            }
        }
        runs
    }

    /// Releases of one standing.
    pub fn with(&self, standing: Standing) -> impl Iterator<Item = &Release> {
        self.releases.iter().filter(move |r| r.standing == standing)
    }

    /// The oldest bad release.
    pub fn first_bad(&self) -> Option<&SolverId> {
        self.with(Standing::Bad).next().map(|r| &r.solver)
    }

    /// The newest bad release.
    pub fn last_bad(&self) -> Option<&SolverId> {
        self.with(Standing::Bad).last().map(|r| &r.solver)
    }

    /// The newest good release before the first bad one.
    pub fn last_good(&self) -> Option<&SolverId> {
        let first = self.releases.iter().position(|r| r.standing == Standing::Bad)?;
        self.releases[..first].iter().rev().find(|r| r.standing == Standing::Good).map(|r| &r.solver)
    }

    /// The oldest good release after the last bad one.
    pub fn fixed_in(&self) -> Option<&SolverId> {
        let last = self.releases.iter().rposition(|r| r.standing == Standing::Bad)?;
        self.releases[last..].iter().find(|r| r.standing == Standing::Good).map(|r| &r.solver)
    }

    /// Whether the bug appeared and disappeared at most once.
    pub fn is_monotone(&self) -> bool {
        self.runs().iter().filter(|r| r.bad).count() <= 1
    }

    /// The releases from one to another, in words; if asked, only the bad or the good ones. A range never spans two packages.
    fn range(&self, first: &SolverId, last: &SolverId, bad: Option<bool>) -> String {
        let start = self.releases.iter().position(|r| r.solver == *first).unwrap_or(0);
        let end =
            self.releases.iter().rposition(|r| r.solver == *last).map_or(self.releases.len(), |i| i + 1);
        let is_of = |r: &&Release| match bad {
            Some(true) => r.standing == Standing::Bad,
            Some(false) => r.standing == Standing::Good,
            None => true,
        };
        let mut packages: Vec<(&SolverId, &SolverId)> = Vec::new();
        for release in self.releases[..end].iter().skip(start).filter(is_of) {
            let id = &release.solver;
            match packages.iter_mut().find(|(first, _)| first.name() == id.name()) {
                Some((_, last)) => *last = id,
                None => packages.push((id, id)),
            }
        }
        let several = packages.len() > 1;
        let one = |(first, last): &(&SolverId, &SolverId)| {
            let plain = |id: &SolverId| id.version().map_or_else(|| id.to_string(), ToString::to_string);
            let full =
                |id: &SolverId| id.version().map_or_else(|| id.to_string(), |v| format!("{} {v}", id.name()));
            let [a, b] = [first, last].map(|id| release_name(&self.releases, id));
            match (first == last, several || a != plain(first) || b != plain(last)) {
                (true, false) => a,
                (true, true) => full(first),
                (false, false) => format!("{a} to {b}"),
                (false, true) => format!("{} to {}", full(first), plain(last)),
            }
        };
        packages.iter().map(one).collect::<Vec<_>>().join(" and ")
    }

    /// The affected versions in one line.
    pub fn summary(&self) -> String {
        let version = |id: &SolverId| release_name(&self.releases, id);
        let runs = self.runs();
        let span = |run: &Run<'_>| self.range(run.first, run.last, Some(run.bad));
        // Releases that reject the script say nothing about the bug.
        let judged = |r: &Release| matches!(r.standing, Standing::Bad | Standing::Good);
        let note = |releases: &[Release], none: &str| match releases {
            [] => none.to_owned(),
            [first, ..] => {
                let last = &releases[releases.len() - 1];
                let range = self.range(&first.solver, &last.solver, None);
                match (releases.iter().all(Release::rejects), releases.len()) {
                    (true, 1) => format!("{range} rejects the script"),
                    (true, _) => format!("{range} reject the script"),
                    (false, _) => format!("{range} inconclusive"),
                }
            }
        };
        let older = self.releases.iter().take_while(|r| !judged(r)).count();
        let newer = self.releases.iter().rev().take_while(|r| !judged(r)).count();
        let since = note(&self.releases[..older], "no older release tested");
        let newest = &self.releases[self.releases.len() - newer..];
        let last = note(newest, "no newer release tested");
        let open = if newest.is_empty() { String::new() } else { format!(" ({last})") };
        match &runs[..] {
            [] if self.releases.is_empty() => "no other release tested".to_owned(),
            [] => "all releases inconclusive".to_owned(),
            [run] if run.bad => match (self.releases.len(), older + newer) {
                (1, _) => format!("affects {} (no other release tested)", span(run)),
                (_, 0) => format!("affects {} (all tested releases)", span(run)),
                _ => format!("affects {} ({since}; {last})", span(run)),
            },
            [_] => "no release affected".to_owned(),
            [old, new] if old.bad => {
                format!("affects {} ({since}); fixed by {}{open}", span(old), version(new.first))
            }
            [old, new] => format!("affects {} ({last}), but not {}", span(new), span(old)),
            [before, bad, after] if bad.bad => {
                let (before, bad) = (span(before), span(bad));
                format!("affects {bad}, but not {before}; fixed by {}{open}", version(after.first))
            }
            many => {
                let parts: Vec<String> = many
                    .iter()
                    .map(|r| format!("{} {}", if r.bad { "affects" } else { "not" }, span(r)))
                    .collect();
                format!("appears and disappears: {}", parts.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CrashKind;

    fn history(words: &str) -> History {
        let releases = words.split_whitespace().enumerate().map(|(i, word)| {
            let standing = match word {
                "bad" => Standing::Bad,
                "good" => Standing::Good,
                _ => Standing::Unclear,
            };
            Release::new(SolverId::new("s", format!("1.{i}").parse().ok()), standing)
        });
        History { releases: releases.collect() }
    }

    #[test]
    fn a_release_that_crashes_in_another_way_is_not_called_bad() {
        let crash = |signal: Option<i32>, site: Option<&str>| Crash {
            kind: if site.is_some() { CrashKind::Assertion } else { CrashKind::Signal },
            signal,
            exit_code: None,
            site: site.map(str::to_owned),
            message: String::new(),
            stack: Vec::new(),
            lines: Vec::new(),
        };
        let mut history = history("bad bad bad bad good");
        let crashes = [
            crash(Some(11), None),
            crash(Some(11), None),
            crash(None, Some("a.cpp:9")),
            crash(Some(6), None),
        ];
        for (release, crash) in history.releases.iter_mut().zip(&crashes) {
            release.crash = Some(crash.clone());
        }
        let mut of_the_third = history.clone();
        history.doubt_others(&SolverId::new("s", "1.1".parse().ok()));
        let doubted = |h: &History| h.releases.iter().map(|r| r.doubt.is_some()).collect::<Vec<_>>();
        assert_eq!(doubted(&history), [false, false, true, true, false]);
        assert_eq!(history.with(Standing::Bad).count(), 2);
        // Not every release prints the place of a failed check.
        let mut placeless = of_the_third.clone();
        placeless.releases[3].crash = Some(Crash { kind: CrashKind::Assertion, ..crash(None, None) });
        placeless.doubt_others(&SolverId::new("s", "1.2".parse().ok()));
        assert_eq!(doubted(&placeless), [true, true, false, false, false]);
        // The same place has another line in another release.
        of_the_third.releases[3].crash = Some(crash(None, Some("a.cpp:12")));
        of_the_third.doubt_others(&SolverId::new("s", "1.2".parse().ok()));
        assert_eq!(doubted(&of_the_third), [true, true, false, false, false]);
        // Nothing is said if the accused did not crash this time.
        of_the_third.doubt_others(&SolverId::new("s", "1.4".parse().ok()));
        assert_eq!(of_the_third.with(Standing::Bad).count(), 2);
    }

    #[test]
    fn a_history_is_told_in_one_line() {
        for (words, line) in [
            ("", "no other release tested"),
            ("? ?", "all releases inconclusive"),
            ("good ? good", "no release affected"),
            ("bad ? bad", "affects 1.0 to 1.2 (all tested releases)"),
            ("? ? bad bad", "affects 1.2 to 1.3 (1.0 to 1.1 inconclusive; no newer release tested)"),
            ("? bad ? ?", "affects 1.1 (1.0 inconclusive; 1.2 to 1.3 inconclusive)"),
            ("good bad ?", "affects 1.1 (1.2 inconclusive), but not 1.0"),
            ("bad good good", "affects 1.0 (no older release tested); fixed by 1.1"),
            ("good ? bad bad", "affects 1.2 to 1.3 (no newer release tested), but not 1.0"),
            ("good bad good", "affects 1.1, but not 1.0; fixed by 1.2"),
            ("bad good bad", "appears and disappears: affects 1.0, not 1.1, affects 1.2"),
        ] {
            assert_eq!(history(words).summary(), line, "{words}");
        }
    }

    #[test]
    fn two_builds_of_one_version_are_told_apart_by_name() {
        let mut history = history("good bad");
        let mine = SolverId::new("mine", "1.1".parse().ok());
        history.releases.push(Release::new(mine.clone(), Standing::Good));
        assert_eq!(history.summary(), "affects s 1.1, but not 1.0; fixed by mine 1.1");
        history.releases[1].standing = Standing::Good;
        assert_eq!(history.summary(), "no release affected");
        assert!(mine.is_build_of(&mine.clone().with_options(vec!["-x".to_owned()])));
        assert!(!mine.is_build_of(&SolverId::new("s", "1.1".parse().ok())));
    }

    #[test]
    fn a_range_never_spans_two_packages() {
        let release = |name: &str, version: &str, standing| {
            Release::new(SolverId::new(name, version.parse().ok()), standing)
        };
        let bad = |name, version| release(name, version, Standing::Bad);
        let of = |releases: Vec<Release>| History { releases }.summary();
        let both = vec![bad("cvc5", "1.4.2"), bad("cvc5-gpl", "1.4.2")];
        assert_eq!(of(both), "affects cvc5 1.4.2 and cvc5-gpl 1.4.2 (all tested releases)");
        let more = vec![bad("cvc5", "1.4.0"), bad("cvc5", "1.4.1"), bad("cvc5-gpl", "1.4.2")];
        assert_eq!(of(more), "affects cvc5 1.4.0 to 1.4.1 and cvc5-gpl 1.4.2 (all tested releases)");
        let one =
            vec![bad("cvc5", "1.4.0"), bad("cvc5", "1.4.2"), release("cvc5-gpl", "1.4.2", Standing::Good)];
        assert_eq!(of(one), "affects cvc5 1.4.0 to 1.4.2 (no older release tested); fixed by cvc5-gpl 1.4.2");
    }

    #[test]
    fn releases_that_reject_the_script_are_not_called_inconclusive() {
        let mut history = history("? ? bad ?");
        history.releases[0].outcome = Some(OutcomeKind::Rejected);
        history.releases[1].outcome = Some(OutcomeKind::Rejected);
        assert_eq!(history.summary(), "affects 1.2 (1.0 to 1.1 reject the script; 1.3 inconclusive)");
        history.releases[1].outcome = Some(OutcomeKind::Unknown);
        assert_eq!(history.summary(), "affects 1.2 (1.0 to 1.1 inconclusive; 1.3 inconclusive)");
    }

    #[test]
    fn first_and_last_are_counted_over_unclear_releases() {
        let h = history("good ? bad ? bad ? good");
        let version = |id: Option<&SolverId>| id.and_then(|i| i.version()).map(ToString::to_string);
        assert_eq!(version(h.last_good()).as_deref(), Some("1.0"));
        assert_eq!(version(h.first_bad()).as_deref(), Some("1.2"));
        assert_eq!(version(h.last_bad()).as_deref(), Some("1.4"));
        assert_eq!(version(h.fixed_in()).as_deref(), Some("1.6"));
        assert!(h.is_monotone() && !history("bad good bad").is_monotone());
    }
}
