//! Where a search starts: random formulas of a theory, or seeds whose symbols are renamed so that they can be mixed.

use smelt_smtlib::rebuild::Rebuild;
use smelt_smtlib::rename::Renaming;
use smelt_smtlib::rewrite::rewrite;
use smelt_smtlib::script::{Command, Script};
use smelt_smtlib::{Arena, Sort, View};
use std::collections::HashMap;

use super::genome::{Genome, constant_name, well_sorted};
use crate::widen::widened;

/// A theory to make random formulas of: a script that shows its logic and sorts.
#[derive(Debug)]
pub struct Theory {
    /// Its name.
    pub name: &'static str,
    pub(crate) script: &'static str,
}

/// All of them; the first is the default.
pub const THEORIES: &[Theory] = &[
    Theory { name: "strings", script: include_str!("../../data/evolve/strings.smt2") },
    Theory { name: "ints", script: include_str!("../../data/evolve/ints.smt2") },
    Theory { name: "reals", script: include_str!("../../data/evolve/reals.smt2") },
    Theory { name: "bitvectors", script: include_str!("../../data/evolve/bitvectors.smt2") },
    Theory { name: "floats", script: include_str!("../../data/evolve/floats.smt2") },
    Theory { name: "arrays", script: include_str!("../../data/evolve/arrays.smt2") },
];

/// The theory of a name.
pub fn find_theory(name: &str) -> Option<&'static Theory> {
    THEORIES.iter().find(|t| t.name == name)
}

/// Larger seeds are no start: everything bred from them would be as large.
const LARGEST: usize = 100_000;
/// How many assertions are looked at for sorts and operators.
const ASSERTIONS: usize = 2000;

/// Seeds made to fit each other.
pub(crate) struct Seeds {
    pub(crate) arena: Arena,
    pub(crate) individuals: Vec<Vec<u8>>,
    /// A script with all declarations and assertions.
    pub(crate) everything: Vec<u8>,
    pub(crate) left_out: Vec<(String, String)>,
}

/// Makes seeds fit each other: constants go by sort and number, other names differ, all have one logic.
pub(crate) fn normalise(seeds: &[(String, Vec<u8>)]) -> Seeds {
    let mut arena = Arena::new();
    let mut scripts: Vec<Script> = Vec::new();
    let mut left_out = Vec::new();
    for (i, (name, text)) in seeds.iter().enumerate() {
        match read(&mut arena, text, i) {
            Ok(script) => scripts.push(script),
            Err(why) => left_out.push((name.clone(), why)),
        }
    }
    let one = scripts.windows(2).all(|w| w[0].logic() == w[1].logic());
    let all = arena.symbol(b"ALL");
    let mut genomes: Vec<Genome> = Vec::new();
    for script in scripts {
        let script = if one { script } else { widened(&mut arena, &script).unwrap_or(script) };
        if let Ok(mut genome) = Genome::of(&arena, script) {
            genome.logic = if one { genome.logic } else { Some(all) };
            genomes.push(genome);
        }
    }
    let mut everything = Genome {
        logic: genomes.first().and_then(|g| g.logic),
        declarations: Vec::new(),
        assertions: Vec::new(),
    };
    let mut individuals = Vec::new();
    for mut genome in genomes {
        if everything.declare_all(&genome.declarations) {
            let room = ASSERTIONS.saturating_sub(everything.assertions.len());
            everything.assertions.extend(genome.assertions.iter().take(room));
            genome.prune(&arena);
            individuals.push(genome.print(&arena));
        }
    }
    let everything = everything.print(&arena);
    Seeds { arena, individuals, everything, left_out }
}

/// Reads a seed and renames what it declares; `number` keeps its names apart from those of other seeds.
fn read(arena: &mut Arena, text: &[u8], number: usize) -> Result<Script, String> {
    if text.len() > LARGEST {
        return Err(format!("it has more than {LARGEST} bytes"));
    }
    let mut script = well_sorted(arena, text)?;
    // Names of terms would be given twice, and hints would not fit any more.
    rewrite(arena, &mut script, |arena, t| match arena.view(t) {
        View::Annotated(v) => v.term(),
        _ => t,
    });
    Genome::of(arena, script.clone())?;
    let mut renaming = Renaming::with_suffix(arena, &script, &format!("_s{number}"));
    let mut count: HashMap<Sort, usize> = HashMap::new();
    let constants: Vec<_> = script.commands.iter().filter_map(Command::constant).collect();
    for (name, sort) in constants {
        let sort = renaming.sort(arena, sort);
        let sort = arena.canonical(sort);
        let k = count.entry(sort).or_default();
        let new = arena.symbol(constant_name(arena, sort, *k).as_bytes());
        *k += 1;
        renaming.rename(arena, name, new);
    }
    let mut script = renaming.script(arena, &script);
    // One spelling, so that two seeds that declare the same constant declare it alike.
    for command in &mut script.commands {
        if let Some((name, sort)) = command.constant() {
            *command = Command::DeclareConst(name, arena.canonical(sort));
        }
    }
    let text = arena.display_script(&script);
    well_sorted(arena, &text)
        .map_err(|_| "its names cannot be kept apart from those of other seeds".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_shared_and_other_names_are_not() {
        let seed = |text: &str| (String::new(), text.as_bytes().to_vec());
        let seeds = normalise(&[
            seed("(set-logic QF_UFLIA)(declare-const x Int)(declare-fun f (Int) Int)(assert (> (f x) 1))"),
            seed("(set-logic QF_UFLIA)(declare-fun f () Int)(declare-fun g (Int) Int)(assert (= (g f) 2))"),
            seed("(assert (> x 1))"),
        ]);
        let texts: Vec<String> =
            seeds.individuals.iter().map(|t| String::from_utf8_lossy(t).into_owned()).collect();
        assert!(texts[0].contains("(> (f_s0 int_0) 1)"), "{}", texts[0]);
        assert!(texts[1].contains("(= (g_s1 int_0) 2)"), "{}", texts[1]);
        assert_eq!(seeds.left_out.len(), 1);
        assert_eq!(String::from_utf8_lossy(&seeds.everything).matches("int_0 Int").count(), 1);
    }

    #[test]
    fn seeds_of_different_logics_meet_in_the_one_that_has_all() {
        let seed = |text: &str| (String::new(), text.as_bytes().to_vec());
        let seeds = normalise(&[
            seed("(set-logic QF_LRA)(declare-const x Real)(assert (> x 1))"),
            seed("(set-logic QF_LIA)(declare-const x Int)(assert (> x 1))"),
        ]);
        let text = String::from_utf8_lossy(&seeds.individuals[0]).into_owned();
        assert!(text.contains("(set-logic ALL)") && text.contains("(> real_0 1.0)"), "{text}");
    }
}
