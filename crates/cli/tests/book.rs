//! The book: every command in it is run, and prints what the book says.
//!
//! In a block marked `console`, lines that begin with `$` are commands, and what follows is what they print. The commands of a chapter run
//! in order, in one folder. `$ cat FILE` makes a file that is not there yet, and a program of one that begins with `#!`. A line `...` stands for any lines, `[..]` for any part of a line,
//! and times need not be the same. What is printed is stdout; of a command that fails, stderr. Any code but 0 and 10 must be shown,
//! by `$ echo $?`. A block behind `<!-- needs z3 -->` runs only in the test with these needs; all others have no solver but the built-in one.
//!
//! `SMELT_BLESS=1 cargo test -p smelt book` writes what is printed into the book.

use crate::common::{Folder, text};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/book/src")
}

/// The pages that are not part of the reference, and those of the reference whose commands are run.
fn chapters() -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = std::fs::read_dir(book()).unwrap().map(|f| f.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|e| e == "md") && !path.ends_with("SUMMARY.md"));
    all.push(book().join("reference/fusion.md"));
    all.sort();
    all
}

struct Step {
    command: String,
    /// The lines of the page that say what is printed.
    lines: std::ops::Range<usize>,
    needs: String,
}

/// The commands of a page.
fn steps(lines: &[String]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let (mut is_console, mut needs, mut fence) = (false, String::new(), String::new());
    let mut at = 0;
    while at < lines.len() {
        let line = &lines[at];
        if let Some(said) = line.strip_prefix("<!-- needs ").and_then(|l| l.strip_suffix(" -->")) {
            said.clone_into(&mut needs);
        } else if is_console && *line == fence {
            is_console = false;
            needs.clear();
        } else if let (false, Some(ticks)) = (is_console, line.strip_suffix("console"))
            && ticks.starts_with("```")
        {
            // A block that shows fences has a longer one.
            ticks.clone_into(&mut fence);
            is_console = true;
        } else if let (true, Some(command)) = (is_console, line.strip_prefix("$ ")) {
            let mut command = command.to_owned();
            while command.ends_with('\\') {
                at += 1;
                command = format!("{command}\n{}", lines[at]);
            }
            steps.push(Step { command, lines: at + 1..at + 1, needs: needs.clone() });
        } else if is_console {
            let last = steps.last_mut().expect("a console block begins with a command");
            last.lines.end = at + 1;
        }
        at += 1;
    }
    steps
}

/// Where the commands of a chapter run.
struct Shell {
    folder: Folder,
    home: Folder,
    /// With the solvers and the home folder of the user who runs the test.
    is_real: bool,
    code: i32,
}

impl Shell {
    fn new(is_real: bool) -> Shell {
        let (folder, home) = (Folder::new("book"), Folder::new("book-home"));
        let programs = home.0.join("bin");
        std::fs::create_dir(&programs).unwrap();
        let link = |from: &Path, name: &str| std::os::unix::fs::symlink(from, programs.join(name)).unwrap();
        link(Path::new(env!("CARGO_BIN_EXE_smelt")), "smelt");
        for name in ["sh", "cat", "cp", "env", "grep", "head", "ls", "mkdir", "sed", "sort", "tail", "wc"] {
            let places = ["/bin", "/usr/bin"].map(|place| Path::new(place).join(name));
            link(places.iter().find(|p| p.exists()).expect("a common program"), name);
        }
        Shell { folder, home, is_real, code: 0 }
    }

    /// Runs a command; the lines that it prints.
    fn run(&mut self, command: &str) -> Vec<String> {
        if command == "echo $?" {
            return vec![std::mem::take(&mut self.code).to_string()];
        }
        assert!(matches!(self.code, 0 | 10), "the command before `{command}` ended with {}", self.code);
        let programs = self.home.path("bin");
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", command]).current_dir(&self.folder.0).env("COLUMNS", "80");
        match self.is_real {
            true => shell.env("PATH", format!("{programs}:{}", std::env::var("PATH").unwrap())),
            false => shell.env("PATH", programs).env("HOME", &self.home.0).env_remove("XDG_CACHE_HOME"),
        };
        let out = shell.output().unwrap();
        self.code = out.status.code().unwrap();
        let is_refused = !matches!(self.code, 0 | 10) && !out.stderr.is_empty();
        let printed = text(if is_refused { &out.stderr } else { &out.stdout });
        printed
            .replace(&self.folder.0.display().to_string(), "/home/me")
            .replace(&self.home.0.display().to_string(), "/home/me")
            .trim_end()
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

/// A line without what may differ: the width of gaps, and times.
fn settled(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &str| word.trim_start_matches('(').parse::<f64>().is_ok();
    let is_unit = |word: &str| matches!(word.trim_matches([',', ';', '.', ':', ')']), "ms" | "s");
    let is_rate = |word: &str| word.split_once("/s").is_some_and(|(number, _)| is_number(number));
    let is_time = |i: usize| {
        is_rate(words[i]) || is_number(words[i]) && words.get(i + 1).is_some_and(|next| is_unit(next))
    };
    let settled: Vec<&str> = (0..words.len()).map(|i| if is_time(i) { "#" } else { words[i] }).collect();
    settled.join(" ")
}

fn line_matches(expected: &str, printed: &str) -> bool {
    let (expected, printed) = (settled(expected), settled(printed));
    let parts: Vec<&str> = expected.split("[..]").collect();
    let [first, middle @ .., last] = &parts[..] else { return expected == printed };
    let Some(mut rest) = printed.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

fn matches(expected: &[String], printed: &[String]) -> bool {
    match expected {
        [] => printed.is_empty(),
        [any, rest @ ..] if any == "..." => (0..=printed.len()).any(|n| matches(rest, &printed[n..])),
        [line, rest @ ..] => {
            printed.first().is_some_and(|p| line_matches(line, p)) && matches(rest, &printed[1..])
        }
    }
}

/// Runs the blocks of a page that have no needs but these; what went wrong.
fn try_page(page: &Path, needs: &str) -> Vec<String> {
    let mut lines: Vec<String> = std::fs::read_to_string(page).unwrap().lines().map(str::to_owned).collect();
    let all = steps(&lines);
    let is_met = |step: &Step| {
        step.needs.is_empty() || step.needs.split(", ").all(|need| needs.split(", ").any(|n| n == need))
    };
    if !needs.is_empty() && all.iter().all(|step| step.needs.is_empty()) {
        return Vec::new();
    }
    let mut shell = Shell::new(!needs.is_empty());
    let (mut wrong, mut changes) = (Vec::new(), Vec::new());
    for step in all.iter().filter(|step| is_met(step)) {
        let expected = lines[step.lines.clone()].to_vec();
        if let Some(file) = step.command.strip_prefix("cat ")
            && !shell.folder.0.join(file).exists()
        {
            shell.folder.file(file, &(expected.join("\n") + "\n"));
            if expected.first().is_some_and(|line| line.starts_with("#!")) {
                let path = shell.folder.0.join(file);
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
            }
            continue;
        }
        let printed = shell.run(&step.command);
        // What needs nothing is compared where there is nothing.
        if shell.is_real == step.needs.is_empty() {
            continue;
        }
        if !matches(&expected, &printed) {
            let place = format!("{}:{}", page.display(), step.lines.start);
            wrong.push(format!("{place}: `{}` prints\n{}", step.command, printed.join("\n")));
            changes.push((step.lines.clone(), printed));
        }
    }
    if std::env::var_os("SMELT_BLESS").is_some() && !changes.is_empty() {
        for (range, printed) in changes.into_iter().rev() {
            lines.splice(range, printed);
        }
        std::fs::write(page, lines.join("\n") + "\n").unwrap();
    }
    wrong
}

/// Runs the chapters with these needs, several at a time.
fn try_book(needs: &str) {
    let queue = std::sync::Mutex::new(chapters());
    let wrong = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(page) = queue.lock().unwrap().pop() else { return };
                    let more = try_page(&page, needs);
                    wrong.lock().unwrap().extend(more);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} commands print something else:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn the_book_shows_what_commands_print() {
    try_book("");
}

#[test]
#[ignore = "needs z3, cvc5, z3@4.5.1.0.post2, z3@4.8.5"]
fn the_book_shows_what_commands_print_with_solvers() {
    try_book("z3, cvc5, z3@4.5.1.0.post2, z3@4.8.5");
}

#[test]
fn output_is_compared_by_lines_parts_and_without_times() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&lines("a\n...\nz 3 ms"), &lines("a\nb\nc\nz   17 ms")));
    assert!(matches(&lines("a [..], b"), &lines("a xyz, b")));
    assert!(!matches(&lines("a [..], b"), &lines("a xyz, c")));
    assert!(!matches(&lines("a"), &lines("a\nb")));
    assert!(!matches(&lines("3 tests"), &lines("4 tests")));
}

/// The lines of a page outside of code.
fn prose(page: &str) -> Vec<&str> {
    let mut fence = None;
    let is_prose = |line: &&str| {
        let ticks = line.trim_start().chars().take_while(|c| *c == '`').count();
        match fence {
            None if ticks >= 3 => fence = Some(ticks),
            Some(open) if ticks == open => fence = None,
            open => return open.is_none(),
        }
        false
    };
    page.lines().filter(is_prose).collect()
}

/// All pages of the project, with their text.
fn pages() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let (mut folders, mut pages) = (vec![root.join("docs")], Vec::new());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&root).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|path| path.is_file());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|path| path.extension().is_some_and(|e| e == "md"));
    files.sort();
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        pages.push((path, text));
    }
    pages
}

/// The targets of the links on a page.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(page) {
        // What stands between backquotes is no link.
        let line: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        found.extend(targets.map(str::to_owned));
    }
    found
}

/// The name by which a heading is linked to.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    for (path, page) in pages() {
        for link in links(&page).iter().filter(|link| !link.starts_with("http")) {
            let (file, part) = link.split_once('#').map_or((link.as_str(), None), |(f, p)| (f, Some(p)));
            let to = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let has_part = |part: &str| {
                let page = std::fs::read_to_string(&to).unwrap_or_default();
                prose(&page).iter().any(|line| line.starts_with('#') && anchor(line) == part)
            };
            if !to.exists() || part.is_some_and(|part| !has_part(part)) {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = links(&std::fs::read_to_string(book().join("SUMMARY.md")).unwrap());
    let mut listed: Vec<PathBuf> =
        summary.iter().map(|link| book().join(link).canonicalize().unwrap()).collect();
    listed.sort();
    let own = book().canonicalize().unwrap();
    let pages = pages().into_iter().map(|(path, _)| path);
    let there: Vec<PathBuf> =
        pages.filter(|path| path.starts_with(&own) && !path.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, there);
}

#[test]
fn no_sentence_stands_twice() {
    let mut seen = std::collections::BTreeMap::new();
    let mut twice = Vec::new();
    for (path, page) in pages() {
        // What a release brought may be said again. Pages of findings and experiments are made by programs, each complete
        // by itself.
        let is_made =
            |folder: &Path| folder.ends_with("docs/findings") || folder.ends_with("docs/experiments");
        let is_finding = path.parent().is_some_and(is_made);
        if path.ends_with("CHANGELOG.md") || is_finding {
            continue;
        }
        let text =
            prose(&page).iter().map(|l| if l.is_empty() { ". " } else { l.trim() }).collect::<Vec<_>>();
        let text = text.join(" ");
        for sentence in text.split(['.', '|']).map(str::trim).filter(|s| s.split(' ').count() >= 8) {
            if let Some(before) = seen.insert(sentence.to_owned(), path.clone()) {
                twice.push(format!("{} and {}: {sentence}", before.display(), path.display()));
            }
        }
    }
    assert!(twice.is_empty(), "{}", twice.join("\n"));
}
