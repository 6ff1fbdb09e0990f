//! The operators that random formulas are made of, by sort: the file `data/snippets.txt`.

use std::sync::LazyLock;

use smelt_smtlib::sexpr::{Sexpr, read_all};

use crate::template::plain;

/// A sort of the data file.
pub(super) struct Entry {
    pub(super) sort: Sexpr,
    pub(super) params: Vec<String>,
    pub(super) atoms: Vec<Sexpr>,
    pub(super) terms: Vec<Sexpr>,
    pub(super) products: Vec<Sexpr>,
    /// The operators of the published algorithm; all, if none are named.
    pub(super) published: Vec<String>,
}

/// Every sort of the data file.
pub(super) static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let read = |item: &Sexpr| {
        let ("sort", [sort, parts @ ..]) = item.part("`sort`")? else {
            return Err(smelt_smtlib::Error::new(item.offset, "expected `(sort SORT ..)`"));
        };
        let mut entry = Entry {
            sort: sort.clone(),
            params: Vec::new(),
            atoms: Vec::new(),
            terms: Vec::new(),
            products: Vec::new(),
            published: Vec::new(),
        };
        for part in parts {
            match part.part("`par`, `atoms`, `terms`, `products` or `published`")? {
                ("par", names) => entry.params = names.iter().map(plain).collect(),
                ("atoms", list) => entry.atoms = list.to_vec(),
                ("terms", list) => entry.terms = list.to_vec(),
                ("published", names) => entry.published = names.iter().map(plain).collect(),
                (_, list) => entry.products = list.to_vec(),
            }
        }
        Ok(entry)
    };
    let items = read_all(include_bytes!("../../data/snippets.txt"));
    let entries = items.and_then(|items| items.iter().map(read).collect());
    entries.unwrap_or_else(|e: smelt_smtlib::Error| panic!("snippets.txt can be read: {e}"))
});
