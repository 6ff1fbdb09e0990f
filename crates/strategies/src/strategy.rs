//! The plug-in point: a strategy makes the next case, or gives a reason why it made none.

use std::collections::BTreeMap;

use smelt_core::{Case, Certificate, Expectation, Provenance};

use crate::options::OptionText;
use crate::pool::{Pool, SeedId};

/// Makes test cases, from seeds or without seeds.
///
/// The same request on the same seeds, with the files of the case's provenance, gives the same bytes, whatever was made
/// before and whatever else is in the pool; only choosing partners looks at the whole pool, so a request that names them can
/// be made again elsewhere.
pub trait Strategy: Send {
    /// Its name in the registry.
    fn name(&self) -> &'static str;

    /// Its options in one `word=value` each, as its row reads them back.
    fn options(&self) -> String;

    /// Makes a case into `draft`, which is cleared first.
    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip>;

    /// How many cases there are, if they are numbered from 0. `None` if any number makes one.
    fn total(&self) -> Option<u64> {
        None
    }

    /// Whether numbers are passed over because simplification alone decides their cases.
    fn leaves_out_decided(&self) -> bool {
        false
    }

    /// How many numbers in a row, from a multiple of this on, make the steps of one chain; 1 without chains.
    fn chain(&self) -> u32 {
        1
    }

    /// Whether cases are numbered. Cheap, where counting them is not.
    fn is_finite(&self) -> bool {
        self.total().is_some()
    }

    /// The layer that case `number` is in, for strategies that go through all cases by size. Completing a layer is a
    /// result of its own.
    fn layer(&mut self, _number: u64) -> Option<Layer> {
        None
    }

    /// Counts from now on what is too costly to count always.
    fn count(&mut self) {}

    /// Counts by name, for `smelt generate`, and what they count.
    fn statistics(&self) -> Option<(&'static str, Vec<(String, u64)>)> {
        None
    }
}

/// What to make a case from.
#[derive(Clone, Copy, Debug)]
pub struct CaseRequest<'a> {
    /// The seed, and its partners; without partners, a strategy that mixes chooses them at random from the pool. Empty
    /// for strategies that need no seeds.
    pub seeds: &'a [SeedId],
    /// What the random choices start from, see [`crate::case_seed`]; or the number of the case.
    pub number: u64,
}

impl CaseRequest<'_> {
    /// The seed.
    pub fn seed(&self) -> Result<SeedId, Skip> {
        self.seeds.first().copied().ok_or(Skip::NoSeed)
    }

    /// The first partner, if one is named.
    pub fn partner(&self) -> Option<SeedId> {
        self.seeds.get(1).copied()
    }
}

/// All cases of one size, which follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layer {
    /// The size.
    pub size: u64,
    /// The number of the first case.
    pub from: u64,
    /// The number after the last.
    pub to: u64,
}

/// A case that was just made. One draft is used for many cases; nothing is allocated once it has grown.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The text of the script.
    pub text: Vec<u8>,
    /// What is known about its answer.
    pub expectation: Expectation,
    /// The same for each query, where they differ; else empty.
    pub each: Vec<Expectation>,
    /// The seeds that went in.
    pub seeds: Vec<SeedId>,
    /// What was done, one line for each step.
    pub log: Vec<u8>,
    /// The script one step before, for strategies whose steps imply each other; else empty.
    pub before: Vec<u8>,
    /// A model of the script, as a solver would print it, where the strategy has one; else empty.
    pub witness: Vec<u8>,
    /// Contents of files that the case depends on besides those of the strategy's options, by option.
    pub files: BTreeMap<String, String>,
    /// The kind of case that it is, where the strategy makes several; else empty.
    pub category: String,
    /// The names of assertions that contradict each other, where the strategy knows some.
    pub core: Vec<String>,
    /// For names of the core, a model of all other assertions. If each has one, there is no other minimal core.
    pub models_without: Vec<(String, String)>,
}

impl Draft {
    pub(crate) fn clear(&mut self) {
        let take = |old: &mut Vec<u8>| {
            old.clear();
            std::mem::take(old)
        };
        let (text, log, before) = (take(&mut self.text), take(&mut self.log), take(&mut self.before));
        *self = Draft { text, log, before, ..Draft::default() };
    }

    /// Begins a case that is made from a seed.
    pub fn start(&mut self, seed: SeedId) {
        self.clear();
        self.seeds.push(seed);
    }

    /// Writes the comment that opens every case.
    pub fn header(&mut self, pool: &Pool, strategy: &str, options: &str, number: u64) {
        use std::io::Write;
        let _ = write!(self.text, "; smelt strategy={strategy}");
        for (i, &seed) in self.seeds.iter().enumerate() {
            let _ = write!(self.text, "{}{}", if i == 0 { " seed=" } else { "," }, pool.seed(seed).hash);
        }
        let _ = writeln!(self.text, " rng={number:016x} {options}");
    }

    fn certificate(&self) -> Certificate {
        match (&self.witness[..], &self.core[..]) {
            ([], []) => Certificate::None,
            ([], names) => Certificate::Core { names: names.to_vec(), without: self.models_without.clone() },
            (model, _) => Certificate::Model(String::from_utf8_lossy(model).into_owned()),
        }
    }

    /// The case: by which strategy, with which options, from which number. Everything that the strategy knows is in it.
    pub fn to_case(&self, pool: &Pool, strategy: &dyn Strategy, options: &OptionText, number: u64) -> Case {
        let files = options.files().iter().chain(&self.files);
        let provenance = Provenance {
            seeds: self.seeds.iter().map(|&s| pool.seed(s).hash).collect(),
            strategy: strategy.name().to_owned(),
            options: strategy.options(),
            files: files.map(|(n, t)| (n.clone(), t.clone())).collect(),
            rng: number,
            steps: String::from_utf8_lossy(&self.log).lines().map(str::to_owned).collect(),
        };
        // A relation is about the first seed; others only lent expressions.
        let is_related = |e: &Expectation| matches!(e, Expectation::Related(_));
        let has_relation = is_related(&self.expectation) || self.each.iter().any(is_related);
        let seed = match (&self.seeds[..], has_relation) {
            ([seed], _) | ([seed, ..], true) => Some(pool.seed(*seed).text().to_vec()),
            _ => None,
        };
        let whole = Case::expecting(self.text.clone(), self.expectation);
        let expectations = if self.each.is_empty() { whole.expectations } else { self.each.clone() };
        Case {
            expectations,
            certificate: self.certificate(),
            seed,
            before: (!self.before.is_empty()).then(|| self.before.clone()),
            provenance,
            ..Case::open(whole.script)
        }
    }
}

/// Why no case was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum Skip {
    /// The strategy needs a seed.
    #[error("a seed is needed")]
    NoSeed,
    /// No place in the seed can be changed.
    #[error("no place in the seed can be changed")]
    NothingToChange,
    /// The seed has no `:status`, and the strategy needs one.
    #[error("the status of the seed is not known")]
    UnknownStatus,
    /// It has no `check-sat`, or several, or a stack of assertions.
    #[error("the seed does not ask exactly one query of a flat list of assertions")]
    NotOneQuery,
    /// It holds what the strategy cannot carry over: unknown commands, sorts or theories.
    #[error("the seed uses commands, sorts or theories that cannot be fused")]
    Unsupported,
    /// A variable bound in it would capture names the strategy puts in.
    #[error("a variable bound in the seed would capture a new name")]
    Capture,
    /// No other seed fits.
    #[error("no other seed fits")]
    NoPartner,
    /// Both seeds may depend on an operator that SMT-LIB leaves open for some arguments.
    #[error("both seeds may depend on an operator that the standard leaves partly undefined")]
    SharedGap,
    /// No logic that solvers know by name has all that both seeds use.
    #[error("no known logic contains everything that both seeds use")]
    NoLogic,
    /// No fusion function fits the variables of both.
    #[error("no fusion function fits variables of both seeds")]
    NoFunction,
    /// The status that it would be made with is refuted by a model: a mistake of smelt or of the user's rules.
    #[error("a model contradicts its expected status")]
    Refuted,
    /// No model of the seed is known, and the built-in solver finds none.
    #[error("no model of the seed is known")]
    NoModel,
    /// The model satisfies no change that was tried.
    #[error("the model of the seed satisfies none of the tried changes")]
    ModelLost,
    /// Every change that was tried repeats an earlier mutant of the chain, or leaves nothing to test.
    #[error("every tried change repeats an earlier mutant or leaves nothing to test")]
    Repeats,
    /// Simplification alone decides the formula, and the options leave such formulas out.
    #[error("simplification alone decides the formula, and `decided=skip` leaves it out")]
    Decided,
    /// The number is not below the number of cases.
    #[error("there are no more cases")]
    NoMoreCases,
}

impl Skip {
    /// Whether the strategy will never make anything of the seed.
    pub fn is_final(self) -> bool {
        use Skip::{NoModel, NotOneQuery, NothingToChange, UnknownStatus, Unsupported};
        matches!(self, NothingToChange | UnknownStatus | NotOneQuery | Unsupported | NoModel)
    }
}
