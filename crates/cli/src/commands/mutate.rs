//! `smelt mutate`: mutants of files, without running anything.

use std::io::Write;
use std::path::PathBuf;

use smelt_core::Verdict;
use smelt_strategies::skeleton::{Form, Moves};
use smelt_strategies::{Draft, Options, Pool, Request, SeedId, case_seed, find};

use crate::exit::{Exit, Failure};
use crate::inputs;

/// Make mutants of scripts
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The strategy: operator, generative, fusion, shuffle, skeleton, weaken, evolve
    strategy: String,
    /// Script files, or folders to search for .smt2 files; fusion pairs each with others of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Mutants for each file
    #[arg(short = 'n', value_name = "N", default_value_t = 1)]
    number: u64,
    /// The status of the files, where they do not say
    #[arg(long, value_enum, value_name = "STATUS")]
    status: Option<Status>,
    /// A folder for one file each; default: all to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What all random choices start from
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Steps for each mutant, each on the last; fusion and shuffle take one
    #[arg(long, value_name = "N", default_value_t = 1)]
    steps: u32,
    /// Let generative take expressions from all files
    #[arg(long)]
    pool: bool,
    /// For operator and generative: put the seed under the logic ALL first, and use all that it has
    #[arg(long)]
    wide: bool,
    /// Let fusion only concatenate: the baseline
    #[arg(long)]
    concat: bool,
    /// Use operators that are new in SMT-LIB 2.7
    #[arg(long)]
    recent: bool,
    /// A file of operator classes
    #[arg(long, value_name = "FILE")]
    classes: Option<PathBuf>,
    /// A file of fusion functions, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    functions: Option<PathBuf>,
    /// A file of rules for skeleton and weaken, instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// The form skeleton changes: written, cnf, or any
    #[arg(long, value_name = "FORM", default_value = "any", value_parser = form)]
    form: Form,
    /// What skeleton does to literals: pst, lpi, or both
    #[arg(long, value_name = "MOVES", default_value = "both", value_parser = moves)]
    moves: Moves,
    /// Print one JSON document: the files, or the texts without --out
    #[arg(long)]
    json: bool,
}

fn form(word: &str) -> Result<Form, String> {
    Form::parse(word).ok_or_else(|| "there are written, cnf and any".to_owned())
}

fn moves(word: &str) -> Result<Moves, String> {
    Moves::parse(word).ok_or_else(|| "there are pst, lpi and both".to_owned())
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Status {
    Sat,
    Unsat,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let names = smelt_campaign::strategies(std::slice::from_ref(&a.strategy))?;
    let entry = find(names[0])
        .ok_or_else(|| Failure::usage(format!("`{}` makes no mutants: it needs no seeds", a.strategy)))?;
    let file = |path: &Option<PathBuf>| path.as_deref().map(inputs::read).transpose();
    let options = Options {
        steps: a.steps,
        data_driven: a.pool,
        wide: a.wide,
        concat: a.concat,
        recent: a.recent,
        classes: file(&a.classes)?,
        functions: file(&a.functions)?,
        rules: file(&a.rules)?,
        form: a.form,
        moves: a.moves,
    };
    let mut strategy = (entry.make)(&options).map_err(|e| Failure::usage(e.to_string()))?;
    let paths: Vec<String> = a.files.iter().map(|p| p.display().to_string()).collect();
    let set = smelt_campaign::seeds::collect(&paths)?;
    let mut pool = Pool::new();
    let mut ids: Vec<(SeedId, String)> = Vec::new();
    let mut trouble: Vec<String> = set.left_out.iter().map(|(name, why)| format!("{name}: {why}")).collect();
    for seed in &set.seeds {
        let asked = a.status.map(|s| match s {
            Status::Sat => Verdict::Sat,
            Status::Unsat => Verdict::Unsat,
        });
        match pool.add(&seed.name, &seed.text, seed.status.or(asked.filter(|_| seed.stated().is_none()))) {
            Ok(id) => ids.push((id, seed.name.clone())),
            Err(e) => trouble.push(format!("{} {e}", seed.name)),
        }
    }
    if let Some(folder) = &a.out {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::usage(format!("cannot make {}: {e}", folder.display())))?;
    }
    let mut draft = Draft::default();
    let mut made = Vec::new();
    let mut out = std::io::stdout().lock();
    for (at, (id, name)) in ids.iter().enumerate() {
        let stem =
            PathBuf::from(name).file_stem().map_or("mutant".into(), |s| s.to_string_lossy().into_owned());
        let mut last_skip = None;
        for i in 0..a.number {
            let rng = case_seed(a.seed, entry.name, at as u64 * a.number + i);
            let request = Request { seed: *id, partners: &[], rng };
            if let Err(skip) = strategy.next(&mut pool, &request, &mut draft) {
                last_skip = Some(skip);
                continue;
            }
            match &a.out {
                Some(folder) => {
                    let path = folder.join(format!("{at:05}-{stem}-{i}.smt2"));
                    std::fs::write(&path, &draft.text)
                        .map_err(|e| Failure::internal(format!("cannot write {}: {e}", path.display())))?;
                    made.push(path.display().to_string());
                }
                None if a.json => made.push(String::from_utf8_lossy(&draft.text).into_owned()),
                None => {
                    made.push(String::new());
                    out.write_all(&draft.text)?;
                }
            }
        }
        trouble.extend(last_skip.map(|skip| format!("{name}: {skip}")));
    }
    for line in &trouble {
        writeln!(std::io::stderr(), "smelt: {line}")?;
    }
    if made.is_empty() {
        let first = trouble.first().map(|t| format!(": {t}")).unwrap_or_default();
        return Err(Failure::usage(format!("no mutant could be made{first}")));
    }
    if a.json {
        let key = if a.out.is_some() { "files" } else { "mutants" };
        writeln!(out, "{}", serde_json::json!({"strategy": entry.name, "made": made.len(), key: made}))?;
    } else if let Some(folder) = &a.out {
        writeln!(out, "{} mutants in {}", made.len(), folder.display())?;
    }
    Ok(Exit::Ok)
}
