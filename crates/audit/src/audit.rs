//! The audit: runs test cases of every strategy on the newest solvers, and the oracle judges the answers.
//!
//! One solver runs first, a different one for each case; solvers that can only be stopped by killing their process
//! come first only seldom. The other solvers run only if the first one decides nothing or contradicts smelt. smelt
//! is wrong if two solver families contradict a status, a relation or a model of smelt, or if a case contradicts
//! itself. A contradiction by a single family is listed.

use smelt_campaign::SeedText;
use smelt_core::{Case, Claim, Evidence, Expectation, Kind, Outcome, Verdict};
use smelt_oracle::Judgement;
use smelt_solvers::{Limits, Mode};
use smelt_strategies::Pool;
use smelt_trial::{
    Error, ErrorKind, IsOver, Judged, Lineup, NamedSolver, Panel, RUNS, Standing, Trial, believed,
    established, in_parallel, is_decided, lock, query,
};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use crate::cases::{Cases, Numbered};
use crate::report::{Charge, Row, Tally};

/// Of the cases about which nothing is known, one in this many runs on solvers.
const OPEN: u64 = 4;
/// A solver that must be killed to be stopped is the first one to be asked in one round of this many.
const DEAR_FIRST: u64 = 8;
/// The time for an answer that matters, in time limits.
const PATIENCE: u32 = 10;

/// What to audit, and how.
pub struct Audit<'a> {
    /// The solvers: releases of several families.
    pub solvers: &'a [NamedSolver],
    /// The seeds.
    pub seeds: &'a [SeedText],
    /// How many cases are made; `None` for no bound.
    pub cases: Option<u64>,
    /// What all random choices start from.
    pub random: u64,
    /// CPU time for an answer.
    pub limit: Duration,
    /// Threads.
    pub jobs: usize,
    /// When to stop.
    pub is_over: IsOver<'a>,
}

/// What is known of a seed once solvers were asked.
struct Fact {
    outcomes: Vec<Option<Outcome>>,
    status: Option<Verdict>,
}

struct Lab<'a> {
    audit: &'a Audit<'a>,
    facts: Vec<OnceLock<Fact>>,
    next: AtomicU64,
    tally: &'a Mutex<Tally>,
}

impl Audit<'_> {
    /// Makes and checks the cases; counts go into `tally`, which others may read meanwhile.
    pub fn run(&self, tally: &Mutex<Tally>) -> Result<(), Error> {
        let facts = self.seeds.iter().map(|_| OnceLock::new()).collect();
        let lab = Lab { audit: self, facts, next: AtomicU64::new(0), tally };
        let threads: Vec<usize> = (0..self.jobs).collect();
        in_parallel(&threads, self.jobs, self.is_over, |_, _| Auditor::new(&lab)?.run())?;
        Ok(())
    }
}

/// One thread with solvers of its own.
struct Auditor<'a> {
    lab: &'a Lab<'a>,
    cases: Cases,
    /// The positions of the pool's seeds among all: some cannot be read.
    seeds: Vec<usize>,
    panel: Panel<'a>,
    queries: u64,
}

/// A case, and the script that its answer is held against.
struct Pair<'a> {
    trial: Trial<'a>,
    /// Answers to the seed that are known already.
    seed: Vec<Option<Outcome>>,
}

impl<'a> Auditor<'a> {
    fn new(lab: &'a Lab<'a>) -> Result<Auditor<'a>, Error> {
        let audit = lab.audit;
        let mut pool = Pool::new();
        let mut seeds = Vec::new();
        for (i, seed) in audit.seeds.iter().enumerate() {
            if pool.add(&seed.name, &seed.text, seed.status).is_ok() {
                seeds.push(i);
            }
        }
        let limits = Limits::within(audit.limit);
        let lineup = Lineup { solvers: audit.solvers, limits, is_over: audit.is_over };
        let cases = Cases::new(pool).map_err(|e| Error::new(ErrorKind::Usage, e.to_string()))?;
        Ok(Auditor { lab, cases, seeds, panel: Panel::new(lineup), queries: 0 })
    }

    fn run(mut self) -> Result<(), Error> {
        let audit = self.lab.audit;
        while !(audit.is_over)() {
            let number = self.lab.next.fetch_add(1, Relaxed);
            if audit.cases.is_some_and(|most| lock(self.lab.tally).made() >= most) {
                break;
            }
            let (facts, seeds) = (&self.lab.facts, &self.seeds);
            // A seed that no solver decides in time has mutants that none decides.
            let usable =
                |s: usize| facts[seeds[s]].get().is_none_or(|f| f.outcomes.iter().flatten().any(is_decided));
            let Some(mut case) = self.cases.make(audit.random, number, &usable) else { continue };
            case.seeds.iter_mut().for_each(|s| *s = self.seeds[*s]);
            self.check(&case)?;
        }
        Ok(())
    }

    /// What solvers say to a seed; `None` if it was stopped.
    fn fact(&mut self, seed: usize) -> Result<Option<&'a Fact>, Error> {
        let lab = self.lab;
        if let Some(fact) = lab.facts[seed].get() {
            return Ok(Some(fact));
        }
        let text = &lab.audit.seeds[seed];
        let asked = query(&text.text, lab.audit.limit * 2);
        let Some(outcomes) = self.panel.ask_all(&asked, Mode::Reuse, |_| true)? else { return Ok(None) };
        self.queries += outcomes.len() as u64;
        let proved = text.status.filter(|_| text.proved);
        let status = established(&text.text, lab.audit.solvers, &outcomes, proved).status;
        let outcomes = outcomes.into_iter().map(|o| o.map(|o| o.without_texts())).collect();
        Ok(Some(lab.facts[seed].get_or_init(|| Fact { outcomes, status })))
    }

    fn check(&mut self, numbered: &Numbered) -> Result<(), Error> {
        let mut standings = Vec::new();
        let mut known = Vec::new();
        for &seed in &numbered.seeds {
            let Some(fact) = self.fact(seed)? else { return Ok(()) };
            standings.push(Standing { label: self.lab.audit.seeds[seed].label(), status: fact.status });
            known.push(&fact.outcomes);
        }
        let mut case = numbered.case.clone();
        case.expect(believed(case.expectation(), &standings));
        let is_open = case.expectation() == Expectation::Open && case.certificate.model().is_none();
        if is_open && !(numbered.number / 16).is_multiple_of(OPEN) {
            return Ok(());
        }
        let relation = case.related().is_some();
        let seed = if relation { known[0].clone() } else { Vec::new() };
        let order = self.order(numbered, known.first().map_or(&[][..], |outcomes| outcomes));
        let pair = Pair { trial: Trial::from(&case), seed };
        let decided = self.put(numbered.number, &pair, &order, if is_open { 2 } else { 1 })?;
        // The step before implies the case, or follows from it, whatever the seed's answer is.
        if case.before.is_some() && relation {
            let step = Case { seed: case.before.clone(), ..case.clone() };
            let pair = Pair { trial: Trial::from(&step), seed: Vec::new() };
            self.put(numbered.number, &pair, &order, 1)?;
        }
        let mut tally = lock(self.lab.tally);
        tally.queries += std::mem::take(&mut self.queries);
        let row: &mut Row = tally.rows.entry(case.provenance.strategy).or_default();
        row.made += 1;
        match (decided, is_open) {
            (false, _) => row.undecided += 1,
            (true, true) => row.open += 1,
            (true, false) => row.checked += 1,
        }
        Ok(())
    }

    /// The order in which solvers are asked: in turn, but first those that decided the seed, and seldom first those that are
    /// expensive to stop.
    fn order(&self, case: &Numbered, seed: &[Option<Outcome>]) -> Vec<usize> {
        let solvers = self.lab.audit.solvers;
        let round = case.number / 16;
        let mut order: Vec<usize> =
            (0..solvers.len()).map(|i| (round as usize + i) % solvers.len()).collect();
        let fails = |who: usize| seed.get(who).and_then(Option::as_ref).is_some_and(|o| !is_decided(o));
        let is_dear = |who: usize| !solvers[who].solver.gives_up() && !round.is_multiple_of(DEAR_FIRST);
        order.sort_by_key(|&who| (fails(who), is_dear(who)));
        order
    }

    /// Puts a case to solvers until `wanted` of them have decided it, or to all if one contradicts; whether one decided.
    fn put(&mut self, number: u64, pair: &Pair<'_>, order: &[usize], wanted: usize) -> Result<bool, Error> {
        let count = self.lab.audit.solvers.len();
        let limit = self.lab.audit.limit;
        let mut outcomes = vec![None; count];
        let mut seed = pair.known(count);
        let mut decided = 0;
        for &who in order {
            outcomes[who] = self.ask(who, &pair.trial.case.script, limit)?;
            if outcomes[who].as_ref().is_some_and(is_decided) {
                self.ask_seed(who, pair, &mut seed, limit)?;
                decided += 1;
            }
            if decided >= wanted {
                break;
            }
        }
        if !suspicious(&pair.trial.judge(self.lab.audit.solvers, &outcomes, &seed)) {
            return Ok(decided > 0);
        }
        for (who, outcome) in outcomes.iter_mut().enumerate() {
            if !outcome.as_ref().is_some_and(is_decided) {
                *outcome = self.ask(who, &pair.trial.case.script, limit * PATIENCE)?;
                self.ask_seed(who, pair, &mut seed, limit * PATIENCE)?;
            }
        }
        let judged = self.panel.judge(&pair.trial, outcomes, seed, Mode::Reuse, limit * PATIENCE)?;
        self.charge(number, pair, &judged)?;
        Ok(decided > 0)
    }

    fn ask(&mut self, who: usize, script: &[u8], limit: Duration) -> Result<Option<Outcome>, Error> {
        self.queries += 1;
        self.panel.ask(who, query(script, limit), Mode::Reuse)
    }

    fn ask_seed(
        &mut self,
        who: usize,
        pair: &Pair<'_>,
        seed: &mut [Option<Outcome>],
        limit: Duration,
    ) -> Result<(), Error> {
        if let (Some(script), None) = (pair.trial.case.related(), &seed[who]) {
            seed[who] = self.ask(who, script, limit)?;
        }
        Ok(())
    }

    /// Notes what the judgement of a case says against smelt or against solvers.
    fn charge(&mut self, number: u64, pair: &Pair<'_>, judged: &Judged) -> Result<(), Error> {
        let case = pair.trial.case;
        let solvers = self.lab.audit.solvers;
        let judgement = &judged.judgement;
        let claims: Vec<&Claim> = judgement.claims.iter().filter(|c| counts(c)).collect();
        let who = claims.iter().flat_map(|c| c.accused.iter().map(|a| solvers[a.position].family()));
        let families: BTreeSet<&str> = who.collect();
        let mut charge = Charge {
            families: families.iter().map(|f| (*f).to_owned()).collect(),
            fingerprint: claims.first().map(|c| c.key().to_string()).unwrap_or_default(),
            number,
            made_by: format!("{} {}", case.provenance.strategy, case.provenance.options),
            why: claims.iter().map(|c| describe(c)).collect(),
            script: case.script.clone(),
            confirmed: false,
            times: 1,
        };
        if !judgement.conflicts.is_empty() || families.len() > 1 {
            charge.why.extend(judgement.conflicts.iter().map(|c| format!("smelt contradicts itself: {c:?}")));
            if let Some(seed) = case.related() {
                charge.script.extend(b"\n; ===== held against\n");
                charge.script.extend(seed);
            }
            lock(self.lab.tally).failures.push(charge);
            return Ok(());
        }
        if claims.is_empty() {
            return Ok(());
        }
        let known = lock(self.lab.tally).single.contains_key(&charge.fingerprint);
        if !known {
            let wall = self.lab.audit.limit * PATIENCE;
            let runs = self.panel.confirm(&pair.trial, judged, &claims, wall)?;
            charge.confirmed = runs.is_some_and(|runs| runs.contains(&RUNS));
        }
        let mut tally = lock(self.lab.tally);
        match charge.confirmed || known {
            true => tally.note(charge),
            false => tally.flaky += 1,
        }
        Ok(())
    }
}

impl Pair<'_> {
    fn known(&self, count: usize) -> Vec<Option<Outcome>> {
        let mut known = self.seed.clone();
        known.resize(count, None);
        known
    }
}

/// Whether a claim is about a wrong answer and rests on smelt's own evidence.
fn counts(claim: &Claim) -> bool {
    claim.kind != Kind::Crash && !matches!(claim.evidence, None | Some(Evidence::Vote | Evidence::SelfCheck))
}

fn suspicious(judgement: &Judgement) -> bool {
    !judgement.conflicts.is_empty() || judgement.claims.iter().any(counts)
}

fn describe(claim: &Claim) -> String {
    let evidence = claim.evidence.map_or("none", Evidence::as_str);
    format!("{} of {} by {evidence}: {}", claim.kind, claim.who(), claim.reason)
}
