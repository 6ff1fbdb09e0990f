//! Datatypes: constructors, fields and whole datatypes that no term mentions go.

use std::collections::HashSet;

use smelt_smtlib::script::{Command, Datatype, DatatypeKind, Script};
use smelt_smtlib::{Arena, IndexView, Symbol, View};

use crate::error::Error;
use crate::propose::{Each, Edit};
use crate::search::Search;
use crate::substitute::{all_terms, transform_script};

pub(super) fn run(search: &mut Search<'_>) -> Result<bool, Error> {
    search.explore(&mut Each::new(plan))
}

/// Names that terms mention.
fn mentioned(arena: &Arena, script: &Script) -> HashSet<Symbol> {
    let mut names = HashSet::new();
    for term in all_terms(arena, script) {
        match arena.view(term) {
            View::App(fun, _) => {
                let f = arena.fun_view(fun);
                names.insert(f.name);
                names.extend(f.indices.iter().filter_map(|i| match i.view() {
                    IndexView::Text(s) => Some(s),
                    IndexView::Number(_) => None,
                }));
                names.extend(arena.text(f.name).strip_prefix(b"is-").and_then(|c| arena.find_symbol(c)));
            }
            View::Match(v) => names.extend(v.cases().filter_map(|(p, _)| p.constructor)),
            _ => {}
        }
    }
    names
}

fn plan(arena: &mut Arena, script: &Script) -> Vec<Edit> {
    let names = mentioned(arena, script);
    let matches = all_terms(arena, script).iter().any(|t| matches!(arena.view(*t), View::Match(_)));
    let mut edits: Vec<Edit> = Vec::new();
    for (at, command) in script.commands.iter().enumerate() {
        let Command::DeclareDatatypes(kind, datatypes) = command else { continue };
        for (d, datatype) in datatypes.iter().enumerate() {
            if datatypes.len() > 1 && matches!(kind, DatatypeKind::Many | DatatypeKind::CoMany) {
                edits.push(Box::new(move |arena, script| without_datatype(arena, script, at, d)));
            }
            for (c, constructor) in datatype.constructors.iter().enumerate() {
                let used = names.contains(&constructor.name)
                    || constructor.selectors.iter().any(|s| names.contains(&s.0));
                if datatype.constructors.len() > 1 && !used {
                    edits.push(edit(at, d, move |datatype| {
                        let mut constructors = datatype.constructors.to_vec();
                        constructors.remove(c);
                        datatype.constructors = constructors.into();
                    }));
                }
                for (s, selector) in constructor.selectors.iter().enumerate() {
                    if !names.contains(&selector.0) && !matches {
                        let name = constructor.name;
                        edits.push(Box::new(move |arena, script| {
                            without_field(arena, script, [at, d, c, s], name)
                        }));
                    }
                }
            }
        }
    }
    edits
}

fn edit(at: usize, d: usize, change: impl Fn(&mut Datatype) + 'static) -> Edit {
    Box::new(move |_, script| {
        let mut script = Script { commands: script.commands.clone(), comments: Vec::new() };
        let Command::DeclareDatatypes(_, datatypes) = &mut script.commands[at] else { return None };
        change(&mut datatypes[d]);
        Some(script)
    })
}

/// Without one of several datatypes, if nothing has its sort.
fn without_datatype(arena: &mut Arena, script: &Script, at: usize, d: usize) -> Option<Script> {
    let mut changed = Script { commands: script.commands.clone(), comments: Vec::new() };
    let Command::DeclareDatatypes(_, datatypes) = &mut changed.commands[at] else { return None };
    let mut rest = datatypes.to_vec();
    let gone = rest.remove(d);
    *datatypes = rest.into();
    // Alone it would be kept for its uses: so it can go only if there are none.
    let mut alone = changed.clone();
    let command = Command::DeclareDatatypes(DatatypeKind::Many, vec![gone].into());
    alone.commands.insert(at, command);
    crate::garbage::unused(arena, &alone).contains(&at).then_some(changed)
}

/// Without one field of a constructor, whose applications lose that argument.
fn without_field(
    arena: &mut Arena,
    script: &Script,
    [at, d, c, s]: [usize; 4],
    name: Symbol,
) -> Option<Script> {
    let mut script = Script { commands: script.commands.clone(), comments: Vec::new() };
    let Command::DeclareDatatypes(_, datatypes) = &mut script.commands[at] else { return None };
    let constructor = &mut datatypes[d].constructors[c];
    let count = constructor.selectors.len();
    let mut selectors = constructor.selectors.to_vec();
    selectors.remove(s);
    constructor.selectors = selectors.into();
    Some(transform_script(arena, &script, &mut |arena, term| {
        let View::App(fun, args) = arena.view(term) else { return None };
        let f = arena.fun_view(fun);
        if f.op.is_some() || f.name != name || args.len() != count {
            return None;
        }
        let mut args = args.to_vec();
        args.remove(s);
        let sort = arena.sort_of(term);
        Some(arena.app(fun, &args, sort))
    }))
}
