//! Reads proofs of z3 and proofs in the Alethe format, as far as single steps can be judged: its premises and its conclusion,
//! with the definitions of the names in them.

use smelt_smtlib::{Lexer, TokenKind};
use std::collections::{HashMap, HashSet};

/// Rules of Alethe whose conclusion follows from their premises.
const ALETHE: &str = "and and_intro and_neg and_pos and_simplify ac_simp all_simplify comp_simplify cong \
    connective_def contraction distinct_elim eq_congruent eq_congruent_pred eq_reflexive eq_simplify eq_symmetric \
    eq_transitive equiv1 equiv2 equiv_neg1 equiv_neg2 equiv_pos1 equiv_pos2 equiv_simplify evaluate false implies \
    implies_neg1 implies_neg2 implies_pos implies_simplify ite1 ite2 ite_neg1 ite_neg2 ite_pos1 ite_pos2 \
    ite_simplify la_disequality la_generic la_mult_neg la_mult_pos la_rw_eq la_totality la_tautology lia_generic \
    not_and not_equiv1 not_equiv2 not_implies1 not_implies2 not_ite1 not_ite2 not_not not_or not_simplify not_symm \
    not_xor1 not_xor2 or or_intro or_neg or_pos or_simplify rare_rewrite refl reordering resolution \
    strict_resolution symm th_resolution trans true weakening xor1 xor2 xor_neg1 xor_neg2 xor_pos1 xor_pos2";
/// A rule of Alethe without a checker, and the argument with which it is a rewrite of a term.
const HOLE: &str = "hole";
const REWRITE: &str = "\"untranslated rewrite\"";
/// Rules of z3 whose conclusion follows from their premises.
const Z3: &str = "rewrite commutativity distributivity refl def-axiom mp trans trans* symm monotonicity \
    unit-resolution and-elim not-or-elim iff-true iff-false";
/// A rule of z3 that says which theory it is about, and the theories in which it needs no other facts.
const THEORY_LEMMA: &str = "th-lemma";
const THEORIES: [&str; 1] = ["arith"];

/// What binds variables: nothing is concluded from a step with one of these.
const BINDERS: [&str; 6] = ["forall", "exists", "lambda", "choice", "match", "let"];

/// Larger proofs are not read.
const MAX_BYTES: usize = 1 << 18;
/// A step with more names than this in it is not judged.
const MAX_NAMES: usize = 60;
/// A step with more premises than this is not judged.
const MAX_PREMISES: usize = 40;

/// A step of a proof.
pub(super) struct Step {
    pub(super) rule: String,
    /// The step as it is written.
    pub(super) text: String,
    /// A formula that is true where the step is wrong.
    pub(super) refutation: String,
}

/// The steps of a proof that can be judged alone. `None` if it cannot be read, or if it binds a name that the script declares.
pub(super) fn steps(proof: &str, declared: &[&[u8]]) -> Option<Vec<Step>> {
    let tree = Tree::read(proof)?;
    let top = tree.children(tree.root);
    let is_z3 = top.iter().any(|n| tree.head(*n) == Some("proof"));
    let mut names = Names { tree: &tree, terms: HashMap::new(), bound: HashSet::new() };
    names.collect();
    if names.bound.iter().any(|name| declared.contains(&name.trim_matches('|').as_bytes())) {
        return None;
    }
    Some(if is_z3 { z3(&names) } else { alethe(&names, top) })
}

type Node = usize;

/// Nested lists, without recursion: proofs are deep.
struct Tree<'t> {
    text: &'t str,
    /// For each node its range in the text, and its children if it is a list.
    nodes: Vec<(std::ops::Range<usize>, Option<Vec<Node>>)>,
    root: Node,
}

impl<'t> Tree<'t> {
    fn read(text: &'t str) -> Option<Tree<'t>> {
        if text.len() > MAX_BYTES {
            return None;
        }
        let mut lexer = Lexer::new(text.as_bytes()).ok()?;
        let mut nodes: Vec<(std::ops::Range<usize>, Option<Vec<Node>>)> = Vec::new();
        let mut open: Vec<(usize, Vec<Node>)> = vec![(0, Vec::new())];
        loop {
            let token = lexer.next_token().ok()?;
            let range = token.start as usize..token.end as usize;
            match token.kind {
                TokenKind::End => break,
                TokenKind::Open => open.push((range.start, Vec::new())),
                TokenKind::Close => {
                    let (start, children) = open.pop()?;
                    nodes.push((start..range.end, Some(children)));
                    open.last_mut()?.1.push(nodes.len() - 1);
                }
                _ => {
                    nodes.push((range, None));
                    open.last_mut()?.1.push(nodes.len() - 1);
                }
            }
        }
        let [(_, roots)] = &open[..] else { return None };
        let [root] = roots[..] else { return None };
        Some(Tree { text, nodes, root })
    }

    fn text(&self, node: Node) -> &'t str {
        &self.text[self.nodes[node].0.clone()]
    }

    fn children(&self, node: Node) -> &[Node] {
        self.nodes[node].1.as_deref().unwrap_or_default()
    }

    fn is_list(&self, node: Node) -> bool {
        self.nodes[node].1.is_some()
    }

    fn atom(&self, node: Node) -> Option<&'t str> {
        (!self.is_list(node)).then(|| self.text(node))
    }

    /// The word at the beginning of a list.
    fn head(&self, node: Node) -> Option<&'t str> {
        self.atom(*self.children(node).first()?)
    }

    /// What stands behind a keyword in a list.
    fn behind(&self, node: Node, keyword: &str) -> Option<Node> {
        let children = self.children(node);
        let at = children.iter().position(|c| self.atom(*c) == Some(keyword))?;
        children.get(at + 1).copied()
    }

    /// All nodes below a node, itself included.
    fn below(&self, node: Node) -> Vec<Node> {
        let (mut all, mut work) = (Vec::new(), vec![node]);
        while let Some(node) = work.pop() {
            all.push(node);
            work.extend(self.children(node));
        }
        all
    }
}

/// The names that a proof gives to terms and steps.
struct Names<'t> {
    tree: &'t Tree<'t>,
    terms: HashMap<&'t str, Node>,
    /// Variables of binders.
    bound: HashSet<&'t str>,
}

impl<'t> Names<'t> {
    fn collect(&mut self) {
        let tree = self.tree;
        for node in 0..tree.nodes.len() {
            match (tree.head(node), tree.children(node)) {
                (Some("!"), [_, term, ..]) => {
                    let name = tree.behind(node, ":named").and_then(|n| tree.atom(n));
                    self.terms.extend(name.map(|name| (name, *term)));
                }
                (Some("let"), [_, bindings, _]) => {
                    for binding in tree.children(*bindings) {
                        if let [name, term] = tree.children(*binding)
                            && let Some(name) = tree.atom(*name)
                        {
                            self.terms.insert(name, *term);
                        }
                    }
                }
                (Some(word), [_, variables, ..]) if BINDERS.contains(&word) => {
                    let pairs = tree.children(*variables).iter();
                    self.bound.extend(pairs.filter_map(|pair| tree.head(*pair)));
                }
                (Some("anchor"), _) => {
                    let pairs =
                        tree.behind(node, ":args").map(|args| tree.children(args)).unwrap_or_default();
                    self.bound.extend(pairs.iter().filter_map(|pair| tree.head(*pair)));
                }
                _ => {}
            }
        }
    }

    /// The named terms that some terms need, each after those that it needs. `None` if they are too many, or if there is a
    /// binder in one.
    fn needed(&self, terms: &[Node]) -> Option<Vec<&'t str>> {
        let (mut order, mut done, mut entered) = (Vec::new(), HashSet::new(), HashSet::new());
        let mut work: Vec<(Option<&'t str>, Node)> = terms.iter().map(|t| (None, *t)).collect();
        while let Some(&(name, term)) = work.last() {
            let first = name.is_none_or(|n| entered.insert(n));
            let mut more = Vec::new();
            if first {
                for node in self.tree.below(term) {
                    let Some(atom) = self.tree.atom(node) else { continue };
                    if BINDERS.contains(&atom) {
                        return None;
                    }
                    if let Some(named) = self.terms.get(atom).filter(|_| !done.contains(atom)) {
                        more.push((Some(atom), *named));
                    }
                }
                // A name in its own definition has no meaning.
                if more.iter().any(|(n, _)| n.is_some_and(|n| entered.contains(n))) {
                    return None;
                }
            }
            if more.is_empty() {
                work.pop();
                if let Some(name) = name.filter(|n| done.insert(*n)) {
                    order.push(name);
                }
            } else {
                if name.is_none() {
                    work.pop();
                }
                work.extend(more);
            }
            if work.len() + order.len() > MAX_NAMES {
                return None;
            }
        }
        Some(order)
    }

    /// A term as SMT-LIB writes it: without names, and with negative numbers as applications.
    fn written(&self, term: Node) -> String {
        enum Piece<'t> {
            Term(Node),
            Text(&'t str),
        }
        let (mut text, mut work) = (String::new(), vec![Piece::Term(term)]);
        while let Some(piece) = work.pop() {
            let node = match piece {
                Piece::Text(part) => {
                    text += part;
                    continue;
                }
                Piece::Term(node) => node,
            };
            match (self.tree.head(node), self.tree.children(node)) {
                (Some("!"), [_, term, ..]) => work.push(Piece::Term(*term)),
                (_, children) if self.tree.is_list(node) => {
                    text += "(";
                    work.push(Piece::Text(")"));
                    for child in children.iter().rev() {
                        work.extend([Piece::Text(" "), Piece::Term(*child)]);
                    }
                }
                _ => text += &number(self.tree.text(node)),
            }
        }
        text
    }

    /// The formula that premises hold and a conclusion does not.
    fn step(&self, rule: &str, node: Node, premises: &[Node], conclusion: &[Node]) -> Option<Step> {
        let used: Vec<Node> = premises.iter().chain(conclusion).copied().collect();
        let needed = self.needed(&used).filter(|_| premises.len() <= MAX_PREMISES)?;
        let mut refutation = "(and true".to_owned();
        for premise in premises {
            refutation += &format!(" {}", self.formula(*premise));
        }
        for part in conclusion {
            refutation += &format!(" (not {})", self.formula(*part));
        }
        refutation.push(')');
        for name in needed.iter().rev() {
            refutation = format!("(let (({name} {})) {refutation})", self.written(self.terms[name]));
        }
        Some(Step { rule: rule.to_owned(), text: self.tree.text(node).to_owned(), refutation })
    }

    /// A formula, or the disjunction that a clause stands for.
    fn formula(&self, node: Node) -> String {
        if self.tree.head(node) != Some("cl") {
            return self.written(node);
        }
        let parts: Vec<String> = self.tree.children(node)[1..].iter().map(|p| self.written(*p)).collect();
        format!("(or false {})", parts.join(" "))
    }
}

/// A number with its sign as an application: `(- 1)` for `-1`.
fn number(atom: &str) -> String {
    match atom.strip_prefix('-') {
        Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => format!("(- {digits})"),
        _ => atom.to_owned(),
    }
}

/// The steps of a proof in Alethe.
fn alethe(names: &Names<'_>, commands: &[Node]) -> Vec<Step> {
    let tree = names.tree;
    let mut steps = Vec::new();
    // Clauses by the names of their steps, and the steps that end a part with variables.
    let (mut clauses, mut open): (HashMap<&str, Node>, Vec<&str>) = (HashMap::new(), Vec::new());
    for &command in commands {
        match (tree.head(command), tree.children(command)) {
            (Some("assume"), [_, name, formula]) => {
                clauses.extend(tree.atom(*name).map(|name| (name, *formula)));
            }
            (Some("anchor"), _) => {
                let end = tree.behind(command, ":step").and_then(|n| tree.atom(n));
                open.extend(end.filter(|_| tree.behind(command, ":args").is_some()));
            }
            (Some("step"), [_, name, clause, ..]) => {
                let Some(name) = tree.atom(*name) else { continue };
                clauses.insert(name, *clause);
                let is_open = !open.is_empty();
                open.retain(|end| *end != name);
                let Some(rule) = tree.behind(command, ":rule").and_then(|n| tree.atom(n)) else { continue };
                let args = tree.behind(command, ":args").map(|args| tree.children(args)).unwrap_or_default();
                let premises =
                    tree.behind(command, ":premises").map(|p| tree.children(p)).unwrap_or_default();
                let is_rewrite = rule == HOLE
                    && premises.is_empty()
                    && args.first().is_some_and(|a| tree.text(*a) == REWRITE);
                let is_local = is_rewrite || ALETHE.split_whitespace().any(|known| known == rule);
                if is_open || !is_local || tree.behind(command, ":discharge").is_some() {
                    continue;
                }
                let known = |p: &Node| clauses.get(tree.atom(*p)?).copied();
                let Some(premises) = premises.iter().map(known).collect::<Option<Vec<Node>>>() else {
                    continue;
                };
                let conclusion = &tree.children(*clause)[1..];
                if tree.head(*clause) == Some("cl") {
                    steps.extend(names.step(rule, command, &premises, conclusion));
                }
            }
            _ => {}
        }
    }
    steps
}

/// The steps of a proof of z3: an application whose last argument is the conclusion, and the others premises.
fn z3(names: &Names<'_>) -> Vec<Step> {
    let tree = names.tree;
    let mut steps = Vec::new();
    for node in 0..tree.nodes.len() {
        let children = tree.children(node);
        let (Some(&first), [_, premises @ .., conclusion]) = (children.first(), children) else { continue };
        let rule = match (tree.atom(first), tree.children(first)) {
            (Some(word), _) if Z3.split_whitespace().any(|known| known == word) => word.to_owned(),
            (None, [index, lemma, theory, ..])
                if tree.atom(*index) == Some("_")
                    && tree.atom(*lemma) == Some(THEORY_LEMMA)
                    && tree.atom(*theory).is_some_and(|t| THEORIES.contains(&t)) =>
            {
                format!("{THEORY_LEMMA} {}", tree.text(*theory))
            }
            _ => continue,
        };
        let proved = |p: &Node| {
            let step = match tree.atom(*p) {
                Some(name) => *names.terms.get(name).filter(|_| name.starts_with('@'))?,
                None => *p,
            };
            tree.children(step).last().copied().filter(|_| tree.children(step).len() > 1)
        };
        let Some(premises) = premises.iter().map(proved).collect::<Option<Vec<Node>>>() else { continue };
        steps.extend(names.step(&rule, node, &premises, &[*conclusion]));
    }
    steps
}
