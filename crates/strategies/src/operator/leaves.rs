//! The constants and literals of a seed as places to mutate, for seeds in which few operators have a replacement.

use std::collections::HashMap;

use smelt_smtlib::{Arena, Role, Sort, View};

use super::{Table, as_range, head_range, head_text};
use crate::operator::functions::Functions;
use crate::pool::Seed;
use crate::rng::Rng;
use crate::samples::{Sampler, sort_sexpr};

/// How many literals may take the place of one.
const LITERALS: usize = 24;

/// Constants and literals of a seed.
pub(super) struct Leaves<'a> {
    arena: &'a Arena,
    seed: &'a Seed,
    functions: Functions<'a>,
}

impl<'a> Leaves<'a> {
    pub(super) fn new(arena: &'a Arena, seed: &'a Seed) -> Leaves<'a> {
        Leaves { arena, seed, functions: Functions::new(arena, seed) }
    }

    /// Adds a site for each constant that the script declares and each literal that others may replace.
    pub(super) fn add_to(&self, table: &mut Table) {
        let Leaves { arena, seed, .. } = *self;
        // By command, sort, and whether it is a literal.
        let mut known: HashMap<(u32, Sort, bool), Option<Vec<Box<[u8]>>>> = HashMap::new();
        let mut root = (0, 0, 0);
        for place in seed.places.all() {
            let term = seed.places.term(place);
            let span = &seed.spans[place.index()];
            if seed.places.parent(place).is_none() {
                root = (seed.places.root(place).command, span.start, span.end);
            }
            let sort = seed.sort_at(arena, place);
            let is_literal = match arena.view(term) {
                View::Literal(..) => true,
                View::App(fun, []) => {
                    let f = arena.fun_view(fun);
                    if f.op.is_some()
                        || f.ascribed.is_some()
                        || !f.indices.is_empty() && !is_bits(arena, sort)
                    {
                        continue;
                    }
                    !f.indices.is_empty()
                }
                _ => continue,
            };
            let range = head_range(&seed.text, span);
            let is_number = smelt_smtlib::logic::is_number(arena, term);
            if range != (span.start..span.end) || is_literal && is_number && seed.gate.linear {
                continue;
            }
            let key = (root.0, sort, is_literal);
            let others = known.entry(key).or_insert_with(|| match is_literal {
                true => literals(arena, sort),
                false => Some(self.functions.constants(arena, root.0, sort)),
            });
            let Some(others) = others else { continue };
            let own = &seed.text[as_range(range)];
            // A name that is bound around means something else.
            if !is_literal && !others.iter().any(|other| **other == *own) {
                continue;
            }
            let mut heads: Vec<Box<[u8]>> = vec![own.into()];
            heads.extend(others.iter().filter(|other| ***other != *own).cloned());
            if heads.len() > 1 {
                table.choices.push(heads);
                table.sites.push((place.index() as u32, table.choices.len() as u32 - 1));
                table.roots.push(root);
            }
        }
    }
}

fn is_bits(arena: &Arena, sort: Sort) -> bool {
    arena.bitvec_width(sort).is_some()
}

/// Some literals of a sort.
fn literals(arena: &Arena, sort: Sort) -> Option<Vec<Box<[u8]>>> {
    let sampler = Sampler::of(&sort_sexpr(&arena.display_sort(sort))?)?;
    let mut rng = Rng::new(0x11_7e4a1);
    let mut all: Vec<Box<[u8]>> = Vec::new();
    for _ in 0..4 * LITERALS {
        let mut text = Vec::new();
        sampler.write(&mut rng, &mut text);
        // A number with a sign is an application.
        if all.len() < LITERALS && !text.starts_with(b"(-") && !all.iter().any(|known| **known == *text) {
            all.push(text.into());
        }
    }
    Some(all)
}

impl Functions<'_> {
    /// The constants of a sort that the script declares before a command, and that no binder has the name of.
    pub(super) fn constants(&self, arena: &Arena, command: u32, sort: Sort) -> Vec<Box<[u8]>> {
        let declared = self.seed.scope.declarations().filter(|d| self.is_usable(d, command));
        let sort = arena.canonical(sort);
        let fits =
            |d: &&smelt_smtlib::Declaration| d.role == Role::Free && d.args.is_empty() && d.result == sort;
        declared.filter(fits).map(|d| head_text(arena, d.name, &[])).collect()
    }
}
