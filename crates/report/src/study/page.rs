//! A study as one static page.

use maud::{Markup, html};
use smelt_study::Study;

use super::plots::study_plots;
use super::tables::{Block, Table, study_blocks};
use crate::page::{figures, page, script_details};

/// The page: needs no other file.
pub fn study_page(study: &Study) -> String {
    let body = html! {
        h1 { "Study of " (study.releases.len()) " releases" }
        @for block in study_blocks(study) {
            @match block {
                Block::Text(text) => p { (text) },
                Block::Table(t) => (table(&t)),
            }
        }
        h2 { "Plots" }
        (figures(study_plots(study)))
        h2 { "Triggers" }
        p { "The smallest of each kind, release and grammar." }
        @for t in &study.triggers {
            @let evidence = t.evidence.map_or("not settled", |e| e.as_str());
            @let summary = html! {
                (t.grammar) ": " (t.kind) " in " (t.release) ", formula " (t.index) " (" (evidence) ")"
            };
            (script_details(summary, &t.reason, &t.script))
        }
    };
    page("smelt study", body)
}

fn table(table: &Table) -> Markup {
    html! {
        table {
            tr {
                @for name in &table.head { th { (name) } }
            }
            @for row in &table.rows {
                tr {
                    @for cell in row { td { (cell) } }
                }
            }
        }
    }
}
