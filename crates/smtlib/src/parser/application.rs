//! Resolves names, with or without arguments: local variables, declarations, operators, families such as `bv5`.

use super::Parser;
use super::term::Head;
use crate::arena::{Arena, Index, IndexView, Literal, Sort, SortKind, Strictness, Symbol, Term, sym};
use crate::scope::{Declaration, Role};

impl Parser<'_, '_> {
    /// A name without arguments.
    #[inline]
    pub(super) fn constant(&mut self, name: Symbol, offset: u32) -> Term {
        if let Some(term) = self.scope.local_term(name, self.arena) {
            return term;
        }
        if let Some(d) = self.scope.declared(name).next()
            && let Some(term) = d.term
        {
            return term;
        }
        self.application(self.plain_head(name, offset), self.values.len() as u32, false)
    }

    /// `head` over the values from `base` on; `applied` when parentheses were around it.
    pub(super) fn application(&mut self, head: Head, base: u32, applied: bool) -> Term {
        let base = base as usize;
        let plain = self.indices.len() == head.indices as usize && head.ascribed.is_none();
        if plain && let Some(local) = self.scope.local_term(head.name, self.arena) {
            if self.values.len() == base {
                return local;
            }
            // A variable that is not a function does not hide a function of the same name.
            let sort = self.arena.sort_view(self.arena.sort_of(local)).head;
            if matches!(sort, sym::ARROW | sym::ARRAY | sym::UNKNOWN) {
                self.values.insert(base, local);
                return self.term_application(base as u32, head.offset);
            }
        }
        if let Some(term) = self.declared_application(head, base, plain) {
            return term;
        }
        let indices = &self.indices[head.indices as usize..];
        let args = &self.values[base..];
        let resolved = self.arena.resolve(head.name, indices, head.ascribed, applied.then_some(args));
        if let Some((fun, sort)) = resolved {
            return self.arena.app(fun, &self.values[base..], sort);
        }
        self.irregular_application(head, base, plain, applied)
    }

    /// Declared by the script.
    fn declared_application(&mut self, head: Head, base: usize, plain: bool) -> Option<Term> {
        self.scope.declared(head.name).next()?;
        if self.indices.len() > head.indices as usize {
            return None;
        }
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            for d in self.scope.declared(head.name) {
                let args = &self.values[base..];
                if d.parametric {
                    if let Some(sort) = instantiate(self.arena, d, head.ascribed, args, strictness) {
                        let fun = self.arena.fun(head.name, None, &[], head.ascribed);
                        return Some(self.arena.app(fun, args, sort));
                    }
                    continue;
                }
                let given = args.iter().map(|&t| self.arena.sort_of(t));
                let fits =
                    d.args.iter().zip(given).all(|(&want, have)| self.arena.fits(want, have, strictness));
                if let Some(sort) = fits.then(|| partial_sort(self.arena, d, args.len())).flatten() {
                    let own = args.len() != d.args.len() || plain;
                    let fun = if own { d.fun } else { self.arena.fun(head.name, None, &[], head.ascribed) };
                    return Some(self.arena.app(fun, args, sort));
                }
            }
        }
        None
    }

    /// Families of names, and undeclared names.
    #[cold]
    fn irregular_application(&mut self, head: Head, base: usize, plain: bool, applied: bool) -> Term {
        let indices: Vec<Index> = self.indices[head.indices as usize..].to_vec();
        let args: Vec<Term> = self.values[base..].to_vec();
        if plain
            && !applied
            && let Some(term) = self.negative_number(head.name)
        {
            return term;
        }
        let sort = match self.family(head, &indices, &args) {
            Some(sort) => sort,
            None => {
                self.complain_unresolved(head, &args, plain, applied);
                Sort::UNKNOWN
            }
        };
        let fun = self.arena.fun(head.name, None, &indices, head.ascribed);
        self.arena.app(fun, &args, sort)
    }

    /// `-2` and `-4.2`, which solvers read as numbers.
    fn negative_number(&mut self, name: Symbol) -> Option<Term> {
        let digits = self.arena.text(name).strip_prefix(b"-")?.to_vec();
        let decimal = digits.contains(&b'.');
        let numeric = digits.first()?.is_ascii_digit() && digits.last()?.is_ascii_digit();
        if !numeric || !digits.iter().all(|c| c.is_ascii_digit() || *c == b'.') {
            return None;
        }
        let text = self.arena.symbol(&digits);
        let (kind, sort) =
            if decimal { (Literal::Decimal, Sort::REAL) } else { (Literal::Numeral, self.numeral_sort) };
        let number = self.arena.literal(kind, text, sort);
        let (fun, sort) = self.arena.resolve(sym::MINUS, &[], None, Some(&[number]))?;
        Some(self.arena.app(fun, &[number], sort))
    }

    /// The sort of a name that belongs to a family.
    fn family(&mut self, head: Head, indices: &[Index], args: &[Term]) -> Option<Sort> {
        let text = self.arena.text(head.name);
        match (head.name, indices, args) {
            // `(_ is c)`, `(_ is (c (A) S))`
            (sym::IS, [c], [arg]) => {
                let IndexView::Text(c) = c.view() else { return None };
                let known = self.scope.declared(c).any(|d| d.role == Role::Constructor);
                let builtin = self.arena.signatures().named(c).next().is_some();
                let list = self.arena.text(c).first() == Some(&b'(');
                let unknown_arg = self.arena.sort_of(*arg) == Sort::UNKNOWN;
                (known || builtin || list || unknown_arg).then_some(Sort::BOOL)
            }
            (sym::UPDATE | sym::UPDATE_FIELD, [s], [record, _]) => {
                let IndexView::Text(s) = s.view() else { return None };
                self.scope.declared(s).any(|d| d.role == Role::Selector).then(|| self.arena.sort_of(*record))
            }
            // `(_ bv5 8)`
            (_, [width], []) if is_bv_literal(text) => {
                let width = width.as_number().filter(|&w| w > 0)?;
                Some(self.arena.bitvec(width))
            }
            // `(as ff3 (_ FiniteField 5))` and models' `(as @a0 T)`
            (_, [], []) if head.ascribed.is_some() && (text.starts_with(b"ff") || text.starts_with(b"@")) => {
                head.ascribed.map(|s| self.arena.canonical(s))
            }
            // z3's abstract values `T!val!0` stay unknown; so does `(_ as-array f)`, an array of a declared function.
            (sym::AS_ARRAY, [f], []) => {
                let IndexView::Text(f) = f.view() else { return None };
                let d = self.scope.declared(f).next()?;
                let mut parts = d.args.to_vec();
                parts.push(d.result);
                Some(self.arena.sort(sym::ARRAY, &parts))
            }
            // `((_ map f) a)` for a declared function
            _ if text.starts_with(b"is-") && args.len() == 1 => {
                let known = self.arena.sort_of(args[0]) == Sort::UNKNOWN;
                let name = text[3..].to_vec();
                let builtin = self
                    .arena
                    .find_symbol(&name)
                    .is_some_and(|c| self.arena.signatures().named(c).next().is_some());
                (known || builtin).then_some(Sort::BOOL)
            }
            _ => None,
        }
    }

    #[cold]
    fn complain_unresolved(&mut self, head: Head, args: &[Term], plain: bool, applied: bool) {
        let declared = self.scope.declared(head.name).next().is_some();
        let operator = self.arena.signatures().named(head.name).next().is_some();
        if !declared && !operator {
            return self.complain_undeclared(
                head.offset,
                if applied { "function" } else { "symbol" },
                head.name,
            );
        }
        // An operator as a value: a function whose sort depends on its place.
        if operator && plain && !applied {
            return;
        }
        let sorts: Vec<String> =
            args.iter().map(|&t| self.arena.display_sort(self.arena.sort_of(t))).collect();
        let name = self.arena.name(head.name);
        let message = if args.is_empty() {
            format!("`{name}` does not fit here as it is written")
        } else {
            format!("`{name}` cannot be applied to {}", sorts.join(", "))
        };
        self.complain(head.offset, message);
    }

    /// A term applied: the head is the first value from `base` on.
    pub(super) fn term_application(&mut self, base: u32, offset: u32) -> Term {
        let children = self.values[base as usize..].to_vec();
        let head = self.arena.sort_of(children[0]);
        let taken = children.len() - 1;
        // `(-> A (-> B C))` takes two arguments as `(-> A B C)` does.
        let mut parts = Vec::new();
        let mut rest = head;
        while parts.len() <= taken {
            let view = self.arena.sort_view(rest);
            if !matches!(view.head, sym::ARROW | sym::ARRAY) {
                break;
            }
            parts.pop();
            parts.extend_from_slice(view.args);
            rest = parts[parts.len() - 1];
        }
        let fits =
            |i: usize| self.arena.fits(parts[i], self.arena.sort_of(children[i + 1]), Strictness::Lenient);
        let fitting = parts.len() > taken && (0..taken).all(fits);
        let sort = if fitting { self.arena.function_sort(&parts[taken..]) } else { Sort::UNKNOWN };
        if !fitting && head != Sort::UNKNOWN {
            let shown = self.arena.display_sort(head);
            self.complain(offset, format!("a term of sort {shown} cannot be applied to these arguments"));
        }
        self.arena.apply_term(&children, sort)
    }
}

fn is_bv_literal(text: &[u8]) -> bool {
    text.strip_prefix(b"bv").is_some_and(|d| !d.is_empty() && d.iter().all(u8::is_ascii_digit))
}

/// The sort of a declared function applied to this many arguments. With too few it is a function of the others; with
/// too many, the result must be a function that takes them.
fn partial_sort(arena: &mut Arena, d: &Declaration, given: usize) -> Option<Sort> {
    let parts: Vec<Sort> = match given.checked_sub(d.args.len()) {
        Some(0) => return Some(d.result),
        Some(extra) => {
            let result = arena.sort_view(d.result);
            let takes_more = result.head == sym::ARROW && extra < result.args.len();
            takes_more.then(|| result.args[extra..].to_vec())?
        }
        None if d.role == Role::Constructor => return None,
        None => d.args[given..].iter().copied().chain([d.result]).collect(),
    };
    Some(arena.function_sort(&parts))
}

/// The result sort of a function with sort parameters, at the sorts of its arguments.
fn instantiate(
    arena: &mut Arena,
    d: &Declaration,
    ascribed: Option<Sort>,
    args: &[Term],
    strictness: Strictness,
) -> Option<Sort> {
    if d.args.len() != args.len() {
        return None;
    }
    let mut bound: Vec<(Symbol, Sort)> = Vec::new();
    if let Some(sort) = ascribed {
        // `(as c S)` names the sort of the result.
        if !unify(arena, d.result, arena.canonical(sort), &mut bound, strictness) {
            return None;
        }
    }
    for (&want, &arg) in d.args.iter().zip(args) {
        if !unify(arena, want, arena.sort_of(arg), &mut bound, strictness) {
            return None;
        }
    }
    let sort = arena.substitute(d.result, &|p| bound.iter().find(|b| b.0 == p).map(|b| b.1));
    // A parameter that nothing determines, as in `nil` without `as`.
    let undetermined = ascribed.is_none() && args.is_empty() && arena.is_parametric(sort);
    Some(if undetermined { Sort::UNKNOWN } else { sort })
}

/// Binds the sort parameters in `want` so that it becomes `have`.
fn unify(
    arena: &Arena,
    want: Sort,
    have: Sort,
    bound: &mut Vec<(Symbol, Sort)>,
    strictness: Strictness,
) -> bool {
    if have == Sort::UNKNOWN {
        return strictness == Strictness::Lenient;
    }
    if !arena.is_parametric(want) {
        return arena.fits(want, have, strictness);
    }
    let w = arena.sort_view(want);
    if w.kind == SortKind::Parameter {
        return match bound.iter().find(|b| b.0 == w.head) {
            Some(b) => arena.fits(b.1, have, strictness),
            None => {
                bound.push((w.head, have));
                true
            }
        };
    }
    let h = arena.sort_view(have);
    w.head == h.head
        && w.args.len() == h.args.len()
        && w.args.iter().zip(h.args).all(|(&w, &h)| unify(arena, w, h, bound, strictness))
}
