//! Reports from stored results: issues, pages and plots of a campaign, a study or a search.
//!
//! The functions return text; the caller writes files. HTML and SVG templates escape their content. All pages share
//! one frame (`page`), one style and behaviour (the files in `assets`), and one plot module (`plot`).
//!
//! - [`Facts`]: the facts about one bug, computed once; [`issue`] and [`terminal`] render them as Markdown, the
//!   page of a bug as HTML, and serde as JSON.
//! - [`title`], [`versions_in_words`]: texts for lists of bugs.
//! - [`campaign_site`], [`bug_pages`]: an overview of a campaign and a page per bug.
//! - [`search_page`], [`search_plots`]: a search for slow formulas.
//! - [`study_page`], [`study_plots`], [`study_markdown`], [`study_csv`]: a study as a page, plots and tables.

mod campaign;
mod diff;
mod evolve;
mod facts;
mod highlight;
mod markdown;
mod page;
mod plot;
mod study;

pub use campaign::{Site, bug_pages, campaign_site};
pub use evolve::{SearchAbout, search_page, search_plots};
pub use facts::{
    Actual, Affected, Exhibit, Expected, Facts, Model, Row, Source, Spelling, Step, script, title,
    versions_in_words,
};
pub use markdown::{Tone, issue, terminal};
pub use study::{study_csv, study_markdown, study_page, study_plots};

/// A word of a command line, quoted if it must be.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map(std::borrow::Cow::into_owned).unwrap_or_else(|_| word.to_owned())
}
