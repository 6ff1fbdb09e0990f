//! A campaign as a static site: an overview, and a page for each bug.

mod bug;
mod data;
mod overview;
mod plots;

use smelt_core::{Kind, Severity};
use smelt_solvers::Profiles;
use smelt_store::{Error, Store};
use smelt_triage::Mute;

use data::Campaign;

/// The pages of a folder, and the files of the folder that they link to.
#[derive(Clone, Debug, Default)]
pub struct Site {
    /// Paths below the folder, with the content.
    pub pages: Vec<(String, String)>,
    /// Paths below the folder of the scripts that commands on the pages run, with the content.
    pub scripts: Vec<(String, String)>,
    /// Paths below the folder.
    pub files: Vec<String>,
}

/// The page of the whole folder.
pub(crate) const INDEX: &str = "index.html";

/// The path of a bug's page below the folder.
pub(crate) fn bug_path(id: &str) -> String {
    format!("bugs/{id}.html")
}

/// The path of a bug's script below the folder, and of the larger script on the same page.
pub(crate) fn script_path(id: &str, is_larger: bool) -> String {
    format!("bugs/{id}{}.smt2", if is_larger { "-larger" } else { "" })
}

/// The site of a campaign.
pub fn campaign_site(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Site, Error> {
    let campaign = Campaign::read(store, profiles, mute)?;
    let mut site = bug_site(&campaign);
    site.pages.insert(0, (INDEX.to_owned(), overview::page(&campaign)));
    Ok(site)
}

/// The pages of the bugs of a folder, without an overview.
pub fn bug_pages(store: &Store, profiles: &Profiles, mute: &Mute) -> Result<Site, Error> {
    Ok(bug_site(&Campaign::read(store, profiles, mute)?))
}

fn bug_site(campaign: &Campaign<'_>) -> Site {
    let mut site = Site::default();
    for at in 0..campaign.all.len() {
        let bug::Pages { page, scripts, files } = bug::page(campaign, at);
        site.pages.push((bug_path(&campaign.all[at].id), page));
        site.scripts.extend(scripts);
        site.files.extend(files);
    }
    site
}

/// The colour of a kind of finding, as a class.
pub(crate) fn class(kind: Kind) -> &'static str {
    match kind.row().severity {
        Severity::Wrong => "wrong",
        Severity::Invalid => "model",
        Severity::Dead => "dead",
        Severity::Late => "slow",
    }
}
