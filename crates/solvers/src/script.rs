//! Scans a script just far enough to run it: its commands, the replies they ask for, what a session must know.

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
        matches!(self, Ask::Other | Ask::Typed(Asked::Simplify | Asked::Eliminate))
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
}

/// A command as scanned: where it ends, its name, the first token after the name.
struct CommandText<'a> {
    end: usize,
    name: &'a [u8],
    argument: &'a [u8],
}

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
        b"get-unsat-core" => Ask::Core,
        b"get-unsat-assumptions" => Ask::Assumptions,
        b"eval" | b"display" | b"labels" | b"help" | b"check-synth" | b"echo" => Ask::Other,
        _ if name.starts_with(b"get-") => Ask::Other,
        _ => return None,
    })
}

/// Whether a command has a solver read or write a file: no script does, wherever it comes from. Options are known by their
/// names, and by a value that is a string: files are the only strings that options of solvers have.
fn reaches_files(name: &[u8], option: &[u8], text: &[u8]) -> bool {
    const WORDS: [&str; 8] = ["file", "path", "folder", "channel", "dump", "trace", "plugin", "dir"];
    let option = String::from_utf8_lossy(option).to_ascii_lowercase();
    match name {
        b"include" | b"get-proof-graph" => true,
        b"set-option" => {
            let is_log = option.replace("logic", "").contains("log");
            is_log || WORDS.iter().any(|word| option.contains(word)) || text.contains(&b'"')
        }
        _ => false,
    }
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
        while let Some(open) = tokens.next() {
            if open.kind != TokenKind::Open {
                script.ragged = true;
                continue;
            }
            let Some(CommandText { end, name, argument }) = script.read_command(&mut tokens, taints) else {
                script.ragged = true;
                break;
            };
            let span = range(open).start..end;
            if name == b"exit" {
                script.text.truncate(span.start);
                return script;
            }
            let status = name == b"set-info" && argument == b":status";
            let reaches_files = reaches_files(name, argument, &source[span.clone()]);
            if name == b"echo" || status || reaches_files || dropped.iter().any(|d| d.as_bytes() == name) {
                script.blank_out(span);
                continue;
            }
            if name == b"set-option" {
                script.options.push(String::from_utf8_lossy(argument).into_owned());
            }
            let ask = ask(name, argument);
            // An elimination is a question of its own: cvc5 takes a second one only if it is incremental.
            checks += usize::from(matches!(ask, Some(Ask::CheckSat | Ask::Typed(Asked::Eliminate))));
            script.incremental |= checks > 1 || name == b"push" || name == b"pop";
            let meta = matches!(name, b"set-option" | b"set-info" | b"get-option" | b"get-info");
            script.commands.push(ScannedCommand { ask, meta, logic: name == b"set-logic" });
            if name == b"reset" {
                script.resets.push((script.commands.len(), end));
            }
        }
        script.ragged |= tokens.cut;
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
        while let Some(token) = tokens.next() {
            match token.kind {
                TokenKind::Open => depth += 1,
                TokenKind::Close => {
                    depth -= 1;
                    if depth == 0 {
                        let (name, argument) = (name.unwrap_or_default(), argument.unwrap_or_default());
                        return Some(CommandText { end: range(token).end, name, argument });
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
    fn words_count_only_as_tokens() {
        assert!(scan("(assert (! a :named b))").tainted);
        assert!(!scan("(assert (= a \":named\")) ; :named").tainted);
        assert!(!scan("(assert |push|)(check-sat)").incremental);
        assert!(scan("(push 1)").incremental && scan("(check-sat)(check-sat)").incremental);
        assert_eq!(scan("(set-option :a true)(set-option :b 1)").options, [":a", ":b"]);
    }
}
