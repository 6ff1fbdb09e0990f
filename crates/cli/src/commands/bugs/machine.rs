//! Bugs for other programs: SARIF for continuous integration, and regression tests in the form that solvers' repositories have.

use std::path::Path;

use serde_json::{Value, json};
use smelt_core::Kind;
use smelt_report::{Expected, Facts, issue};
use smelt_store::Bug;

use crate::exit::Failure;
use crate::output;

/// Where regression tests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Regress {
    /// A script and a file NAME.expected.out, as in z3test
    Z3,
    /// A script with `; EXPECT:`, as in test/regress of cvc5
    Cvc5,
}

/// Bugs as a SARIF 2.1.0 document.
pub(super) fn sarif(bugs: &[&Bug], facts: &[Facts]) -> Value {
    let mut kinds: Vec<Kind> = bugs.iter().map(|b| b.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let rule = |kind: &Kind| json!({"id": kind.as_str(), "shortDescription": {"text": kind.row().title}});
    let result = |(b, f): (&&Bug, &Facts)| {
        let finding = b.as_finding();
        let text = format!("{}. {}", f.title, f.shown.about);
        json!({
            "ruleId": b.kind.as_str(),
            "level": if b.muted.is_some() { "note" } else { "error" },
            "message": {"text": text.replace('`', ""), "markdown": issue(f)},
            "locations": [{"physicalLocation": {"artifactLocation": {"uri": finding.reduced.unwrap_or(finding.file)}}}],
            "fingerprints": {"smelt/v1": b.fingerprint},
            "properties": {
                "id": b.id, "priority": b.priority, "evidence": f.evidence, "accused": f.accused, "facts": f,
            },
        })
    };
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "smelt",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": kinds.iter().map(rule).collect::<Vec<_>>(),
            }},
            "results": bugs.iter().zip(facts).map(result).collect::<Vec<_>>(),
        }],
    })
}

/// Writes regression tests; returns how many, and the numbers of bugs without a known answer.
pub(super) fn regress(
    bugs: &[&Bug],
    facts: &[Facts],
    which: Regress,
    to: &Path,
) -> Result<(usize, Vec<String>), Failure> {
    let (mut made, mut left) = (0, Vec::new());
    for (bug, f) in bugs.iter().zip(facts) {
        let script = &f.shown.plain;
        let checks = script.matches("(check-sat").count();
        let (Some(Expected { answer, .. }), 1) = (&f.expected, checks) else {
            left.push(bug.id.clone());
            continue;
        };
        let name = format!("smelt-{:0>4}-{}", bug.id, bug.kind);
        match which {
            Regress::Z3 => {
                output::write(&to.join(format!("{name}.smt2")), script)?;
                output::write(&to.join(format!("{name}.expected.out")), format!("{answer}\n"))?;
            }
            Regress::Cvc5 => {
                let options = options(f);
                let text = format!("{options}; EXPECT: {answer}\n{script}");
                output::write(&to.join(format!("{name}.smt2")), text)?;
            }
        }
        made += 1;
    }
    Ok((made, left))
}

/// The line with the options that a bug needs, as cvc5 reads it.
fn options(f: &Facts) -> String {
    let accused = f.shown.actual.iter().find(|a| a.accused);
    let words = accused.and_then(|a| shlex::split(&a.command)).unwrap_or_default();
    let flags: Vec<&str> = words
        .iter()
        .skip(1)
        .map(String::as_str)
        .filter(|w| w.starts_with("--") && !w.starts_with("--lang"))
        .collect();
    if flags.is_empty() { String::new() } else { format!("; COMMAND-LINE: {}\n", flags.join(" ")) }
}
