//! The page of an experiment, its data, and the table of all experiments.

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::lab::{Lab, Spread};
use super::{ROWS, Row};

/// Whether a claim of a paper holds here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The figures agree.
    Holds,
    /// The direction agrees, the figures do not.
    HoldsInKind,
    /// The figures contradict the claim.
    DoesNotHold,
    /// The scale or the set-up is too different.
    NotComparable,
}

impl Verdict {
    fn text(self) -> &'static str {
        match self {
            Verdict::Holds => "holds",
            Verdict::HoldsInKind => "holds in kind",
            Verdict::DoesNotHold => "does not hold",
            Verdict::NotComparable => "not comparable",
        }
    }
}

/// What an experiment found.
#[derive(Debug)]
pub(crate) struct Page {
    /// The paper's claim, in our words.
    pub(crate) claim: String,
    /// Our result in one sentence.
    pub(crate) ours: String,
    pub(crate) verdict: Verdict,
    /// The size of this run, compared with the paper's.
    pub(crate) scale: String,
    /// What differs from the paper, and the reason for a different result where it is known.
    pub(crate) differs: String,
    pub(crate) parts: Vec<Part>,
    /// The solvers that ran.
    pub(crate) solvers: Vec<String>,
}

/// A part of a page.
#[derive(Debug)]
pub(crate) enum Part {
    Text(String),
    Table { title: String, head: Vec<String>, rows: Vec<Vec<String>> },
    Bars(Bars),
}

/// Horizontal bars: a mean for each name, and a line from the least to the most.
#[derive(Debug)]
pub(crate) struct Bars {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) rows: Vec<(String, Spread)>,
}

impl Part {
    pub(crate) fn table(title: &str, head: &[&str], rows: Vec<Vec<String>>) -> Part {
        Part::Table { title: title.to_owned(), head: head.iter().map(|h| (*h).to_owned()).collect(), rows }
    }

    pub(crate) fn bars(name: &str, title: &str, rows: Vec<(String, Spread)>) -> Part {
        Part::Bars(Bars { name: name.to_owned(), title: title.to_owned(), rows })
    }
}

/// Writes the page, its plots and its data; `command` is the command line that made it.
pub(crate) fn write(folder: &Path, row: &Row, page: &Page, lab: &Lab, command: &str) -> Result<(), String> {
    let save = |name: &str, text: String| {
        fs::write(folder.join(name), text).map_err(|e| format!("{}/{name}: {e}", folder.display()))
    };
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut out = format!("# {}\n\n{}\n\n", row.name, row.shows);
    let _ = writeln!(out, "- Source: {}.\n- The paper's claim: {}", row.source, page.claim);
    let _ = writeln!(out, "- Our result: {}\n- Verdict: **{}**.", page.ours, page.verdict.text());
    let _ = writeln!(out, "- Scale: {}\n- What differs: {}\n", page.scale, page.differs);
    let mut data = Vec::new();
    for part in &page.parts {
        match part {
            Part::Text(text) => {
                let _ = writeln!(out, "{text}\n");
            }
            Part::Table { title, head, rows } => {
                let _ = writeln!(out, "## {title}\n\n{}", table(head, rows));
                data.push(json!({"title": title, "head": head, "rows": rows}));
            }
            Part::Bars(bars) => {
                let file = format!("{}-{}.svg", row.name, bars.name);
                let _ = writeln!(out, "![{}]({file})\n", bars.title);
                save(&file, svg(bars))?;
            }
        }
    }
    let made = made(lab, command);
    let _ = writeln!(out, "## How this page was made\n");
    for (name, value) in &made {
        let _ = writeln!(out, "- {name}: {value}");
    }
    save(&format!("{}.md", row.name), out)?;
    let summary = json!({"claim": page.claim, "ours": page.ours, "verdict": page.verdict.text(),
        "scale": page.scale, "solvers": page.solvers, "made": made.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        "tables": data});
    save(
        &format!("{}.json", row.name),
        serde_json::to_string_pretty(&summary).map_err(|e| e.to_string())? + "\n",
    )?;
    save("README.md", index(folder))
}

fn table(head: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| {
        format!("| {} |\n", cells.iter().map(|c| c.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
    };
    let is_number = |i: usize| {
        let mut cells =
            rows.iter().filter_map(|r| r.get(i)).filter(|c| !c.is_empty() && *c != "-").peekable();
        cells.peek().is_some() && cells.all(|c| c.starts_with(|c: char| c.is_ascii_digit()))
    };
    let ruler: Vec<String> =
        (0..head.len()).map(|i| if is_number(i) { "---:" } else { "---" }.to_owned()).collect();
    let mut out = line(head);
    let _ = writeln!(out, "| {} |", ruler.join(" | "));
    rows.iter().for_each(|r| out += &line(r));
    out
}

/// The facts that a reader needs to repeat an experiment.
fn made(lab: &Lab, command: &str) -> Vec<(&'static str, String)> {
    let git = |arguments: &[&str]| {
        let out = Command::new("git").args(arguments).current_dir(crate::root()).output();
        out.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default()
    };
    let changed = if git(&["status", "--porcelain", "-uno"]).is_empty() { "" } else { ", with changes" };
    let version = Command::new(&lab.smelt).arg("--version").output();
    let version = version.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    let spent = &lab.spent;
    let load = Spread::of(&spent.loads);
    let date = Command::new("date").arg("+%Y-%m-%d").output();
    let date = date.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_owned()).unwrap_or_default();
    vec![
        ("Command", format!("`{command}`")),
        ("Commit", format!("`{}`{changed}; {version}; {date}", git(&["rev-parse", "--short", "HEAD"]))),
        ("Machine", machine()),
        (
            "Time",
            format!(
                "{} units, {:.0} s of wall time, {:.0} s of CPU time, at nice 19",
                spent.units, spent.wall, spent.cpu
            ),
        ),
        ("Load of the machine when a unit began, other work included", load.text(1)),
    ]
}

fn machine() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|l| l.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: u64 = memory.split_whitespace().nth(1).and_then(|w| w.parse().ok()).unwrap_or_default();
    format!("{}, {cores} cores, {} GiB", model.trim_start_matches([' ', '\t', ':']).trim(), kib / 1024 / 1024)
}

/// The table of all experiments, from the data beside it.
pub(crate) fn index(folder: &Path) -> String {
    let mut out = String::from(HEAD);
    for row in ROWS {
        let text = fs::read_to_string(folder.join(format!("{}.json", row.name))).unwrap_or_default();
        let data: Value = serde_json::from_str(&text).unwrap_or_default();
        let cell = |name: &str| data[name].as_str().unwrap_or_default().replace('|', "\\|");
        let cells = match data.is_null() {
            true => format!("{} | not run yet | |", row.shows.replace('|', "\\|")),
            false => format!("{} | {} | {} |", cell("claim"), cell("ours"), cell("verdict")),
        };
        let name = match data.is_null() {
            true => row.name.to_owned(),
            false => format!("[{0}]({0}.md)", row.name),
        };
        let _ = writeln!(out, "| {name} | {} | {cells}", row.source);
    }
    out
}

const HEAD: &str = "\
# The papers' experiments

The papers behind smelt's strategies published tables and figures. Each page here repeats one of them with one command, at a much smaller scale, and
puts the paper's figures beside ours. `cargo xtask experiment --list` lists all experiments, `cargo xtask experiment NAME` runs one and writes its
page. `--budget 30m` changes the time, `--repeat N` the number of repetitions. A run that was stopped continues where it ended.

Verdicts: *holds* (the figures agree), *holds in kind* (the direction agrees), *does not hold*, *not comparable* (scale or set-up too different).

| experiment | source | the paper's claim | our result | verdict |
| --- | --- | --- | --- | --- |
";

/// Bars as SVG, readable on light and dark pages.
fn svg(bars: &Bars) -> String {
    const ROW: f64 = 22.0;
    const LEFT: f64 = 210.0;
    const WIDTH: f64 = 420.0;
    let most = bars.rows.iter().map(|r| r.1.most).fold(0.0_f64, f64::max).max(f64::MIN_POSITIVE);
    let x = |v: f64| LEFT + WIDTH * (v / most).clamp(0.0, 1.0);
    let height = ROW * bars.rows.len() as f64 + 40.0;
    let escape = |t: &str| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"720\" height=\"{height}\" fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" font-weight=\"bold\">{}</text>\n",
        escape(&bars.title)
    );
    for (i, (name, s)) in bars.rows.iter().enumerate() {
        let y = 32.0 + ROW * i as f64;
        let middle = y + 8.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text><rect x=\"{LEFT}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"14\" fill=\"#4878a8\"/>\
             <line x1=\"{:.1}\" y1=\"{middle:.1}\" x2=\"{:.1}\" y2=\"{middle:.1}\" stroke=\"#222\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            LEFT - 8.0,
            y + 11.0,
            escape(name),
            x(s.mean) - LEFT,
            x(s.least),
            x(s.most),
            x(s.most) + 6.0,
            y + 11.0,
            number(s.mean)
        );
    }
    out + "</svg>\n"
}

/// A number with about three digits.
pub(crate) fn number(v: f64) -> String {
    match v.abs() {
        a if a >= 100.0 => format!("{v:.0}"),
        a if a >= 10.0 => format!("{v:.1}"),
        a if a >= 0.1 || a == 0.0 => format!("{v:.2}"),
        _ => format!("{v:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_numbers_are_aligned_to_the_right() {
        let rows = vec![vec!["a|b".to_owned(), "1.5".to_owned()], vec!["c".to_owned(), "-".to_owned()]];
        let text = table(&["x".to_owned(), "y".to_owned()], &rows);
        assert_eq!(text, "| x | y |\n| --- | ---: |\n| a\\|b | 1.5 |\n| c | - |\n");
    }

    #[test]
    fn bars_fit_and_names_are_escaped() {
        let bars = Bars {
            name: "x".into(),
            title: "a < b".into(),
            rows: vec![("p&q".into(), Spread::of(&[1.0, 3.0]))],
        };
        let text = svg(&bars);
        assert!(text.contains("a &lt; b") && text.contains("p&amp;q") && text.contains("2.00"), "{text}");
    }

    #[test]
    fn every_experiment_has_a_row_in_the_index() {
        let text = index(Path::new("/nowhere"));
        assert!(ROWS.iter().all(|row| text.contains(&format!("| {} |", row.name))), "{text}");
    }
}
