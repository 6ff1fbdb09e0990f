//! Reads answers from a solver's output.
//!
//! Output is split into replies (expressions and lines), and each reply is matched with the command that asked for
//! it. Nothing is searched for inside a reply, because the user's symbols may have any spelling.

use crate::{
    dialect::Dialect,
    script::{Ask, ScannedCommand, ScannedScript},
    solver::Solver,
    tokens::expression,
};
use smelt_core::{Answer, Asked, Verdict};

/// One reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reply {
    Verdict(Verdict),
    /// `(error "..")`, its message.
    Error(String),
    Unsupported,
    /// Any other expression in parentheses.
    List(String),
    /// Any other line.
    Text(String),
    /// An expression that never ends.
    Cut(String),
}

/// Splits output into replies; `success` and comments are dropped.
pub(crate) fn replies(output: &[u8]) -> Vec<Reply> {
    // Older releases print characters as bytes; a lost byte would make a right model wrong.
    let text = |bytes: &[u8]| match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|b| char::from(*b)).collect(),
    };
    let mut replies = Vec::new();
    let mut at = 0;
    while at < output.len() {
        if output[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let rest = &output[at..];
        if rest.starts_with(b"(error") {
            let length = error_length(rest);
            replies.push(Reply::Error(error_message(&rest[..length])));
            at += length;
        } else if matches!(rest[0], b'(' | b'"') {
            match expression(rest) {
                Some(range) => {
                    at += range.end;
                    replies.push(Reply::List(text(&rest[range])));
                }
                None => {
                    replies.push(Reply::Cut(text(rest)));
                    break;
                }
            }
        } else {
            let length = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            at += length;
            match rest[..length].trim_ascii_end() {
                b"sat" => replies.push(Reply::Verdict(Verdict::Sat)),
                b"unsat" => replies.push(Reply::Verdict(Verdict::Unsat)),
                b"unknown" => replies.push(Reply::Verdict(Verdict::Unknown)),
                b"unsupported" => replies.push(Reply::Unsupported),
                b"success" => {}
                line if line.starts_with(b";") => {}
                line => replies.push(Reply::Text(text(line))),
            }
        }
    }
    replies
}

/// The length of an error reply. Solvers quote user text in messages without escapes, so the reply ends at the first
/// `")` at the end of a line, not where the lexer would end it.
fn error_length(rest: &[u8]) -> usize {
    let mut at = 0;
    for line in rest.split_inclusive(|b| *b == b'\n') {
        at += line.len();
        if line.trim_ascii_end().ends_with(b"\")") {
            return at;
        }
    }
    expression(rest).map_or(rest.len(), |range| range.end)
}

fn error_message(reply: &[u8]) -> String {
    let first = reply.iter().position(|b| *b == b'"').map_or(6, |i| i + 1).min(reply.len());
    let last = reply.iter().rposition(|b| *b == b'"').unwrap_or(0).max(first);
    let inside = if last == first { &reply[first..] } else { &reply[first..last] };
    String::from_utf8_lossy(inside).trim().trim_end_matches(')').replace("\"\"", "\"")
}

/// Answers, and replies that belong to no answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// One for each `check-sat` that was answered.
    pub(crate) answers: Vec<Answer>,
    /// Replies to other queries.
    pub(crate) replies: Vec<smelt_core::Reply>,
    /// Error messages after the last answer, or all if there is no answer.
    pub(crate) errors: Vec<String>,
    /// Whether it printed `unsupported` for a formula or instead of an answer.
    pub(crate) unsupported: bool,
    /// The number of verdicts that no command asked for: then no verdict can be matched with its command.
    pub(crate) surplus: usize,
    /// Lines that are not replies, and an incomplete last reply.
    pub(crate) noise: Vec<String>,
}

/// The commands up to and including one `check-sat`, or after the last.
#[derive(Default)]
struct Segment {
    asks: Vec<Ask>,
    /// For each of these, how many of its kind come before it in the script.
    indices: Vec<usize>,
    metas: usize,
    logics: usize,
    checks: bool,
}

impl Segment {
    /// Whether the next reply, after some others, may be any atom.
    fn awaits_atom(&self, replies: usize) -> bool {
        self.asks.get(replies).is_some_and(|ask| ask.may_be_atom())
    }
}

fn segments(commands: &[ScannedCommand]) -> Vec<Segment> {
    let mut segments = vec![Segment::default()];
    let mut asked: Vec<Ask> = Vec::new();
    for command in commands {
        let last = segments.last_mut().expect("there is always one");
        last.metas += usize::from(command.meta);
        last.logics += usize::from(command.logic);
        match command.ask {
            Some(Ask::CheckSat) => {
                last.checks = true;
                segments.push(Segment::default());
            }
            Some(ask) => {
                last.asks.push(ask);
                last.indices.push(asked.iter().filter(|a| **a == ask).count());
                asked.push(ask);
            }
            None => {}
        }
    }
    segments
}

/// The answers of a solver to a script.
pub(crate) fn read(solver: &Solver, script: &ScannedScript, stdout: &[u8], stderr: &[u8]) -> Answers {
    let ignored = solver.profile.texts.ignored_logics(stderr);
    align(&script.commands, replies(stdout), &solver.dialect, ignored)
}

/// Matches replies with commands.
///
/// Between two verdicts every asking command gives one reply, possibly an error. More errors than that come from
/// commands that should print nothing, such as a refused assertion: the next verdict then answers another question
/// and does not count. `unsupported` counts as such an error, unless it is about an option, or about the logic: the solver
/// says that it ignores `ignored` of those.
pub(crate) fn align(
    commands: &[ScannedCommand],
    replies: Vec<Reply>,
    dialect: &Dialect,
    mut ignored: usize,
) -> Answers {
    let mut segments = segments(commands);
    for segment in &mut segments {
        let excused = segment.logics.min(ignored);
        segment.metas += excused;
        ignored -= excused;
    }
    let mut result = Answers::default();
    let mut pending: Vec<Reply> = Vec::new();
    let mut unsupported = 0;
    let mut current = 0;
    for reply in replies {
        let segment = &segments[current];
        match reply {
            Reply::Verdict(_) if segment.awaits_atom(pending.len()) => pending.push(reply),
            Reply::Verdict(verdict) if segment.checks => {
                let fault = close(segment, &pending, unsupported, &mut result, dialect);
                let verdict = if fault.is_some() { None } else { Some(verdict) };
                result.answers.push(Answer { verdict, error: fault, ..Answer::default() });
                pending.clear();
                unsupported = 0;
                current += 1;
            }
            Reply::Verdict(_) => result.surplus += 1,
            Reply::Unsupported => unsupported += 1,
            Reply::Cut(text) => result.noise.push(text),
            Reply::Text(text) if !segment.awaits_atom(pending.len()) => result.noise.push(text),
            reply => pending.push(reply),
        }
    }
    let segment = &segments[current];
    close(segment, &pending, unsupported, &mut result, dialect);
    let excused = if segment.checks { 0 } else { segment.metas + segment.asks.len() };
    result.unsupported = unsupported > excused;
    for (i, reply) in pending.into_iter().enumerate() {
        // A solver need not have a reason.
        if let (Reply::Error(message), false) = (reply, segment.asks.get(i) == Some(&Ask::Reason)) {
            result.errors.push(message);
        }
    }
    result
}

/// Adds the replies between two verdicts to the earlier answer; the reason, if any, why the later one does not count.
fn close(
    segment: &Segment,
    replies: &[Reply],
    unsupported: usize,
    result: &mut Answers,
    dialect: &Dialect,
) -> Option<String> {
    let first_error = replies.iter().find_map(|r| match r {
        Reply::Error(message) => Some(message.clone()),
        _ => None,
    });
    // After the last answer, errors before the replies are about that answer: the solver's own check of its model.
    let surplus = replies.len().saturating_sub(segment.asks.len());
    let is_error = |reply: &Reply| matches!(reply, Reply::Error(_));
    if surplus == 0 || !segment.checks && replies[..surplus].iter().all(is_error) {
        for ((ask, index), reply) in segment.asks.iter().zip(&segment.indices).zip(&replies[surplus..]) {
            let verdict = result.answers.last().and_then(|a| a.verdict);
            let text = match reply {
                Reply::List(text) => text.clone(),
                Reply::Text(text) if ask.may_be_atom() => text.clone(),
                Reply::Verdict(word) if ask.may_be_atom() => word.to_string(),
                _ => continue,
            };
            // Values are those of a model, and so are optima. Proofs and sequences are about a contradiction.
            let due = match ask {
                Ask::Typed(Asked::Value | Asked::Objectives) => Some(Verdict::Sat),
                Ask::Typed(Asked::Interpolants | Asked::Proof) => Some(Verdict::Unsat),
                _ => verdict,
            };
            if let Ask::Typed(to) = *ask
                && due == verdict
            {
                let text = dialect.restore(text);
                result.replies.push(smelt_core::Reply { to, index: *index, text });
                continue;
            }
            let Some(answer) = result.answers.last_mut() else { continue };
            match (ask, verdict) {
                (Ask::Model, Some(Verdict::Sat)) => answer.model = Some(dialect.restore(text)),
                (Ask::Core, Some(Verdict::Unsat)) => answer.core = Some(text),
                (Ask::Assumptions, Some(Verdict::Unsat)) => answer.assumptions = Some(text),
                (Ask::Reason, Some(Verdict::Unknown)) => answer.reason = info(&text),
                _ => {}
            }
        }
    } else if first_error.is_some() {
        return first_error;
    }
    let excused = segment.metas + segment.asks.len().saturating_sub(replies.len());
    (unsupported > excused).then(|| "unsupported".to_owned())
}

/// The value in a reply to `get-info`: `incomplete` in `(:reason-unknown incomplete)`.
fn info(reply: &str) -> Option<String> {
    let (_, value) = reply.strip_prefix('(')?.strip_suffix(')')?.split_once(char::is_whitespace)?;
    let value = value.trim();
    let text = value.strip_prefix('"').and_then(|v| v.strip_suffix('"')).unwrap_or(value);
    (!text.is_empty()).then(|| text.replace("\"\"", "\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str, output: &str) -> Answers {
        let script = ScannedScript::scan(script.as_bytes(), &[], &[]);
        align(&script.commands, replies(output.as_bytes()), &Dialect::default(), 0)
    }

    #[test]
    fn a_byte_that_is_no_utf_8_is_the_character_of_that_code() {
        let [Reply::List(model)] = &replies(b"((s \"\xe9a\"))")[..] else { panic!("one reply") };
        assert_eq!(model, "((s \"\u{e9}a\"))");
    }

    fn verdicts(answers: &Answers) -> Vec<Option<Verdict>> {
        answers.answers.iter().map(|a| a.verdict).collect()
    }

    use Verdict::{Sat, Unknown, Unsat};

    #[test]
    fn an_error_before_an_answer_means_no_verdict() {
        let read = read("(assert a)(check-sat)(check-sat)", "(error \"line 1: no a\")\nsat\nunsat\n");
        assert_eq!(verdicts(&read), [None, Some(Unsat)]);
        assert_eq!(read.answers[0].error.as_deref(), Some("line 1: no a"));
    }

    #[test]
    fn an_error_to_a_question_leaves_the_next_answer_alone() {
        let script = "(check-sat)(get-model)(push 1)(check-sat)(get-model)";
        let read = read(script, "unsat\n(error \"no model\")\nsat\n((define-fun a () Bool true))\n");
        assert_eq!(verdicts(&read), [Some(Unsat), Some(Sat)]);
        assert_eq!(read.answers[1].model.as_deref(), Some("((define-fun a () Bool true))"));
        assert_eq!(read.answers[0].model, None);
    }

    #[test]
    fn a_model_after_a_failed_check_of_it_is_read() {
        let output = "sat\n(error \"an invalid model was generated\")\n((define-fun a () Bool true))\n";
        let read = read("(check-sat)(get-model)", output);
        assert_eq!((verdicts(&read), read.errors.len()), (vec![Some(Sat)], 1));
        assert_eq!(read.answers[0].model.as_deref(), Some("((define-fun a () Bool true))"));
    }

    #[test]
    fn a_model_after_unknown_is_no_model() {
        let read = read("(check-sat)(get-model)", "unknown\n(model)\n");
        assert_eq!(verdicts(&read), [Some(Unknown)]);
        assert_eq!(read.answers[0].model, None);
    }

    #[test]
    fn the_reason_for_unknown_is_kept_and_an_error_in_its_place_is_none() {
        let script = "(check-sat)(get-info :reason-unknown)";
        let reason = |reply: &str| {
            let read = read(script, &format!("unknown\n{reply}\n"));
            assert_eq!(
                (verdicts(&read), &read.errors[..], read.unsupported),
                (vec![Some(Unknown)], &[][..], false)
            );
            read.answers[0].reason.clone()
        };
        assert_eq!(reason("(:reason-unknown incomplete)").as_deref(), Some("incomplete"));
        let z3 = reason("(:reason-unknown \"smt tactic failed: (incomplete quantifiers)\")");
        assert_eq!(z3.as_deref(), Some("smt tactic failed: (incomplete quantifiers)"));
        for none in ["(error \"no reason\")", "unsupported", "(:reason-unknown \"\")", ""] {
            assert_eq!(reason(none), None, "{none}");
        }
        assert_eq!(read(script, "sat\n(:reason-unknown \"\")\n").answers[0].reason, None);
    }

    #[test]
    fn user_symbols_that_spell_replies_are_no_replies() {
        let output = "sat\n((define-fun |unsat| () Int\n 1) (define-fun |(error \"x\")| () String \"\nsat\n\"))\n(|sat|)\n";
        let read = read("(check-sat)(get-model)(get-value (|sat|))(get-option :x)", output);
        assert_eq!(verdicts(&read), [Some(Sat)]);
        assert_eq!(read.replies.len(), 1);
        assert_eq!((read.replies[0].to, read.replies[0].text.as_str()), (Asked::Value, "(|sat|)"));
        assert!(read.errors.is_empty() && read.noise.is_empty());
    }

    #[test]
    fn a_word_printed_by_another_command_is_no_verdict() {
        let script = "(check-sat)(simplify |unsat|)(check-sat)";
        assert_eq!(verdicts(&read(script, "sat\nunsat\nsat\n")), [Some(Sat), Some(Sat)]);
    }

    #[test]
    fn replies_belong_to_their_command_whatever_others_reply() {
        let script = "(simplify p)(check-sat)(get-value (x))(simplify q)(get-value (y))(apply simplify)";
        let read = read(script, "true\nsat\n(error \"no x\")\n(not q)\n((y 1))\n(goals (goal :depth 0))\n");
        let replies: Vec<_> = read.replies.iter().map(|r| (r.to, r.index, r.text.as_str())).collect();
        let expected = [
            (Asked::Simplify, 0, "true"),
            (Asked::Simplify, 1, "(not q)"),
            (Asked::Value, 1, "((y 1))"),
            (Asked::Apply, 0, "(goals (goal :depth 0))"),
        ];
        assert_eq!(replies, expected);
    }

    #[test]
    fn unsupported_options_do_not_cost_the_verdict_but_unsupported_formulas_do() {
        assert_eq!(verdicts(&read("(set-option :x 1)(check-sat)", "unsupported\nsat")), [Some(Sat)]);
        let refused = read("(assert a)(check-sat)", "unsupported\n; x line: 1\nsat");
        assert_eq!(verdicts(&refused), [None]);
        assert_eq!(refused.answers[0].error.as_deref(), Some("unsupported"));
    }

    #[test]
    fn a_verdict_must_stand_alone_on_its_line() {
        let read = read("(check-sat)", "it is sat\n* unsat *\nsat!\n");
        assert!(read.answers.is_empty());
        assert_eq!(read.noise.len(), 3);
    }

    #[test]
    fn verdicts_nobody_asked_for_are_counted() {
        let read = read("(check-sat)", "sat\nunsat\n");
        assert_eq!((verdicts(&read), read.surplus), (vec![Some(Sat)], 1));
    }

    #[test]
    fn messages_with_stray_quotes_and_lines_end_where_they_end() {
        let output = "(error \"Parse Error: |a\"b| (\n\n  (x\n   ^\n\")\nsat\n";
        let read = read("(check-sat)", output);
        assert_eq!(verdicts(&read), [None]);
        assert!(read.answers[0].error.as_deref().unwrap().starts_with("Parse Error: |a\"b| ("));
    }

    #[test]
    fn a_model_cut_in_the_middle_is_no_model() {
        let read = read("(check-sat)(get-model)", "sat\n((define-fun a () Int");
        assert_eq!(read.answers[0].model, None);
        assert_eq!(read.noise.len(), 1);
    }
}
