//! What tests of strategies share.

use std::collections::BTreeMap;

use smelt_core::Verdict;
use smelt_smtlib::{Arena, parse_script};

use crate::pool::Pool;
use crate::registry::strategy;
use crate::strategy::{CaseRequest, Draft, Strategy};

/// A strategy with options and without files.
pub(crate) fn make(name: &str, options: &str) -> Box<dyn Strategy> {
    strategy(name, options, &BTreeMap::new()).unwrap_or_else(|e| panic!("{e}"))
}

/// The drafts of the first `n` numbers from the first of some texts; each is well-sorted.
pub(crate) fn drafts(
    strategy: &mut dyn Strategy,
    texts: &[&str],
    status: Option<Verdict>,
    n: u64,
) -> Vec<Draft> {
    let mut pool = Pool::new();
    let ids: Vec<_> = texts.iter().map(|t| pool.add("t", t.as_bytes(), status).unwrap()).collect();
    let mark = pool.arena().checkpoint();
    let made = (0..n).filter_map(|number| {
        let mut draft = Draft::default();
        strategy.next(&mut pool, &CaseRequest { seeds: &ids[..1], number }, &mut draft).ok()?;
        // Twins of seeds stay; nothing else does.
        assert!(
            pool.capacity() > ids.len() || pool.arena().checkpoint() == mark,
            "nothing stays in the arena"
        );
        let text = String::from_utf8(draft.text.clone()).unwrap();
        let parsed = parse_script(&mut Arena::new(), text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, [], "{text}");
        Some(draft)
    });
    made.collect()
}

/// The same as texts of scripts and logs.
pub(crate) fn mutants(
    name: &str,
    options: &str,
    texts: &[&str],
    status: Option<Verdict>,
    n: u64,
) -> Vec<(String, String)> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let all = drafts(&mut *make(name, options), texts, status, n).into_iter();
    all.map(|draft| (text(draft.text), text(draft.log))).collect()
}
