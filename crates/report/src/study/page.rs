//! A study as one static page.

use smelt_study::Study;
use std::fmt::Write;

use super::plots::study_plots;
use super::tables::study_markdown;
use crate::plot::escape;

pub(crate) const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}\
td:first-child,th:first-child{text-align:left}pre{background:#f6f6f6;padding:.6rem;overflow-x:auto}\
figure{margin:1rem 0}details{margin:.4rem 0}";

/// The page: needs no other file.
pub fn study_page(study: &Study) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>smelt study</title><style>{STYLE}</style>\n\
         <h1>Study of {} releases</h1>",
        study.releases.len()
    );
    tables(&mut out, &study_markdown(study));
    out.push_str("<h2>Plots</h2>\n");
    for (_, svg) in study_plots(study) {
        let _ = writeln!(out, "<figure>{svg}</figure>");
    }
    let _ = writeln!(out, "<h2>Triggers</h2>\n<p>The smallest of each kind, release and grammar.</p>");
    for t in &study.triggers {
        let _ = writeln!(
            out,
            "<details><summary>{}: {} in {}, formula {} ({})</summary><p>{}</p><pre>{}</pre></details>",
            escape(&t.grammar),
            t.kind,
            escape(&t.release),
            t.index,
            t.evidence.map_or("not settled", |e| e.as_str()),
            escape(&t.reason),
            escape(&t.script)
        );
    }
    out.push_str("</html>\n");
    out
}

/// Markdown paragraphs and tables as HTML: what `study_markdown` writes, no more.
fn tables(out: &mut String, markdown: &str) {
    let mut in_table = false;
    for line in markdown.lines() {
        let row = line.strip_prefix("| ").and_then(|l| l.strip_suffix(" |"));
        if in_table && row.is_none() {
            out.push_str("</table>\n");
        }
        match row {
            Some(row) if row.starts_with("--") => {}
            Some(row) => {
                let tag = if in_table { "td" } else { "th" };
                if !in_table {
                    out.push_str("<table>\n");
                }
                let cells: Vec<String> =
                    row.split(" | ").map(|c| format!("<{tag}>{}</{tag}>", escape(c.trim()))).collect();
                let _ = writeln!(out, "<tr>{}</tr>", cells.concat());
            }
            None if line.is_empty() => {}
            None => {
                let _ = writeln!(out, "<p>{}</p>", escape(line));
            }
        }
        in_table = row.is_some();
    }
    if in_table {
        out.push_str("</table>\n");
    }
}
