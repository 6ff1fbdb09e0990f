//! Undoes as many of a mutant's changes to its seed as possible; the remaining changes matter for the bug.

use std::collections::HashSet;

use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::rename::declared_names;
use smelt_smtlib::{Arena, Symbol, Term, View, parse_script};

use crate::align::differences;
use crate::error::Error;
use crate::replace::{Change, Slots};
use crate::search::{Length, Search};

/// How a mutant differs from its seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undo {
    /// The number of places where the mutant differed.
    pub places_before: usize,
    /// The places where it must differ: the seed's term and the mutant's.
    pub differences: Vec<(String, String)>,
    /// The mutant with only these differences.
    pub text: Vec<u8>,
}

/// Puts back terms of the seed where the predicate allows it; `None` when seed and mutant have no common shape.
pub(crate) fn run(search: &mut Search<'_>, seed: &[u8]) -> Result<Option<Undo>, Error> {
    search.begin("undo");
    let Ok(parsed) = parse_script(&mut search.arena, seed) else { return Ok(None) };
    let seed = parsed.script;
    let script = search.script.clone();
    let places = Occurrences::new(&search.arena, &script);
    let Some(found) = differences(&search.arena, &places, &script, &seed) else { return Ok(None) };
    let places_before = found.len();
    let declared: HashSet<Symbol> = declared_names(&search.arena, &script).into_iter().collect();
    let known = |term: Term| names(&search.arena, term).iter().all(|n| declared.contains(n));
    let slots: Slots = found
        .into_iter()
        .filter(|f| known(f.1))
        .map(|(place, term)| (place, vec![Change::Put(term, None)]))
        .collect();
    search.explore_changes(&places, slots, Length::MayGrow)?;
    let places = Occurrences::new(&search.arena, &search.script);
    let left = differences(&search.arena, &places, &search.script, &seed).unwrap_or_default();
    let shown = |t: Term| search.arena.display_term(t);
    // A term of the seed with names that the script does not have was not tried: nothing shows that it matters.
    let tried = left.iter().filter(|f| names(&search.arena, f.1).iter().all(|n| declared.contains(n)));
    let differences = tried.map(|(place, theirs)| (shown(*theirs), shown(places.term(*place)))).collect();
    let text = search.arena.display_script(&search.script);
    Ok(Some(Undo { places_before, differences, text }))
}

/// The declared names that a term needs.
fn names(arena: &Arena, term: Term) -> Vec<Symbol> {
    let own = |t: &Term| match arena.view(*t) {
        View::App(fun, _) if arena.fun_view(fun).op.is_none() => Some(arena.fun_view(fun).name),
        _ => None,
    };
    arena.parts_first([term]).iter().filter_map(own).collect()
}
