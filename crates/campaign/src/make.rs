//! Making cases: the strategies of a campaign, over a pool of seeds or from nothing, and making one case again.

use smelt_core::{Expectation, Provenance, SeedHash, Verdict};
use smelt_strategies::skeleton::{Form, Moves};
use smelt_strategies::{
    Draft, GENERATORS, Generator, Options, Pool, REGISTRY, Request, SeedId, Skip, Strategy, find,
    find_generator,
};
use std::collections::HashMap;

use crate::seeds::SeedText;
use smelt_store::{Error, ErrorKind};

/// The name under which a seed itself is run.
pub const SEED: &str = "seed";
/// The name under which an individual of a search is stored, without options. It is its own seed: no number makes it
/// again. The strategy of this name has options.
pub(crate) const EVOLVE: &str = "evolve";

/// Steps of the strategies that take some, and whether the seed is put under `ALL` first. Small changes keep what
/// makes a seed interesting; many leave little of it but its operators, which is how others go about it.
const WAYS: [(u32, bool); 6] = [(1, false), (3, false), (12, false), (1, true), (6, true), (24, true)];

/// One strategy as a campaign uses it.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    /// Those of a strategy that needs no seeds; empty for the others.
    pub(crate) ways: Vec<Way>,
}

/// One way in which a campaign uses a generator.
#[derive(Clone, Debug)]
pub(crate) struct Way {
    /// Its options, as the generator spells them.
    pub(crate) options: String,
    /// Whether its cases are made in order, to the last one.
    pub(crate) in_order: bool,
}

/// One strategy in all the ways a campaign uses it.
pub(crate) struct Variants {
    pub(crate) name: &'static str,
    pub(crate) makers: Makers,
}

/// Who makes the cases.
pub(crate) enum Makers {
    /// From seeds, in these ways.
    Seeds(Vec<Box<dyn Strategy>>),
    /// From nothing, in these ways.
    Nothing(Vec<Box<dyn Generator>>),
}

/// The strategies that names or aliases stand for, in the order of the registries; all of them for no name.
///
/// Options of a strategy that needs no seeds may follow its name, each after a colon: `enumerate:ints:vars=3`.
pub fn strategies<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static str>, Error> {
    Ok(plans(names)?.into_iter().map(|(name, _)| name).collect())
}

/// The strategies that names stand for, each with the options given after it.
fn plans<S: AsRef<str>>(names: &[S]) -> Result<Vec<(&'static str, Vec<String>)>, Error> {
    let all = || REGISTRY.iter().map(|e| e.name).chain(GENERATORS.iter().map(|e| e.name));
    let mut wanted: HashMap<&'static str, Vec<String>> = HashMap::new();
    for word in names {
        let (name, options) = word.as_ref().split_once(':').unwrap_or((word.as_ref(), ""));
        let known = find(name).map(|e| e.name).or(find_generator(name).map(|e| e.name));
        let Some(known) = known else {
            let message = format!("no strategy `{name}`; there are {}", all().collect::<Vec<_>>().join(", "));
            return Err(Error::new(ErrorKind::Usage, message));
        };
        let given = wanted.entry(known).or_default();
        if options.is_empty() {
            continue;
        }
        if find_generator(known).is_none() {
            let message = format!("`{known}` takes no options after a colon: leave out `:{options}`");
            return Err(Error::new(ErrorKind::Usage, message));
        }
        given.push(options.replace(':', " "));
    }
    let chosen = all().filter(|name| names.is_empty() || wanted.contains_key(name));
    Ok(chosen.map(|name| (name, wanted.get(name).cloned().unwrap_or_default())).collect())
}

/// What a campaign is to make cases with.
pub(crate) fn plan<S: AsRef<str>>(names: &[S], options: &Options) -> Result<Vec<Plan>, Error> {
    let mut plan = Vec::new();
    for (name, given) in plans(names)? {
        let mut ways = Vec::new();
        match find_generator(name) {
            Some(entry) => {
                let wanted = if given.is_empty() { (entry.ways)() } else { given };
                for words in wanted {
                    let generator = generator(name, &words)?;
                    ways.push(Way { options: generator.options(), in_order: generator.is_finite() });
                }
            }
            None => drop(from_seeds(name, options)?),
        }
        plan.push(Plan { name, ways });
    }
    Ok(plan)
}

/// A generator with its options.
pub(crate) fn generator(name: &str, options: &str) -> Result<Box<dyn Generator>, Error> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let entry = find_generator(name).ok_or_else(|| usage(format!("no strategy `{name}`")))?;
    (entry.make)(options).map_err(|e| usage(format!("{name}: {e}")))
}

fn from_seeds(name: &str, options: &Options) -> Result<Vec<Box<dyn Strategy>>, Error> {
    let usage = |message: String| Error::new(ErrorKind::Usage, message);
    let entry = find(name).ok_or_else(|| usage(format!("no strategy `{name}`")))?;
    let mut ways: Vec<Box<dyn Strategy>> = Vec::new();
    for (steps, wide) in WAYS {
        let way =
            (entry.make)(&Options { steps, wide, ..options.clone() }).map_err(|e| usage(e.to_string()))?;
        if ways.iter().all(|w| w.options() != way.options()) {
            ways.push(way);
        }
    }
    Ok(ways)
}

pub(crate) fn variants(plan: &Plan, options: &Options) -> Result<Variants, Error> {
    let makers = if plan.ways.is_empty() {
        Makers::Seeds(from_seeds(plan.name, options)?)
    } else {
        let make = |way: &Way| generator(plan.name, &way.options);
        Makers::Nothing(plan.ways.iter().map(make).collect::<Result<_, _>>()?)
    };
    Ok(Variants { name: plan.name, makers })
}

/// Options as a strategy spells them, over those that it does not spell.
fn read_options(text: &str, base: &Options) -> Options {
    let mut options = base.clone();
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some(("steps", n)) => options.steps = n.parse().unwrap_or(options.steps),
            Some(("pool", v)) => options.data_driven = v == "yes",
            Some(("logic", v)) => options.wide = v == "all",
            Some(("mode", v)) => options.concat = v == "concat",
            Some(("form", v)) => options.form = Form::parse(v).unwrap_or(options.form),
            Some(("moves", v)) => options.moves = Moves::parse(v).unwrap_or(options.moves),
            _ => {}
        }
    }
    options
}

/// A case that was made again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// The script.
    pub script: Vec<u8>,
    /// What its maker knows of its answer.
    pub expectation: Expectation,
    /// The model it was made with, if there is one.
    pub witness: Option<String>,
}

impl Again {
    fn of(draft: Draft) -> Again {
        let witness = witness(&draft);
        Again { script: draft.text, expectation: draft.expectation, witness }
    }
}

/// The model that a case was made with.
pub(crate) fn witness(draft: &Draft) -> Option<String> {
    (!draft.witness.is_empty()).then(|| String::from_utf8_lossy(&draft.witness).into_owned())
}

/// Makes a case again: from its seeds and its provenance, the same bytes.
pub fn remake(
    provenance: &Provenance,
    seeds: &[(String, Vec<u8>, Option<Verdict>)],
    base: &Options,
) -> Result<Again, Error> {
    let failed =
        |why: String| Error::new(ErrorKind::Damaged, format!("the case cannot be made again: {why}"));
    let bred = provenance.strategy == EVOLVE && provenance.options.is_empty();
    if provenance.strategy == SEED || bred {
        let (_, text, _) = seeds.first().ok_or_else(|| failed("its seed is missing".into()))?;
        return Ok(Again { script: text.clone(), ..Again::default() });
    }
    let mut draft = Draft::default();
    if find_generator(&provenance.strategy).is_some() {
        let mut generator = generator(&provenance.strategy, &provenance.options)?;
        generator.make(provenance.rng, &mut draft).map_err(|skip| failed(skip.to_string()))?;
        return Ok(Again::of(draft));
    }
    let mut pool = Pool::new();
    let mut known: HashMap<SeedHash, SeedId> = HashMap::new();
    let mut ids = Vec::new();
    for (name, text, status) in seeds {
        let hash = SeedHash::of(text);
        let id = match known.get(&hash) {
            Some(id) => *id,
            None => pool.add(name, text, *status).map_err(|e| failed(format!("seed {name} {e}")))?,
        };
        known.insert(hash, id);
        ids.push(id);
    }
    let (seed, partners) = ids.split_first().ok_or_else(|| failed("no seed".into()))?;
    let entry =
        find(&provenance.strategy).ok_or_else(|| failed(format!("no strategy {}", provenance.strategy)))?;
    let options = read_options(&provenance.options, base);
    let mut strategy = (entry.make)(&options).map_err(|e| failed(e.to_string()))?;
    let request = Request { seed: *seed, partners, rng: provenance.rng };
    strategy.next(&mut pool, &request, &mut draft).map_err(|skip| failed(skip.to_string()))?;
    Ok(Again::of(draft))
}

/// Whether a strategy will never make anything of a seed.
pub(crate) fn is_final(skip: Skip) -> bool {
    matches!(skip, Skip::NothingToChange | Skip::UnknownStatus | Skip::NotOneQuery | Skip::Unsupported)
}

/// A pool of those seeds that can be used; what is wrong with the others.
pub(crate) fn pool_of(seeds: Vec<SeedText>) -> (Pool, Vec<SeedText>, Vec<(String, String)>) {
    let mut pool = Pool::new();
    let (mut usable, mut others) = (Vec::new(), Vec::new());
    for seed in seeds {
        match pool.add(&seed.name, &seed.text, seed.status) {
            Ok(_) => usable.push(seed),
            Err(e) => others.push((seed.name, e.to_string())),
        }
    }
    (pool, usable, others)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_back_as_strategies_spell_them() {
        let base = Options::default();
        for name in REGISTRY.iter().map(|e| e.name) {
            let options = Options {
                data_driven: true,
                concat: true,
                form: Form::Clauses,
                moves: Moves::Rules,
                ..base.clone()
            };
            for way in from_seeds(name, &options).unwrap() {
                let read = read_options(&way.options(), &base);
                let again = (find(name).unwrap().make)(&read).unwrap();
                assert_eq!(again.options(), way.options(), "{name}");
            }
        }
    }

    #[test]
    fn names_and_aliases_stand_for_strategies() {
        assert_eq!(strategies(&["yinyang", "operator"]).unwrap(), ["operator", "fusion"]);
        assert!(strategies(&["nothing"]).unwrap_err().to_string().contains("operator, generative"));
        assert!(strategies(&["fusion:x=1"]).unwrap_err().to_string().contains("no options"));
    }
}
