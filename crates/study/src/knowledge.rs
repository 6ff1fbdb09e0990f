//! Compares two releases: operators, commands and tactics that only one of them knows, and answers that differ.

use serde::Serialize;
use smelt_core::{Outcome, OutcomeKind};
use smelt_solvers::{Limits, Mode, Query};
use smelt_strategies::OperatorProbes;
use std::collections::BTreeSet;
use std::time::Duration;

use smelt_trial::{Error, IsOver, Lineup, NamedSolver, Panel};

/// Time for one probe: it has one operator over small values.
const PROBE: Duration = Duration::from_secs(2);

/// What the second of two releases knows that the first does not, and the other way round.
#[derive(Clone, Debug, Default, Serialize)]
pub struct News {
    /// Scripts that both were asked.
    pub asked: usize,
    /// What only the second knows.
    pub new: Vec<Item>,
    /// What only the first knows.
    pub gone: Vec<Item>,
    /// Operators for which both answer, and differently.
    pub changed: Vec<Changed>,
}

/// Something that a release knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Item {
    /// `operator`, or the name of a list of its profile, such as `tactic`.
    pub what: String,
    /// Its name.
    pub name: String,
    /// The theory of an operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theory: Option<String>,
}

/// An operator for which two releases answer differently.
#[derive(Clone, Debug, Serialize)]
pub struct Changed {
    /// Its name.
    pub name: String,
    /// Its theory.
    pub theory: String,
    /// What the first says to the script.
    pub before: OutcomeKind,
    /// What the second says to it.
    pub after: OutcomeKind,
    /// The script.
    pub script: String,
}

/// Asks two releases about all these operators, and for the lists that their profile names.
pub fn news(pair: &[NamedSolver; 2], probes: &[OperatorProbes], is_over: IsOver<'_>) -> Result<News, Error> {
    let limits = Limits::within(PROBE);
    let mut panel = Panel::on_all_cores(Lineup { solvers: pair, limits, is_over });
    let scripts: Vec<&[u8]> = probes.iter().flat_map(|p| &p.scripts).map(|s| &s[..]).collect();
    let mut outcomes: [Vec<Option<OutcomeKind>>; 2] = std::array::from_fn(|_| vec![None; scripts.len()]);
    let queues = pair.iter().map(|_| (0..scripts.len()).collect()).collect();
    let query = |&i: &usize| Query::new(scripts[i]).with_limit(PROBE);
    panel.run(Mode::Reuse, queues, query, |who, i, finished| {
        let Outcome { kind, comparable, .. } = finished.outcome;
        // A script that cannot be said in the release's dialect says that it lacks the operator.
        outcomes[who][i] = Some(if comparable { kind } else { OutcomeKind::Rejected });
        Ok(())
    })?;
    let mut news = News { asked: scripts.len(), ..News::default() };
    let mut at = 0;
    for probe in probes {
        let range = at..at + probe.scripts.len();
        at = range.end;
        let of = |who: usize| &outcomes[who][range.clone()];
        let knows = |who: usize| of(who).iter().any(|kind| kind.is_some_and(|kind| !is_refusal(kind)));
        let item = || Item {
            what: "operator".to_owned(),
            name: probe.name.clone(),
            theory: Some(probe.theory.clone()),
        };
        match (knows(0), knows(1)) {
            (false, true) => news.new.push(item()),
            (true, false) => news.gone.push(item()),
            (false, false) => {}
            (true, true) => {
                let pairs = of(0).iter().zip(of(1)).zip(&probe.scripts);
                news.changed.extend(pairs.filter_map(|((a, b), script)| {
                    let (before, after) = a.zip(*b).filter(|(a, b)| a != b)?;
                    let (name, theory) = (probe.name.clone(), probe.theory.clone());
                    let script = String::from_utf8_lossy(script).into_owned();
                    Some(Changed { name, theory, before, after, script })
                }));
            }
        }
    }
    for what in pair[0].solver.profile().lists.keys() {
        let [before, after] = [list(&mut panel, 0, what)?, list(&mut panel, 1, what)?];
        // A release that prints no list says nothing of what it knows.
        if before.is_empty() || after.is_empty() {
            continue;
        }
        let item = |name: &String| Item { what: what.clone(), name: name.clone(), theory: None };
        news.new.extend(after.difference(&before).map(item));
        news.gone.extend(before.difference(&after).map(item));
    }
    Ok(news)
}

fn is_refusal(kind: OutcomeKind) -> bool {
    matches!(kind, OutcomeKind::Rejected | OutcomeKind::Error)
}

/// A list that a release prints of itself, as its profile says.
fn list(panel: &mut Panel<'_>, who: usize, what: &str) -> Result<BTreeSet<String>, Error> {
    let named = &panel.lineup().solvers[who];
    let Some(rule) = named.solver.profile().lists.get(what) else { return Ok(BTreeSet::new()) };
    let query = Query::new(rule.ask.as_bytes()).with_limit(PROBE);
    let Some(finished) = panel.finish(who, query, Mode::Fresh)? else { return Ok(BTreeSet::new()) };
    let text = String::from_utf8_lossy(&finished.stdout).into_owned();
    let is_end = |c: char| c.is_whitespace() || c == ')';
    let name = |line: &str| {
        let line = line.strip_prefix('"').unwrap_or(line);
        line.strip_prefix(&*rule.before)?
            .split(is_end)
            .next()
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
    };
    Ok(text.lines().filter_map(name).collect())
}
