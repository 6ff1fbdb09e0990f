//! `smelt bugs diff`: compares the bugs of two campaigns.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use smelt_store::{Bug, bugs};
use smelt_triage::Mute;

use super::{Arguments, list};
use crate::exit::{Exit, Failure};
use crate::{folders, output, setup, units};

/// Compares the bugs of two campaigns by their fingerprints, earlier ones of each bug included. Known ones do not count.
pub(super) fn run(old: &Path, new: &Path, a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let read = |folder: &Path| -> Result<(Vec<Bug>, usize), Failure> {
        let store = folders::open(folder)?;
        let all = bugs(&store, catalog.profiles(), &Mute::read(store.folder(), &a.mute)?)?;
        let (open, rest): (Vec<Bug>, Vec<Bug>) =
            all.into_iter().filter(|b| b.muted.is_none()).partition(Bug::is_open);
        Ok((rest, open.len()))
    };
    let ((before, open_before), (after, open_after)) = (read(old)?, read(new)?);
    let names = |b: &Bug| -> Vec<String> {
        std::iter::once(b.fingerprint.clone())
            .chain(b.aliases.iter().map(|(_, print)| print.clone()))
            .collect()
    };
    let is_in = |b: &Bug, list: &[Bug]| list.iter().any(|o| names(o).iter().any(|n| names(b).contains(n)));
    let (both, fresh): (Vec<&Bug>, Vec<&Bug>) = after.iter().partition(|b| is_in(b, &before));
    let gone: Vec<&Bug> = before.iter().filter(|b| !is_in(b, &after)).collect();
    let values =
        |bugs: &[&Bug]| bugs.iter().map(|b| list::bug(b, catalog.profiles())).collect::<Vec<Value>>();
    let document = json!({
        "version": 1, "new": values(&fresh), "gone": values(&gone), "both": values(&both),
        "not_examined": {"old": open_before, "new": open_after},
    });
    output::result(a.json, &document, |out| {
        for (title, bugs, folder) in [("new", &fresh, new), ("gone", &gone, old)] {
            if !bugs.is_empty() {
                writeln!(out, "{title} (numbered as in {}):", folder.display())?;
                list::bug_rows(bugs).write(out)?;
            }
        }
        writeln!(out, "{} new, {} gone, {} in both", fresh.len(), gone.len(), both.len())?;
        for (open, folder) in
            [(open_before, old), (open_after, new)].into_iter().filter(|(open, _)| *open > 0)
        {
            let (open, folder) = (units::count(open, "finding"), folder.display());
            writeln!(
                out,
                "not compared: {open} of {folder} not examined yet (run `smelt bugs examine {folder}`)"
            )?;
        }
        Ok(())
    })?;
    Ok(if fresh.is_empty() { Exit::Ok } else { Exit::Findings })
}
