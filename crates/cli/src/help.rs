//! The help of every command: `-h` shows the common options, which fit a small screen; `--help` shows all. Each option is one line.
//!
//! Neither shows the options of strategies: `smelt strategies NAME` lists them, with the long flags that some have.

use std::ffi::OsString;

use clap::{Arg, ArgAction, ColorChoice, Command};

use crate::style;

/// The heading of options that only `--help` lists.
pub(crate) const MORE: &str = "More options";
/// The heading of the long flags for options of strategies.
pub(crate) const OF_STRATEGIES: &str = "Options of strategies";
/// Values that may begin with a minus sign, so that smelt can say what is wrong with them.
const NUMBERS: [&str; 5] = ["DURATION", "SIZE", "N", "P", "INDEX"];
/// The largest width of the help.
const WIDEST: usize = 100;

/// The arguments of the process: `smelt help COMMAND` is `smelt COMMAND --help`.
pub(crate) fn arguments() -> Vec<OsString> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == "help") {
        words.remove(1);
        words.push("--help".into());
    }
    words
}

/// The commands with their help as `words` ask for it.
pub(crate) fn tailored(command: Command, words: &[OsString]) -> Command {
    let all = words.iter().any(|word| word == "--help");
    let color = match style::asked_for(words) {
        Some(true) => ColorChoice::Always,
        Some(false) => ColorChoice::Never,
        None => ColorChoice::Auto,
    };
    let width = crate::output::width().unwrap_or(WIDEST).clamp(40, WIDEST);
    each(command.disable_help_subcommand(true).color(color).term_width(width), all)
}

fn each(command: Command, all: bool) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    let has_more = command.get_arguments().any(|arg| arg.get_help_heading() == Some(MORE));
    let text = if has_more && !all { "Print help (--help lists all options)" } else { "Print help" };
    let command = command.disable_help_flag(true).arg(help.help(text).display_order(1000)).mut_args(|arg| {
        let heading = arg.get_help_heading();
        let is_hidden = heading == Some(OF_STRATEGIES) || (!all && heading == Some(MORE));
        let name = arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
        let is_number = name.is_some_and(|name| NUMBERS.contains(&name.as_str()));
        let is_flag = arg.get_long().is_some() || arg.get_short().is_some();
        let arg = if is_hidden { arg.hide(true) } else { arg };
        if is_number && is_flag { arg.allow_hyphen_values(true) } else { arg }
    });
    let names: Vec<String> = command.get_subcommands().map(|sub| sub.get_name().to_owned()).collect();
    names.into_iter().fold(command, |command, name| command.mut_subcommand(name, |sub| each(sub, all)))
}

/// A mistake in the arguments as one line that says what to do, like every other error.
pub(crate) fn mistake(error: &clap::Error) -> String {
    one_line(&error.render().to_string())
}

/// Joins the lines of clap's message to one.
fn one_line(text: &str) -> String {
    let text = text.strip_prefix("error: ").unwrap_or(text);
    let lines =
        text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("For more information"));
    let mut all = String::new();
    for line in lines {
        let gap = match all.chars().last() {
            None => "",
            Some(':') => " ",
            Some(_) if line.starts_with('[') => " ",
            // A list, such as that of missing arguments.
            Some(_) if line.starts_with('<') => ", ",
            Some(_) => "; ",
        };
        all.push_str(gap);
        match line.strip_prefix("Usage: ") {
            Some(usage) => all.push_str(&format!("usage: {usage}")),
            None => all.push_str(line),
        }
    }
    format!("smelt: {all}\n")
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_mistake_is_one_line() {
        let missing = "error: the following required arguments were not provided:\n  <A>\n  <B>...\n\nUsage: smelt x <A>\n\n\
                       For more information, try '--help'.\n";
        let line =
            "smelt: the following required arguments were not provided: <A>, <B>...; usage: smelt x <A>\n";
        assert_eq!(one_line(missing), line);
        let value = "error: invalid value 'x' for '--color <WHEN>'\n  [possible values: auto]\n\n  tip: a similar value\n";
        assert_eq!(
            one_line(value),
            "smelt: invalid value 'x' for '--color <WHEN>' [possible values: auto]; tip: a similar value\n"
        );
    }
}
