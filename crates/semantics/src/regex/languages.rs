//! Questions about regular languages, answered by memoised derivatives over classes of characters.
//!
//! Characters that no expression distinguishes form one class, named by its least member. A derivative is computed
//! once per shape and class, so matching a string takes one table look-up per character. All questions are bounded:
//! [`Gap::TooLarge`] reports that a bound was reached.

use std::collections::{HashMap, HashSet, VecDeque};

use super::shape::{ALL, EPSILON, Id, NONE, Shape, Shapes};
use super::syntax::{Kind, Regex};
use crate::number::Int;
use crate::sequence;
use crate::string::MAX_CODE;
use crate::{Gap, Str};

/// A language known to a [`Languages`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Language(Id);

/// A workspace of languages and their derivatives.
///
/// It remembers everything, so that one workspace serves many questions; once it meets its bound, take a
/// fresh one.
pub struct Languages {
    shapes: Shapes,
    /// The least member of each class of characters, ascending.
    classes: Vec<u32>,
    derivatives: HashMap<(Id, u32), Id>,
    known: HashMap<Regex, Language>,
    limit: usize,
    /// The work since the last [`Languages::take_work`], and the most that is allowed.
    work: u64,
    allowed: u64,
}

/// The children of a node, those of the same associative kind replaced by their own: long chains of binary
/// nodes then cost linear, not quadratic, space.
fn flat_children(regex: &Regex, limit: usize) -> Result<Vec<&Regex>, Gap> {
    let nests = matches!(regex.kind(), Kind::Concat | Kind::Union | Kind::Inter);
    let repeats_matter = matches!(regex.kind(), Kind::Concat);
    let (mut out, mut seen) = (Vec::new(), HashSet::new());
    let mut todo: Vec<&Regex> = regex.children().iter().rev().collect();
    while let Some(child) = todo.pop() {
        if !repeats_matter && !seen.insert(child) {
            continue;
        }
        if nests && child.kind() == regex.kind() {
            todo.extend(child.children().iter().rev());
        } else {
            out.push(child);
        }
        if out.len() + todo.len() > limit {
            return Err(Gap::TooLarge);
        }
    }
    Ok(out)
}

impl Default for Languages {
    fn default() -> Self {
        Languages::new()
    }
}

impl Languages {
    /// An empty workspace with the usual bound on effort.
    pub fn new() -> Languages {
        Languages::with_limit(1_000_000)
    }

    /// An empty workspace that gives up beyond some number of shapes and derivatives.
    pub fn with_limit(limit: usize) -> Languages {
        Languages {
            shapes: Shapes::default(),
            classes: Vec::new(),
            derivatives: HashMap::new(),
            known: HashMap::new(),
            limit,
            work: 0,
            allowed: u64::MAX,
        }
    }

    /// Gives up questions that take more work than this, in steps of the evaluator.
    pub(crate) fn allow(&mut self, work: u64) {
        self.allowed = work;
    }

    /// The work since the last call, in steps of the evaluator.
    pub(crate) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work) + std::mem::take(&mut self.shapes.visited) / 4
    }

    fn check(&self) -> Result<(), Gap> {
        if self.shapes.size() + self.derivatives.len() > self.limit { Err(Gap::TooLarge) } else { Ok(()) }
    }

    /// The language of an expression.
    pub fn language(&mut self, regex: &Regex) -> Result<Language, Gap> {
        // Most evaluations need none: a workspace costs nothing until then.
        if self.classes.is_empty() {
            self.shapes = Shapes::new();
            self.classes.push(0);
        }
        let mut edges = Vec::new();
        let language = self.known(regex, &mut edges)?;
        if edges.is_empty() {
            return Ok(language);
        }
        self.work += (self.classes.len() + edges.len()) as u64 / 4;
        self.classes.extend(edges.into_iter().filter(|c| *c <= MAX_CODE));
        self.classes.sort_unstable();
        self.classes.dedup();
        Ok(language)
    }

    fn known(&mut self, regex: &Regex, edges: &mut Vec<u32>) -> Result<Language, Gap> {
        if let Some(language) = self.known.get(regex) {
            return Ok(*language);
        }
        let mut parts = Vec::new();
        for child in flat_children(regex, self.limit)? {
            parts.push(crate::with_room(|| self.known(child, edges))?.0);
        }
        let language = Language(self.build(regex.kind(), parts, edges));
        self.known.insert(regex.clone(), language);
        self.check()?;
        Ok(language)
    }

    /// The shape of one node; `edges` collects where classes of characters begin.
    fn build(&mut self, kind: &Kind, parts: Vec<Id>, edges: &mut Vec<u32>) -> Id {
        let only = parts.first().copied().unwrap_or(NONE);
        match kind {
            Kind::Chars(set) => {
                edges.extend(set.iter().flat_map(|(lo, hi)| [*lo, hi + 1]));
                self.shapes.chars(set.clone())
            }
            Kind::Literal(s) => s.codes().iter().rev().fold(EPSILON, |tail, c| {
                edges.extend([*c, c + 1]);
                let head = self.shapes.chars(vec![(*c, *c)]);
                self.shapes.concat(head, tail)
            }),
            Kind::Concat => {
                parts.into_iter().rev().fold(EPSILON, |tail, head| self.shapes.concat(head, tail))
            }
            Kind::Union => self.shapes.union(parts),
            Kind::Inter => self.shapes.inter(parts),
            Kind::Comp => self.shapes.comp(only),
            Kind::Loop(least, most) => self.shapes.repeat(only, *least, *most),
        }
    }

    fn class_of(&self, code: u32) -> u32 {
        self.classes[self.classes.partition_point(|least| *least <= code).saturating_sub(1)]
    }

    /// The language of what may follow a character of a class.
    fn step(&mut self, from: Id, class: u32) -> Result<Id, Gap> {
        self.work += 1;
        if self.work + self.shapes.visited / 4 > self.allowed {
            return Err(Gap::TooLarge);
        }
        if let Some(id) = self.derivatives.get(&(from, class)) {
            return Ok(*id);
        }
        self.check()?;
        Ok(self.derivative(from, class))
    }

    fn derivative(&mut self, id: Id, class: u32) -> Id {
        if let Some(known) = self.derivatives.get(&(id, class)) {
            return *known;
        }
        self.work += 2;
        let derived = crate::with_room(|| self.derive(id, class));
        self.derivatives.insert((id, class), derived);
        derived
    }

    /// The derivative of one shape from those of its parts.
    fn derive(&mut self, id: Id, class: u32) -> Id {
        match self.shapes.get(id).clone() {
            Shape::Epsilon => NONE,
            Shape::Chars(set) => {
                let after = set.partition_point(|(lo, _)| *lo <= class);
                if after > 0 && class <= set[after - 1].1 { EPSILON } else { NONE }
            }
            Shape::Concat(a, b) => {
                let first = self.derivative(a, class);
                let first = self.shapes.concat(first, b);
                if self.shapes.nullable(a) {
                    let second = self.derivative(b, class);
                    self.shapes.union(vec![first, second])
                } else {
                    first
                }
            }
            Shape::Union(ids) => {
                let parts = ids.iter().map(|id| self.derivative(*id, class)).collect();
                self.shapes.union(parts)
            }
            Shape::Inter(ids) => {
                let parts = ids.iter().map(|id| self.derivative(*id, class)).collect();
                self.shapes.inter(parts)
            }
            Shape::Comp(a) => {
                let inner = self.derivative(a, class);
                self.shapes.comp(inner)
            }
            Shape::Loop(a, least, most) => {
                let first = self.derivative(a, class);
                let rest = self.shapes.repeat(a, least.saturating_sub(1), most.map(|m| m.saturating_sub(1)));
                self.shapes.concat(first, rest)
            }
        }
    }

    /// `str.in_re`.
    pub fn accepts(&mut self, language: Language, s: &Str) -> Result<bool, Gap> {
        let mut state = language.0;
        for code in s.codes() {
            state = match state {
                NONE | ALL => break,
                _ => self.step(state, self.class_of(*code))?,
            };
        }
        Ok(self.shapes.nullable(state))
    }

    /// A shortest member; none if the language is empty.
    pub fn member(&mut self, language: Language) -> Result<Option<Str>, Gap> {
        // Each state with the position of its predecessor and the character that led here.
        let mut found = vec![(language.0, usize::MAX, 0u32)];
        let mut seen = HashSet::from([language.0]);
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            let state = found[at].0;
            if self.shapes.nullable(state) {
                let (mut codes, mut at) = (Vec::new(), at);
                while let Some((_, before, code)) = found.get(at).filter(|entry| entry.1 != usize::MAX) {
                    codes.push(*code);
                    at = *before;
                }
                codes.reverse();
                return Ok(Some(Str::from_valid(codes)));
            }
            for i in 0..self.classes.len() {
                let class = self.classes[i];
                let next = self.step(state, class)?;
                if next != NONE && seen.insert(next) {
                    queue.push_back(found.len());
                    found.push((next, at, class));
                }
            }
        }
        Ok(None)
    }

    /// A shortest string in exactly one of two languages; none if they are equal.
    pub fn difference(&mut self, a: Language, b: Language) -> Result<Option<Str>, Gap> {
        let (not_a, not_b) = (self.shapes.comp(a.0), self.shapes.comp(b.0));
        let (left, right) = (self.shapes.inter(vec![a.0, not_b]), self.shapes.inter(vec![not_a, b.0]));
        let either = self.shapes.union(vec![left, right]);
        self.member(Language(either))
    }

    /// The leftmost match at or after a position, and there the shortest: its start and end.
    fn find(
        &mut self,
        language: Language,
        s: &[u32],
        from: usize,
        least: usize,
    ) -> Result<Option<(usize, usize)>, Gap> {
        for start in from..=s.len() {
            let mut state = language.0;
            for end in start..=s.len() {
                if self.shapes.nullable(state) && end - start >= least {
                    return Ok(Some((start, end)));
                }
                if state == NONE || end == s.len() {
                    break;
                }
                state = self.step(state, self.class_of(s[end]))?;
            }
        }
        Ok(None)
    }

    /// `str.replace_re`: the leftmost, there shortest match, which may be empty.
    pub fn replace(&mut self, s: &Str, language: Language, by: &Str) -> Result<Str, Gap> {
        let codes = s.codes();
        match self.find(language, codes, 0, 0)? {
            Some((start, end)) => {
                sequence::concat(&[&codes[..start], by.codes(), &codes[end..]]).map(Str::from_valid)
            }
            None => Ok(s.clone()),
        }
    }

    /// `str.replace_re_all`: from left to right, each leftmost, there shortest non-empty match.
    ///
    /// cvc5 1.0.3 deviates on some expressions that hold a star under `re.opt`, or under `re.^` or `re.loop` with
    /// an upper bound of zero.
    pub fn replace_all(&mut self, s: &Str, language: Language, by: &Str) -> Result<Str, Gap> {
        let codes = s.codes();
        sequence::replace_each(codes, by.codes(), |from| self.find(language, codes, from, 1))
            .map(Str::from_valid)
    }

    /// `str.indexof_re`: where the first match at or after a position starts, or -1.
    pub fn index_of(&mut self, s: &Str, language: Language, from: &Int) -> Result<Int, Gap> {
        let found = match sequence::position(from) {
            Some(from) if from <= s.codes().len() => self.find(language, s.codes(), from, 0)?,
            _ => None,
        };
        Ok(found.map_or(Int::NEG_ONE, |(start, _)| Int::from(start)))
    }
}
