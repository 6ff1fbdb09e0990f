//! Scans a script only as far as needed to run it: its commands, the replies they cause, and their effect on a
//! session.

use crate::tokens::{Tokens, range};
use smelt_core::Asked;
use smelt_smtlib::TokenKind;
use std::io::{self, Write};
use std::ops::Range;
use tempfile::NamedTempFile;

/// A command that prints a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// `check-sat` and its variants.
    CheckSat,
    Model,
    /// A query whose reply is judged by itself.
    Typed(Asked),
    Core,
    Assumptions,
    /// The reason for `unknown`.
    Reason,
    /// Any other; may reply with an atom.
    Other,
}

impl Ask {
    /// Whether its reply may be any atom.
    pub(crate) fn may_be_atom(self) -> bool {
        matches!(
            self,
            Ask::Other
                | Ask::Typed(
                    Asked::Simplify | Asked::Eliminate | Asked::Interpolant | Asked::NextInterpolant
                )
        )
    }

    /// Whether a solver must be told in advance that it will be asked for interpolants.
    pub(crate) fn is_for_interpolants(self) -> bool {
        matches!(self, Ask::Typed(Asked::Interpolant | Asked::NextInterpolant | Asked::Interpolants))
    }
}

/// What smelt needs to know of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScannedCommand {
    /// The reply it asks for, if any.
    pub(crate) ask: Option<Ask>,
    /// Sets or reads an option or info: when it is not supported, no formula is affected.
    pub(crate) meta: bool,
    /// Sets the logic: a solver may ignore one that it does not know.
    pub(crate) logic: bool,
}

/// A script, scanned.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScannedScript {
    /// The text to send: as given, up to `(exit)`, with some commands blanked out.
    pub(crate) text: Vec<u8>,
    /// Its commands, in order.
    pub(crate) commands: Vec<ScannedCommand>,
    /// Options it sets.
    pub(crate) options: Vec<String>,
    /// It uses the assertion stack or asks more than once.
    pub(crate) incremental: bool,
    /// It has a word that `(reset)` does not undo (see [`ScannedScript::scan`]).
    pub(crate) tainted: bool,
    /// Where it resets the solver itself: how many commands come up to there, and where the next one starts.
    pub(crate) resets: Vec<(usize, usize)>,
    /// It ends inside a command, a string or a quoted symbol, or has text outside of commands.
    pub(crate) ragged: bool,
    /// Where it begins to say something else to some solver than to smelt: their lexers differ.
    pub(crate) ambiguous: Option<usize>,
}

/// A command as scanned.
struct CommandText<'a> {
    /// Where it ends.
    end: usize,
    name: &'a [u8],
    /// The first token after the name.
    argument: &'a [u8],
    /// Whether a quoted symbol names it, or one with a backslash is in it, which ends the symbol for some and not for
    /// others.
    odd: bool,
    /// Whether a keyword in it names a file.
    names_file: bool,
}

/// z3's query by a tactic.
pub(crate) const USING: &str = "check-sat-using";
/// The query without one, which is shorter.
const PLAIN: &[u8] = b"(check-sat)";

fn ask(name: &[u8], argument: &[u8]) -> Option<Ask> {
    Some(match name {
        b"get-info" if argument == b":reason-unknown" => Ask::Reason,
        b"check-sat" | b"check-sat-assuming" | b"check-sat-using" => Ask::CheckSat,
        b"get-model" => Ask::Model,
        b"get-value" => Ask::Typed(Asked::Value),
        b"simplify" => Ask::Typed(Asked::Simplify),
        b"apply" => Ask::Typed(Asked::Apply),
        b"get-qe" => Ask::Typed(Asked::Eliminate),
        b"get-objectives" => Ask::Typed(Asked::Objectives),
        b"get-interpolant" => Ask::Typed(Asked::Interpolant),
        b"get-interpolant-next" => Ask::Typed(Asked::NextInterpolant),
        b"get-proof" => Ask::Typed(Asked::Proof),
        b"get-interpolants" => Ask::Typed(Asked::Interpolants),
        b"get-unsat-core" => Ask::Core,
        b"get-unsat-assumptions" => Ask::Assumptions,
        b"eval" | b"display" | b"labels" | b"help" | b"check-synth" | b"echo" => Ask::Other,
        _ if name.starts_with(b"get-") => Ask::Other,
        _ => return None,
    })
}

/// Whether a keyword is likely to name an option whose value is a file.
fn names_file(keyword: &[u8]) -> bool {
    const WORDS: [&str; 8] = ["file", "path", "folder", "channel", "dump", "trace", "plugin", "dir"];
    let keyword = String::from_utf8_lossy(keyword).to_ascii_lowercase();
    let is_log = keyword.replace("logic", "").contains("log");
    is_log || matches!(&*keyword, ":out" | ":err" | ":in") || WORDS.iter().any(|word| keyword.contains(word))
}

/// Whether a command has a solver read or write a file: no script does, wherever it comes from. Options are known by their
/// names, and by a value that is a string: files are the only strings that options of solvers have. What is overlooked here
/// meets the fence ([`crate::fence`]); this list says early and on every kernel.
fn reaches_files(command: &CommandText<'_>, text: &[u8]) -> bool {
    let declares = [&b"assert"[..], b"define", b"declare"].iter().any(|word| command.name.starts_with(word));
    match command.name {
        b"include" | b"get-proof-graph" => true,
        b"set-option" => command.names_file || text.contains(&b'"'),
        b"set-info" => false,
        // Parameters of tactics and queries; an attribute of a term is not an option.
        _ => command.names_file && !declares,
    }
}

/// Where bytes stand that some solvers read in another way than smelt: a carriage return alone ends a comment for cvc4, and
/// `#|` begins one for z3.
fn odd_bytes(source: &[u8]) -> Option<usize> {
    let block = memchr::memmem::find(source, b"#|");
    let alone = memchr::memchr_iter(b'\r', source).find(|&i| source.get(i + 1) != Some(&b'\n'));
    block.into_iter().chain(alone).min()
}

impl ScannedScript {
    /// Scans a script. `taints` are words that `(reset)` does not undo. Commands in `dropped` are blanked out, and
    /// so are two that change nothing: `echo`, whose text could look like a reply, and `set-info :status`, which z3
    /// compares with its answer (also with its answer to a later query).
    ///
    /// Blanks keep the lines and columns of the text after them.
    pub(crate) fn scan(source: &[u8], taints: &[String], dropped: &[String]) -> ScannedScript {
        let mut script = ScannedScript { text: source.to_vec(), ..ScannedScript::default() };
        let mut tokens = Tokens::new(source);
        let mut checks = 0;
        let odd_bytes = odd_bytes(source);
        let mut last = 0;
        while let Some(open) = tokens.next() {
            if open.kind != TokenKind::Open {
                script.ragged = true;
                continue;
            }
            let Some(command) = script.read_command(&mut tokens, taints) else {
                script.ragged = true;
                break;
            };
            let CommandText { end, name, argument, odd, .. } = command;
            let span = range(open).start..end;
            if odd || odd_bytes.is_some_and(|at| at < end) {
                script.ambiguous.get_or_insert(last);
            }
            last = end;
            if name == b"exit" {
                script.text.truncate(span.start);
                return script;
            }
            let status = name == b"set-info" && argument == b":status";
            // Of a dropped option, the keyword is given.
            let is_dropped = |word: &[u8]| word == name || name == b"set-option" && word == argument;
            let reaches_files = reaches_files(&command, &source[span.clone()]);
            if name == b"echo" || status || reaches_files || dropped.iter().any(|d| is_dropped(d.as_bytes()))
            {
                script.blank_out(span.clone());
                if name != USING.as_bytes() || reaches_files {
                    continue;
                }
                // Without tactics, the question is the same.
                script.text[span.start..span.start + PLAIN.len()].copy_from_slice(PLAIN);
            }
            if name == b"set-option" {
                script.options.push(String::from_utf8_lossy(argument).into_owned());
            }
            let ask = ask(name, argument);
            // An elimination is a question of its own: cvc5 takes a second one only if it is incremental. So is another
            // interpolant, but not the first.
            let is_question =
                |a| matches!(a, Ask::CheckSat | Ask::Typed(Asked::Eliminate | Asked::NextInterpolant));
            checks += usize::from(ask.is_some_and(is_question));
            script.incremental |= ask == Some(Ask::Typed(Asked::NextInterpolant));
            script.incremental |= checks > 1 || name == b"push" || name == b"pop";
            let meta = matches!(name, b"set-option" | b"set-info" | b"get-option" | b"get-info");
            script.commands.push(ScannedCommand { ask, meta, logic: name == b"set-logic" });
            if name == b"reset" {
                script.resets.push((script.commands.len(), end));
            }
        }
        script.ragged |= tokens.cut;
        if odd_bytes.is_some() {
            script.ambiguous.get_or_insert(last);
        }
        // For some solver it may end in the middle of a command, and wait there for more.
        script.ragged |= script.ambiguous.is_some();
        script
    }

    /// Puts commands that switch something on before all others, and again after each `(reset)`, which undoes them.
    pub(crate) fn switch_on(&mut self, switches: &str) {
        let new = ScannedScript::scan(switches.as_bytes(), &[], &[]);
        for (command, byte) in std::iter::once((0, 0)).chain(self.resets.clone()).rev() {
            self.text.splice(byte..byte, new.text.iter().copied());
            self.commands.splice(command..command, new.commands.iter().copied());
        }
        self.options.splice(0..0, new.options);
    }

    /// Reads the rest of a command whose parenthesis is open; `None` if it never ends.
    fn read_command<'a>(&mut self, tokens: &mut Tokens<'a>, taints: &[String]) -> Option<CommandText<'a>> {
        let mut depth = 1_usize;
        let (mut name, mut argument) = (None, None);
        let (mut odd, mut has_file) = (false, false);
        while let Some(token) = tokens.next() {
            if token.kind == TokenKind::Keyword {
                has_file = has_file || names_file(tokens.text(token));
            } else if token.kind == TokenKind::Quoted {
                odd |= name.is_none() || tokens.text(token).contains(&b'\\');
            }
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => {
                    depth -= 1;
                    if depth == 0 {
                        let (name, argument) = (name.unwrap_or_default(), argument.unwrap_or_default());
                        let end = range(token).end;
                        return Some(CommandText { end, name, argument, odd, names_file: has_file });
                    }
                }
                TokenKind::Symbol | TokenKind::Keyword if !taints.is_empty() => {
                    let text = tokens.text(token);
                    self.tainted |= taints.iter().any(|t| t.as_bytes() == text);
                }
                _ => {}
            }
            if argument.is_none() {
                match name {
                    None if token.kind == TokenKind::Symbol => name = Some(tokens.text(token)),
                    None => name = Some(&b""[..]),
                    Some(_) => argument = Some(tokens.text(token)),
                }
            }
        }
        None
    }

    fn blank_out(&mut self, span: Range<usize>) {
        for byte in self.text[span].iter_mut().filter(|b| **b != b'\n') {
            *byte = b' ';
        }
    }

    /// How many verdicts it asks for.
    pub(crate) fn check_sats(&self) -> usize {
        self.commands.iter().filter(|c| c.ask == Some(Ask::CheckSat)).count()
    }
}

/// A temporary file with this text.
pub(crate) fn script_file(text: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("smelt-").suffix(".smt2").tempfile()?;
    file.write_all(text)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> ScannedScript {
        ScannedScript::scan(text.as_bytes(), &[":named".to_owned()], &[])
    }

    #[test]
    fn nothing_after_exit_is_sent() {
        let script = scan("(check-sat) ; (exit)\n(assert |(exit)|) (exit) (check-sat) (");
        assert_eq!(script.text, b"(check-sat) ; (exit)\n(assert |(exit)|) ");
        assert_eq!(script.check_sats(), 1);
        assert!(!script.ragged);
    }

    #[test]
    fn echo_is_blanked_and_keeps_lines_and_columns() {
        let script = scan("(echo \"sat\nunsat\")(check-sat)");
        assert_eq!(script.text, b"          \n       (check-sat)");
    }

    #[test]
    fn a_status_is_not_sent() {
        let script = scan("(set-info :status sat)(set-info :source |:status|)");
        assert_eq!(script.text, b"                      (set-info :source |:status|)");
    }

    #[test]
    fn what_is_switched_on_is_switched_on_again_after_a_reset() {
        let mut script = scan("(assert p)(reset)(declare-const p Bool)(check-sat)(reset)(check-sat)");
        script.switch_on("(set-option :a true)");
        let on = "(set-option :a true)";
        let text =
            format!("{on}(assert p)(reset){on}(declare-const p Bool)(check-sat)(reset){on}(check-sat)");
        assert_eq!(String::from_utf8(script.text.clone()).unwrap(), text);
        assert_eq!(script.commands, scan(&text).commands);
    }

    #[test]
    fn an_open_script_is_ragged() {
        for text in ["(assert", "(check-sat) )", "sat", "(assert \"a)", "(assert |a)", "(assert (a)"] {
            assert!(scan(text).ragged, "{text}");
        }
        assert!(!scan("").ragged);
    }

    #[test]
    fn a_query_by_tactics_is_a_plain_one_for_a_solver_without_them() {
        let text = "(assert p)\n(check-sat-using (then simplify smt))(get-model)";
        let dropped = [USING.to_owned()];
        let told = ScannedScript::scan(text.as_bytes(), &[], &dropped);
        let words: Vec<String> =
            String::from_utf8(told.text).unwrap().split_whitespace().map(str::to_owned).collect();
        assert_eq!(words.concat(), "(assertp)(check-sat)(get-model)");
        assert_eq!(told.commands.iter().filter(|c| c.ask == Some(Ask::CheckSat)).count(), 1);
        assert_eq!(scan(text).text, text.as_bytes());
    }

    #[test]
    fn no_command_that_names_a_file_is_sent() {
        for text in [
            "(set-option :regular-output-channel \"f\")",
            "(set-option :out f)",
            "(set-option :err |f|)",
            "(check-sat-using (using-params sat :drat.file f))",
            "(apply (using-params sat-preprocess :drat.file |f|))",
            "(query r :spacer.trace_file f)",
            "(include \"f\")",
        ] {
            assert!(scan(text).text.iter().all(|b| *b == b' '), "{text}");
        }
        let kept = "(assert (! p :named file))(assert (! p :trace x))(set-option :produce-models true)";
        assert_eq!(scan(kept).text, kept.as_bytes());
    }

    #[test]
    fn a_script_that_solvers_read_differently_is_known_from_there_on() {
        for odd in [
            "(|set-option| :out f)",
            "(assert |a\\|)(set-option :out f)(assert |b|)",
            "#| (check-sat) |#(check-sat)",
            "; a\r(set-option :out f)\n(check-sat)",
            "(check-sat) ; a\r(set-option :out f)",
        ] {
            let text = format!("(assert p){odd}");
            assert!(scan(&text).ambiguous.is_some_and(|at| (10..22).contains(&at)), "{text}");
        }
        assert_eq!(scan("(assert |a b|)\r\n(check-sat) ; \\").ambiguous, None);
    }

    #[test]
    fn words_count_only_as_tokens() {
        assert!(scan("(assert (! a :named b))").tainted);
        assert!(!scan("(assert (= a \":named\")) ; :named").tainted);
        assert!(!scan("(assert |push|)(check-sat)").incremental);
        assert!(scan("(push 1)").incremental && scan("(check-sat)(check-sat)").incremental);
        assert_eq!(scan("(set-option :a true)(set-option :b 1)").options, [":a", ":b"]);
    }
}
