//! Command lines for reports: a shell can run them exactly as printed, with the program that smelt ran.

use crate::{
    classify::{Ending, QueryEnd, Stop, classify},
    command::{CommandEnd, CommandRun, run_command},
    error::Error,
    limits::Limits,
    output,
    process::{End, Exit, Launch, find_program},
    script::ScannedScript,
    solver::{Origin, Solver},
    spec::quote,
};
use smelt_core::{Outcome, Usage};
use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// Runs a command line with a shell, in a folder with nothing but one file.
pub fn run_on_file(
    command: &str,
    (file, text): (&str, &[u8]),
    limits: &Limits,
    stop: &dyn Fn() -> bool,
) -> Result<CommandRun, Error> {
    let failed = |e| Error::system("cannot write a script for a solver", e);
    let folder = tempfile::Builder::new().prefix("smelt-").tempdir().map_err(failed)?;
    std::fs::write(folder.path().join(file), text).map_err(failed)?;
    let words = ["-c", "cd \"$0\" && eval \"$1\""].map(std::ffi::OsString::from);
    let mut launch = Launch::new("sh", words).with_args([folder.path().as_os_str(), command.as_ref()]);
    launch.fence = Some(vec![folder.path().to_owned()]);
    run_command(&launch, limits, stop)
}

impl Solver {
    /// Its command line on a file, for a shell: it names the program that smelt runs.
    ///
    /// `script` is the content of the file: some settings are for some scripts only.
    pub fn shell_command(&self, file: &str, script: &[u8]) -> String {
        match self.module() {
            Some((program, site)) => self.python(&self.program_word(), (program, site), file, script),
            None => {
                let arguments = self.arguments(&self.profile.run.file, script);
                self.words([self.program_word()].into_iter().chain(arguments).chain([quote(file)]))
            }
        }
    }

    /// All command lines that may run it on a file, the one that says most to other people first: a Python module with any
    /// `python3`, as it is and as the solver's own program would run, and a program with the file on stdin.
    pub fn shell_commands(&self, file: &str, script: &[u8]) -> Vec<String> {
        let usual = self.shell_command(file, script);
        match self.module() {
            Some(module) => {
                let alone = self.python("python3", module, file, script);
                let asks_often = ScannedScript::scan(script, &[], &[]).incremental;
                let zoo = self.profile.zoo.as_ref().filter(|_| !asks_often);
                let options = zoo.map(|rule| &rule.python_options[..]).unwrap_or_default();
                let like_the_program = format!("{alone} {}", options.join(" "));
                let more = (!options.is_empty()).then_some(like_the_program);
                [alone].into_iter().chain(more).chain([usual]).collect()
            }
            None => {
                let arguments = self.arguments(&self.profile.run.stdin, script);
                let redirected = ["<".to_owned(), quote(file)];
                vec![usual, self.words([self.program_word()].into_iter().chain(arguments).chain(redirected))]
            }
        }
    }

    /// The command line that runs a module, given the interpreter.
    fn python(&self, python: &str, (program, site): (&str, &Path), file: &str, script: &[u8]) -> String {
        let site = format!("PYTHONPATH={}", home(site));
        let start = [site, python.to_owned(), "-c".to_owned(), quote(program), quote(file)];
        self.words(start.into_iter().chain(self.arguments(&[], script)))
    }

    /// A command line with the environment that the solver needs.
    fn words(&self, words: impl Iterator<Item = String>) -> String {
        self.assignments().into_iter().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Whether this release is a Python module, and not a program.
    pub fn is_module(&self) -> bool {
        self.module().is_some()
    }

    /// The command line of the solver's own program, where this release is a Python module and has none.
    pub fn usual_command(&self, file: &str, script: &[u8]) -> Option<String> {
        self.module()?;
        let mut words = vec![self.profile.binaries.first()?.clone()];
        words.extend(self.arguments(&self.profile.run.file, script));
        words.push(quote(file));
        Some(words.join(" "))
    }

    /// The Python package that this release comes from, as pip names it.
    pub fn package(&self) -> Option<String> {
        let rule = self.profile.zoo.as_ref().filter(|_| self.origin == Origin::Zoo)?;
        Some(format!("{}=={}", rule.package, self.id.version()?))
    }

    /// Runs a command line of [`Solver::shell_command`] on a file, and reads what it prints.
    pub fn run_printed(
        &self,
        command: &str,
        (file, script): (&str, &[u8]),
        limits: &Limits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, Error> {
        let started = Instant::now();
        let CommandRun { end, stdout, stderr } = run_on_file(command, (file, script), limits, stop)?;
        // The Python module of cvc5 says why it gave up, on the same line.
        let stdout = match self.is_module() {
            true => cut_reasons(&String::from_utf8_lossy(&stdout)).into_bytes(),
            false => stdout,
        };
        let ended = |exit| Ending::Ended(End { exit, cpu: Duration::ZERO, peak_memory: 0 });
        let scanned = ScannedScript::scan(script, &[], &[]);
        Ok(classify(QueryEnd {
            profile: &self.profile,
            read: output::read(self, &scanned, &stdout, &stderr),
            expected: scanned.check_sats(),
            ending: match end {
                CommandEnd::Code(code) => ended(Exit::Code(code)),
                CommandEnd::Signal(signal) => ended(Exit::Signal(signal)),
                CommandEnd::Timeout => Ending::Stopped(Stop::Time),
                CommandEnd::Stopped => Ending::Stopped(Stop::Output),
            },
            stderr: &stderr,
            memory_limit: limits.memory,
            usage: Usage { wall: started.elapsed(), ..Usage::default() },
            comparable: true,
            gave_up: false,
        }))
    }

    /// The one-line Python program that runs its module on a file, and the folder of the module, if it is one.
    fn module(&self) -> Option<(&str, &Path)> {
        let rule = self.profile.zoo.as_ref().filter(|_| self.origin == Origin::Zoo)?;
        let site = self.launch.args.get(self.own_args.checked_sub(1)?)?;
        Some((rule.python.as_deref()?, Path::new(site)))
    }

    fn assignments(&self) -> Vec<String> {
        let one = |(name, value): &(std::ffi::OsString, std::ffi::OsString)| {
            format!("{}={}", name.to_string_lossy(), quote(&value.to_string_lossy()))
        };
        self.launch.env.iter().map(one).collect()
    }

    fn arguments(&self, mode: &[String], script: &[u8]) -> Vec<String> {
        let own = self.user_args();
        let all = own.iter().chain(mode);
        all.cloned().chain(self.given_options(script)).map(|w| quote(&w)).collect()
    }

    /// The program in a command line: its name if PATH has it under that name, else its path.
    fn program_word(&self) -> String {
        let path = find_program(&self.launch.program).unwrap_or_else(|| self.launch.program.clone());
        let file = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let is_this = |found: PathBuf| file(&found) == file(&path);
        match path.file_name() {
            Some(name) if find_program(Path::new(name)).is_some_and(is_this) => {
                quote(&name.to_string_lossy())
            }
            _ => home(&std::path::absolute(&path).unwrap_or(path)),
        }
    }
}

/// Replies with `unknown` for `unknown (INCOMPLETE)`.
fn cut_reasons(replies: &str) -> String {
    let line = |l: &str| if l.starts_with("unknown (") { "unknown\n".to_owned() } else { format!("{l}\n") };
    replies.lines().map(line).collect()
}

/// A path as a word of a shell, with `~` for the home folder.
fn home(path: &Path) -> String {
    let whole = quote(&path.to_string_lossy());
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let rest =
        home.and_then(|home| path.strip_prefix(home).ok().map(|rest| rest.to_string_lossy().into_owned()));
    match rest {
        // A shell does not expand `~` in quotes.
        Some(rest) if quote(&rest) == rest && !rest.is_empty() => format!("~/{rest}"),
        _ => whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profiles;
    use smelt_core::OutcomeKind;

    #[test]
    fn a_command_has_what_a_script_with_a_stack_or_strings_needs() {
        let profiles = Profiles::load(None).unwrap();
        let plain = "(declare-const p Bool)(assert p)(check-sat)";
        let stack = "(push 1)(assert true)(check-sat)(pop 1)(check-sat)";
        let strings = "(declare-const s String)(check-sat)";
        for (name, script, command) in [
            ("yices", plain, "--smt2-model-format bug.smt2"),
            ("yices", stack, "--smt2-model-format --incremental bug.smt2"),
            ("cvc4", plain, "--lang=smt2 bug.smt2"),
            ("cvc4", stack, "--lang=smt2 --incremental bug.smt2"),
            ("cvc4", strings, "--lang=smt2 --strings-exp bug.smt2"),
            ("z3", stack, "bug.smt2"),
        ] {
            let profile = profiles.get(name).unwrap().clone();
            let launch = Launch::new("/no/such/solver", [""; 0]);
            let solver = Solver::with_version(name, profile, launch, Origin::Path, None);
            let shown = solver.shell_command("bug.smt2", script.as_bytes());
            assert_eq!(shown, format!("/no/such/solver {command}"));
        }
    }

    #[test]
    fn a_release_that_is_a_python_module_is_run_by_python_and_says_so() {
        let profiles = Profiles::load(None).unwrap();
        for name in ["cvc5", "bitwuzla"] {
            let launch = Launch::new("python3", ["-I", "-S", "runner.py", name, "/zoo/site"]);
            let profile = profiles.get(name).unwrap().clone();
            let solver = Solver::with_version(name, profile, launch, Origin::Zoo, "1.4.2".parse().ok());
            let solver = solver.with_args(["--x"]);
            let shown = solver.shell_command("bug.smt2", b"(check-sat)");
            assert!(shown.starts_with("PYTHONPATH=/zoo/site "), "{shown}");
            assert!(
                shown.ends_with("' bug.smt2 --x") && shown.contains(&format!("import {name}")),
                "{shown}"
            );
            let usual = solver.usual_command("bug.smt2", b"(check-sat)").unwrap();
            assert!(usual.starts_with(&format!("{name} --x ")), "{usual}");
            assert_eq!(solver.package().unwrap(), format!("{name}==1.4.2"));
            let like_the_program = format!("{shown} --incremental=false");
            let all = |script: &[u8]| solver.shell_commands("bug.smt2", script);
            assert_eq!(all(b"(check-sat)").contains(&like_the_program), name == "cvc5");
            assert!(!all(b"(check-sat)(check-sat)").iter().any(|c| c.contains("--incremental=false")));
        }
    }

    #[test]
    fn what_a_printed_command_prints_is_read_like_the_output_of_a_session() {
        let profile = Profiles::load(None).unwrap().get("z3").unwrap().clone();
        let solver = Solver::with_version("z3", profile, Launch::new("z3", [""; 0]), Origin::Path, None);
        let run = |command: &str| {
            let script = b"(check-sat)\n(get-model)\n";
            let limits = Limits::within(Duration::from_secs(20));
            solver.run_printed(command, ("bug.smt2", script), &limits, &|| false).unwrap()
        };
        let sat = run("test -f bug.smt2 && echo sat && echo '(model)'");
        assert_eq!((sat.kind, sat.answers[0].model.as_deref()), (OutcomeKind::Sat, Some("(model)")));
        assert_eq!(run("echo unsat < bug.smt2").kind, OutcomeKind::Unsat);
        assert_eq!(run("kill -SEGV $$").kind, OutcomeKind::Crash);
        assert_eq!(run("no-such-program-at-all").kind, OutcomeKind::Error);
        assert_eq!(cut_reasons("unknown (INCOMPLETE)\nsat"), "unknown\nsat\n");
    }
}
