//! Makes a case again from its seeds and its provenance, with the same bytes.

use std::collections::HashMap;

use smelt_core::{Case, Provenance, SeedHash, Verdict};

use crate::options::OptionText;
use crate::pool::{Pool, SeedId};
use crate::registry::strategy;
use crate::strategy::{CaseRequest, Draft};

/// Makes a case again from its provenance and its seeds: name, text and status of each. The error says why that is not
/// possible.
///
/// A provenance without options, from number 0 and one seed, is that seed itself.
pub fn remake(provenance: &Provenance, seeds: &[(String, Vec<u8>, Option<Verdict>)]) -> Result<Case, String> {
    if let [(_, text, _)] = seeds
        && provenance.options.is_empty()
        && provenance.rng == 0
    {
        return Ok(Case {
            provenance: provenance.clone(),
            seed: Some(text.clone()),
            ..Case::open(text.clone())
        });
    }
    let mut pool = Pool::new();
    let mut known: HashMap<SeedHash, SeedId> = HashMap::new();
    let mut ids = Vec::new();
    for (name, text, status) in seeds {
        let hash = SeedHash::of(text);
        let id = match known.get(&hash) {
            Some(id) => *id,
            None => pool.add(name, text, *status).map_err(|e| format!("seed {name} {e}"))?,
        };
        known.insert(hash, id);
        ids.push(id);
    }
    let Provenance { strategy: name, options, files, rng, .. } = provenance;
    let mut strategy = strategy(name, options, files).map_err(|e| e.to_string())?;
    let request = CaseRequest { seeds: &ids, number: *rng };
    let mut draft = Draft::default();
    strategy.next(&mut pool, &request, &mut draft).map_err(|skip| skip.to_string())?;
    let case = draft.to_case(&pool, &*strategy, &OptionText::default(), *rng);
    Ok(Case { provenance: provenance.clone(), ..case })
}
