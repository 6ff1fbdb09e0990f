//! A solver that is ready to run, and the catalog that turns a SOLVER argument into one.

use crate::{
    command::run_helper,
    dialect::Dialect,
    error::{Error, ErrorKind},
    limits::Limits,
    process::{Launch, find_program},
    profile::{Profile, Profiles, closest},
    releases::Releases,
    script::ScannedScript,
    spec::{SolverSpec, quote, split},
    zoo::{Installed, Zoo},
};
use smelt_core::{SolverId, Version};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// A solver ready to run.
#[derive(Clone, Debug)]
pub struct Solver {
    pub(crate) id: SolverId,
    pub(crate) profile: Arc<Profile>,
    pub(crate) launch: Launch,
    pub(crate) dialect: Arc<Dialect>,
    pub(crate) origin: Origin,
    /// How many of its arguments smelt adds to run it here (those of a runner). The rest are the user's.
    pub(crate) own_args: usize,
}

/// Where a solver comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// A program on PATH.
    Path,
    /// A release installed by smelt.
    Zoo,
    /// A name from `smelt.toml`.
    Config,
    /// A command line.
    Command,
    /// smelt itself.
    Builtin,
}

/// A row of `smelt solvers list`.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct InstalledSolver {
    /// Name and release.
    pub id: SolverId,
    /// What to write after `-S`.
    pub spec: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Its program; for a release of the zoo, its folder.
    pub path: PathBuf,
    /// Whether a session can reuse its processes.
    pub sessions: bool,
}

impl Solver {
    /// Makes a solver from a profile and the start of its command line, and runs it to learn its version.
    pub fn new(name: &str, profile: Arc<Profile>, launch: Launch, origin: Origin) -> Result<Solver, Error> {
        let version = ask_version(&profile, &launch)
            .map_err(|e| Error::system(format!("cannot run solver `{name}`"), e))?;
        Ok(Solver::with_version(name, profile, launch, origin, version))
    }

    /// Makes a solver whose version the caller knows.
    pub fn with_version(
        name: &str,
        profile: Arc<Profile>,
        launch: Launch,
        origin: Origin,
        version: Option<Version>,
    ) -> Solver {
        let mut launch = launch;
        launch.fence = profile.run.fence.then(Vec::new);
        let dialect = Arc::new(profile.dialect(version.as_ref()));
        let own_args = if origin == Origin::Zoo { launch.args.len() } else { 0 };
        Solver { id: SolverId::new(name, version), profile, launch, dialect, origin, own_args }
    }

    /// Its name and release.
    pub fn id(&self) -> &SolverId {
        &self.id
    }

    /// Its profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Whether it gives up by itself at a soft limit, so that its process stays alive.
    pub fn gives_up(&self) -> bool {
        self.soft_limit().is_some()
    }

    /// The command of its profile that sets a soft limit, unless this release is better killed.
    pub(crate) fn soft_limit(&self) -> Option<&str> {
        let rule = self.profile.session.as_ref().filter(|_| !self.dialect.busy_timer)?;
        rule.soft.as_deref()
    }

    /// Its dialect.
    pub fn dialect(&self) -> &Dialect {
        &self.dialect
    }

    /// Where it comes from.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The same solver with more arguments, such as those of [`crate::profile::Enable::self_check`].
    #[must_use]
    pub fn with_args<I: IntoIterator<Item = S>, S: Into<std::ffi::OsString>>(mut self, args: I) -> Self {
        self.launch = self.launch.with_args(args);
        self
    }

    /// The same release with options of the user: another solver.
    fn with_options(self, options: &[String]) -> Self {
        let mut solver = self.with_args(options);
        solver.id = solver.id.with_options(options.to_vec());
        solver
    }

    /// The same solver with an environment variable set.
    #[must_use]
    pub fn with_env(mut self, name: &str, value: impl Into<std::ffi::OsString>) -> Self {
        self.launch.env.push((name.into(), value.into()));
        self
    }

    /// Whether the kernel keeps its processes from writing to files.
    pub(crate) fn is_fenced(&self) -> bool {
        self.launch.fence.is_some() && crate::fence::has_fences()
    }

    /// The same solver, which may write to files below this folder.
    #[must_use]
    pub fn writing_to(mut self, folder: &Path) -> Self {
        if let Some(folders) = &mut self.launch.fence {
            folders.push(folder.to_owned());
        }
        self
    }

    /// The program that is started.
    pub fn program(&self) -> &Path {
        &self.launch.program
    }

    /// The process to start for a script in a file, or for scripts on stdin.
    pub(crate) fn launch(&self, incremental: bool, file: Option<&Path>) -> Launch {
        let run = &self.profile.run;
        let extra = if incremental { &run.incremental[..] } else { &[] };
        let mode = if file.is_some() { &run.file } else { &run.stdin };
        self.launch.clone().with_args(extra).with_args(mode).with_args(file)
    }

    /// The options that its profile gives it for a script, besides those of every script.
    pub fn given_options(&self, script: &[u8]) -> Vec<String> {
        let run = &self.profile.run;
        let incremental = ScannedScript::scan(script, &[], &[]).incremental;
        let stack = run.incremental_switch.as_ref().filter(|_| incremental);
        let switches = stack.into_iter().chain(run.strings_switch(script));
        let arguments = switches.filter_map(|s| s.argument.clone());
        run.incremental.iter().filter(|_| incremental).cloned().chain(arguments).collect()
    }

    /// A script in the spelling that this release reads.
    pub fn spell<'a>(&self, script: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        self.dialect.adapt(script).0
    }

    /// A script that names a logic, if this solver needs one: else smelt chooses it anew for every change of the script, and
    /// a change of the logic hides what the change of the script does.
    pub fn name_logic<'a>(&self, script: &'a [u8]) -> std::borrow::Cow<'a, [u8]> {
        self.dialect.with_logic(script).map_or(script.into(), Into::into)
    }

    /// Whether it is given a script as another text than another solver: in other spellings, or with or without a logic.
    pub fn reads_differently(&self, other: &Solver, script: &[u8]) -> bool {
        self.spell(script) != other.spell(script)
    }

    /// A text that differs for every build and setting: its name, a hash of its program, of the files among its arguments,
    /// of the dialect in which it is given scripts and of how its replies are read, its arguments and environment.
    pub fn identity(&self) -> Result<String, Error> {
        let program = find_program(&self.launch.program).unwrap_or_else(|| self.launch.program.clone());
        let bytes = std::fs::read(&program)
            .map_err(|e| Error::system(format!("cannot read {}", program.display()), e))?;
        let mut hash = smelt_core::SeedHash::of(&bytes).0;
        for file in self.launch.args.iter().filter_map(|a| std::fs::read(Path::new(a)).ok()) {
            hash = hash.rotate_left(1) ^ smelt_core::SeedHash::of(&file).0;
        }
        if *self.dialect != Dialect::default() {
            hash = hash.rotate_left(1) ^ smelt_core::SeedHash::of(format!("{:?}", self.dialect).as_bytes()).0;
        }
        if !self.profile.texts.ignored_logic.is_empty() {
            let texts = format!("{:?}", self.profile.texts.ignored_logic);
            hash = hash.rotate_left(1) ^ smelt_core::SeedHash::of(texts.as_bytes()).0;
        }
        let words = self.launch.args.iter().chain(self.launch.env.iter().map(|(_, value)| value));
        let words: Vec<String> = words.map(|w| quote(&w.to_string_lossy())).collect();
        Ok(format!("{} {hash:016x} {}", self.id, words.join(" ")))
    }

    /// What it says of its version and build, in one line.
    pub fn build(&self) -> Option<String> {
        let text = version_text(&self.profile, &self.launch).ok()?;
        let line = text.lines().map(str::trim).find(|l| !l.is_empty())?;
        Some(line.chars().filter(|c| !c.is_control()).take(160).collect())
    }

    /// The same solver without the arguments that the user gave it.
    #[must_use]
    pub fn without_user_args(mut self) -> Self {
        self.launch.args.truncate(self.own_args);
        self.id = self.id.with_options(Vec::new());
        self
    }

    /// The arguments that the user gave it.
    pub fn user_args(&self) -> Vec<String> {
        self.launch.args[self.own_args..].iter().map(|a| a.to_string_lossy().into_owned()).collect()
    }
}

fn version_text(profile: &Profile, launch: &Launch) -> std::io::Result<String> {
    let launch = launch.clone().with_args(&profile.version.args);
    let limits = Limits { output: 1 << 20, ..Limits::within(Duration::from_secs(10)) };
    let run = run_helper(&launch, &limits)?;
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

fn ask_version(profile: &Profile, launch: &Launch) -> std::io::Result<Option<Version>> {
    Ok(read_version(&version_text(profile, launch)?, &profile.version.prefix))
}

/// The version after `prefix`, up to the first character that cannot be in one.
fn read_version(text: &str, prefix: &str) -> Option<Version> {
    let after = &text[text.find(prefix)? + prefix.len()..];
    let stop = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_'));
    after.trim_start().split(stop).next()?.parse().ok()
}

/// Finds solvers: profiles, zoo and smelt itself.
#[derive(Clone, Debug)]
pub struct Catalog {
    profiles: Profiles,
    zoo: Zoo,
    smelt: Option<PathBuf>,
}

impl Catalog {
    /// A catalog over these profiles and this zoo; `smelt` is smelt's own executable, for `builtin`.
    pub fn new(profiles: Profiles, zoo: Zoo, smelt: Option<PathBuf>) -> Catalog {
        Catalog { profiles, zoo, smelt }
    }

    /// The profiles.
    pub fn profiles(&self) -> &Profiles {
        &self.profiles
    }

    /// The zoo.
    pub fn zoo(&self) -> &Zoo {
        &self.zoo
    }

    /// Finds the solver a SOLVER argument names.
    pub fn resolve(&self, spec: &SolverSpec) -> Result<Solver, Error> {
        match spec {
            SolverSpec::Builtin(fault) => self.builtin(fault.as_deref()),
            SolverSpec::Release(name, version) => self.release(name, version),
            SolverSpec::Newest(name) => {
                let version = self.zoo.newest(name).ok_or_else(|| self.not_found(name))?;
                self.zoo.open(&self.profiles, name, &version)
            }
            SolverSpec::Command(words) => match words[0].parse() {
                // A release of the zoo with arguments.
                Ok(spec @ (SolverSpec::Release(..) | SolverSpec::Newest(_)))
                    if find_program(Path::new(&words[0])).is_none() =>
                {
                    Ok(self.resolve(&spec)?.with_options(&words[1..]))
                }
                // A solver of `smelt.toml` with arguments.
                Ok(SolverSpec::Named(name)) if self.profiles.configured().contains(&name) => {
                    Ok(self.named(&name)?.with_options(&words[1..]))
                }
                _ => self.command(&spec.to_string(), words, Origin::Command, None),
            },
            SolverSpec::Named(name) => self.named(name),
        }
    }

    /// The command line that a SOLVER argument stands for, with the path of its program; `None` if it names a solver that
    /// this machine knows. Options are part of a command line: some make a solver write files.
    pub fn command_line(&self, spec: &SolverSpec) -> Option<String> {
        let known = |name: &str| {
            let profile = self.profiles.get(name);
            profile.is_some_and(|p| p.command.is_some() || p.zoo.is_some() || !p.binaries.is_empty())
        };
        let words = match spec {
            SolverSpec::Builtin(_) => return None,
            SolverSpec::Named(name) | SolverSpec::Release(name, _) | SolverSpec::Newest(name)
                if known(name) =>
            {
                return None;
            }
            SolverSpec::Named(_) | SolverSpec::Release(..) | SolverSpec::Newest(_) => &[spec.to_string()][..],
            SolverSpec::Command(words) => words,
        };
        // What smelt itself adds to let a solver check its answers.
        if let Ok(SolverSpec::Named(name) | SolverSpec::Release(name, _) | SolverSpec::Newest(name)) =
            words[0].parse()
            && let Some(profile) = self.profiles.get(&name).filter(|_| known(&name))
            && words[1..] == profile.enable.self_check[..]
        {
            return None;
        }
        let program = find_program(Path::new(&words[0])).and_then(|path| std::path::absolute(path).ok());
        let program = program.map_or_else(|| words[0].clone(), |path| path.display().to_string());
        let words = std::iter::once(&program).chain(&words[1..]);
        Some(words.map(|word| quote(word)).collect::<Vec<_>>().join(" "))
    }

    /// A release of the zoo, else a program on PATH of that version.
    fn release(&self, name: &str, version: &Version) -> Result<Solver, Error> {
        if self.profiles.get(name).is_none_or(|p| p.zoo.is_none()) {
            return self.on_path(name, Some(version)).unwrap_or_else(|| Err(self.not_found(name)));
        }
        let opened = self.zoo.open(&self.profiles, name, version);
        let is_missing = |e: &Error| e.kind() == ErrorKind::NotFound;
        match opened {
            Err(e) if is_missing(&e) => self.on_path(name, Some(version)).unwrap_or(Err(e)),
            other => other,
        }
    }

    /// The program of a solver on PATH, if there is one, of a version if one is wanted. If the zoo has the same version, this
    /// is another build, and has a name of its own.
    fn on_path(&self, name: &str, wanted: Option<&Version>) -> Option<Result<Solver, Error>> {
        let known = self.profiles.get(name).map(|p| p.binaries.as_slice()).unwrap_or_default();
        let path = known.iter().find_map(|b| find_program(Path::new(b)))?;
        let profile = self.profiles.for_program(&path).clone();
        let solver = Solver::new(name, profile, Launch::new(path, [""; 0]), Origin::Path);
        let renamed = solver.map(|mut solver| {
            if self.zoo.folder(&solver.id).is_some() {
                let version = solver.id.version().and_then(|v| format!("{v}+path").parse().ok());
                solver.id = SolverId::new(name, version);
            }
            solver
        });
        let fits = |s: &Solver| wanted.is_none() || s.id.version() == wanted;
        Some(renamed).filter(|r| r.as_ref().map_or(wanted.is_none(), fits))
    }

    fn named(&self, name: &str) -> Result<Solver, Error> {
        if name == "builtin" {
            return self.builtin(None);
        }
        let profile = self.profiles.get(name);
        if let Some(command) = profile.and_then(|p| p.command.as_deref()) {
            let words = split(command).map_err(|why| {
                Error::new(ErrorKind::Config, format!("smelt.toml: solver.{name}.command: {why}"))
            })?;
            return self.command(name, &words, Origin::Config, profile);
        }
        if let Some(solver) = self.on_path(name, None) {
            return solver;
        }
        if let Some(version) = self.zoo.newest(name) {
            return self.zoo.open(&self.profiles, name, &version);
        }
        if find_program(Path::new(name)).is_some() {
            return self.command(name, &[name.to_owned()], Origin::Path, None);
        }
        Err(self.not_found(name))
    }

    /// The error for a name that no solver here has.
    fn not_found(&self, name: &str) -> Error {
        let message = if self.profiles.get(name).is_some_and(|p| p.zoo.is_some()) {
            format!("solver `{name}` is not installed: run `smelt solvers install {name}`")
        } else {
            let names = self.profiles.iter().map(|p| p.name.as_str()).filter(|n| *n != "generic");
            match closest(name, names) {
                Some(meant) => format!("no solver `{name}`: did you mean `{meant}`?"),
                None => format!("no solver `{name}`: put it on PATH or name its command in smelt.toml"),
            }
        };
        Error::new(ErrorKind::NotFound, message)
    }

    fn command(
        &self,
        name: &str,
        words: &[String],
        origin: Origin,
        profile: Option<&Arc<Profile>>,
    ) -> Result<Solver, Error> {
        let Some((program, args)) = words.split_first() else {
            return Err(Error::new(ErrorKind::Config, format!("solver `{name}`: empty command")));
        };
        let Some(path) = find_program(Path::new(program)) else {
            let message = format!("solver `{name}`: no program `{program}`; give its path or put it on PATH");
            return Err(Error::new(ErrorKind::NotFound, message));
        };
        let launch = Launch::new(&path, args);
        let profile = profile.unwrap_or_else(|| self.profiles.for_program(&path)).clone();
        let profile =
            if profile.name == "generic" { self.guess(&launch).unwrap_or(profile) } else { profile };
        Solver::new(name, profile, launch, origin)
    }

    /// The profile of a program under another name, by what it says of itself, else by a part of its name.
    fn guess(&self, launch: &Launch) -> Option<Arc<Profile>> {
        let generic = self.profiles.get("generic")?;
        let text = version_text(generic, launch).unwrap_or_default();
        let says = |p: &&Arc<Profile>| !p.version.prefix.is_empty() && text.contains(&p.version.prefix);
        let stem = launch.program.file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
        let is_called = |p: &&Arc<Profile>| {
            !matches!(p.name.as_str(), "generic" | "builtin") && p.command.is_none() && stem.contains(&p.name)
        };
        self.profiles.iter().find(says).or_else(|| self.profiles.iter().find(is_called)).cloned()
    }

    fn builtin(&self, fault: Option<&str>) -> Result<Solver, Error> {
        let (Some(smelt), Some(profile)) = (&self.smelt, self.profiles.get("builtin")) else {
            let message = "the built-in solver needs smelt's own executable, which was not found";
            return Err(Error::new(ErrorKind::NotFound, message));
        };
        let mut profile = Profile::clone(profile);
        if let Some(fault) = fault {
            let words = ["--fault".to_owned(), fault.to_owned()];
            profile.run.stdin.extend_from_slice(&words);
            profile.run.file.extend_from_slice(&words);
        }
        let spec = SolverSpec::Builtin(fault.map(str::to_owned));
        let version = env!("CARGO_PKG_VERSION").parse().ok();
        let launch = Launch::new(smelt, [""; 0]);
        Ok(Solver::with_version(&spec.to_string(), Arc::new(profile), launch, Origin::Builtin, version))
    }

    /// Installs a release.
    pub fn install(&self, name: &str, version: &Version) -> Result<Installed, Error> {
        self.zoo.install(&self.profiles, name, version)
    }

    /// The versions that a person asked to install.
    pub fn to_install(&self, releases: &Releases) -> Result<Vec<Version>, Error> {
        let ask = || self.zoo.available(&self.profiles, releases.name());
        let available = if releases.need_index() { ask()? } else { Vec::new() };
        releases.among(&available)
    }

    /// All solvers that can run here, by name: programs on PATH, the zoo, `smelt.toml`, the built-in solver.
    pub fn list(&self) -> Vec<InstalledSolver> {
        let mut rows = Vec::new();
        let mut add = |spec: String, solver: Result<Solver, Error>| {
            let Ok(solver) = solver else { return };
            rows.push(InstalledSolver {
                spec,
                origin: solver.origin,
                path: self.zoo.folder(&solver.id).filter(|_| solver.origin == Origin::Zoo).unwrap_or_else(
                    || find_program(&solver.launch.program).unwrap_or(solver.launch.program.clone()),
                ),
                sessions: solver.profile.session.is_some(),
                id: solver.id,
            });
        };
        for profile in self.profiles.iter().filter(|p| p.name != "generic" && p.name != "builtin") {
            let here = profile.binaries.iter().any(|b| find_program(Path::new(b)).is_some());
            if here || self.profiles.configured().contains(&profile.name) {
                add(profile.name.clone(), self.named(&profile.name));
            }
        }
        for (name, version) in self.zoo.releases() {
            add(format!("{name}@{version}"), self.zoo.open(&self.profiles, &name, &version));
        }
        add("builtin".to_owned(), self.builtin(None));
        rows.sort_by(|a, b| (a.origin, &a.id).cmp(&(b.origin, &b.id)));
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_solvers_print() {
        for (text, prefix, version) in [
            ("Z3 version 4.8.12 - 64 bit\n", "Z3 version ", "4.8.12"),
            ("This is cvc5 version 1.0.3\ncompiled", "This is cvc5 version ", "1.0.3"),
            ("1.5.118\n", "", "1.5.118"),
            ("Yices 2.6.5\nCopyright", "Yices ", "2.6.5"),
        ] {
            assert_eq!(read_version(text, prefix).unwrap().as_str(), version);
        }
        assert!(read_version("usage: tool", "").is_none());
        assert!(read_version("", "x").is_none());
    }

    #[test]
    fn a_script_for_a_solver_that_needs_a_logic_keeps_the_one_it_was_given() {
        let profiles = Profiles::load(None).unwrap();
        let solver = |name: &str| {
            let profile = profiles.get(name).unwrap().clone();
            Solver::with_version(name, profile, Launch::new(name, [""; 0]), Origin::Path, None)
        };
        let script = b"(declare-const x Int)(assert (> (* x x) 0))(check-sat)";
        let named = solver("yices").name_logic(script).into_owned();
        assert!(named.starts_with(b"(set-logic QF_NIA)"), "{}", String::from_utf8_lossy(&named));
        let linear = String::from_utf8_lossy(&named).replace("(* x x)", "x");
        assert_eq!(*solver("yices").spell(linear.as_bytes()), *linear.as_bytes());
        assert_eq!(*solver("z3").name_logic(script), script[..]);
    }

    #[test]
    fn a_solver_reads_differently_if_its_spelling_differs_or_only_one_is_given_a_logic() {
        let profiles = Profiles::load(None).unwrap();
        let solver = |name: &str, version: &str| {
            let profile = profiles.get(name).unwrap().clone();
            let launch = Launch::new(name, [""; 0]);
            Solver::with_version(name, profile, launch, Origin::Path, version.parse().ok())
        };
        let (old, new, yices) = (solver("z3", "4.8.5"), solver("z3", "5.4.0"), solver("yices", "2.6.5"));
        let plain = b"(declare-const p Bool)(assert p)(check-sat)";
        assert!(yices.reads_differently(&new, plain) && new.reads_differently(&yices, plain));
        assert!(!old.reads_differently(&new, plain));
        let strings = b"(declare-const s String)(assert (str.in_re s re.all))(check-sat)";
        assert!(old.reads_differently(&new, strings) && new.reads_differently(&old, strings));
    }
}
