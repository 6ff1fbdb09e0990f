//! The folders of campaigns: `smelt-out`, `smelt-out-2`, .., or what the user names.

use std::path::{Path, PathBuf};

use smelt_store::Store;

use crate::exit::Failure;

const FOLDER: &str = "smelt-out";

/// The folder of a new campaign, or with `resume` of one to go on with.
pub(crate) fn campaign_folder(named: Option<&Path>, resume: bool) -> Result<PathBuf, Failure> {
    let out = match named {
        Some(out) => out.to_owned(),
        None if resume => latest(),
        None => free(),
    };
    if !resume && Store::exists(&out) {
        let message = format!(
            "{} holds a campaign: go on with it with --resume, or name another folder with --out",
            out.display()
        );
        return Err(Failure::usage(message));
    }
    Ok(out)
}

/// The last of our folders that holds a campaign.
pub(crate) fn latest() -> PathBuf {
    let mut number = 1;
    while Store::exists(&name(number + 1)) {
        number += 1;
    }
    name(number)
}

/// The first of our folders that holds no campaign.
fn free() -> PathBuf {
    (1..).map(name).find(|folder| !Store::exists(folder)).unwrap_or_else(|| name(1))
}

fn name(number: u32) -> PathBuf {
    PathBuf::from(if number == 1 { FOLDER.to_owned() } else { format!("{FOLDER}-{number}") })
}
