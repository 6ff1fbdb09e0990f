//! A solver that misbehaves on demand: `smelt-fake-solver MARKER`.
//!
//! Speaks just enough SMT-LIB on stdin. `(set-info :do WORD)` says what the next `check-sat` does. MARKER is only
//! there to find its processes. As `smelt-fake-solver MARKER host` it plays smelt instead: it runs itself in
//! sessions that fork and hang, says `ready`, and waits to be killed. As `.. survivor` it kills its nursery in the
//! middle of a query and says how that query and the next one end.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it is a program, and its output is its purpose"
)]

use smelt_solvers::{Launch, Limits, Origin, Profiles, Query, Session, SessionConfig, SessionPool, Solver};
use std::{
    io::{self, Read, Write},
    os::unix::process::CommandExt,
    process::{Command, Stdio, abort, exit},
    time::Duration,
};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let marker = args.get(1).cloned().unwrap_or_default();
    match args.get(2).map(String::as_str) {
        Some("host") => host(&marker),
        Some("survivor") => survivor(&marker),
        Some("sleep") => std::thread::sleep(Duration::from_secs(600)),
        // A daemon: leaves the group, hands over to a child, ends.
        Some("daemon") => {
            // SAFETY: no memory is involved.
            unsafe { libc::setsid() };
            child(&marker, "sleep", true);
        }
        _ => solve(&marker),
    }
}

fn child(marker: &str, role: &str, new_group: bool) {
    let exe = std::env::current_exe().expect("own path");
    let mut command = Command::new(exe);
    command.args([marker, role]).stdin(Stdio::null());
    if new_group {
        // SAFETY: `setsid` is async-signal-safe.
        unsafe {
            command.pre_exec(|| {
                libc::setsid();
                Ok(())
            })
        };
    }
    drop(command.spawn().expect("a child"));
}

fn itself(marker: &str) -> Solver {
    let profile =
        Profiles::load(Some("[solver.fake]\nprofile='generic'\nrun.echo=true\nsession={reset='(reset)'}"))
            .expect("profiles")
            .get("fake")
            .expect("fake")
            .clone();
    let launch = Launch::new(std::env::current_exe().expect("own path"), [marker]);
    Solver::with_version("fake", profile, launch, Origin::Command, None)
}

fn survivor(marker: &str) {
    let mut session = Session::new(itself(marker), SessionConfig::default());
    session.submit(Query::new("(set-info :do deaf)(check-sat)")).expect("submitted");
    assert!(session.poll().expect("polled").is_none());
    std::thread::sleep(Duration::from_millis(200));
    let nursery = smelt_solvers::nursery::pid().expect("a nursery");
    // SAFETY: a signal to a process of our own.
    unsafe { libc::kill(nursery, libc::SIGKILL) };
    let lost = loop {
        if let Some(finished) = session.poll().expect("polled") {
            break finished;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let next = session.run(Query::new("(check-sat)")).expect("ran");
    println!("{} {}", lost.outcome.kind, next.outcome.kind);
}

fn host(marker: &str) {
    let solver = itself(marker);
    let mut pool = SessionPool::new();
    let limits = Limits::within(Duration::from_secs(600));
    for word in ["fork", "daemon", "deaf", "sat"] {
        let id = pool.add(solver.clone(), SessionConfig { limits, ..SessionConfig::default() });
        let script = format!("(set-info :do {word})(check-sat)");
        pool.submit(id, Query::new(script)).expect("submitted");
    }
    let _ = pool.wait(Duration::from_millis(200));
    println!("ready");
    io::stdout().flush().expect("stdout");
    std::thread::sleep(Duration::from_secs(600));
}

fn say(text: &str) {
    let mut out = io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        exit(0);
    }
}

/// Cuts stdin into commands; strings are the only place where a parenthesis does not count.
struct Commands {
    buffer: Vec<u8>,
    at: usize,
}

impl Commands {
    fn next(&mut self) -> Option<String> {
        let (mut depth, mut string, mut scanned) = (0, false, 0);
        loop {
            while scanned < self.buffer.len() - self.at {
                let byte = self.buffer[self.at + scanned];
                scanned += 1;
                match byte {
                    b'"' => string = !string,
                    b'(' if !string => depth += 1,
                    b')' if !string => {
                        depth -= 1;
                        if depth == 0 {
                            let text = &self.buffer[self.at..self.at + scanned];
                            let text = String::from_utf8_lossy(text).trim().to_owned();
                            self.at += scanned;
                            return Some(text);
                        }
                    }
                    _ => {}
                }
            }
            self.buffer.drain(..self.at);
            self.at = 0;
            let mut chunk = [0; 1 << 16];
            let n = io::stdin().lock().read(&mut chunk).ok().filter(|n| *n > 0)?;
            self.buffer.extend_from_slice(&chunk[..n]);
        }
    }
}

fn solve(marker: &str) {
    let mut action = "sat".to_owned();
    let mut timeout = Duration::from_secs(600);
    let mut commands = Commands { buffer: Vec::new(), at: 0 };
    while let Some(command) = commands.next() {
        let inside = command.trim_start_matches('(').trim_end_matches(')');
        match inside.split_whitespace().next().unwrap_or_default() {
            "set-info" => action = inside.split_whitespace().nth(2).unwrap_or("sat").to_owned(),
            "echo" => {
                let text = inside.split('"').nth(1).unwrap_or_default();
                say(&format!("{text}\n"));
            }
            "reset" => action = "sat".to_owned(),
            "exit" => exit(0),
            "set-option" if inside.contains(":timeout") => {
                let number = inside.split_whitespace().nth(2).and_then(|n| n.parse().ok());
                timeout = number.map_or(timeout, Duration::from_millis);
            }
            "check-sat" if action == "give-up" => {
                std::thread::sleep(timeout);
                say("unknown\n");
            }
            "check-sat" => act(marker, &action),
            "get-model" if action == "half-model" => {
                say("((define-fun x () Int");
                abort();
            }
            "get-model" => say("((define-fun x () Int 1))\n"),
            _ => {}
        }
    }
    if action == "abort-at-exit" {
        abort();
    }
}

fn act(marker: &str, action: &str) {
    let forever = || std::thread::sleep(Duration::from_secs(600));
    match action {
        "flood" => {
            let block = "x".repeat(1 << 20) + "\n";
            (0..1024).for_each(|_| say(&block));
        }
        "flood-errors" => {
            let block = "x".repeat(1 << 20) + "\n";
            (0..64).for_each(|_| drop(io::stderr().write_all(block.as_bytes())));
            say("sat\n");
        }
        "fork" => {
            child(marker, "sleep", false);
            child(marker, "sleep", true);
            forever();
        }
        "fork-and-die" => {
            child(marker, "sleep", false);
            child(marker, "daemon", false);
            say("sat\n");
            abort();
        }
        "daemon" => {
            child(marker, "daemon", false);
            say("sat\n");
        }
        "deaf" => {
            // SAFETY: no handler is installed.
            unsafe { libc::signal(libc::SIGTERM, libc::SIG_IGN) };
            forever();
        }
        "close" => {
            // SAFETY: the standard output is not used after this.
            unsafe { libc::close(1) };
            forever();
        }
        "close-and-exit" => {
            // SAFETY: the standard output is not used after this.
            unsafe { libc::close(1) };
            exit(0);
        }
        "late" => {
            say("unknown\n");
            std::thread::spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                say("unsat\n");
            });
        }
        // Answers when sixteen solvers with the same marker are here.
        "meet" => {
            let meeting = std::env::temp_dir().join(marker);
            std::fs::write(meeting.join(std::process::id().to_string()), "").expect("a folder to meet in");
            while std::fs::read_dir(&meeting).is_ok_and(|here| here.count() < 16) {
                std::thread::sleep(Duration::from_millis(5));
            }
            say("unsat\n");
        }
        "slow" => {
            std::thread::sleep(Duration::from_millis(300));
            say("unsat\n");
        }
        "garbage" => {
            let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
            drop(io::stdout().write_all(&noise));
        }
        "abort" => {
            say("sat\n");
            abort();
        }
        "segfault" => {
            // SAFETY: raises a signal at itself, with its default effect.
            unsafe {
                libc::signal(libc::SIGSEGV, libc::SIG_DFL);
                libc::raise(libc::SIGSEGV);
            }
        }
        "assertion" => {
            eprintln!("fake: src/theory.cpp:42: bool check(): Assertion `x > 0' failed.");
            abort();
        }
        "eat" => {
            let mut kept: Vec<Vec<u8>> = Vec::new();
            loop {
                kept.push(vec![1; 8 << 20]);
            }
        }
        "spin" => {
            let mut n = 0_u64;
            loop {
                n = std::hint::black_box(n.wrapping_add(1));
            }
        }
        "unsupported" => say("unsupported\n"),
        "twice" => say("sat\nunsat\n"),
        "exit" => exit(0),
        "half-model" => say("sat\n"),
        verdict => say(&format!("{verdict}\n")),
    }
}
