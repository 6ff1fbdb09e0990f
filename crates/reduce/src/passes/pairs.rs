//! Changes two places at once in a script that is already small: some changes keep the bug only together.

use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::{Arena, Script};

use super::terms::Kit;
use crate::edit::{Edit, edit};
use crate::error::Error;
use crate::propose::Each;
use crate::replace::{Change, apply};
use crate::search::{Length, Search};

/// Scripts with more places than this are left alone: there are too many pairs.
const PLACES: usize = 24;
/// At most this many pairs of changes are made. Only shorter results are checked.
const PAIRS: usize = 20_000;
/// At least this many of them may be checked, however few checks were needed so far.
const ASKS: u64 = 30;

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    let asks = ASKS + search.checks / 5;
    search.explore_within(&mut Each::new(plan, Length::Shorter), asks)
}

fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let places = Occurrences::new(arena, script);
    if places.len() > PLACES {
        return Vec::new();
    }
    let mut kit = Kit::new(arena, script, &places, true);
    let changes: Vec<(Occurrence, Vec<Change>)> =
        places.all().map(|place| (place, kit.any_change(arena, script, place))).collect();
    let mut edits = Vec::new();
    for (i, (first, here)) in changes.iter().enumerate() {
        let apart = changes[i + 1..].iter().filter(|(o, _)| !places.inside(*first).contains(&o.index()));
        for (second, there) in apart {
            for (a, b) in here.iter().flat_map(|a| there.iter().map(move |b| (a, b))) {
                let (first, second, a, b) = (*first, *second, a.clone(), b.clone());
                edits.push(edit(move |arena, script| {
                    let places = Occurrences::new(arena, script);
                    apply(arena, script, &places, &[(first, &a), (second, &b)])
                }));
            }
        }
    }
    edits.truncate(PAIRS);
    edits
}
