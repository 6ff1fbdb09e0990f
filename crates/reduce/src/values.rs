//! The simplest values of a sort.

use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Fun, Index, Literal, Sort, SortKind, SortView, Symbol, Term, View, sym};

/// Terms without variables of a sort, the simplest first. Empty where none is known.
pub(crate) fn simplest(arena: &mut Arena, script: &Script, sort: Sort) -> Vec<Term> {
    match sort {
        Sort::BOOL => vec![constant(arena, "true"), constant(arena, "false")].into_iter().flatten().collect(),
        Sort::INT => {
            vec![literal(arena, Literal::Numeral, "0", sort), literal(arena, Literal::Numeral, "1", sort)]
        }
        Sort::REAL => {
            vec![literal(arena, Literal::Decimal, "0.0", sort), literal(arena, Literal::Decimal, "1.0", sort)]
        }
        Sort::STRING => vec![literal(arena, Literal::String, "", sort)],
        Sort::REGLAN => {
            ["re.all", "re.none", "re.allchar"].iter().filter_map(|n| constant(arena, n)).collect()
        }
        Sort::ROUNDING_MODE => constant(arena, "RNE").into_iter().collect(),
        _ => structured(arena, script, sort),
    }
}

fn structured(arena: &mut Arena, script: &Script, sort: Sort) -> Vec<Term> {
    if let Some(width) = arena.bitvec_width(sort) {
        return [0, 1].iter().filter_map(|n| bits(arena, width, *n)).collect();
    }
    if let Some((e, s)) = arena.float_format(sort) {
        let indices: Option<Vec<Index>> = [e, s].into_iter().map(Index::number).collect();
        let name = arena.symbol(b"+zero");
        let zero = indices.and_then(|i| arena.resolve(name, &i, None, None));
        return zero.map(|(fun, sort)| arena.app(fun, &[], sort)).into_iter().collect();
    }
    let SortView { head, kind, args, .. } = arena.sort_view(sort);
    if kind != SortKind::Constructor {
        return Vec::new();
    }
    if head == sym::SEQ && args.len() == 1 {
        let name = arena.symbol(b"seq.empty");
        let empty = arena.resolve(name, &[], Some(sort), None);
        return empty.map(|(fun, sort)| arena.app(fun, &[], sort)).into_iter().collect();
    }
    if !args.is_empty() {
        return Vec::new();
    }
    let datatypes = script.commands.iter().filter_map(|c| match c {
        Command::DeclareDatatypes(_, d) => Some(d),
        _ => None,
    });
    let constant = datatypes.flatten().filter(|d| d.name == head).flat_map(|d| &d.constructors);
    let names: Vec<Symbol> = constant.filter(|c| c.selectors.is_empty()).map(|c| c.name).take(2).collect();
    names
        .into_iter()
        .map(|name| {
            let fun = arena.fun(name, None, &[], None);
            arena.app(fun, &[], sort)
        })
        .collect()
}

/// A literal of a sort that fits it.
pub(crate) fn literal(arena: &mut Arena, kind: Literal, text: &str, sort: Sort) -> Term {
    let text = arena.symbol(text.as_bytes());
    arena.literal(kind, text, sort)
}

/// A bit-vector literal in its shortest spelling; `None` when it is too wide to spell.
pub(crate) fn bits(arena: &mut Arena, width: u32, value: u64) -> Option<Term> {
    if width == 0 || width > 4096 {
        return None;
    }
    let sort = arena.bitvec(width);
    let digits = if width.is_multiple_of(4) { width / 4 } else { width } as usize;
    if digits > 8 {
        // `(_ bv0 64)`: one digit takes as much room as many.
        let name = arena.symbol(format!("bv{value}").as_bytes());
        let fun = arena.fun(name, None, &[Index::number(width)?], None);
        return Some(arena.app(fun, &[], sort));
    }
    let fits = |base: u64| (0..digits).try_fold(value, |v, _| Some(v / base)) == Some(0);
    let (kind, text) = if width.is_multiple_of(4) {
        (Literal::Hex, format!("#x{value:0digits$x}"))
    } else {
        (Literal::Binary, format!("#b{value:0digits$b}"))
    };
    let base = if kind == Literal::Hex { 16 } else { 2 };
    fits(base).then(|| literal(arena, kind, &text, sort))
}

fn constant(arena: &mut Arena, name: &str) -> Option<Term> {
    let name = arena.symbol(name.as_bytes());
    let (fun, sort) = arena.resolve(name, &[], None, None)?;
    Some(arena.app(fun, &[], sort))
}

/// Whether a head is `(_ bv5 32)`.
pub(crate) fn is_bits(arena: &Arena, fun: Fun) -> bool {
    let f = arena.fun_view(fun);
    let digits = arena.text(f.name).strip_prefix(b"bv");
    f.indices.len() == 1 && digits.is_some_and(|d| !d.is_empty() && d.iter().all(u8::is_ascii_digit))
}

/// Whether a term is a literal or a constant of a theory: as simple as can be.
pub(crate) fn is_value(arena: &Arena, term: Term) -> bool {
    match arena.view(term) {
        View::Literal(..) => true,
        View::App(fun, []) => arena.fun_view(fun).op.is_some() || is_bits(arena, fun),
        _ => false,
    }
}
