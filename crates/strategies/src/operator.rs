//! Type-aware operator mutation: replaces an operator by one with a compatible signature.
//!
//! For each seed, the compatible operators of each application and each quantifier are computed once from the
//! signature table; the script's own functions and constructors are replaced too. The sorts of all terms stay the
//! same, so steps are independent, and a mutant is the seed's text with some heads replaced. Most steps introduce
//! an operator that the seed does not have, if there is one. In chains, if operators give few
//! mutants, as in a seed of one equation, constants and literals are replaced too.

mod functions;
mod leaves;

use std::collections::{HashMap, HashSet};

use smelt_smtlib::occurrence::Occurrence;
use smelt_smtlib::{Arena, Index, Op, Sort, Symbol, Term, View, sym};

use crate::alive::{Alive, Life};
use crate::gate::{Classes, Gate, is_awkward};
use crate::options::{self, Chain, OptionError, OptionText};
use crate::per_seed::PerSeed;
use crate::pool::{Edits, Pool, Seed, SeedId};
use crate::registry::{Needs, Row};
use crate::rng::Rng;
use crate::strategy::{CaseRequest, Draft, Skip, Strategy};
use functions::Functions;
use leaves::Leaves;

/// The row of the registry.
pub(crate) const ROW: Row = Row {
    name: "operator",
    aliases: &["opfuzz"],
    about: "replace operators and quantifiers by others with a compatible signature",
    needs: Needs::Seeds,
    options: &[options::STEPS, options::EVERY_STEP, options::LOGIC, options::RECENT, options::CLASSES],
    ways: options::steps_and_logic_ways,
    make: |o| Ok(Box::new(Operator::new(o)?)),
};

/// The strategy `operator`.
#[derive(Debug)]
pub(crate) struct Operator {
    chain: Chain,
    wide: bool,
    classes: Classes,
    /// By seed, once it was used.
    tables: PerSeed<Table>,
    alive: Alive,
    edits: Edits,
    /// The steps of a single-step case.
    chosen: Vec<Choice>,
    /// The chain that the last case was of.
    kept: Kept,
}

/// A chain in the making, so that its next case costs one step.
#[derive(Debug, Default)]
struct Kept {
    /// The seed, and what the random choices started from.
    of: Option<(SeedId, u64)>,
    chosen: Vec<Choice>,
    /// All choices that there were, in order of their sites.
    seen: HashSet<Vec<Choice>>,
    /// Steps that were tried, and those that changed something.
    tried: u32,
    done: u32,
    rng: Option<Rng>,
    log: Vec<u8>,
}

/// What can be exchanged in a seed.
#[derive(Debug, Default)]
pub(crate) struct Table {
    /// Places with something to choose, and which choice.
    sites: Vec<(u32, u32)>,
    /// The heads of each choice, the seed's own first.
    choices: Vec<Vec<Box<[u8]>>>,
    /// By choice, the heads that stand nowhere in the seed.
    new: Vec<Box<[u32]>>,
    /// The sites that have some.
    new_sites: Vec<u32>,
    /// Every application and quantifier.
    heads: Vec<Occurrence>,
    /// By site: the command, and where the whole term of it is in the seed's text.
    roots: Vec<(u32, u32, u32)>,
}

/// One in this many steps may choose any head; the others choose one that the seed does not have, where there is one.
const ANY: usize = 8;
/// How many exchanges are tried in one step of a chain; half of them choose as a single step does, the others any head.
const TRIES: usize = 32;

/// Where operators and functions give fewer mutants, chains exchange constants and literals as well.
const FEW: u64 = 200;

/// Which site, and which of its heads.
pub(crate) type Choice = (u32, u32);

/// What a choice depends on besides the seed: the head, and the arguments as far as they matter.
type Key = (Symbol, Option<Op>, Vec<u32>);

impl Operator {
    /// With these options.
    pub(crate) fn new(options: &OptionText) -> Result<Operator, OptionError> {
        Ok(Operator {
            chain: Chain::of(options, u32::MAX)?,
            wide: options.choice("logic", false, options::LOGICS)?,
            classes: Classes::of(options)?,
            tables: PerSeed::default(),
            alive: Alive::default(),
            edits: Edits::default(),
            chosen: Vec::new(),
            kept: Kept::default(),
        })
    }
}

impl Strategy for Operator {
    fn name(&self) -> &'static str {
        "operator"
    }

    fn options(&self) -> String {
        self.chain
            .words()
            .add_if(self.wide, "logic", "all")
            .add_if(self.classes.recent, "recent", "yes")
            .text()
    }

    fn chain(&self) -> u32 {
        self.chain.numbers()
    }

    fn next(&mut self, pool: &mut Pool, request: &CaseRequest<'_>, draft: &mut Draft) -> Result<(), Skip> {
        let seed = request.seed()?;
        let id = if self.wide { pool.twin(seed) } else { seed };
        let is_chain = !self.chain.is_single();
        let table = self.tables.get_or_make(pool, id, |pool| {
            let (arena, seed) = pool.parts(id);
            let mut table = Table::new(arena, seed, &self.classes);
            if is_chain && table.mutants() < FEW {
                Leaves::new(arena, seed).add_to(&mut table);
                table.find_new(seed);
            }
            table
        });
        if table.is_empty() {
            return Err(Skip::NothingToChange);
        }
        let (start, steps) = self.chain.split(request.number);
        draft.start(seed);
        if self.chain.is_single() {
            self.chosen.clear();
            table.exchange(&mut self.chosen, &mut Rng::new(start), &mut draft.log);
        } else {
            self.steps(pool, id, start, steps)?;
            self.chosen.clone_from(&self.kept.chosen);
            draft.log.extend_from_slice(&self.kept.log);
        }
        let (table, seed) = (&self.tables[id], pool.seed(id));
        self.edits.clear();
        for &choice in &self.chosen {
            table.edit(seed, choice, &mut self.edits);
        }
        draft.header(pool, "operator", &self.options(), request.number);
        let seed = pool.seed(id);
        self.edits.apply(&seed.text, 0..seed.text.len() as u32, &mut draft.text);
        Ok(())
    }
}

impl Operator {
    /// Takes steps of a chain until there are this many; those of the last case are not taken again.
    fn steps(&mut self, pool: &mut Pool, id: SeedId, start: u64, steps: u32) -> Result<(), Skip> {
        let mut life = self.alive.begin(pool, id);
        let (arena, seed) = pool.parts(id);
        let kept = &mut self.kept;
        let mut step = ChainStep {
            table: &self.tables[id],
            seed,
            arena,
            alive: &mut self.alive,
            life: &mut life,
            edits: &mut self.edits,
        };
        if kept.of == Some((id, start)) && kept.tried < steps {
            step.resume(&kept.chosen);
        } else {
            *kept = Kept { of: Some((id, start)), rng: Some(Rng::new(start)), ..Kept::default() };
            kept.seen.insert(Vec::new());
        }
        let mut done = false;
        while kept.tried < steps {
            done = step.take(kept);
            kept.tried += 1;
            kept.done += u32::from(done);
        }
        self.alive.end(arena, life);
        match (kept.done, done || self.chain.numbers() == 1) {
            (0, _) => Err(Skip::NothingToChange),
            (_, false) => Err(Skip::Repeats),
            (_, true) => Ok(()),
        }
    }
}

/// What a step of a chain works with.
struct ChainStep<'a> {
    table: &'a Table,
    seed: &'a Seed,
    arena: &'a mut Arena,
    alive: &'a mut Alive,
    life: &'a mut Life,
    edits: &'a mut Edits,
}

impl ChainStep<'_> {
    /// Takes a step to a mutant that the chain did not come by yet, and that is alive; false if none was found.
    fn take(&mut self, kept: &mut Kept) -> bool {
        let Some(rng) = &mut kept.rng else { return false };
        let (before, logged) = (kept.chosen.clone(), kept.log.len());
        for attempt in 0..TRIES {
            let any = attempt >= TRIES / 2;
            let ((site, _), _) = self.table.choose(&mut kept.chosen, rng, &mut kept.log, any);
            let mut key: Vec<Choice> = kept.chosen.iter().copied().filter(|c| c.1 != 0).collect();
            key.sort_unstable();
            if !kept.seen.contains(&key) && self.is_alive(&kept.chosen, site) {
                kept.seen.insert(key);
                return true;
            }
            kept.chosen.clone_from(&before);
            kept.log.truncate(logged);
        }
        false
    }

    /// Whether the assertion of a site is alive after these choices.
    fn is_alive(&mut self, chosen: &[Choice], site: u32) -> bool {
        let (command, start, end) = self.table.roots[site as usize];
        self.edits.clear();
        for &choice in chosen.iter().filter(|c| self.table.roots[c.0 as usize].0 == command) {
            self.table.edit(self.seed, choice, self.edits);
        }
        let mut text = Vec::new();
        self.edits.apply(&self.seed.text, start..end, &mut text);
        self.alive.allows(self.arena, self.seed, self.life, command, &text)
    }

    /// Takes in the mutant of the last case.
    fn resume(&mut self, chosen: &[Choice]) {
        for &(site, _) in chosen {
            self.is_alive(chosen, site);
        }
    }
}

/// The head of a term: what stands behind its parenthesis, or all of a name.
fn head_range(text: &[u8], span: &smelt_smtlib::Span) -> std::ops::Range<u32> {
    let open = text[span.start as usize] == b'(' && span.head < span.end;
    span.start + u32::from(open)..span.head
}

impl Table {
    pub(crate) fn new(arena: &mut Arena, seed: &Seed, classes: &Classes) -> Table {
        let mut table = Table::default();
        let mut known: HashMap<Key, Option<u32>> = HashMap::new();
        let allowed: Vec<Op> = {
            let ops: Vec<Op> = arena.signatures().ops().map(|(op, _)| op).collect();
            ops.into_iter().filter(|&op| seed.gate.allows(arena, classes, op)).collect()
        };
        let functions = Functions::new(arena, seed);
        let mut root = (0, 0, 0);
        for place in seed.places.all() {
            let term = seed.places.term(place);
            if seed.places.parent(place).is_none() {
                let span = &seed.spans[place.index()];
                root = (seed.places.root(place).command, span.start, span.end);
            }
            if matches!(arena.view(term), View::App(..) | View::Binder(_)) {
                table.heads.push(place);
            }
            // A coefficient must stay a number written out.
            if seed.gate.linear && smelt_smtlib::logic::is_number(arena, term) {
                continue;
            }
            let key = key(arena, &seed.gate, term).or_else(|| functions.key(arena, root.0, term));
            let Some(key) = key else { continue };
            let is_operator = key.1.is_some();
            let choice = *known.entry(key).or_insert_with(|| {
                let own = &seed.text[as_range(head_range(&seed.text, &seed.spans[place.index()]))];
                let mut heads: Vec<Box<[u8]>> = vec![own.into()];
                if let View::Binder(v) = arena.view(term) {
                    heads.push(if v.name == sym::FORALL {
                        b"exists"[..].into()
                    } else {
                        b"forall"[..].into()
                    });
                }
                let others = match is_operator {
                    true => conforming(arena, &seed.gate, classes, &allowed, term),
                    false => Vec::new(),
                };
                for (op, indices) in others {
                    let head = head_text(arena, arena.signatures().row(op).name, &indices);
                    if !heads.contains(&head) {
                        heads.push(head);
                    }
                }
                for head in functions.heads(arena, root.0, term) {
                    if !heads.contains(&head) {
                        heads.push(head);
                    }
                }
                (heads.len() > 1).then(|| {
                    table.choices.push(heads);
                    table.choices.len() as u32 - 1
                })
            });
            if let Some(choice) = choice {
                table.sites.push((place.index() as u32, choice));
                table.roots.push(root);
            }
        }
        table.find_new(seed);
        table
    }

    /// How many mutants there are, as far as [`FEW`].
    fn mutants(&self) -> u64 {
        let heads = self.sites.iter().map(|site| self.choices[site.1 as usize].len() as u64);
        heads.fold(1, |product: u64, heads| product.saturating_mul(heads).min(FEW))
    }

    /// Notes which heads stand nowhere in the seed.
    fn find_new(&mut self, seed: &Seed) {
        let head = |place: Occurrence| {
            seed.text.get(as_range(head_range(&seed.text, &seed.spans[place.index()]))).unwrap_or_default()
        };
        // Only applications and quantifiers have a head: the sites, and those of functions that nothing can replace.
        let old: HashSet<&[u8]> = self.heads.iter().map(|&place| head(place)).collect();
        let is_new = |heads: &[Box<[u8]>], i: u32| !old.contains(&*heads[i as usize]);
        let new = |heads: &Vec<Box<[u8]>>| (1..heads.len() as u32).filter(|&i| is_new(heads, i)).collect();
        self.new = self.choices.iter().map(new).collect();
        let sites = self.sites.iter().enumerate();
        self.new_sites =
            sites.filter(|(_, s)| !self.new[s.1 as usize].is_empty()).map(|(i, _)| i as u32).collect();
    }

    /// Whether nothing can be exchanged.
    pub(crate) fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// Chooses a site and a head other than the one that is there, given the choices so far; returns the choice and the
    /// place of the site.
    pub(crate) fn exchange(
        &self,
        chosen: &mut Vec<Choice>,
        rng: &mut Rng,
        log: &mut Vec<u8>,
    ) -> (Choice, u32) {
        self.choose(chosen, rng, log, false)
    }

    /// The same; `any` head, or preferably one that the seed does not have.
    fn choose(&self, chosen: &mut Vec<Choice>, rng: &mut Rng, log: &mut Vec<u8>, any: bool) -> (Choice, u32) {
        let prefers_new = !any && !self.new_sites.is_empty() && !rng.one_in(ANY);
        let site = match prefers_new {
            true => self.new_sites[rng.below(self.new_sites.len())],
            false => rng.below(self.sites.len()) as u32,
        };
        let (place, choice) = self.sites[site as usize];
        let heads = &self.choices[choice as usize];
        let old = chosen.iter().rposition(|c| c.0 == site);
        let now = old.map_or(0, |i| chosen[i].1);
        let new = &self.new[choice as usize];
        let is_there = new.contains(&now);
        let head = if prefers_new && new.len() > usize::from(is_there) {
            let head = new[rng.below(new.len() - usize::from(is_there))];
            // The last one for the one that is there.
            if head == now { new[new.len() - 1] } else { head }
        } else {
            let head = rng.below(heads.len() - 1) as u32;
            head + u32::from(head >= now) // any but the one that is there
        };
        log.extend_from_slice(format!("place {place}: ").as_bytes());
        log.extend_from_slice(&heads[now as usize]);
        log.extend_from_slice(b" -> ");
        log.extend_from_slice(&heads[head as usize]);
        log.push(b'\n');
        match old {
            Some(i) => chosen[i].1 = head,
            None => chosen.push((site, head)),
        }
        ((site, head), place)
    }

    /// Puts a choice into the edits of the seed's text.
    pub(crate) fn edit(&self, seed: &Seed, (site, head): Choice, edits: &mut Edits) {
        let (place, choice) = self.sites[site as usize];
        let start = edits.new.len();
        edits.new.extend_from_slice(&self.choices[choice as usize][head as usize]);
        edits.push(head_range(&seed.text, &seed.spans[place as usize]), start);
    }
}

fn as_range(r: std::ops::Range<u32>) -> std::ops::Range<usize> {
    r.start as usize..r.end as usize
}

/// What decides which operators may stand at a term; `None` where none may.
fn key(arena: &Arena, gate: &Gate, term: Term) -> Option<Key> {
    match arena.view(term) {
        View::App(fun, args) => {
            let f = arena.fun_view(fun);
            let op = f.op?;
            if f.ascribed.is_some() || args.iter().any(|&a| arena.sort_of(a) == Sort::UNKNOWN) {
                return None;
            }
            // Indices are numbers or symbols; both are distinguished by their place in the list.
            let mut words: Vec<u32> = f.indices.iter().map(|i| i.as_number().unwrap_or(u32::MAX)).collect();
            words.push(u32::MAX);
            words.extend(args.iter().map(|&a| arena.sort_of(a).index() as u32));
            if gate.linear {
                words.extend(args.iter().map(|&a| {
                    u32::from(smelt_smtlib::logic::is_number(arena, a))
                        + u32::from(smelt_smtlib::logic::is_nonzero_number(arena, a))
                }));
            }
            Some((f.name, Some(op), words))
        }
        View::Binder(v) if matches!(v.name, sym::FORALL | sym::EXISTS) => Some((v.name, None, Vec::new())),
        _ => None,
    }
}

/// The operators, with indices, that may stand where `term`'s does.
pub(crate) fn conforming(
    arena: &mut Arena,
    gate: &Gate,
    classes: &Classes,
    allowed: &[Op],
    term: Term,
) -> Vec<(Op, Vec<Index>)> {
    let View::App(fun, args) = arena.view(term) else { return Vec::new() };
    let args = args.to_vec();
    let mut found = Vec::new();
    let f = arena.fun_view(fun);
    let (name, op, indices) = (f.name, f.op, f.indices.to_vec());
    let sorts: Vec<Sort> = args.iter().map(|&a| arena.sort_of(a)).collect();
    let sort = arena.sort_of(term);
    // Integers among reals: only operators that solvers accept there are allowed.
    let mark = arena.checkpoint();
    let strict = op.is_none_or(|op| arena.apply_op(op, &indices, &args).is_some());
    arena.rollback(mark);
    for &new in allowed {
        let row = arena.signatures().row(new);
        // Solvers read `(and p)`, but the standard does not have it.
        let arity = args.len() == row.args.len() || args.len() > 2 && classes.is_variadic(arena, row);
        let same = Some(new) == op && indices.is_empty();
        let (new_name, wanted) = (row.name, row.indices.len());
        // Of three truth values two are equal.
        let pigeons = args.len() > 2
            && sorts[0] == Sort::BOOL
            && row.associativity == smelt_smtlib::signature::Associativity::Pairwise;
        if !arity || same || pigeons || row.rule.is_some() || is_awkward(arena, gate, row, &sorts) {
            continue;
        }
        if !classes.may_replace(arena, name, new_name) || !gate.keeps_linear(arena, new_name, &args) {
            continue;
        }
        for indices in index_choices(arena, sort, &indices, wanted) {
            let mark = arena.checkpoint();
            let made = if strict {
                arena.apply_op(new, &indices, &args).map(|t| arena.sort_of(t))
            } else {
                let read = arena.resolve(new_name, &indices, None, Some(&args));
                read.filter(|r| arena.fun_view(r.0).op == Some(new)).map(|r| r.1)
            };
            arena.rollback(mark);
            if made == Some(sort) {
                found.push((new, indices));
            }
        }
    }
    found
}

/// Useful indices for an operator with this many, instead of `old`.
fn index_choices(arena: &Arena, result: Sort, old: &[Index], wanted: usize) -> Vec<Vec<Index>> {
    let numbers: Option<Vec<u32>> = old.iter().map(|i| i.as_number()).collect();
    let mut choices: Vec<Vec<u32>> = Vec::new();
    match (wanted, numbers.as_deref()) {
        (0, _) => choices.push(Vec::new()),
        (1, Some(&[n])) => {
            choices.extend([n, n + 1, n.saturating_sub(1), 0, n.saturating_mul(2)].map(|n| vec![n]))
        }
        (1, _) => {
            choices.extend([1, 2, 3].map(|n| vec![n]));
            choices.extend(arena.bitvec_width(result).map(|w| vec![w]));
        }
        (2, Some(&[i, j])) => {
            choices.push(vec![i, j]);
            choices.extend([1, 2, 8].map(|d| vec![i.saturating_add(d), j.saturating_add(d)]));
            choices.extend([1, 2, 8].iter().filter(|d| **d <= j.min(i)).map(|d| vec![i - d, j - d]));
        }
        (2, _) => choices.extend(arena.float_format(result).map(|(e, s)| vec![e, s])),
        _ => {}
    }
    choices.into_iter().filter_map(|c| c.into_iter().map(Index::number).collect()).collect()
}

/// A head as it is printed.
pub(crate) fn head_text(arena: &Arena, name: Symbol, indices: &[Index]) -> Box<[u8]> {
    let mut text = Vec::new();
    if indices.is_empty() {
        smelt_smtlib::Printer::new(arena, &mut text).symbol(name);
    } else {
        text.extend_from_slice(b"(_ ");
        smelt_smtlib::Printer::new(arena, &mut text).symbol(name);
        for i in indices {
            text.extend_from_slice(format!(" {}", i.as_number().unwrap_or(0)).as_bytes());
        }
        text.push(b')');
    }
    text.into()
}

#[cfg(test)]
mod tests;
