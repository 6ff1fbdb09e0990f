//! Visits the words of a size one after the other, or jumps to the word with a given number.
//!
//! A word is a list of choices in the order of printing: which production, and how the size is divided among its
//! symbols. To get the next word, the last choice that has another value takes it, and all later choices take their
//! first value. So a step changes few choices, and only the end of the text is written again. Words are ordered by
//! their choices, from first to last. The counts of words say how many words each choice skips, so any word can be
//! found by its number.
//!
//! The symbols that remain to be printed at a choice are a linked list of frames, from the inside out.

use dashu_base::{DivRem, SquareRoot};
use dashu_int::UBig;

use super::count::{Counts, Kind, Tail};
use super::grammar::{Grammar, Nt, Symbol};

/// The rest of a production that is still to be printed.
#[derive(Clone, Copy, Debug)]
struct Frame {
    nt: u32,
    production: u32,
    /// The next symbol.
    at: u32,
    /// The size that what follows has together.
    size: u32,
    /// The end of the production from here on.
    tail: u32,
    /// The frame around it, or NONE.
    around: u32,
    /// Where the choices of the word before begin, which this one must not come before; or NONE.
    mirror: u32,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Choice {
    what: What,
    /// The number of frames and the length of the text before it.
    frames: u32,
    text: u32,
}

#[derive(Clone, Copy, Debug)]
enum What {
    /// Which production of a nonterminal of a size; the frame to continue with after it.
    Production { nt: u32, size: u32, production: u32, then: u32 },
    /// Which size the nonterminal at a symbol of a frame gets, by its place in the order of sizes.
    Split { frame: u32, at: u32, place: u32 },
}

/// What comes next.
enum Todo {
    /// A production for a nonterminal of a size, and then a frame.
    Expand { nt: Nt, size: usize, then: u32 },
    /// The rest of a frame.
    Frame(u32),
}

/// How choices are made.
enum Guide {
    /// The first value there is; or, while there are some left, as in this range of choices.
    First { again: std::ops::Range<usize> },
    /// By the number of a word: for each frame, the number of what follows in it; and that of the word at hand.
    Number { frames: Vec<UBig>, here: UBig },
}

impl Guide {
    fn first() -> Guide {
        Guide::First { again: 0..0 }
    }
}

/// A word of a grammar, and what it takes to find the next.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    start: Nt,
    frames: Vec<Frame>,
    choices: Vec<Choice>,
    text: Vec<u8>,
}

impl Walk {
    /// For words of a nonterminal.
    pub(super) fn new(start: Nt) -> Walk {
        Walk { start, frames: Vec::new(), choices: Vec::new(), text: Vec::new() }
    }

    /// The word.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Goes to the first word of a size; false if there is none. Counts must reach that size.
    pub(super) fn first(&mut self, grammar: &Grammar, counts: &Counts, size: usize) -> bool {
        self.restart();
        let there = counts.has(self.start, size);
        if there {
            let todo = Todo::Expand { nt: self.start, size, then: NONE };
            self.run(grammar, counts, todo, Guide::first());
        }
        there
    }

    /// Goes to the word of a number among those of a size, which must be below their count.
    pub(super) fn seek(&mut self, grammar: &Grammar, counts: &Counts, size: usize, number: UBig) {
        self.restart();
        let todo = Todo::Expand { nt: self.start, size, then: NONE };
        self.run(grammar, counts, todo, Guide::Number { frames: Vec::new(), here: number });
    }

    /// Goes to the next word of the same size; false after the last.
    pub(super) fn next(&mut self, grammar: &Grammar, counts: &Counts) -> bool {
        while let Some(choice) = self.choices.pop() {
            self.frames.truncate(choice.frames as usize);
            self.text.truncate(choice.text as usize);
            let mut guide = Guide::first();
            let todo = match choice.what {
                What::Production { nt, size, production, then } => {
                    let (nt, size) = (nt as usize, size as usize);
                    let other = fitting(grammar, counts, nt, size, production as usize + 1).next();
                    other.map(|p| self.produce(grammar, counts, (nt, size, p, then), &mut guide))
                }
                What::Split { frame, at, place } => {
                    let f = self.frames[frame as usize];
                    let next = counts.next_split(f.tail as Tail, f.size as usize, place as usize + 1);
                    next.map(|(place, m)| {
                        self.note(What::Split { frame, at, place: place as u32 });
                        self.share(grammar, counts, (f, at, m), &mut guide, UBig::ZERO)
                    })
                }
            };
            if let Some(todo) = todo {
                self.run(grammar, counts, todo, guide);
                return true;
            }
        }
        false
    }

    fn restart(&mut self) {
        self.frames.clear();
        self.choices.clear();
        self.text.clear();
    }

    fn note(&mut self, what: What) {
        let (frames, text) = (self.frames.len() as u32, self.text.len() as u32);
        self.choices.push(Choice { what, frames, text });
    }

    /// Prints and chooses to the end of the word.
    fn run(&mut self, grammar: &Grammar, counts: &Counts, mut todo: Todo, mut guide: Guide) {
        loop {
            match todo {
                Todo::Expand { nt, size, then } => {
                    let production = self.choose_production(grammar, counts, nt, size, &mut guide);
                    todo = self.produce(grammar, counts, (nt, size, production, then), &mut guide);
                }
                Todo::Frame(frame) => {
                    let f = self.frames[frame as usize];
                    let symbols =
                        &grammar.nonterminals[f.nt as usize].productions[f.production as usize].symbols;
                    let mut at = f.at;
                    while let Some(Symbol::Text(text)) = symbols.get(at as usize) {
                        self.text.extend_from_slice(text.as_bytes());
                        at += 1;
                    }
                    if at as usize == symbols.len() {
                        if f.around == NONE {
                            return;
                        }
                        todo = Todo::Frame(f.around);
                        continue;
                    }
                    todo = self.choose_size(grammar, counts, (frame, f, at), &mut guide);
                }
            }
        }
    }

    fn choose_production(
        &self,
        grammar: &Grammar,
        counts: &Counts,
        nt: Nt,
        size: usize,
        guide: &mut Guide,
    ) -> usize {
        match guide {
            Guide::First { again } => match again.next().map(|at| self.choices[at].what) {
                Some(What::Production { production, .. }) => production as usize,
                _ => fitting(grammar, counts, nt, size, 0).next().unwrap_or(0),
            },
            Guide::Number { here, .. } => {
                let inner = size - grammar.nonterminals[nt].cost;
                let mut chosen = 0;
                for p in fitting(grammar, counts, nt, size, 0) {
                    chosen = p;
                    let count = counts.tails(counts.entry(nt, p), inner);
                    if *here < *count {
                        break;
                    }
                    *here -= count;
                }
                chosen
            }
        }
    }

    /// Takes a production.
    fn produce(
        &mut self,
        grammar: &Grammar,
        counts: &Counts,
        (nt, size, production, then): (Nt, usize, usize, u32),
        guide: &mut Guide,
    ) -> Todo {
        self.note(What::Production { nt: nt as u32, size: size as u32, production: production as u32, then });
        let frame = Frame {
            nt: nt as u32,
            production: production as u32,
            at: 0,
            size: (size - grammar.nonterminals[nt].cost) as u32,
            tail: counts.entry(nt, production) as u32,
            around: then,
            mirror: NONE,
        };
        let number = match guide {
            Guide::First { .. } => UBig::ZERO,
            Guide::Number { here, .. } => std::mem::take(here),
        };
        Todo::Frame(self.push(frame, guide, number))
    }

    fn push(&mut self, frame: Frame, guide: &mut Guide, number: UBig) -> u32 {
        if let Guide::Number { frames, .. } = guide {
            frames.push(number);
        }
        self.frames.push(frame);
        (self.frames.len() - 1) as u32
    }

    /// Chooses the size of the nonterminal at a symbol of a frame.
    fn choose_size(
        &mut self,
        grammar: &Grammar,
        counts: &Counts,
        (frame, f, at): (u32, Frame, u32),
        guide: &mut Guide,
    ) -> Todo {
        let (tail, size) = (f.tail as Tail, f.size as usize);
        if let Guide::First { again } = guide
            && f.mirror != NONE
            && again.start >= again.end
        {
            *again = f.mirror as usize..self.choices.len();
        }
        let mut number = match guide {
            Guide::First { .. } => UBig::ZERO,
            Guide::Number { frames, .. } => std::mem::take(&mut frames[frame as usize]),
        };
        if counts.is_last(tail) {
            return self.share(grammar, counts, (f, at, size), guide, number);
        }
        let mut chosen = match guide {
            Guide::First { again } => match again.next().map(|at| self.choices[at].what) {
                Some(What::Split { place, .. }) => counts.next_split(tail, size, place as usize),
                _ => counts.next_split(tail, size, 0),
            },
            Guide::Number { .. } => counts.next_split(tail, size, 0),
        };
        if let Guide::Number { .. } = guide {
            while let Some((place, m)) = chosen {
                let count = counts.split(tail, size, m);
                if number < count {
                    break;
                }
                number -= count;
                chosen = counts.next_split(tail, size, place + 1);
            }
        }
        let Some((place, m)) = chosen else { unreachable!("a frame with a size has a way to share it out") };
        self.note(What::Split { frame, at, place: place as u32 });
        self.share(grammar, counts, (f, at, m), guide, number)
    }

    /// Gives the nonterminal at a symbol of a frame its size; `number` is that of what follows with this size.
    fn share(
        &mut self,
        grammar: &Grammar,
        counts: &Counts,
        (f, at, m): (Frame, u32, usize),
        guide: &mut Guide,
        number: UBig,
    ) -> Todo {
        let rest = f.size as usize - m;
        let symbols = &grammar.nonterminals[f.nt as usize].productions[f.production as usize].symbols;
        let Symbol::Nt(nt) = symbols[at as usize] else { unreachable!("a size is for a nonterminal") };
        let (tail, mirror) = match counts.kind(f.tail as Tail) {
            Kind::Cons(_, tail) => (tail, NONE),
            // Of two words of equal size in any order, the second starts where the first one is.
            Kind::Pair(a, b) if a == b && rest == m => (counts.alone(b), self.choices.len() as u32),
            Kind::Pair(_, b) => (counts.alone(b), NONE),
            Kind::Empty => unreachable!("a nonterminal is left in the tail"),
        };
        let mut after = UBig::ZERO;
        if let Guide::Number { here, .. } = guide {
            (*here, after) = match mirror {
                NONE => number.div_rem(counts.tails(tail, rest)),
                _ => unpair(number, counts.words(nt, m)),
            };
        }
        let then = Frame { at: at + 1, size: rest as u32, tail: tail as u32, mirror, ..f };
        let then = self.push(then, guide, after);
        Todo::Expand { nt, size: m, then }
    }
}

/// The productions of a nonterminal that have words of a size.
fn fitting<'a>(
    grammar: &'a Grammar,
    counts: &'a Counts,
    nt: Nt,
    size: usize,
    from: usize,
) -> impl Iterator<Item = usize> + 'a {
    let inner = size - grammar.nonterminals[nt].cost;
    let all = from..grammar.nonterminals[nt].productions.len();
    all.filter(move |p| counts.tail_has(counts.entry(nt, *p), inner))
}

/// The number of a pair of words with numbers `a <= b` among `count`, where the first counts most.
pub(super) fn pair(a: &UBig, b: &UBig, count: &UBig) -> UBig {
    // Before the pairs that start with a: those that start with less, which are count, count - 1, .. many.
    a * count - triangle(a) + b - a
}

/// 0 + 1 + .. + (a - 1).
fn triangle(a: &UBig) -> UBig {
    if a.is_zero() { UBig::ZERO } else { a * (a - UBig::ONE) / UBig::from(2u8) }
}

/// The pair of a number.
fn unpair(number: UBig, count: &UBig) -> (UBig, UBig) {
    // Counted from the end, pairs that start with the last k words are k * (k + 1) / 2 many.
    let back = triangle(&(count + UBig::ONE)) - UBig::ONE - &number;
    let mut k = ((UBig::from(8u8) * &back + UBig::ONE).sqrt() - UBig::ONE) / UBig::from(2u8);
    // k words come after the first one.
    if triangle(&(&k + UBig::from(2u8))) <= back {
        k += UBig::ONE;
    }
    let a = count - UBig::ONE - &k;
    let b = number + triangle(&a) + &a - &a * count;
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        for count in 1u32..8 {
            let count = UBig::from(count);
            let mut number = UBig::ZERO;
            let mut a = UBig::ZERO;
            while a < count {
                let mut b = a.clone();
                while b < count {
                    assert_eq!(pair(&a, &b, &count), number);
                    assert_eq!(unpair(number.clone(), &count), (a.clone(), b.clone()));
                    number += UBig::ONE;
                    b += UBig::ONE;
                }
                a += UBig::ONE;
            }
        }
    }
}
