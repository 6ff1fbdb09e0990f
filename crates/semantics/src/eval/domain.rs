//! The number of values of a sort, and the values themselves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use smelt_smtlib::script::{Command, Datatype as DatatypeDeclaration, Script};
use smelt_smtlib::{Arena, Sort, SortView, Symbol, sym};

use crate::value::{Array, Datatype, Domain, Key, Value};
use crate::{BitVec, Float, Format, Int, Real, RoundingMode, Str};

pub(crate) fn key(symbol: Symbol) -> Key {
    Key(u32::try_from(symbol.index()).expect("symbols are numbered with 32 bits"))
}

/// The format of a float sort; none for other sorts, and for formats that are not supported.
pub(crate) fn format_of(arena: &Arena, sort: Sort) -> Option<Format> {
    arena.float_format(sort).and_then(|(eb, sb)| Format::new(eb, sb))
}

/// All sets of some elements.
pub(crate) fn subsets(elements: &[Value]) -> impl Iterator<Item = Value> {
    (0..1usize << elements.len()).map(|bits| {
        let chosen = elements.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        Value::Set(Arc::new(chosen.map(|(_, e)| e.clone()).collect()))
    })
}

/// Every row with every value at its end.
pub(crate) fn extended(rows: &[Vec<Value>], values: &[Value]) -> impl Iterator<Item = Vec<Value>> {
    rows.iter().flat_map(|r| values.iter().map(|v| [&r[..], std::slice::from_ref(v)].concat()))
}

/// No more values of a sort than this are listed.
const MAX_LISTED: usize = 1 << 16;
/// Arrays keep the list of their indices up to this many.
const MAX_INDICES: usize = 1 << 10;

/// Values with more parts than this are not held against their sorts.
const MAX_PARTS: usize = 1 << 16;

/// The sorts that stand for the parameters of a datatype; they may have parameters of another around it.
struct Given<'a> {
    params: &'a [Symbol],
    args: &'a [Sort],
    outer: Option<&'a Given<'a>>,
}

/// How many values a sort has.
#[derive(Clone, Debug)]
enum Extent {
    /// All values.
    Listed(Vec<Value>),
    /// This many, more than are listed; `u64::MAX` for more than that too.
    Large(u64),
    Infinite,
    /// Not known: it has a sort whose elements the model may choose.
    Open,
}

/// The context in which the extent of a sort is computed.
#[derive(Default)]
struct Known {
    parameters: HashMap<Symbol, Extent>,
    /// The datatypes whose fields are being visited.
    around: Vec<Symbol>,
}

/// The sorts of a script: datatypes, and the elements that a model gives to uninterpreted sorts.
#[derive(Clone, Debug, Default)]
pub struct Domains {
    datatypes: HashMap<Symbol, DatatypeDeclaration>,
    declared: HashSet<Symbol>,
    universes: HashMap<Symbol, Vec<Symbol>>,
    elements: HashSet<Symbol>,
}

impl Domains {
    /// The sorts a script declares.
    pub fn of_script(script: &Script) -> Self {
        let mut d = Domains::default();
        for command in &script.commands {
            match command {
                Command::DeclareDatatypes(_, datatypes) => {
                    for declaration in datatypes {
                        d.datatypes.insert(declaration.name, declaration.clone());
                    }
                }
                Command::DeclareSort(name, _) => drop(d.declared.insert(*name)),
                _ => {}
            }
        }
        d
    }

    /// Names an element of an uninterpreted sort.
    pub fn add_element(&mut self, name: Symbol) {
        self.elements.insert(name);
    }

    /// All elements of an uninterpreted sort.
    pub fn set_universe(&mut self, sort: Symbol, elements: Vec<Symbol>) {
        self.elements.extend(&elements);
        self.universes.insert(sort, elements);
    }

    /// The name of an element.
    pub(crate) fn element_name(&self, element: Key) -> Option<Symbol> {
        self.elements.iter().copied().find(|&e| key(e) == element)
    }

    /// The elements of an uninterpreted sort, if they are known.
    pub(crate) fn universe(&self, sort: Symbol) -> Option<&[Symbol]> {
        self.universes.get(&sort).map(|u| &u[..])
    }

    /// The names of all elements that are known.
    pub(crate) fn elements(&self) -> impl Iterator<Item = Symbol> + '_ {
        self.elements.iter().copied()
    }

    /// Whether the script declares a sort of this name.
    pub(crate) fn is_declared(&self, sort: Symbol) -> bool {
        self.declared.contains(&sort)
    }

    pub(crate) fn is_element(&self, name: Symbol) -> bool {
        self.elements.contains(&name)
    }

    /// The declaration of a datatype.
    pub fn datatype(&self, name: Symbol) -> Option<&DatatypeDeclaration> {
        self.datatypes.get(&name)
    }

    /// Whether a value is of a sort, and all its parts are of theirs. An integer is of sort `Real` too, but within a value it
    /// is not: it is not equal to that real there.
    pub(crate) fn has(&self, arena: &Arena, sort: Sort, value: &Value) -> bool {
        let is_real = matches!(value, Value::Int(_)) && arena.canonical(sort) == Sort::REAL;
        is_real || self.has_part(arena, sort, value, None, &mut MAX_PARTS.clone())
    }

    /// The same for a part of a value, with the sorts that stand for parameters; false if there are too many parts.
    fn has_part(
        &self,
        arena: &Arena,
        sort: Sort,
        value: &Value,
        given: Option<&Given<'_>>,
        left: &mut usize,
    ) -> bool {
        let Some(less) = left.checked_sub(1) else { return false };
        *left = less;
        let sort = arena.canonical(sort);
        let SortView { head, args, .. } = arena.sort_view(sort);
        if let Some(given) = given.filter(|_| args.is_empty())
            && let Some(place) = given.params.iter().position(|p| *p == head)
        {
            let Some(&sort) = given.args.get(place) else { return false };
            return self.has_part(arena, sort, value, given.outer, left);
        }
        let mut part =
            |sort: Sort, value: &Value| crate::with_room(|| self.has_part(arena, sort, value, given, left));
        match (value, head, args) {
            (Value::Bool(_), ..) => sort == Sort::BOOL,
            (Value::Int(_), ..) => sort == Sort::INT,
            (Value::Real(_), ..) => sort == Sort::REAL,
            (Value::Str(_), ..) => sort == Sort::STRING,
            (Value::RoundingMode(_), ..) => sort == Sort::ROUNDING_MODE,
            (Value::RegLan(_), ..) => sort == Sort::REGLAN,
            (Value::BitVec(b), ..) => arena.bitvec_width(sort) == Some(b.width()),
            (Value::Float(f), ..) => format_of(arena, sort) == Some(f.format()),
            (Value::Array(a), sym::ARRAY | sym::ARROW, &[index, element]) => {
                part(element, a.default_value())
                    && a.exceptions().all(|(i, v)| part(index, i) && part(element, v))
            }
            (Value::Array(_) | Value::Function(_), ..) => head == sym::ARROW,
            (Value::Seq(all), sym::SEQ, &[element]) => all.iter().all(|v| part(element, v)),
            (Value::Set(all), sym::SET, &[element]) => all.iter().all(|v| part(element, v)),
            (Value::Seq(_) | Value::Set(_), ..) => false,
            (Value::Element(e), ..) => {
                let among = |u: &Vec<Symbol>| !args.is_empty() || u.iter().any(|&s| key(s) == *e);
                self.declared.contains(&head) && self.universes.get(&head).is_none_or(among)
            }
            (Value::Datatype(d), ..) => {
                let Some(declaration) = self.datatypes.get(&head) else { return false };
                let mut constructors = declaration.constructors.iter();
                let Some(c) = constructors.find(|c| key(c.name) == d.constructor()) else { return false };
                let inside = Given { params: &declaration.params, args, outer: given };
                c.selectors.len() == d.args().len()
                    && c.selectors
                        .iter()
                        .zip(d.args())
                        .all(|(s, v)| crate::with_room(|| self.has_part(arena, s.1, v, Some(&inside), left)))
            }
        }
    }

    /// An element of an uninterpreted sort.
    pub fn element(name: Symbol) -> Value {
        Value::Element(key(name))
    }

    /// All values of a sort, if there are at most `limit`.
    pub fn values(&self, arena: &Arena, sort: Sort, limit: usize) -> Option<Vec<Value>> {
        let limit = limit.min(MAX_LISTED);
        match self.extent(arena, sort, limit, &Known::default()) {
            Extent::Listed(values) if values.len() <= limit => Some(values),
            _ => None,
        }
    }

    /// The extent of a sort; values are listed if there are about `limit` at most. `known` has the extents of the sort
    /// parameters, and the datatypes around.
    fn extent(&self, arena: &Arena, sort: Sort, limit: usize, known: &Known) -> Extent {
        let sort = arena.canonical(sort);
        let finite = |bits: u32, values: Option<Vec<Value>>| match values {
            Some(values) => Extent::Listed(values),
            None if bits < 63 => Extent::Large(1 << bits),
            None => Extent::Infinite,
        };
        if let Some(width) = arena.bitvec_width(sort) {
            return finite(width, bitvec_values(width, limit));
        }
        if let Some((eb, sb)) = arena.float_format(sort) {
            return finite(eb + sb - 1, Format::new(eb, sb).and_then(|f| float_values(f, limit)));
        }
        let SortView { head, args, .. } = arena.sort_view(sort);
        if let Some(extent) = known.parameters.get(&head) {
            return extent.clone();
        }
        match (head, args) {
            (sym::BOOL, _) => Extent::Listed(vec![Value::Bool(false), Value::Bool(true)]),
            (sym::ROUNDING_MODE, _) => {
                Extent::Listed(RoundingMode::ALL.iter().map(|m| Value::RoundingMode(m.0)).collect())
            }
            (sym::INT | sym::REAL | sym::STRING | sym::REGLAN | sym::SEQ | sym::BAG, _) => Extent::Infinite,
            (sym::ARRAY, &[index, element]) => {
                let index = self.extent(arena, index, 16, known);
                self.arrays(index, self.extent(arena, element, limit, known), limit)
            }
            (sym::SET, &[element]) => match self.extent(arena, element, 16, known) {
                Extent::Listed(elements) if elements.len() < 63 => match 1usize << elements.len() {
                    count if count <= limit => Extent::Listed(subsets(&elements).collect()),
                    count => Extent::Large(count as u64),
                },
                Extent::Listed(_) | Extent::Large(_) => Extent::Large(u64::MAX),
                other => other,
            },
            _ => match self.universes.get(&head) {
                Some(elements) if args.is_empty() => {
                    Extent::Listed(elements.iter().map(|&e| Domains::element(e)).collect())
                }
                _ => self.datatype_extent(arena, sort, limit, known),
            },
        }
    }

    /// The extent of arrays.
    fn arrays(&self, index: Extent, element: Extent, limit: usize) -> Extent {
        use Extent::{Infinite, Large, Listed, Open};
        match (index, element) {
            (Listed(indices), Listed(values)) => {
                let count = u32::try_from(indices.len()).ok().and_then(|n| values.len().checked_pow(n));
                self.all_arrays(indices, &values, limit)
                    .map_or(Large(count.map_or(u64::MAX, |n| n as u64)), Listed)
            }
            // Over one value there is one array.
            (_, Listed(values)) if values.len() < 2 => Open,
            (_, Infinite) | (Infinite, Listed(_) | Large(_)) => Infinite,
            (Listed(_) | Large(_), Listed(_) | Large(_)) => Large(u64::MAX),
            _ => Open,
        }
    }

    fn all_arrays(&self, indices: Vec<Value>, values: &[Value], limit: usize) -> Option<Vec<Value>> {
        let count = values.len().checked_pow(u32::try_from(indices.len()).ok()?)?;
        if count > limit {
            return None;
        }
        let domain = Domain::Listed(indices.clone().into());
        let nth = |mut n: usize| {
            let entries = indices.iter().map(|i| {
                let v = values[n % values.len()].clone();
                n /= values.len();
                (i.clone(), v)
            });
            let entries: Vec<_> = entries.collect();
            Array::new(domain.clone(), values[0].clone(), entries).ok().map(Value::Array)
        };
        (0..count).map(nth).collect()
    }

    /// The extent of a datatype, with the extents of its arguments for its parameters. Recursion makes it infinite.
    fn datatype_extent(&self, arena: &Arena, sort: Sort, limit: usize, known: &Known) -> Extent {
        let SortView { head, args, .. } = arena.sort_view(sort);
        let Some(d) = self.datatypes.get(&head) else { return Extent::Open };
        if known.around.contains(&head) {
            return Extent::Infinite;
        }
        let given = args.iter().map(|&a| self.extent(arena, a, limit, known));
        let inside = Known {
            parameters: d.params.iter().copied().zip(given).collect(),
            around: known.around.iter().copied().chain([head]).collect(),
        };
        let mut all = Vec::new();
        let (mut large, mut open) = (0u64, false);
        for c in &d.constructors {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            let mut count = 1u64;
            for &(_, field) in &c.selectors {
                let values = match self.extent(arena, field, limit, &inside) {
                    Extent::Infinite => return Extent::Infinite,
                    Extent::Open => {
                        open = true;
                        continue;
                    }
                    Extent::Large(n) => {
                        count = count.saturating_mul(n);
                        continue;
                    }
                    Extent::Listed(values) => values,
                };
                count = count.saturating_mul(values.len() as u64);
                if count <= limit as u64 {
                    rows = extended(&rows, &values).collect();
                }
            }
            large = large.saturating_add(count);
            if !open && large <= limit as u64 {
                all.extend(rows.into_iter().map(|args| Datatype::new(key(c.name), args).into()));
            }
        }
        match (open, large) {
            (true, _) => Extent::Open,
            (false, n) if n <= limit as u64 => Extent::Listed(all),
            (false, n) => Extent::Large(n),
        }
    }

    /// The index sort of arrays, as far as their equality depends on it.
    pub(crate) fn index_domain(&self, arena: &Arena, sort: Sort) -> Domain {
        match self.extent(arena, sort, MAX_INDICES, &Known::default()) {
            Extent::Listed(values) => Domain::Listed(values.into()),
            Extent::Large(n) => Domain::Large(n),
            Extent::Infinite => Domain::Infinite,
            Extent::Open => Domain::Open,
        }
    }

    /// Some value of a sort.
    pub fn default_value(&self, arena: &Arena, sort: Sort) -> Option<Value> {
        self.default_at(arena, arena.canonical(sort), 0)
    }

    fn default_at(&self, arena: &Arena, sort: Sort, depth: u32) -> Option<Value> {
        if depth > 50 {
            return None;
        }
        if let Some(w) = arena.bitvec_width(sort) {
            return Some(Value::BitVec(BitVec::zero(w)));
        }
        if let Some((eb, sb)) = arena.float_format(sort) {
            return Some(Value::Float(Float::zero(Format::new(eb, sb)?, false)));
        }
        let SortView { head, args, .. } = arena.sort_view(sort);
        Some(match head {
            sym::BOOL => Value::Bool(false),
            sym::INT => Value::Int(Int::from(0)),
            sym::REAL => Value::Real(Real::from(Int::from(0))),
            sym::STRING => Value::Str(Str::empty()),
            sym::ROUNDING_MODE => Value::RoundingMode(RoundingMode::ALL[0].0),
            sym::SEQ => Value::Seq(Arc::new([])),
            sym::SET => Value::Set(Arc::new(BTreeSet::new())),
            sym::ARRAY if args.len() == 2 => {
                let default = self.default_at(arena, args[1], depth + 1)?;
                Value::Array(Array::constant(self.index_domain(arena, args[0]), default))
            }
            _ if self.declared.contains(&head) => {
                let first = self.universes.get(&head).and_then(|u| u.first()).copied();
                Domains::element(first.unwrap_or(head))
            }
            _ => {
                // The constructor with the least nesting that works.
                let d = self.datatypes.get(&head).filter(|d| d.params.is_empty())?;
                let mut constructors: Vec<_> = d.constructors.iter().collect();
                constructors.sort_by_key(|c| c.selectors.len());
                return constructors.iter().find_map(|c| {
                    let recursive = c.selectors.iter().any(|s| arena.sort_heads(s.1).any(|h| h == head));
                    if recursive && depth > 3 {
                        return None;
                    }
                    let args: Option<Vec<Value>> = c
                        .selectors
                        .iter()
                        .map(|s| self.default_at(arena, arena.canonical(s.1), depth + 1))
                        .collect();
                    Some(Value::Datatype(Datatype::new(key(c.name), args?)))
                });
            }
        })
    }
}

/// All bit-vectors of a width, if there are at most `limit`.
pub fn bitvec_values(width: u32, limit: usize) -> Option<Vec<Value>> {
    let n = 1u64.checked_shl(width).filter(|&n| width < 32 && n <= limit as u64)?;
    Some((0..n).map(|v| Value::BitVec(BitVec::new(width, v))).collect())
}

/// All floats of a format, if there are at most `limit`.
pub fn float_values(format: Format, limit: usize) -> Option<Vec<Value>> {
    let width = format.width();
    let n = 1u64.checked_shl(width).filter(|&n| width < 32 && n <= limit as u64 * 2)?;
    let all: BTreeSet<Value> =
        (0..n).filter_map(|v| Float::from_ieee(format, &BitVec::new(width, v)).map(Value::Float)).collect();
    (all.len() <= limit).then(|| all.into_iter().collect())
}
