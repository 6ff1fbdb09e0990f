//! A bug as an issue for the solver's maintainers, in Markdown, ready to paste.

use std::fmt::Write;

use smelt_core::{
    Cause, Culprit, Dossier, Doubt, Evidence, Kind, ModelShown, Needs, OutcomeKind, Pair, Release, Said,
    Standing, Verdict,
};
use smelt_solvers::ReportPolicy;
use smelt_store::Origin;

use crate::title::{name, title};

/// Everything that an issue shows.
#[derive(Clone, Copy, Debug)]
pub struct Issue<'a> {
    /// The dossier of the bug.
    pub dossier: &'a Dossier,
    /// The kind of bug.
    pub kind: Kind,
    /// The fingerprint of the bug, as lists of bugs show it.
    pub fingerprint: &'a str,
    /// The script that shows it.
    pub script: &'a str,
    /// The origin of its trigger.
    pub origin: &'a Origin,
    /// The number of the finding and the folder of its campaign.
    pub replay: (&'a str, &'a str),
    /// What the solver's maintainers ask of reports.
    pub maintainers: &'a ReportPolicy,
    /// The reasons why they would not accept it; empty if they would.
    pub outside: &'a [String],
}

/// The most characters of a cell of a table.
const CELL: usize = 160;
/// The names of the script that is shown first, and of the one in which its operator was suspected.
const SHOWN_FILE: &str = "bug.smt2";
const LARGER: &str = "larger.smt2";
/// The issue shows at most this many lines of a model or message.
const LINES: usize = 60;

/// The issue.
pub fn issue(i: &Issue<'_>) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, i);
    out
}

fn write(out: &mut String, i: &Issue<'_>) -> std::fmt::Result {
    let d = i.dossier;
    let alone = alone(d, i.kind);
    let kind = if alone.is_some() { i.kind } else { d.kind };
    writeln!(out, "# {}\n", title(d, kind))?;
    if !i.outside.is_empty() {
        writeln!(out, "> The maintainers do not accept such reports: {}.\n", i.outside.join("; "))?;
    }
    block(out, "smt2", &formula(d, i.kind, i.script))?;
    let spelled = alone.map_or(d.spelled.is_some(), |c| c.spelled.is_some());
    if let (true, [accused]) = (spelled, &d.accused[..]) {
        writeln!(out, "It is written as {} reads it.\n", name(accused))?;
    }
    writeln!(out, "{}\n", sentence(d, kind))?;
    if let Some(pair) = &d.pair {
        writeln!(out, "{}:\n", related(pair))?;
        block(out, "smt2", &pair.script)?;
    }
    match alone {
        Some(culprit) => {
            writeln!(out, "## Why it is wrong\n\n`{}` is `{}`.\n", culprit.application, culprit.value)?;
            let (larger, shows) = (LARGER, d.kind.row().title);
            writeln!(
                out,
                "It was seen while smelt examined `{larger}`, which shows: {shows}. They may be two bugs.\n"
            )?;
            let script = d.spelled.as_deref().unwrap_or(i.script);
            block(out, "smt2", &shown_script(d, script))?;
            let mut said = d.said.clone();
            said.iter_mut().for_each(|s| s.command = s.command.replace(SHOWN_FILE, LARGER));
            answers(out, d, &said)?;
            if let Some(model) = &d.model {
                evaluated(out, model)?;
            }
        }
        None => {
            answers(out, d, &d.said)?;
            why(out, i)?;
        }
    }
    releases(out, i)?;
    found(out, i)
}

/// The operator at fault, if it shows a bug of this kind alone: that says more than the script in which it was found.
pub(crate) fn alone(d: &Dossier, kind: Kind) -> Option<&Culprit> {
    d.culprit.as_ref().filter(|_| kind != d.kind && d.culprit_kind() == Some(kind))
}

/// The script that a maintainer runs to see a bug of this kind: as the accused spells it, with the commands that show it.
pub fn formula(d: &Dossier, kind: Kind, script: &str) -> String {
    match alone(d, kind) {
        Some(culprit) => culprit.spelled.as_ref().unwrap_or(&culprit.script).clone(),
        None => shown_script(d, d.spelled.as_deref().unwrap_or(script)),
    }
}

fn block(out: &mut String, language: &str, text: &str) -> std::fmt::Result {
    let mut lines: Vec<&str> = text.trim_end().lines().collect();
    let more = lines.len().saturating_sub(LINES);
    if language != "smt2" {
        lines.truncate(LINES);
    }
    // A fence longer than any in the text.
    let ticks = "`".repeat(if text.contains("```") { 5 } else { 3 });
    writeln!(out, "{ticks}{language}\n{}", lines.join("\n"))?;
    if more > 0 && language != "smt2" {
        writeln!(out, ".. {more} more lines")?;
    }
    writeln!(out, "{ticks}\n")
}

/// The script, with the option and the command that make a wrong model or core visible, or a crash on the way to a model.
fn shown_script(d: &Dossier, script: &str) -> String {
    // The comment by which smelt finds its own scripts is not for a maintainer.
    let script = script.strip_prefix("; smelt ").and_then(|s| s.split_once('\n')).map_or(script, |s| s.1);
    with_command(if d.with_model { Kind::InvalidModel } else { d.kind }, script)
}

pub(crate) fn with_command(kind: Kind, script: &str) -> String {
    let Some((option, command)) = kind.row().shown_by else { return script.to_owned() };
    // A reset undoes options.
    let (before, after) =
        script.rfind("(reset)").map_or(("", script), |at| script.split_at(at + "(reset)".len()));
    let head = match after.contains(option) {
        true => before.to_owned(),
        false if before.is_empty() => format!("(set-option {option} true)\n"),
        false => format!("{before}\n(set-option {option} true)"),
    };
    let body = after.trim_end();
    let body = body.strip_suffix("(exit)").unwrap_or(body).trim_end();
    if body.contains(command) {
        return format!("{head}{body}\n");
    }
    format!("{head}{body}\n{command}\n")
}

/// The answer to the other script of a pair, and how the two are related.
pub(crate) fn related(pair: &Pair) -> String {
    let by: Vec<String> = pair.proved.iter().map(name).collect();
    let by = by.join(" and ");
    match (pair.proved.is_empty(), pair.answer) {
        (true, answer) => {
            format!("It says `{answer}` to the following formula, and the one above {}", pair.relation)
        }
        (false, OutcomeKind::Sat) => {
            format!(
                "It says `sat` to the following formula, from which the one above follows (proved by {by})"
            )
        }
        (false, answer) => {
            format!(
                "It says `{answer}` to the following formula, which follows from the one above (proved by {by})"
            )
        }
    }
}

/// How sure it is what the answer should be.
fn is(d: &Dossier) -> &'static str {
    match (&d.culprit, d.evidence) {
        (None, Some(Evidence::Vote | Evidence::Metamorphic)) => {
            "By the evidence below, which is no proof, it is"
        }
        _ => "It is",
    }
}

/// The answer of the solver, and the correct one.
pub(crate) fn sentence(d: &Dossier, kind: Kind) -> String {
    let accused: Vec<&Said> = d.said.iter().filter(|s| s.accused).collect();
    let row = kind.row();
    let Some(one) = accused.first() else { return format!("{}.", row.title) };
    let command = &one.command;
    match kind {
        Kind::Unsound => {
            let words: Vec<String> =
                accused.iter().map(|s| format!("`{}` says `{}`", s.command, s.outcome)).collect();
            match words.len() {
                1 if d.pair.is_some() => format!("{}.", words[0]),
                1 => format!("{}: {}.", words[0], d.reason),
                _ => format!("{}. It is not settled which is wrong.", words.join(", ")),
            }
        }
        Kind::InvalidModel if d.evidence == Some(Evidence::SelfCheck) => {
            format!("`{command}` says `sat`, and its own check of the model fails.")
        }
        Kind::InvalidModel => {
            let others = d.said.iter().filter(|s| !s.accused);
            let is_sat = others.clone().any(|s| s.outcome == OutcomeKind::Sat);
            let unsat: Vec<String> =
                others.filter(|s| s.outcome == OutcomeKind::Unsat).map(|s| name(&s.solver)).collect();
            let opposed = match unsat.is_empty() || is_sat {
                true => String::new(),
                false => format!(" `unsat` is the answer of {}.", unsat.join(", ")),
            };
            format!("`{command}` {}.{opposed}", row.claim)
        }
        Kind::InvalidCore if d.evidence != Some(Evidence::Model) => {
            format!("`{command}` says `unsat`: {}.", d.reason)
        }
        Kind::Crash if d.goes_on => format!("`{command}` fails a check of its own."),
        Kind::Crash if d.with_model => format!("`{command}` crashes when it is asked for the model."),
        Kind::Crash if is_fickle(d) => format!("`{command}` crashes, but not in every run."),
        Kind::IncompleteImplication if d.pair.is_none() => format!("`{command}`: {}.", d.reason),
        _ if row.claim.is_empty() => format!("`{command}`: {}.", d.reason),
        _ => match row.correct.filter(|_| row.said != row.correct && row.said.is_some()) {
            Some(correct) => format!("`{command}` {}. {} `{correct}`.", row.claim, is(d)),
            None => format!("`{command}` {}.", row.claim),
        },
    }
}

/// Whether the accused release was seen to be right in another run of the script that is shown.
fn is_fickle(d: &Dossier) -> bool {
    let is_accused = |r: &&Release| d.accused.iter().any(|a| a.version() == r.solver.version());
    d.history.releases.iter().filter(is_accused).any(|r| r.doubt == Some(Doubt::SomeRuns))
}

/// The first line of a text, with a sign if there is more.
fn cell(text: &str) -> String {
    let mut lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
    let line = lines.next().unwrap_or_default();
    let cut: String = line.chars().take(CELL).collect();
    let more = if line.chars().nth(CELL).is_some() || lines.next().is_some() { " .." } else { "" };
    format!("{}{more}", cut.replace('|', "\\|"))
}

/// Two terms without most of what they begin and end with alike, if they are too long for a cell.
fn apart(a: &str, b: &str) -> (String, String) {
    const AROUND: usize = 30;
    if a.len().max(b.len()) <= CELL {
        return (a.to_owned(), b.to_owned());
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let start = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let end = a[start..].iter().rev().zip(b[start..].iter().rev()).take_while(|(x, y)| x == y).count();
    let part = |text: &[char]| {
        let (from, to) = (start.saturating_sub(AROUND), (text.len() - end + AROUND).min(text.len()));
        let middle: String = text[from..to].iter().collect();
        let before = if from > 0 { ".. " } else { "" };
        let after = if to < text.len() { " .." } else { "" };
        format!("{before}{middle}{after}")
    };
    (part(&a), part(&b))
}

/// A message without the place in the input: solvers read more than the script, so it is another one there.
fn placeless(message: &str) -> String {
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

/// The solvers that were given another text than the one that is shown.
pub(crate) fn adapted(said: &[Said]) -> Option<String> {
    let names: Vec<String> = said.iter().filter(|s| s.adapted).map(|s| name(&s.solver)).collect();
    let (verb, their) = if names.len() == 1 { ("was", "its") } else { ("were", "their") };
    let names = match &names[..] {
        [] => return None,
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    };
    Some(format!(
        "{names} {verb} given another text: smelt wrote it in {their} spelling, with a logic only where one is needed."
    ))
}

/// What is wrong with what the accused gives besides its answer.
fn besides(d: &Dossier) -> &'static str {
    match (d.kind, d.evidence) {
        (Kind::InvalidModel, Some(Evidence::SelfCheck)) => ", and its own check of the model fails",
        (Kind::InvalidModel, _) => ", with a model that is false",
        (Kind::InvalidCore, _) => ", with a core that is wrong",
        _ => "",
    }
}

fn answers(out: &mut String, d: &Dossier, said: &[Said]) -> std::fmt::Result {
    writeln!(out, "## What solvers say\n")?;
    writeln!(out, "| solver | command | answer |\n| --- | --- | --- |")?;
    for s in said {
        let answer = match s.outcome {
            OutcomeKind::Timeout if !s.accused => match s.stopped_s {
                Some(seconds) => format!("no answer in {seconds} s, as long as smelt waited"),
                None => "no answer in the time that smelt gave it".to_owned(),
            },
            OutcomeKind::Crash if s.accused && d.goes_on => "a failed check".to_owned(),
            outcome if s.answers.is_empty() => outcome.to_string(),
            _ => s.answers.join(", "),
        };
        let (mark, besides) = if s.accused { ("**", besides(d)) } else { ("", "") };
        let is_stopped = s.outcome == OutcomeKind::Timeout && !s.accused;
        let told = !is_stopped && s.outcome.verdict().is_none_or(|v| v == Verdict::Unknown);
        let message = s.message.as_deref().filter(|m| told && *m != answer).map(|m| match s.outcome {
            OutcomeKind::Rejected | OutcomeKind::Error => placeless(&cell(m)),
            _ => cell(m),
        });
        let message = message.map(|m| format!(": {m}")).unwrap_or_default();
        writeln!(
            out,
            "| {} | `{}` | {mark}{answer}{mark}{besides}{message} |",
            name(&s.solver),
            cell(&s.command)
        )?;
    }
    if let Some(sentence) = adapted(said) {
        writeln!(out, "\n{sentence}")?;
    }
    writeln!(out)
}

fn why(out: &mut String, i: &Issue<'_>) -> std::fmt::Result {
    let d = i.dossier;
    let open = d.accused.len() > 1;
    writeln!(out, "## Why {} wrong\n", if open { "one of them is" } else { "it is" })?;
    match (d.kind, d.evidence) {
        (Kind::IncompleteImplication, _) if d.pair.is_some() => {
            writeln!(out, "It decides one of the two formulas, and the answer to the other follows.\n")?;
        }
        (Kind::Crash, _) => {
            let message = d.said.iter().find(|s| s.accused).and_then(|s| s.message.clone());
            block(out, "", message.as_deref().unwrap_or(&d.reason))?;
        }
        (_, Some(Evidence::Metamorphic)) if d.pair.is_some() => {
            writeln!(out, "The answers to the two formulas cannot both be right.\n")?;
        }
        (_, Some(Evidence::Construction)) => {
            let seeds: Vec<String> =
                i.origin.seeds.iter().map(|s| format!("`{}`", seed_name(&s.0))).collect();
            let from = match seeds.is_empty() {
                true => String::new(),
                false => format!(" from {}, and every step keeps that answer", seeds.join(" and ")),
            };
            let strategy = &i.origin.case.provenance.strategy;
            writeln!(out, "{}: the strategy `{strategy}` made it{from}.\n", capital(&d.reason))?;
        }
        _ => writeln!(out, "{}.\n", capital(&d.reason))?,
    }
    let leaves_assertions = ["(pop", "(reset"].iter().any(|command| i.script.contains(command));
    if d.kind == Kind::InvalidModel && leaves_assertions {
        writeln!(out, "Assertions are counted among those in force at the `(check-sat)`.\n")?;
    }
    let is_known = |model: &&ModelShown| model.assertions.iter().any(|(_, value)| value != "unknown");
    if let Some(model) = d.model.as_ref().filter(is_known) {
        evaluated(out, model)?;
    }
    if let Some(word) = at_fault(d) {
        writeln!(out, "It is about `{word}`. The same question without it is answered correctly.\n")?;
    }
    if let Some(c) = &d.culprit {
        let solver = d.accused.first().map(name).unwrap_or_default();
        writeln!(
            out,
            "One operator is enough: `{}` is `{}`, but {solver} says `{}` to\n",
            c.application, c.value, c.answer
        )?;
        block(out, "smt2", c.spelled.as_ref().unwrap_or(&c.script))?;
    }
    Ok(())
}

/// The construct or command that a bug is about.
pub(crate) fn at_fault(d: &Dossier) -> Option<&str> {
    match d.cause() {
        Cause::Construct(word) | Cause::Command(word) => Some(word),
        _ => None,
    }
}

/// The owner of a model, as a heading names it.
pub(crate) fn model_of(model: &ModelShown) -> String {
    model
        .solver
        .as_ref()
        .map_or("The model that the case was made with".to_owned(), |s| format!("The model of {}", name(s)))
}

/// A seed's name without the folder of an absolute path: the issue does not show paths of this machine.
pub(crate) fn seed_name(name: &str) -> &str {
    if name.starts_with('/') { name.rsplit('/').next().unwrap_or(name) } else { name }
}

/// A sentence starts with a capital, unless it starts with a name.
pub(crate) fn capital(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or_default();
    match text.chars().next() {
        Some(c) if word.trim_end_matches(',').chars().all(char::is_alphabetic) => {
            c.to_uppercase().collect::<String>() + &text[c.len_utf8()..]
        }
        _ => text.to_owned(),
    }
}

fn evaluated(out: &mut String, model: &ModelShown) -> std::fmt::Result {
    if model.text.contains("define-") {
        let today = if model.translated { ", its strings in today's spelling" } else { "" };
        writeln!(out, "{}{today}:\n", model_of(model))?;
        block(out, "", &model.text)?;
        writeln!(out, "Under it, by smelt's evaluator:\n")?;
    } else if model.ground {
        writeln!(out, "By smelt's evaluator:\n")?;
    } else {
        writeln!(out, "{} gives no symbol a value; by smelt's evaluator:\n", model_of(model))?;
    }
    writeln!(out, "| | assertion | value |\n| --- | --- | --- |")?;
    const SHOWN: usize = 20;
    // False assertions first: they show the bug.
    let mut rows: Vec<(usize, &(String, String))> = (1..).zip(&model.assertions).collect();
    rows.sort_by_key(|(_, row)| row.1 != "false");
    for (number, (text, value)) in rows.iter().take(SHOWN) {
        writeln!(out, "| {number} | `{}` | {value} |", cell(text))?;
    }
    if rows.len() > SHOWN {
        writeln!(out, "| | .. {} more | |", rows.len() - SHOWN)?;
    }
    writeln!(out)
}

/// What is known of a release, in words; `None` if it was not tried.
fn standing(release: &Release) -> Option<&'static str> {
    Some(match (release.standing, release.outcome) {
        _ if release.doubt == Some(Doubt::SomeRuns) => "bad in some runs only",
        _ if release.doubt == Some(Doubt::AnotherCrash) => "crashes in another way",
        _ if release.doubt == Some(Doubt::AnotherAnswer) => "wrong in another way",
        _ if release.doubt == Some(Doubt::WrongAnswer) => "does not crash, but its answer contradicts others",
        (Standing::Bad, _) => "bad",
        (Standing::Good, _) => "good",
        (Standing::Untested, _) => return None,
        (Standing::Unclear, Some(OutcomeKind::Rejected | OutcomeKind::Error)) => "cannot read it",
        (Standing::Unclear, Some(OutcomeKind::Unknown | OutcomeKind::Timeout | OutcomeKind::Memout)) => {
            "gives no answer"
        }
        (Standing::Unclear, _) => "could not be judged",
    })
}

/// Why no release is listed.
fn no_releases(d: &Dossier) -> String {
    match d.accused.len() {
        1 => format!("no other release of {} was tried", d.profile),
        _ => "not compared, since it is open which solver is wrong".to_owned(),
    }
}

/// The options under which it shows. What the script sets may be more than it needs; flags were tried without.
pub fn options(needs: &Needs) -> String {
    let ticked = |words: &[String]| words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ");
    let mut parts = Vec::new();
    if !needs.given.is_empty() {
        parts.push(format!(
            "smelt gives {} to every such script, and did not try without",
            ticked(&needs.given)
        ));
    }
    if !needs.flags.is_empty() {
        parts.push(format!("it needs {}", ticked(&needs.flags)));
    }
    if !needs.options.is_empty() {
        parts.push(format!("the script has {}", ticked(&needs.options)));
    }
    match (needs.flags.is_empty() && needs.options.is_empty(), needs.given.is_empty()) {
        (true, true) => "it shows with default options".to_owned(),
        (true, false) => format!("{}; no other option is needed", parts.join("; ")),
        (false, _) => parts.join("; "),
    }
}

/// The releases that show a bug, in one line.
pub fn releases_in_words(d: &Dossier, kind: Kind) -> String {
    let history = d.history_of(kind);
    if history.releases.is_empty() { no_releases(d) } else { history.summary() }
}

fn releases(out: &mut String, i: &Issue<'_>) -> std::fmt::Result {
    let d = i.dossier;
    writeln!(out, "## Affected versions\n")?;
    let history = d.history_of(i.kind);
    let words = releases_in_words(d, i.kind);
    if history.releases.is_empty() {
        writeln!(out, "- Releases: {words}.")?;
    } else {
        let of = if alone(d, i.kind).is_some() { " of the first script" } else { "" };
        writeln!(out, "- Releases{of}: {words}.")?;
        for word in [
            "bad",
            "bad in some runs only",
            "good",
            "crashes in another way",
            "wrong in another way",
            "does not crash, but its answer contradicts others",
            "cannot read it",
            "gives no answer",
            "could not be judged",
        ] {
            let fits = history.releases.iter().filter(|r| standing(r) == Some(word));
            let versions: Vec<String> =
                fits.filter_map(|r| r.solver.version()).map(ToString::to_string).collect();
            if !versions.is_empty() {
                writeln!(out, "  - {word}: {}", versions.join(", "))?;
            }
        }
    }
    if d.kind == Kind::InvalidModel
        && alone(d, i.kind).is_none()
        && history.releases.iter().any(|r| r.standing == Standing::Good)
    {
        writeln!(out, "  - A release that finds a true model here may still find false ones elsewhere.")?;
    }
    for (solver, build) in d.builds() {
        // Who it is, where two are accused.
        let whose = if d.accused.len() > 1 { format!(" of {}", name(solver)) } else { String::new() };
        writeln!(out, "- Build{whose}: `{}`.", cell(build))?;
    }
    if let (Some(system), Some(date)) = (&d.system, &d.date) {
        writeln!(out, "- Seen on {system}, {date}.")?;
    }
    writeln!(out, "- Options: {}.", options(&d.needs))?;
    let needs = &d.needs;
    if let (Some(shows), Some(safe)) = (needs.safe, &i.maintainers.safe) {
        let not = if shows { "also" } else { "not" };
        writeln!(out, "- It shows {not} under `{}`.", safe.args.join(" "))?;
    }
    writeln!(out)
}

fn found(out: &mut String, i: &Issue<'_>) -> std::fmt::Result {
    let (d, p) = (i.dossier, &i.origin.case.provenance);
    let version = d.smelt.as_ref().map(|v| format!(" {v}")).unwrap_or_default();
    writeln!(out, "## How it was found\n")?;
    let seeds: Vec<String> = i.origin.seeds.iter().map(|s| format!("`{}`", seed_name(&s.0))).collect();
    let options = if p.options.is_empty() { String::new() } else { format!(" ({})", p.options) };
    match p.strategy.as_str() {
        "seed" => writeln!(out, "- By smelt{version}, which ran the seed {} itself.", seeds.join(", "))?,
        strategy if d.of_seed => writeln!(
            out,
            "- By smelt{version}: the answers to the seed {} and to a mutant of it (strategy `{strategy}`{options}) contradict each other. The one to the seed, which is shown here, is wrong.",
            seeds.join(" and ")
        )?,
        strategy @ "enumerate" => {
            writeln!(out, "- By smelt{version}: strategy `{strategy}`{options}, script number {}.", p.rng)?;
        }
        strategy if seeds.is_empty() => {
            let choices = format!("random choices from `{:016x}`", p.rng);
            writeln!(out, "- By smelt{version}: strategy `{strategy}`{options}, {choices}.")?;
        }
        strategy => writeln!(
            out,
            "- By smelt{version}: strategy `{strategy}`{options}, random choices from `{:016x}`, {} {}.",
            p.rng,
            if seeds.len() == 1 { "seed" } else { "seeds" },
            seeds.join(" and ")
        )?,
    }
    if let Some(r) = d.reduction {
        let rest = if r.complete { "" } else { "; stopped before the end" };
        let what =
            if alone(d, i.kind).is_some() { format!("`{LARGER}` was reduced") } else { "Reduced".into() };
        writeln!(
            out,
            "- {what} from {} to {} bytes in {} checks{rest}.",
            r.bytes_before, r.bytes_after, r.checks
        )?;
    }
    let (id, folder) = i.replay;
    match (&d.reduction, &d.pair) {
        (Some(_), _) => {}
        (None, None) if d.reduction_tried => {
            writeln!(out, "- Not reduced: nothing smaller was found that shows it every time.")?;
        }
        (None, None) => writeln!(out, "- Not reduced yet: `smelt bugs examine {id} {folder}` does it.")?,
        (None, Some(pair)) => {
            writeln!(out, "- The two scripts are as they were found, not reduced.")?;
            let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let (first, second) = apart(&line(i.script), &line(&pair.script));
            writeln!(out, "- Where the first has `{}`, the second has `{}`.", cell(&first), cell(&second))?;
        }
    }
    if d.seed_shows && !d.of_seed && p.strategy != "seed" {
        writeln!(out, "- The seed as it is shows such a bug too.")?;
    }
    if !d.differences.is_empty() {
        writeln!(out, "- Where the seed had to change:")?;
        for (seed, mutant) in d.differences.iter().take(10) {
            let (seed, mutant) = apart(seed, mutant);
            writeln!(out, "  - `{}` to `{}`", cell(&seed), cell(&mutant))?;
        }
    }
    let does = match d.of_seed {
        true => "runs the mutant, and compares with the answer to the seed",
        false => "makes the original test case and runs it",
    };
    writeln!(out, "- To see it again: `smelt replay {id} {folder}` {does}.")?;
    let named = match i.fingerprint == d.fingerprint() {
        true => "",
        false => ", from the finding that named the bug",
    };
    writeln!(out, "- Fingerprint: `{}`{named}.", i.fingerprint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_it_takes_to_see_a_wrong_model_is_part_of_the_script() {
        let script = "(declare-const x Int)\n(assert (> x 0))\n(check-sat)\n(exit)\n";
        let shown = with_command(Kind::InvalidModel, script);
        assert!(shown.starts_with("(set-option :produce-models true)\n"), "{shown}");
        assert!(shown.ends_with("(check-sat)\n(get-model)\n"), "{shown}");
        assert_eq!(with_command(Kind::Crash, script), script);
        assert_eq!(with_command(Kind::InvalidModel, &shown), shown, "once is enough");
        let reset = "(set-option :produce-models true)\n(reset)\n(check-sat)";
        let shown = with_command(Kind::InvalidModel, reset);
        assert!(
            shown.ends_with("(reset)\n(set-option :produce-models true)\n(check-sat)\n(get-model)\n"),
            "{shown}"
        );
        assert_eq!(with_command(Kind::InvalidModel, &shown), shown, "once is enough");
    }

    #[test]
    fn options_are_needed_only_if_it_was_tried_without() {
        let words = |all: &[&str]| all.iter().map(|w| (*w).to_owned()).collect();
        for (given, flags, set, told) in [
            (&[][..], &[][..], &[][..], "it shows with default options"),
            (
                &["--strings-exp"],
                &[],
                &[],
                "smelt gives `--strings-exp` to every such script, and did not try without; no other option is needed",
            ),
            (&[], &["--x"], &[":y"], "it needs `--x`; the script has `:y`"),
        ] {
            let needs =
                Needs { given: words(given), flags: words(flags), options: words(set), ..Needs::default() };
            assert_eq!(options(&needs), told);
        }
    }

    #[test]
    fn a_bar_in_a_cell_does_not_end_it() {
        assert_eq!(cell("\n (= |a b| x)\nmore"), "(= \\|a b\\| x) ..");
    }

    #[test]
    fn of_two_long_terms_the_part_is_shown_in_which_they_differ() {
        let long = |op: &str| format!("(and {} ({op} x y) {})", "(p a) ".repeat(40), "(p b) ".repeat(40));
        let (a, b) = apart(&long("<"), &long(">="));
        assert!(a.len() < CELL && a.starts_with(".. ") && a.ends_with(" .."), "{a}");
        assert_eq!(a.replace("(< ", "(>= "), b);
        assert_eq!(apart("(< x y)", "(> x y)"), ("(< x y)".into(), "(> x y)".into()));
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
    fn a_block_is_closed_whatever_is_in_it() {
        let mut out = String::new();
        block(&mut out, "smt2", "; ```\n(check-sat)").unwrap();
        assert!(out.starts_with("`````smt2\n") && out.ends_with("\n`````\n\n"), "{out}");
    }

    #[test]
    fn names_are_not_made_to_start_with_a_capital() {
        assert_eq!(capital("it is sat"), "It is sat");
        assert_eq!(seed_name("/home/me/a.smt2"), "a.smt2");
        assert_eq!(seed_name("bv/rotate"), "bv/rotate");
        assert_eq!(capital("z3@4.8.7 says sat"), "z3@4.8.7 says sat");
    }
}
