//! Classifies a query into one outcome (verdict, limit, rejection, crash or error), using the answers, the end of
//! the process and its messages.

use crate::{
    output::Answers,
    process::{End, Exit},
    profile::{Profile, Texts, fits},
};
use smelt_core::{Answer, Crash, CrashKind, Outcome, OutcomeKind, Usage, Verdict};

/// How a query ended.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ending {
    /// The session reached the end mark; the process lives.
    Marked,
    /// The process ended by itself.
    Ended(End),
    /// smelt stopped it.
    Stopped(Stop),
}

/// Why smelt stopped a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Time,
    Cpu,
    Memory,
    Output,
    /// It closed its output but kept running.
    Closed,
}

/// What is known when a query is over.
pub(crate) struct QueryEnd<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) read: Answers,
    pub(crate) expected: usize,
    pub(crate) ending: Ending,
    pub(crate) stderr: &'a [u8],
    pub(crate) memory_limit: u64,
    pub(crate) usage: Usage,
    pub(crate) comparable: bool,
    /// Whether it ran for so long that the solver may have given up because of its soft limit.
    pub(crate) gave_up: bool,
}

/// A kind of outcome, the message that explains it, and the crash if it is one.
type Decision = (OutcomeKind, Option<String>, Option<Crash>);

/// How many bytes of a message are kept. The messages that solvers print are shorter, but for those that repeat the input.
const MESSAGE_BYTES: usize = 2000;

/// Cuts a message that is too long, and says how long it was.
fn clip(message: &mut String) {
    if message.len() > MESSAGE_BYTES {
        let all = message.len();
        let end = (0..=MESSAGE_BYTES).rev().find(|end| message.is_char_boundary(*end));
        message.truncate(end.unwrap_or(0));
        message.push_str(&format!(".. ({all} bytes)"));
    }
}

/// The outcome of a query.
pub(crate) fn classify(query: QueryEnd<'_>) -> Outcome {
    let mut outcome = classify_whole(query);
    let of_answers =
        outcome.answers.iter_mut().flat_map(|a| a.error.as_mut().into_iter().chain(a.reason.as_mut()));
    let of_crash = outcome.crash.as_mut().map(|c| &mut c.message);
    of_answers.chain(of_crash).chain(outcome.message.as_mut()).for_each(clip);
    outcome
}

fn classify_whole(query: QueryEnd<'_>) -> Outcome {
    let stderr = String::from_utf8_lossy(query.stderr);
    let of_answers = query.read.answers.iter().filter_map(|a| a.error.as_deref());
    let messages: Vec<&str> = of_answers.chain(query.read.errors.iter().map(String::as_str)).collect();
    let lines: Vec<&str> = query.read.noise.iter().flat_map(|n| n.lines()).chain(stderr.lines()).collect();
    // A command that was refused may be an assertion: what is replied after that is about another formula.
    let refused = !messages.is_empty();
    let (mut kind, mut message, crash) = decide(&query, &messages, &lines);
    let mut answers = query.read.answers;
    // Unknown at a soft limit is not the solver's answer.
    let at_limit = |a: &Answer| query.gave_up && a.verdict == Some(Verdict::Unknown);
    if kind == OutcomeKind::Unknown && answers.last().is_some_and(at_limit) {
        (kind, message) = (OutcomeKind::Timeout, Some("soft time limit".to_owned()));
    }
    if kind == OutcomeKind::Unknown && message.is_none() {
        message = answers.last().and_then(|a| a.reason.clone());
    }
    for answer in answers.iter_mut().filter(|a| at_limit(a)) {
        answer.verdict = None;
        answer.error = Some("time limit".to_owned());
    }
    if kind == OutcomeKind::Crash && crash.as_ref().is_none_or(|c| c.kind != CrashKind::SelfCheck) {
        // An answer followed by an abort is no answer.
        if let Some(last) = answers.last_mut() {
            last.verdict = None;
            last.error.get_or_insert_with(|| "followed by a crash".to_owned());
        }
    }
    let replies = if refused { Vec::new() } else { query.read.replies };
    let (comparable, usage) = (query.comparable, query.usage);
    Outcome { kind, answers, replies, crash, message, comparable, usage }
}

/// Decides by the error messages that the solver printed as replies, and by its other lines, stderr included.
fn decide(query: &QueryEnd<'_>, messages: &[&str], lines: &[&str]) -> Decision {
    let texts = &query.profile.texts;
    let read = &query.read;
    let said = |patterns| messages.iter().chain(lines).find(|m| fits(patterns, m)).map(|m| (*m).to_owned());
    if let Some(message) = said(&texts.not_built_in) {
        return decision(OutcomeKind::Rejected, message);
    }
    if let Some((kind, message)) = reported_crash(texts, messages, lines) {
        return crash(query, kind, message, lines);
    }
    let memout = said(&texts.memout);
    match query.ending {
        Ending::Marked => {}
        Ending::Stopped(stop) => return stop.decision(),
        Ending::Ended(End { exit: Exit::Lost, .. }) => {
            return decision(OutcomeKind::Error, "lost: the nursery was killed");
        }
        Ending::Ended(end) => {
            if let Some(decision) = signal_decision(query, end, &memout, lines) {
                return decision;
            }
        }
    }
    let answered = read.answers.len() >= query.expected;
    let failed = read.answers.iter().find(|a| a.verdict.is_none());
    if memout.is_some() && (!answered || failed.is_some()) {
        return (OutcomeKind::Memout, memout, None);
    }
    if read.surplus > 0 {
        return decision(OutcomeKind::Error, "more answers than queries");
    }
    if answered && failed.is_none() && !read.unsupported {
        return match (read.answers.last().and_then(|a| a.verdict), messages.first()) {
            (Some(verdict), _) => (verdict.into(), read.errors.first().cloned(), None),
            (None, Some(message)) => refusal(texts, message),
            (None, None) => decision(OutcomeKind::Unknown, "the script has no query"),
        };
    }
    if let Some(message) = said(&texts.timeout).filter(|_| failed.is_none()) {
        return decision(OutcomeKind::Timeout, message);
    }
    let reason = failed.and_then(|a| a.error.as_deref()).or(messages.first().copied());
    if let Some(reason) = reason.or(read.unsupported.then_some("unsupported")) {
        return refusal(texts, reason);
    }
    if let Some(line) = lines.iter().find(|line| fits(&texts.rejected, line)) {
        return decision(OutcomeKind::Rejected, *line);
    }
    let tail = lines.first().map(|l| format!(": {l}")).unwrap_or_default();
    let message = format!("{} of {} answers{tail}", read.answers.len(), query.expected);
    decision(OutcomeKind::Error, message)
}

fn decision(kind: OutcomeKind, message: impl Into<String>) -> Decision {
    (kind, Some(message.into()), None)
}

fn refusal(texts: &Texts, message: &str) -> Decision {
    let rejected = message == "unsupported" || fits(&texts.rejected, message);
    decision(if rejected { OutcomeKind::Rejected } else { OutcomeKind::Error }, message)
}

impl Stop {
    fn decision(self) -> Decision {
        match self {
            Stop::Time => decision(OutcomeKind::Timeout, "time limit"),
            Stop::Cpu => decision(OutcomeKind::Timeout, "cpu time limit"),
            Stop::Memory => decision(OutcomeKind::Memout, "memory limit"),
            Stop::Output => decision(OutcomeKind::Error, "output limit"),
            Stop::Closed => decision(OutcomeKind::Error, "closed its output but kept running"),
        }
    }
}

/// At most this many lines of what a solver says of its crash are kept, and this many characters of each.
const LINES: usize = 20;
const LINE: usize = 300;

/// A crash, with its exit, its place in the source and its stack as far as the solver printed them.
fn crash(query: &QueryEnd<'_>, kind: CrashKind, message: &str, lines: &[&str]) -> Decision {
    let (signal, exit_code) = match query.ending {
        Ending::Ended(End { exit: Exit::Signal(signal), .. }) => (Some(signal), None),
        Ending::Ended(End { exit: Exit::Code(code), .. }) => {
            ((kind == CrashKind::Signal).then_some(code - WRAPPED), Some(code))
        }
        _ => (None, None),
    };
    let site = lines.iter().find_map(|l| site(l)).or_else(|| file_and_line(lines));
    let message = message.trim().to_owned();
    // z3 comments on logics that it does not know; that is not about the crash.
    let about = lines.iter().filter(|l| !l.trim().is_empty() && !l.trim_start().starts_with(';'));
    let about = about.take(LINES).map(|l| l.chars().take(LINE).collect()).collect();
    let stack = stack(lines);
    let crash = Crash { kind, signal, exit_code, site, message: message.clone(), stack, lines: about };
    (OutcomeKind::Crash, Some(message), Some(crash))
}

/// A crash that the solver or its runtime reported in words, and its message.
fn reported_crash<'a>(
    texts: &Texts,
    messages: &[&'a str],
    lines: &[&'a str],
) -> Option<(CrashKind, &'a str)> {
    let all = || messages.iter().chain(lines).copied();
    // A failed C assertion names the program first: `z3: file.cpp:12: f: Assertion `x' failed.`
    let c_assertion = |l: &&str| l.contains(": Assertion `") && l.trim_end().ends_with("failed.");
    let line = |p: &dyn Fn(&&str) -> bool| lines.iter().copied().find(p);
    let said = |patterns: &[String]| all().find(|m| fits(patterns, m));
    None.or_else(|| Some((CrashKind::Sanitizer, line(&|l| is_sanitizer(l))?)))
        .or_else(|| Some((CrashKind::SelfCheck, said(&texts.invalid)?)))
        .or_else(|| Some((CrashKind::Assertion, said(&texts.assertion).or_else(|| line(&c_assertion))?)))
        .or_else(|| Some((CrashKind::Exit, said(&texts.crash)?)))
}

/// Wrappers exit with this number plus that of the signal that ended the program.
const WRAPPED: i32 = 128;

/// What it means that a signal ended the process, if one did.
fn signal_decision(
    query: &QueryEnd<'_>,
    end: End,
    memout: &Option<String>,
    lines: &[&str],
) -> Option<Decision> {
    let signal = match end.exit {
        Exit::Signal(signal) => signal,
        Exit::Code(code) if (129..160).contains(&code) && !query.profile.exit.fine.contains(&code) => {
            code - WRAPPED
        }
        _ => return None,
    };
    let large = end.peak_memory.saturating_mul(10) > query.memory_limit.saturating_mul(7);
    Some(match signal {
        libc::SIGXCPU => decision(OutcomeKind::Timeout, "cpu time limit"),
        libc::SIGXFSZ => decision(OutcomeKind::Error, "file size limit"),
        _ if memout.is_some() => (OutcomeKind::Memout, memout.clone(), None),
        _ if large => decision(OutcomeKind::Memout, format!("signal {signal} at the memory limit")),
        libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP => {
            decision(OutcomeKind::Error, format!("killed from outside by signal {signal}"))
        }
        _ => {
            // A comment, such as z3's about a logic that it does not know, does not explain the crash.
            let cause = lines.iter().find(|l| !l.trim_start().starts_with(';'));
            let message = cause.map_or_else(|| format!("signal {signal}"), |l| (*l).to_owned());
            crash(query, CrashKind::Signal, &message, lines)
        }
    })
}

fn is_sanitizer(line: &str) -> bool {
    let report = line.starts_with("==") && line.contains("==ERROR: ") && line.contains("Sanitizer");
    report || (line.contains(": runtime error: ") && site(line).is_some())
}

/// The first `file.ext:line` in a line of text, for source files of any solver.
fn site(line: &str) -> Option<String> {
    const SOURCES: [&str; 9] = [".cpp", ".cc", ".c", ".cxx", ".h", ".hpp", ".rs", ".java", ".pyx"];
    line.split([' ', '\t', '(', ')', '\'', '`', ',']).find_map(|word| {
        let mut parts = word.split(':');
        let file = parts.next()?;
        let number = parts.next()?.trim_end_matches('.');
        let source = SOURCES.iter().any(|ext| file.len() > ext.len() && file.ends_with(ext));
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        (source && digits).then(|| format!("{file}:{number}"))
    })
}

/// The place as z3 prints it: `File: x.cpp` and `Line: 12` on lines of their own.
fn file_and_line(lines: &[&str]) -> Option<String> {
    let file = lines.iter().find_map(|l| l.strip_prefix("File: "))?;
    let line = lines.iter().find_map(|l| l.strip_prefix("Line: "))?;
    Some(format!("{}:{}", file.trim(), line.trim()))
}

/// Function names of a printed stack such as `#0 0x55d in f(int) file.cpp:3`.
fn stack(lines: &[&str]) -> Vec<String> {
    let frame = |line: &&str| {
        let rest = line.trim_start().strip_prefix('#')?;
        let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
        let rest = match rest.strip_prefix("0x") {
            Some(address) => address.split_once(" in ")?.1,
            None => rest,
        };
        let name = rest.split(['(', ' ']).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    };
    lines.iter().filter_map(frame).take(32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cut_between_characters() {
        let mut message = "é".repeat(3000);
        clip(&mut message);
        assert!(message.starts_with("éé") && message.ends_with("é.. (6000 bytes)"), "{message}");
        assert!(message.len() < MESSAGE_BYTES + 20);
    }
    use crate::{dialect::Dialect, output, profile::Profiles, script::ScannedScript};
    use std::time::Duration;

    fn end(exit: Exit, peak_memory: u64) -> Ending {
        Ending::Ended(End { exit, cpu: Duration::ZERO, peak_memory })
    }

    fn run(solver: &str, script: &str, stdout: &str, stderr: &str, ending: Ending) -> Outcome {
        run_to_limit(solver, script, stdout, stderr, ending, false)
    }

    fn run_to_limit(
        solver: &str,
        script: &str,
        stdout: &str,
        stderr: &str,
        ending: Ending,
        gave_up: bool,
    ) -> Outcome {
        let profiles = Profiles::load(None).unwrap();
        let script = ScannedScript::scan(script.as_bytes(), &[], &[]);
        let profile = profiles.get(solver).unwrap();
        let ignored = profile.texts.ignored_logics(stderr.as_bytes());
        let replies = output::replies(stdout.as_bytes());
        let read = output::align(&script.commands, replies, &Dialect::default(), ignored);
        classify(QueryEnd {
            profile,
            read,
            expected: script.check_sats(),
            ending,
            stderr: stderr.as_bytes(),
            memory_limit: 1000,
            usage: Usage::default(),
            comparable: true,
            gave_up,
        })
    }

    #[test]
    fn unknown_at_a_soft_limit_is_a_timeout() {
        let at = |script, stdout, gave_up| {
            let outcome = run_to_limit("z3", script, stdout, "", Ending::Marked, gave_up);
            (outcome.kind, outcome.verdicts().collect::<Vec<_>>())
        };
        let (unknown, sat) = (Some(Verdict::Unknown), Some(Verdict::Sat));
        assert_eq!(at("(check-sat)", "unknown\n", false), (OutcomeKind::Unknown, vec![unknown]));
        assert_eq!(at("(check-sat)", "unknown\n", true), (Timeout, vec![None]));
        assert_eq!(at("(check-sat)", "sat\n", true), (Sat, vec![sat]));
        let two = "(check-sat)(check-sat)";
        assert_eq!(at(two, "unknown\nsat\n", true), (Sat, vec![None, sat]));
        assert_eq!(at(two, "sat\nunknown\n", true), (Timeout, vec![sat, None]));
        assert_eq!(at("(exit)", "", true).0, OutcomeKind::Unknown, "it has no query");
    }

    #[test]
    fn what_is_replied_after_an_error_is_left_out() {
        let replies = |stdout: &str| {
            let script = "(assert p)(simplify (+ 1 1))(apply simplify)";
            run("z3", script, stdout, "", end(Exit::Code(0), 10)).replies.len()
        };
        assert_eq!(replies("2\n(goals (goal p :precision precise :depth 1))\n"), 2);
        let refused = "(error \"line 1 column 9: unknown constant p\")\n";
        assert_eq!(replies(&format!("{refused}2\n(goals (goal :precision precise :depth 1))\n")), 0);
    }

    fn kind(solver: &str, stdout: &str, stderr: &str, exit: Exit) -> OutcomeKind {
        run(solver, "(check-sat)(get-model)", stdout, stderr, end(exit, 10)).kind
    }

    use OutcomeKind::{Crash, Error, Memout, Rejected, Sat, Timeout, Unknown, Unsat};

    #[test]
    fn the_ways_to_end_are_told_apart() {
        for (solver, stdout, stderr, exit, expected) in [
            ("z3", "sat\n((a))\n", "", Exit::Code(0), Sat),
            ("z3", "unsat\n(error \"line 1 column 9: model is not available\")\n", "", Exit::Code(1), Unsat),
            (
                "z3",
                "(error \"line 1 column 9: unknown constant a\")\nsat\n((a))\n",
                "",
                Exit::Code(1),
                Rejected,
            ),
            ("z3", "unsupported\n", "", Exit::Code(0), Rejected),
            ("z3", "(error \"out of memory\")\n", "", Exit::Code(101), Memout),
            ("z3", "timeout\n", "", Exit::Code(0), Timeout),
            ("z3", "sat\n", "", Exit::Signal(libc::SIGSEGV), Crash),
            ("z3", "sat\n", "", Exit::Code(139), Crash),
            ("z3", "", "", Exit::Code(0), Error),
            ("z3", "sat?\n", "", Exit::Code(0), Error),
            ("z3", "unsat\nsat\n((a))\n", "", Exit::Code(0), Error),
            (
                "z3",
                "sat\n(error \"line 2 column 10: an invalid model was generated\")",
                "",
                Exit::Code(1),
                Crash,
            ),
            ("cvc5", "(error \"Parse Error: a:1.2: sat\n\")", "", Exit::Code(1), Rejected),
            ("cvc5", "sat\n", "Fatal failure within f at a/b.cpp:12\n", Exit::Signal(libc::SIGABRT), Crash),
            ("cvc5", "", "terminate called after 'std::bad_alloc'", Exit::Signal(libc::SIGABRT), Memout),
            (
                "cvc4",
                "",
                "Fatal failure within f at a.cpp:1700\nUnimplemented code encounteredConversion is dependent on SymFPU\n",
                Exit::Signal(libc::SIGABRT),
                Rejected,
            ),
            ("builtin", "unknown\n", "", Exit::Code(0), Unknown),
            ("cvc5", "", "", Exit::Signal(libc::SIGXCPU), Timeout),
            ("cvc5", "", "", Exit::Signal(libc::SIGKILL), Error),
            ("boolector", "sat\n", "", Exit::Code(10), Sat),
            ("boolector", "", "boolector: <stdin>:1: unsupported command 'push'", Exit::Code(1), Rejected),
        ] {
            assert_eq!(kind(solver, stdout, stderr, exit), expected, "{solver} {stdout} {stderr} {exit:?}");
        }
    }

    #[test]
    fn an_answer_followed_by_an_abort_is_a_crash_and_no_answer() {
        let script = "(check-sat)(check-sat)";
        let outcome = run("z3", script, "sat\nunsat\n", "", end(Exit::Signal(libc::SIGABRT), 1));
        assert_eq!(outcome.kind, Crash);
        assert_eq!(outcome.verdicts().collect::<Vec<_>>(), [Some(Verdict::Sat), None]);
    }

    #[test]
    fn a_signal_near_the_memory_limit_is_a_memout() {
        let at = |peak| run("z3", "(check-sat)", "", "", end(Exit::Signal(libc::SIGSEGV), peak)).kind;
        assert_eq!((at(100), at(900)), (Crash, Memout));
    }

    #[test]
    fn a_comment_is_no_message_of_a_crash() {
        let crash = |stderr: &str| {
            run("z3", "(check-sat)", "", stderr, end(Exit::Signal(libc::SIGSEGV), 1)).message.unwrap()
        };
        assert_eq!(crash("; ignoring unsupported logic QF_SLIA line: 1\n"), "signal 11");
        assert_eq!(crash("; ignoring\nfree(): invalid pointer\n"), "free(): invalid pointer");
    }

    #[test]
    fn a_logic_that_the_solver_ignores_is_no_error_of_the_script() {
        let kind =
            |script: &str, stdout: &str, stderr: &str| run("z3", script, stdout, stderr, Ending::Marked).kind;
        let ignored = "; ignoring unsupported logic QF_SLIA line: 1 position: 0\n";
        let script = "(set-logic QF_SLIA)(assert p)(check-sat)";
        assert_eq!(kind(script, "unsupported\nsat\n", ignored), Sat);
        assert_eq!(kind(script, "unsupported\nsat\n", ""), Rejected, "it may be the assertion");
        assert_eq!(kind(script, "unsupported\nunsupported\nsat\n", ignored), Rejected);
        assert_eq!(kind("(assert p)(check-sat)", "unsupported\nsat\n", ignored), Rejected);
        let twice = format!("{script}(reset){script}");
        let answers = "unsupported\nsat\nunsupported\nunsat\n";
        assert_eq!(kind(&twice, answers, &ignored.repeat(2)), Unsat);
        assert_eq!(kind(&twice, answers, ignored), Rejected);
    }

    #[test]
    fn the_site_of_an_assertion_is_found() {
        for (solver, stderr, site) in [
            ("cvc5", "Fatal failure within void f() at ../src/a.cpp:12\nCheck failure\n", "../src/a.cpp:12"),
            ("z3", "ASSERTION VIOLATION\nFile: ../src/b.cpp\nLine: 7\nx > 0\n", "../src/b.cpp:7"),
            ("generic", "tool: c.c:3: f: Assertion `x' failed.\n", "c.c:3"),
            ("builtin", "thread 'main' panicked at src/d.rs:5:9:\nbroken\n", "src/d.rs:5"),
        ] {
            let outcome = run(solver, "(check-sat)", "", stderr, end(Exit::Signal(libc::SIGABRT), 1));
            let crash = outcome.crash.unwrap();
            assert_eq!((crash.kind, crash.site.as_deref()), (CrashKind::Assertion, Some(site)));
        }
    }

    #[test]
    fn a_sanitizer_report_is_a_crash_with_its_stack() {
        let stderr = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\n    #0 0x2 in ns::f(int) /a/b.cpp:9:3\n    #1 0x3 in main /a/c.cpp:1\n";
        let crash = run("z3", "(check-sat)", "sat\n", stderr, end(Exit::Code(1), 1)).crash.unwrap();
        assert_eq!(crash.kind, CrashKind::Sanitizer);
        assert_eq!((crash.site.as_deref(), crash.stack.join(" ")), (Some("/a/b.cpp:9"), "ns::f main".into()));
    }

    #[test]
    fn a_user_symbol_in_a_model_is_no_crash() {
        let model = "sat\n((define-fun |ASSERTION VIOLATION| () Bool true)\n(define-fun |\nFatal failure within| () Int 1))\n";
        assert_eq!(kind("z3", model, "", Exit::Code(0)), Sat);
        assert_eq!(kind("cvc5", model, "", Exit::Code(0)), Sat);
    }

    #[test]
    fn a_limit_hit_is_named() {
        for (stop, kind) in [
            (Stop::Time, Timeout),
            (Stop::Cpu, Timeout),
            (Stop::Memory, Memout),
            (Stop::Output, Error),
            (Stop::Closed, Error),
        ] {
            assert_eq!(run("z3", "(check-sat)", "sat\n", "", Ending::Stopped(stop)).kind, kind);
        }
    }
}
