//! New terms: the simplest values of a sort, constants, literals, operators by name.

use smelt_semantics::BitVec;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Fun, Index, Literal, Sort, SortKind, SortView, Symbol, Term, View, sym};

/// Terms without variables of a sort, the simplest first. Empty where none is known.
pub(crate) fn simplest(arena: &mut Arena, script: &Script, sort: Sort) -> Vec<Term> {
    let mut literals = |kind: Literal, texts: &[&str]| -> Vec<Term> {
        texts.iter().map(|text| literal(arena, kind, text, sort)).collect()
    };
    match sort {
        Sort::BOOL => theory_constants(arena, &["true", "false"], &[], None),
        Sort::INT => literals(Literal::Numeral, &["0", "1"]),
        Sort::REAL => literals(Literal::Decimal, &["0.0", "1.0"]),
        Sort::STRING => literals(Literal::String, &[""]),
        Sort::REGLAN => theory_constants(arena, &["re.all", "re.none", "re.allchar"], &[], None),
        Sort::ROUNDING_MODE => theory_constants(arena, &["RNE"], &[], None),
        _ => structured(arena, script, sort),
    }
}

fn structured(arena: &mut Arena, script: &Script, sort: Sort) -> Vec<Term> {
    if let Some(width) = arena.bitvec_width(sort) {
        return [0, 1].iter().filter_map(|n| bits(arena, width, *n)).collect();
    }
    if arena.float_format(sort).is_some() {
        return float_constants(arena, &["+zero"], sort);
    }
    let SortView { head, kind, args, .. } = arena.sort_view(sort);
    if kind != SortKind::Constructor {
        return Vec::new();
    }
    if head == sym::SEQ && args.len() == 1 {
        return theory_constants(arena, &["seq.empty"], &[], Some(sort));
    }
    if !args.is_empty() {
        return Vec::new();
    }
    let datatypes = script.commands.iter().filter_map(|c| match c {
        Command::DeclareDatatypes(_, d) => Some(d),
        _ => None,
    });
    let constructors = datatypes.flatten().filter(|d| d.name == head).flat_map(|d| &d.constructors);
    let constants = constructors.filter(|c| c.selectors.is_empty()).take(2);
    constants.map(|c| constant(arena, c.name, sort)).collect()
}

/// Constants of a theory, as far as they are known.
fn theory_constants(
    arena: &mut Arena,
    names: &[&str],
    indices: &[Index],
    ascribed: Option<Sort>,
) -> Vec<Term> {
    let resolve = |name: &&str| {
        let name = arena.symbol(name.as_bytes());
        let (fun, sort) = arena.resolve(name, indices, ascribed, None)?;
        Some(arena.app(fun, &[], sort))
    };
    names.iter().filter_map(resolve).collect()
}

/// Constants such as `(_ NaN 8 24)` of a float sort; empty for other sorts.
pub(crate) fn float_constants(arena: &mut Arena, names: &[&str], sort: Sort) -> Vec<Term> {
    let Some((e, s)) = arena.float_format(sort) else { return Vec::new() };
    let (Some(e), Some(s)) = (Index::number(e), Index::number(s)) else { return Vec::new() };
    theory_constants(arena, names, &[e, s], None)
}

/// A constant of the script.
pub(crate) fn constant(arena: &mut Arena, name: Symbol, sort: Sort) -> Term {
    let fun = arena.fun(name, None, &[], None);
    arena.app(fun, &[], sort)
}

/// The constants that commands declare, with the positions of their declarations.
pub(crate) fn declared_constants(arena: &mut Arena, commands: &[Command]) -> Vec<(usize, Term)> {
    let mut constants = Vec::new();
    for (i, command) in commands.iter().enumerate() {
        let Some((name, sort)) = command.constant() else { continue };
        let sort = arena.canonical(sort);
        constants.push((i, constant(arena, name, sort)));
    }
    constants
}

/// An operator by name over arguments, if that has the wanted sort.
pub(crate) fn operation(arena: &mut Arena, name: Symbol, args: &[Term], wanted: Sort) -> Option<Term> {
    let (fun, sort) = arena.resolve(name, &[], None, Some(args))?;
    (sort == wanted).then(|| arena.app(fun, args, sort))
}

/// A literal of a sort that fits it.
pub(crate) fn literal(arena: &mut Arena, kind: Literal, text: &str, sort: Sort) -> Term {
    let text = arena.symbol(text.as_bytes());
    arena.literal(kind, text, sort)
}

/// A bit-vector literal of a sort that fits it.
pub(crate) fn bits_literal(arena: &mut Arena, bits: &BitVec) -> Term {
    let kind = if bits.width().is_multiple_of(4) { Literal::Hex } else { Literal::Binary };
    let sort = arena.bitvec(bits.width());
    literal(arena, kind, &bits.to_string(), sort)
}

/// A bit-vector value in its shortest spelling; `None` when it is too wide to spell.
fn bits(arena: &mut Arena, width: u32, value: u64) -> Option<Term> {
    if width == 0 || width > 4096 {
        return None;
    }
    let digits = if width.is_multiple_of(4) { width / 4 } else { width };
    if digits > 8 {
        // `(_ bv0 64)`: one digit takes as much room as many.
        let sort = arena.bitvec(width);
        let name = arena.symbol(format!("bv{value}").as_bytes());
        let fun = arena.fun(name, None, &[Index::number(width)?], None);
        return Some(arena.app(fun, &[], sort));
    }
    let bits = BitVec::new(width, value);
    (bits.to_u64() == Some(value)).then(|| bits_literal(arena, &bits))
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
