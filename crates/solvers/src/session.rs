//! Sessions: query after query through one live process, or a process per query, behind one interface.
//!
//! A query is a mark (`(echo "..")` with an unguessable name, new for each query), the script, a mark, then
//! `(reset)` and a last mark: what the solver does while it forgets still belongs to this query, and what it says
//! late, before the next query's first mark, belongs to none. A hang, a crash or rubbish ends that process alone; the next query starts a
//! new one. A script that would disturb a session (it resets, sets options that survive, ends in the middle)
//! runs in a process of its own, so both modes give the same outcomes.
//!
//! Nothing here blocks or needs a thread: [`Session::poll`] does what can be done now, and
//! [`crate::SessionPool`] waits for many sessions at once.

use crate::{
    error::{Error, ErrorKind},
    classify::{Ending, QueryEnd, Stop, classify},
    limits::Limits,
    output,
    process::{LINGER, MemoryBound, Process},
    query::{Finished, Mode, Query, QueryId, SessionConfig},
    script::{Ask, Command, Script},
    solver::Solver,
};
use smelt_core::{OutcomeKind, Usage, Verdict};
use tempfile::NamedTempFile;
use std::{
    io::{self, Read, Write},
    os::fd::RawFd,
    time::{Duration, Instant},
};

/// A process waiting for its next query.
struct Idle {
    process: Process,
    incremental: bool,
    queries: u32,
    /// Its memory at the start.
    base: u64,
}

/// What the output of the process belongs to at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Whatever may still come from the query before: thrown away.
    Begin,
    /// The script.
    Body,
    /// The question after it.
    FollowUp,
    /// Forgetting, in a session.
    Reset,
    /// The end of a process that is not reused.
    Exit,
}

/// A query on its way.
struct Flight {
    id: QueryId,
    process: Process,
    /// What the process reads, if it reads a file.
    file: Option<NamedTempFile>,
    script: Script,
    incremental: bool,
    queries: u32,
    /// Memory of the process at its start.
    base: u64,
    query: Query,
    reuse: bool,
    /// Whether marks are set in the output (always in a session; else only to ask a question after the script).
    marked: bool,
    nonce: String,
    comparable: bool,
    want: (bool, bool),
    stage: Stage,
    searched: usize,
    body: Vec<u8>,
    follow_up: Vec<u8>,
    dirty: bool,
    started: Instant,
    deadline: Instant,
    cpu_before: Duration,
    next_look: Instant,
    closing: Option<Instant>,
}

/// A line of queries to one solver; one query at a time.
pub struct Session {
    solver: Solver,
    config: SessionConfig,
    idle: Option<Idle>,
    flight: Option<Flight>,
    next: u64,
    secret: String,
    starts: u64,
}

/// How often a running query's CPU time and memory are looked at.
const LOOK: Duration = Duration::from_millis(50);

impl Session {
    /// A session; no process is started before the first query.
    pub fn new(solver: Solver, config: SessionConfig) -> Session {
        Session { solver, config, idle: None, flight: None, next: 0, secret: secret(), starts: 0 }
    }

    /// The solver behind it.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// How many processes were started so far.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Whether a query is on its way.
    pub fn is_busy(&self) -> bool {
        self.flight.is_some()
    }

    /// Whether a process waits for its next query, so that none has to be started for it.
    pub fn is_warm(&self) -> bool {
        self.idle.is_some()
    }

    /// Sends a query. `Busy` if one is on its way; other errors mean that no process could be started.
    pub fn submit(&mut self, query: Query) -> Result<QueryId, Error> {
        if self.flight.is_some() {
            return Err(Error::new(ErrorKind::Busy, "a query is already on its way in this session"));
        }
        let profile = self.solver.profile.clone();
        let started = Instant::now();
        let prepared = self.prepare(&query);
        let (script, text) = (prepared.script, prepared.text);
        let rule =
            profile.session.as_ref().filter(|_| self.config.mode == Mode::Reuse && prepared.sessionable);
        let reuse = rule.is_some();
        let incremental = script.incremental && !profile.run.incremental.is_empty();
        let id = QueryId(self.next);
        self.next += 1;
        let nonce = format!("smelt-{}-{}", self.secret, id.0);
        let file = (self.config.mode == Mode::File).then(|| script_file(&text)).transpose();
        let file = file.map_err(|e| Error::system("cannot write a script for a solver", e))?;
        let (mut process, queries, base) = match self.take_idle(reuse, incremental) {
            Some(idle) => (idle.process, idle.queries, idle.base),
            None => (self.start(incremental, reuse, file.as_ref())?, 0, 0),
        };
        let follows = file.is_none()
            && (query.model && profile.enable.models.is_some()
                || query.core && profile.enable.cores.is_some());
        let want = (query.model, query.core);
        let marked = reuse || (follows && profile.run.echo && !script.ragged);
        process.errors.clear();
        let wall = query.wall.unwrap_or(self.config.limits.wall);
        let mut flight = Flight {
            id,
            cpu_before: if queries == 0 { Duration::ZERO } else { process.cpu().unwrap_or_default() },
            process,
            file,
            script,
            incremental,
            queries,
            base,
            query,
            reuse,
            marked,
            nonce,
            comparable: prepared.comparable,
            want,
            stage: Stage::Exit,
            searched: 0,
            body: Vec::new(),
            follow_up: Vec::new(),
            dirty: false,
            started,
            deadline: started + wall,
            next_look: started + LOOK,
            closing: None,
        };
        if marked {
            flight.stage = Stage::Begin;
            flight.mark(Stage::Begin);
        }
        if flight.file.is_none() {
            flight.process.write(&text);
            flight.process.write(b"\n");
        }
        if marked {
            flight.mark(Stage::Body);
            if !follows {
                flight.wind_up(rule);
            }
        } else {
            flight.process.close_stdin();
        }
        let sent = flight.process.pump(self.config.limits.output);
        sent.map_err(|e| Error::system("cannot talk to a solver", e))?;
        self.flight = Some(flight);
        Ok(id)
    }

    /// Puts the query into the solver's dialect with everything it needs switched on.
    fn prepare(&self, query: &Query) -> Prepared {
        let profile = &self.solver.profile;
        let dialect = &self.solver.dialect;
        let (text, comparable) = dialect.adapt(&query.script);
        let rule = profile.session.as_ref();
        let taints = rule.map(|r| r.taints.as_slice()).unwrap_or_default();
        let mut script = Script::scan(&text, taints, &dialect.drop);
        let mut switches = Vec::new();
        switches.extend(profile.run.incremental_command.as_deref().filter(|_| script.incremental));
        switches.extend(profile.run.strings_switch(&script.text).map(|s| &*s.command));
        switches.extend(profile.enable.models.as_deref().filter(|_| query.model));
        switches.extend(profile.enable.cores.as_deref().filter(|_| query.core));
        let mut prefix = Script::scan(switches.concat().as_bytes(), &[], &[]);
        prefix.text.extend_from_slice(&script.text);
        script.options.splice(0..0, prefix.options);
        script.commands.splice(0..0, prefix.commands);
        // Where output goes to must not change under a session, whatever the profile says.
        let forgets = |option: &String| {
            let channel = option.ends_with("-output-channel");
            let listed = |r: &crate::profile::SessionRule| {
                r.restores.contains_key(option) || r.forgets.iter().any(|f| f == "*" || f == option)
            };
            !channel && rule.is_some_and(listed)
        };
        let sessionable =
            !script.ragged && !script.resets && !script.tainted && script.options.iter().all(forgets);
        Prepared { text: prefix.text, script, comparable, sessionable }
    }

    fn take_idle(&mut self, reuse: bool, incremental: bool) -> Option<Idle> {
        if !reuse {
            return None;
        }
        let mut idle = self.idle.take().filter(|idle| idle.incremental == incremental)?;
        idle.process.pump(self.config.limits.output).ok()?;
        // Only white space may have come since the last mark.
        let quiet = idle.process.output.iter().all(|b| b.is_ascii_whitespace() || *b == b'"');
        idle.process.output.clear();
        (quiet && idle.process.end().is_none() && !idle.process.output_closed()).then_some(idle)
    }

    fn start(&mut self, incremental: bool, reuse: bool, file: Option<&NamedTempFile>) -> Result<Process, Error> {
        self.starts += 1;
        let launch = self.solver.launch(incremental, file.map(NamedTempFile::path));
        Process::start(&launch, &self.config.limits, self.solver.profile.memory, !reuse)
            .map_err(|e| Error::system(format!("cannot start solver `{}`", self.solver.id), e))
    }

    /// Does what can be done now, and gives the outcome once the query is over. Never blocks.
    pub fn poll(&mut self) -> Result<Option<Finished>, Error> {
        let Some(flight) = &mut self.flight else { return Ok(None) };
        let limits = &self.config.limits;
        flight.process.pump(limits.output).map_err(|e| Error::system("cannot talk to a solver", e))?;
        if let Some(e) = flight.process.take_failure() {
            self.flight = None;
            return Err(Error::system(format!("cannot run solver `{}`", self.solver.id), e));
        }
        let rule = self.solver.profile.session.as_ref();
        while flight.stage != Stage::Exit {
            let Some(section) = flight.next_section() else { break };
            match flight.stage {
                Stage::Begin => {
                    if flight.queries == 0 {
                        flight.base = flight.process.memory().map_or(0, |m| m.now);
                    }
                    flight.stage = Stage::Body;
                }
                Stage::Body => {
                    flight.body = section;
                    if flight.follow_up(&self.solver) {
                        flight.wind_up(rule);
                    } else {
                        flight.stage = if flight.reuse { Stage::Reset } else { Stage::Exit };
                    }
                }
                Stage::FollowUp => {
                    flight.follow_up = section;
                    flight.stage = if flight.reuse { Stage::Reset } else { Stage::Exit };
                }
                Stage::Reset | Stage::Exit => {
                    flight.dirty = section.starts_with(b"(error") || section.starts_with(b"unsupported");
                    return self.finish(Ending::Marked);
                }
            }
        }
        let now = Instant::now();
        let ended = flight.process.end();
        if let Some(end) = ended.filter(|_| flight.process.drained()) {
            return self.finish(Ending::Ended(end));
        }
        if ended.is_some() || flight.process.output_closed() {
            let since = *flight.closing.get_or_insert(now);
            if now >= since + LINGER {
                return self.finish(ended.map_or(Ending::Stopped(Stop::Closed), Ending::Ended));
            }
        }
        let stop = if flight.process.output.len() > limits.output {
            Some(Stop::Output)
        } else if now >= flight.deadline {
            Some(Stop::Wall)
        } else if now >= flight.next_look {
            flight.next_look = now + LOOK;
            flight.look(limits, self.solver.profile.memory)
        } else {
            None
        };
        stop.map_or(Ok(None), |stop| self.finish(Ending::Stopped(stop)))
    }

    fn finish(&mut self, ending: Ending) -> Result<Option<Finished>, Error> {
        let Some(mut flight) = self.flight.take() else { return Ok(None) };
        let solver = &self.solver;
        let rest = match ending {
            // After the last mark there is nothing of this query.
            Ending::Marked => Vec::new(),
            _ if flight.marked => without_mark_end(std::mem::take(&mut flight.process.output)),
            _ => std::mem::take(&mut flight.process.output),
        };
        match flight.stage {
            Stage::FollowUp => flight.follow_up.extend_from_slice(&rest),
            Stage::Begin | Stage::Body => flight.body.extend_from_slice(&rest),
            Stage::Exit if !flight.marked => flight.body.extend_from_slice(&rest),
            _ => {}
        }
        let mut stdout = std::mem::take(&mut flight.body);
        stdout.append(&mut flight.follow_up);
        if matches!(ending, Ending::Stopped(Stop::Output)) {
            // What a flood says is not worth reading in full.
            stdout.truncate(1 << 20);
        }
        let read = output::align(&flight.script.commands, output::replies(&stdout), &solver.dialect);
        let memory = flight.process.memory();
        let resident = match ending {
            Ending::Ended(end) => end.peak_memory,
            _ => memory.map_or(0, |m| m.peak),
        };
        let cpu = flight.process.cpu().unwrap_or_default().saturating_sub(flight.cpu_before);
        let usage = Usage { wall: flight.started.elapsed(), cpu, peak_memory: resident };
        let stderr = std::mem::take(&mut flight.process.errors);
        let outcome = classify(QueryEnd {
            profile: &solver.profile,
            read,
            expected: flight.script.check_sats(),
            ending,
            stderr: &stderr,
            memory_limit: self.config.limits.memory,
            usage,
            comparable: flight.comparable,
        });
        let (id, queries) = (flight.id, flight.queries + 1);
        let limit = matches!(outcome.kind, OutcomeKind::Timeout | OutcomeKind::Memout);
        if limit && flight.queries > 0 && self.config.confirm_limits {
            flight.process.abandon(self.config.limits.grace);
            self.next = id.0;
            return self.submit(flight.query).map(|_| None);
        }
        // What reported trouble of its own may be broken inside.
        let sound = outcome.kind.verdict().is_some() || outcome.kind == OutcomeKind::Rejected;
        let small = memory.is_some_and(|m| m.now <= self.config.recycle_memory);
        let wear = solver.profile.session.as_ref().and_then(|rule| rule.wear_mib);
        let grown = memory.map_or(0, |m| m.now.saturating_sub(flight.base));
        let worn = wear.is_some_and(|mib| grown > mib << 20);
        let keep = matches!(ending, Ending::Marked) && sound && !flight.dirty;
        if keep && small && !worn && queries < self.config.recycle_queries {
            let Flight { process, incremental, base, .. } = flight;
            self.idle = Some(Idle { process, incremental, queries, base });
        } else {
            flight.process.abandon(self.config.limits.grace);
        }
        Ok(Some(Finished { query: id, outcome, stdout, stderr }))
    }

    /// Gives up the query on its way, if any: its process is killed and no outcome will come for it.
    pub fn cancel(&mut self) {
        if let Some(flight) = self.flight.take() {
            flight.process.abandon(self.config.limits.grace);
        }
    }

    /// Runs one query and waits for its outcome.
    pub fn run(&mut self, query: Query) -> Result<Finished, Error> {
        self.submit(query)?;
        loop {
            if let Some(finished) = self.poll()? {
                return Ok(finished);
            }
            self.wait()?;
        }
    }

    fn wait(&self) -> Result<(), Error> {
        let until = self.wake_at().unwrap_or_else(Instant::now);
        crate::process::wait(self.interests(), until).map_err(|e| Error::system("cannot wait", e))
    }

    /// The descriptors and `poll(2)` events that [`Session::poll`] waits for; none when idle.
    pub fn interests(&self) -> impl Iterator<Item = (RawFd, i16)> + '_ {
        self.flight.iter().flat_map(|flight| flight.process.interests())
    }

    /// When to call [`Session::poll`] even if no descriptor is ready.
    pub fn wake_at(&self) -> Option<Instant> {
        let flight = self.flight.as_ref()?;
        let closing = flight.closing.map(|since| since + LINGER);
        Some(flight.deadline.min(flight.next_look).min(closing.unwrap_or(flight.deadline)))
    }
}

struct Prepared {
    text: Vec<u8>,
    script: Script,
    comparable: bool,
    sessionable: bool,
}

impl Flight {
    fn mark_name(&self, stage: Stage) -> String {
        format!("{}-{}", self.nonce, stage as u8)
    }

    fn mark(&mut self, stage: Stage) {
        let mark = format!("(echo \"{}\")\n", self.mark_name(stage));
        self.process.write(mark.as_bytes());
    }

    /// Sends what comes after the last question: forgetting, or the end.
    fn wind_up(&mut self, rule: Option<&crate::profile::SessionRule>) {
        let Some(rule) = rule.filter(|_| self.reuse) else {
            self.process.close_stdin();
            return;
        };
        let mut text = rule.reset.clone();
        for option in &self.script.options {
            if let Some(default) = rule.restores.get(option) {
                text.push_str(&format!("(set-option {option} {default})"));
            }
        }
        text.push('\n');
        self.process.write(text.as_bytes());
        self.mark(Stage::Reset);
    }

    /// What came before the mark of the current stage, once the mark is there.
    fn next_section(&mut self) -> Option<Vec<u8>> {
        let mark = self.mark_name(self.stage).into_bytes();
        let output = &mut self.process.output;
        let from = self.searched.saturating_sub(mark.len()).min(output.len());
        let Some(found) = output[from..].windows(mark.len()).position(|w| w == mark).map(|i| from + i) else {
            self.searched = output.len();
            return None;
        };
        self.searched = 0;
        let mut section: Vec<u8> = output.drain(..found + mark.len()).collect();
        section.truncate(found);
        if section.last() == Some(&b'"') {
            section.pop();
        }
        Some(without_mark_end(section))
    }

    /// Asks for a model or a core if wanted and due; tells whether the solver now waits for the end of the query.
    fn follow_up(&mut self, solver: &Solver) -> bool {
        let enable = &solver.profile.enable;
        let (model, core) = (self.want.0 && enable.models.is_some(), self.want.1 && enable.cores.is_some());
        if !(model || core) {
            return false;
        }
        let read = output::align(&self.script.commands, output::replies(&self.body), &solver.dialect);
        let whole = read.errors.is_empty() && read.answers.len() == self.script.check_sats();
        let (ask, text) = match read.answers.last().filter(|_| whole).and_then(|a| a.verdict) {
            Some(Verdict::Sat) if model => (Ask::Model, "(get-model)\n"),
            Some(Verdict::Unsat) if core => (Ask::Core, "(get-unsat-core)\n"),
            _ => {
                self.stage = if self.reuse { Stage::Reset } else { Stage::Exit };
                return true;
            }
        };
        self.process.write(text.as_bytes());
        self.script.commands.push(Command { ask: Some(ask), meta: false });
        self.mark(Stage::FollowUp);
        self.stage = Stage::FollowUp;
        true
    }

    /// Looks at what a long-running process uses.
    fn look(&self, limits: &Limits, memory: MemoryBound) -> Option<Stop> {
        let used = || Some(self.process.cpu()?.saturating_sub(self.cpu_before));
        if limits.cpu.is_some_and(|limit| used().is_some_and(|used| used >= limit)) {
            return Some(Stop::Cpu);
        }
        let watched = memory == MemoryBound::Watched;
        let over = || self.process.memory().is_some_and(|m| m.now > limits.memory);
        (watched && over()).then_some(Stop::Memory)
    }
}

/// Drops the rest of the previous mark's line from the front: a closing quote, a line end.
fn without_mark_end(mut section: Vec<u8>) -> Vec<u8> {
    let rest = section.iter().take_while(|b| **b == b'"' || b.is_ascii_whitespace()).count();
    section.drain(..rest);
    section
}

/// A temporary file with this text.
fn script_file(text: &[u8]) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new().prefix("smelt-").suffix(".smt2").tempfile()?;
    file.write_all(text)?;
    Ok(file)
}

/// Letters that no script can guess.
fn secret() -> String {
    let mut bytes = [0_u8; 12];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut f| f.read_exact(&mut bytes));
    if read.is_err() {
        // Without a random source still different in each session of each process.
        let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        bytes.copy_from_slice(&(time.as_nanos() ^ u128::from(std::process::id())).to_le_bytes()[..12]);
    }
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
