//! Checks optima. Three conditions must hold: the reported value is the value of the objective in the solver's own
//! model, no assignment is better, and some assignment reaches the value. The evaluator decides. The built-in
//! solver searches for an assignment first, and other solvers run only if it finds none. Intervals and infinite
//! values cannot be refuted by an assignment and are not checked.

use smelt_core::{
    Accused, Asked, Cause, Claim, Evidence, Kind, OptimumFlaw, Outcome, OutcomeKind, Reason, SolverId,
    Verdict,
};
use smelt_semantics::Evaluator;
use smelt_semantics::exhaust::exhaust;
use smelt_semantics::goal::Goal;
use smelt_semantics::model::Model;
use smelt_semantics::optimum::{
    Bound, Objective, Priority, forgets, number, objectives, read_bounds, refutations,
};
use smelt_smtlib::Term;
use smelt_smtlib::script::{Command, Script};

use super::search::{Found, declarations, found, holding, only_asks, question, read_term};
use super::{Open, Wrong, assignment, settled};
use crate::case_script::CaseScript;
use crate::judge::SolverOutcome;
use crate::question::{About, Question};
use crate::steps::shortened;

/// The step limit of the search for a better assignment: a failed search must cost less than a short solver call.
const STEPS: u64 = 30_000;

/// At most this many assignments are evaluated to show that none reaches a value.
const MAX_ASSIGNMENTS: usize = 1 << 14;

/// The optima that one solver reports after a `check-sat`.
struct Report {
    check: usize,
    priority: Priority,
    objectives: Vec<Objective>,
    bounds: Vec<Bound>,
    /// The question of the `check-sat`.
    goal: Goal,
    /// Its declarations and assertions, as text.
    text: Vec<u8>,
}

/// Optima that may be wrong; an answer to the script shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// For each way in which an optimum can be refuted: the objective, the value reported, and the condition.
    ways: Vec<Way>,
    /// Whether the script asks for an assignment that reaches an optimum.
    reaching: bool,
    cause: Cause,
    theory: String,
}

impl Doubt {
    pub(crate) fn is_about_reaching(&self) -> bool {
        self.reaching
    }
}

/// How one optimum can be refuted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Way {
    objective: Objective,
    given: String,
    condition: String,
}

impl Way {
    fn reason(&self, flaw: OptimumFlaw) -> Reason {
        Reason::Optimum {
            objective: shortened(self.objective.about.clone()),
            given: self.given.clone(),
            flaw,
        }
    }
}

/// The wrong optima of one solver, and questions about others.
pub(super) fn check(script: &mut CaseScript, by: &SolverOutcome<'_>) -> (Vec<Wrong>, Vec<Open>) {
    let (mut wrong, mut doubts) = (Vec::new(), Vec::new());
    for reply in by.outcome.replies.iter().filter(|r| r.to == Asked::Objectives) {
        let Some(report) = report(script, by.outcome, reply.index, &reply.text) else { continue };
        let found = missed(script, by.outcome, &report)
            .map_or_else(|| search(script, &report, &mut doubts), |reason| Some((reason, Evidence::Model)));
        let Some((reason, evidence)) = found else { continue };
        let cause = cause(script, report.check);
        wrong.push(Wrong {
            kind: Kind::WrongOptimum,
            check: Some(report.check),
            evidence: Some(evidence),
            reason,
            cause,
        });
    }
    (wrong, doubts)
}

fn cause(script: &CaseScript, check: usize) -> Cause {
    Cause::Unreduced(script.operators_hash(check))
}

/// What a reply reports, if all of it is understood.
fn report(script: &CaseScript, outcome: &Outcome, index: usize, reply: &str) -> Option<Report> {
    let arena = &script.arena;
    let (position, _) = script.query(Asked::Objectives, index)?;
    let check = script.check_before(position)?;
    let answer = outcome.answers.get(check)?;
    let start = script.check_position(check)?;
    let between = &script.script.commands[start + 1..position];
    let only_asks = only_asks(script, between);
    let before = &script.script.commands[..start];
    let is_sat = answer.verdict == Some(Verdict::Sat) && answer.error.is_none();
    if !is_sat || !only_asks || forgets(&script.script.commands) {
        return None;
    }
    let priority = Priority::of_script(arena, before)?;
    if priority == Priority::Pareto && script.checks() > 1 {
        return None;
    }
    let goal = script.goal(check);
    let objectives = objectives(arena, &goal.context)?;
    let bounds = read_bounds(reply).filter(|b| b.len() == objectives.len())?;
    let commands = goal.assertions.iter().map(|t| Command::Assert(*t)).collect();
    let assertions = arena.display_script(&Script { commands, comments: Vec::new() });
    let text = [declarations(script, &goal), assertions].concat();
    Some(Report { check, priority, objectives, bounds, goal, text })
}

impl Report {
    /// A way to refute the value of an objective.
    fn way(&self, index: usize, condition: String) -> Option<Way> {
        let objective = self.objectives[index].clone();
        let given = match &self.bounds[index] {
            Bound::Exact(number) => objective.measure.literal(number)?,
            Bound::Near(number) => format!("nearly {}", objective.measure.literal(number)?),
            Bound::Open => return None,
        };
        Some(Way { objective, given, condition })
    }

    /// The constraints, and that one of these conditions holds.
    fn script(&self, ways: &[Way]) -> Vec<u8> {
        question(&self.text, &ways.iter().map(|w| w.condition.as_str()).collect::<Vec<_>>())
    }

    fn doubt(&self, script: &CaseScript, ways: Vec<Way>, reaching: bool) -> Open {
        let (cause, theory) = (cause(script, self.check), script.theory());
        let text = self.script(&ways);
        let about = About::Optimum(Doubt { ways, reaching, cause, theory });
        Open { check: self.check, script: text, about }
    }

    /// How many of the first objectives have their optima in the model that the solver prints.
    fn shown(&self) -> usize {
        let exact = self.bounds.iter().take_while(|b| matches!(b, Bound::Exact(_))).count();
        match self.priority {
            Priority::Lexicographic => exact,
            Priority::Pareto if exact == self.bounds.len() => exact,
            Priority::Box if self.bounds.len() == 1 => exact,
            Priority::Box | Priority::Pareto => 0,
        }
    }
}

/// That the solver's own model gives an objective another value.
fn missed(script: &mut CaseScript, outcome: &Outcome, report: &Report) -> Option<Reason> {
    let model = outcome.answers.get(report.check)?.model.as_deref()?;
    let terms: Vec<Term> = report
        .goal
        .context
        .commands
        .iter()
        .filter_map(|c| if let Command::Optimize(_, term) = c { Some(*term) } else { None })
        .collect();
    // A sum of weights has no term in the script.
    let own = |objective: &Objective| {
        terms.iter().copied().find(|t| script.arena.display_term(*t) == objective.term)
    };
    let shown: Vec<(usize, Option<Term>)> =
        (0..report.shown()).map(|i| (i, own(&report.objectives[i]))).collect();
    let found = script.with_model(report.check, model, |case, _, model| {
        shown.into_iter().find_map(|(i, term)| {
            let objective = &report.objectives[i];
            let term = match term {
                Some(term) => term,
                None => read_term(case, &objective.term)?,
            };
            let mut evaluator =
                Evaluator::new(&case.arena, &model.interpretation, &model.domains).with_effort(case.effort());
            let value = number(&evaluator.eval(term).ok()?)?;
            let Bound::Exact(given) = &report.bounds[i] else { return None };
            let flaw = OptimumFlaw::Missed { value: objective.measure.literal(&value)? };
            (value != *given).then(|| report.way(i, String::new()).map(|way| way.reason(flaw)))?
        })
    });
    found.ok().flatten()
}

/// Looks for an assignment that refutes an optimum, and for one that reaches each; what stays undecided is a question.
fn search(script: &CaseScript, report: &Report, doubts: &mut Vec<Open>) -> Option<(Reason, Evidence)> {
    let refuted = refutations(report.priority, &report.objectives, &report.bounds);
    let ways: Vec<Way> = refuted.into_iter().filter_map(|(i, text)| report.way(i, text)).collect();
    if !ways.is_empty() {
        let mut case = CaseScript::new(&report.script(&ways));
        match found(&mut case, STEPS) {
            Found::Model(goal, model) => {
                if let Some(reason) = better(&mut case, &goal, &settled(&goal, &model), &ways) {
                    return Some((reason, Evidence::Model));
                }
            }
            Found::Nothing => {}
            Found::Undecided => doubts.push(report.doubt(script, ways, false)),
        }
    }
    if report.priority != Priority::Box || report.objectives.len() < 2 {
        return None;
    }
    for (i, objective) in report.objectives.iter().enumerate() {
        let Bound::Exact(value) = &report.bounds[i] else { continue };
        let Some(way) = objective.at_least(value).and_then(|text| report.way(i, text)) else { continue };
        let mut case = CaseScript::new(&report.script(std::slice::from_ref(&way)));
        match found(&mut case, STEPS) {
            Found::Model(..) => {}
            Found::Nothing => {
                let all = exhaust(&case.arena, &case.goal(0), MAX_ASSIGNMENTS);
                if let Some(all) = all.filter(|e| !e.is_sat) {
                    let flaw = OptimumFlaw::Unreached { assignments: Some(all.assignments) };
                    return Some((way.reason(flaw), Evidence::Exhaustive));
                }
            }
            Found::Undecided => doubts.push(report.doubt(script, vec![way], true)),
        }
    }
    None
}

/// That a model of the constraints refutes an optimum, if the evaluator finds every assertion and one of the ways true.
fn better(case: &mut CaseScript, goal: &Goal, model: &Model, ways: &[Way]) -> Option<Reason> {
    let way = &ways[holding(case, goal, model, ways.iter().map(|w| w.condition.as_str()))?];
    let term = read_term(case, &way.objective.term)?;
    let mut evaluator = Evaluator::new(&case.arena, &model.interpretation, &model.domains);
    let value = number(&evaluator.eval(term).ok()?)?;
    let assignment = assignment(&mut case.arena, goal, model)?;
    let value = way.objective.measure.literal(&value)?;
    Some(way.reason(OptimumFlaw::Better { value, assignment }))
}

/// Judges a solver's answer to a question about optima.
pub(crate) fn judge_doubt(
    question: &Question,
    doubt: &Doubt,
    by: &SolverId,
    outcome: &Outcome,
) -> Option<Claim> {
    let [answer] = &outcome.answers[..] else { return None };
    if !outcome.comparable || answer.error.is_some() {
        return None;
    }
    let (reason, evidence) = if doubt.reaching {
        let says_no = outcome.kind == OutcomeKind::Unsat && *by == question.solver;
        let way = doubt.ways.first().filter(|_| says_no)?;
        (way.reason(OptimumFlaw::Unreached { assignments: None }), Evidence::Metamorphic)
    } else {
        let model = answer.model.as_deref()?;
        let mut case = CaseScript::new(&question.script);
        if case.not_understood().is_some() {
            return None;
        }
        let found = case.with_model(0, model, |case, goal, model| better(case, goal, model, &doubt.ways));
        (found.ok().flatten()?, Evidence::Model)
    };
    Some(Claim {
        query: Some(question.check),
        kind: Kind::WrongOptimum,
        accused: vec![Accused { position: question.accused, solver: question.solver.clone() }],
        evidence: Some(evidence),
        theory: doubt.theory.clone(),
        cause: doubt.cause.clone(),
        reason,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_core::Reply;

    /// The kinds of flaws found in a reply, and how many questions there are.
    fn flaws(script: &str, model: &str, reply: &str) -> (Vec<String>, usize) {
        let answer = smelt_core::Answer {
            verdict: Some(Verdict::Sat),
            model: Some(model.to_owned()),
            ..smelt_core::Answer::default()
        };
        let replies = vec![Reply { to: Asked::Objectives, index: 0, text: reply.to_owned() }];
        let outcome = Outcome { answers: vec![answer], replies, ..Outcome::bare(OutcomeKind::Sat, "") };
        let solver = SolverId::new("s", None);
        let by = SolverOutcome { solver: &solver, family: "s", outcome: &outcome, seed: None };
        let (wrong, doubts) = check(&mut CaseScript::new(script.as_bytes()), &by);
        let word = |w: &Wrong| match &w.reason {
            Reason::Optimum { flaw: OptimumFlaw::Missed { .. }, .. } => "missed",
            Reason::Optimum { flaw: OptimumFlaw::Better { .. }, .. } => "better",
            Reason::Optimum { flaw: OptimumFlaw::Unreached { .. }, .. } => "unreached",
            _ => "other",
        };
        (wrong.iter().map(|w| word(w).to_owned()).collect(), doubts.len())
    }

    const BITS: &str =
        "(declare-const x (_ BitVec 3))(declare-const y (_ BitVec 3))(assert (= (bvand x y) #b000))";

    fn bits(x: u64, y: u64) -> String {
        let define = |n: &str, v: u64| format!("(define-fun {n} () (_ BitVec 3) #b{v:03b})");
        format!("({} {})", define("x", x), define("y", y))
    }

    #[test]
    fn optima_in_lexicographic_order_are_those_of_the_own_model_and_the_best() {
        let script = format!("{BITS}(maximize x)(maximize y)(check-sat)(get-objectives)");
        for (x, y, reply, flaw) in [
            (7, 0, "(objectives (x 7) (y 0))", None),
            (7, 0, "(objectives (x 6) (y 0))", Some("missed")),
            (6, 1, "(objectives (x 6) (y 1))", Some("better")),
            (6, 0, "(objectives (x 6) (y (interval 0 7)))", Some("better")),
            (6, 0, "(objectives (x (interval 6 7)) (y 0))", None),
            (0, 7, "(objectives (x 7))", None),
            (0, 7, "(error)", None),
        ] {
            let (found, doubts) = flaws(&script, &bits(x, y), reply);
            assert_eq!((found.first().map(String::as_str), doubts), (flaw, 0), "{reply}");
        }
    }

    #[test]
    fn optima_in_a_box_are_each_the_best_and_each_reached() {
        let script = format!(
            "(set-option :opt.priority box){BITS}(maximize x)(minimize (bvadd y #b001))(check-sat)(get-objectives)"
        );
        for (reply, flaw) in [
            ("(objectives (x 7) ((bvadd y #b001) 0))", None),
            ("(objectives (x 7) ((bvadd y #b001) 1))", Some("better")),
            ("(objectives (x 5) ((bvadd y #b001) 0))", Some("better")),
            ("(objectives (x 7) ((bvadd y #b001) (interval 0 7)))", None),
        ] {
            let (found, _) = flaws(&script, &bits(0, 0), reply);
            assert_eq!(found.first().map(String::as_str), flaw, "{reply}");
        }
        let tight = script.replace("(maximize x)", "(assert (bvult x #b101))(maximize x)");
        let (found, _) = flaws(&tight, &bits(0, 0), "(objectives (x 6) ((bvadd y #b001) 0))");
        assert_eq!(found, ["unreached"]);
    }

    #[test]
    fn a_point_of_a_front_may_be_worse_in_one_objective_but_not_dominated() {
        let script = format!(
            "(set-option :opt.priority pareto){BITS}(maximize x)(maximize y)(check-sat)(get-objectives)"
        );
        assert_eq!(flaws(&script, &bits(3, 4), "(objectives (x 3) (y 4))").0, [""; 0]);
        assert_eq!(flaws(&script, &bits(3, 0), "(objectives (x 3) (y 0))").0, ["better"]);
    }

    #[test]
    fn weights_of_soft_assertions_add_up() {
        let script = "(declare-const p Bool)(assert-soft p :weight 2 :id g)(assert-soft (not p) :weight 0.5 :id g)(check-sat)(get-objectives)";
        let model = "((define-fun p () Bool true))";
        assert_eq!(flaws(script, model, "(objectives (g (/ 1.0 2.0)))").0, [""; 0]);
        assert_eq!(flaws(script, model, "(objectives (g 1))").0, ["missed"]);
        assert_eq!(flaws(script, "((define-fun p () Bool false))", "(objectives (g 2))").0, ["better"]);
    }

    #[test]
    fn what_bounded_search_leaves_undecided_is_a_question_for_solvers() {
        let script = "(declare-const x Int)(declare-const y Int)(assert (= (+ (* 3 x) (* 7 y)) 100001))(assert (> x 10))(maximize y)(check-sat)(get-objectives)";
        let model = "((define-fun x () Int 33329) (define-fun y () Int 2))";
        let (wrong, doubts) = flaws(script, model, "(objectives (y 2))");
        assert!(!wrong.is_empty() || doubts == 1, "{wrong:?} {doubts}");
        let none = flaws(script, model, "(objectives (y oo))");
        assert_eq!(none, (Vec::new(), 0));
    }
}
