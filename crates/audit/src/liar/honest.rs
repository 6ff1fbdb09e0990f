//! The honest solver: the built-in solver, run command by command in this process.

use smelt_core::{Answer, Asked, Outcome, OutcomeKind, Reply, Verdict};
use smelt_semantics::solver::{Limits, Session, Settings, Step};

use super::play::{Kind, Play};

/// The effort for one check.
const EFFORT: Limits = Limits { steps: 200_000 };

/// What the built-in solver answers to a play; `None` if it does not understand all of it.
pub(crate) fn answers(play: &Play) -> Option<Outcome> {
    let mut session = Session::new(Settings { limits: EFFORT, fault: None });
    let mut answers: Vec<Answer> = Vec::new();
    let mut replies: Vec<Reply> = Vec::new();
    let mut asked: Vec<Asked> = Vec::new();
    for line in &play.commands {
        let reply = ask(&mut session, &line.text);
        if let Kind::Ask(to) = line.kind {
            let index = asked.iter().filter(|a| **a == to).count();
            asked.push(to);
            let text = reply.trim().to_owned();
            if !text.starts_with("(error") && text != "unsupported" {
                replies.push(Reply { to, index, text });
            }
            continue;
        }
        let Kind::Check { assuming } = line.kind else {
            if reply.is_empty() {
                continue;
            }
            return None;
        };
        let verdict = match reply.trim() {
            "sat" => Verdict::Sat,
            "unsat" => Verdict::Unsat,
            "unknown" => Verdict::Unknown,
            _ => return None,
        };
        let mut answer = Answer { verdict: Some(verdict), ..Answer::default() };
        let mut text =
            |question: &str| Some(ask(&mut session, question)).filter(|t| !t.starts_with("(error"));
        match verdict {
            Verdict::Sat => answer.model = text("(get-model)"),
            Verdict::Unsat if !play.names.is_empty() => answer.core = text("(get-unsat-core)"),
            Verdict::Unsat if assuming => answer.assumptions = text("(get-unsat-assumptions)"),
            _ => {}
        }
        answers.push(answer);
    }
    Some(Outcome { replies, ..outcome(answers)? })
}

/// An outcome of answers, without a failure.
pub(crate) fn outcome(answers: Vec<Answer>) -> Option<Outcome> {
    let kind: OutcomeKind = answers.last()?.verdict.map_or(OutcomeKind::Error, Into::into);
    Some(Outcome { answers, message: None, ..Outcome::bare(kind, "") })
}

fn ask(session: &mut Session, text: &str) -> String {
    session.push(text.as_bytes());
    session.push(b"\n");
    let mut out = Vec::new();
    while session.step(&mut out) == Step::Answered {}
    String::from_utf8_lossy(&out).into_owned()
}
