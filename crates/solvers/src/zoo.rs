//! The zoo: solver releases, downloaded as Python wheels by the user's own `pip`, each in its own folder.
//!
//! `ROOT/NAME/VERSION/` contains `site/` (what pip unpacked) and `release.toml` (how to run it). A release is made
//! in a temporary folder and renamed after it has answered a query there, so a release is complete or absent. If
//! the wheel contains a program, smelt runs it. If it contains only a Python module, `runner.py` runs that module
//! as a process; no other program gets it on its module path.

use crate::{
    command::{CommandEnd, CommandRun, run_helper},
    error::{Error, ErrorKind},
    limits::Limits,
    process::{Launch, find_program},
    profile::{Profile, Profiles, ZooRule, closest},
    query::{Mode, Query, SessionConfig},
    session::Session,
    solver::{Origin, Solver},
};
use serde::{Deserialize, Serialize};
use smelt_core::{OutcomeKind, SolverId, Version};
use std::{
    ffi::OsString,
    fs::{self, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

const RUNNER: &str = include_str!("runner.py");

/// The folder of installed releases.
#[derive(Clone, Debug)]
pub struct Zoo {
    root: PathBuf,
}

/// What [`Zoo::install`] did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Installed {
    /// The release.
    pub id: SolverId,
    /// Where it is.
    pub folder: PathBuf,
    /// False if it was installed before.
    pub new: bool,
}

/// `release.toml`.
#[derive(Debug, Serialize, Deserialize)]
struct Release {
    format: u32,
    package: String,
    python: PathBuf,
}

const FORMAT: u32 = 1;

impl Zoo {
    /// The zoo in the user's cache folder.
    pub fn of_user() -> Result<Zoo, Error> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
        let cache = cache.ok_or_else(|| {
            Error::new(ErrorKind::Config, "no cache folder: set HOME or XDG_CACHE_HOME to an absolute path")
        })?;
        Ok(Zoo::at(cache.join("smelt").join("solvers")))
    }

    /// A zoo in this folder.
    pub fn at(root: impl Into<PathBuf>) -> Zoo {
        Zoo { root: root.into() }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of a release, if it is installed.
    pub fn folder(&self, id: &SolverId) -> Option<PathBuf> {
        let (home, version) = (self.root.join(id.name()), id.version()?);
        let is_complete = |folder: &PathBuf| folder.join("release.toml").is_file();
        // An earlier smelt may have spelled the version in another way.
        let spelled = || {
            let is_it =
                |name: &OsString| name.to_str().and_then(|n| n.parse().ok()).as_ref() == Some(version);
            let names = fs::read_dir(&home).into_iter().flatten().flatten().map(|e| e.file_name());
            names.filter(is_it).map(|name| home.join(name)).find(is_complete)
        };
        Some(home.join(version.as_str())).filter(is_complete).or_else(spelled)
    }

    /// Every installed release, by name and version.
    pub fn releases(&self) -> Vec<(String, Version)> {
        let entries = |path: &Path| -> Vec<String> {
            let read = fs::read_dir(path).into_iter().flatten().flatten();
            read.filter_map(|e| e.file_name().into_string().ok()).collect()
        };
        let mut found = Vec::new();
        for name in entries(&self.root) {
            for version in entries(&self.root.join(&name)) {
                let Ok(version) = version.parse::<Version>() else { continue };
                if self.folder(&SolverId::new(name.clone(), Some(version.clone()))).is_some() {
                    found.push((name.clone(), version));
                }
            }
        }
        found.sort();
        found
    }

    /// The newest installed release of a solver.
    pub fn newest(&self, name: &str) -> Option<Version> {
        self.releases().into_iter().filter(|(n, _)| n == name).map(|(_, v)| v).max()
    }

    /// An installed release, ready to run.
    pub fn open(&self, profiles: &Profiles, name: &str, version: &Version) -> Result<Solver, Error> {
        let id = SolverId::new(name, Some(version.clone()));
        let folder = self.folder(&id).ok_or_else(|| {
            let message = format!("{id} is not installed: run `smelt solvers install {id}`");
            Error::new(ErrorKind::NotFound, message)
        })?;
        let (profile, rule) = zoo_rule(profiles, name)?;
        self.solver_in(&folder, profile, rule, &id)
    }

    fn solver_in(
        &self,
        folder: &Path,
        profile: &Arc<Profile>,
        rule: &ZooRule,
        id: &SolverId,
    ) -> Result<Solver, Error> {
        let manifest = folder.join("release.toml");
        let release: Release = fs::read_to_string(&manifest)
            .and_then(|text| toml::from_str(&text).map_err(io::Error::other))
            .map_err(|e| Error::system(format!("cannot read {}", manifest.display()), e))?;
        if release.format != FORMAT {
            let message = format!(
                "{id} was installed by another version of smelt: remove {} and install it again",
                folder.display()
            );
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        let site = folder.join("site");
        let launch = match &rule.binary {
            Some(binary) => Launch::new(site.join(binary), [""; 0]),
            None => {
                let engine = rule.runner.clone().unwrap_or_default();
                let args =
                    [OsString::from("-I"), "-S".into(), self.runner()?.into(), engine.into(), site.into()];
                Launch::new(release.python, args)
            }
        };
        let version = id.version().cloned();
        Ok(Solver::with_version(id.name(), profile.clone(), launch, Origin::Zoo, version))
    }

    /// The path of the runner, which is written again if it differs from the one in this build of smelt.
    fn runner(&self) -> Result<PathBuf, Error> {
        let path = self.root.join("runner.py");
        if fs::read(&path).is_ok_and(|text| text == RUNNER.as_bytes()) {
            return Ok(path);
        }
        fs::create_dir_all(&self.root)
            .and_then(|()| {
                let readable = Permissions::from_mode(0o644);
                let mut file = tempfile::Builder::new().permissions(readable).tempfile_in(&self.root)?;
                file.write_all(RUNNER.as_bytes())?;
                Ok(file.persist(&path)?)
            })
            .map_err(|e| Error::system(format!("cannot write {}", path.display()), e))?;
        Ok(path)
    }

    /// Installs a release. Does nothing if it is installed; leaves nothing behind if it fails.
    pub fn install(&self, profiles: &Profiles, name: &str, version: &Version) -> Result<Installed, Error> {
        let id = SolverId::new(name, Some(version.clone()));
        if let Some(folder) = self.folder(&id) {
            return Ok(Installed { id, folder, new: false });
        }
        let (profile, rule) = zoo_rule(profiles, name)?;
        let python = python()?;
        let home = self.root.join(name);
        let failed = |what: &str, e| Error::system(format!("{what} below {}", self.root.display()), e);
        fs::create_dir_all(&home).map_err(|e| failed("cannot make a folder", e))?;
        clean(&home);
        let prefix = format!("{TEMPORARY}{}-", std::process::id());
        let temporary = tempfile::Builder::new()
            .prefix(&prefix)
            .permissions(Permissions::from_mode(0o755))
            .tempdir_in(&home)
            .map_err(|e| failed("cannot make a folder", e))?;
        let temporary = temporary.path();
        fetch(&python, &temporary.join("site"), &rule.package, &id)?;
        let release = Release { format: FORMAT, package: rule.package.clone(), python };
        let text = toml::to_string(&release)
            .map_err(|e| failed("cannot describe a release", io::Error::other(e)))?;
        fs::write(temporary.join("release.toml"), text).map_err(|e| failed("cannot write", e))?;
        smoke(self.solver_in(temporary, profile, rule, &id)?)?;
        let folder = home.join(version.as_str());
        match fs::rename(temporary, &folder) {
            Ok(()) => Ok(Installed { id, folder, new: true }),
            // Another process installed it first.
            Err(_) if self.folder(&id).is_some() => Ok(Installed { id, folder, new: false }),
            Err(e) => Err(failed("cannot rename a folder", e)),
        }
    }

    /// The releases that can be installed, newest first.
    pub fn available(&self, profiles: &Profiles, name: &str) -> Result<Vec<Version>, Error> {
        let (_, rule) = zoo_rule(profiles, name)?;
        let run = pip(&python()?, &["index", "versions", &rule.package].map(OsString::from))?;
        let text = String::from_utf8_lossy(&run.stdout);
        match text.lines().find_map(|l| l.trim().strip_prefix("Available versions:")) {
            Some(list) => Ok(list.split(',').filter_map(|v| v.trim().parse().ok()).collect()),
            None => Err(diagnose(&run, &rule.package, &SolverId::new(name, None))),
        }
    }
}

fn zoo_rule<'a>(profiles: &'a Profiles, name: &str) -> Result<(&'a Arc<Profile>, &'a ZooRule), Error> {
    let found = profiles.get(name).and_then(|p| Some((p, p.zoo.as_ref()?)));
    found.ok_or_else(|| {
        let known: Vec<_> = profiles.iter().filter(|p| p.zoo.is_some()).map(|p| p.name.as_str()).collect();
        let meant = closest(name, known.iter().copied()).map(|m| format!(" (did you mean `{m}`?)"));
        let (meant, known) = (meant.unwrap_or_default(), known.join(", "));
        let message = format!("smelt cannot install `{name}`{meant}: choose one of {known}");
        Error::new(ErrorKind::Spec, message)
    })
}

/// The interpreter behind `python3`, so that the release keeps working when PATH changes.
fn python() -> Result<PathBuf, Error> {
    let missing =
        || Error::new(ErrorKind::NotFound, "no python3 on PATH: install Python 3 with pip, then try again");
    let program = find_program(Path::new("python3")).ok_or_else(missing)?;
    let launch = Launch::new(program, ["-I", "-c", "import sys; print(sys.executable)"]);
    let run = run_helper(&launch, &Limits::within(Duration::from_secs(60)))
        .map_err(|e| Error::system("cannot run python3", e))?;
    let path = PathBuf::from(String::from_utf8_lossy(&run.stdout).trim());
    if path.is_absolute() { Ok(path) } else { Err(missing()) }
}

fn pip(python: &Path, args: &[OsString]) -> Result<CommandRun, Error> {
    let common = ["-m", "pip", "--disable-pip-version-check", "--no-input", "--no-color"];
    let launch = Launch::new(python, common).with_args(args);
    let limits = Limits { output: 8 << 30, ..Limits::within(Duration::from_secs(1800)) };
    run_helper(&launch, &limits).map_err(|e| Error::system("cannot run pip", e))
}

fn fetch(python: &Path, site: &Path, package: &str, id: &SolverId) -> Result<(), Error> {
    let version = id.version().map(Version::as_str).unwrap_or_default();
    let mut last = None;
    // Some packages add a fourth number or a `.postN` to the solver's own release number.
    for requirement in [format!("{package}=={version}"), format!("{package}=={version}.*")] {
        let fixed = ["install", "--no-deps", "--no-compile", "--only-binary", ":all:", "--target"];
        let mut args: Vec<OsString> = fixed.map(OsString::from).to_vec();
        args.extend([site.into(), requirement.into()]);
        let run = pip(python, &args)?;
        if run.end == CommandEnd::Code(0) {
            return Ok(());
        }
        let error = diagnose(&run, package, id);
        if error.kind() != ErrorKind::NoSuchRelease {
            return Err(error);
        }
        last = Some(error);
    }
    Err(last.unwrap_or_else(|| Error::new(ErrorKind::Install, "pip did nothing")))
}

/// Parts of pip's messages without a network.
const OFFLINE: [&str; 8] = [
    "Failed to establish a new connection",
    "Temporary failure in name resolution",
    "Max retries exceeded",
    "Connection refused",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Network is unreachable",
    "ProxyError",
];

/// The error that explains pip's failure to a person.
fn diagnose(run: &CommandRun, package: &str, id: &SolverId) -> Error {
    let stderr = String::from_utf8_lossy(&run.stderr);
    if stderr.contains("No module named pip") {
        return Error::new(ErrorKind::Install, "python3 has no pip: install pip, then try again");
    }
    let versions =
        stderr.split("(from versions:").nth(1).and_then(|rest| rest.split(')').next()).map(str::trim);
    let offline = OFFLINE.iter().any(|part| stderr.contains(part)) || run.end == CommandEnd::Timeout;
    // Every package smelt knows has versions: an empty list means that pip could not reach the index.
    if offline || versions.is_some_and(|list| list.is_empty() || list == "none") {
        let message = format!(
            "cannot fetch {id}: no network, or no wheel for this machine; make sure that \
             `python3 -m pip download --no-deps {package}` works, then try again"
        );
        return Error::new(ErrorKind::Network, message);
    }
    if let Some(list) = versions {
        return Error::new(
            ErrorKind::NoSuchRelease,
            format!("no release {id} to install: choose one of {list}"),
        );
    }
    let line = stderr.lines().rev().find(|l| l.contains("ERROR")).unwrap_or("no message").trim();
    Error::new(ErrorKind::Install, format!("pip could not install {id}: {line}"))
}

/// Checks that a new release answers.
fn smoke(solver: Solver) -> Result<(), Error> {
    let id = solver.id().clone();
    let limits = Limits::within(Duration::from_secs(60));
    let config = SessionConfig { mode: Mode::Fresh, limits, ..SessionConfig::default() };
    let script = "(set-logic QF_BV)(declare-fun x () (_ BitVec 8))(assert (= x #x2a))(check-sat)";
    let finished = Session::new(solver, config).run(Query::new(script))?;
    if finished.outcome.kind == OutcomeKind::Sat {
        return Ok(());
    }
    let said = finished.outcome.message.unwrap_or_else(|| finished.outcome.kind.to_string());
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let last = stderr.lines().last().map(|l| format!(" ({l})")).unwrap_or_default();
    Err(Error::new(ErrorKind::Install, format!("{id} was installed but does not run here: {said}{last}")))
}

/// The name of a folder in which a release is made begins with this and the id of the process that makes it.
const TEMPORARY: &str = ".tmp-";

/// Removes the folders of installations that were killed.
fn clean(home: &Path) {
    for entry in fs::read_dir(home).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner =
            name.to_str().and_then(|n| n.strip_prefix(TEMPORARY)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|pid| !Path::new(&format!("/proc/{pid}")).exists()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pip_failures_are_told_apart() {
        let id = SolverId::new("z3", Some("9.9".parse().unwrap()));
        for (stderr, kind, part) in [
            (
                "WARNING: Retrying: Failed to establish a new connection\nERROR: x (from versions: none)",
                ErrorKind::Network,
                "no network",
            ),
            (
                "ERROR: Could not find a version (from versions: 1.0, 2.0)",
                ErrorKind::NoSuchRelease,
                "1.0, 2.0",
            ),
            ("ERROR: Could not find a version (from versions: none)", ErrorKind::Network, "no wheel"),
            ("python3: No module named pip", ErrorKind::Install, "no pip"),
            ("ERROR: disk full", ErrorKind::Install, "disk full"),
        ] {
            let (end, stderr) = (CommandEnd::Code(1), stderr.as_bytes().to_vec());
            let error = diagnose(&CommandRun { end, stdout: Vec::new(), stderr }, "z3-solver", &id);
            assert_eq!(error.kind(), kind);
            assert!(error.to_string().contains(part), "{error}");
            assert!(error.kind().is_usage());
        }
    }

    #[test]
    fn a_half_made_release_is_not_there() {
        let root = std::env::temp_dir().join(format!("smelt-zoo-test-{}", std::process::id()));
        let zoo = Zoo::at(&root);
        fs::create_dir_all(root.join("z3/1.0/site")).unwrap();
        fs::create_dir_all(root.join("z3/.tmp-999999999-2.0/site")).unwrap();
        assert!(zoo.releases().is_empty());
        clean(&root.join("z3"));
        assert!(!root.join("z3/.tmp-999999999-2.0").exists());
        fs::remove_dir_all(root).unwrap();
    }
}
