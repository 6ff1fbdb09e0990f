//! Occurrences: the places of terms in a script.
//!
//! Terms are shared, but a mutator changes one place. This index lists every place of every term by sort and by
//! operator, so that a random choice takes constant time. It knows the local variables in scope at each place, and
//! replaces the term there by rebuilding only the path up to the command.
//!
//! Terms inside `:pattern` annotations are hints, not part of the formula, and are not listed.

use crate::abandon::tick;
use crate::arena::{Arena, Op, Sort, Symbol, Term, View};
use crate::intern::ids;
use crate::script::Script;

ids! {
    /// A place in a script; a position in its [`Occurrences`]. Places are numbered in the order they are printed.
    Occurrence
}

/// Which term of a script: of which command, and which of that command's [`Command::terms`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Root {
    /// Position of the command.
    pub command: u32,
    /// Position among its terms.
    pub slot: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    term: Term,
    parent: u32,
    /// Position among the parent's children; for a root, in `roots`.
    child: u32,
    /// One more than the position of the innermost variable in scope.
    scope: u32,
    /// After the last place inside.
    end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Local {
    name: Symbol,
    sort: Sort,
    outer: u32,
}

/// Places grouped by a key. Only keys with places are listed: most sorts and operators of an arena stand in other scripts.
#[derive(Clone, Debug, Default)]
struct Groups {
    /// The keys in order, each with the end of its group.
    ends: Vec<(u32, u32)>,
    members: Vec<Occurrence>,
}

impl Groups {
    /// Groups places that come in order; `pairs` is memory to work in.
    fn rebuild(
        &mut self,
        entries: impl Iterator<Item = (usize, Occurrence)>,
        pairs: &mut Vec<(u32, Occurrence)>,
    ) {
        pairs.clear();
        pairs.extend(entries.map(|(key, o)| (key as u32, o)));
        pairs.sort_unstable();
        self.ends.clear();
        self.members.clear();
        for &(key, o) in &*pairs {
            self.members.push(o);
            let end = self.members.len() as u32;
            match self.ends.last_mut() {
                Some(last) if last.0 == key => last.1 = end,
                _ => self.ends.push((key, end)),
            }
        }
    }

    #[inline]
    fn get(&self, key: usize) -> &[Occurrence] {
        let Ok(at) = self.ends.binary_search_by_key(&(key as u32), |group| group.0) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before].1);
        &self.members[start as usize..self.ends[at].1 as usize]
    }
}

/// All places of a script.
#[derive(Clone, Debug, Default)]
pub struct Occurrences {
    roots: Vec<Root>,
    /// The first place of each root.
    firsts: Vec<u32>,
    nodes: Vec<Node>,
    locals: Vec<Local>,
    by_sort: Groups,
    by_op: Groups,
    work: Vec<(Term, u32, u32, u32)>,
    pairs: Vec<(u32, Occurrence)>,
}

impl Occurrences {
    /// The places of a script's assertions and definitions.
    pub fn new(arena: &Arena, script: &Script) -> Self {
        let mut occurrences = Occurrences::default();
        occurrences.rebuild(arena, script);
        occurrences
    }

    /// The same for another script, or the same one after changes; memory is reused.
    pub fn rebuild(&mut self, arena: &Arena, script: &Script) {
        self.roots.clear();
        self.firsts.clear();
        self.nodes.clear();
        self.locals.clear();
        for (i, command) in script.commands.iter().enumerate() {
            if command.is_term_query() {
                continue; // a question, not a part of the formula
            }
            let mut headers = command.definitions().map(|d| d.0);
            for (slot, term) in command.terms().enumerate() {
                let params = headers.next().map_or(&[][..], |h| &h.params);
                let scope = self.bind(arena, 0, params.iter().copied());
                self.roots.push(Root { command: i as u32, slot: slot as u32 });
                self.firsts.push(self.nodes.len() as u32);
                self.walk(arena, term, self.roots.len() as u32 - 1, scope);
            }
        }
        let rows = arena.signatures().rows().len();
        let places = self.nodes.iter().enumerate().map(|(i, n)| (n.term, Occurrence(i as u32)));
        let pairs = &mut self.pairs;
        self.by_sort.rebuild(places.clone().map(|(t, o)| (arena.sort_of(t).index(), o)), pairs);
        // The last group is for terms that are not operators.
        self.by_op.rebuild(places.map(|(t, o)| (arena.op(t).map_or(rows, Op::index), o)), pairs);
    }

    /// Gives back memory that only building needs, for an index that is kept.
    pub fn shrink_to_fit(&mut self) {
        (self.work, self.pairs) = (Vec::new(), Vec::new());
        self.nodes.shrink_to_fit();
        for groups in [&mut self.by_sort, &mut self.by_op] {
            groups.ends.shrink_to_fit();
            groups.members.shrink_to_fit();
        }
    }

    /// Adds variables to a scope; the new scope.
    fn bind(&mut self, arena: &Arena, scope: u32, vars: impl Iterator<Item = (Symbol, Sort)>) -> u32 {
        let mut scope = scope;
        for (name, sort) in vars {
            self.locals.push(Local { name, sort: arena.canonical(sort), outer: scope });
            scope = self.locals.len() as u32;
        }
        scope
    }

    fn walk(&mut self, arena: &Arena, root: Term, root_index: u32, scope: u32) {
        let mut work = std::mem::take(&mut self.work);
        work.push((root, NONE, root_index, scope));
        while let Some((term, parent, child, scope)) = work.pop() {
            tick();
            let at = self.nodes.len() as u32;
            self.nodes.push(Node { term, parent, child, scope, end: at + 1 });
            let children = arena.children(term);
            let base = work.len();
            match arena.view(term) {
                View::Let(v) => {
                    let vars = v.bindings().map(|(name, t)| (name, arena.sort_of(t)));
                    let inner = self.bind(arena, scope, vars);
                    let body = children.len() - 1;
                    work.extend(children[..body].iter().zip(0..).map(|(&t, i)| (t, at, i, scope)));
                    work.push((children[body], at, body as u32, inner));
                }
                View::Binder(v) => {
                    let inner = self.bind(arena, scope, v.vars());
                    work.extend(children.iter().zip(0..).map(|(&t, i)| (t, at, i, inner)));
                }
                View::Match(v) => {
                    work.push((children[0], at, 0, scope));
                    for (i, (pattern, body)) in v.cases().enumerate() {
                        let inner = self.bind(arena, scope, pattern.vars());
                        work.push((body, at, i as u32 + 1, inner));
                    }
                }
                View::Annotated(v) => work.push((v.term(), at, 0, scope)),
                _ => work.extend(children.iter().zip(0..).map(|(&t, i)| (t, at, i, scope))),
            }
            work[base..].reverse();
        }
        self.work = work;
        // The places inside a place come after it: compute the ends from the back.
        let first = self.nodes.len() - self.nodes.iter().rev().take_while(|n| n.parent != NONE).count() - 1;
        for i in (first..self.nodes.len()).rev() {
            let Node { parent, end, .. } = self.nodes[i];
            if parent != NONE {
                let outer = &mut self.nodes[parent as usize].end;
                *outer = (*outer).max(end);
            }
        }
    }

    /// How many places there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether the script has no terms.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// All places in the order they are printed.
    pub fn all(&self) -> impl ExactSizeIterator<Item = Occurrence> + use<> {
        (0..self.nodes.len() as u32).map(Occurrence)
    }

    /// The `i`-th place.
    pub fn get(&self, i: usize) -> Option<Occurrence> {
        (i < self.nodes.len()).then_some(Occurrence(i as u32))
    }

    /// The places of terms of this (canonical) sort.
    pub fn of_sort(&self, sort: Sort) -> &[Occurrence] {
        self.by_sort.get(sort.index())
    }

    /// The places where this operator is applied.
    pub fn of_op(&self, op: Op) -> &[Occurrence] {
        self.by_op.get(op.index())
    }

    /// The term at a place.
    #[inline]
    pub fn term(&self, o: Occurrence) -> Term {
        self.nodes[o.index()].term
    }

    /// The place around, and which of its children this is; `None` at a root.
    pub fn parent(&self, o: Occurrence) -> Option<(Occurrence, usize)> {
        let n = &self.nodes[o.index()];
        (n.parent != NONE).then_some((Occurrence(n.parent), n.child as usize))
    }

    /// The places inside, itself included, as a range of positions.
    pub fn inside(&self, o: Occurrence) -> std::ops::Range<usize> {
        o.index()..self.nodes[o.index()].end as usize
    }

    /// The term of the script that a place is in.
    pub fn root(&self, o: Occurrence) -> Root {
        // Not by going up: that takes as long as a term is deep, for each of its places.
        self.roots[self.firsts.partition_point(|first| *first <= o.0) - 1]
    }

    /// The variables bound around a place, innermost first. One may be hidden by an inner one of the same name.
    pub fn locals(&self, o: Occurrence) -> impl Iterator<Item = (Symbol, Sort)> + '_ {
        let mut at = self.nodes[o.index()].scope;
        std::iter::from_fn(move || {
            let l = self.locals.get((at as usize).checked_sub(1)?)?;
            at = l.outer;
            Some((l.name, l.sort))
        })
    }

    /// The variables bound around a place, as a number: 0 for none. See [`Occurrences::bound`].
    pub fn scope(&self, o: Occurrence) -> u32 {
        self.nodes[o.index()].scope
    }

    /// The innermost variable of a scope, and the scope around it.
    pub fn bound(&self, scope: u32) -> Option<(Symbol, Sort, u32)> {
        let l = self.locals.get((scope as usize).checked_sub(1)?)?;
        Some((l.name, l.sort, l.outer))
    }

    /// How many scopes there are: all have lower numbers.
    pub fn scopes(&self) -> u32 {
        self.locals.len() as u32 + 1
    }

    /// Whether the same variables are bound around two places, one inside the other.
    pub fn same_scope(&self, outer: Occurrence, inner: Occurrence) -> bool {
        self.nodes[outer.index()].scope == self.nodes[inner.index()].scope
    }

    /// The sort of the variable that a name refers to at a place, if a binder around it binds the name.
    pub fn local(&self, o: Occurrence, name: Symbol) -> Option<Sort> {
        self.locals(o).find(|l| l.0 == name).map(|l| l.1)
    }

    /// Puts `new`, of the same sort, at `o`; the root and its new term. The index does not change.
    pub fn replace(&self, arena: &mut Arena, o: Occurrence, new: Term) -> (Root, Term) {
        let mut children: Vec<Term> = Vec::new();
        let mut at = &self.nodes[o.index()];
        let mut new = new;
        while at.parent != NONE {
            let parent = &self.nodes[at.parent as usize];
            children.clear();
            children.extend_from_slice(arena.children(parent.term));
            children[at.child as usize] = new;
            new = arena.with_children(parent.term, &children);
            at = parent;
        }
        (self.roots[at.child as usize], new)
    }
}

impl Script {
    /// Replaces a term of a command; the old one.
    pub fn set_root(&mut self, root: Root, term: Term) -> Option<Term> {
        let slot = self.commands.get_mut(root.command as usize)?.terms_mut().nth(root.slot as usize)?;
        Some(std::mem::replace(slot, term))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_script;

    const TEXT: &[u8] = b"(declare-fun f (Int) Int)
(define-fun g ((p Int)) Int (+ p 1))
(assert (let ((a (f 1)) (b 2)) (forall ((x Int) (y Bool)) (! (=> y (= (+ a b) (g x))) :pattern ((g x))))))
(assert (< (f 1) (f 1) 3))";

    fn with(test: impl Fn(&mut Arena, Script, Occurrences)) {
        let mut arena = Arena::new();
        let script = parse_script(&mut arena, TEXT).unwrap().script;
        let occurrences = Occurrences::new(&arena, &script);
        test(&mut arena, script, occurrences);
    }

    #[test]
    fn groups_hold_exactly_the_places_of_a_sort_and_an_operator() {
        with(|arena, _, o| {
            let ints: Vec<_> = o.all().filter(|&p| arena.sort_of(o.term(p)) == Sort::INT).collect();
            assert_eq!(o.of_sort(Sort::INT), ints);
            assert_eq!(o.of_sort(Sort::BOOL).len() + ints.len(), o.len());
            let plus = o.all().find_map(|p| arena.op(o.term(p))).unwrap();
            let same: Vec<_> = o.all().filter(|&p| arena.op(o.term(p)) == Some(plus)).collect();
            assert_eq!(same.len(), 2);
            assert_eq!(o.of_op(plus), same);
        });
    }

    #[test]
    fn one_of_two_shared_places_is_replaced() {
        with(|arena, mut script, o| {
            let calls: Vec<_> = o.all().filter(|&p| arena.display_term(o.term(p)) == "(f 1)").collect();
            assert_eq!(calls.len(), 3);
            assert_eq!(o.term(calls[1]), o.term(calls[2]), "they share one term");
            let three = o.all().map(|p| o.term(p)).find(|&t| arena.display_term(t) == "3").unwrap();
            let (root, new) = o.replace(arena, calls[2], three);
            let old = script.set_root(root, new).unwrap();
            assert_eq!(arena.display_term(old), "(< (f 1) (f 1) 3)");
            assert_eq!(arena.display_term(new), "(< (f 1) 3 3)");
        });
    }

    #[test]
    fn variables_in_scope_are_those_bound_around_the_place() {
        with(|arena, _, o| {
            let at = |text: &str| o.all().find(|&p| arena.display_term(o.term(p)) == text).unwrap();
            let names = |p| o.locals(p).map(|l| arena.name(l.0).into_owned()).collect::<Vec<_>>();
            assert_eq!(names(at("(+ p 1)")), ["p"]);
            assert_eq!(names(at("(g x)")), ["y", "x", "b", "a"]);
            assert_eq!(names(at("(f 1)")), [""; 0]);
            assert_eq!(names(at("2")), [""; 0], "definitions of a let are outside its scope");
        });
    }

    #[test]
    fn printed_spans_are_the_places_in_order() {
        with(|arena, script, o| {
            let (mut text, mut spans) = (Vec::new(), Vec::new());
            crate::Printer::new(arena, &mut text).with_spans(&mut spans).script(&script);
            assert_eq!(text, arena.display_script(&script), "noting changes nothing");
            assert_eq!(spans.len(), o.len());
            for (p, span) in o.all().zip(&spans) {
                let shown = &text[span.start as usize..span.end as usize];
                assert_eq!(String::from_utf8_lossy(shown), arena.display_term(o.term(p)));
                let head = &text[span.start as usize..span.head as usize];
                if let View::Binder(_) = arena.view(o.term(p)) {
                    assert_eq!(head, b"(forall");
                }
                if arena.op(o.term(p)).is_some() {
                    assert!([&b"(+"[..], b"(<", b"(=", b"(=>"].contains(&head));
                }
            }
        });
    }

    #[test]
    fn inside_is_the_subtree() {
        with(|arena, _, o| {
            for p in o.all() {
                for q in o.all() {
                    let mut up = Some(q);
                    while up.is_some_and(|u| u != p) {
                        up = o.parent(up.unwrap()).map(|x| x.0);
                    }
                    assert_eq!(
                        o.inside(p).contains(&q.index()),
                        up.is_some(),
                        "{}",
                        arena.display_term(o.term(q))
                    );
                }
            }
        });
    }
}
