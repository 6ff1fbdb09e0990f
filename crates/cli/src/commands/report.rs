//! `smelt report`: a static page of a study or of a search.

use std::io::Write;
use std::path::PathBuf;

use crate::exit::{Exit, Failure};
use crate::output;

/// Make the page of a study or of a search again from its figures
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The folder of a study or of a search
    #[arg(value_name = "DIR", default_value = "smelt-study")]
    dir: PathBuf,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    if a.dir.join("evolve.json").is_file() {
        super::evolve::write_plots(&a.dir)?;
        writeln!(std::io::stdout(), "{}", a.dir.join("index.html").display())?;
        return Ok(Exit::Ok);
    }
    let file = a.dir.join("study.json");
    if !file.is_file() {
        let message = format!("no study in {}: make one with `smelt study --out DIR`", a.dir.display());
        return Err(Failure::usage(message));
    }
    let study = super::study::read(&file)?;
    let page = a.dir.join("index.html");
    output::write(&page, smelt_report::study_page(&study))?;
    writeln!(std::io::stdout(), "{}", page.display())?;
    Ok(Exit::Ok)
}
