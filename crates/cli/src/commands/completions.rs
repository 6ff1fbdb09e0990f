//! `smelt completions` and `smelt man`: for shells and for `man`, from the commands themselves.

use std::io::Write;
use std::path::PathBuf;

use clap::Command;
use clap_complete::Shell;

use crate::exit::{Exit, Failure};
use crate::output;

/// Print completions for a shell
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The shell; for bash: `source <(smelt completions bash)`
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(a: &Arguments, mut command: Command) -> Result<Exit, Failure> {
    let mut text = Vec::new();
    clap_complete::generate(a.shell, &mut command, "smelt", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(Exit::Ok)
}

/// Print the man page of smelt or of a command; with -o, write all of them
#[derive(clap::Args)]
pub(crate) struct ManArguments {
    /// The command, such as fuzz or bugs show; default: smelt itself
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
    /// A folder for the pages of all commands
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
