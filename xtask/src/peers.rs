//! Other tools for comparison with smelt, and solvers as programs that those tools can run.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{run, target};

/// Installs a Python package into the target folder, once; the folder of its programs.
pub(crate) fn install(package: &str, version: &str) -> Result<PathBuf, String> {
    let folder = target().join(format!("{package}-{version}"));
    if !folder.join("bin").join(package).is_file() {
        let mut venv = Command::new("python3");
        venv.args(["-m", "venv"]).arg(&folder);
        run(venv)?;
        let mut pip = Command::new(folder.join("bin/pip"));
        pip.args(["install", "--quiet", &format!("{package}=={version}")]);
        run(pip)?;
    }
    Ok(folder.join("bin"))
}

/// The folder of installed releases.
pub(crate) fn releases() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache")))?;
    Some(cache.join("smelt/solvers"))
}

/// A solver's program on disk.
pub(crate) fn program(solver: &str) -> Option<String> {
    let path = match solver.split_once('@') {
        Some((name, version)) => releases()?.join(format!("{name}/{version}/site/bin/{name}")),
        None => Path::new("/usr/bin").join(solver),
    };
    path.is_file().then(|| path.display().to_string())
}
