//! Reports from stored results: what a person reads about a campaign, a study or a search outside the console.
//!
//! Results go in, text comes out; the caller writes files. HTML and SVG are templates that escape what they show. All pages
//! have one frame (`page`), one style and behaviour (the data files in `assets`), and plots from one module (`plot`).
//!
//! - [`issue`]: one bug as an issue for its maintainers, in Markdown.
//! - [`title`]: a bug in one line.
//! - [`campaign_site`], [`bug_pages`]: a campaign as an overview and a page for each bug.
//! - [`search_page`], [`search_plots`]: a search for slow formulas.
//! - [`study_page`], [`study_plots`], [`study_markdown`], [`study_csv`]: a study as a page, plots and tables.

mod campaign;
mod diff;
mod evolve;
mod highlight;
mod issue;
mod page;
mod plot;
mod study;
mod title;

pub use campaign::{Site, bug_pages, campaign_site};
pub use evolve::{SearchAbout, search_page, search_plots};
pub use issue::{Issue, formula, issue, options, releases_in_words};
pub use study::{study_csv, study_markdown, study_page, study_plots};
pub use title::title;

/// A word of a command line, quoted if it must be.
fn quoted(word: &str) -> String {
    shlex::try_quote(word).map(std::borrow::Cow::into_owned).unwrap_or_else(|_| word.to_owned())
}
