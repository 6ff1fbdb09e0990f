//! Datatypes: drops constructors, fields and whole datatypes that no term mentions.

use smelt_smtlib::script::{Command, Constructor, DatatypeKind, Script};
use smelt_smtlib::{Arena, Symbol, View};

use crate::edit::{Edit, call, edit, rewritten, uncommented};
use crate::garbage::{unused, used_by_terms};
use crate::substitute::all_terms;

pub(super) fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let names = used_by_terms(arena, script);
    let matches = all_terms(arena, script).iter().any(|t| matches!(arena.view(*t), View::Match(_)));
    let mut edits = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let Command::DeclareDatatypes(kind, datatypes) = command else { continue };
        for (d, datatype) in datatypes.iter().enumerate() {
            if datatypes.len() > 1 && matches!(kind, DatatypeKind::Many | DatatypeKind::CoMany) {
                edits.push(edit(move |arena, script| without_datatype(arena, script, at, d)));
            }
            for (c, constructor) in datatype.constructors.iter().enumerate() {
                let used = names.contains(&constructor.name)
                    || constructor.selectors.iter().any(|s| names.contains(&s.0));
                if datatype.constructors.len() > 1 && !used {
                    edits.push(edit(move |_, script| {
                        let mut script = uncommented(script);
                        remove(constructors_mut(&mut script, at, d)?, c);
                        Some(script)
                    }));
                }
                for (s, selector) in constructor.selectors.iter().enumerate() {
                    if !names.contains(&selector.0) && !matches {
                        let name = constructor.name;
                        edits.push(edit(move |arena, script| {
                            without_field(arena, script, [at, d, c, s], name)
                        }));
                    }
                }
            }
        }
    }
    edits
}

fn remove<T: Clone>(list: &mut Box<[T]>, at: usize) -> T {
    let mut rest = list.to_vec();
    let gone = rest.remove(at);
    *list = rest.into();
    gone
}

fn constructors_mut(script: &mut Script, at: usize, d: usize) -> Option<&mut Box<[Constructor]>> {
    match &mut script.commands[at] {
        Command::DeclareDatatypes(_, datatypes) => Some(&mut datatypes[d].constructors),
        _ => None,
    }
}

/// Without one of several datatypes, if nothing has its sort.
fn without_datatype(arena: &mut Arena, script: &Script, at: usize, d: usize) -> Option<Script> {
    let mut changed = uncommented(script);
    let Command::DeclareDatatypes(_, datatypes) = &mut changed.commands[at] else { return None };
    let gone = remove(datatypes, d);
    // It can go only if nothing uses it: then a declaration of it alone is unused.
    let mut alone = changed.clone();
    let command = Command::DeclareDatatypes(DatatypeKind::Many, vec![gone].into());
    alone.commands.insert(at, command);
    unused(arena, &alone).contains(&at).then_some(changed)
}

/// Without one field of a constructor, whose applications lose that argument.
fn without_field(
    arena: &mut Arena,
    script: &Script,
    [at, d, c, s]: [usize; 4],
    name: Symbol,
) -> Option<Script> {
    let mut script = uncommented(script);
    let selectors = &mut constructors_mut(&mut script, at, d)?[c].selectors;
    let count = selectors.len();
    remove(selectors, s);
    Some(rewritten(arena, &script, |arena, term| {
        let (fun, mut args) = call(arena, term, name).filter(|(_, args)| args.len() == count)?;
        args.remove(s);
        let sort = arena.sort_of(term);
        Some(arena.app(fun, &args, sort))
    }))
}
