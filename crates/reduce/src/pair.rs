//! Combines two scripts into one, so that every edit changes both. Where they differ, a marker function has both
//! terms as arguments, first the left script's.

use smelt_smtlib::occurrence::Occurrences;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, Symbol, View, parse_script};

use crate::align::differences;
use crate::edit::{rewritten, uncommented};
use crate::error::{Error, ErrorKind};
use crate::names::RESERVED;
use crate::predicate::{Care, Predicate};
use crate::replace::{Change, apply};

/// A condition on two scripts, as a predicate over the script that [`join`] makes of both.
pub fn in_step<'a>(
    mut both: impl FnMut(&[u8], &[u8], Care) -> Result<bool, Error> + Send + 'a,
) -> Box<dyn Predicate + 'a> {
    Box::new(move |script: &[u8], care: Care| match part(script) {
        Some((left, right)) => both(&left, &right, care),
        None => Ok(false),
    })
}

const MARK: &str = "smelt.pair";

/// Two scripts that differ in terms only, as one. What `set-info` says is left out: it has no meaning.
pub fn join(left: &[u8], right: &[u8]) -> Result<Vec<u8>, Error> {
    let mut arena = Arena::new();
    let mut read = |text: &[u8]| {
        let parsed = parse_script(&mut arena, text);
        let told = |p: smelt_smtlib::Parsed| {
            let mut script = uncommented(&p.script);
            script.commands.retain(|c| !matches!(c, Command::SetInfo(_)));
            script
        };
        parsed
            .map(told)
            .map_err(|e| Error::new(ErrorKind::Unreadable, format!("not SMT-LIB: {}", e.locate(text))))
    };
    let (left, right) = (read(left)?, read(right)?);
    let unlike = || Error::new(ErrorKind::Usage, "the two scripts of a pair may differ only in their terms");
    let kinds = |s: &Script| s.commands.iter().map(std::mem::discriminant).collect::<Vec<_>>();
    if kinds(&left) != kinds(&right) {
        return Err(unlike());
    }
    let places = Occurrences::new(&arena, &left);
    let found = differences(&arena, &places, &left, &right).ok_or_else(unlike)?;
    let mut marks: Vec<(Sort, Symbol)> = Vec::new();
    let mut changes = Vec::new();
    for (place, theirs) in found {
        let ours = places.term(place);
        let sort = arena.sort_of(ours);
        let name = match marks.iter().find(|m| m.0 == sort) {
            Some(mark) => mark.1,
            None => {
                let name = arena.symbol(format!("{MARK}.{}", marks.len()).as_bytes());
                marks.push((sort, name));
                name
            }
        };
        let fun = arena.fun(name, None, &[], None);
        changes.push((place, Change::Put(arena.app(fun, &[ours, theirs], sort), None)));
    }
    let changes: Vec<_> = changes.iter().map(|(place, change)| (*place, change)).collect();
    let mut both = apply(&mut arena, &left, &places, &changes).ok_or_else(unlike)?;
    let first =
        |c: &Command| matches!(c, Command::Assert(_) | Command::DefineFun(..) | Command::DefineConst(..));
    let at = both.commands.iter().position(first).unwrap_or(both.commands.len());
    for (sort, name) in marks {
        both.commands.insert(at, Command::DeclareFun(name, vec![sort; 2].into(), sort));
    }
    let text = arena.display_script(&both);
    match part(&text) {
        // Everything else must be the same on both sides.
        Some((_, again)) if again == arena.display_script(&right) => Ok(text),
        _ => Err(unlike()),
    }
}

/// The two scripts that [`join`] made one; `None` when it cannot be read.
pub fn part(both: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    debug_assert!(MARK.starts_with(RESERVED));
    let mut arena = Arena::new();
    let mut script = parse_script(&mut arena, both).ok()?.script;
    let is_mark = |arena: &Arena, name: Symbol| arena.text(name).starts_with(MARK.as_bytes());
    script.commands.retain(|c| !matches!(c, Command::DeclareFun(name, ..) if is_mark(&arena, *name)));
    script.comments.clear();
    let mut side = |which: usize| {
        let chosen = rewritten(&mut arena, &script, |arena, term| match arena.view(term) {
            View::App(fun, args @ [_, _]) if is_mark(arena, arena.fun_view(fun).name) => Some(args[which]),
            _ => None,
        });
        arena.display_script(&chosen)
    };
    Some((side(0), side(1)))
}
