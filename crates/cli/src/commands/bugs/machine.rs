//! Bugs for other programs: SARIF for continuous integration, and regression tests in the form that solvers' repositories have.

use std::path::Path;

use serde_json::{Value, json};
use smelt_core::{Kind, Verdict};
use smelt_store::Bug;

use super::list;
use crate::exit::Failure;
use crate::{inputs, output};

/// Where regression tests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Regress {
    /// A script and a file NAME.expected.out, as in z3test
    Z3,
    /// A script with `; EXPECT:`, as in test/regress of cvc5
    Cvc5,
}

/// Bugs as a SARIF 2.1.0 document.
pub(super) fn sarif(bugs: &[&Bug]) -> Value {
    let mut kinds: Vec<Kind> = bugs.iter().map(|b| b.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rules: Vec<Value> = kinds.iter().map(|kind| json!({"id": kind.as_str()})).collect();
    let result = |b: &&Bug| {
        let f = &b.finding.finding;
        let reason =
            b.dossier.as_ref().map_or_else(|| b.finding.claim.reason.to_string(), |d| d.reason.clone());
        json!({
            "ruleId": b.kind.as_str(),
            "level": if b.muted.is_some() { "note" } else { "error" },
            "message": {"text": format!("{} in {}: {reason}", b.kind, list::accused(b))},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": f.reduced.as_ref().unwrap_or(&f.file)}}}],
            "fingerprints": {"smelt/v1": b.fingerprint},
            "properties": {"id": b.id, "priority": b.priority, "evidence": f.evidence},
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "smelt", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "results": bugs.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// The right answer to the script of a bug, where the bug says it.
fn right_answer(bug: &Bug) -> Option<Verdict> {
    if let Some(correct) = bug.kind.row().correct {
        return Some(correct);
    }
    // All that were not accused and decided it say the same.
    let others = bug.dossier.as_ref()?.said.iter().filter(|said| !said.accused);
    let mut verdicts: Vec<Verdict> =
        others.filter_map(|said| said.outcome.verdict()).filter(|v| *v != Verdict::Unknown).collect();
    verdicts.dedup();
    if let [verdict] = verdicts[..] { Some(verdict) } else { None }
}

/// Writes regression tests; returns how many, and the numbers of bugs without a known answer.
pub(super) fn regress(bugs: &[&Bug], which: Regress, to: &Path) -> Result<(usize, Vec<String>), Failure> {
    let (mut made, mut left) = (0, Vec::new());
    for bug in bugs {
        let f = &bug.finding.finding;
        let script = inputs::read(Path::new(f.reduced.as_ref().unwrap_or(&f.file)))?;
        let script = String::from_utf8_lossy(&script);
        let checks = script.matches("(check-sat").count();
        let (Some(answer), 1) = (right_answer(bug), checks) else {
            left.push(bug.id.clone());
            continue;
        };
        let name = format!("smelt-{:0>4}-{}", bug.id, bug.kind);
        match which {
            Regress::Z3 => {
                output::write(&to.join(format!("{name}.smt2")), script.as_bytes())?;
                output::write(&to.join(format!("{name}.expected.out")), format!("{answer}\n"))?;
            }
            Regress::Cvc5 => {
                let options = options(bug);
                let text = format!("{options}; EXPECT: {answer}\n{script}");
                output::write(&to.join(format!("{name}.smt2")), text)?;
            }
        }
        made += 1;
    }
    Ok((made, left))
}

/// The line with the options that a bug needs, as cvc5 reads it.
fn options(bug: &Bug) -> String {
    let said = bug.dossier.as_ref().and_then(|d| d.said.iter().find(|said| said.accused));
    let words = said.and_then(|said| shlex::split(&said.command)).unwrap_or_default();
    let flags: Vec<&str> = words
        .iter()
        .skip(1)
        .map(String::as_str)
        .filter(|w| w.starts_with("--") && !w.starts_with("--lang"))
        .collect();
    if flags.is_empty() { String::new() } else { format!("; COMMAND-LINE: {}\n", flags.join(" ")) }
}
