//! The difference between two scripts, token by token.

use maud::{Markup, html};
use smelt_smtlib::{Lexer, TokenKind};

use crate::highlight::code;

/// More differences than this are not listed one by one.
const MOST: usize = 400;
/// Longer scripts are not compared, in tokens.
const LONGEST: usize = 20_000;
/// Unchanged tokens that are shown around a difference.
const AROUND: usize = 14;

/// A run of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Same(&'a str),
    Left(&'a str),
    Right(&'a str),
}

/// The tokens of a script, each with the place of its end; comments and spaces are not compared.
fn tokens(text: &str) -> Option<Vec<&str>> {
    let mut lexer = Lexer::new(text.as_bytes()).ok()?;
    let mut all = Vec::new();
    loop {
        let token = lexer.next_token().ok()?;
        if token.kind == TokenKind::End {
            return Some(all);
        }
        all.push(text.get(token.start as usize..token.end as usize)?);
        if all.len() > LONGEST {
            return None;
        }
    }
}

/// The shortest list of changes from `a` to `b`; `None` if they differ in more than `MOST` tokens.
fn compare<'a>(a: &[&'a str], b: &[&'a str]) -> Option<Vec<Piece<'a>>> {
    // For each number of changes, how far each diagonal was reached; paths are read back from these.
    let (n, m) = (a.len() as isize, b.len() as isize);
    let size = 2 * MOST + 3;
    let middle = MOST as isize + 1;
    let mut far = vec![0isize; size];
    let mut trace: Vec<Vec<isize>> = Vec::new();
    let at = |k: isize| (k + middle) as usize;
    for d in 0..=MOST as isize {
        trace.push(far.clone());
        let mut k = -d;
        while k <= d {
            let down = k == -d || (k != d && far[at(k - 1)] < far[at(k + 1)]);
            let mut x = if down { far[at(k + 1)] } else { far[at(k - 1)] + 1 };
            let mut y = x - k;
            while x < n && y < m && a[x as usize] == b[y as usize] {
                (x, y) = (x + 1, y + 1);
            }
            far[at(k)] = x;
            if x >= n && y >= m {
                return Some(read_back(a, b, &trace, middle));
            }
            k += 2;
        }
    }
    None
}

fn read_back<'a>(a: &[&'a str], b: &[&'a str], trace: &[Vec<isize>], middle: isize) -> Vec<Piece<'a>> {
    let (mut x, mut y) = (a.len() as isize, b.len() as isize);
    let mut pieces = Vec::new();
    for (d, far) in trace.iter().enumerate().rev() {
        let (d, k) = (d as isize, x - y);
        let reached = |k: isize| far[(k + middle) as usize];
        let down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
        let before_k = if down { k + 1 } else { k - 1 };
        let (from_x, from_y) = match d {
            0 => (0, 0),
            _ => (reached(before_k), reached(before_k) - before_k),
        };
        let start_x = if d == 0 {
            0
        } else if down {
            from_x
        } else {
            from_x + 1
        };
        while x > start_x && x > 0 && y > 0 && a[x as usize - 1] == b[y as usize - 1] {
            pieces.push(Piece::Same(a[x as usize - 1]));
            (x, y) = (x - 1, y - 1);
        }
        if d > 0 {
            pieces.push(if down {
                Piece::Right(b[from_y as usize])
            } else {
                Piece::Left(a[from_x as usize])
            });
        }
        (x, y) = (from_x, from_y);
    }
    pieces.reverse();
    pieces
}

/// The changes from one script to another, with some text around each; `None` if they are too long or too different to
/// be compared, or equal.
pub(crate) fn difference(from: &str, to: &str) -> Option<Markup> {
    let (a, b) = (tokens(from)?, tokens(to)?);
    let pieces = compare(&a, &b)?;
    let is_same = |p: &Piece<'_>| matches!(p, Piece::Same(_));
    if pieces.iter().all(is_same) {
        return None;
    }
    let mut near = vec![false; pieces.len()];
    for (i, _) in pieces.iter().enumerate().filter(|(_, p)| !is_same(p)) {
        for place in near.iter_mut().take(i + AROUND + 1).skip(i.saturating_sub(AROUND)) {
            *place = true;
        }
    }
    let mut parts: Vec<Markup> = Vec::new();
    // How many parentheses are open in the second script: a command starts a line.
    let (mut i, mut last, mut open) = (0, "", 0i64);
    let level = |piece: &Piece<'_>| match piece {
        Piece::Same("(") | Piece::Right("(") => 1,
        Piece::Same(")") | Piece::Right(")") => -1,
        _ => 0,
    };
    while i < pieces.len() {
        if !near[i] {
            let end = (i..pieces.len()).find(|j| near[*j]).unwrap_or(pieces.len());
            open += pieces[i..end].iter().map(level).sum::<i64>();
            parts.push(html! { span.c { " .. " (end - i) " tokens .. " } });
            (i, last) = (end, "");
            continue;
        }
        // Neighbours of one kind become one run of text.
        let kind = std::mem::discriminant(&pieces[i]);
        let mut text = String::new();
        while i < pieces.len() && near[i] && std::mem::discriminant(&pieces[i]) == kind {
            let (Piece::Same(word) | Piece::Left(word) | Piece::Right(word)) = pieces[i];
            if !last.is_empty() && last != "(" && word != ")" {
                text.push(if word == "(" && open == 0 { '\n' } else { ' ' });
            }
            text.push_str(word);
            last = word;
            open += level(&pieces[i]);
            i += 1;
        }
        parts.push(match pieces[i - 1] {
            Piece::Same(_) => code(&text),
            Piece::Left(_) => html! { del { (text) } },
            Piece::Right(_) => html! { ins { (text) } },
        });
    }
    Some(html! { pre.diff tabindex="0" { @for part in parts { (part) } } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sides(a: &str, b: &str) -> (String, String, usize) {
        let (a, b) = (tokens(a).unwrap(), tokens(b).unwrap());
        let pieces = compare(&a, &b).unwrap();
        let join = |f: &dyn Fn(&Piece<'_>) -> Option<String>| {
            pieces.iter().filter_map(f).collect::<Vec<_>>().join(" ")
        };
        let left = join(&|p| match p {
            Piece::Same(w) | Piece::Left(w) => Some((*w).to_owned()),
            Piece::Right(_) => None,
        });
        let right = join(&|p| match p {
            Piece::Same(w) | Piece::Right(w) => Some((*w).to_owned()),
            Piece::Left(_) => None,
        });
        (left, right, pieces.iter().filter(|p| !matches!(p, Piece::Same(_))).count())
    }

    #[test]
    fn both_sides_can_be_read_from_a_comparison() {
        let texts = [
            "",
            "(assert (> x 1))",
            "(assert (>= x 1)) (check-sat)",
            "(check-sat)",
            "a b c a b b a",
            "c b a b a c",
        ];
        for a in texts {
            for b in texts {
                let (left, right, changes) = sides(a, b);
                assert_eq!(left, tokens(a).unwrap().join(" "));
                assert_eq!(right, tokens(b).unwrap().join(" "));
                assert_eq!(changes == 0, a == b);
            }
        }
        assert_eq!(sides("(assert (> x 1))", "(assert (>= x 1))").2, 2);
        assert_eq!(sides("a b c a b b a", "c b a b a c").2, 5, "as few as can be");
    }

    #[test]
    fn a_difference_is_escaped_and_bounded() {
        let shown = difference("(assert (= x \"<b>\"))", "(assert (= x \"<i>\"))").unwrap().into_string();
        assert!(shown.contains("<del>") && shown.contains("&lt;i&gt;") && !shown.contains("<i>"), "{shown}");
        assert!(difference("(a)", "(a) ; same").is_none());
        let long = "(assert true)".repeat(10_000);
        assert!(difference(&long, "(a)").is_none());
        let other: String = (0..2_000).map(|i| format!("x{i} ")).collect();
        assert!(difference(&other, "(a)").is_none());
    }
}
