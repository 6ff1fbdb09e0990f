//! `cargo xtask findings`: the bugs in `docs/findings`, one page each.
//!
//! `add` adds bugs of a campaign: the page is the output of `smelt bugs report`, and a row in `findings.json`
//! stores the facts of the page. Only bugs with evidence are added. Without an argument, the commands of every page
//! run again on the solvers that they name. `index` rewrites the index, for example after a manual change of the
//! column `seen` in the rows.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::reports::{self, Tally};
use crate::root;

/// A crash must reproduce in this many fresh processes before it gets a page.
const CRASHES: usize = 5;
/// Evidence that certifies a bug. A vote, a relation, or a solver's own check does not.
const CERTIFIED: [&str; 3] = ["model", "exhaustive", "construction"];

/// What to do with the pages.
enum Action {
    Check,
    Add { campaign: PathBuf, ids: Vec<String> },
    Index,
}

pub(super) struct Settings {
    action: Action,
    smelt: String,
}

impl Settings {
    pub(super) fn read(options: &[&str]) -> Option<Settings> {
        let (options, smelt) = match options {
            [rest @ .., "--smelt", smelt] => (rest, (*smelt).to_owned()),
            all => (all, "smelt".to_owned()),
        };
        let action = match options {
            [] => Action::Check,
            ["index"] => Action::Index,
            ["add", campaign, ids @ ..] => {
                Action::Add { campaign: campaign.into(), ids: ids.iter().map(|i| (*i).to_owned()).collect() }
            }
            _ => return None,
        };
        Some(Settings { action, smelt })
    }
}

pub(super) fn findings(s: &Settings) -> Result<(), String> {
    let mut pages = Pages::read(&root().join("docs/findings"))?;
    match &s.action {
        Action::Check => pages.check(&s.smelt),
        Action::Index => pages.write(),
        Action::Add { campaign, ids } => {
            pages.add(&s.smelt, campaign, ids)?;
            pages.write()
        }
    }
}

/// The pages, and a row for each.
struct Pages {
    folder: PathBuf,
    rows: Vec<Value>,
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

impl Pages {
    fn read(folder: &Path) -> Result<Pages, String> {
        let file = folder.join("findings.json");
        let rows = match std::fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).map_err(|e| format!("{}: {e}", file.display()))?,
            Err(_) => Vec::new(),
        };
        Ok(Pages { folder: folder.to_owned(), rows })
    }

    /// Runs the commands of every page.
    fn check(&self, smelt: &str) -> Result<(), String> {
        let s = reports::Settings { folder: self.folder.clone(), smelt: smelt.to_owned() };
        let mut tally = Tally::default();
        for row in &self.rows {
            let name = text(row, "name");
            let page = self.folder.join(format!("{name}.md"));
            let page = std::fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
            reports::exhibits(&s, &mut tally, name, &row["facts"], &page);
        }
        println!(
            "{} pages, {} commands, {} not as the page says",
            self.rows.len(),
            tally.run,
            tally.wrong.len()
        );
        if tally.wrong.is_empty() {
            Ok(())
        } else {
            Err(format!("not as the page says: {}", tally.wrong.join(", ")))
        }
    }

    fn add(&mut self, smelt: &str, campaign: &Path, ids: &[String]) -> Result<(), String> {
        let place = campaign.display().to_string();
        let bugs = read_json(smelt, &["bugs", &place, "--json"])?;
        let mut waiting = 0;
        for bug in bugs.as_array().into_iter().flatten() {
            let id = text(bug, "id");
            if !ids.is_empty() && !ids.iter().any(|i| i == id) {
                continue;
            }
            if bug["examined"] != true {
                waiting += 1;
                continue;
            }
            if let Err(why) = self.add_one(smelt, &place, bug, id) {
                println!("{id} {}: no page: {why}", text(bug, "fingerprint"));
            }
        }
        if waiting > 0 {
            println!("run `smelt bugs examine {place}` to reduce and group {waiting} findings");
        }
        Ok(())
    }

    fn add_one(&mut self, smelt: &str, place: &str, bug: &Value, id: &str) -> Result<(), String> {
        let is_crash = bug["kind"] == "crash";
        if !is_crash && !CERTIFIED.contains(&text(bug, "evidence")) {
            return Err(format!("not certified: {}", bug["evidence"]));
        }
        let report = read_json(smelt, &["bugs", "report", id, place, "--json"])?;
        let (facts, page) = (&report["facts"], text(&report, "markdown"));
        if !facts["fixed"].is_null() {
            return Err("fixed in the newest release".to_owned());
        }
        let s = reports::Settings { folder: place.into(), smelt: smelt.to_owned() };
        for _ in 0..if is_crash { CRASHES } else { 1 } {
            let mut tally = Tally::default();
            reports::exhibits(&s, &mut tally, id, facts, page);
            if tally.run == 0 || !tally.wrong.is_empty() {
                return Err("its commands do not show it each time".to_owned());
            }
        }
        let name = slug(text(bug, "fingerprint"));
        let kept = |part: &Value| json!({"script": part["script"], "actual": part["actual"]});
        let mut row = json!({
            "name": name, "title": facts["title"], "solver": bug["solver"], "kind": bug["kind"], "evidence": bug["evidence"],
            "priority": bug["priority"], "theory": facts["theory"], "fingerprint": bug["fingerprint"],
            "affected": facts["affected"]["summary"], "seen": "",
            "facts": {"shown": kept(&facts["shown"]), "larger": kept(&facts["larger"])},
        });
        let old = self.rows.iter().position(|r| r["name"] == row["name"]);
        if let Some(old) = old {
            row["seen"] = self.rows[old]["seen"].clone();
            if shown_bytes(&self.rows[old]) <= shown_bytes(&row) {
                return Err("it has a page already".to_owned());
            }
            self.rows.remove(old);
        }
        std::fs::create_dir_all(&self.folder)
            .and_then(|()| std::fs::write(self.folder.join(format!("{name}.md")), page))
            .map_err(|e| format!("{name}.md: {e}"))?;
        println!("{id}: docs/findings/{name}.md");
        self.rows.push(row);
        Ok(())
    }

    /// Writes the rows and the index, by priority and solver.
    fn write(&mut self) -> Result<(), String> {
        self.rows.sort_by_key(|r| {
            (r["priority"].as_u64(), text(r, "solver").to_owned(), text(r, "name").to_owned())
        });
        let json = serde_json::to_string_pretty(&self.rows).map_err(|e| e.to_string())? + "\n";
        for (name, text) in [("findings.json", json), ("index.md", self.index())] {
            std::fs::write(self.folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
        }
        Ok(())
    }

    fn index(&self) -> String {
        let mut out = String::from(HEAD);
        let mut solvers: Vec<&str> = self.rows.iter().map(|r| text(r, "solver")).collect();
        solvers.sort_unstable();
        solvers.dedup();
        let _ = writeln!(out, "\n| solver | bugs | not crashes |\n| --- | ---: | ---: |");
        for solver in &solvers {
            let of = self.rows.iter().filter(|r| text(r, "solver") == *solver);
            let wrong = of.clone().filter(|r| r["kind"] != "crash").count();
            let _ = writeln!(out, "| {solver} | {} | {wrong} |", of.count());
        }
        let _ = writeln!(out, "\n| priority | solver | bug | evidence | affected versions | seen before? |");
        let _ = writeln!(out, "| --- | --- | --- | --- | --- | --- |");
        for row in &self.rows {
            let cell = |name: &str| text(row, name).replace('|', "\\|");
            let title = cell("title");
            let title = title.split_once(": ").map_or(title.as_str(), |(_, what)| what);
            let evidence = if row["kind"] == "crash" { "5 of 5 runs" } else { text(row, "evidence") };
            let _ = writeln!(
                out,
                "| P{} | {} | [{title}]({}.md) | {evidence} | {} | {} |",
                row["priority"],
                cell("solver"),
                cell("name"),
                cell("affected"),
                cell("seen")
            );
        }
        out
    }
}

/// The beginning of the index.
const HEAD: &str = "\
# Bugs found by smelt

Bugs in the newest releases of solvers, each certified: a model, value or goal that smelt's evaluator finds false, a status that every assignment
or the construction of the formula proves, or a crash in five of five fresh processes. A page is what `smelt bugs report` prints. Its commands
work after `smelt solvers install` of the release that it names. `cargo xtask findings` runs all of them again.
";

fn shown_bytes(row: &Value) -> usize {
    row["facts"]["shown"]["script"].as_str().unwrap_or_default().len()
}

/// A fingerprint as the name of a file.
fn slug(fingerprint: &str) -> String {
    let mut name = String::new();
    for c in fingerprint.chars() {
        match c {
            'a'..='z' | '0'..='9' => name.push(c),
            'A'..='Z' => name.push(c.to_ascii_lowercase()),
            _ if name.ends_with('-') || name.is_empty() => {}
            _ => name.push('-'),
        }
    }
    name.trim_end_matches('-').to_owned()
}

fn read_json(smelt: &str, words: &[&str]) -> Result<Value, String> {
    let out = Command::new(smelt).args(words).output().map_err(|e| format!("{smelt}: {e}"))?;
    match out.status.code() {
        Some(0 | 10) => serde_json::from_slice(&out.stdout).map_err(|e| e.to_string()),
        _ => Err(format!("smelt {}: {}", words.join(" "), String::from_utf8_lossy(&out.stderr).trim())),
    }
}

#[cfg(test)]
mod tests {
    use super::{Pages, slug};

    #[test]
    #[ignore = "needs --slow, z3@5.4.0, cvc5@1.4.2, bitwuzla@0.9.1, yices@2.6.5.post24"]
    fn every_page_shows_its_bug() {
        let smelt = crate::target().join("release/smelt").display().to_string();
        Pages::read(&crate::root().join("docs/findings")).and_then(|pages| pages.check(&smelt)).unwrap();
    }

    #[test]
    fn fingerprints_become_names_of_files() {
        assert_eq!(slug("z3/rewrite/(apply qe2)"), "z3-rewrite-apply-qe2");
        assert_eq!(slug("../../x"), "x");
    }
}
