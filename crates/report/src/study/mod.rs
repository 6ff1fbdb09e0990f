//! A study as tables, plots and a page.

mod page;
mod plots;
mod tables;

pub use page::study_page;
pub use plots::study_plots;
pub use tables::{study_csv, study_markdown};

use smelt_study::Study;

/// The families of a study in the order of their first release, each with its releases.
fn families(study: &Study) -> Vec<(String, Vec<usize>)> {
    let mut all: Vec<(String, Vec<usize>)> = Vec::new();
    for (i, release) in study.releases.iter().enumerate() {
        match all.iter_mut().find(|(name, _)| *name == release.family) {
            Some((_, list)) => list.push(i),
            None => all.push((release.family.clone(), vec![i])),
        }
    }
    all
}
