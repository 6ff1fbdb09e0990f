//! The lying solver as a process: the built-in solver with corrupted output.

use smelt_semantics::solver::{Session, Settings, Step};
use smelt_strategies::Rng;
use std::io::{Read, Write};

use super::lies::Liar;
use super::play::Play;

/// Answers stdin on stdout until it ends.
pub fn process(seed: u64) -> Result<(), String> {
    let mut session = Session::new(Settings::default());
    let (mut input, mut out) = (std::io::stdin().lock(), std::io::stdout().lock());
    let (mut rng, mut buffer) = (Rng::new(seed), vec![0; 1 << 16]);
    let mut models = Vec::new();
    loop {
        let n = input.read(&mut buffer).map_err(|e| format!("cannot read: {e}"))?;
        session.push(&buffer[..n]);
        loop {
            let mut reply = Vec::new();
            let step = session.step(&mut reply);
            let text = spoiled(&String::from_utf8_lossy(&reply), &mut models, &mut rng);
            out.write_all(text.as_bytes())
                .and_then(|()| out.flush())
                .map_err(|e| format!("cannot write: {e}"))?;
            match step {
                Step::Over => return Ok(()),
                Step::Starved => break,
                Step::Answered | Step::Mishap(_) => {}
            }
        }
        if n == 0 {
            return Ok(());
        }
    }
}

fn spoiled(reply: &str, models: &mut Vec<String>, rng: &mut Rng) -> String {
    let play = Play::default();
    let is_model = reply.contains("define-fun");
    if is_model {
        models.push(reply.to_owned());
    }
    let mut liar = Liar { rng: &mut *rng, play: &play, models };
    match reply.trim() {
        "sat" | "unsat" | "unknown" => {
            let word = ["sat", "unsat", "unknown"][rng.below(3)];
            format!("{word}\n")
        }
        // After a verdict that was turned, the question is an error to the solver, but not to a liar.
        _ if is_model || reply.contains("there is no model") => format!("{}\n", liar.model(Some(reply))),
        _ if reply.contains("there is no core") => format!("{}\n", liar.core()),
        _ => reply.to_owned(),
    }
}
