//! Laws of strings: concatenations are flat, with literals merged.

use smelt_smtlib::{Arena, Fun, Sort};

use super::node::{Head, Normal, Normals};
use crate::Str;
use crate::value::Value;

impl Normals {
    fn literal_string(&self, n: Normal) -> Option<&Str> {
        self.value(n).and_then(Value::as_str)
    }

    fn is_empty_string(&self, n: Normal) -> bool {
        self.literal_string(n).is_some_and(|s| s.codes().is_empty())
    }

    /// The parts of a concatenation, or the string itself.
    fn parts(&self, n: Normal) -> Vec<Normal> {
        if matches!(self.head(n), Head::Concat) { self.args(n).to_vec() } else { vec![n] }
    }

    /// The concatenation of strings.
    pub(super) fn concat(&mut self, args: &[Normal]) -> Normal {
        let mut parts: Vec<Normal> = Vec::new();
        for part in args.iter().flat_map(|a| self.parts(*a)).collect::<Vec<_>>() {
            if self.is_empty_string(part) {
                continue;
            }
            let last = parts.last().and_then(|last| self.literal_string(*last));
            match (last, self.literal_string(part)) {
                (Some(a), Some(b)) => {
                    if let Ok(both) = Str::concat(&[a, b]) {
                        parts.pop();
                        parts.push(self.constant(Value::Str(both), Sort::STRING));
                    } else {
                        parts.push(part);
                    }
                }
                _ => parts.push(part),
            }
        }
        match parts[..] {
            [] => self.constant(Value::Str(Str::empty()), Sort::STRING),
            [one] => one,
            _ => self.node(Head::Concat, parts.into(), Sort::STRING),
        }
    }

    /// Whether two strings are equal, by what they begin and end with.
    pub(super) fn equal_strings(&mut self, a: Normal, b: Normal) -> Option<Normal> {
        let (mut a, mut b) = (self.parts(a), self.parts(b));
        // Both ends, one after the other: the first parts, then the last ones.
        for _ in 0..2 {
            a.reverse();
            b.reverse();
            while let (Some(&x), Some(&y)) = (a.last(), b.last()) {
                if x == y {
                    a.pop();
                    b.pop();
                    continue;
                }
                break;
            }
        }
        let first = |n: &Normals, list: &[Normal], at_end: bool| -> Option<Vec<u32>> {
            let part = if at_end { list.last() } else { list.first() };
            let mut codes = n.literal_string(*part?)?.codes().to_vec();
            if at_end {
                codes.reverse();
            }
            Some(codes)
        };
        for at_end in [false, true] {
            if let (Some(x), Some(y)) = (first(self, &a, at_end), first(self, &b, at_end))
                && x.iter().zip(&y).any(|(x, y)| x != y)
            {
                return Some(Normal::FALSE);
            }
        }
        for (one, others) in [(&a, &b), (&b, &a)] {
            // A part is shorter than what it stands in, beside a literal.
            let longer = others.iter().any(|p| self.literal_string(*p).is_some());
            if matches!(one[..], [part] if longer && others.len() > 1 && others.contains(&part)) {
                return Some(Normal::FALSE);
            }
        }
        match (&a[..], &b[..]) {
            ([], []) => Some(Normal::TRUE),
            ([], rest) | (rest, []) => {
                // Each of the rest is empty; a literal is not.
                if rest.iter().any(|p| self.literal_string(*p).is_some()) {
                    return Some(Normal::FALSE);
                }
                let empty = self.constant(Value::Str(Str::empty()), Sort::STRING);
                let all: Vec<Normal> = rest
                    .iter()
                    .map(|p| self.node(Head::Equal, Box::new([(*p).min(empty), (*p).max(empty)]), Sort::BOOL))
                    .collect();
                Some(self.and(all))
            }
            _ => {
                let (a, b) = (self.concat(&a), self.concat(&b));
                (a != b).then(|| self.node(Head::Equal, Box::new([a.min(b), a.max(b)]), Sort::BOOL))
            }
        }
    }

    /// The form of an operator of strings; `None` if no law applies.
    pub(super) fn strings(
        &mut self,
        arena: &Arena,
        name: &str,
        fun: Fun,
        args: &[Normal],
        sort: Sort,
    ) -> Option<Normal> {
        let empty = |n: &mut Normals| n.constant(Value::Str(Str::empty()), Sort::STRING);
        let negative = |n: &Normals, a: Normal| n.number(a).is_some_and(|c| c.signum() < 0);
        Some(match (name, args) {
            ("str.++", _) => self.concat(args),
            ("str.len", &[s]) if matches!(self.head(s), Head::Concat) => {
                let lengths: Vec<(Normal, i64)> =
                    self.parts(s).iter().map(|p| (self.length(arena, fun, *p), 1)).collect();
                let sum = self.total(lengths);
                self.of_sum(arena, sum, sort)
            }
            ("str.prefixof" | "str.suffixof", &[a, b]) if a == b || self.is_empty_string(a) => Normal::TRUE,
            ("str.prefixof" | "str.suffixof", &[a, b]) if self.is_empty_string(b) => self.equal(arena, a, b),
            ("str.contains", &[a, b]) if a == b || self.is_empty_string(b) => Normal::TRUE,
            ("str.contains", &[a, b]) if self.is_empty_string(a) => self.equal(arena, a, b),
            ("str.<", &[a, b]) if a == b || self.is_empty_string(b) => Normal::FALSE,
            ("str.<=", &[a, b]) if a == b || self.is_empty_string(a) => Normal::TRUE,
            ("str.replace", &[s, from, to]) if from == to || s == from => {
                if s == from {
                    to
                } else {
                    s
                }
            }
            ("str.replace_all", &[s, from, to]) if from == to || self.is_empty_string(from) => s,
            ("str.replace_all" | "str.replace_re" | "str.replace_re_all", &[s, ..])
                if name == "str.replace_all" && self.is_empty_string(s) =>
            {
                s
            }
            ("str.at", &[s, i]) if self.is_empty_string(s) || negative(self, i) => empty(self),
            ("str.substr", &[s, from, count])
                if self.is_empty_string(s)
                    || negative(self, from)
                    || self.number(count).is_some_and(|c| c.signum() <= 0) =>
            {
                empty(self)
            }
            ("str.indexof", &[_, _, from]) if negative(self, from) => {
                self.constant(Value::Int((-1).into()), Sort::INT)
            }
            ("str.from_int" | "str.from_code", &[i]) if negative(self, i) => empty(self),
            // One language alone decides what the whole is.
            ("re.union", _) => *args.iter().find(|a| self.regex_name(arena, **a) == Some(b"re.all"))?,
            ("re.inter" | "re.++", _) => {
                *args.iter().find(|a| self.regex_name(arena, **a) == Some(b"re.none"))?
            }
            ("str.in_re", &[s, language]) => match self.regex_name(arena, language) {
                Some(b"re.none") => Normal::FALSE,
                Some(b"re.all") => Normal::TRUE,
                _ => {
                    let Value::RegLan(r) = self.value(language)? else { return None };
                    // The literals of a concatenation alone may be too long.
                    let parts = self.parts(s);
                    let literals = parts.iter().filter_map(|p| self.literal_string(*p));
                    let least: u64 = literals.map(|s| s.codes().len() as u64).sum();
                    let fits = r.lengths().is_some_and(|(_, most)| most.is_none_or(|most| least <= most));
                    if fits {
                        return None;
                    }
                    Normal::FALSE
                }
            },
            _ => return None,
        })
    }

    fn length(&mut self, arena: &Arena, fun: Fun, part: Normal) -> Normal {
        self.apply(arena, fun, &[part], Sort::INT)
    }

    /// The name of a language that is a constant of the standard.
    fn regex_name(&self, _arena: &Arena, language: Normal) -> Option<&'static [u8]> {
        use crate::Regex;
        match self.value(language)? {
            Value::RegLan(r) if *r == Regex::none() => Some(b"re.none"),
            Value::RegLan(r) if *r == Regex::all() => Some(b"re.all"),
            _ => None,
        }
    }
}
