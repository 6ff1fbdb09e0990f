//! Queries about terms: drops terms, or replaces them by their parts.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Term, View};

use crate::edit::{Edit, edit};

pub(super) fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = Vec::new();
    for (at, command) in script.commands.iter().enumerate().filter(|(_, c)| c.is_term_query()) {
        let terms: Vec<Term> = command.terms().collect();
        if terms.len() > 1 {
            edits.extend(terms.iter().map(|&term| with_terms(at, vec![term])));
            edits.extend((0..terms.len()).map(|left_out| {
                let mut others = terms.clone();
                others.remove(left_out);
                with_terms(at, others)
            }));
        }
        for (place, &term) in terms.iter().enumerate() {
            // Parts of other terms have variables that are bound outside of them.
            let View::App(_, parts) = arena.view(term) else { continue };
            edits.extend(parts.iter().map(|&part| {
                let mut changed = terms.clone();
                changed[place] = part;
                with_terms(at, changed)
            }));
        }
    }
    edits
}

/// The script with other terms in one query.
fn with_terms(at: usize, terms: Vec<Term>) -> Edit {
    edit(move |_, script| {
        let mut script = script.clone();
        script.commands[at] = match (&script.commands[at], &terms[..]) {
            (Command::Simplify(_), [term]) => Command::Simplify(*term),
            (Command::Optimize(direction, _), [term]) => Command::Optimize(*direction, *term),
            (Command::AssertSoft(_, attributes), [term]) => Command::AssertSoft(*term, attributes.clone()),
            _ => Command::GetValue(terms.clone().into()),
        };
        Some(script)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_smtlib::parse_script;

    #[test]
    fn terms_are_left_out_and_replaced_by_their_parts() {
        let text = b"(declare-const x Int)(check-sat)(get-value ((+ x 1) x))(simplify (* x 2))";
        let mut arena = Arena::new();
        let script = parse_script(&mut arena, text).unwrap().script;
        let edits = plan(&mut arena, &script);
        let all: Vec<String> = edits
            .iter()
            .map(|edit| {
                let script = edit(&mut arena, &script).unwrap();
                String::from_utf8(arena.display_script(&script)).unwrap()
            })
            .collect();
        for part in
            ["(get-value ((+ x 1)))", "(get-value (x))", "(get-value (1 x))", "(simplify x)", "(simplify 2)"]
        {
            assert!(all.iter().any(|text| text.contains(part)), "{part}: {all:?}");
        }
    }
}
