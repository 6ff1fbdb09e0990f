//! Exchanges: checks whether a bug is about one operator, or occurs with most other operators of the theory in the
//! same place.
//!
//! A wrong model of `(f (bvnot x))` may be about how values of bit-vector terms reach functions, independently of
//! the operator. If other operators of the theory also trigger it, the operator is not part of the cause.

use smelt_core::{Cause, Class, Dossier, Kind};
use smelt_oracle::{CaseScript, Truth};
use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::{Arena, Op, Term, View, parse_script};
use smelt_solvers::Mode;
use smelt_trial::{Error, query};

use crate::examine::Examiner;
use crate::observation::Observation;

/// How many operators are tried instead of one: more if only one solver must answer.
const TRIED: usize = 9;
const TRIED_FOR_MODELS: usize = 18;
/// A third of them must show the bug, and this many at least: the relatives of one operator, such as remainders of a division,
/// are fewer.
const SHOWN: usize = 3;
/// A bug that needs more operators than this is left as it is.
const OPERATORS: usize = 3;

/// The script with one operator replaced by others of the same theory, and a word for any of them.
fn exchanged(script: &[u8], operator: &str, most: usize) -> Option<(String, Vec<Vec<u8>>)> {
    let mut arena = Arena::new();
    let script = parse_script(&mut arena, script).ok()?.script;
    let of_name = |arena: &Arena, term: Term| match arena.view(term) {
        View::App(fun, args) if !args.is_empty() => {
            let op = arena.fun_view(fun).op?;
            (arena.name(arena.signatures().row(op).name) == operator).then(|| (op, args.to_vec()))
        }
        _ => None,
    };
    let terms = arena.parts_first(script.commands.iter().flat_map(|c| c.terms()));
    let (own, _) = terms.iter().find_map(|t| of_name(&arena, *t))?;
    let row = arena.signatures().row(own);
    let (theory, name) = (row.theory, row.name);
    if arena.text(theory) == b"Core" {
        return None;
    }
    let fits = |(op, row): (Op, &smelt_smtlib::signature::Row)| {
        let is_plain = row.dialect.is_none() && row.indices.is_empty() && row.rule.is_none();
        (row.theory == theory && row.name != name && is_plain && !row.args.is_empty())
            .then_some((op, row.args.len()))
    };
    let others: Vec<(Op, usize)> = arena.signatures().ops().filter_map(fits).collect();
    let mut scripts = Vec::new();
    for (op, arity) in others {
        let (mut changed, mut whole) = (script.clone(), true);
        rewrite(&mut arena, &mut changed, |arena, term| {
            let Some((_, args)) = of_name(arena, term) else { return term };
            let args: Vec<Term> = args.iter().copied().cycle().take(arity).collect();
            let new = arena.apply_op(op, &[], &args).filter(|n| arena.sort_of(*n) == arena.sort_of(term));
            whole &= new.is_some();
            new.unwrap_or(term)
        });
        if whole {
            scripts.push(arena.display_script(&changed));
        }
    }
    // From all over the theory: neighbours in the table are relatives.
    let step = scripts.len().div_ceil(most).max(1);
    let scripts =
        (0..step).flat_map(|from| scripts.iter().skip(from).step_by(step)).take(most).cloned().collect();
    Some((arena.name(theory).to_lowercase(), scripts))
}

impl Examiner<'_> {
    /// Leaves operators out of the cause that others of their theory can take the place of: the bug is not about them. If no
    /// other is left, it is about the theory.
    pub(crate) fn generalise(
        &self,
        observation: &Observation<'_>,
        dossier: &mut Dossier,
        who: usize,
    ) -> Result<(), Error> {
        let Cause::Operators(operators) = dossier.cause().clone() else { return Ok(()) };
        if dossier.kind.class() != Class::Wrong || operators.len() > OPERATORS {
            return Ok(());
        }
        let (mut kept, mut theory) = (Vec::new(), None);
        for operator in operators {
            match self.exchange(observation, dossier.kind, who, &operator)? {
                Some(found) => theory = Some(found),
                None => kept.push(operator),
            }
        }
        if let Some(theory) = theory {
            dossier.identity.cause =
                if kept.is_empty() { Cause::Theory(theory) } else { Cause::Operators(kept) };
        }
        Ok(())
    }

    /// The word for the theory of an operator, if enough others in its place show the bug.
    fn exchange(
        &self,
        observation: &Observation<'_>,
        kind: Kind,
        who: usize,
        operator: &str,
    ) -> Result<Option<String>, Error> {
        let most = if kind == Kind::InvalidModel { TRIED_FOR_MODELS } else { TRIED };
        let Some((theory, scripts)) = exchanged(&observation.case.script, operator, most) else {
            return Ok(None);
        };
        let wanted = scripts.len().div_ceil(3).max(SHOWN);
        let (mut shown, mut left) = (0, scripts.len());
        for script in &scripts {
            if self.is_over() || shown >= wanted || shown + left < wanted {
                break;
            }
            left -= 1;
            shown += usize::from(self.is_shown(observation, script, kind, who)?);
        }
        Ok((shown >= wanted).then_some(theory))
    }

    /// Whether a solver shows a bug of a kind on another script.
    fn is_shown(
        &self,
        observation: &Observation<'_>,
        script: &[u8],
        kind: Kind,
        who: usize,
    ) -> Result<bool, Error> {
        if kind != Kind::InvalidModel {
            let case = observation.case.changed(script);
            let Some(other) = self.look(&case, observation.solvers)? else { return Ok(false) };
            return Ok(other.claim(Class::Wrong, kind, &[who]).is_some_and(|c| c.kind == kind));
        }
        let asked = query(script, self.limits.time);
        let outcome = self.with(observation.solvers, |panel| panel.ask(who, asked, Mode::Fresh))?;
        let Some(outcome) = outcome.filter(|o| o.comparable) else { return Ok(false) };
        let Some(last) = outcome.answers.len().checked_sub(1) else { return Ok(false) };
        let model = outcome.answers[last].model.as_deref();
        Ok(model.is_some_and(|m| CaseScript::new(script).check_model(last, m).truth == Truth::False))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_operators_of_the_theory_take_the_place_of_one() {
        let script = "(declare-const x (_ BitVec 3))(declare-fun f ((_ BitVec 3)) Bool)\
                      (assert (f (bvshl x x)))(assert (f (bvadd x #b001)))(check-sat)";
        let (word, scripts) = exchanged(script.as_bytes(), "bvshl", TRIED).unwrap();
        let scripts: Vec<String> = scripts.into_iter().map(|s| String::from_utf8(s).unwrap()).collect();
        assert_eq!((word.as_str(), scripts.len()), ("bitvectors", TRIED));
        assert!(scripts.iter().all(|s| !s.contains("bvshl") && s.contains("(bvadd x #b001)")), "{scripts:?}");
        assert!(scripts.iter().any(|s| s.contains("(f (bvnot x))") || s.contains("(f (bvneg x))")));
        // Operators with unique sorts, and those of Core, are not replaced.
        assert!(exchanged(script.as_bytes(), "=", TRIED).is_none());
        let bits = "(declare-const x (_ BitVec 3))(assert (= ((_ extract 1 0) x) #b01))(check-sat)";
        assert!(exchanged(bits.as_bytes(), "extract", TRIED).unwrap().1.is_empty());
    }
}
