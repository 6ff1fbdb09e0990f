//! Random terms over every operator of the signature table: printing and reading gives the same term.

use smelt_smtlib::{Arena, Attribute, Command, Index, Printer, Script, Sort, Term, parse_script, sym};

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }
}

const PRELUDE: &str = "(declare-sort U 0)(declare-datatypes ((P 1)) ((par (T) ((pair (fst T) (snd T))))))\
(declare-fun f (Int) Int)(declare-const p Bool)(declare-const i Int)(declare-const r Real)(declare-const s String)\
(declare-const l RegLan)(declare-const b (_ BitVec 8))(declare-const c (_ BitVec 1))(declare-const d Float32)\
(declare-const e (_ FloatingPoint 3 5))(declare-const m RoundingMode)(declare-const a (Array Int Int))\
(declare-const g (Array (_ BitVec 8) Bool))(declare-const q (Seq Int))(declare-const u U)(declare-const t (Set Int))\
(declare-const n (Bag Int))(declare-const k (P Int))(declare-const h (-> Int Int))(declare-const v (Set (Tuple Int U)))";

const SOURCES: &str = "(assert p)(assert (= i 1))(assert (= r 1.5))(assert (= s \"a\"\"b\\u{e9}\"))(assert (= b #x0f))\
(assert (= c #b1))(assert (str.in_re s l))(assert (= d d))(assert (= e e))(assert (= m RNE))(assert (= a a))(assert (= g g))\
(assert (= q (as seq.empty (Seq Int))))(assert (= u u))(assert (= t (as set.empty (Set Int))))(assert (= n n))(assert (= k k))\
(assert (= h h))(assert (= v v))(assert (= (f i) i))(assert (= (fst k) 0))(assert (= b (_ bv7 8)))";

/// Terms that applications are made of, and the ones made.
fn grow(arena: &mut Arena, random: &mut Random, pool: &mut Vec<Term>, steps: usize) -> usize {
    let signatures = arena.signatures().clone();
    let mut used = std::collections::HashSet::new();
    for _ in 0..steps {
        let row = &signatures.rows()[random.below(signatures.rows().len())];
        let indices: Vec<Index> =
            row.indices.iter().map(|_| Index::number(random.below(12) as u32).unwrap()).collect();
        let extra = if row.args.len() == 2 { random.below(2) } else { 0 };
        for _ in 0..30 {
            // Arguments mostly of the first one's sort: most operators want that.
            let mut args: Vec<Term> = Vec::new();
            for _ in 0..row.args.len() + extra {
                let mut pick = pool[random.below(pool.len())];
                if let Some(&first) = args.last()
                    && random.below(3) > 0
                {
                    let sort = arena.sort_of(first);
                    pick = pool.iter().copied().find(|&t| arena.sort_of(t) == sort).unwrap();
                }
                args.push(pick);
            }
            let applied = (!row.args.is_empty()).then_some(&args[..]);
            let Some((fun, sort)) = arena.resolve(row.name, &indices, None, applied) else { continue };
            if sort == Sort::UNKNOWN {
                continue;
            }
            let term = arena.app(fun, &args, sort);
            used.insert(arena.op(term));
            pool.push(term);
            break;
        }
        let term = pool[random.below(pool.len())];
        let x = arena.symbol(b"x");
        pool.push(match random.below(6) {
            0 => {
                let other = pool[random.below(pool.len())];
                arena.let_term(&[(x, other)], term)
            }
            1 if arena.sort_of(term) == Sort::BOOL => {
                let sort = arena.sort_of(pool[random.below(pool.len())]);
                arena.binder(sym::EXISTS, &[(x, sort)], &[term], Sort::BOOL)
            }
            2 => {
                let hint = arena.symbol(b":weight");
                let five = arena.symbol(b"5");
                arena.annotated(
                    &[term, term],
                    &[Attribute::Text(hint, five), Attribute::Terms(sym::K_PATTERN, 1)],
                )
            }
            3 => {
                let sort = arena.sort_of(term);
                arena.var(x, sort)
            }
            _ => term,
        });
    }
    used.len()
}

#[test]
fn printed_terms_read_back_as_themselves() {
    let mut operators = 0;
    for seed in 0..200 {
        let mut arena = Arena::new();
        let text = format!("{PRELUDE}{SOURCES}");
        let parsed = parse_script(&mut arena, text.as_bytes()).unwrap();
        assert_eq!(parsed.diagnostics, []);
        let mut pool: Vec<Term> =
            parsed.script.assertions().flat_map(|t| [vec![t], arena.children(t).to_vec()].concat()).collect();
        let prelude: Vec<Command> =
            parsed.script.commands.into_iter().filter(|c| !matches!(c, Command::Assert(_))).collect();
        let mut random = Random(seed);
        operators = operators.max(grow(&mut arena, &mut random, &mut pool, 1500));
        // Variables that a term leaves free are bound around it, so that it reads as it was built.
        let mut commands = prelude;
        for &t in pool.iter().rev().take(300) {
            let sort = arena.sort_of(t);
            let x = arena.symbol(b"x");
            let mut free: Vec<Sort> = free_sorts(&arena, t);
            free.dedup();
            if free.len() > 1 || sort == Sort::UNKNOWN {
                continue; // one name at two sorts cannot be bound at once
            }
            let (fun, _) = arena.resolve(sym::EQUAL, &[], None, Some(&[t, t])).unwrap();
            let equal = arena.app(fun, &[t, t], Sort::BOOL);
            let closed = match free[..] {
                [s] => arena.binder(sym::FORALL, &[(x, s)], &[equal], Sort::BOOL),
                _ => equal,
            };
            commands.push(Command::Assert(closed));
        }
        let script = Script { commands, comments: Vec::new() };
        let mut out = Vec::new();
        Printer::new(&arena, &mut out).script(&script);
        let again = parse_script(&mut arena, &out).unwrap_or_else(|e| panic!("{}", e.locate(&out)));
        assert_eq!(again.diagnostics, [], "seed {seed}");
        for (a, b) in script.commands.iter().zip(&again.script.commands) {
            if let (Command::Assert(a), Command::Assert(b)) = (a, b) {
                assert_eq!(a, b, "seed {seed}: {}", arena.display_term(*a));
            }
        }
        assert_eq!(script.commands, again.script.commands);
    }
    assert!(operators > 250, "only {operators} operators were reached in one run");
}

/// Sorts at which `x` is free.
fn free_sorts(arena: &Arena, term: Term) -> Vec<Sort> {
    use smelt_smtlib::View;
    let mut out = match arena.view(term) {
        View::Var(_) => vec![arena.sort_of(term)],
        View::Let(v) => {
            let mut inner = free_sorts(arena, v.body());
            let (_, definition) = v.binding(0).unwrap();
            let sort = arena.sort_of(definition);
            // Inside, `x` is the definition: at another sort the term would read differently.
            if inner.iter().any(|&s| s != sort) {
                inner.extend([Sort::BOOL, Sort::INT]);
            } else {
                inner.clear();
            }
            inner.extend(free_sorts(arena, definition));
            inner
        }
        View::Binder(v) => {
            let (_, sort) = v.vars().next().unwrap();
            let inner = free_sorts(arena, v.bodies[0]);
            if inner.iter().any(|&s| s != arena.canonical(sort)) {
                vec![Sort::BOOL, Sort::INT]
            } else {
                vec![]
            }
        }
        _ => arena.children(term).iter().flat_map(|&c| free_sorts(arena, c)).collect(),
    };
    out.sort();
    out.dedup();
    out
}
