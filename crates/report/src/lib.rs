//! Reports from stored results: what a person reads about a campaign outside the console.
//!
//! Pure: data goes in, text comes out. One module for each kind of document. HTML and SVG are templates that escape
//! what they show.
//!
//! - [`issue`]: one bug as an issue for its maintainers, in Markdown.
//! - [`title`]: a bug in one line.
//! - [`search_page`], [`search_plots`]: a search for slow formulas.
//! - [`study_page`], [`study_plots`], [`study_markdown`], [`study_csv`]: a study as a page, plots and tables.

mod evolve;
mod issue;
mod page;
mod plot;
mod study;
mod title;

pub use evolve::{search_page, search_plots};
pub use issue::{Issue, issue};
pub use study::{study_csv, study_markdown, study_page, study_plots};
pub use title::title;
