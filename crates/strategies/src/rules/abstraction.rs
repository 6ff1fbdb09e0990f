//! A new variable that replaces a term of a formula, for rules that introduce `exists` and `forall`.

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::{Arena, Sort, Term, View};

use super::apply::Site;
use super::rewrite::Bound;
use crate::rng::Rng;

/// A new variable that replaces a term: the place of the term, and the variable's name and sort.
pub(super) struct Abstraction {
    name: String,
    sort: String,
    /// Pieces of the seed's text, in order.
    pieces: Vec<std::ops::Range<usize>>,
}

impl Abstraction {
    /// Chooses a term inside the formula at a place. Between the two nothing is bound, so the term has one value wherever
    /// it stands.
    pub(super) fn choose(site: Site<'_>, rng: &mut Rng) -> Option<Abstraction> {
        let Site { arena, seed, lender, place } = site;
        let inside = seed.places.inside(place);
        let parts = inside.skip(1).filter_map(|i| seed.places.get(i));
        let parts: Vec<Occurrence> = parts.filter(|&p| seed.places.same_scope(place, p)).collect();
        let can_vary = |p: &&Occurrence| {
            let (term, sort) = (seed.places.term(**p), seed.sort_at(arena, **p));
            let above = seed.places.parent(**p).map(|(o, _)| arena.sort_of(seed.places.term(o)));
            // For some value, or for all, an equation with the variable alone is true or false.
            let is_side =
                seed.places.parent(**p).is_some_and(|(o, _)| is_equation(arena, seed.places.term(o)));
            !matches!(sort, Sort::BOOL | Sort::REGLAN | Sort::UNKNOWN)
                && !is_side
                && above != Some(Sort::REGLAN)
                && arena.sort_view(sort).head != smelt_smtlib::sym::ARROW
                && !arena.is_parametric(sort)
                && seed.gate.has_sort(sort)
                && !(seed.gate.linear && smelt_smtlib::logic::is_number(arena, term))
        };
        let candidates: Vec<&Occurrence> = parts.iter().filter(can_vary).collect();
        let chosen = **rng.pick(&candidates)?;
        let (term, sort) = (seed.places.term(chosen), seed.sort_at(arena, chosen));
        let same = parts.iter().filter(|p| seed.places.term(**p) == term && seed.sort_at(arena, **p) == sort);
        let span = |p: &Occurrence| seed.spans[p.index()].start as usize..seed.spans[p.index()].end as usize;
        let (name, sort) = (format!("{}b", lender.prefix), arena.display_sort(sort));
        Some(Abstraction { name, sort, pieces: same.map(span).collect() })
    }

    /// Appends the variable with its sort, or the formula with the variable in it; `false` for anything else.
    pub(super) fn write(&self, site: Site<'_>, bound: Bound, out: &mut Vec<u8>) -> bool {
        let Abstraction { name, sort, pieces } = self;
        match bound {
            Bound::Abstract => out.extend_from_slice(format!("(({name} {sort}))").as_bytes()),
            Bound::Place(at) if at as usize == site.place.index() => {
                let span = &site.seed.spans[at as usize];
                let mut from = span.start as usize;
                for piece in pieces {
                    out.extend_from_slice(&site.seed.text[from..piece.start]);
                    out.extend_from_slice(name.as_bytes());
                    from = piece.end;
                }
                out.extend_from_slice(&site.seed.text[from..span.end as usize]);
            }
            _ => return false,
        }
        true
    }
}

/// Whether a term is an equation, or a negated one.
fn is_equation(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        View::App(fun, _) => {
            let f = arena.fun_view(fun);
            f.op.is_some() && matches!(arena.text(f.name), b"=" | b"distinct")
        }
        _ => false,
    }
}
