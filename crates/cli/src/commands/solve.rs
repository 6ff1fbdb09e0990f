//! `smelt solve`: runs the built-in reference solver as an SMT-LIB process.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::time::Duration;

use smelt_semantics::solver::fault::FAULTS;
use smelt_semantics::solver::{Fault, Limits, Mishap, Session, Settings, Step};

use crate::exit::{Exit, Failure};
use crate::inputs;

/// Run the built-in reference solver on a script
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Script
    #[arg(required_unless_present_any = ["stdin", "list_faults"], conflicts_with = "stdin")]
    file: Option<PathBuf>,
    /// Read commands from standard input and answer each at once
    #[arg(long)]
    stdin: bool,
    /// Step limit of one query; unlike a time limit, it gives the same answers on every machine [default: 60000000, a few seconds]
    #[arg(long, value_name = "N", value_parser = crate::units::number)]
    steps: Option<u64>,
    /// Plant a fault; see --list-faults
    #[arg(long, value_name = "NAME")]
    fault: Option<String>,
    /// List the faults that can be planted
    #[arg(long)]
    list_faults: bool,
    /// With --list-faults, print one JSON document
    #[arg(long, requires = "list_faults")]
    json: bool,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    if a.list_faults {
        list_faults(&mut out, a.json)?;
        return Ok(Exit::Ok);
    }
    let fault =
        match &a.fault {
            Some(name) => Some(Fault::named(name).ok_or_else(|| {
                Failure::usage(format!("no fault `{name}`: see `smelt solve --list-faults`"))
            })?),
            None => None,
        };
    let limits = a.steps.map_or_else(Limits::default, |steps| Limits { steps });
    let mut session = Session::new(Settings { limits, fault });
    match &a.file {
        Some(file) => {
            session.push(&inputs::read(file)?);
            pump(&mut session, &mut out)?;
        }
        None => {
            let mut input = std::io::stdin().lock();
            let mut buffer = vec![0; 1 << 16];
            loop {
                let n = input
                    .read(&mut buffer)
                    .map_err(|e| Failure::internal(format!("cannot read input: {e}")))?;
                if n == 0 {
                    break;
                }
                session.push(&buffer[..n]);
                if pump(&mut session, &mut out)? == Step::Over {
                    return Ok(Exit::Ok);
                }
            }
        }
    }
    let mut rest = Vec::new();
    session.finish(&mut rest);
    out.write_all(&rest)?;
    out.flush()?;
    Ok(Exit::Ok)
}

/// Answers what is complete.
fn pump(session: &mut Session, out: &mut impl Write) -> Result<Step, Failure> {
    let mut text = Vec::new();
    loop {
        text.clear();
        let step = session.step(&mut text);
        if let Step::Mishap(mishap) = step {
            suffer(mishap);
        }
        out.write_all(&text)?;
        out.flush()?;
        if matches!(step, Step::Starved | Step::Over) {
            return Ok(step);
        }
    }
}

/// Makes this process crash, hang or run out of memory, as a planted fault demands.
fn suffer(mishap: Mishap) {
    match mishap {
        Mishap::Abort(message) => {
            let _ = writeln!(std::io::stderr(), "{message}");
            std::process::abort();
        }
        Mishap::Segfault => {
            // SAFETY: unsound on purpose: nothing is mapped at the null page, so the write cannot hit
            // anything and the process dies of SIGSEGV.
            unsafe { std::hint::black_box(std::ptr::null_mut::<u8>()).write_volatile(1) };
        }
        Mishap::Hang => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        Mishap::Exhaust => exhaust(),
        Mishap::Delay(ms) => std::thread::sleep(Duration::from_millis(ms)),
    }
}

/// Takes memory until the limit, or up to a bound if there is no limit: the machine should survive.
fn exhaust() {
    const CHUNK: usize = 32 << 20;
    const MOST: usize = 4 << 30;
    let mut taken: Vec<Vec<u8>> = Vec::new();
    while taken.len() * CHUNK < MOST {
        taken.push(vec![1; CHUNK]);
        std::hint::black_box(&taken);
    }
    let _ = writeln!(std::io::stderr(), "smelt: out of memory");
    std::process::abort();
}

fn list_faults(out: &mut impl Write, json: bool) -> Result<(), Failure> {
    if json {
        let rows: Vec<_> = FAULTS
            .iter()
            .map(|f| {
                serde_json::json!({
                    "name": f.name, "kind": f.kind.as_str(), "theory": f.theory, "description": f.description,
                })
            })
            .collect();
        writeln!(out, "{}", serde_json::Value::Array(rows))?;
        return Ok(());
    }
    for f in FAULTS {
        writeln!(out, "{:<24} {:<24} {:<14} {}", f.name, f.kind.as_str(), f.theory, f.description)?;
    }
    Ok(())
}
