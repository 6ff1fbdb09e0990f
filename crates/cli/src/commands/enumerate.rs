//! `smelt enumerate`: prints the scripts of a grammar in order of size.

use std::io::Write;
use std::path::PathBuf;

use smelt_strategies::Rng;
use smelt_strategies::enumerate::{
    CATALOG, Classes, Enumerator, Header, Index, PRINTED, Params, load, shipped,
};

use crate::exit::{Exit, Failure};
use crate::help::MORE;
use crate::scripts::ScriptSink;
use crate::{inputs, output, units};

/// Print the scripts of a grammar in order of size
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Grammar: a name from --list, or a file
    #[arg(required_unless_present = "list", value_name = "GRAMMAR")]
    grammar: Option<String>,
    /// Number of scripts
    #[arg(short = 'n', long = "number", value_name = "N", default_value = "10", value_parser = units::positive::<u64>)]
    number: u64,
    /// Index of the first script; may be large, such as 10^1700
    #[arg(long, value_name = "INDEX", value_parser = index)]
    from: Option<Index>,
    /// Print only every N-th script
    #[arg(long, value_name = "N", value_parser = stride, default_value = "1", help_heading = MORE)]
    stride: Index,
    /// Print the number of scripts of each size, up to --size
    #[arg(long)]
    count: bool,
    /// Print only scripts of this size, counted in nonterminals
    #[arg(long, value_name = "N", value_parser = units::positive::<usize>)]
    size: Option<usize>,
    /// Draw scripts of --size uniformly at random
    #[arg(long, requires = "size", conflicts_with = "from", help_heading = MORE)]
    sample: bool,
    /// Print the index of the script in this file
    #[arg(long, value_name = "FILE", help_heading = MORE)]
    rank: Option<PathBuf>,
    /// Number of variables, 1 to 5; at least one of each sort
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = units::up_to::<5>, help_heading = MORE)]
    vars: u32,
    /// Number of assertions, 1 or 2
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = units::up_to::<2>, help_heading = MORE)]
    asserts: u32,
    /// Print one script per equivalence class: renaming, commuting, both, or none
    #[arg(long, value_name = "WHICH", default_value = "none", value_parser = classes, help_heading = MORE)]
    classes: (&'static str, Classes),
    /// List the built-in grammars
    #[arg(long)]
    list: bool,
    /// Folder, one file per script; default: stdout
    #[arg(short = 'o', long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Random seed of --sample
    #[arg(long, value_name = "N", default_value = "0", value_parser = units::number, help_heading = MORE)]
    seed: u64,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// Sizes that are counted without --size.
const SIZES: usize = 20;
/// Digits of an index, at most: beyond, counting takes minutes.
const DIGITS: usize = 10_000;
/// The largest size, for the same reason.
const LARGEST: usize = 6_000;

/// Reads an index: 1000 or 10^3.
pub(super) fn index(word: &str) -> Result<Index, String> {
    if word.starts_with('-') {
        return Err("must be 0 or more".to_owned());
    }
    let wrong = || format!("`{word}` is not a number such as 1000 or 10^3, with at most {DIGITS} digits");
    let number = |text: &str| text.parse::<Index>().ok().filter(|_| text.len() <= DIGITS);
    match word.split_once('^') {
        None => number(word).ok_or_else(wrong),
        Some((base, power)) => {
            let power: usize = power.parse().map_err(|_| wrong())?;
            let base = number(base).ok_or_else(wrong)?;
            let digits = base.to_string().len().saturating_mul(power);
            if digits > DIGITS * 2 { Err(wrong()) } else { Ok(base.pow(power)) }
        }
    }
}

fn stride(word: &str) -> Result<Index, String> {
    let is_useless = word.starts_with('-') || word == "0";
    if is_useless { Err("must be 1 or more".to_owned()) } else { index(word) }
}

fn classes(word: &str) -> Result<(&'static str, Classes), String> {
    let found = Classes::ALL.iter().find(|row| row.0 == word);
    found.copied().ok_or_else(|| "choose none, renaming, commuting or both".to_owned())
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    if a.list {
        return list(a.json);
    }
    let name = a.grammar.as_deref().unwrap_or_default();
    if a.size.is_some_and(|size| size > LARGEST) {
        return Err(Failure::usage(format!("the largest --size is {LARGEST}")));
    }
    let params = Params { vars: a.vars, asserts: a.asserts };
    let mut all = Enumerator::new(load(name, params, a.classes.1).map_err(Failure::usage)?);
    if shipped(name).is_none()
        && let Some(found) = all.ambiguity()
    {
        let (line, column) = found.place;
        let (rule, text) = (found.rule, found.text.trim());
        writeln!(
            std::io::stderr(),
            "smelt: {name}:{line}:{column}: warning: `{rule}` is ambiguous: it derives this in two ways: {text}"
        )?;
    }
    if a.count {
        return count(a, name, &mut all);
    }
    if let Some(file) = &a.rank {
        return rank(a, name, &mut all, file);
    }
    print(a, name, &mut all)
}

fn list(json: bool) -> Result<Exit, Failure> {
    let rows =
        CATALOG.iter().chain(PRINTED).map(|g| serde_json::json!({"grammar": g.name, "about": g.about()}));
    output::result(json, &serde_json::Value::from_iter(rows), |out| {
        CATALOG.iter().chain(PRINTED).try_for_each(|g| writeln!(out, "{:<18} {}", g.name, g.about()))
    })?;
    Ok(Exit::Ok)
}

fn count(a: &Arguments, name: &str, all: &mut Enumerator) -> Result<Exit, Failure> {
    let most = a.size.or(all.largest()).unwrap_or(SIZES);
    let counts: Vec<String> = (0..=most).map(|size| all.count(size).to_string()).collect();
    output::result(a.json, &serde_json::json!({"grammar": name, "size_counts": counts}), |out| {
        writeln!(out, "size  scripts")?;
        counts.iter().enumerate().try_for_each(|(size, count)| writeln!(out, "{size:>4}  {count}"))
    })?;
    Ok(Exit::Ok)
}

fn rank(a: &Arguments, name: &str, all: &mut Enumerator, file: &std::path::Path) -> Result<Exit, Failure> {
    let text = inputs::read(file)?;
    let index = all.rank(&text).ok_or_else(|| {
        Failure::usage(format!("{} is not a script of the grammar {name} with these options", file.display()))
    })?;
    let size = all.size_of(&index);
    let document = serde_json::json!({"grammar": name, "index": index.to_string(), "size": size});
    output::result(a.json, &document, |out| writeln!(out, "{index}"))?;
    Ok(Exit::Ok)
}

/// Which script comes next.
enum Order {
    /// From index to index.
    Steps { from: Index, to: Option<Index> },
    /// At random.
    Sample { size: usize, rng: Rng },
}

fn print(a: &Arguments, name: &str, all: &mut Enumerator) -> Result<Exit, Failure> {
    let params = format!("grammar={name} vars={} asserts={}", a.vars, a.asserts);
    let options = match a.classes.1 == Classes::default() {
        true => params,
        false => format!("{params} classes={}", a.classes.0),
    };
    let none = || Failure::usage(format!("{name} has no script with this index"));
    let mut order = match a.size {
        Some(size) if a.sample => Order::Sample { size, rng: Rng::new(a.seed) },
        Some(size) => {
            let from = a.from.clone().unwrap_or_default() + all.smaller(size);
            Order::Steps { from, to: Some(all.smaller(size + 1).clone()) }
        }
        None => Order::Steps { from: a.from.clone().unwrap_or_default(), to: None },
    };
    let one = Index::from(1u8);
    let mut sink = ScriptSink::new(a.out.as_deref(), a.json)?;
    let mut header = Header::new(&Index::default(), &options);
    let mut text = Vec::new();
    for i in 0..a.number {
        let there = match &mut order {
            Order::Sample { size, rng } => {
                let there = all.sample(*size, rng);
                // The index of a sample is found by reading it back.
                let script = all.text().to_vec();
                header = Header::new(&all.rank(&script).unwrap_or_default(), &options);
                there
            }
            Order::Steps { to, .. } if i > 0 && a.stride == one => {
                header.advance();
                all.advance() && (to.is_none() || a.size == Some(all.size()))
            }
            Order::Steps { from, to } => {
                if i > 0 {
                    *from += &a.stride;
                }
                header = Header::new(from, &options);
                to.as_ref().is_none_or(|to| *from < *to) && all.seek(from)
            }
        };
        if !there && i == 0 {
            return Err(none());
        }
        if !there {
            break;
        }
        text.clear();
        header.write(&mut text);
        text.extend_from_slice(all.text());
        sink.put(format_args!("{i:08}"), &text)?;
    }
    sink.finish(a.json, "scripts", serde_json::json!({"grammar": name}))?;
    Ok(Exit::Ok)
}
