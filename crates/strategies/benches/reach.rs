//! What mutants are worth and cost: how many of them a solver's simplifier decides alone, how many of a chain differ, and
//! how many are made in a second.
//!
//! ```text
//! cargo bench -p smelt-strategies --bench reach -- [--part I/N] [--only NAME]..
//!     [--skip shares|chains|speed].. [--mutants N] [--z3 PROGRAM] [--dump FOLDER] [FOLDER]
//! ```
//! Seeds are the scripts of a folder (`seeds` of the corpus), or those of its parts by the hash of their text, so that what is tuned
//! on one part is measured on another. A script is decided if `(apply simplify)`, given two seconds, leaves an empty goal or `false` at each of
//! its queries. Speeds are mutants in a second of CPU time of this thread, with all tables made.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use smelt_core::{SeedHash, Verdict};
use smelt_strategies::{
    CaseRequest, Draft, Needs, OptionText, Pool, Recipe, SeedId, Strategy, case_number, case_seed, rows,
    strategy,
};

/// What is asked for on the command line.
struct Settings {
    folder: PathBuf,
    part: (u64, u64),
    only: Vec<String>,
    skip: Vec<String>,
    mutants: u64,
    z3: String,
    dump: Option<PathBuf>,
}

/// Seeds of chains: as many as in the line that chains are held to.
const CHAIN_SEEDS: usize = 38;
/// The steps of a chain.
const STEPS: u64 = 100;
/// Cases of a way without seeds.
const UNSEEDED: u64 = 300;
/// How much CPU time a speed is measured for, in nanoseconds.
const MEASURED: u64 = 3_000_000_000;
/// Seeds of speeds: few enough that a strategy keeps the tables of all.
const SPEED_SEEDS: usize = 40;

/// The lines that speeds are held to, one step each.
const SPEEDS: &[(&str, &str, u64)] = &[
    ("operator", "", 300_000),
    ("generative", "", 150_000),
    ("fusion", "", 20_000),
    ("skeleton", "", 80_000),
    ("skeleton", "form=written", 80_000),
    ("weaken", "", 40_000),
    ("weaken", "steps=6", 5_000),
];

fn main() {
    let settings = Settings::read();
    let (mut pool, seeds) = settings.seeds();
    println!("{} seeds of part {}/{}", seeds.len(), settings.part.0, settings.part.1);
    let does = |what: &str| settings.skip.iter().all(|s| s != what);
    if does("chains") {
        chains(&settings, &mut pool, &seeds);
    }
    if does("shares") {
        shares(&settings, &mut pool, &seeds);
    }
    if does("speed") {
        speeds(&settings, &mut pool, &seeds);
    }
}

impl Settings {
    fn read() -> Settings {
        let mut settings = Settings {
            folder: smelt_testing::corpus_folder("seeds"),
            part: (0, 8),
            only: Vec::new(),
            skip: Vec::new(),
            mutants: 2,
            z3: "z3".to_owned(),
            dump: None,
        };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap_or_else(|| panic!("{word} has a value"));
            match &*word {
                "--part" => {
                    let text = value();
                    let (i, n) = text.split_once('/').expect("--part is I/N");
                    settings.part = (i.parse().expect("a number"), n.parse().expect("a number"));
                }
                "--only" => settings.only.push(value()),
                "--skip" => settings.skip.push(value()),
                "--mutants" => settings.mutants = value().parse().expect("a number"),
                "--z3" => settings.z3 = value(),
                "--dump" => settings.dump = Some(value().into()),
                folder => settings.folder = folder.into(),
            }
        }
        settings
    }

    /// Whether a strategy is looked at.
    fn has(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|n| n == name)
    }

    /// The seeds of the part, with the status that their folder states.
    fn seeds(&self) -> (Pool, Vec<SeedId>) {
        let mut pool = Pool::new();
        let mut ids = Vec::new();
        for file in smelt_testing::scripts_below(&self.folder) {
            let text = std::fs::read(&file).expect("a readable file");
            if SeedHash::of(&text).0 % self.part.1 != self.part.0 {
                continue;
            }
            let status = match file.parent().and_then(|p| p.file_name()).and_then(|n| n.to_str()) {
                Some("sat") => Some(Verdict::Sat),
                Some("unsat") => Some(Verdict::Unsat),
                _ => None,
            };
            ids.extend(pool.add(&file.display().to_string(), &text, status));
        }
        (pool, ids)
    }
}

/// A share of some scripts.
#[derive(Clone, Copy, Default)]
struct Share {
    of: u64,
    decided: u64,
}

impl Share {
    fn percent(self) -> f64 {
        100.0 * self.decided as f64 / self.of.max(1) as f64
    }

    fn add(&mut self, other: Share) {
        self.of += other.of;
        self.decided += other.decided;
    }
}

/// A script with a goal instead of each query.
fn applied(script: &[u8]) -> String {
    let mut text = String::new();
    for line in String::from_utf8_lossy(script).lines() {
        if line.starts_with("(check-sat") {
            text.push_str("(apply (try-for simplify 2000))\n");
        } else if !line.starts_with("(get-") && !line.starts_with("(exit") {
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// For each script, whether the simplifier decides all its queries; `None` if the solver refuses it or ends at it.
fn decided(z3: &str, scripts: &[Vec<u8>]) -> Vec<Option<bool>> {
    let mut verdicts = Vec::new();
    while verdicts.len() < scripts.len() {
        let output = replies(z3, &scripts[verdicts.len()..]);
        let mut all: Vec<&str> = output.split("smelt-next").collect();
        all.pop();
        verdicts.extend(all.iter().map(|reply| verdict(reply)));
        if verdicts.len() < scripts.len() {
            verdicts.push(None);
        }
    }
    verdicts
}

/// What the solver prints of scripts, until it ends.
fn replies(z3: &str, scripts: &[Vec<u8>]) -> String {
    let mut child = Command::new(z3)
        .args(["-in", "-memory:2000"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("z3 runs");
    let mut input = child.stdin.take().expect("a pipe");
    let texts: Vec<String> = scripts.iter().map(|script| applied(script)).collect();
    let writer = std::thread::spawn(move || {
        texts.iter().all(|text| write!(input, "{text}\n(echo \"smelt-next\")\n(reset)\n").is_ok())
    });
    let output = child.wait_with_output().expect("output");
    let _ = writer.join();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether each goal in a reply is empty or false.
fn verdict(reply: &str) -> Option<bool> {
    let goals: Vec<&str> = reply.split("(goal\n").skip(1).collect();
    if reply.contains("(error") || goals.is_empty() {
        return None;
    }
    let is_decided = |goal: &&str| {
        let goal = goal.trim_start();
        goal.starts_with(":precision") || goal.starts_with("false")
    };
    Some(goals.iter().all(is_decided))
}

/// The table of shares: each strategy in all ways in which campaigns use it.
fn shares(settings: &Settings, pool: &mut Pool, seeds: &[SeedId]) {
    if Command::new(&settings.z3).arg("-version").stdout(Stdio::null()).status().is_err() {
        return println!("left out: shares need {}", settings.z3);
    }
    let texts: Vec<Vec<u8>> = seeds.iter().map(|&seed| pool.seed(seed).text().to_vec()).collect();
    let of_seeds: BTreeMap<SeedId, bool> = seeds
        .iter()
        .zip(decided(&settings.z3, &texts))
        .filter_map(|(&seed, decided)| Some((seed, decided?)))
        .collect();
    let dead = of_seeds.values().filter(|d| **d).count() as u64;
    let all = Share { of: of_seeds.len() as u64, decided: dead };
    println!("decided by simplification alone: seeds {:.1} % of {}", all.percent(), all.of);
    for row in rows().filter(|row| settings.has(row.name)) {
        let mut made = Share::default();
        for mut way in (Recipe { row, options: OptionText::default() }).ways().expect("ways") {
            let options = way.strategy.options();
            let (scripts, from) = cases(settings, pool, seeds, &mut *way.strategy, row.needs);
            let verdicts = decided(&settings.z3, &scripts);
            let (mut here, mut base, mut refused) = (Share::default(), Share::default(), 0);
            for (i, verdict) in verdicts.iter().enumerate() {
                let Some(is_decided) = *verdict else {
                    refused += 1;
                    continue;
                };
                here.add(Share { of: 1, decided: u64::from(is_decided) });
                let seed = from[i].and_then(|seed| of_seeds.get(&seed).copied());
                base.add(Share { of: u64::from(seed.is_some()), decided: u64::from(seed == Some(true)) });
                if let (true, Some(folder)) = (is_decided && seed != Some(true), &settings.dump) {
                    let name = format!("{}-{}-{i}.smt2", row.name, options.replace([' ', '='], "_"));
                    std::fs::create_dir_all(folder).expect("a folder");
                    std::fs::write(folder.join(name), &scripts[i]).expect("a file");
                }
            }
            let (share, seed) = (here.percent(), base.percent());
            println!(
                "  {:4.1} % of {:5} (seeds {seed:4.1} %, refused {refused}) {}:{options}",
                share, here.of, row.name
            );
            made.add(here);
        }
        let (line, share) = match row.needs.seeds() {
            true => (1.3 * all.percent(), made.percent()),
            false => (15.0, made.percent()),
        };
        let word = if share <= line { "holds" } else { "SHORT" };
        println!("{word} {share:4.1} % of {} {}, line {line:.1} %", made.of, row.name);
    }
}

/// Cases of one way, each with its seed.
fn cases(
    settings: &Settings,
    pool: &mut Pool,
    seeds: &[SeedId],
    strategy: &mut dyn Strategy,
    needs: Needs,
) -> (Vec<Vec<u8>>, Vec<Option<SeedId>>) {
    let (mut scripts, mut from, mut draft) = (Vec::new(), Vec::new(), Draft::default());
    let name = strategy.name();
    let requests: Vec<(Option<SeedId>, u64)> = match needs.seeds() {
        true => (0..settings.mutants)
            .flat_map(|round| seeds.iter().enumerate().map(move |(i, s)| (Some(*s), round << 32 | i as u64)))
            .map(|(seed, index)| (seed, case_seed(1, name, index)))
            .collect(),
        // Numbered cases: half of them the first, the others spread over all.
        false => match strategy.total() {
            Some(total) => {
                let far = total.min(1 << 40) / UNSEEDED;
                (0..UNSEEDED).map(|i| (None, if i % 2 == 0 { i } else { i * far })).collect()
            }
            None => (0..UNSEEDED).map(|i| (None, case_seed(1, name, i))).collect(),
        },
    };
    for (seed, number) in requests {
        let seeds: Vec<SeedId> = seed.into_iter().collect();
        if strategy.next(pool, &CaseRequest { seeds: &seeds, number }, &mut draft).is_ok() {
            let steps = String::from_utf8_lossy(&draft.log).replace('\n', "\n; ");
            let script = [&draft.text[..], b"\n; ", steps.as_bytes(), b"\n"].concat();
            scripts.push(script);
            from.push(seed);
        }
    }
    (scripts, from)
}

/// How many mutants of chains differ, where every step is a mutant.
fn chains(settings: &Settings, pool: &mut Pool, seeds: &[SeedId]) {
    // Spread over the part.
    let step = (seeds.len() / CHAIN_SEEDS).max(1);
    for (name, line) in [("operator", 90.0), ("generative", 80.0)] {
        if !settings.has(name) {
            continue;
        }
        let mut chain = strategy(name, "steps=100 every-step=yes", &Default::default()).expect("options");
        let (mut asked, mut made, mut distinct) = (0, 0, 0);
        for &seed in seeds.iter().step_by(step).take(CHAIN_SEEDS) {
            let (mut texts, mut draft) = (HashSet::new(), Draft::default());
            let mut here = 0;
            for index in 0..STEPS {
                let number = case_number(1, name, chain.chain(), index);
                asked += 1;
                if chain.next(pool, &CaseRequest { seeds: &[seed], number }, &mut draft).is_ok() {
                    let body = draft.text.splitn(2, |b| *b == b'\n').nth(1).unwrap_or_default();
                    here += 1;
                    texts.insert(SeedHash::of(body));
                }
            }
            if texts.len() < 90 {
                println!("  {name}: {} distinct of {here} made of {}", texts.len(), pool.seed(seed).name);
            }
            made += here;
            distinct += texts.len();
        }
        let share = 100.0 * distinct as f64 / f64::from(asked.max(1));
        let word = if share >= line { "holds" } else { "SHORT" };
        println!(
            "{word} {share:.1} % of {asked} steps of {name} are distinct mutants ({made} made), line {line} %"
        );
    }
}

/// CPU time of this thread, in nanoseconds.
fn cpu_time() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    text.split_whitespace().next().and_then(|n| n.parse().ok()).expect("a number")
}

/// Mutants in a second of CPU time.
fn speeds(settings: &Settings, pool: &mut Pool, seeds: &[SeedId]) {
    for &(name, options, line) in SPEEDS.iter().filter(|row| settings.has(row.0)) {
        let mut strategy = strategy(name, options, &Default::default()).expect("options");
        let mut draft = Draft::default();
        let mut index = 0;
        let mut make = |pool: &mut Pool, seed| {
            index += 1;
            let request = CaseRequest { seeds: &[seed], number: case_seed(1, name, index) };
            let made = strategy.next(pool, &request, &mut draft).is_ok();
            std::hint::black_box(&draft.text);
            made
        };
        // Tables of seeds are made on first use.
        let usable = seeds.iter().copied().filter(|&seed| (0..4).any(|_| make(pool, seed)));
        let usable: Vec<SeedId> = usable.collect();
        let step = usable.len().div_ceil(SPEED_SEEDS).max(1);
        let usable: Vec<SeedId> = usable.into_iter().step_by(step).collect();
        usable.iter().for_each(|&seed| (0..8).for_each(|_| _ = make(pool, seed)));
        let (start, mut mutants) = (cpu_time(), 0u64);
        let mut spent = 0;
        while spent < MEASURED && !usable.is_empty() {
            mutants += usable.iter().filter(|&&seed| make(pool, seed)).count() as u64;
            spent = cpu_time() - start;
        }
        let speed = (mutants as f64 / (spent.max(1) as f64 / 1e9)) as u64;
        let word = if speed >= line { "holds" } else { "SHORT" };
        println!(
            "{word} {speed:7} mutants a second: {name}:{options} on {} seeds, line {line}",
            usable.len()
        );
    }
}
