//! Reading a script just far enough to run it: its commands, what they will print, what a session must know.

use crate::lex::{Kind, Lexer, Token};
use std::ops::Range;

/// A command that prints a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ask {
    /// `check-sat` and its variants.
    CheckSat,
    Model,
    Value,
    Core,
    Assumptions,
    /// Any other; may reply with an atom.
    Other,
}

/// What matters of one command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// The reply it asks for, if any.
    pub(crate) ask: Option<Ask>,
    /// Sets or reads an option or info: when it is not supported, no formula is affected.
    pub(crate) meta: bool,
}

/// A script, scanned.
#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    /// The text to send: as given, up to `(exit)`, with some commands blanked out.
    pub(crate) text: Vec<u8>,
    /// Its commands, in order.
    pub(crate) commands: Vec<Command>,
    /// Options it sets.
    pub(crate) options: Vec<String>,
    /// It uses the assertion stack or asks more than once.
    pub(crate) incremental: bool,
    /// It holds a word that a session cannot take (see [`Script::scan`]).
    pub(crate) tainted: bool,
    /// It resets the solver itself.
    pub(crate) resets: bool,
    /// It does not end outside all parentheses, strings and symbols, or holds text that is no command.
    pub(crate) ragged: bool,
}

fn ask(name: &[u8]) -> Option<Ask> {
    Some(match name {
        b"check-sat" | b"check-sat-assuming" | b"check-sat-using" => Ask::CheckSat,
        b"get-model" => Ask::Model,
        b"get-value" => Ask::Value,
        b"get-unsat-core" => Ask::Core,
        b"get-unsat-assumptions" => Ask::Assumptions,
        b"simplify" | b"eval" | b"apply" | b"display" | b"labels" | b"help" | b"check-synth" | b"echo" => {
            Ask::Other
        }
        _ if name.starts_with(b"get-") => Ask::Other,
        _ => return None,
    })
}

impl Script {
    /// Scans a script. `taints` are words whose presence makes a session unfit for it. Commands in `dropped` are
    /// blanked out, and so are two that change nothing: `echo`, whose free text could pass for a reply, and
    /// `set-info :status`, which z3 checks its answer against (also that to a later query).
    ///
    /// Blanks keep line and column of all that follows.
    pub(crate) fn scan(source: &[u8], taints: &[String], dropped: &[String]) -> Script {
        let mut script = Script { text: source.to_vec(), ..Script::default() };
        let mut tokens = Lexer::new(source);
        let mut checks = 0;
        while let Some(open) = tokens.next() {
            if open.kind != Kind::Open {
                script.ragged = true;
                continue;
            }
            let head = tokens.next();
            let name = match head {
                Some(Token { kind: Kind::Atom, .. }) => head.map_or(&[][..], |t| t.text(source)),
                _ => b"",
            };
            let (span, argument) = match script.skim(source, &mut tokens, open, head, taints) {
                Some(found) => found,
                None => {
                    script.ragged = true;
                    break;
                }
            };
            if name == b"exit" {
                script.text.truncate(span.start);
                break;
            }
            let status = name == b"set-info" && argument == Some(b":status");
            if name == b"echo" || status || dropped.iter().any(|d| d.as_bytes() == name) {
                for byte in &mut script.text[span] {
                    if *byte != b'\n' {
                        *byte = b' ';
                    }
                }
                continue;
            }
            if name == b"set-option" {
                script.options.push(String::from_utf8_lossy(argument.unwrap_or_default()).into_owned());
            }
            let ask = ask(name);
            checks += usize::from(ask == Some(Ask::CheckSat));
            script.incremental |= checks > 1 || name == b"push" || name == b"pop";
            script.resets |= name == b"reset";
            let meta = matches!(name, b"set-option" | b"set-info" | b"get-option" | b"get-info");
            script.commands.push(Command { ask, meta });
        }
        script
    }

    /// Runs over the rest of one command; its span and its first argument's text.
    fn skim<'a>(
        &mut self,
        source: &'a [u8],
        tokens: &mut Lexer<'a>,
        open: Token,
        head: Option<Token>,
        taints: &[String],
    ) -> Option<(Range<usize>, Option<&'a [u8]>)> {
        let mut depth = 1_usize;
        let mut argument = None;
        let mut seen_head = false;
        for token in head.into_iter().chain(tokens) {
            match token.kind {
                Kind::Open => depth += 1,
                Kind::Close => depth -= 1,
                Kind::Unterminated => return None,
                Kind::Atom if !taints.is_empty() => {
                    let text = token.text(source);
                    self.tainted |= taints.iter().any(|t| t.as_bytes() == text);
                }
                _ => {}
            }
            if depth == 0 {
                return Some((open.start..token.end, argument));
            }
            if seen_head && argument.is_none() {
                argument = Some(token.text(source));
            }
            seen_head = true;
        }
        None
    }

    /// How many verdicts it asks for.
    pub(crate) fn check_sats(&self) -> usize {
        self.commands.iter().filter(|c| c.ask == Some(Ask::CheckSat)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> Script {
        Script::scan(text.as_bytes(), &[":named".to_owned()], &[])
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
