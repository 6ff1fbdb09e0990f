//! Sessions: many queries through one live process, or one process per query, behind one interface.
//!
//! A query is a mark (`(echo "..")` with an unguessable name, new for each query), the script, a mark, then
//! `(reset)` and a last mark. Output during the reset still belongs to this query; output after that, before the
//! first mark of the next query, is ignored. A hang, a crash or garbage output ends only that process; the next
//! query starts a new one. A script that would disturb a session (it resets, sets options that survive the reset,
//! or is incomplete) runs in its own process, so both modes give the same outcomes.
//!
//! Nothing here blocks or needs a thread: [`Session::poll`] does what can be done now, and [`crate::SessionPool`]
//! waits for many sessions at once.

use crate::{
    classify::{Ending, QueryEnd, Stop, classify},
    error::{Error, ErrorKind},
    limits::{Limits, backstop, idle, is_active},
    mark::{secret, without_mark_end},
    output,
    prepare::{Prepared, prepare},
    process::{EXIT, LINGER, MemoryBound, Process},
    profile::Profile,
    query::{Finished, Mode, Query, QueryId, SessionConfig},
    script::{Ask, ScannedCommand, ScannedScript, script_file},
    soft::Soft,
    solver::Solver,
    wear::{PROBED, Pace, Wear},
};
use memchr::memmem;
use smelt_core::{OutcomeKind, Usage, Verdict};
use std::{
    os::fd::RawFd,
    time::{Duration, Instant},
};
use tempfile::NamedTempFile;

/// A process that runs queries.
struct Live {
    process: Process,
    /// Whether it was started for scripts that use the assertion stack.
    incremental: bool,
    /// How many queries it has finished.
    queries: u32,
    born: Instant,
    wear: Wear,
}

/// The part of a query that the process's output belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Late output of the query before: thrown away.
    Begin,
    /// The script.
    Body,
    /// `get-model`, `get-unsat-core` or `get-info` after the script.
    FollowUp,
    /// The reset, in a session.
    Reset,
    /// The end of a process that is not reused.
    Exit,
}

/// The query that is running.
struct Running {
    id: QueryId,
    live: Live,
    /// The file that the process reads, if it reads one.
    file: Option<NamedTempFile>,
    script: ScannedScript,
    query: Query,
    /// Whether the process is to be used again.
    reuse: bool,
    /// Whether marks are set in the output (always in a session; else only to ask something after the script).
    marked: bool,
    nonce: String,
    comparable: bool,
    stage: Stage,
    /// How many bytes of the output were searched for the mark of this stage.
    searched: usize,
    /// The complete sections of output that belong to the query.
    stdout: Vec<u8>,
    reset_failed: bool,
    /// When the process began with it: later than it was sent if the process had to start first.
    started: Instant,
    /// How long the process took to start, if this is its first query.
    start: Option<Duration>,
    /// The wall time after which the solver is to give up by itself.
    soft: Option<Duration>,
    /// When to give up whatever the CPU time says: a backstop.
    deadline: Instant,
    /// The limit of its CPU time, process start not counted.
    limit: Duration,
    cpu_before: Duration,
    /// The CPU time at which the fixed script was sent, if it was.
    probed_at: Option<Duration>,
    next_usage_check: Instant,
    /// Its CPU time when that last grew, and when this was seen.
    active: (Duration, Instant),
    closing: Option<Instant>,
}

/// A line of queries to one solver; one query at a time.
pub struct Session {
    solver: Solver,
    config: SessionConfig,
    idle: Option<Live>,
    /// A process that takes over when the other is gone; only where starting takes longer than a query.
    standby: Option<Live>,
    pace: Pace,
    running: Option<Running>,
    next: u64,
    secret: String,
    starts: u64,
    soft: Soft,
}

/// How often the CPU time and memory of a running query are checked, at least and at most.
const USAGE_INTERVAL: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// How long a process may take to start, on a busy machine or behind a wrapper.
const START: Duration = Duration::from_secs(20);

impl Session {
    /// A session; no process is started before the first query.
    pub fn new(solver: Solver, config: SessionConfig) -> Session {
        Session {
            solver,
            config,
            idle: None,
            standby: None,
            pace: Pace::default(),
            running: None,
            next: 0,
            secret: secret(),
            starts: 0,
            soft: Soft::default(),
        }
    }

    /// Its solver.
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// How many processes it has started.
    pub fn starts(&self) -> u64 {
        self.starts
    }

    /// Whether a query is running.
    pub fn is_busy(&self) -> bool {
        self.running.is_some()
    }

    /// Whether a process is ready, so that the next query need not start one.
    pub fn is_warm(&self) -> bool {
        self.idle.is_some()
    }

    /// Sends a query. `Busy` if one is running; other errors mean that no process could be started.
    pub fn submit(&mut self, query: Query) -> Result<QueryId, Error> {
        if self.running.is_some() {
            return Err(Error::new(ErrorKind::Busy, "the session is already running a query"));
        }
        let id = QueryId(self.next);
        self.next += 1;
        self.send(id, query)
    }

    fn send(&mut self, id: QueryId, mut query: Query) -> Result<QueryId, Error> {
        let profile = self.solver.profile.clone();
        let started = Instant::now();
        query.model &= profile.enable.models.is_some();
        query.core &= profile.enable.cores.is_some();
        let Prepared { script, comparable, sessionable } = prepare(&self.solver, &query);
        let reuse = profile.session.is_some() && self.config.mode == Mode::Reuse && sessionable;
        let incremental = script.incremental && !profile.run.incremental.is_empty();
        let file = (self.config.mode == Mode::File).then(|| script_file(&script.text)).transpose();
        let file = file.map_err(|e| Error::system("cannot write a script for a solver", e))?;
        let mut live = match self.take_idle(reuse, incremental) {
            Some(live) => live,
            None => self.start(incremental, reuse, file.as_ref())?,
        };
        self.starts += u64::from(live.queries == 0);
        if reuse && self.standby.is_none() && self.pace.starts_slowly() {
            self.standby = Some(self.start(incremental, reuse, None)?);
        }
        let follows = file.is_none() && !query.is_bare();
        let marked = reuse || (follows && profile.run.echo && !script.ragged);
        live.process.errors.clear();
        let first = live.queries == 0;
        let limit = query.limit.unwrap_or(self.config.limits.time);
        let starting = if first { START } else { Duration::ZERO };
        let rule = profile.session.as_ref().filter(|_| self.config.mode == Mode::Reuse && marked);
        let soft_rule = rule.and_then(|_| self.solver.soft_limit()).filter(|_| reuse);
        let soft = soft_rule.map(|_| self.soft.wall(limit));
        let mut running = Running {
            id,
            cpu_before: if first { Duration::ZERO } else { live.process.cpu().unwrap_or_default() },
            live,
            file,
            script,
            query,
            reuse,
            marked,
            nonce: format!("smelt-{}-{}", self.secret, id.0),
            comparable,
            stage: if marked { Stage::Begin } else { Stage::Exit },
            searched: 0,
            stdout: Vec::new(),
            reset_failed: false,
            started,
            start: None,
            soft,
            deadline: started + starting + backstop(limit),
            limit,
            probed_at: None,
            next_usage_check: started + limit.clamp(USAGE_INTERVAL[0], USAGE_INTERVAL[1]),
            active: (Duration::ZERO, started),
            closing: None,
        };
        // The first script is slower than later ones, for what the solver makes ready only then: that is part of starting.
        if let Some(probe) = rule.and_then(|rule| rule.probe.as_deref()).filter(|_| first) {
            running.live.process.write(probe.as_bytes());
            running.live.process.write(b"\n");
        }
        if let (Some(rule), Some(soft)) = (soft_rule, soft) {
            let command = rule.replace("{milliseconds}", &soft.as_millis().to_string());
            running.live.process.write(command.as_bytes());
        }
        if marked {
            running.mark(Stage::Begin);
        }
        if running.file.is_none() {
            running.live.process.write(&running.script.text);
            running.live.process.write(b"\n");
        }
        if marked {
            running.mark(Stage::Body);
        }
        if !(marked && follows) {
            running.send_end(&profile);
        }
        let sent = running.live.process.pump(self.config.limits.output);
        sent.map_err(|e| Error::system("cannot talk to a solver", e))?;
        self.running = Some(running);
        Ok(id)
    }

    fn take_idle(&mut self, reuse: bool, incremental: bool) -> Option<Live> {
        if !reuse {
            return None;
        }
        let fits = |live: &Live| live.incremental == incremental;
        let mut idle = self.idle.take().filter(fits).or_else(|| self.standby.take().filter(fits))?;
        let process = &mut idle.process;
        process.pump(self.config.limits.output).ok()?;
        // Only white space and the closing quote may have come since the last mark.
        let quiet = process.output.iter().all(|b| b.is_ascii_whitespace() || *b == b'"');
        process.output.clear();
        (quiet && process.end().is_none() && !process.output_closed()).then_some(idle)
    }

    fn start(&mut self, incremental: bool, reuse: bool, file: Option<&NamedTempFile>) -> Result<Live, Error> {
        let launch = self.solver.launch(incremental, file.map(NamedTempFile::path));
        let launch = if reuse { launch.keeping_memory() } else { launch };
        let process = Process::start(&launch, &self.config.limits, self.solver.profile.memory, !reuse)
            .map_err(|e| Error::system(format!("cannot start solver `{}`", self.solver.id), e))?;
        Ok(Live { process, incremental, queries: 0, born: Instant::now(), wear: Wear::default() })
    }

    /// Does what can be done now, and gives the outcome once the query is over. Never blocks.
    pub fn poll(&mut self) -> Result<Option<Finished>, Error> {
        let Some(running) = &mut self.running else { return Ok(None) };
        let limits = &self.config.limits;
        running.live.process.pump(limits.output).map_err(|e| Error::system("cannot talk to a solver", e))?;
        if let Some(e) = running.live.process.take_failure() {
            self.running = None;
            return Err(Error::system(format!("cannot run solver `{}`", self.solver.id), e));
        }
        if running.read_sections(&self.solver) {
            return self.finish(Ending::Marked);
        }
        let now = Instant::now();
        let process = &running.live.process;
        let ended = process.end();
        if let Some(end) = ended.filter(|_| process.drained()) {
            return self.finish(Ending::Ended(end));
        }
        if ended.is_some() || process.output_closed() {
            let wait = if ended.is_some() { LINGER } else { EXIT };
            // Once it has exited, the shorter wait counts.
            let until = running.closing.map_or(now + wait, |until| until.min(now + wait));
            running.closing = Some(until);
            if now >= until {
                return self.finish(ended.map_or(Ending::Stopped(Stop::Closed), Ending::Ended));
            }
        }
        let stop = if process.output.len() > limits.output {
            Some(Stop::Output)
        } else if now >= running.deadline {
            Some(Stop::Time)
        } else if now >= running.next_usage_check {
            running.check_usage(now, limits, self.solver.profile.memory)
        } else {
            None
        };
        stop.map_or(Ok(None), |stop| self.finish(Ending::Stopped(stop)))
    }

    fn finish(&mut self, ending: Ending) -> Result<Option<Finished>, Error> {
        let Some(mut running) = self.running.take() else { return Ok(None) };
        let (solver, config) = (&self.solver, &self.config);
        let stdout = running.take_output(ending);
        let read = output::read(solver, &running.script, &stdout, &running.live.process.errors);
        let mut live = running.live;
        let memory = live.process.memory();
        let peak_memory = match ending {
            Ending::Ended(end) => end.peak_memory,
            _ => memory.map_or(0, |m| m.peak),
        };
        let cpu = live.process.cpu().unwrap_or_default().saturating_sub(running.cpu_before);
        let stderr = std::mem::take(&mut live.process.errors);
        let outcome = classify(QueryEnd {
            profile: &solver.profile,
            read,
            expected: running.script.check_sats(),
            ending,
            stderr: &stderr,
            memory_limit: config.limits.memory,
            usage: Usage { wall: running.started.elapsed(), cpu, peak_memory },
            comparable: running.comparable,
            gave_up: running.soft.is_some_and(|soft| running.started.elapsed() >= soft),
        });
        let limit = matches!(outcome.kind, OutcomeKind::Timeout | OutcomeKind::Memout);
        if limit && live.queries > 0 && config.confirm_limits {
            live.process.abandon(config.limits.grace);
            return self.send(running.id, running.query).map(|_| None);
        }
        live.queries += 1;
        self.pace.note(running.start, outcome.usage.wall);
        // A process that reported an error of its own may be broken inside.
        let sound = outcome.kind.verdict().is_some()
            || matches!(outcome.kind, OutcomeKind::Rejected | OutcomeKind::Timeout);
        if let (Some(at), Some(now)) = (running.probed_at, live.process.cpu()) {
            live.wear.note(now.saturating_sub(at));
        }
        let keep = matches!(ending, Ending::Marked)
            && sound
            && !running.reset_failed
            && memory.is_some_and(|m| m.now <= config.recycle_memory)
            && !live.wear.is_worn()
            && live.queries < config.recycle_queries;
        if keep {
            self.idle = Some(live);
        } else {
            live.process.abandon(config.limits.grace);
        }
        if let (Some(soft), OutcomeKind::Timeout) = (running.soft, outcome.kind) {
            let early = self.soft.learn(soft, cpu, running.limit);
            if early && matches!(ending, Ending::Marked) && !running.query.again {
                return self.send(running.id, Query { again: true, ..running.query }).map(|_| None);
            }
        }
        Ok(Some(Finished { query: running.id, outcome, stdout, stderr }))
    }

    /// Gives up the running query, if any: its process is killed and no outcome will come for it.
    pub fn cancel(&mut self) {
        if let Some(running) = self.running.take() {
            running.live.process.abandon(self.config.limits.grace);
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
        self.running.iter().flat_map(|running| running.live.process.interests())
    }

    /// When to call [`Session::poll`] even if no descriptor is ready.
    pub fn wake_at(&self) -> Option<Instant> {
        let running = self.running.as_ref()?;
        let closing = running.closing.unwrap_or(running.deadline);
        Some(running.deadline.min(running.next_usage_check).min(closing))
    }
}

impl Running {
    fn mark_name(&self, stage: Stage) -> String {
        format!("{}-{}", self.nonce, stage as u8)
    }

    fn mark(&mut self, stage: Stage) {
        let mark = format!("(echo \"{}\")\n", self.mark_name(stage));
        self.live.process.write(mark.as_bytes());
    }

    /// Sends the end of the query: the reset in a session, else the end of input.
    fn send_end(&mut self, profile: &Profile) {
        let Some(rule) = profile.session.as_ref().filter(|_| self.reuse) else {
            self.live.process.close_stdin();
            return;
        };
        let mut text = rule.reset.clone();
        for option in &self.script.options {
            if let Some(default) = rule.restores.get(option) {
                text.push_str(&format!("(set-option {option} {default})"));
            }
        }
        // After a question about a model the process is idle, so that the CPU time from here on is that of the reset.
        if let (Some(probe), false, 0) = (&rule.probe, self.query.is_bare(), self.live.queries % PROBED) {
            text.push_str(probe);
            self.probed_at = self.live.process.cpu();
        }
        text.push('\n');
        self.live.process.write(text.as_bytes());
        self.mark(Stage::Reset);
    }

    /// Reads the output up to its last complete mark; true once the mark of the reset came.
    fn read_sections(&mut self, solver: &Solver) -> bool {
        let last = if self.reuse { Stage::Reset } else { Stage::Exit };
        while self.stage != Stage::Exit {
            let Some(section) = self.next_section() else { break };
            match self.stage {
                Stage::Begin => {
                    if self.live.queries == 0 {
                        // Starting is not part of the query.
                        self.cpu_before = self.live.process.cpu().unwrap_or_default();
                        self.live.wear.start = self.cpu_before;
                        self.started = Instant::now();
                        self.start = Some(self.started - self.live.born);
                        self.deadline = self.started + backstop(self.limit);
                    }
                    self.stage = Stage::Body;
                }
                Stage::Body => {
                    self.stdout = section;
                    self.stage = last;
                    if !self.query.is_bare() {
                        self.ask_follow_up(solver);
                        self.send_end(&solver.profile);
                    }
                }
                Stage::FollowUp => {
                    self.stdout.extend(section);
                    self.stage = last;
                }
                Stage::Reset | Stage::Exit => {
                    self.reset_failed = section.starts_with(b"(error") || section.starts_with(b"unsupported");
                    return true;
                }
            }
        }
        false
    }

    /// The output before the mark of the current stage, once the mark is there.
    fn next_section(&mut self) -> Option<Vec<u8>> {
        let mark = self.mark_name(self.stage).into_bytes();
        let output = &mut self.live.process.output;
        let from = self.searched.saturating_sub(mark.len()).min(output.len());
        let Some(found) = memmem::find(&output[from..], &mark).map(|i| from + i) else {
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

    /// Asks for the model of a sat or the core of an unsat script, if the query wants it, or for the reason of unknown.
    fn ask_follow_up(&mut self, solver: &Solver) {
        let read = output::read(solver, &self.script, &self.stdout, &self.live.process.errors);
        // A model that the solver's own check rejects is evaluated too.
        let invalid = &solver.profile.texts.invalid;
        let whole = read.errors.iter().all(|e| crate::profile::fits(invalid, e))
            && read.answers.len() == self.script.check_sats();
        let (ask, text) = match read.answers.last().filter(|_| whole).and_then(|a| a.verdict) {
            Some(Verdict::Sat) if self.query.model => (Ask::Model, "(get-model)\n"),
            Some(Verdict::Unsat) if self.query.core => (Ask::Core, "(get-unsat-core)\n"),
            Some(Verdict::Unknown) => (Ask::Reason, "(get-info :reason-unknown)\n"),
            _ => return,
        };
        self.live.process.write(text.as_bytes());
        self.script.commands.push(ScannedCommand { ask: Some(ask), meta: ask == Ask::Reason, logic: false });
        self.mark(Stage::FollowUp);
        self.stage = Stage::FollowUp;
    }

    /// All output that belongs to the query.
    fn take_output(&mut self, ending: Ending) -> Vec<u8> {
        let mut stdout = std::mem::take(&mut self.stdout);
        let in_query = match self.stage {
            Stage::Begin | Stage::Body | Stage::FollowUp => true,
            Stage::Reset => false,
            Stage::Exit => !self.marked,
        };
        // Output after the last mark stays in the process: the next query must see it.
        if in_query && !matches!(ending, Ending::Marked) {
            let rest = std::mem::take(&mut self.live.process.output);
            stdout.append(&mut if self.marked { without_mark_end(rest) } else { rest });
        }
        if matches!(ending, Ending::Stopped(Stop::Output)) {
            // The rest of excessive output is not read.
            stdout.truncate(1 << 20);
        }
        stdout
    }

    /// Checks the CPU time and memory of a long-running query against its limits.
    fn check_usage(&mut self, now: Instant, limits: &Limits, memory: MemoryBound) -> Option<Stop> {
        let process = &self.live.process;
        let starting = self.marked && self.stage == Stage::Begin && self.live.queries == 0;
        let used = match process.cpu().filter(|_| !starting) {
            Some(cpu) => cpu.saturating_sub(self.cpu_before),
            // Without a clock of the process, the wall time must do.
            None if starting => Duration::ZERO,
            None => self.started.elapsed(),
        };
        let time = if self.soft.is_some() { Soft::hard(self.limit) } else { self.limit };
        let limit = limits.cpu.map_or(time, |cpu| cpu.min(time));
        if used >= limit {
            return Some(if limits.cpu == Some(limit) { Stop::Cpu } else { Stop::Time });
        }
        if starting || is_active(self.active.0, used) {
            self.active = (used, now);
        } else if now >= self.active.1 + idle(limit) {
            return Some(Stop::Time);
        }
        let [least, most] = USAGE_INTERVAL;
        self.next_usage_check = now + (limit - used).clamp(least, most);
        let over = || process.memory().is_some_and(|m| m.now > limits.memory);
        (memory == MemoryBound::Watched && over()).then_some(Stop::Memory)
    }
}
