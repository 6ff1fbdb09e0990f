//! Campaign folders: `smelt-out`, `smelt-out-2`, .., or the folder that the user names.

use std::io::Write;
use std::path::{Path, PathBuf};

use smelt_campaign::Shard;
use smelt_store::Store;

use crate::commands::fuzz::stored_signatures;
use crate::exit::Failure;
use crate::inputs;
use crate::output::printable;

const FOLDER: &str = "smelt-out";

/// The folder of a new campaign, or with `resume` the folder of a campaign to continue.
pub(crate) fn campaign_folder(
    named: Option<&Path>,
    resume: bool,
    shard: Option<Shard>,
) -> Result<PathBuf, Failure> {
    let out = match (named, shard) {
        (Some(out), _) => out.to_owned(),
        // Each shard has its own, also if several start at the same time.
        (None, Some(shard)) => format!("{FOLDER}-{}-of-{}", shard.index(), shard.of()).into(),
        (None, None) if resume => latest(),
        (None, None) => free(Path::new(FOLDER)),
    };
    if !resume && Store::exists(&out) {
        let message = format!(
            "{} already contains a campaign: continue it with --resume, or choose another folder with --out",
            out.display()
        );
        return Err(Failure::usage(message));
    }
    Ok(out)
}

/// Opens the store of a campaign. The operator signatures it was started with become known to all that this run reads.
pub(crate) fn open(folder: &Path) -> Result<Store, Failure> {
    let store = Store::open(folder)?;
    for line in store.damage()? {
        writeln!(std::io::stderr(), "{}: {}", store.place(), printable(&line))?;
    }
    if let Some((file, text)) = stored_signatures(&store)? {
        inputs::install_signatures(&file, text.as_bytes())?;
    }
    Ok(store)
}

/// The campaign in this folder that was started last, whatever it is called; this folder, if it holds one itself.
pub(crate) fn latest() -> PathBuf {
    if Store::exists(Path::new(".")) {
        return ".".into();
    }
    let entries = std::fs::read_dir(".").into_iter().flatten().flatten();
    let folders =
        entries.map(|entry| PathBuf::from(entry.file_name())).filter(|folder| Store::exists(folder));
    let started = |folder: &PathBuf| -> Option<u64> {
        let started = Store::open(folder).and_then(|store| store.value("started")).ok()??;
        started.parse().ok()
    };
    // Of two that started in the same second, the one that was made later.
    let made = |folder: &PathBuf| {
        let data = std::fs::metadata(folder).ok()?;
        data.created().or_else(|_| data.modified()).ok()
    };
    let last = folders.max_by_key(|folder| (started(folder), made(folder), folder.clone()));
    last.unwrap_or_else(|| FOLDER.into())
}

/// The first of `PATH`, `PATH-2`, `PATH-3`, .. that holds no campaign.
pub(crate) fn free(path: &Path) -> PathBuf {
    let names = (1..).map(|number| numbered(path, number));
    names.into_iter().find(|folder| !Store::exists(folder)).unwrap_or_else(|| path.to_owned())
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 { path.to_owned() } else { format!("{}-{number}", path.display()).into() }
}
