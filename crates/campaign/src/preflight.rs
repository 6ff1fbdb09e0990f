//! Checks solvers before a campaign: each solver runs one easy query per theory, including a model and an unsat
//! core.
//!
//! A solver that answers none of them would lead to a campaign that finds nothing and looks fine. So it ends the
//! campaign, with the solver's own message. If a solver rejects a theory, the campaign does not run it on that
//! theory.

use smelt_core::{Event, EventSink, Outcome, OutcomeKind};
use smelt_smtlib::logic::Logic;
use smelt_solvers::{Limits, Mode};
use smelt_store::{Error, ErrorKind};
use smelt_trial::{Lineup, NamedSolver, Panel, is_decided, query};
use std::time::Duration;

use crate::lab::Config;
use crate::memory::{Memory, Place};

/// An easy query.
struct Question {
    /// What it is about.
    about: &'static str,
    /// The theory that a solver lacks if it rejects this.
    theory: Logic,
    script: &'static str,
}

const QUESTIONS: [Question; 9] = [
    Question {
        about: "core",
        theory: Logic::NONE,
        script: "(set-logic QF_UF)(declare-const p Bool)(assert p)(check-sat)",
    },
    Question {
        about: "ints",
        theory: Logic { ints: true, ..Logic::NONE },
        script: "(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))(check-sat)",
    },
    Question {
        about: "reals",
        theory: Logic { reals: true, ..Logic::NONE },
        script: "(set-logic QF_LRA)(declare-const x Real)(assert (> x 1.5))(check-sat)",
    },
    Question {
        about: "bitvectors",
        theory: Logic { bitvectors: true, ..Logic::NONE },
        script: "(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (bvult x #x3))(check-sat)",
    },
    Question {
        about: "fp",
        theory: Logic { floats: true, ..Logic::NONE },
        script: "(set-logic QF_FP)(declare-const x Float32)(assert (fp.isNaN (fp.add RNE x x)))(check-sat)",
    },
    Question {
        about: "strings",
        theory: Logic { strings: true, ..Logic::NONE },
        script: "(set-logic QF_S)(declare-const x String)(assert (= (str.++ x \"a\") \"aa\"))(check-sat)",
    },
    Question {
        about: "arrays",
        theory: Logic { arrays: true, ..Logic::NONE },
        script: "(set-logic QF_AX)(declare-const a (Array Bool Bool))(assert (select a true))(check-sat)",
    },
    Question {
        about: "quantifiers",
        theory: Logic { quantifiers: true, ..Logic::NONE },
        script: "(set-logic LIA)(assert (forall ((x Int)) (> (+ x 1) x)))(check-sat)",
    },
    Question {
        about: "unsat cores",
        theory: Logic::NONE,
        script: "(set-logic QF_UF)(declare-const p Bool)(assert (! p :named a))(assert (! (not p) :named b))(check-sat)",
    },
];

/// The time limit of an important query: these queries, a confirmation, an examination. Easy formulas take
/// milliseconds; a solver that is busy for this long on one has a problem.
pub(crate) const QUERY: Duration = Duration::from_secs(5);

/// Runs the queries whose results are not cached on all solvers, and reports which ones each does not answer. Returns by solver the theories that
/// it rejects. An error if a solver gives no answer, unless the campaign uses it anyway.
pub(crate) fn preflight(
    config: &Config,
    place: Option<&Place>,
    sink: &dyn EventSink,
) -> Result<Vec<Vec<Logic>>, Error> {
    let solvers = &config.solvers;
    if config.go_on {
        return Ok(vec![Vec::new(); solvers.len()]);
    }
    let mut memory = place.map(Memory::open).transpose().unwrap_or_else(|e| {
        sink.event(&Event::note(format!("the cache is not used: {e}")));
        None
    });
    let lineup = Lineup { solvers, limits: Limits::within(QUERY), is_over: &|| false };
    let mut panel = Panel::new(lineup);
    let mut lacking = Vec::new();
    for (who, named) in solvers.iter().enumerate() {
        let mut outcomes = Vec::new();
        for Question { script, .. } in &QUESTIONS {
            let script = script.as_bytes();
            if let Some(outcome) = memory.as_ref().and_then(|m| m.known(who, script, QUERY)) {
                outcomes.push(outcome);
                continue;
            }
            let Some(outcome) = panel.ask(who, query(script, QUERY), Mode::Reuse)? else {
                return Ok(vec![Vec::new(); solvers.len()]);
            };
            if let Some(memory) = &mut memory {
                memory.keep(script, QUERY, [(who, &outcome)].into_iter());
            }
            outcomes.push(outcome);
        }
        lacking.push(examine(named, &outcomes, sink)?);
    }
    Ok(lacking)
}

/// Why a solver is of no use, if it answers no easy question.
pub fn answers_nothing(named: &NamedSolver) -> Result<Option<String>, Error> {
    let solvers = std::slice::from_ref(named);
    let mut panel = Panel::new(Lineup { solvers, limits: Limits::within(QUERY), is_over: &|| false });
    let mut outcomes = Vec::new();
    for Question { script, .. } in &QUESTIONS {
        match panel.ask(0, query(script.as_bytes(), QUERY), Mode::Reuse)? {
            Some(outcome) if is_decided(&outcome) => return Ok(None),
            outcome => outcomes.extend(outcome),
        }
    }
    Ok(Some(reason(&outcomes)))
}

/// The message of a solver without any answer. A failure is more informative than unsupported input.
fn reason(outcomes: &[Outcome]) -> String {
    let failed = |o: &&Outcome| matches!(o.kind, OutcomeKind::Error | OutcomeKind::Crash);
    let told = outcomes.iter().find(failed).or(outcomes.first());
    let text = told.map(|o| o.message.clone().unwrap_or_else(|| o.kind.to_string())).unwrap_or_default();
    text.lines().next().unwrap_or_default().to_owned()
}

/// The theories that a solver rejects, by its outcomes.
fn examine(named: &NamedSolver, outcomes: &[Outcome], sink: &dyn EventSink) -> Result<Vec<Logic>, Error> {
    let asked = || QUESTIONS.iter().zip(outcomes);
    let id = named.solver.id();
    let open: Vec<_> = asked().filter(|(_, o)| !is_decided(o)).collect();
    if open.len() == QUESTIONS.len() {
        let message = format!(
            "{id} answers none of {} easy queries: {} (run `smelt solvers doctor {}`, or use --go-on to keep it)",
            QUESTIONS.len(),
            reason(outcomes),
            named.spec
        );
        return Err(Error::new(ErrorKind::NoSolver, message));
    }
    if !open.is_empty() {
        let about: Vec<&str> = open.iter().map(|(q, _)| q.about).collect();
        let why = format!("does not answer an easy query about {}", about.join(", "));
        sink.event(&Event::Solver { name: id.to_string(), why });
    }
    let bare = |(_, o): &(&Question, &Outcome)| {
        o.kind == OutcomeKind::Sat && o.answers.iter().all(|a| a.model.is_none())
    };
    if asked().all(|pair| bare(&pair) || !is_decided(pair.1)) {
        sink.event(&Event::Solver { name: id.to_string(), why: "does not produce models".to_owned() });
    }
    let rejects = |(q, o): &(&Question, &Outcome)| o.kind == OutcomeKind::Rejected && q.theory != Logic::NONE;
    Ok(open.iter().filter(|pair| rejects(pair)).map(|(q, _)| q.theory).collect())
}
