//! `cargo xtask reports DIR`: runs every command of a campaign's reports and pages as printed, and every exported
//! regression test on the release that it accuses. Lists those that do not do what the text says.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command may take this many seconds.
const SECONDS: &str = "60";
/// The words of verdicts.
const VERDICTS: [&str; 3] = ["sat", "unsat", "unknown"];

pub(super) struct Settings {
    pub(super) folder: PathBuf,
    pub(super) smelt: String,
}

impl Settings {
    pub(super) fn read(options: &[&str]) -> Option<Settings> {
        match options {
            [folder] => Some(Settings { folder: folder.into(), smelt: "smelt".to_owned() }),
            [folder, "--smelt", smelt] => {
                Some(Settings { folder: folder.into(), smelt: (*smelt).to_owned() })
            }
            _ => None,
        }
    }
}

/// How a command ended.
struct Ran {
    stdout: String,
    stderr: String,
    code: Option<i32>,
}

/// What was run, and what is not as the text says.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) run: usize,
    left: Vec<String>,
    pub(super) wrong: Vec<String>,
}

impl Tally {
    pub(super) fn check(&mut self, what: String, is_right: Result<(), String>) {
        self.run += 1;
        if let Err(why) = is_right {
            println!("WRONG {what}: {why}");
            self.wrong.push(what);
        }
    }
}

pub(super) fn reports(s: &Settings) -> Result<(), String> {
    let folder = s.folder.display().to_string();
    let smelt = |words: &[&str]| {
        let out = Command::new(&s.smelt).args(words).output().map_err(|e| format!("{}: {e}", s.smelt))?;
        match out.status.code() {
            Some(0 | 10) => Ok(String::from_utf8_lossy(&out.stdout).into_owned()),
            _ => Err(format!("smelt {}: {}", words.join(" "), String::from_utf8_lossy(&out.stderr))),
        }
    };
    let json = |text: String| serde_json::from_str::<Value>(&text).map_err(|e| e.to_string());
    let bugs = json(smelt(&["bugs", &folder, "--json"])?)?;
    let bugs: Vec<Value> = bugs.as_array().cloned().unwrap_or_default();
    let is_bug = |b: &&Value| b["examined"] == true;
    let mut tally = Tally::default();
    let mut facts = Vec::new();
    for bug in bugs.iter().filter(is_bug) {
        let id = bug["id"].as_str().unwrap_or_default();
        let report = json(smelt(&["bugs", "report", id, &folder, "--json"])?)?;
        issue(s, &mut tally, id, &report);
        let is_same = bug["evidence"] == report["facts"]["evidence"];
        tally.check(format!("the evidence of {id}"), if is_same { Ok(()) } else { Err("two".to_owned()) });
        facts.push((id.to_owned(), report["facts"].clone()));
    }
    smelt(&["report", &folder])?;
    pages(s, &mut tally, &facts)?;
    regressions(s, &mut tally, &facts, &smelt)?;
    counts(s, &mut tally, facts.len(), &smelt)?;
    println!(
        "{} bugs; {} commands and tests, {} not as the text says; not run: {}",
        facts.len(),
        tally.run,
        tally.wrong.len(),
        tally.left.join(", ")
    );
    if tally.wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("not as the text says: {}", tally.wrong.join(", ")))
    }
}

/// Runs a command with a shell in a folder.
fn run(s: &Settings, folder: &Path, command: &str) -> Ran {
    let home = Path::new(&s.smelt).parent().filter(|p| !p.as_os_str().is_empty());
    let path = std::env::var("PATH").unwrap_or_default();
    let path =
        home.and_then(|h| h.canonicalize().ok()).map_or(path.clone(), |h| format!("{}:{path}", h.display()));
    let done = Command::new("timeout")
        .args([SECONDS, "sh", "-c", command])
        .env("PATH", path)
        .current_dir(folder)
        .stdin(std::process::Stdio::null())
        .output();
    match done {
        Ok(out) => Ran {
            stdout: String::from_utf8_lossy(&out.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&out.stderr).into_owned(),
            code: out.status.code(),
        },
        Err(e) => Ran { stdout: String::new(), stderr: e.to_string(), code: None },
    }
}

/// The commands of an issue.
fn issue(s: &Settings, tally: &mut Tally, id: &str, report: &Value) {
    let (facts, text) = (&report["facts"], report["markdown"].as_str().unwrap_or_default());
    exhibits(s, tally, &format!("report {id}"), facts, text);
    for command in text
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|c| c.starts_with("smelt replay ") || c.starts_with("smelt bugs "))
    {
        let ran = run(s, Path::new("."), command);
        let shows = ran.code == Some(10);
        tally.check(format!("report {id}, `{command}`"), if shows { Ok(()) } else { Err(told(&ran)) });
    }
}

/// The commands on the scripts of a report: the facts name them, the text prints them.
pub(super) fn exhibits(s: &Settings, tally: &mut Tally, page: &str, facts: &Value, text: &str) {
    for (part, file) in [("shown", "bug.smt2"), ("larger", "larger.smt2")] {
        let script = facts[part]["script"].as_str().unwrap_or_default();
        for actual in facts[part]["actual"].as_array().into_iter().flatten() {
            let solver = actual["solver"].as_str().unwrap_or_default();
            let what = format!("{page}, {file}, {solver}");
            let Some(command) = actual["command"].as_str() else {
                if actual["accused"] == true {
                    tally.check(what, Err("no command shows it".to_owned()));
                }
                continue;
            };
            let is_printed = text.contains(&command.replace('|', "\\|"));
            let done =
                if is_printed { does(s, command, file, script, actual) } else { Err("not printed".into()) };
            tally.check(what, done);
        }
    }
}

/// Whether a command does to a script what a row of a report says.
fn does(s: &Settings, command: &str, file: &str, script: &str, actual: &Value) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
    std::fs::write(folder.path().join(file), script).map_err(|e| e.to_string())?;
    fits(s, &run(s, folder.path(), command), folder.path(), script, actual)
}

fn fits(s: &Settings, ran: &Ran, folder: &Path, script: &str, actual: &Value) -> Result<(), String> {
    let (answer, fault) =
        (actual["answer"].as_str().unwrap_or_default(), actual["fault"].as_str().unwrap_or_default());
    let wrong = || Err(format!("it should be {answer}, {fault}; {}", told(ran)));
    // The Python module of cvc5 prints `unknown (INCOMPLETE)`.
    let word =
        |l: &'_ str| if l.starts_with("unknown (") { "unknown".to_owned() } else { l.trim().to_owned() };
    let verdicts: Vec<String> = ran.stdout.lines().map(word).filter(|l| VERDICTS.contains(&&**l)).collect();
    let expected: Vec<&str> = answer.split(", ").filter(|w| VERDICTS.contains(w)).collect();
    let dies = ran.code.is_none_or(|code| code > 128);
    let speaks = actual["message"].as_str().is_some_and(|m| {
        let start: String = m.trim_end_matches(" ..").chars().take(40).collect();
        format!("{}{}", ran.stdout, ran.stderr).contains(&start)
    });
    let is_right = match answer {
        _ if answer.ends_with("crash") => dies || speaks,
        "failed internal check" => speaks || ran.code != Some(0),
        "timeout" => ran.code == Some(124),
        // A goal, a value, a list of objectives: what was printed, however its lines are broken.
        _ if expected.is_empty() => words(&ran.stdout).contains(&words(answer)),
        _ => verdicts == expected,
    };
    if !is_right {
        return wrong();
    }
    if fault == "its model is invalid" {
        let (file, model) = (folder.join("script.smt2"), folder.join("model.txt"));
        let text = ran.stdout.split_once('\n').map_or("", |(_, model)| model);
        let _ = std::fs::write(&file, script).and_then(|()| std::fs::write(&model, text));
        let evaluate = || run(s, folder, "smelt eval script.smt2 model.txt --json");
        let is_false = |ran: &Ran| ran.stdout.ends_with("\"verdict\":\"false\"}\n");
        if is_false(&evaluate()) {
            return Ok(());
        }
        // Old releases print strings with C-like escapes.
        let _ = std::fs::write(&model, today(text));
        let found = evaluate();
        if !is_false(&found) {
            return Err(format!("its model is not false: {}", told(&found)));
        }
    }
    Ok(())
}

/// A text in which single blanks replace all white space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text with `\\x41` as `\\u{41}`.
fn today(text: &str) -> String {
    let mut parts = text.split("\\x");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| match part.is_char_boundary(2) {
        true if part.len() >= 2 => format!("{all}\\u{{{}}}{}", &part[..2], &part[2..]),
        _ => format!("{all}\\x{part}"),
    })
}

fn told(ran: &Ran) -> String {
    let cut = |text: &str| text.trim().chars().take(200).collect::<String>().replace('\n', " / ");
    format!("exit {:?}, said: {} {}", ran.code, cut(&ran.stdout), cut(&ran.stderr))
}

/// The commands of pages: `See it in ..` does what the report says, all others end well.
fn pages(s: &Settings, tally: &mut Tally, facts: &[(String, Value)]) -> Result<(), String> {
    let mut done: BTreeSet<String> = BTreeSet::new();
    let of_bugs = facts.iter().map(|(id, f)| (format!("bugs/{id}.html"), Some(f)));
    for (page, facts) in of_bugs.chain([("index.html".to_owned(), None)]) {
        let html = std::fs::read_to_string(s.folder.join(&page)).map_err(|e| format!("{page}: {e}"))?;
        for (about, command) in commands(&html) {
            // These run for minutes, and change the campaign.
            let long = [
                "Command of this campaign",
                "Continue the campaign",
                "Reduce and group the remaining findings",
            ];
            if long.contains(&about.as_str()) {
                tally.left.push(format!("{page} `{command}`"));
                continue;
            }
            if !done.insert(command.clone()) {
                continue;
            }
            let ran = run(s, Path::new("."), &command);
            let accused =
                facts.into_iter().flat_map(|f| f["shown"]["actual"].as_array().into_iter().flatten());
            let accused = accused.filter(|a| a["accused"] == true);
            let script = facts.and_then(|f| f["shown"]["script"].as_str()).unwrap_or_default();
            let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
            let name =
                |a: &&Value| about.ends_with(&a["solver"].as_str().unwrap_or_default().replace('@', " "));
            let is_right = match accused.clone().find(name) {
                Some(actual) => fits(s, &ran, folder.path(), script, actual),
                None if matches!(ran.code, Some(0 | 10)) => Ok(()),
                None => Err(told(&ran)),
            };
            tally.check(format!("{page}, {about}: `{command}`"), is_right);
        }
    }
    Ok(())
}

/// What stands above each command of a page, and the command.
fn commands(html: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for list in html.split("<div class=\"commands\">").skip(1) {
        for part in list.split("<p class=\"dim\">").skip(1) {
            let about = part.split("</p>").next().unwrap_or_default();
            let code = part.split("<code>").nth(1).and_then(|c| c.split("</code>").next());
            all.extend(code.map(|code| (plain(about), plain(code))));
        }
    }
    all
}

fn plain(html: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
        .iter()
        .fold(html.to_owned(), |text, (from, to)| text.replace(from, to))
}

/// Exported tests fail on the release that they accuse.
fn regressions(
    s: &Settings,
    tally: &mut Tally,
    facts: &[(String, Value)],
    smelt: &dyn Fn(&[&str]) -> Result<String, String>,
) -> Result<(), String> {
    for form in ["z3", "cvc5"] {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let to = folder.path().display().to_string();
        let said = smelt(&["bugs", "export", &s.folder.display().to_string(), "--regress", form, "-o", &to])?;
        print!("export --regress {form}: {said}");
        for (id, f) in facts {
            let prefix = format!("smelt-{id:0>4}-");
            let entries = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let names = entries.filter_map(|e| e.file_name().into_string().ok());
            let Some(name) = names.filter(|n| n.starts_with(&prefix)).find(|n| n.ends_with(".smt2")) else {
                continue;
            };
            let test = std::fs::read_to_string(folder.path().join(&name)).map_err(|e| e.to_string())?;
            let expected: Vec<String> = match form {
                "z3" => std::fs::read_to_string(folder.path().join(name.replace(".smt2", ".expected.out")))
                    .map_err(|e| e.to_string())?
                    .lines()
                    .map(str::to_owned)
                    .collect(),
                _ => test.lines().filter_map(|l| l.strip_prefix("; EXPECT: ")).map(str::to_owned).collect(),
            };
            let actual = f["shown"]["actual"].as_array().into_iter().flatten().find(|a| a["accused"] == true);
            let Some(command) = actual.and_then(|a| a["command"].as_str()) else { continue };
            let ran = run(s, folder.path(), &command.replace("bug.smt2", &name));
            let passes = ran.stdout.trim_end().lines().eq(expected.iter().map(String::as_str));
            let what = format!("{form} test {name}");
            tally.check(what, if passes { Err("it passes on the accused".to_owned()) } else { Ok(()) });
        }
    }
    Ok(())
}

/// Every list has the same number of bugs.
fn counts(
    s: &Settings,
    tally: &mut Tally,
    bugs: usize,
    smelt: &dyn Fn(&[&str]) -> Result<String, String>,
) -> Result<(), String> {
    let folder = s.folder.display().to_string();
    let temporary = tempfile::tempdir().map_err(|e| e.to_string())?;
    let sarif = temporary.path().join("bugs.sarif");
    smelt(&["bugs", "export", &folder, "--sarif", &sarif.display().to_string()])?;
    let text = std::fs::read_to_string(sarif).map_err(|e| e.to_string())?;
    let document: Value = serde_json::from_str(&text).map_err(|e| e.to_string())?;
    let results = document["runs"][0]["results"].as_array().into_iter().flatten();
    let sarif = results.filter(|r| r["kind"] == "fail" && r["level"] == "error").count();
    let html = std::fs::read_to_string(s.folder.join("index.html")).map_err(|e| e.to_string())?;
    let tile = html.split("<div class=\"tiles\"><div><b>").nth(1).and_then(|t| t.split('<').next());
    let page = tile.and_then(|n| n.replace(',', "").parse().ok()).unwrap_or(usize::MAX);
    let list = smelt(&["bugs", &folder])?;
    let word = if bugs == 1 { "bug" } else { "bugs" };
    let listed = list.lines().any(|l| l.starts_with(&format!("{bugs} {word}")));
    for (what, is_same) in [("SARIF", sarif == bugs), ("the page", page == bugs), ("`smelt bugs`", listed)] {
        tally
            .check(format!("the count of {what}"), if is_same { Ok(()) } else { Err(format!("not {bugs}")) });
    }
    Ok(())
}
