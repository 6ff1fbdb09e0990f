//! `smelt report`: writes static pages of a campaign, a study or an `evolve` run.

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_report::Site;
use smelt_solvers::Profiles;
use smelt_store::Store;
use smelt_triage::Mute;

use crate::exit::{Exit, Failure};
use crate::{folders, output, setup};

/// Write HTML pages of a campaign, a study or an `evolve` run
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Folder of a campaign, a study or an `evolve` run; default: the latest campaign here
    #[arg(value_name = "DIR")]
    dir: Option<PathBuf>,
    #[command(flatten)]
    config: setup::Config,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let folder = folder(a.dir.as_deref());
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let site = site(&folder, catalog.profiles())?;
    let folder = local(&folder)?;
    write(&folder, &site)?;
    writeln!(std::io::stdout(), "{}", folder.join("index.html").display())?;
    Ok(Exit::Ok)
}

/// The folder that the user names, or the last campaign here.
pub(super) fn folder(named: Option<&Path>) -> PathBuf {
    named.map_or_else(folders::latest, Path::to_owned)
}

/// Where the files of a folder or of a shared campaign are on this machine.
pub(super) fn local(folder: &Path) -> Result<PathBuf, Failure> {
    match smelt_store::is_shared(folder) {
        true => Ok(Store::open(folder)?.folder().to_owned()),
        false => Ok(folder.to_owned()),
    }
}

/// The pages of a folder, whatever it holds.
pub(super) fn site(folder: &Path, profiles: &Profiles) -> Result<Site, Failure> {
    let study = folder.join("study.json");
    if study.is_file() {
        let page = smelt_report::study_page(&super::study::read(&study)?);
        return Ok(Site { pages: vec![("index.html".to_owned(), page)], ..Site::default() });
    }
    if folder.join("evolve.json").is_file() {
        return super::evolve::site(folder, profiles);
    }
    if !smelt_store::is_shared(folder) && !Store::exists(folder) {
        let message = format!(
            "no campaign, study or `evolve` run in {}: run `smelt fuzz`, `smelt study` or `smelt evolve` with --out DIR",
            folder.display()
        );
        return Err(Failure::usage(message));
    }
    let store = folders::open(folder)?;
    store.bring_files()?;
    let mute = Mute::read(store.folder(), &[] as &[PathBuf])?;
    Ok(smelt_report::campaign_site(&store, profiles, &mute)?)
}

/// Writes the pages and their scripts; removes those of bugs that no longer exist.
pub(super) fn write(folder: &Path, site: &Site) -> Result<(), Failure> {
    for (path, text) in site.pages.iter().chain(&site.scripts) {
        output::write(&smelt_store::inside(folder, path)?, text)?;
    }
    for entry in std::fs::read_dir(smelt_store::inside(folder, "bugs")?).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem =
            name.strip_suffix(".html").or(name.strip_suffix("-larger.smt2")).or(name.strip_suffix(".smt2"));
        let is_ours = stem.is_some_and(|n| n.parse::<u64>().is_ok());
        if is_ours
            && !site
                .pages
                .iter()
                .chain(&site.scripts)
                .any(|(path, _)| path.strip_prefix("bugs/") == Some(&name))
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
    Ok(())
}
