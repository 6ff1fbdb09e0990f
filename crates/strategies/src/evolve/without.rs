//! Removes given operators from a formula of the population: replaces them by operators with a compatible signature,
//! or by constants.

use smelt_smtlib::script::Command;
use smelt_smtlib::{Arena, Sort, Term, View};
use std::collections::HashMap;

use super::breeder::Breeder;
use super::genome::{Genome, constant_name};
use super::palette::CONSTANTS;
use crate::operator;
use crate::rng::Rng;
use smelt_smtlib::rewrite::rewrite_term;

/// As text; `None` where nothing can stand in.
pub(crate) fn strip(
    breeder: &mut Breeder,
    mut genome: Genome,
    unwanted: &[String],
    rng: &mut Rng,
) -> Option<Vec<u8>> {
    let Breeder { arena, palette, .. } = breeder;
    let mut done = HashMap::new();
    let mut new: Vec<(String, Sort)> = Vec::new();
    let mut failed = false;
    for root in &mut genome.assertions {
        *root = rewrite_term(arena, *root, &mut done, |arena, term| {
            if !has(arena, term, unwanted) {
                return term;
            }
            let sort = arena.sort_of(term);
            let constants = palette.has_constants(sort);
            let mut heads =
                operator::conforming(arena, palette.gate(), &palette.classes, &palette.allowed, term);
            heads.retain(|(op, _)| {
                let name = arena.text(arena.signatures().row(*op).name);
                !unwanted.iter().any(|u| u.as_bytes() == name)
            });
            if constants && (heads.is_empty() || rng.one_in(2)) {
                let name = constant_name(arena, sort, rng.below(CONSTANTS));
                let symbol = arena.symbol(name.as_bytes());
                let fun = arena.fun(symbol, None, &[], None);
                new.push((name, sort));
                return arena.app(fun, &[], sort);
            }
            let args = arena.children(term).to_vec();
            let other = rng.pick(&heads).and_then(|(op, indices)| arena.apply_op(*op, indices, &args));
            failed |= other.is_none();
            other.unwrap_or(term)
        });
    }
    for (name, sort) in new {
        let symbol = arena.symbol(name.as_bytes());
        if !genome.constants().any(|c| c.0 == symbol) {
            genome.declarations.push(Command::DeclareConst(symbol, sort));
        }
    }
    (!failed).then(|| genome.print(arena))
}

fn has(arena: &Arena, term: Term, unwanted: &[String]) -> bool {
    let View::App(fun, [_, ..]) = arena.view(term) else { return false };
    let Some(op) = arena.fun_view(fun).op else { return false };
    let name = arena.text(arena.signatures().row(op).name);
    unwanted.iter().any(|u| u.as_bytes() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_wanted_is_gone_and_the_rest_stays() {
        let text = "(set-logic QF_SLIA)(declare-const a String)(declare-const n Int)
(assert (str.contains (str.replace a \"x\" (str.at a n)) a))(assert (> (str.len a) 17))(check-sat)";
        let (mut breeder, all, _) = Breeder::of_seeds(&[("t".to_owned(), text.as_bytes().to_vec())]).unwrap();
        let unwanted = ["str.contains".to_owned(), "str.replace".to_owned()];
        let mut kinds = std::collections::BTreeSet::new();
        for n in 0..40 {
            let child = breeder.without(&all[0], &unwanted, &mut Rng::new(n)).unwrap();
            let child = String::from_utf8(child).unwrap();
            assert!(!unwanted.iter().any(|u| child.contains(&format!("({u} "))), "{child}");
            assert!(child.contains("(assert (> (str.len string_0) 17))"), "{child}");
            kinds.insert(child);
        }
        assert!(kinds.len() > 5 && kinds.iter().any(|k| k.contains("str.at")), "{kinds:#?}");
        assert_eq!(breeder.without(&all[0], &["bvadd".to_owned()], &mut Rng::new(1)), None);
    }
}
