//! Exchanges: whether a bug is about an operator, or shows with most others of its theory in the same place.
//!
//! A wrong model of `(f (bvnot x))` may be about how values of bit-vector terms reach functions, whatever the operator. Where
//! others of the theory show it too, the theory takes the place of the operator in the identity of the bug.

use smelt_core::FindingKind;
use smelt_oracle::{CaseScript, Truth};
use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::{Arena, Op, Term, View, parse_script};
use smelt_solvers::Mode;
use smelt_trial::{Error, query};

use crate::class::Class;
use crate::examine::Examiner;
use crate::scene::Scene;

/// How many operators are tried in the place of one: more where one solver has to answer, and not all.
const TRIED: usize = 9;
const TRIED_FOR_MODELS: usize = 18;
/// A third of them must show the bug, and this many at least: the relatives of one operator, such as remainders of a division,
/// are fewer.
const SHOWN: usize = 3;
/// Larger triggers are not tried, only reduced scripts.
const SMALL: usize = 4_000;
/// A bug that needs more operators than this is left as it is.
const OPERATORS: usize = 3;

/// The plainest formulas that have a model with a value.
const PLAIN: [&str; 2] = [
    "(declare-const a Int)\n(assert (= a 0))\n(check-sat)\n",
    "(declare-const a (_ BitVec 1))\n(assert (= a #b0))\n(check-sat)\n",
];

/// The script with other operators of the same theory in the place of one, and a word for any of them.
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
    Some((format!("({})", arena.name(theory).to_lowercase()), scripts))
}

impl Examiner<'_> {
    /// The operators of a finding that others can take the place of, each with the word for their theory. Where the reduced
    /// script has too little room for others, such as a single bit, the trigger has more.
    pub(crate) fn exchangeable(
        &self,
        scene: &Scene<'_>,
        trigger: &[u8],
        kind: FindingKind,
        who: usize,
        operators: &[String],
    ) -> Result<Vec<(String, String)>, Error> {
        let mut found = Vec::new();
        if Class::of(kind) != Class::Wrong || operators.len() > OPERATORS {
            return Ok(found);
        }
        let is_other = trigger != scene.script && trigger.len() <= SMALL && kind == FindingKind::InvalidModel;
        for operator in operators {
            for script in std::iter::once(scene.script).chain(is_other.then_some(trigger)) {
                if let Some(theory) = self.exchange(scene, script, kind, who, operator)? {
                    found.push((operator.clone(), theory));
                    break;
                }
            }
        }
        Ok(found)
    }

    /// The word for the theory of an operator, if enough others in its place show the bug.
    fn exchange(
        &self,
        scene: &Scene<'_>,
        script: &[u8],
        kind: FindingKind,
        who: usize,
        operator: &str,
    ) -> Result<Option<String>, Error> {
        let most = if kind == FindingKind::InvalidModel { TRIED_FOR_MODELS } else { TRIED };
        let Some((theory, scripts)) = exchanged(script, operator, most) else { return Ok(None) };
        let wanted = scripts.len().div_ceil(3).max(SHOWN);
        let (mut shown, mut left) = (0, scripts.len());
        for script in &scripts {
            if self.is_over() || shown >= wanted || shown + left < wanted {
                break;
            }
            left -= 1;
            shown += usize::from(self.is_shown(scene, script, kind, who)?);
        }
        Ok((shown >= wanted).then_some(theory))
    }

    /// Whether a solver gives false models of the plainest formulas of two theories: then a false model is not about a theory.
    pub(crate) fn has_plain_models(&self, scene: &Scene<'_>, who: usize) -> Result<bool, Error> {
        for script in PLAIN {
            if !self.is_shown(scene, script.as_bytes(), FindingKind::InvalidModel, who)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a solver shows a bug of a kind on another script.
    fn is_shown(
        &self,
        scene: &Scene<'_>,
        script: &[u8],
        kind: FindingKind,
        who: usize,
    ) -> Result<bool, Error> {
        if kind != FindingKind::InvalidModel {
            let Some(other) = self.look(script, scene.solvers)? else { return Ok(false) };
            return Ok(other.claim(Class::Wrong, kind, &[who]).is_some_and(|c| c.kind == kind));
        }
        let asked = query(script, self.limits.time);
        let outcome = self.with(scene.solvers, |panel| panel.ask(who, asked, Mode::Fresh))?;
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
        assert_eq!((word.as_str(), scripts.len()), ("(bitvectors)", TRIED));
        assert!(scripts.iter().all(|s| !s.contains("bvshl") && s.contains("(bvadd x #b001)")), "{scripts:?}");
        assert!(scripts.iter().any(|s| s.contains("(f (bvnot x))") || s.contains("(f (bvneg x))")));
        // Nothing takes the place of what has a sort of its own, or of the core.
        assert!(exchanged(script.as_bytes(), "=", TRIED).is_none());
        let bits = "(declare-const x (_ BitVec 3))(assert (= ((_ extract 1 0) x) #b01))(check-sat)";
        assert!(exchanged(bits.as_bytes(), "extract", TRIED).unwrap().1.is_empty());
    }
}
