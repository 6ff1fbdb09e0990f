//! The seed pool: many seeds in one arena, each read, printed and indexed once.
//!
//! A seed is stored as canonical text with the span of every place in it. A mutant that changes a few places is
//! that text with a few pieces replaced, so making one costs about as much as copying it, and nothing is interned
//! for it. Strategies that build terms set a checkpoint and roll back: the arena never grows after the last seed.

use std::collections::HashMap;
use std::ops::Range;

use smelt_core::{SeedHash, Verdict};
use smelt_smtlib::occurrence::{Occurrence, Occurrences};
use smelt_smtlib::script::Command;
use smelt_smtlib::signature::SortPattern;
use smelt_smtlib::{Arena, Printer, Scope, Script, Sort, Span, View, parse_script, sym};

use crate::gate::Gate;
use crate::query::{is_query, labels};
use crate::widen::widened;

/// A seed of a [`Pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SeedId(u32);

impl SeedId {
    /// Position in the pool.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One seed.
#[derive(Debug)]
pub struct Seed {
    /// What a person calls it: its file.
    pub name: String,
    /// The hash of its text.
    pub hash: SeedHash,
    /// Its status: from the caller, else from `:status`.
    pub status: Option<Verdict>,
    /// What the script says of each of its queries.
    pub labels: Vec<Option<Verdict>>,
    /// Its status by evidence, where the caller found some.
    pub known_status: Option<Verdict>,
    /// Models of it that the caller knows, as solvers print them.
    pub models: Vec<String>,
    /// Its commands, without comments and `:status`.
    pub script: Script,
    /// What it declares.
    pub scope: Scope,
    /// All places in it.
    pub places: Occurrences,
    /// What its logic and dialect allow.
    pub gate: Gate,
    /// The script as printed.
    pub(crate) text: Vec<u8>,
    /// Where each place is in `text`.
    pub(crate) spans: Vec<Span>,
    /// Places of integers that stand for reals, in order.
    coerced: Box<[u32]>,
}

/// Why a script cannot be a seed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unusable {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// It is not well-formed or well-sorted in our reading.
    #[error("is not well-sorted: {0}")]
    Flawed(String),
}

/// Seeds in one arena.
#[derive(Debug, Default)]
pub struct Pool {
    pub(crate) arena: Arena,
    seeds: Vec<Seed>,
    /// How many of them were added. Twins in a wider logic follow them, made on demand.
    added: usize,
    twins: HashMap<SeedId, SeedId>,
}

impl Seed {
    /// Its canonical text: one command a line.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The sort that a place counts as: an integer beside reals is one of them, as solvers read it.
    pub(crate) fn sort_at(&self, arena: &Arena, place: Occurrence) -> Sort {
        match self.coerced.binary_search(&(place.index() as u32)) {
            Ok(_) => Sort::REAL,
            Err(_) => arena.sort_of(self.places.term(place)),
        }
    }
}

impl Pool {
    /// No seeds yet, and the built-in signatures.
    pub fn new() -> Pool {
        Pool::default()
    }

    /// Reads a seed. `status` is what the caller knows (a folder's name, a label); else its `:status` counts.
    ///
    /// All seeds must be added before the first case is made.
    pub fn add(&mut self, name: &str, text: &[u8], status: Option<Verdict>) -> Result<SeedId, Unusable> {
        debug_assert!(self.twins.is_empty(), "seeds are added first");
        let seed = read(&mut self.arena, name, text, status)?;
        self.added += 1;
        Ok(self.keep(seed))
    }

    /// Adds a seed or a twin, in no more memory than it takes.
    fn keep(&mut self, mut seed: Seed) -> SeedId {
        seed.places.shrink_to_fit();
        seed.text.shrink_to_fit();
        seed.spans.shrink_to_fit();
        self.seeds.push(seed);
        SeedId(self.seeds.len() as u32 - 1)
    }

    /// The same seed under the logic `ALL`; the seed itself if it has no twin. The twin is not among
    /// [`Pool::ids`], and goes by the seed's hash.
    pub(crate) fn twin(&mut self, id: SeedId) -> SeedId {
        if let Some(&twin) = self.twins.get(&id) {
            return twin;
        }
        let script = widened(&mut self.arena, &self.seeds[id.index()].script);
        let twin = script.map_or(id, |script| {
            let Seed { name, hash, status, labels, scope, .. } = &self.seeds[id.index()];
            let twin = index(&self.arena, name, *hash, *status, script, scope.clone(), None);
            self.keep(Seed { labels: labels.clone(), ..twin })
        });
        self.twins.insert(id, twin);
        twin
    }

    /// Notes the status of a seed that was found by solving it.
    pub fn know_status(&mut self, id: SeedId, status: Verdict) {
        self.seeds[id.index()].known_status = Some(status);
    }

    /// Notes models of a seed that were found by solving it.
    pub fn know_models(&mut self, id: SeedId, models: &[String]) {
        models.clone_into(&mut self.seeds[id.index()].models);
    }

    /// How many seeds and twins there are.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.seeds.len()
    }

    /// How many seeds there are.
    pub fn len(&self) -> usize {
        self.added
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.added == 0
    }

    /// All seeds in the order they came.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = SeedId> + use<> {
        (0..self.added as u32).map(SeedId)
    }

    /// The `i`-th of them.
    pub fn get(&self, i: usize) -> Option<SeedId> {
        (i < self.added).then_some(SeedId(i as u32))
    }

    /// A seed.
    #[inline]
    pub fn seed(&self, id: SeedId) -> &Seed {
        &self.seeds[id.index()]
    }

    /// The seed with a hash, for making a case again.
    pub fn find(&self, hash: SeedHash) -> Option<SeedId> {
        self.seeds.iter().position(|s| s.hash == hash).map(|i| SeedId(i as u32))
    }

    /// The arena that all seeds are in.
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// The arena and a seed: for strategies that build terms and roll back.
    pub(crate) fn parts(&mut self, id: SeedId) -> (&mut Arena, &Seed) {
        (&mut self.arena, &self.seeds[id.index()])
    }
}

impl Pool {
    /// The arena, a seed, and perhaps another one.
    pub(crate) fn parts_with(
        &mut self,
        id: SeedId,
        other: Option<SeedId>,
    ) -> (&mut Arena, &Seed, Option<&Seed>) {
        let seeds = &self.seeds;
        (&mut self.arena, &seeds[id.index()], other.map(|other| &seeds[other.index()]))
    }
}

/// Reads a seed into an arena; a script that cannot be a seed leaves nothing there.
pub(crate) fn read(
    arena: &mut Arena,
    name: &str,
    text: &[u8],
    status: Option<Verdict>,
) -> Result<Seed, Unusable> {
    let (mut script, scope) = parsed(arena, text)?;
    let stated = stated(arena, &script);
    let labels = labels(arena, &script);
    script.comments.clear();
    script.commands.retain(|c| !matches!(c, Command::SetInfo(i) if i.keyword == sym::K_STATUS));
    let seed = index(arena, name, SeedHash::of(text), status.or(stated), script, scope, None);
    Ok(Seed { labels, ..seed })
}

/// Parses a script without flaws, or leaves nothing in the arena.
fn parsed(arena: &mut Arena, text: &[u8]) -> Result<(Script, Scope), Unusable> {
    let mark = arena.checkpoint();
    let parsed = match parse_script(arena, text) {
        Ok(parsed) => parsed,
        Err(e) => {
            arena.rollback(mark);
            return Err(Unusable::Unreadable(e.locate(text)));
        }
    };
    if let Some(d) = parsed.diagnostics.first() {
        arena.rollback(mark);
        return Err(Unusable::Flawed(d.locate(text)));
    }
    Ok((parsed.script, parsed.scope))
}

/// What a script says of its last query: the last `:status`, if each query has one.
fn stated(arena: &Arena, script: &Script) -> Option<Verdict> {
    let queries = script.commands.iter().filter(|c| is_query(arena, c)).count();
    let statuses: Vec<_> = script
        .commands
        .iter()
        .filter_map(|c| match c {
            Command::SetInfo(info) if info.keyword == sym::K_STATUS => info.value,
            _ => None,
        })
        .collect();
    let said =
        if queries <= 1 { statuses.first() } else { statuses.last().filter(|_| statuses.len() == queries) };
    said.and_then(|s| Verdict::of_status(arena.text(*s)))
}

/// Reads a script that was made from a seed, into another arena; its logic and what it may use are the seed's.
pub(crate) fn read_again(arena: &mut Arena, text: &[u8], seed: &Seed) -> Result<Seed, Unusable> {
    let (script, scope) = parsed(arena, text)?;
    Ok(index(arena, "", seed.hash, seed.status, script, scope, Some(seed.gate.clone())))
}

/// Prints a script and finds all places in it.
fn index(
    arena: &Arena,
    name: &str,
    hash: SeedHash,
    status: Option<Verdict>,
    script: Script,
    scope: Scope,
    gate: Option<Gate>,
) -> Seed {
    let places = Occurrences::new(arena, &script);
    let gate = gate.unwrap_or_else(|| Gate::of(arena, &script, &places));
    let (text, spans, _) = print(arena, &script);
    debug_assert_eq!(spans.len(), places.len(), "one span for each place");
    let coerced = coerced(arena, &places);
    Seed {
        name: name.to_owned(),
        hash,
        status,
        labels: Vec::new(),
        known_status: None,
        models: Vec::new(),
        script,
        scope,
        places,
        gate,
        text,
        spans,
        coerced,
    }
}

/// The places of integers where an operator wants reals, or compares and chooses between both.
fn coerced(arena: &Arena, places: &Occurrences) -> Box<[u32]> {
    let mut found = Vec::new();
    for place in places.all() {
        let View::App(fun, args) = arena.view(places.term(place)) else { continue };
        let Some(op) = arena.fun_view(fun).op else { continue };
        let is = |sort: Sort| args.iter().any(|&a| arena.sort_of(a) == sort);
        if !is(Sort::INT) {
            continue;
        }
        let row = arena.signatures().row(op);
        let wants_real = |i: usize| match row.args.get(i).or(row.args.last()) {
            Some(SortPattern::Exact(sort)) => *sort == Sort::REAL,
            Some(SortPattern::Var(_)) => arena.text(row.theory) == b"Core" && is(Sort::REAL),
            _ => false,
        };
        let children = crate::rules::child_places(places, place);
        let integers = children
            .iter()
            .enumerate()
            .filter(|(i, child)| arena.sort_of(places.term(**child)) == Sort::INT && wants_real(*i));
        found.extend(integers.map(|(_, child)| child.index() as u32));
    }
    found.sort_unstable();
    found.into()
}

/// The script as text, with the spans of its places and commands.
pub(crate) fn print(arena: &Arena, script: &Script) -> (Vec<u8>, Vec<Span>, Vec<Range<u32>>) {
    let (mut text, mut spans, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for command in &script.commands {
        let start = text.len() as u32;
        let printer = Printer::new(arena, &mut text);
        if command.is_term_query() {
            let mut printer = printer;
            printer.command(command);
        } else {
            printer.with_spans(&mut spans).command(command);
        }
        commands.push(start..text.len() as u32);
        text.push(b'\n');
    }
    (text, spans, commands)
}

/// Pieces of a text to be exchanged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits {
    /// Which piece of the old text, and which piece of `new` stands there instead: in order, none in another.
    pieces: Vec<(Range<u32>, Range<u32>)>,
    /// The new text, to be appended to before [`Edits::push`].
    pub(crate) new: Vec<u8>,
}

impl Edits {
    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
        self.new.clear();
    }

    /// Exchanges `old` for what was appended to `new` from `start` on. Pieces inside `old` go away with it.
    pub(crate) fn push(&mut self, old: Range<u32>, start: usize) {
        let shared = self.sharing(&old);
        self.pieces.splice(shared, [(old, start as u32..self.new.len() as u32)]);
    }

    /// Takes back the exchange of `old`, whose new text was appended last, from `start` on.
    pub(crate) fn take_back(&mut self, old: &Range<u32>, start: usize) {
        let shared = self.sharing(old);
        self.pieces.drain(shared);
        self.new.truncate(start);
    }

    /// The pieces that share anything with a range. Pieces are apart from each other and in order.
    fn sharing(&self, range: &Range<u32>) -> Range<usize> {
        let first = self.pieces.partition_point(|(p, _)| p.end <= range.start);
        let count = self.pieces[first..].partition_point(|(p, _)| p.start < range.end);
        first..first + count
    }

    /// Whether a piece that goes away shares anything with a range.
    pub(crate) fn touches(&self, range: &Range<u32>) -> bool {
        !self.sharing(range).is_empty()
    }

    /// Whether a place lies inside a piece that goes away.
    pub(crate) fn covers(&self, span: &Span) -> bool {
        let pieces = &self.pieces[self.sharing(&(span.start..span.end))];
        pieces.iter().any(|(p, _)| p.start <= span.start && span.end <= p.end)
    }

    /// Appends the text of `range` of `old` with all pieces exchanged.
    pub(crate) fn apply(&self, old: &[u8], range: Range<u32>, out: &mut Vec<u8>) {
        let first = self.pieces.partition_point(|(p, _)| p.start < range.start);
        let mut at = range.start;
        out.reserve((range.end - range.start) as usize + self.new.len());
        for (piece, new) in self.pieces[first..].iter().take_while(|(p, _)| p.end <= range.end) {
            out.extend_from_slice(&old[at as usize..piece.start as usize]);
            out.extend_from_slice(&self.new[new.start as usize..new.end as usize]);
            at = piece.end;
        }
        out.extend_from_slice(&old[at as usize..range.end as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_kept_without_comments_and_status_and_knows_both() {
        let mut pool = Pool::new();
        let text = b"; EXPECT: sat\n(set-info :status sat)(declare-const x Int)(assert (> x 1))(check-sat)";
        let id = pool.add("a.smt2", text, None).unwrap();
        let seed = pool.seed(id);
        assert_eq!(seed.status, Some(Verdict::Sat));
        assert_eq!(seed.text, b"(declare-const x Int)\n(assert (> x 1))\n(check-sat)\n");
        assert_eq!(pool.find(SeedHash::of(text)), Some(id));
    }

    #[test]
    fn a_script_that_cannot_be_a_seed_leaves_nothing_behind() {
        let mut pool = Pool::new();
        let mark = pool.arena().checkpoint();
        assert!(matches!(pool.add("a", b"(assert (> 1", None), Err(Unusable::Unreadable(_))));
        assert!(matches!(pool.add("a", b"(assert (+ true 1))", None), Err(Unusable::Flawed(_))));
        assert_eq!(pool.arena().checkpoint(), mark);
        assert!(pool.is_empty());
    }

    #[test]
    fn an_edit_around_another_replaces_it() {
        let mut edits = Edits::default();
        let mut edit = |range: Range<u32>, text: &[u8]| {
            let start = edits.new.len();
            edits.new.extend_from_slice(text);
            edits.push(range, start);
        };
        edit(2..3, b"X");
        edit(6..8, b"");
        edit(1..4, b"<>");
        let mut out = Vec::new();
        edits.apply(b"0123456789", 0..10, &mut out);
        assert_eq!(out, b"0<>4589");
    }
}
