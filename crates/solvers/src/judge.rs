//! From answers, the end of the process and its last words to one outcome: verdict, limit, rejection or crash.

use crate::{
    output::Answers,
    process::{End, Exit},
    profile::{Profile, fits},
};
use smelt_core::{Crash, CrashKind, Outcome, OutcomeKind, Usage};

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
    Wall,
    Cpu,
    Memory,
    Output,
    /// It closed its output and went on.
    Closed,
}

/// What is known when a query is over.
pub(crate) struct Case<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) read: Answers,
    pub(crate) expected: usize,
    pub(crate) ending: Ending,
    pub(crate) stderr: &'a [u8],
    pub(crate) memory_limit: u64,
    pub(crate) usage: Usage,
    pub(crate) comparable: bool,
}

/// Decides.
pub(crate) fn judge(case: Case<'_>) -> Outcome {
    let stderr = String::from_utf8_lossy(case.stderr);
    let texts = &case.profile.texts;
    let messages: Vec<&str> = case
        .read
        .answers
        .iter()
        .filter_map(|a| a.error.as_deref())
        .chain(case.read.errors.iter().map(String::as_str))
        .collect();
    let lines: Vec<&str> = case.read.noise.iter().flat_map(|n| n.lines()).chain(stderr.lines()).collect();
    let everything = || messages.iter().chain(&lines).copied();
    let said = |patterns: &[String]| everything().find(|m| fits(patterns, m)).map(str::to_owned);

    let (kind, message, crash) = 'decision: {
        if let Some(crash) = reported_crash(&case, &messages, &lines) {
            break 'decision (OutcomeKind::Crash, Some(crash.message.clone()), Some(crash));
        }
        let memout = said(&texts.memout);
        match case.ending {
            Ending::Stopped(stop) => {
                let (kind, message) = match stop {
                    Stop::Wall => (OutcomeKind::Timeout, "wall time limit"),
                    Stop::Cpu => (OutcomeKind::Timeout, "cpu time limit"),
                    Stop::Memory => (OutcomeKind::Memout, "memory limit"),
                    Stop::Output => (OutcomeKind::Error, "output limit"),
                    Stop::Closed => (OutcomeKind::Error, "closed its output and went on running"),
                };
                break 'decision (kind, Some(message.to_owned()), None);
            }
            Ending::Ended(End { exit: Exit::Lost, .. }) => {
                let message = "lost: the process that watches over solvers was killed";
                break 'decision (OutcomeKind::Error, Some(message.to_owned()), None);
            }
            Ending::Ended(end) => {
                if let Some(decision) = violent_end(&case, end, memout.clone(), &lines) {
                    break 'decision decision;
                }
            }
            Ending::Marked => {}
        }
        let answered = case.read.answers.len() >= case.expected;
        let first_bad = case.read.answers.iter().find(|a| a.verdict.is_none());
        if let Some(message) = memout.filter(|_| !answered || first_bad.is_some()) {
            break 'decision (OutcomeKind::Memout, Some(message), None);
        }
        if case.read.surplus > 0 {
            let message = "more answers than questions".to_owned();
            break 'decision (OutcomeKind::Error, Some(message), None);
        }
        if answered && first_bad.is_none() && !case.read.unsupported {
            break 'decision match case.read.answers.last().and_then(|a| a.verdict) {
                Some(verdict) => (verdict.into(), case.read.errors.first().cloned(), None),
                None if messages.is_empty() => {
                    (OutcomeKind::Unknown, Some("the script asks nothing".to_owned()), None)
                }
                None => refusal(&case, messages[0]),
            };
        }
        if let Some(message) = said(&texts.timeout).filter(|_| first_bad.is_none()) {
            break 'decision (OutcomeKind::Timeout, Some(message), None);
        }
        let reason = first_bad.and_then(|a| a.error.as_deref()).or(messages.first().copied());
        match reason {
            Some(reason) => refusal(&case, reason),
            None if case.read.unsupported => refusal(&case, "unsupported"),
            None => match lines.iter().find(|line| fits(&texts.rejected, line)) {
                Some(line) => (OutcomeKind::Rejected, Some((*line).to_owned()), None),
                None => {
                    let got = case.read.answers.len();
                    let tail = lines.first().map(|l| format!(": {l}")).unwrap_or_default();
                    let message = format!("{got} of {} answers{tail}", case.expected);
                    (OutcomeKind::Error, Some(message), None)
                }
            },
        }
    };
    let mut answers = case.read.answers;
    if kind == OutcomeKind::Crash && crash.as_ref().is_none_or(|c| c.kind != CrashKind::SelfCheck) {
        // An answer followed by an abort is no answer.
        if let Some(last) = answers.last_mut() {
            last.verdict = None;
            last.error.get_or_insert_with(|| "followed by a crash".to_owned());
        }
    }
    Outcome { kind, answers, crash, message, comparable: case.comparable, usage: case.usage }
}

type Decision = (OutcomeKind, Option<String>, Option<Crash>);

fn refusal(case: &Case<'_>, message: &str) -> Decision {
    let rejected = message == "unsupported" || fits(&case.profile.texts.rejected, message);
    let kind = if rejected { OutcomeKind::Rejected } else { OutcomeKind::Error };
    (kind, Some(message.to_owned()), None)
}

fn exit_of(case: &Case<'_>) -> (Option<i32>, Option<i32>) {
    match case.ending {
        Ending::Ended(End { exit: Exit::Signal(signal), .. }) => (Some(signal), None),
        Ending::Ended(End { exit: Exit::Code(code), .. }) => (None, Some(code)),
        _ => (None, None),
    }
}

/// A crash that the solver or its runtime put into words.
fn reported_crash(case: &Case<'_>, messages: &[&str], lines: &[&str]) -> Option<Crash> {
    let texts = &case.profile.texts;
    let (signal, exit_code) = exit_of(case);
    let make = |kind, message: &str| {
        let site = lines.iter().find_map(|l| site(l)).or_else(|| file_and_line(lines));
        Crash { kind, signal, exit_code, site, message: message.trim().to_owned(), stack: stack(lines) }
    };
    let line = |p: &dyn Fn(&str) -> bool| lines.iter().copied().find(|l| p(l));
    if let Some(l) = line(&|l| is_sanitizer(l)) {
        return Some(make(CrashKind::Sanitizer, l));
    }
    let all = || messages.iter().chain(lines).copied();
    if let Some(message) = all().find(|m| fits(&texts.invalid, m)) {
        return Some(make(CrashKind::SelfCheck, message));
    }
    // A failed C assertion names the program first: `z3: file.cpp:12: f: Assertion `x' failed.`
    let c_assertion = |l: &str| l.contains(": Assertion `") && l.trim_end().ends_with("failed.");
    if let Some(message) = all().find(|m| fits(&texts.assertion, m)).or_else(|| line(&c_assertion)) {
        return Some(make(CrashKind::Assertion, message));
    }
    all().find(|m| fits(&texts.crash, m)).map(|message| make(CrashKind::Exit, message))
}

/// Death by signal, or an exit code that stands for one.
fn violent_end(case: &Case<'_>, end: End, memout: Option<String>, lines: &[&str]) -> Option<Decision> {
    let (signal, code) = match end.exit {
        Exit::Signal(signal) => (signal, None),
        // Wrappers pass a signal on as 128 + its number.
        Exit::Code(code) if (129..160).contains(&code) && !case.profile.exit.fine.contains(&code) => {
            (code - 128, Some(code))
        }
        _ => return None,
    };
    let large = end.peak_memory.saturating_mul(10) > case.memory_limit.saturating_mul(7);
    Some(match signal {
        libc::SIGXCPU => (OutcomeKind::Timeout, Some("cpu time limit".to_owned()), None),
        libc::SIGXFSZ => (OutcomeKind::Error, Some("file size limit".to_owned()), None),
        _ if memout.is_some() => (OutcomeKind::Memout, memout, None),
        _ if large => (OutcomeKind::Memout, Some(format!("signal {signal} at the memory limit")), None),
        libc::SIGKILL | libc::SIGTERM | libc::SIGINT | libc::SIGHUP => {
            (OutcomeKind::Error, Some(format!("killed from outside by signal {signal}")), None)
        }
        _ => {
            // A comment, such as z3's on a logic it does not know, says nothing of the end.
            let telling = lines.iter().find(|l| !l.trim_start().starts_with(';'));
            let message = telling.map_or_else(|| format!("signal {signal}"), |l| (*l).to_owned());
            let crash = Crash {
                kind: CrashKind::Signal,
                signal: Some(signal),
                exit_code: code,
                site: lines.iter().find_map(|l| site(l)),
                message: message.clone(),
                stack: stack(lines),
            };
            (OutcomeKind::Crash, Some(message), Some(crash))
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

/// z3's way: `File: x.cpp` and `Line: 12` on lines of their own.
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
    use crate::{dialect::Dialect, output, profile::Profiles, script::Script};
    use smelt_core::Verdict;
    use std::time::Duration;

    fn end(exit: Exit, peak_memory: u64) -> Ending {
        Ending::Ended(End { exit, cpu: Duration::ZERO, peak_memory })
    }

    fn run(solver: &str, script: &str, stdout: &str, stderr: &str, ending: Ending) -> Outcome {
        let profiles = Profiles::load(None).unwrap();
        let script = Script::scan(script.as_bytes(), &[], &[]);
        let read = output::align(&script.commands, output::replies(stdout.as_bytes()), &Dialect::default());
        judge(Case {
            profile: profiles.get(solver).unwrap(),
            read,
            expected: script.check_sats(),
            ending,
            stderr: stderr.as_bytes(),
            memory_limit: 1000,
            usage: Usage::default(),
            comparable: true,
        })
    }

    fn kind(solver: &str, stdout: &str, stderr: &str, exit: Exit) -> OutcomeKind {
        run(solver, "(check-sat)(get-model)", stdout, stderr, end(exit, 10)).kind
    }

    use OutcomeKind::{Crash, Error, Memout, Rejected, Sat, Timeout, Unsat};

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
            (Stop::Wall, Timeout),
            (Stop::Cpu, Timeout),
            (Stop::Memory, Memout),
            (Stop::Output, Error),
            (Stop::Closed, Error),
        ] {
            assert_eq!(run("z3", "(check-sat)", "sat\n", "", Ending::Stopped(stop)).kind, kind);
        }
    }
}
