//! `smelt parse`: parses and type-checks scripts; prints statistics or the canonical form.

use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;
use smelt_smtlib::{Arena, Flaw, Printer, Spelling, parse_script};

use crate::exit::{Exit, Failure};
use crate::{inputs, output};

/// Parse and type-check scripts; print statistics or canonical form
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script files, or folders to search for .smt2 files
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print each script in canonical form
    #[arg(long, conflicts_with = "json")]
    print: bool,
    /// With --print: operator names
    #[arg(long, value_enum, default_value_t = Names::AsWritten, requires = "print")]
    names: Names,
    /// File with additional operator signatures
    #[arg(long, value_name = "FILE")]
    signatures: Option<PathBuf>,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Names {
    /// As in the script
    AsWritten,
    /// As in the current standard
    Standard,
    /// The oldest names that solvers still accept
    Legacy,
}

#[derive(Serialize, Default)]
struct Summary {
    files: usize,
    bytes: u64,
    parsed: usize,
    typed: usize,
    /// Parsing and typing, without reading files.
    seconds: f64,
    terms: u64,
    /// Scripts that use undeclared names.
    undeclared: usize,
    failures: Vec<FileFailure>,
}

#[derive(Serialize)]
struct FileFailure {
    file: String,
    stage: &'static str,
    error: String,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut arena = match &a.signatures {
        Some(file) => inputs::signatures(file, &inputs::read(file)?)?.arena(),
        None => Arena::new(),
    };
    let files = inputs::scripts(&a.paths)?;
    let empty = arena.checkpoint();
    let mut summary = Summary { files: files.len(), ..Summary::default() };
    let mut spent = Duration::ZERO;
    let mut out = Vec::new();
    for file in &files {
        let mut fail = |stage, error| {
            summary.failures.push(FileFailure { file: file.display().to_string(), stage, error });
        };
        let source = match std::fs::read(file) {
            Ok(source) => source,
            Err(e) => {
                fail("read", e.to_string());
                continue;
            }
        };
        summary.bytes += source.len() as u64;
        let start = Instant::now();
        let result = parse_script(&mut arena, &source);
        spent += start.elapsed();
        match result {
            Ok(parsed) => {
                summary.parsed += 1;
                summary.terms += (arena.term_count() - empty.terms()) as u64;
                let find = |flaw| parsed.diagnostics.iter().find(move |d| d.flaw == flaw);
                if let Some(d) = find(Flaw::Malformed) {
                    fail("parse", d.locate(&source));
                }
                match find(Flaw::IllSorted) {
                    Some(d) => fail("type", d.locate(&source)),
                    None => summary.typed += 1,
                }
                summary.undeclared += usize::from(find(Flaw::Undeclared).is_some());
                if a.print {
                    let spelling = match a.names {
                        Names::AsWritten => Spelling::AsWritten,
                        Names::Standard => Spelling::Standard,
                        Names::Legacy => Spelling::Legacy,
                    };
                    out.clear();
                    Printer::new(&arena, &mut out).with_spelling(spelling).script(&parsed.script);
                    std::io::stdout().write_all(&out)?;
                }
            }
            Err(e) => fail("parse", e.locate(&source)),
        }
        let start = Instant::now();
        arena.rollback(empty);
        spent += start.elapsed();
    }
    summary.seconds = spent.as_secs_f64();
    report(a, &summary)
}

fn report(a: &Arguments, summary: &Summary) -> Result<Exit, Failure> {
    if a.json {
        output::print_json(summary)?;
    } else {
        let mut err = std::io::stderr().lock();
        for f in &summary.failures {
            let text = format!("{}: {}:{}", f.stage, f.file, f.error);
            writeln!(err, "{}", output::printable(&text))?;
        }
        if !a.print {
            let Summary { files, bytes, parsed, typed, undeclared, seconds, terms, .. } = summary;
            let plural = if *files == 1 { "" } else { "s" };
            let speed = *bytes as f64 / 1e6 / seconds.max(1e-9);
            writeln!(
                std::io::stdout(),
                "{files} file{plural}, {bytes} bytes: {parsed} parsed, {typed} typed, {undeclared} with undeclared names; {terms} terms in {seconds:.3} s ({speed:.0} MB/s)"
            )?;
        }
    }
    // An ill-sorted script can still be used; a malformed script is bad input.
    let bad = summary.failures.iter().any(|f| f.stage != "type");
    Ok(if bad { Exit::Usage } else { Exit::Ok })
}
