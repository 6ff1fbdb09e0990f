//! The text output of a check.

use std::io::{self, Write};

use smelt_core::{Claim, OutcomeKind, Reason, SolverId, Verdict};

use smelt_trial::RUNS;

use super::CheckedScript;
use crate::{output, style};

/// Lines of a model that are shown.
const MODEL_LINES: usize = 30;
/// Answers of one solver that are shown.
const ANSWERS: usize = 6;

/// A table of outcomes and the findings below it.
pub(super) fn file(
    out: &mut impl Write,
    name: &str,
    solvers: &[&SolverId],
    case: &CheckedScript,
) -> io::Result<()> {
    writeln!(out, "{}", output::printable(name))?;
    let rows: Vec<(String, String)> =
        (0..solvers.len()).map(|i| (solvers[i].to_string(), answers(case, i))).collect();
    let width =
        |of: fn(&(String, String)) -> &String| rows.iter().map(|r| of(r).chars().count()).max().unwrap_or(0);
    let (first, second) = (width(|r| &r.0), width(|r| &r.1));
    for (i, (solver, said)) in rows.iter().enumerate() {
        let outcome = &case.outcomes[i];
        let millis = outcome.usage.wall.as_millis();
        let mut notes = Vec::new();
        let report = case.judgement.models[i].last().and_then(Option::as_ref);
        if let Some(report) = report {
            let why = report.reason.as_ref().map_or(String::new(), |r| format!(" ({})", line(r)));
            notes.push(format!("model {}{why}", report.truth.as_str()));
        }
        if outcome.kind.verdict().is_none() || report.is_none() && outcome.kind == OutcomeKind::Unknown {
            notes.extend(outcome.message.as_ref().map(|m| line(m)));
        }
        if !outcome.comparable {
            notes.push("not compared: the script cannot be translated for it".to_owned());
        }
        let text = format!("  {solver:first$}  {said:second$}  {millis:>6} ms  {}", notes.join("; "));
        let text = output::printable(text.trim_end());
        let mut claims = case.confirmed.iter().filter(|c| c.accuses(i));
        match claims.next() {
            Some(claim) => writeln!(out, "{}", style::urgency(claim.kind.row().priority, &text))?,
            None => writeln!(out, "{text}")?,
        }
    }
    for claim in &case.confirmed {
        finding(out, claim, case)?;
    }
    for claim in &case.flaky {
        writeln!(
            out,
            "  flaky: {} in {} did not reproduce in all {RUNS} fresh runs: {}",
            claim.kind,
            claim.who(),
            output::printable(&claim.reason.to_string())
        )?;
    }
    for why in &case.no_news {
        writeln!(out, "  unknown is expected: {}", output::printable(why))?;
    }
    private(out, case)?;
    label(out, solvers, case)
}

/// A note if two different answers may both be correct.
fn private(out: &mut impl Write, case: &CheckedScript) -> io::Result<()> {
    for check in 0..case.script.checks() {
        let says =
            |v| case.outcomes.iter().any(|o| o.answers.get(check).is_some_and(|a| a.verdict == Some(v)));
        if says(Verdict::Sat)
            && says(Verdict::Unsat)
            && let Some(operator) = case.script.nonstandard_operator(check)
        {
            writeln!(out, "  note: `{operator}` is not standard, so its meaning may differ between solvers")?;
            break;
        }
    }
    Ok(())
}

/// What a solver answered: all answers if there are several, else the outcome.
fn answers(case: &CheckedScript, who: usize) -> String {
    let outcome = &case.outcomes[who];
    if outcome.answers.len() < 2 {
        return outcome.kind.to_string();
    }
    let mut words: Vec<&str> =
        outcome.verdicts().map(|v| v.map_or("error", Verdict::as_str)).take(ANSWERS).collect();
    if outcome.answers.len() > ANSWERS {
        words.push("..");
    }
    let all = words.join(",");
    match outcome.kind.verdict() {
        Some(_) => all,
        None => format!("{all},{}", outcome.kind),
    }
}

fn finding(out: &mut impl Write, claim: &Claim, case: &CheckedScript) -> io::Result<()> {
    let evidence = claim.evidence.map_or(String::new(), |e| format!(" [{e}]"));
    let several = case.script.checks() > 1;
    let place = claim.query.filter(|_| several).map_or(String::new(), |c| format!(" at check-sat {}", c + 1));
    let reason = claim.reason.to_string();
    let (kind, reason) = (
        style::urgency(claim.kind.row().priority, &format!("FINDING {}", claim.kind)),
        output::printable(&reason),
    );
    writeln!(out, "  {kind}{evidence} {}{place}: {reason}", claim.who())?;
    let model_of = |who: usize| {
        let answer = case.outcomes[who].answers.get(claim.query?)?;
        answer.model.as_deref()
    };
    match &claim.reason {
        Reason::Proof { witness, .. } => model(out, model_of(*witness))?,
        Reason::FalseAssertion { .. } => model(out, model_of(claim.accused[0].position))?,
        Reason::CoreModel { model: text, .. } => model(out, Some(text))?,
        _ => {}
    }
    writeln!(out, "    theory {}, fingerprint {}", claim.theory, claim.key())
}

fn model(out: &mut impl Write, text: Option<&str>) -> io::Result<()> {
    let Some(text) = text else { return Ok(()) };
    let lines: Vec<&str> = text.lines().filter(|l| !matches!(l.trim(), "" | "(" | ")" | "(model")).collect();
    for line in lines.iter().take(MODEL_LINES) {
        let cut: String = line.chars().take(200).collect();
        writeln!(out, "      {}", output::printable(&cut))?;
    }
    if lines.len() > MODEL_LINES {
        writeln!(out, "      .. {} more lines", lines.len() - MODEL_LINES)?;
    }
    Ok(())
}

/// A note if an answer contradicts the file's own label.
fn label(out: &mut impl Write, solvers: &[&SolverId], case: &CheckedScript) -> io::Result<()> {
    let Some(label) = case.script.label() else { return Ok(()) };
    let outcomes = case.outcomes.iter().zip(solvers);
    let other = outcomes.filter(|(o, _)| {
        let verdict = o.kind.verdict();
        o.comparable && verdict.is_some_and(|v| v != label && v != Verdict::Unknown)
    });
    let names: Vec<String> = other.map(|(o, s)| format!("{s} says {}", o.kind)).collect();
    if !names.is_empty() {
        writeln!(
            out,
            "  note: the file's :status is {label}, only a label, not evidence; {}",
            names.join(", ")
        )?;
    }
    Ok(())
}

/// Warnings beside the results.
pub(super) fn asides(err: &mut impl Write, name: &str, case: &CheckedScript, json: bool) -> io::Result<()> {
    let name = output::printable(name);
    if let Some(why) = case.script.not_understood() {
        writeln!(err, "{name}: models not checked: {}", line(why))?;
    }
    if let Some(why) = case.script.incomparable() {
        writeln!(err, "{name}: answers not compared: {}", line(why))?;
    }
    for claim in case.flaky.iter().filter(|_| json) {
        let reason = claim.reason.to_string();
        writeln!(err, "{name}: flaky: {} in {}: {}", claim.kind, claim.who(), output::printable(&reason))?;
    }
    Ok(())
}

pub(super) fn summary(out: &mut impl Write, files: usize, solvers: usize, found: usize) -> io::Result<()> {
    let s = |n: usize| if n == 1 { "" } else { "s" };
    let findings =
        if found == 0 { "nothing found".to_owned() } else { format!("{found} finding{}", s(found)) };
    writeln!(out, "{files} file{}, {solvers} solver{}: {findings}", s(files), s(solvers))
}

/// The first line of a text, shortened.
fn line(text: &str) -> String {
    let first = text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default().trim();
    let cut: String = first.chars().take(120).collect();
    if cut.len() < first.len() { format!("{cut}..") } else { cut }
}
