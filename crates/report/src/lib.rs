//! Reports from stored results: what a person reads of a campaign, outside of the console.
//!
//! Pure: data goes in, text comes out. One module for each kind of document.
//!
//! - [`issue`]: one bug as an issue for its maintainers, in Markdown.
//! - [`title`]: a bug in one line.

mod issue;
mod title;

pub use issue::{Issue, issue};
pub use title::title;
