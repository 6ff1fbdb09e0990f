//! Phrases that we do not use, in comments, strings and documentation. The list is data: `xtask/phrases.txt`.

use std::path::Path;

use crate::root;
use crate::source::{self, Kind};

const LIST: &str = include_str!("../phrases.txt");

/// A phrase as lower-case words, and what to write instead.
struct Phrase {
    words: Vec<String>,
    instead: &'static str,
}

fn list() -> Vec<Phrase> {
    let entries = LIST.lines().filter(|line| !line.starts_with('#'));
    let entry = |line: &'static str| {
        let (phrase, instead) = line.split_once(" = ")?;
        Some(Phrase { words: phrase.split(' ').map(str::to_owned).collect(), instead })
    };
    entries.filter_map(entry).collect()
}

/// Fails if a file has a phrase of the list, and says where.
pub(crate) fn check() -> Result<(), String> {
    let phrases = list();
    let mut found = Vec::new();
    for file in source::files(&root(), &["rs", "md", "toml"]) {
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let name = file.strip_prefix(root()).unwrap_or(&file).display().to_string();
        found.extend(
            uses(&phrases, &file, &text).into_iter().map(|(line, use_)| format!("{name}:{line}: {use_}")),
        );
    }
    if found.is_empty() { Ok(()) } else { Err(format!("phrases that we do not use:\n{}", found.join("\n"))) }
}

/// The phrases in a file, with their lines.
fn uses(phrases: &[Phrase], file: &Path, text: &str) -> Vec<(usize, String)> {
    let words = match file.extension().is_some_and(|e| e == "rs") {
        false => words(text),
        // Code is hidden, not left out: lines keep their numbers.
        true => {
            let shown = source::parts(text).into_iter().map(|(kind, range)| match kind {
                Kind::Code => text[range].chars().map(|c| if c.is_whitespace() { c } else { ';' }).collect(),
                Kind::Comment | Kind::Text => text[range].to_owned(),
            });
            words(&shown.collect::<String>())
        }
    };
    let starts_with = |at: usize, phrase: &Phrase| {
        let here = words.get(at..at + phrase.words.len());
        here.is_some_and(|here| here.iter().map(|w| &w.1).eq(&phrase.words))
    };
    let uses = (0..words.len()).flat_map(|at| phrases.iter().map(move |phrase| (at, phrase)));
    // "There is no proof" says what it means.
    let is_plain = |at: usize, phrase: &Phrase| {
        phrase.words.starts_with(&["is".to_owned(), "no".to_owned()]) && at > 0 && words[at - 1].1 == "there"
    };
    let uses = uses.filter(|(at, phrase)| starts_with(*at, phrase) && !is_plain(*at, phrase));
    uses.map(|(at, p)| (words[at].0, format!("\"{}\": write \"{}\"", p.words.join(" "), p.instead))).collect()
}

/// Words in lower case with their lines. What stands between two words that is more than space, a line end with the mark of
/// a comment, or emphasis, is an empty word.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_start().trim_start_matches(['/', '!', '>', '#']);
        for word in line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_' && c != '-') {
            let end = word.chars().next_back().filter(|c| !c.is_alphanumeric() && *c != '_' && *c != '-');
            let name = end.map_or(word, |end| word.strip_suffix(end).unwrap_or(word));
            if !name.is_empty() {
                words.push((number + 1, name.to_lowercase()));
            }
            if end.is_some_and(|c| !c.is_whitespace() && !matches!(c, '*' | '`')) {
                words.push((number + 1, String::new()));
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_are_found_in_comments_strings_and_text_but_not_in_code() {
        let phrases = [Phrase { words: vec!["so".to_owned(), "odd".to_owned()], instead: "odd" }];
        let lines = |file: &str, text: &str| -> Vec<usize> {
            uses(&phrases, Path::new(file), text).into_iter().map(|(line, _)| line).collect()
        };
        assert_eq!(lines("a.md", "It is so odd.\nIt is *So*\n> odd; so, odd; so odder\n"), [1, 2]);
        let code = "/// It is so\n/// odd.\nfn so_odd() { so odd; }\nlet a = \"so odd\";\n// so\nodd\n";
        assert_eq!(lines("a.rs", code), [1, 4]);
    }

    #[test]
    fn what_is_not_there_may_be_said() {
        let phrases =
            [Phrase { words: ["is", "no", "cheese"].map(str::to_owned).to_vec(), instead: "a vote" }];
        let text = "There is no cheese.\nA vote is no cheese.\n";
        assert_eq!(
            uses(&phrases, Path::new("a.md"), text),
            [(2, "\"is no cheese\": write \"a vote\"".to_owned())]
        );
    }

    #[test]
    fn every_entry_of_the_list_is_read() {
        let entries = LIST.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).count();
        assert_eq!(list().len(), entries);
        assert!(list().iter().all(|p| p.words.iter().all(|w| !w.is_empty() && *w == w.to_lowercase())));
    }
}
