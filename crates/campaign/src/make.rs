//! Making cases: the strategies of a campaign over a pool of seeds, and making one case again.

use smelt_core::{Expectation, Provenance, SeedHash, Verdict};
use smelt_strategies::skeleton::{Form, Moves};
use smelt_strategies::{Draft, Options, Pool, Request, SeedId, Skip, Strategy, find};
use std::collections::HashMap;

use crate::error::{Error, ErrorKind};
use crate::seeds::SeedText;

/// The name under which a seed itself is run.
pub const SEED: &str = "seed";
/// The name under which an individual of a search is stored. It is its own seed: no number makes it again.
pub(crate) const EVOLVE: &str = "evolve";

/// Steps of the strategies that take some, and whether the seed is put under `ALL` first. Small changes keep what
/// makes a seed interesting; many leave little of it but its operators, which is how others go about it.
const WAYS: [(u32, bool); 6] = [(1, false), (3, false), (12, false), (1, true), (6, true), (24, true)];

/// One strategy in all the ways a campaign uses it.
pub(crate) struct Variants {
    pub(crate) name: &'static str,
    pub(crate) ways: Vec<Box<dyn Strategy>>,
}

/// The strategies that names or aliases stand for, in the order of the registry; all of them for no name.
pub fn strategies<S: AsRef<str>>(names: &[S]) -> Result<Vec<&'static str>, Error> {
    for name in names {
        if find(name.as_ref()).is_none() {
            let known: Vec<_> = smelt_strategies::REGISTRY.iter().map(|e| e.name).collect();
            let message = format!("no strategy `{}`; there are {}", name.as_ref(), known.join(", "));
            return Err(Error::new(ErrorKind::Usage, message));
        }
    }
    let wanted = |e: &&smelt_strategies::Entry| {
        names.is_empty() || names.iter().any(|n| find(n.as_ref()).is_some_and(|f| f.name == e.name))
    };
    Ok(smelt_strategies::REGISTRY.iter().filter(wanted).map(|e| e.name).collect())
}

pub(crate) fn variants(name: &str, options: &Options) -> Result<Variants, Error> {
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
    Ok(Variants { name: entry.name, ways })
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

/// Makes a case again: from its seeds and its provenance, the same bytes.
pub fn remake(
    provenance: &Provenance,
    seeds: &[(String, Vec<u8>, Option<Verdict>)],
    base: &Options,
) -> Result<(Vec<u8>, Expectation), Error> {
    let failed =
        |why: String| Error::new(ErrorKind::Damaged, format!("the case cannot be made again: {why}"));
    if provenance.strategy == SEED || provenance.strategy == EVOLVE {
        let (_, text, _) = seeds.first().ok_or_else(|| failed("its seed is missing".into()))?;
        return Ok((text.clone(), Expectation::None));
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
    let mut draft = Draft::default();
    let request = Request { seed: *seed, partners, rng: provenance.rng };
    strategy.next(&mut pool, &request, &mut draft).map_err(|skip| failed(skip.to_string()))?;
    Ok((draft.text, draft.expectation))
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
        for name in strategies::<&str>(&[]).unwrap() {
            let options = Options {
                data_driven: true,
                concat: true,
                form: Form::Clauses,
                moves: Moves::Rules,
                ..base.clone()
            };
            for way in variants(name, &options).unwrap().ways {
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
    }
}
