//! `smelt completions` and `smelt man`: shell completions and man pages, generated from the commands.

use std::ffi::OsStr;
use std::io::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Command};
use clap_complete::Shell;

use crate::exit::{Exit, Failure};
use crate::{output, setup};

/// Print shell completions
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Shell; for bash: `source <(smelt completions bash)`
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(a: &Arguments, command: Command) -> Result<Exit, Failure> {
    let installed = setup::catalog(None)?.list().into_iter().map(|row| row.spec);
    let words = installed.filter(|spec| !spec.contains(char::is_whitespace));
    // The process ends with this command.
    let solvers = Names(words.map(|spec| &*spec.leak()).collect());
    let strategies = Names(smelt_strategies::rows().map(|row| row.name).collect());
    let mut command = with_names(command, &solvers, &strategies);
    let mut text = Vec::new();
    clap_complete::generate(a.shell, &mut command, "smelt", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(Exit::Ok)
}

/// Words that a shell offers for an argument that takes others too.
#[derive(Clone)]
struct Names(Vec<&'static str>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().copied().map(PossibleValue::new)))
    }
}

/// The commands with names for every argument that is a solver or a strategy, by what its help calls it.
fn with_names(command: Command, solvers: &Names, strategies: &Names) -> Command {
    let named = |arg: Arg| {
        let is = |word: &str| match arg.get_value_names() {
            Some(names) => names.iter().any(|name| name == word),
            None => arg.get_id().as_str().eq_ignore_ascii_case(word),
        };
        if !arg.get_possible_values().is_empty() {
            arg
        } else if SOLVERS.iter().any(|word| is(word)) {
            arg.value_parser(solvers.clone())
        } else if is(STRATEGY) {
            arg.value_parser(strategies.clone())
        } else {
            arg
        }
    };
    command.mut_args(named).mut_subcommands(|sub| with_names(sub, solvers, strategies))
}

/// The words for an argument that is a solver, or a strategy.
const SOLVERS: [&str; 4] = ["SOLVER", "RELEASE", "TARGET", "REFERENCE"];
const STRATEGY: &str = "STRATEGY";

/// Print a man page; with -o, write all of them
#[derive(clap::Args)]
pub(crate) struct ManArguments {
    /// Command, such as fuzz or bugs show; default: smelt itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// Folder for the man pages of all commands
    #[arg(short = 'o', long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

pub(crate) fn man(a: &ManArguments, mut command: Command) -> Result<Exit, Failure> {
    command.build();
    let Some(folder) = &a.out else {
        let mut chosen = &command;
        for word in &a.command {
            let wrong =
                || Failure::usage(format!("no command `{}`: see `smelt --help`", a.command.join(" ")));
            chosen = chosen.find_subcommand(word).ok_or_else(wrong)?;
        }
        std::io::stdout().write_all(&page(chosen)?)?;
        return Ok(Exit::Ok);
    };
    let mut waiting = vec![("smelt".to_owned(), &command)];
    let mut made = 0;
    while let Some((name, command)) = waiting.pop() {
        output::write(&folder.join(format!("{name}.1")), page(command)?)?;
        made += 1;
        waiting.extend(command.get_subcommands().map(|sub| (format!("{name}-{}", sub.get_name()), sub)));
    }
    writeln!(std::io::stdout(), "{made} pages in {}", folder.display())?;
    Ok(Exit::Ok)
}

fn page(command: &Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut text)?;
    Ok(text)
}
