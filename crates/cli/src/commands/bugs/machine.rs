//! Writes bugs as a SARIF file, for continuous integration.

use serde_json::{Value, json};
use smelt_core::Kind;
use smelt_report::{Facts, issue};
use smelt_store::Bug;

/// Bugs as a SARIF 2.1.0 document. What was not examined is open: it may be one of the bugs, and is not counted as one.
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
            "kind": if f.examined { "fail" } else { "open" },
            "level": match (f.examined, &b.muted) {
                (false, _) => "none",
                (true, Some(_)) => "note",
                (true, None) => "error",
            },
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
