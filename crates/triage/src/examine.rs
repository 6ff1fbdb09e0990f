//! Examining a finding: reduce it, find the operator at fault, and see where and under what it shows.
//!
//! Everything is done in fresh processes but the search for a small script. Whoever examines can be stopped at any
//! time; then there is no result, and the finding stays as it is.

use smelt_core::{Evidence, Expectation, FindingKind, Outcome, OutcomeKind, SolverId, Verdict};
use smelt_oracle::{Charge, Judgement, Reading, Suspect, fingerprint};
use smelt_reduce::{ErrorKind as ReduceErrorKind, Options, PredicateSource};
use smelt_solvers::{Limits, Query, Session, SessionConfig, Solver};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::class::Class;
use crate::dossier::{Culprit, Dossier, Figures, ModelShown, Needs, Said};
use crate::history::{History, Inquiry, Symptom, Truth, is_slow};
use smelt_trial::predicates::{ExpectSource, Expected, FindingSource, Lineup, SlowSource, Slowness, find};
use smelt_trial::{Contestant, Matter, query, run_fresh, settle_cores, try_case};
use smelt_trial::{Error, ErrorKind};

/// How many solvers are asked beside the accused: one of each family is enough to settle most things.
const WITNESSES: usize = 4;
/// How many times slower than its reference a slow script must stay.
const RATIO: f64 = 10.0;
/// What is slow is given this long at most.
const PATIENCE: Duration = Duration::from_secs(5);
/// How many applications are put to the accused.
const SUSPECTS: usize = 60;

/// What there is to examine with, besides the solvers that a finding was found with.
#[derive(Clone, Debug, Default)]
pub struct Means {
    /// The reference solver, a witness to everything.
    pub reference: Option<Contestant>,
    /// Every installed release of every solver.
    pub releases: Vec<Contestant>,
}

/// How a finding is examined.
#[derive(Clone, Copy, Debug)]
pub struct Examiner<'a> {
    /// What with.
    pub means: &'a Means,
    /// The bounds of one query.
    pub limits: Limits,
    /// Checks at once.
    pub jobs: usize,
    /// How long the search for a small script may take.
    pub time: Duration,
    /// Set by anyone who wants it to stop.
    pub stop: &'a AtomicBool,
}

/// A finding to examine.
#[derive(Clone, Copy, Debug)]
pub struct Patient<'a> {
    /// The script that shows it.
    pub script: &'a [u8],
    /// What went wrong.
    pub kind: FindingKind,
    /// Whose it is; all sides joined by ` / ` where nothing is settled.
    pub solver: &'a SolverId,
    /// Why it is believed.
    pub evidence: Option<Evidence>,
    /// The same in words.
    pub reason: &'a str,
    /// What is known of the answer.
    pub expectation: Expectation,
    /// What the script was made from, if it was made from one.
    pub seed: Option<&'a [u8]>,
    /// Everyone who was asked.
    pub solvers: &'a [Contestant],
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Examination {
    /// The reduced script; `None` where none could be had.
    pub reduced: Option<Vec<u8>>,
    /// What is known now.
    pub dossier: Dossier,
}

/// A script with all that was said to it.
struct Scene<'a> {
    script: &'a [u8],
    solvers: &'a [Contestant],
    outcomes: Vec<Option<Outcome>>,
    judgement: Judgement,
    charges: Vec<Charge>,
}

impl Examiner<'_> {
    /// Examines a finding; `None` when it was stopped on the way.
    pub fn examine(&self, patient: &Patient<'_>) -> Result<Option<Examination>, Error> {
        let (solvers, accused) = self.lineup(patient);
        if accused == 0 {
            let message = format!("{} is not among the solvers that are here", patient.solver);
            return Err(Error::new(ErrorKind::NoSolver, message));
        }
        let class = Class::of(patient.kind);
        let reduction = self.reduce(patient, class, &solvers, accused)?;
        if self.is_over() {
            return Ok(None);
        }
        let small = reduction.as_ref().map(|r| &r.text[..]).filter(|t| t.len() < patient.script.len());
        let script = small.unwrap_or(patient.script);
        let scene = self.look(script, &solvers)?;
        let mine: Vec<usize> = (0..accused).collect();
        let charge = scene.charge(class, patient.kind, &mine);
        let (culprit, cleared) = match class {
            Class::Wrong => self.culprit(&scene, charge, accused)?,
            _ => (None, Vec::new()),
        };
        if self.is_over() {
            return Ok(None);
        }
        // Who gets an operator wrong is wrong, whatever the others say.
        let guilty: Vec<usize> = match (&culprit, charge) {
            (Some((who, _)), _) => vec![*who],
            (None, Some(charge)) => charge.accused.clone(),
            (None, None) => mine,
        };
        let settled = guilty.len() == 1;
        let mut kind = charge.map_or(patient.kind, |c| c.kind);
        let mut evidence = charge.map_or(patient.evidence, |c| c.evidence);
        let mut reason = charge.map_or_else(|| patient.reason.to_owned(), |c| c.reason.to_string());
        if let Some((who, fact)) = &culprit
            && evidence.is_none()
        {
            kind = match scene.verdict(*who) {
                Some(Verdict::Unsat) => FindingKind::RefutationUnsound,
                _ => FindingKind::SolutionUnsound,
            };
            evidence = Some(Evidence::Model);
            reason = format!("{} is {}, and it says otherwise", fact.application, fact.value);
        }
        let first = &solvers[guilty[0]];
        let mut needs = self.needs(&scene, class, guilty[0])?;
        if !settled {
            needs.safe = None;
        }
        let history = if settled {
            self.history(patient, &scene, class, guilty[0], &needs)?
        } else {
            History::default()
        };
        if self.is_over() {
            return Ok(None);
        }
        let culprit = culprit.map(|c| c.1);
        let check = charge.and_then(|c| c.check).unwrap_or(0);
        let mut reading = Reading::new(script);
        let operators = match &culprit {
            Some(culprit) => vec![culprit.operator.clone()],
            None => telling(&reading, class, kind, check),
        };
        let dossier = Dossier {
            fingerprint: scene.fingerprint(class, kind, &guilty, &operators),
            operators,
            cleared,
            kind,
            evidence,
            reason,
            accused: guilty.iter().map(|i| solvers[*i].solver.id().clone()).collect(),
            profile: first.solver.profile().name.clone(),
            theory: reading.theory(),
            said: scene.said(&guilty),
            model: scene.model(&mut reading, charge, check, guilty[0]),
            culprit,
            needs,
            history,
            reduction: reduction.as_ref().filter(|_| small.is_some()).map(|r| Figures {
                bytes_before: r.bytes_before,
                bytes_after: r.text.len(),
                checks: r.checks,
                wall_s: (r.wall.as_secs_f64() * 1e3).round() / 1e3,
                complete: r.complete,
            }),
            differences: reduction
                .as_ref()
                .and_then(|r| r.undo.as_ref())
                .map_or_else(Vec::new, |u| u.differences.clone()),
            smelt: env!("CARGO_PKG_VERSION").parse().ok(),
        };
        Ok(Some(Examination { reduced: small.map(<[u8]>::to_vec), dossier }))
    }

    fn is_over(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The accused first, then witnesses: the reference, and one solver of each other family.
    fn lineup(&self, patient: &Patient<'_>) -> (Vec<Contestant>, usize) {
        let names: BTreeSet<String> = patient.solver.to_string().split(" / ").map(str::to_owned).collect();
        let is_accused = |c: &&Contestant| names.contains(&c.solver.id().to_string());
        let mut list: Vec<Contestant> = patient.solvers.iter().filter(is_accused).cloned().collect();
        let accused = list.len();
        let regression = matches!(Class::of(patient.kind), Class::Unknown | Class::Slow);
        let mut others: Vec<&Contestant> = patient.solvers.iter().filter(|c| !is_accused(c)).collect();
        others.sort_by(|a, b| b.solver.id().version().cmp(&a.solver.id().version()));
        let mut families: BTreeSet<String> = BTreeSet::new();
        if let Some(reference) = &self.means.reference
            && !list.iter().any(|c| c.solver.id() == reference.solver.id())
        {
            list.push(reference.clone());
            families.insert(reference.family().to_owned());
        }
        for other in others {
            // A regression is one against releases of the same solver; nobody else counts.
            let wanted = match regression {
                true => list[..accused].iter().any(|c| c.family() == other.family()),
                false => families.insert(other.family().to_owned()),
            };
            if wanted && list.len() < accused + WITNESSES && !list.iter().any(|c| c.spec == other.spec) {
                list.push(other.clone());
            }
        }
        (list, accused)
    }

    /// A smaller script; `None` where nothing can be kept: its evidence hangs on how it was made.
    fn reduce(
        &self,
        patient: &Patient<'_>,
        class: Class,
        solvers: &[Contestant],
        accused: usize,
    ) -> Result<Option<smelt_reduce::Reduction>, Error> {
        let until = Instant::now() + self.time;
        let lineup = Lineup { solvers, limits: self.limits, stop: self.stop };
        let wall = Limits { wall: PATIENCE.min(self.limits.wall), ..self.limits };
        let run = |source: &dyn PredicateSource| -> Result<Option<smelt_reduce::Reduction>, Error> {
            let time = until.saturating_duration_since(Instant::now());
            let options = Options { jobs: self.jobs, time: Some(time), stop: self.stop, seed: patient.seed };
            match smelt_reduce::reduce(patient.script, source, &options, &mut |_| {}) {
                Ok(reduction) => Ok(Some(reduction).filter(|r| r.confirmed)),
                Err(e) if e.kind() == ReduceErrorKind::Internal => {
                    Err(Error::new(ErrorKind::System, e.to_string()))
                }
                // It does not show any more, or not always: then it stays as it is.
                Err(_) => Ok(None),
            }
        };
        match class {
            Class::Wrong | Class::Core | Class::Crash => {
                let found = match find(lineup, patient.script) {
                    Ok(found) => found,
                    Err(e) => return Err(Error::new(ErrorKind::System, e.to_string())),
                };
                let fits = |accusing: &[usize]| accusing.iter().all(|i| *i < accused);
                let of_kind = found.iter().find(|k| k.kind == patient.kind && fits(&k.accused));
                let of_class = || found.iter().find(|k| Class::of(k.kind) == class && fits(&k.accused));
                match of_kind.or_else(of_class) {
                    Some(keep) => run(&FindingSource::new(lineup, keep)),
                    None => Ok(None),
                }
            }
            Class::Unknown | Class::Slow => {
                let Some(reference) = self.faster(patient.script, solvers, accused)? else { return Ok(None) };
                let both = [solvers[0].clone(), solvers[reference].clone()];
                let lineup = Lineup { solvers: &both, limits: wall, stop: self.stop };
                if class == Class::Unknown {
                    let decided = Expected(vec![OutcomeKind::Sat, OutcomeKind::Unsat]);
                    let expected = vec![Expected(vec![OutcomeKind::Unknown]), decided];
                    return run(&ExpectSource::new(lineup, expected));
                }
                run(&SlowSource::new(lineup, Slowness::Ratio(RATIO)))
            }
        }
    }

    /// A witness that decides a script at once.
    fn faster(&self, script: &[u8], solvers: &[Contestant], accused: usize) -> Result<Option<usize>, Error> {
        let mut best: Option<(Duration, usize)> = None;
        for (i, solver) in solvers.iter().enumerate().skip(accused) {
            let outcome = run_fresh(solver, query(script, PATIENCE), self.limits)?.outcome;
            let decided = matches!(outcome.kind, OutcomeKind::Sat | OutcomeKind::Unsat);
            if decided && best.is_none_or(|b| outcome.usage.wall < b.0) {
                best = Some((outcome.usage.wall, i));
            }
        }
        Ok(best.map(|b| b.1))
    }

    /// Runs a script on everyone and asks the oracle.
    fn look<'s>(&self, script: &'s [u8], solvers: &'s [Contestant]) -> Result<Scene<'s>, Error> {
        let run =
            |c: &Contestant| Ok(Some(run_fresh(c, query(script, self.limits.wall), self.limits)?.outcome));
        let outcomes = solvers.iter().map(run).collect::<Result<Vec<_>, Error>>()?;
        let matter = Matter::open(script);
        let judgement = try_case(solvers, matter, &outcomes, &[]);
        let mut charges = judgement.charges.clone();
        charges.extend(settle_cores(solvers, &judgement, |i, q| {
            run_fresh(&solvers[i], q.with_wall(self.limits.wall), self.limits)
        })?);
        Ok(Scene { script, solvers, outcomes, judgement, charges })
    }

    /// The operator that an accused gets wrong by itself, and who; and the operators that all accused get right.
    fn culprit(
        &self,
        scene: &Scene<'_>,
        charge: Option<&Charge>,
        accused: usize,
    ) -> Result<(Option<(usize, Culprit)>, Vec<String>), Error> {
        let check = charge.and_then(|c| c.check).unwrap_or(0);
        let mut reading = Reading::new(scene.script);
        let mut suspects: Vec<Suspect> = Vec::new();
        let answers = scene.outcomes.iter().flatten().filter_map(|o| o.answers.get(check));
        for model in answers.filter_map(|a| a.model.as_deref()) {
            for suspect in reading.suspects(check, model) {
                if !suspects.iter().any(|s| s.application == suspect.application) {
                    suspects.push(suspect);
                }
            }
        }
        suspects.truncate(SUSPECTS);
        let who = charge.map_or_else(|| (0..accused).collect(), |c| c.accused.clone());
        for i in who {
            let config = SessionConfig { limits: self.limits, ..SessionConfig::default() };
            let mut session = Session::new(scene.solvers[i].solver.clone(), config);
            for suspect in &suspects {
                for (script, right) in &suspect.questions {
                    if self.is_over() {
                        return Ok((None, Vec::new()));
                    }
                    let asked = || Query::new(script.clone()).with_wall(PATIENCE.min(self.limits.wall));
                    let wrong = |o: &Outcome| {
                        o.comparable
                            && matches!(o.kind.verdict(), Some(v) if v != *right && v != Verdict::Unknown)
                    };
                    let quick = session.run(asked())?.outcome;
                    if !wrong(&quick) {
                        continue;
                    }
                    let fresh = run_fresh(&scene.solvers[i], asked(), self.limits)?.outcome;
                    if wrong(&fresh) {
                        let culprit = Culprit {
                            operator: suspect.operator.clone(),
                            application: suspect.application.clone(),
                            value: suspect.value.clone(),
                            script: String::from_utf8_lossy(script).into_owned(),
                            answer: fresh.kind.to_string(),
                        };
                        return Ok((Some((i, culprit)), Vec::new()));
                    }
                }
            }
        }
        let asked: BTreeSet<String> = suspects.into_iter().map(|s| s.operator).collect();
        Ok((None, asked.into_iter().collect()))
    }

    /// Flags, options, and whether it shows without flags and in the setting that maintainers ask about.
    fn needs(&self, scene: &Scene<'_>, class: Class, who: usize) -> Result<Needs, Error> {
        let solver = &scene.solvers[who].solver;
        let profile = solver.profile();
        let mut needs = Needs { options: Reading::new(scene.script).options(), ..Needs::default() };
        if profile.name != "generic" {
            needs.flags = solver.user_args();
        }
        if !needs.flags.is_empty() {
            let plain = self.shows(scene, class, who, solver.clone().without_user_args())?;
            needs.default = Some(plain);
            if plain {
                needs.flags.clear();
            }
        }
        if let (Some(safe), Some(version)) = (&profile.maintainers.safe, solver.id().version())
            && *version >= safe.since
        {
            let careful = solver.clone().without_user_args().with_args(&needs.flags).with_args(&safe.args);
            needs.safe = Some(self.shows(scene, class, who, careful)?);
        }
        Ok(needs)
    }

    /// Whether a script shows a finding of a class with another setting of an accused.
    fn shows(&self, scene: &Scene<'_>, class: Class, who: usize, solver: Solver) -> Result<bool, Error> {
        let mut solvers = scene.solvers.to_vec();
        solvers[who].solver = solver;
        let mut outcomes = scene.outcomes.clone();
        let outcome = run_fresh(&solvers[who], query(scene.script, self.limits.wall), self.limits)?.outcome;
        let seen = match class {
            Class::Unknown => return Ok(outcome.kind == OutcomeKind::Unknown),
            Class::Slow => return Ok(is_slow(&outcome)),
            _ => |c: &Charge| Class::of(c.kind) == class && c.accused.contains(&who),
        };
        outcomes[who] = Some(outcome);
        let matter = Matter::open(scene.script);
        let judgement = try_case(&solvers, matter, &outcomes, &[]);
        if class == Class::Core {
            let cores = settle_cores(&solvers, &judgement, |i, q| {
                run_fresh(&solvers[i], q.with_wall(self.limits.wall), self.limits)
            })?;
            return Ok(cores.iter().any(seen));
        }
        Ok(judgement.charges.iter().any(seen))
    }

    /// Which releases show it.
    fn history(
        &self,
        patient: &Patient<'_>,
        scene: &Scene<'_>,
        class: Class,
        who: usize,
        needs: &Needs,
    ) -> Result<History, Error> {
        let solver = &scene.solvers[who].solver;
        let profile = &solver.profile().name;
        let mut releases: Vec<&Contestant> =
            self.means.releases.iter().filter(|c| c.solver.profile().name == *profile).collect();
        if releases.is_empty() {
            return Ok(History::default());
        }
        if !releases.iter().any(|c| c.solver.id().version() == solver.id().version()) {
            releases.push(&scene.solvers[who]);
        }
        let truth = match patient.expectation {
            Expectation::Sat if scene.script == patient.script => Truth::Made(Verdict::Sat),
            Expectation::Unsat if scene.script == patient.script => Truth::Made(Verdict::Unsat),
            _ => Truth::Open,
        };
        let others = scene.solvers.iter().filter(|c| c.solver.profile().name != *profile).cloned();
        let symptom = Symptom::Class(class);
        let mut inquiry = Inquiry::new(scene.script, truth, symptom, others.collect(), self.limits);
        for release in releases {
            let mut release = release.clone();
            release.solver = release.solver.without_user_args().with_args(&needs.flags);
            inquiry.add(release);
        }
        inquiry.ask_all(&|| self.is_over())?;
        Ok(inquiry.history())
    }
}

impl Scene<'_> {
    /// The charge of a class against some of the accused: of the kind that was found, where there is one.
    fn charge(&self, class: Class, kind: FindingKind, accused: &[usize]) -> Option<&Charge> {
        let fits = |c: &&Charge| Class::of(c.kind) == class && c.accused.iter().all(|i| accused.contains(i));
        let mut fitting: Vec<&Charge> = self.charges.iter().filter(fits).collect();
        fitting.sort_by_key(|c| (c.kind != kind, c.evidence.is_none(), c.evidence));
        fitting.first().copied()
    }

    fn verdict(&self, who: usize) -> Option<Verdict> {
        self.outcomes[who].as_ref()?.verdicts().last().flatten()
    }

    fn said(&self, guilty: &[usize]) -> Vec<Said> {
        let all = self.solvers.iter().zip(&self.outcomes).enumerate();
        all.filter_map(|(i, (c, outcome))| {
            let outcome = outcome.as_ref()?;
            let several = outcome.answers.len() > 1;
            let words = outcome.verdicts().map(|v| v.map_or("error", Verdict::as_str).to_owned());
            let message = outcome.message.as_deref().or(outcome.crash.as_ref().map(|c| c.message.as_str()));
            Some(Said {
                solver: c.solver.id().clone(),
                command: c.solver.portable_command("bug.smt2", self.script),
                outcome: outcome.kind,
                answers: words.filter(|_| several).collect(),
                message: message.map(|m| m.chars().take(1000).collect()),
                accused: guilty.contains(&i),
            })
        })
        .collect()
    }

    /// The model that shows it, evaluated: of a witness for a wrong unsat, of the accused for a wrong model.
    fn model(
        &self,
        reading: &mut Reading,
        charge: Option<&Charge>,
        check: usize,
        accused: usize,
    ) -> Option<ModelShown> {
        let whose = match charge?.reason {
            smelt_oracle::Reason::Proof { .. } => (0..self.solvers.len()).find(|i| {
                let report = self.judgement.models.get(*i).and_then(|m| m.get(check)?.as_ref());
                report.is_some_and(|r| r.truth == smelt_oracle::Truth::True)
            })?,
            _ => accused,
        };
        let text = self.outcomes[whose].as_ref()?.answers.get(check)?.model.clone()?;
        let assertions = reading.assess(check, &text);
        let assertions = assertions.into_iter().map(|(t, truth)| (t, truth.as_str().to_owned())).collect();
        Some(ModelShown { solver: self.solvers[whose].solver.id().clone(), text, assertions })
    }

    fn fingerprint(&self, class: Class, kind: FindingKind, guilty: &[usize], operators: &[String]) -> String {
        let name = |i: &usize| {
            let solver = &self.solvers[*i].solver;
            match solver.profile().name.as_str() {
                "generic" => fingerprint::plain(solver.id().name()),
                known => known.to_owned(),
            }
        };
        let names: BTreeSet<String> = guilty.iter().map(name).collect();
        let names = names.into_iter().collect::<Vec<_>>().join("&");
        let word = match (class, operators) {
            (Class::Wrong, []) if kind == FindingKind::InvalidModel => "model".to_owned(),
            _ => fingerprint::word(operators),
        };
        let crash = guilty.first().and_then(|i| self.outcomes[*i].as_ref()?.crash.as_ref());
        match crash.filter(|_| class == Class::Crash) {
            Some(crash) if fingerprint::is_placed(crash) => fingerprint::of_crash(&names, crash),
            Some(crash) => format!("{}/{word}", fingerprint::of_crash(&names, crash)),
            None => format!("{names}/{}/{word}", class.as_str()),
        }
    }
}

/// The operators that tell most about a script. That a model or a core is wrong hangs on none in a formula without
/// functions.
fn telling(reading: &Reading, class: Class, kind: FindingKind, check: usize) -> Vec<String> {
    let (operators, is_function) = reading.telling(check);
    match class == Class::Core || kind == FindingKind::InvalidModel {
        true if !is_function => Vec::new(),
        _ => operators,
    }
}
