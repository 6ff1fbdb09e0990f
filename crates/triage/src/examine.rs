//! Examines a finding: reduces it, finds the operator at fault, and determines the affected releases and options.
//!
//! Everything except reduction runs in fresh processes. An examination can be stopped at any time; then it has no
//! result, and the finding stays as it is.

use smelt_core::{
    Case, Claim, Class, Culprit, Dossier, Expectation, Figures, History, Kind, Outcome, OutcomeKind, Verdict,
    joined,
};
use smelt_oracle::{CaseScript, OperatorCheck};
use smelt_reduce::{ErrorKind as ReduceErrorKind, PredicateSource, ReduceOptions, Reduction};
use smelt_smtlib::{Arena, parse_script};
use smelt_solvers::{Limits, Mode, Query};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::desugar::desugared;
use crate::observation::{Observation, Part};
use smelt_trial::predicates::{
    ExpectSource, Expected, FindingSource, Keep, SlowSource, Slowness, find, named_logic,
};
use smelt_trial::{Error, ErrorKind, Lineup, NamedSolver, Panel, Scrutiny, Trial, is_decided, query};

/// How many solvers run beside the accused: one of each family settles most disagreements.
const WITNESSES: usize = 4;
/// How many times slower than its reference a slow script must stay.
const RATIO: f64 = 10.0;
/// The time limit of a slow script.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many applications of operators the accused must evaluate.
const SUSPECTS: usize = 60;
/// The time limit of one of them, and how many may exceed it.
const SIMPLE: Duration = Duration::from_secs(1);
const TOO_LATE: usize = 5;

/// The first limits of queries about a script: most are answered in the first.
const PACES: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(2)];
/// Later queries get this many times what an answer took at first.
const PATIENT: u32 = 8;

/// The solvers to examine with, besides those that a finding was found with.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// The reference solver, a witness to everything.
    pub reference: Option<NamedSolver>,
    /// Every installed release of every solver.
    pub releases: Vec<NamedSolver>,
}

/// How a finding is examined.
#[derive(Clone, Copy, Debug)]
pub struct Examiner<'a> {
    /// The solvers to examine with.
    pub means: &'a Means,
    /// The bounds of one query.
    pub limits: Limits,
    /// Checks at once.
    pub jobs: usize,
    /// How long reducing the script may take; zero to leave it as it is.
    pub time: Duration,
    /// Set to stop the examination.
    pub stop: &'a AtomicBool,
}

/// A finding to examine.
#[derive(Clone, Copy, Debug)]
pub struct Unexamined<'a> {
    /// The case that shows it.
    pub case: &'a Case,
    /// The claim about it.
    pub claim: &'a Claim,
    /// All solvers that ran.
    pub solvers: &'a [NamedSolver],
    /// The reduction, if the script was reduced already.
    pub reduction: Option<&'a Reduction>,
}

/// The result of an examination.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The reduced script, or the seed if that shows the bug; `None` if the script could not be reduced.
    pub reduced: Option<Vec<u8>>,
    /// The dossier.
    pub dossier: Dossier,
}

impl Examiner<'_> {
    /// Examines a finding; `None` if it was stopped.
    pub fn examine(&self, finding: &Unexamined<'_>) -> Result<Option<Examination>, Error> {
        let (solvers, accused) = self.lineup(finding);
        if accused == 0 {
            let message = format!("{} is not available here", joined(&finding.claim.solvers()));
            return Err(Error::new(ErrorKind::NoSolver, message));
        }
        let time = self.pace(finding, &solvers, accused)?;
        let paced = Examiner { limits: Limits { time, ..self.limits }, ..*self };
        paced.examine_within(finding, &solvers, accused, self)
    }

    /// The time limit of all further queries: several times what the slowest solver took for an answer. A witness that never
    /// answers would else take most of the time of an examination.
    fn pace(
        &self,
        finding: &Unexamined<'_>,
        solvers: &[NamedSolver],
        accused: usize,
    ) -> Result<Duration, Error> {
        let most = self.limits.time;
        if finding.claim.kind.class().is_late() {
            return Ok(most);
        }
        for limit in PACES.into_iter().filter(|limit| *limit < most) {
            let asked = query(&finding.case.script, limit);
            let Some(outcomes) = self.with(solvers, |panel| panel.ask_all(&asked, Mode::Fresh, |_| true))?
            else {
                break;
            };
            let ended = |o: &&Outcome| !matches!(o.kind, OutcomeKind::Timeout | OutcomeKind::Memout);
            let all_accused = outcomes[..accused].iter().all(|o| o.as_ref().as_ref().is_some_and(ended));
            let others = outcomes[accused..].iter().flatten();
            if all_accused && (accused == solvers.len() || others.clone().any(is_decided)) {
                let slowest = outcomes.iter().flatten().filter(ended).map(|o| o.usage.time()).max();
                return Ok((slowest.unwrap_or_default() * PATIENT).clamp(PACES[0], most));
            }
        }
        Ok(most)
    }

    /// The same with the limits of this one; `whole` has those that a seed gets.
    fn examine_within(
        &self,
        finding: &Unexamined<'_>,
        solvers: &[NamedSolver],
        accused: usize,
        whole: &Examiner<'_>,
    ) -> Result<Option<Examination>, Error> {
        let class = finding.claim.kind.class();
        let mut pair = self.pair(finding, solvers)?;
        if let Some((_, Some(claim))) = &pair {
            // The seed alone shows the bug: the answer to the case is right.
            let case = Case::open(finding.case.seed.clone().unwrap_or_default());
            let seed = Unexamined { case: &case, claim, ..*finding };
            let mut examined = whole.examine(&seed)?;
            if let Some(examined) = &mut examined {
                examined.dossier.of_seed = true;
                // The dossier describes the seed, not the stored case.
                examined.reduced.get_or_insert_with(|| case.script.clone());
            }
            return Ok(examined);
        }
        let own = match (finding.reduction, &mut pair) {
            // Reduced alone, it would lose its relation to the other script.
            (None, Some((pair, _))) => self.reduce_pair(finding, pair)?,
            (None, None) if !self.time.is_zero() => self.reduce(finding, class, solvers, accused)?,
            _ => None,
        };
        let reduction = finding.reduction.or(own.as_ref());
        let small = reduction.map(|r| &r.text[..]).filter(|t| t.len() < finding.case.script.len());
        let case = small.map_or_else(|| finding.case.clone(), |text| finding.case.changed(text));
        let Some(observation) = self.look(&case, solvers)? else { return Ok(None) };
        let mine: Vec<usize> = (0..accused).collect();
        let claim = observation.claim(class, finding.claim.kind, &mine);
        if class == Class::Crash && claim.is_none() {
            let message = format!("{} no longer crashes on it", joined(&finding.claim.solvers()));
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        let (culprit, cleared) = match class.may_be_of_one_part() {
            true => self.culprit(&observation, claim, accused)?,
            false => (None, Vec::new()),
        };
        if self.is_over() {
            return Ok(None);
        }
        // A solver that evaluates an operator wrongly is wrong, whatever the others say.
        let guilty: Vec<usize> = match (&culprit, claim) {
            (Some((who, _)), _) => vec![*who],
            (None, Some(claim)) => claim.positions(),
            (None, None) => mine,
        };
        let inconsistent = if culprit.is_none() { self.inconsistent(&observation, claim)? } else { None };
        let guilty = inconsistent.map_or(guilty, |(who, _)| vec![who]);
        let settled = guilty.len() == 1;
        let part = match (culprit, inconsistent) {
            (Some((_, culprit)), _) => Some(Part::Operator(culprit)),
            (None, Some((_, construct))) => Some(Part::Construct(construct)),
            (None, None) if settled => {
                self.construct(&observation, finding, claim, guilty[0])?.map(Part::Construct)
            }
            (None, None) => None,
        };
        let is_alone = part.is_some();
        let mut needs = self.needs(&observation, class, guilty[0])?;
        for who in &guilty[1..] {
            needs.join(self.needs(&observation, class, *who)?);
        }
        let history = match settled {
            true => self.history(&observation, class, guilty[0], &needs)?,
            false => History::default(),
        };
        if self.is_over() {
            return Ok(None);
        }
        let mut dossier = observation.dossier(finding, claim, part, &guilty);
        (dossier.cleared, dossier.needs, dossier.history) = (cleared, needs, history);
        if settled && claim.is_some() && !is_alone {
            self.generalise(&observation, &mut dossier, guilty[0])?;
        }
        dossier.with_model = class == Class::Crash && self.crashes_on_model(&observation, guilty[0])?;
        dossier.pair = pair.map(|p| p.0).filter(|_| claim.is_none());
        if let Some(pair) = &mut dossier.pair
            && let Some(spelled) = observation.spelled(guilty[0], pair.script.as_bytes())
        {
            pair.script = spelled;
        }
        self.try_commands(&observation, class, &mut dossier)?;
        // One that was stopped is taken up again, although nothing smaller was found so far.
        dossier.reduction = reduction.filter(|r| small.is_some() || !r.complete).map(figures);
        dossier.reduction_tried = finding.reduction.is_some() || !self.time.is_zero();
        dossier.seed_shows = self.seed_shows(finding, solvers, &dossier, &guilty)?;
        // If the seed shows it too, nothing had to change.
        let undo = reduction.and_then(|r| r.undo.as_ref()).filter(|_| !dossier.seed_shows);
        dossier.differences = undo.map_or_else(Vec::new, |u| u.differences.clone());
        Ok(Some(Examination { reduced: small.map(<[u8]>::to_vec), dossier }))
    }

    /// Whether the seed alone shows such a bug too.
    fn seed_shows(
        &self,
        finding: &Unexamined<'_>,
        solvers: &[NamedSolver],
        dossier: &Dossier,
        guilty: &[usize],
    ) -> Result<bool, Error> {
        let Some(seed) = finding.case.seed.as_deref().filter(|_| dossier.pair.is_none()) else {
            return Ok(false);
        };
        // In canonical form: some solvers do not read `(push)`, which must not cause a difference.
        let seed = Case::open(rewritten(seed));
        let Some(observation) = self.look(&seed, solvers)? else { return Ok(false) };
        let claim = observation.claim(finding.claim.kind.class(), finding.claim.kind, guilty);
        Ok(claim.is_some_and(|c| c.kind == dossier.kind))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The accused first, then witnesses: the reference, and one solver of each other family.
    pub(crate) fn lineup(&self, finding: &Unexamined<'_>) -> (Vec<NamedSolver>, usize) {
        let is_accused = |c: &&NamedSolver| finding.claim.accused.iter().any(|a| a.solver == *c.solver.id());
        let mut list: Vec<NamedSolver> = finding.solvers.iter().filter(is_accused).cloned().collect();
        list.dedup_by(|a, b| a.solver.id() == b.solver.id());
        let accused = list.len();
        let regression = finding.claim.kind.class().is_late();
        let is_listed = |c: &&NamedSolver| list.iter().any(|l| l.spec == c.spec);
        let mut others: Vec<&NamedSolver> = finding.solvers.iter().filter(|c| !is_listed(c)).collect();
        others.sort_by(|a, b| b.solver.id().version().cmp(&a.solver.id().version()));
        let own: BTreeSet<String> = list.iter().map(|c| c.family().to_owned()).collect();
        let is_release = |c: &NamedSolver| own.contains(c.family());
        let has_releases = others.iter().any(|c| is_release(c));
        let mut families: BTreeSet<String> = BTreeSet::new();
        if let Some(reference) = &self.means.reference
            && !list.iter().any(|c| c.solver.id() == reference.solver.id())
        {
            list.push(reference.clone());
            families.insert(reference.family().to_owned());
        }
        // The newest release of a family that did not run may know better.
        let mut newest: Vec<&NamedSolver> = self.means.releases.iter().filter(|_| !regression).collect();
        newest.sort_by(|a, b| b.solver.id().version().cmp(&a.solver.id().version()));
        for other in others.into_iter().chain(newest) {
            // A regression is judged against releases of the same solver, if there are some.
            let wanted = match regression {
                true => !has_releases || is_release(other),
                false => families.insert(other.family().to_owned()),
            };
            if wanted && list.len() < accused + WITNESSES && !list.iter().any(|c| c.spec == other.spec) {
                list.push(other.clone());
            }
        }
        (list, accused)
    }

    /// Reduces the script; `None` if its evidence depends on how it was made.
    fn reduce(
        &self,
        finding: &Unexamined<'_>,
        class: Class,
        solvers: &[NamedSolver],
        accused: usize,
    ) -> Result<Option<Reduction>, Error> {
        let until = Instant::now() + self.time;
        let is_over = || self.is_over();
        let lineup = Lineup { solvers, limits: self.limits, is_over: &is_over };
        let wall = Limits { time: PATIENCE.min(self.limits.time), ..self.limits };
        let named = |script, accused: &[usize]| named_logic(solvers, accused, script);
        let run = |source: &dyn PredicateSource, script: &[u8]| -> Result<Option<Reduction>, Error> {
            let time = until.saturating_duration_since(Instant::now());
            let options = ReduceOptions {
                jobs: self.jobs,
                time: Some(time),
                stop: self.stop,
                seed: finding.case.seed.as_deref(),
            };
            match smelt_reduce::reduce(script, source, &options, &mut |_| {}) {
                Ok(reduction) => Ok(Some(reduction).filter(|r| r.confirmed)),
                Err(e) if e.kind() == ReduceErrorKind::Internal => {
                    Err(Error::new(ErrorKind::System, e.to_string()))
                }
                // The finding does not show any more, or not always: the script stays as it is.
                Err(_) => Ok(None),
            }
        };
        match class {
            _ if !class.is_late() => {
                let found = match find(lineup, finding.case) {
                    Ok(found) => found,
                    Err(e) => return Err(Error::new(ErrorKind::System, e.to_string())),
                };
                let fits = |accusing: &[usize]| accusing.iter().all(|i| *i < accused);
                // A false model shows who is wrong; a disagreement does not.
                let settled = |k: &&Keep| k.kind != Kind::Unsound || k.evidence.is_some();
                let of_kind = found.iter().find(|k| k.kind == finding.claim.kind && fits(&k.accused));
                let of_kind = of_kind.filter(settled);
                let in_class = |k: &&Keep| k.kind.class() == class && fits(&k.accused);
                let of_class = || found.iter().filter(in_class).min_by_key(|k| !settled(k));
                match of_kind.or_else(of_class) {
                    Some(keep) => {
                        let script = named(&finding.case.script, &keep.accused);
                        run(&FindingSource::new(lineup, keep), &script)
                    }
                    None => Ok(None),
                }
            }
            _ => {
                let Some(reference) = self.faster(&finding.case.script, solvers, accused)? else {
                    return Ok(None);
                };
                let both = [solvers[0].clone(), solvers[reference].clone()];
                let lineup = Lineup { solvers: &both, limits: wall, is_over: &is_over };
                if class == Class::Unknown {
                    let decided = Expected(vec![OutcomeKind::Sat, OutcomeKind::Unsat]);
                    let expected = vec![Expected(vec![OutcomeKind::Unknown]), decided];
                    return run(&ExpectSource::new(lineup, expected), &finding.case.script);
                }
                run(&SlowSource::new(lineup, Slowness::Ratio(RATIO)), &finding.case.script)
            }
        }
    }

    /// The witness that decides a script fastest.
    fn faster(&self, script: &[u8], solvers: &[NamedSolver], accused: usize) -> Result<Option<usize>, Error> {
        let asked = query(script, PATIENCE);
        let outcomes = self.with(solvers, |panel| panel.ask_all(&asked, Mode::Fresh, |i| i >= accused))?;
        let outcomes = outcomes.into_iter().flatten().enumerate();
        let decided = outcomes.filter_map(|(i, o)| Some((o.filter(is_decided)?.usage.time(), i)));
        Ok(decided.min().map(|(_, i)| i))
    }

    /// A lineup of solvers.
    pub(crate) fn with<T>(&self, solvers: &[NamedSolver], ask: impl FnOnce(&mut Panel<'_>) -> T) -> T {
        ask(&mut Panel::new(Lineup { solvers, limits: self.limits, is_over: &|| self.is_over() }))
    }

    /// Holds a trial of a script on all solvers.
    pub(crate) fn look<'s>(
        &self,
        case: &'s Case,
        solvers: &'s [NamedSolver],
    ) -> Result<Option<Observation<'s>>, Error> {
        let trial = Trial { case, scrutiny: Scrutiny::Exhaust };
        let judged = self.with(solvers, |panel| panel.hold(&trial, Mode::Fresh, |_| true))?;
        Ok(judged.map(|judged| Observation { case, solvers, judged }))
    }

    /// The operator that an accused evaluates wrongly by itself, with that solver; and the operators that all accused
    /// evaluate correctly.
    pub(crate) fn culprit(
        &self,
        observation: &Observation<'_>,
        claim: Option<&Claim>,
        accused: usize,
    ) -> Result<(Option<(usize, Culprit)>, Vec<String>), Error> {
        let check = claim.and_then(|c| c.query).unwrap_or(0);
        let mut case = CaseScript::new(&observation.case.script);
        let mut suspects: Vec<OperatorCheck> = Vec::new();
        let answers = observation.judged.outcomes.iter().flatten().filter_map(|o| o.answers.get(check));
        for model in answers.filter_map(|a| a.model.as_deref()) {
            for suspect in case.operator_checks(check, model) {
                if !suspects.iter().any(|s| s.application == suspect.application) {
                    suspects.push(suspect);
                }
            }
        }
        suspects.truncate(SUSPECTS);
        let who: Vec<usize> = claim.map_or_else(|| (0..accused).collect(), Claim::positions);
        let wrong = |o: &Outcome, right: Verdict| {
            o.comparable && matches!(o.kind.verdict(), Some(v) if v != right && v != Verdict::Unknown)
        };
        let questions = suspects.iter().flat_map(|s| s.questions.iter().map(move |q| (s, q)));
        let questions: Vec<(&OperatorCheck, &(Vec<u8>, Verdict))> = questions.collect();
        let mut cleared: BTreeSet<String> = suspects.iter().map(|s| s.operator.clone()).collect();
        let found = self.with(observation.solvers, |panel| {
            let mut late = 0;
            for i in who {
                for (suspect, (script, right)) in &questions {
                    let asked = Query::new(script.clone()).with_limit(SIMPLE.min(self.limits.time));
                    // First in a live process, then in a fresh one.
                    let quick = panel.ask(i, asked.clone(), Mode::Reuse)?;
                    late += usize::from(quick.as_ref().is_none_or(|o| o.kind == OutcomeKind::Timeout));
                    if late > TOO_LATE || self.is_over() {
                        cleared.clear();
                        return Ok(None);
                    }
                    if !quick.as_ref().is_some_and(|o| o.comparable && o.kind.verdict() == Some(*right)) {
                        cleared.remove(&suspect.operator);
                    }
                    if !quick.is_some_and(|o| wrong(&o, *right)) {
                        continue;
                    }
                    let fresh = panel.ask(i, asked, Mode::Fresh)?;
                    if let Some(fresh) = fresh.filter(|o| wrong(o, *right)) {
                        let culprit = Culprit {
                            operator: suspect.operator.clone(),
                            application: suspect.application.clone(),
                            value: suspect.value.clone(),
                            script: String::from_utf8_lossy(script).into_owned(),
                            spelled: observation.spelled(i, script),
                            answer: fresh.kind,
                            theory: culprit_theory(&suspect.operator, &String::from_utf8_lossy(script)),
                            history: History::default(),
                            command: None,
                        };
                        return Ok::<_, Error>(Some((i, culprit, *right)));
                    }
                }
            }
            Ok(None)
        })?;
        if let Some((who, mut culprit, right)) = found {
            let question = Case::expecting(culprit.script.clone(), Expectation::Known(right));
            let accused = &observation.solvers[who];
            culprit.history = self.releases(&question, Class::Wrong, accused, &[], Vec::new())?;
            return Ok((Some((who, culprit)), Vec::new()));
        }
        Ok((None, cleared.into_iter().collect()))
    }

    /// The construct without which the accused is right.
    fn construct(
        &self,
        observation: &Observation<'_>,
        finding: &Unexamined<'_>,
        claim: Option<&Claim>,
        who: usize,
    ) -> Result<Option<&'static str>, Error> {
        let class = finding.claim.kind.class();
        let (kind, check) = match claim {
            Some(claim) => (claim.kind, claim.query.unwrap_or(0)),
            None if class == Class::Unknown => (finding.claim.kind, 0),
            None => return Ok(None),
        };
        if !class.may_be_of_one_part() && class != Class::Core {
            return Ok(None);
        }
        for variant in desugared(&observation.case.script, check) {
            let case = observation.case.changed(&variant.script);
            let Some(variant_seen) = self.look(&case, observation.solvers)? else { return Ok(None) };
            if variant_seen.corrects(observation, kind, who) {
                return Ok(Some(variant.construct));
            }
        }
        Ok(None)
    }

    /// The accused of an unsettled disagreement whose answer changes without some construct, and the construct: all agree
    /// then, and the meaning is the same.
    fn inconsistent(
        &self,
        observation: &Observation<'_>,
        claim: Option<&Claim>,
    ) -> Result<Option<(usize, &'static str)>, Error> {
        let Some(claim) = claim.filter(|c| c.accused.len() > 1 && c.evidence.is_none()) else {
            return Ok(None);
        };
        for variant in desugared(&observation.case.script, claim.query.unwrap_or(0)) {
            let case = observation.case.changed(&variant.script);
            let Some(variant_seen) = self.look(&case, observation.solvers)? else { return Ok(None) };
            let accused = claim.positions();
            let now = variant_seen.verdict(accused[0]);
            let agree = accused.iter().all(|who| variant_seen.verdict(*who) == now) && now.is_some();
            let changed: Vec<usize> =
                accused.iter().copied().filter(|w| observation.verdict(*w) != now).collect();
            if let ([who], true) = (&changed[..], agree && now != Some(Verdict::Unknown)) {
                return Ok(Some((*who, variant.construct)));
            }
        }
        Ok(None)
    }
}

/// The figures of a reduction.
fn figures(reduction: &Reduction) -> Figures {
    Figures {
        bytes_before: reduction.bytes_before,
        bytes_after: reduction.text.len(),
        checks: reduction.checks,
        wall_s: (reduction.wall.as_secs_f64() * 1e3).round() / 1e3,
        complete: reduction.complete,
    }
}

/// The theory of the arguments of an operator in a script; `None` for operators of the core, which are the same in every
/// theory. Equality is that of its arguments.
pub(crate) fn culprit_theory(operator: &str, script: &str) -> Option<String> {
    let arena = Arena::new();
    let is_core = |op| arena.text(arena.signatures().row(op).theory) == b"Core";
    let name = arena.find_symbol(operator.as_bytes()).filter(|_| operator != "=");
    let is_core = name.is_some_and(|name| arena.signatures().named(name).any(is_core));
    (!is_core).then(|| CaseScript::new(script.as_bytes()).theory())
}

/// A script as smelt writes it; as it is, if it cannot be read.
fn rewritten(script: &[u8]) -> Vec<u8> {
    let mut arena = Arena::new();
    let parsed = parse_script(&mut arena, script);
    parsed.map_or_else(|_| script.to_vec(), |parsed| arena.display_script(&parsed.script))
}
