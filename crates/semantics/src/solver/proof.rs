//! Proofs in the format Alethe: assertions, what they simplify to, and one last step without a checker.

use smelt_smtlib::{Arena, Term, View};

use super::simplify::Simplifier;

/// The proof that some assertions contradict each other.
pub(super) fn written(arena: &mut Arena, simplifier: &mut Simplifier<'_>, assertions: &[Term]) -> String {
    let (mut text, mut premises) = ("(\n".to_owned(), Vec::new());
    for (i, &term) in assertions.iter().enumerate() {
        let bare = match arena.view(term) {
            View::Annotated(v) => v.term(),
            _ => term,
        };
        let simple = simplifier.term(arena, bare);
        let (before, after) = (arena.display_term(bare), arena.display_term(simple));
        text += &format!("(assume a{i} {before})\n");
        text += &format!("(step s{i} (cl (= {before} {after})) :rule all_simplify)\n");
        premises.push(format!("a{i} s{i}"));
    }
    text + &format!("(step end (cl) :rule hole :premises ({}))\n)\n", premises.join(" "))
}
