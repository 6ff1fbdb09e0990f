//! Joins two seeds, and prints the fused script.

use smelt_core::Verdict;
use smelt_smtlib::logic::Logic;

use super::frames::{Frames, Piece};
use super::side::Side;
use crate::pool::Edits;
use crate::rng::Rng;
use crate::strategy::Skip;

/// How two seeds are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Join {
    And,
    Or,
}

/// A side with its status.
#[derive(Clone, Copy)]
pub(super) struct Half<'a> {
    pub(super) side: &'a Side,
    pub(super) status: Verdict,
}

/// Why two sides may not be joined.
pub(super) fn obstacle(a: Half<'_>, b: Half<'_>) -> Option<Skip> {
    if shares_gap(a, b) {
        Some(Skip::SharedGap)
    } else if !stays_speakable(a.side, b.side, Logic::NONE) {
        Some(Skip::NoLogic)
    } else {
        None
    }
}

/// Whether both may rest on what the standard leaves open, and both must hold in one model.
fn shares_gap(a: Half<'_>, b: Half<'_>) -> bool {
    a.status == Verdict::Sat && b.status == Verdict::Sat && a.side.open && b.side.open
}

/// Whether solvers that read both seeds read them together, with something more.
pub(super) fn stays_speakable(a: &Side, b: &Side, more: Logic) -> bool {
    let together = a.logic.union(b.logic).union(more).is_speakable();
    together || !a.logic.is_speakable() || !b.logic.is_speakable()
}

/// How to join two sides, and the status of the result.
pub(super) fn plan(a: Half<'_>, b: Half<'_>, rng: &mut Rng) -> Result<(Join, Verdict), Skip> {
    use Verdict::{Sat, Unsat};
    // Beside each assertion of frames stands the name of the other seed's.
    let can_be_apart = a.side.frames.is_none() || !b.side.named;
    let planned = match (a.status, b.status) {
        (Sat, Sat) => (Join::And, Sat),
        (Sat, _) | (_, Sat) => {
            let unsat = if a.status == Unsat { a } else { b };
            // Assumptions hold beside both halves of a disjunction, and the model of one half says nothing of them. Nor do
            // frames without assertions leave anything to join.
            let assumes = a.side.frames.as_ref().is_some_and(|f| f.assumes && a.status == Unsat);
            // Definitions hold beside either half; recursive ones may be what has no model.
            let may_be = can_be_apart && !assumes && !unsat.side.recursive;
            if rng.one_in(2) && may_be { (Join::Or, Sat) } else { (Join::And, Unsat) }
        }
        _ if can_be_apart => (Join::Or, Unsat),
        _ => (Join::And, Unsat),
    };
    Ok(planned)
}

/// What ties two sides: declarations, equations, and the edits of both texts.
#[derive(Debug, Default)]
pub(super) struct Ties {
    pub(super) logic: Logic,
    pub(super) fresh: Vec<String>,
    pub(super) equations: Vec<String>,
    pub(super) edits: [Edits; 2],
}

/// Appends the fused script.
pub(super) fn write(a: &Side, b: &Side, ties: &Ties, (join, status): (Join, Verdict), out: &mut Vec<u8>) {
    let logic = a.logic.union(b.logic).union(ties.logic).name();
    if let Some(frames) = &a.frames {
        return write_frames((a, frames), b, ties, (join, status, logic), out);
    }
    out.extend_from_slice(format!("(set-logic {logic})\n(set-info :status {status})\n").as_bytes());
    out.extend_from_slice(&a.declarations);
    out.extend_from_slice(&b.declarations);
    ties.fresh.iter().for_each(|line| push_line(out, line));
    let halves = [(a, &ties.edits[0]), (b, &ties.edits[1])];
    match join {
        Join::And => halves.iter().for_each(|(side, edits)| asserted(side, edits, out)),
        Join::Or => {
            out.extend_from_slice(b"(assert (or");
            for (side, edits) in halves {
                out.push(b' ');
                conjunction(side, edits, out);
            }
            out.extend_from_slice(b"))\n");
        }
    }
    ties.equations.iter().for_each(|line| push_line(out, line));
    out.extend_from_slice(&a.extras);
    out.extend_from_slice(&b.extras);
    // A solver's own query comes before the plain one.
    out.extend_from_slice(if a.query == b"(check-sat)\n" { &b.query } else { &a.query });
}

/// The name of the second seed's assertions, in the frames of the first.
const OTHER: &str = "other.3";

/// The same where the first side keeps its commands.
fn write_frames(
    (a, frames): (&Side, &Frames),
    b: &Side,
    ties: &Ties,
    (join, status, logic): (Join, Verdict, &str),
    out: &mut Vec<u8>,
) {
    let [left, right] = &ties.edits;
    out.extend_from_slice(&frames.options);
    push_line(out, &format!("(set-logic {logic})"));
    out.extend_from_slice(&frames.declarations);
    out.extend_from_slice(&b.declarations);
    ties.fresh.iter().for_each(|line| push_line(out, line));
    if join == Join::Or {
        out.extend_from_slice(format!("(define-fun {OTHER} () Bool ").as_bytes());
        conjunction(b, right, out);
        out.extend_from_slice(b")\n");
    }
    for (i, piece) in frames.pieces.iter().enumerate() {
        if i == frames.query {
            out.extend_from_slice(b"(push 1)\n");
            if join == Join::And {
                asserted(b, right, out);
            }
            ties.equations.iter().for_each(|line| push_line(out, line));
            push_line(out, &format!("(set-info :status {status})"));
        }
        match (piece, join) {
            (Piece::Command(text), _) => out.extend_from_slice(text),
            (Piece::Assertion(n), Join::And) => {
                out.extend_from_slice(b"(assert ");
                left.apply(&a.text, a.assertions[*n].clone(), out);
                out.extend_from_slice(b")\n");
            }
            (Piece::Assertion(n), Join::Or) => {
                out.extend_from_slice(b"(assert (or ");
                left.apply(&a.text, a.assertions[*n].clone(), out);
                out.extend_from_slice(format!(" {OTHER}))\n").as_bytes());
            }
        }
    }
}

/// Each assertion of a side.
fn asserted(side: &Side, edits: &Edits, out: &mut Vec<u8>) {
    for assertion in &side.assertions {
        out.extend_from_slice(b"(assert ");
        edits.apply(&side.text, assertion.clone(), out);
        out.extend_from_slice(b")\n");
    }
}

/// All assertions of a side as one formula.
fn conjunction(side: &Side, edits: &Edits, out: &mut Vec<u8>) {
    out.extend_from_slice(if side.assertions.len() > 1 { b"(and " } else { b"" });
    for (i, assertion) in side.assertions.iter().enumerate() {
        if i > 0 {
            out.push(b' ');
        }
        edits.apply(&side.text, assertion.clone(), out);
    }
    out.extend_from_slice(match side.assertions.len() {
        0 => b"true",
        1 => b"",
        _ => b")",
    });
}

fn push_line(out: &mut Vec<u8>, line: &str) {
    out.extend_from_slice(line.as_bytes());
    out.push(b'\n');
}
