//! Sentences about a bug.

use smelt_core::{Cause, Class, Dossier, Doubt, Evidence, Kind, OutcomeKind, Pair, Release, Said, SolverId};
use smelt_store::Bug;

use super::{SHOWN_FILE, Spelling, alone, evidence};

/// The most characters of a line.
const LINE: usize = 160;

/// The name of a solver as people write it: `z3 4.8.7`. Readers of a report do not know what `builtin` is.
pub(crate) fn name(id: &SolverId) -> String {
    let name = if id.name() == "builtin" { "smelt's built-in solver" } else { id.name() };
    match id.version() {
        Some(version) => format!("{name} {version}"),
        None => name.to_owned(),
    }
}

/// Code in a line of Markdown, whatever is in it: on one line, between more backticks than it has in a row.
pub(crate) fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let fence = "`".repeat(longest_run(&text) + 1);
    // A space keeps apart what would be one fence; readers take one off at each side.
    let pad = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// The most backticks in a row.
pub(crate) fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// The names of solvers in one text.
pub(crate) fn names(solvers: &[SolverId]) -> String {
    solvers.iter().map(name).collect::<Vec<_>>().join(" / ")
}

/// The kind that a bug is shown as: its own if an operator shows it alone, else that of the script.
pub(super) fn shown_kind(bug: &Bug) -> Kind {
    bug.dossier.as_ref().filter(|d| alone(d, bug.kind).is_none()).map_or(bug.kind, |d| d.kind)
}

/// A bug in one line: solver, kind, theory, operator and options. With votes only, the title calls no answer wrong.
pub fn title(bug: &Bug, spelling: &Spelling) -> String {
    let kind = shown_kind(bug);
    let Some(d) = &bug.dossier else {
        return format!("{}: {}", names(&bug.finding.finding.accused), kind.row().title);
    };
    let phrase = match d.evidence_of(kind) {
        _ if fails_check(d, kind) => "internal check fails",
        Some(Evidence::Vote) => kind.row().by_vote,
        _ => kind.row().title,
    };
    format!("{}: {phrase} ({})", names(&d.accused), spelling.own(&about(d)))
}

/// Whether the crash is a failed internal check after which the accused continues.
pub(super) fn fails_check(d: &Dossier, kind: Kind) -> bool {
    kind.class() == Class::Crash && d.goes_on
}

/// The theory, the operator at fault or those that the smallest script has, and the options that the bug needs.
fn about(d: &Dossier) -> String {
    const SHOWN: usize = 3;
    let mut parts = vec![d.theory.clone()];
    match d.cause() {
        Cause::Construct(word) | Cause::Command(word) | Cause::Rule(word) => parts.push(code(word)),
        cause => {
            let named = cause.operators();
            parts.extend(named.iter().take(SHOWN).map(|o| code(o)));
            parts.extend((named.len() > SHOWN).then(|| "..".to_owned()));
        }
    }
    let needs = &d.needs;
    let set = needs.options.iter().filter(|o| is_option(o));
    let options: Vec<&str> = needs.flags.iter().chain(set).map(String::as_str).collect();
    // Whether an option is needed that smelt always gives was not tried.
    if !options.is_empty() {
        parts.push(format!("with {}", options.join(" ")));
    } else if needs.given.is_empty() {
        parts.push("default options".to_owned());
    }
    parts.join(", ")
}

/// Whether a need of a script is an option that it sets. Others are commands, which the script shows.
pub(super) fn is_option(need: &str) -> bool {
    need.starts_with(':')
}

/// The operator or construct at fault, or the operators that the smallest script needs.
pub(crate) fn operators(bug: &Bug) -> String {
    let Some(d) = &bug.dossier else { return String::new() };
    at_fault(d).map_or_else(|| d.cause().operators().join(" "), str::to_owned)
}

/// The construct or command that a bug is about.
pub(super) fn at_fault(d: &Dossier) -> Option<&str> {
    match d.cause() {
        Cause::Construct(word) | Cause::Command(word) => Some(word),
        _ => None,
    }
}

/// What is wrong apart from the answer of the accused.
pub(super) fn fault(d: &Dossier) -> &'static str {
    match d.evidence {
        Some(Evidence::SelfCheck) => d.kind.row().by_itself,
        _ => d.kind.row().fault,
    }
}

/// What the accused does, and the correct answer.
pub(super) fn claim(bug: &Bug) -> String {
    let Some(d) = &bug.dossier else {
        let reason = capital(&bug.finding.claim.reason.to_string());
        return format!("{reason}. It is not reduced yet, and may duplicate another bug.");
    };
    let kind = shown_kind(bug);
    let row = kind.row();
    let accused: Vec<&Said> = d.said.iter().filter(|s| s.accused).collect();
    let says = |s: &Said| format!("{} returns `{}`", name(&s.solver), s.outcome);
    let one = match accused[..] {
        [] => return format!("{}.", row.title),
        [one] => one,
        _ => {
            let all: Vec<String> = accused.iter().map(|s| says(s)).collect();
            return format!("{}. It is not settled which is wrong.", all.join(", "));
        }
    };
    let who = name(&one.solver);
    if fails_check(d, kind) {
        return format!("{who} reports a failed internal check.");
    }
    if row.claim.is_empty() {
        return match d.pair {
            Some(_) => format!("{}.", says(one)),
            None => format!("{who}: {}.", d.reason),
        };
    }
    let fault = if kind == d.kind { fault(d) } else { row.fault };
    let but = if fault.is_empty() { String::new() } else { format!(", but {fault}") };
    let when = match (d.with_model, is_fickle(d)) {
        (true, _) if row.shown_by.is_none() => " when asked for the model",
        (_, true) => ", but not in every run",
        (_, false) => "",
    };
    let right = match row.correct {
        Some(correct) if row.said.is_some_and(|said| said != correct) => {
            format!(" Expected `{correct}`{}.", unproved(d))
        }
        _ => evidence::opposed(d, row).map(|words| format!(" {words}.")).unwrap_or_default(),
    };
    format!("{who} {}{but}{when}.{right}", row.claim)
}

/// A note if the expected answer is not proved.
fn unproved(d: &Dossier) -> &'static str {
    match (&d.culprit, d.evidence) {
        (None, Some(Evidence::Vote | Evidence::Metamorphic)) => " (not proved)",
        _ => "",
    }
}

/// Whether the accused release answered correctly in another run of the same script.
fn is_fickle(d: &Dossier) -> bool {
    let is_accused = |r: &&Release| d.accused.iter().any(|a| r.solver.is_build_of(a));
    d.history.releases.iter().filter(is_accused).any(|r| r.doubt == Some(Doubt::SomeRuns))
}

/// A note if the script is in the syntax of the accused.
pub(super) fn written_as(d: &Dossier, spelled: bool) -> Option<String> {
    match (spelled, &d.accused[..]) {
        (true, [accused]) => Some(format!("The script uses the syntax of {}.", name(accused))),
        _ => None,
    }
}

/// Where the accused comes from, and whether a plain command reproduces the bug.
pub(super) fn programs(d: &Dossier) -> Vec<String> {
    let mut notes = Vec::new();
    for said in d.said.iter().filter(|s| s.accused) {
        let who = name(&said.solver);
        match (&said.package, &said.untried) {
            (Some(package), None) => {
                notes.push(format!("{who} comes from the Python package {}.", code(package)))
            },
            (Some(package), Some(untried)) => notes.push(format!(
                "{who} comes from the Python package {}, which has no executable: the command requires this package. With the executable of that release, the command is {} (not tested).",
                code(package),
                code(untried)
            )),
            _ => {}
        }
        if said.command.is_none() {
            notes.push(format!(
                "No plain command line on `{SHOWN_FILE}` reproduces it in {who}; use `smelt replay`."
            ));
        }
    }
    notes
}

/// The answer to the other script of a pair, and how the two are related.
pub(super) fn related(pair: &Pair) -> String {
    let by = pair.proved.iter().map(name).collect::<Vec<_>>().join(" and ");
    let how = match (pair.proved.is_empty(), pair.answer) {
        (true, _) => format!("The script above {}", pair.relation),
        (false, OutcomeKind::Sat) => format!("This second script implies the one above (proved by {by})"),
        (false, _) => format!("The script above implies this second one (proved by {by})"),
    };
    format!("It returns `{}` for the second script, below. {how}", pair.answer)
}

/// The solvers that ran a translated version of the script.
pub(super) fn adapted(said: &[Said]) -> Option<String> {
    let names: Vec<String> = said.iter().filter(|s| s.adapted).map(|s| name(&s.solver)).collect();
    let their = if names.len() == 1 { "its" } else { "their" };
    let names = match &names[..] {
        [] => return None,
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    };
    Some(format!("For {names}, the script was translated to {their} syntax."))
}

/// Words as code, in a list.
pub(super) fn ticked<'a>(words: impl IntoIterator<Item = &'a String>, between: &str) -> String {
    words.into_iter().map(|w| code(w)).collect::<Vec<_>>().join(between)
}

/// A seed's name without the folder of an absolute path: reports do not show paths of this machine.
pub(crate) fn seed_name(name: &str) -> &str {
    if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name }
}

/// A sentence starts with a capital, unless it starts with a name.
pub(super) fn capital(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    match text.chars().next() {
        Some(c) if word.trim_end_matches(',').chars().all(char::is_alphabetic) => {
            c.to_uppercase().collect::<String>() + &text[c.len_utf8()..]
        }
        _ => text.to_owned(),
    }
}

/// The first line of a text, with a sign if there is more.
pub(crate) fn line(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let first = lines.next().unwrap_or_default();
    let cut: String = first.chars().take(LINE).collect();
    let more = if first.chars().nth(LINE).is_some() || lines.next().is_some() { " .." } else { "" };
    format!("{cut}{more}")
}

/// Two terms as code; if they are too long for a line, without most of their common beginning and end.
pub(super) fn apart(a: &str, b: &str) -> (String, String) {
    const AROUND: usize = 30;
    let code = |text: &str| code(&line(text));
    if a.len().max(b.len()) <= LINE {
        return (code(a), code(b));
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    let part = |text: &[char]| {
        let (from, to) = (start.saturating_sub(AROUND), (text.len() - end + AROUND).min(text.len()));
        let middle: String = text[from..to].iter().collect();
        let before = if from > 0 { ".. " } else { "" };
        let after = if to < text.len() { " .." } else { "" };
        code(&format!("{before}{middle}{after}"))
    };
    (part(&a), part(&b))
}

/// A message without positions: solvers read more text than the script, so the positions are wrong for the script.
pub(super) fn placeless(message: &str) -> String {
    let is_number = |w: &str| w.trim_end_matches([',', ':', ')']).parse::<u32>().is_ok();
    let words: Vec<&str> = message.split(' ').collect();
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let place = matches!(words[at], "line" | "column") && words.get(at + 1).is_some_and(|w| is_number(w));
        if place {
            if kept.last() == Some(&"at") {
                kept.pop();
            }
            at += 2;
            continue;
        }
        if !["<stdin>:", "<string>:"].iter().any(|file| words[at].starts_with(file)) {
            kept.push(words[at]);
        }
        at += 1;
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_long_terms_the_part_is_shown_in_which_they_differ() {
        let long = |op: &str| format!("(and {} ({op} x y) {})", "(p a) ".repeat(40), "(p b) ".repeat(40));
        let (a, b) = apart(&long("<"), &long(">="));
        assert!(a.len() < LINE && a.starts_with("`.. ") && a.ends_with(" ..`"), "{a}");
        assert_eq!(a.replace("(< ", "(>= "), b);
        assert_eq!(apart("(< x y)", "(> x y)"), ("`(< x y)`".into(), "`(> x y)`".into()));
    }

    #[test]
    fn a_message_does_not_tell_of_places_that_the_script_does_not_have() {
        for (message, told) in [
            ("at line 2, column 51: undefined sort: Int", "undefined sort: Int"),
            (
                "Parse Error: <stdin>:1.59: Symbol 'Seq' not declared",
                "Parse Error: Symbol 'Seq' not declared",
            ),
            ("line 3 column 4: unknown constant line", "unknown constant line"),
        ] {
            assert_eq!(placeless(message), told);
        }
    }

    #[test]
    fn names_are_not_made_to_start_with_a_capital() {
        assert_eq!(capital("it is sat"), "It is sat");
        assert_eq!(seed_name("/home/me/a.smt2"), "a.smt2");
        assert_eq!(seed_name("bv/rotate"), "bv/rotate");
        assert_eq!(capital("z3@4.8.7 says sat"), "z3@4.8.7 says sat");
    }
}
