//! Strategies on the command line: `NAME:WORD=VALUE,WORD=VALUE`, and long flags for options of strategies.

use std::collections::BTreeMap;
use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use smelt_strategies::{
    FileReader, LongFlag, OptionError, OptionKind, OptionRow, Recipe, Row, long_flags, parse_recipes, rows,
};

use crate::exit::Failure;
use crate::help::OF_STRATEGIES;

impl From<OptionError> for Failure {
    fn from(e: OptionError) -> Self {
        Failure::usage(e.to_string())
    }
}

/// Strategies that need seeds.
pub(crate) const SEEDS: u8 = 1;
/// Strategies that need none.
pub(crate) const NOTHING: u8 = 2;
/// All strategies.
pub(crate) const ALL: u8 = SEEDS | NOTHING;

fn scope(which: u8) -> impl Iterator<Item = &'static Row> {
    rows().filter(move |row| which & (if row.needs.seeds() { SEEDS } else { NOTHING }) != 0)
}

/// The long flags that were given for options of strategies.
pub(crate) struct Flags<const SCOPE: u8>(pub(crate) Vec<(&'static OptionRow, String)>);

impl<const SCOPE: u8> Args for Flags<SCOPE> {
    fn augment_args(command: Command) -> Command {
        let flags = long_flags(scope(SCOPE));
        flags.into_iter().fold(command, |command, option| command.args(arg(option, scope(SCOPE))))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::<SCOPE>::augment_args(command)
    }
}

impl<const SCOPE: u8> FromArgMatches for Flags<SCOPE> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let value = |option: &'static OptionRow| match option.flag? {
            LongFlag::Bare(name, value) => matches.get_flag(name).then(|| value.to_owned()),
            flag => matches.get_one::<String>(flag.name()).cloned(),
        };
        let flags = long_flags(scope(SCOPE)).into_iter();
        Ok(Flags(flags.filter_map(|option| Some((option, value(option)?))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

fn arg(option: &'static OptionRow, rows: impl Iterator<Item = &'static Row>) -> Option<Arg> {
    let flag = option.flag?;
    let takers: Vec<&str> =
        rows.filter(|row| row.options.iter().any(|o| o.answers_to(option))).map(|row| row.name).collect();
    let arg = Arg::new(flag.name()).long(flag.name()).help_heading(OF_STRATEGIES);
    let arg = match flag {
        LongFlag::Bare(..) => arg.action(ArgAction::SetTrue),
        LongFlag::Value(_) => arg,
        LongFlag::Either(_, value) => arg.num_args(0..=1).default_missing_value(value),
    };
    let value = if matches!(option.kind, OptionKind::File) { "FILE" } else { "VALUE" };
    let values = match flag {
        LongFlag::Bare(..) => String::new(),
        _ => format!(" ({})", option.values),
    };
    Some(arg.value_name(value).help(format!("{}: {}{values}", takers.join(", "), option.about)))
}

/// Where the help of a command says what its strategies are.
pub(crate) const HELP: &str = "`smelt strategies` lists all strategies; add a NAME to list its options.";

/// Reads files that options name.
pub(crate) fn read_file(path: &Path) -> std::io::Result<Vec<u8>> {
    std::fs::read(path)
}

/// The one strategy of a command, with its options.
pub(crate) fn one<const SCOPE: u8>(text: &str, flags: &Flags<SCOPE>) -> Result<Recipe, Failure> {
    let recipes = parse_recipes(&[text.to_owned()], &flags.0, &mut read_file)?;
    let [recipe] = &recipes[..] else {
        return Err(Failure::usage(format!("`{text}`: name one strategy")));
    };
    let name = recipe.row.name;
    match (recipe.row.needs.seeds(), SCOPE) {
        (true, NOTHING) => {
            Err(Failure::usage(format!("`{name}` needs seeds: use `smelt mutate {name} FILE`")))
        }
        (false, SEEDS) => {
            Err(Failure::usage(format!("`{name}` needs no seeds: use `smelt generate {name}`")))
        }
        _ => Ok(recipe.clone()),
    }
}

/// Every strategy, without options.
pub(crate) fn every() -> Result<Vec<Recipe>, Failure> {
    Ok(parse_recipes(&[], &[], &mut read_file)?)
}

/// The strategies of texts and of flags by name, as a store keeps them.
pub(crate) fn stored(
    texts: &[String],
    flags: &BTreeMap<String, String>,
    read_file: &mut FileReader<'_>,
) -> Result<Vec<Recipe>, Failure> {
    let known = long_flags(rows());
    let find = |(name, value): (&String, &String)| {
        let option = known.iter().find(|o| o.flag.is_some_and(|f| f.name() == name))?;
        Some((*option, value.clone()))
    };
    let flags: Vec<_> = flags.iter().filter_map(find).collect();
    Ok(parse_recipes(texts, &flags, read_file)?)
}
