//! Literals: shorter strings, smaller numbers; one place, or the same literal everywhere.

use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::{Arena, Literal, Script, Sort, Term, View};

use crate::edit::{Edit, everywhere};
use crate::error::Error;
use crate::replace::{Change, Slots};
use crate::search::{Length, Search};
use crate::substitute::all_terms;
use crate::values::{is_value, literal, simplest};

/// The same literal everywhere.
pub(super) fn together(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let mut edits = Vec::new();
    for old in all_terms(arena, script) {
        if is_value(arena, old) {
            edits.extend(simpler(arena, script, old).into_iter().map(|new| everywhere(old, new)));
        }
    }
    edits
}

/// Single places.
pub(super) fn alone(search: &mut Search<'_>) -> Result<bool, Error> {
    let places = Occurrences::new(&search.arena, &search.script);
    let script = search.script.clone();
    let mut slots: Slots = Vec::new();
    for place in places.all() {
        let term = places.term(place);
        if is_value(&search.arena, term) {
            let terms = simpler(&mut search.arena, &script, term);
            slots.push((place, terms.into_iter().map(|t| Change::Put(t, None)).collect()));
        }
    }
    search.explore_changes(&places, slots, Length::Better)
}

/// Simpler values than this one, the simplest first.
fn simpler(arena: &mut Arena, script: &Script, term: Term) -> Vec<Term> {
    let sort = arena.sort_of(term);
    let mut terms = simplest(arena, script, sort);
    if let View::Literal(kind, text) = arena.view(term) {
        let text = String::from_utf8_lossy(arena.text(text)).into_owned();
        let texts = match kind {
            Literal::Numeral => numerals(&text),
            Literal::Decimal => decimals(&text),
            Literal::String => strings(&text),
            _ => Vec::new(),
        };
        if sort == Sort::REAL && kind == Literal::Numeral {
            // A numeral of sort `Real` stays a numeral.
            terms = ["0", "1"].map(|n| literal(arena, kind, n, sort)).to_vec();
        }
        terms.extend(texts.into_iter().map(|t| literal(arena, kind, &t, sort)));
    }
    let place = terms.iter().position(|t| *t == term).unwrap_or(terms.len());
    terms.truncate(place);
    terms
}

fn numerals(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.len() > 1 {
        out.push("2".to_owned());
        out.extend([text[..1].to_owned(), text[text.len() - 1..].to_owned()]);
        out.push(text[..text.len() / 2].to_owned());
        out.push(format!("1{}", "0".repeat(text.len() - 1)));
    } else if let Ok(n @ 2..) = text.parse::<u32>() {
        out.extend((2..n).map(|k| k.to_string()));
    }
    out
}

fn decimals(text: &str) -> Vec<String> {
    let Some((whole, part)) = text.split_once('.') else { return Vec::new() };
    let mut out: Vec<String> = numerals(whole).into_iter().map(|w| format!("{w}.0")).collect();
    if part != "0" {
        out.push(format!("{whole}.0"));
        out.push(format!("0.{part}"));
        out.extend((1..part.len().min(4)).map(|n| format!("{whole}.{}", &part[..n])));
    }
    out
}

/// Shorter strings: halves, then one character less. Escapes stay whole.
fn strings(text: &str) -> Vec<String> {
    let units = units(text);
    let mut out = Vec::new();
    let mut size = units.len() / 2;
    while size > 0 && out.len() < 64 {
        let mut from = 0;
        while from < units.len() && out.len() < 64 {
            let to = (from + size).min(units.len());
            out.push([&units[..from], &units[to..]].concat().concat());
            from = to;
        }
        size /= 2;
    }
    if units.len() == 1 && text != "0" {
        out.push("0".to_owned());
    }
    out
}

/// The characters of a literal as they are spelled.
fn units(text: &str) -> Vec<&str> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        if rest.starts_with("\"\"") {
            length = 2;
        } else if rest.starts_with("\\u{") {
            length = rest.find('}').map_or(length, |i| i + 1);
        } else if rest.starts_with("\\u") && rest.len() >= 6 && rest.is_char_boundary(6) {
            length = 6;
        } else if rest.starts_with("\\x") && rest.len() >= 4 && rest.is_char_boundary(4) {
            length = 4;
        } else if let Some(after) = rest.strip_prefix('\\') {
            length += after.chars().next().map_or(0, char::len_utf8);
        }
        let (unit, after) = rest.split_at(length);
        units.push(unit);
        rest = after;
    }
    units
}
