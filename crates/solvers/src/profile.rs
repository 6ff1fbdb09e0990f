//! What smelt knows of each solver, as data: one TOML file per solver in `profiles/`, extended by the user's
//! `smelt.toml`.
//!
//! A table `[solver.NAME]` in `smelt.toml` defines a new solver or changes a known one. `profile = "z3"` names the
//! profile to start from (default: the profile called NAME, else `generic`). `command = ".."` is the command line.
//! All other keys override the profile.

use crate::{
    dialect::{Dialect, Escapes},
    error::{Error, ErrorKind},
    process::MemoryBound,
    report_policy::ReportPolicy,
};
use memchr::memmem;
use serde::Deserialize;
use smelt_core::Version;
use std::{collections::BTreeMap, sync::Arc};

const BUILT_IN: [&str; 13] = [
    include_str!("../profiles/z3.toml"),
    include_str!("../profiles/cvc5.toml"),
    include_str!("../profiles/cvc5-gpl.toml"),
    include_str!("../profiles/cvc4.toml"),
    include_str!("../profiles/bitwuzla.toml"),
    include_str!("../profiles/boolector.toml"),
    include_str!("../profiles/pyboolector.toml"),
    include_str!("../profiles/yices.toml"),
    include_str!("../profiles/mathsat.toml"),
    include_str!("../profiles/opensmt.toml"),
    include_str!("../profiles/smtinterpol.toml"),
    include_str!("../profiles/builtin.toml"),
    include_str!("../profiles/generic.toml"),
];

/// What smelt knows of a solver.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// The solver that it is a build of: the name of the built-in profile that it starts from.
    #[serde(skip)]
    pub family: String,
    /// File names of its program.
    #[serde(default)]
    pub binaries: Vec<String>,
    /// Theories it claims to decide.
    #[serde(default)]
    pub theories: Vec<String>,
    /// The user's command line, from `smelt.toml`.
    pub command: Option<String>,
    #[serde(default)]
    pub(crate) memory: MemoryBound,
    pub(crate) version: VersionRule,
    pub(crate) run: RunRule,
    pub(crate) session: Option<SessionRule>,
    /// What switches features on.
    #[serde(default)]
    pub enable: Enable,
    #[serde(default)]
    pub(crate) texts: Texts,
    #[serde(default)]
    pub(crate) exit: ExitRule,
    pub(crate) zoo: Option<ZooRule>,
    pub(crate) rules: Option<RulesRule>,
    /// Arguments that make it show how it works on a script.
    #[serde(default)]
    pub behaviour: BehaviourRule,
    /// Lists that it prints of what it knows, by what is in them: `tactic`, `command`.
    #[serde(default)]
    pub lists: BTreeMap<String, ListRule>,
    /// What its maintainers ask of reports.
    #[serde(default)]
    pub maintainers: ReportPolicy,
    #[serde(default)]
    dialect: Vec<Dialect>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VersionRule {
    pub(crate) args: Vec<String>,
    /// The text right before the version in what it prints.
    pub(crate) prefix: String,
}

/// A setting, in both forms.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switch {
    /// As an argument on the command line, if it has one.
    pub(crate) argument: Option<String>,
    /// As a command at the start of a script.
    pub(crate) command: String,
}

impl RunRule {
    /// The setting that this script needs because it uses strings, if it does.
    pub(crate) fn strings_switch(&self, script: &[u8]) -> Option<&Switch> {
        let has = |word| memmem::find(script, word).is_some();
        self.strings.as_ref().filter(|_| has(b"String".as_slice()) || has(b"str."))
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunRule {
    /// Arguments with which it reads stdin.
    pub(crate) stdin: Vec<String>,
    /// Arguments before a file name.
    pub(crate) file: Vec<String>,
    /// More arguments for scripts that use the assertion stack or have several `check-sat`s.
    #[serde(default)]
    pub(crate) incremental: Vec<String>,
    /// The setting that it needs for such scripts.
    pub(crate) incremental_switch: Option<Switch>,
    /// The setting that it needs for scripts with strings.
    pub(crate) strings: Option<Switch>,
    /// Whether it understands `(echo ..)`.
    #[serde(default = "yes")]
    pub(crate) echo: bool,
    /// Whether its processes may write to no file ([`crate::fence`]).
    #[serde(default = "yes")]
    pub(crate) fence: bool,
    /// Queries outside the standard that it has; scripts are run without those that it lacks.
    #[serde(default)]
    pub(crate) queries: Vec<String>,
}

fn yes() -> bool {
    true
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionRule {
    /// The command that removes everything a script did.
    pub(crate) reset: String,
    /// Options that `reset` puts back to their defaults; `*` for all.
    #[serde(default)]
    pub(crate) forgets: Vec<String>,
    /// Options that `reset` keeps, with the default that smelt sets again.
    #[serde(default)]
    pub(crate) restores: BTreeMap<String, String>,
    /// Words in a script that `reset` does not undo: the next query needs a new process.
    #[serde(default)]
    pub(crate) taints: Vec<String>,
    /// The command that makes it give up each question after `{milliseconds}` and stay alive.
    pub(crate) soft: Option<String>,
    /// A small script that ends with a reset: initialises a new process, and measures how much an old one has slowed down.
    pub(crate) probe: Option<String>,
}

/// What switches features on.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Enable {
    /// The command that makes `get-model` work; absent if nothing does.
    pub models: Option<String>,
    /// The command that makes `get-unsat-core` work; absent if nothing does.
    pub cores: Option<String>,
    /// Command that makes it ready for interpolants.
    pub interpolants: Option<String>,
    /// Arguments that make it check its own models and cores.
    pub self_check: Vec<String>,
}

/// Arguments that make a solver show how it works on a script. Empty if it has none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BehaviourRule {
    /// Arguments that make it print statistics at its end.
    pub statistics: Vec<String>,
    /// Arguments that make it give up by itself after `{milliseconds}`, and still print statistics.
    pub soft: Vec<String>,
    /// Arguments that make it write a trace to `{file}`.
    pub trace: Vec<String>,
}

/// A list that a solver prints of itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListRule {
    /// The command that makes it print the list.
    pub ask: String,
    /// What stands before a name at the start of a line.
    pub before: String,
}

/// Beginnings of messages by their meaning; a leading `*` marks a part from anywhere in the message.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Texts {
    /// What the build lacks, even if the solver aborts over it.
    pub(crate) not_built_in: Vec<String>,
    pub(crate) rejected: Vec<String>,
    pub(crate) memout: Vec<String>,
    pub(crate) timeout: Vec<String>,
    pub(crate) crash: Vec<String>,
    pub(crate) assertion: Vec<String>,
    pub(crate) invalid: Vec<String>,
    /// What it prints on stderr if it ignores a `set-logic`.
    pub(crate) ignored_logic: Vec<String>,
}

impl Texts {
    /// How many commands that set a logic were ignored, by the text on stderr.
    pub(crate) fn ignored_logics(&self, stderr: &[u8]) -> usize {
        String::from_utf8_lossy(stderr).lines().filter(|line| fits(&self.ignored_logic, line)).count()
    }
}

/// Whether one of the patterns fits a message.
pub(crate) fn fits(patterns: &[String], message: &str) -> bool {
    patterns.iter().any(|p| match p.strip_prefix('*') {
        Some(part) => message.contains(part),
        None => message.starts_with(p.as_str()),
    })
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ExitRule {
    /// Codes besides 0 and 1 of a normal end.
    pub(crate) fine: Vec<i32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RulesRule {
    /// Arguments with which it prints its rewrite rules.
    pub(crate) args: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ZooRule {
    /// The Python package whose wheels contain it.
    pub(crate) package: String,
    /// Its program inside the installed package.
    pub(crate) binary: Option<String>,
    /// The engine of smelt's Python runner that runs it, if the package has no program.
    pub(crate) runner: Option<String>,
    /// A Python program in one line that runs such a package on a file, without smelt: its arguments are the file and options.
    pub(crate) python: Option<String>,
    /// Options with which it behaves as the solver's own program does on a file with one question.
    #[serde(default)]
    pub(crate) python_options: Vec<String>,
}

impl Profile {
    /// The dialect of a release; today's if the release is not known.
    pub fn dialect(&self, version: Option<&Version>) -> Dialect {
        let mut dialect = Dialect::default();
        let holds = |row: &&Dialect| {
            let is_old_enough = row.below.as_ref().is_none_or(|below| version.is_some_and(|v| v < below));
            let is_new_enough = row.since.as_ref().is_none_or(|since| version.is_some_and(|v| v >= since));
            is_old_enough && is_new_enough
        };
        for row in self.dialect.iter().filter(holds) {
            if row.escapes == Escapes::Legacy {
                dialect.escapes = Escapes::Legacy;
            }
            dialect.one_line_tokens |= row.one_line_tokens;
            dialect.rounded_decimals |= row.rounded_decimals;
            dialect.busy_timer |= row.busy_timer;
            dialect.spellings.extend(row.spellings.clone());
            dialect.also.extend(row.also.clone());
            dialect.drop.extend(row.drop.iter().cloned());
            dialect.logics.extend(row.logics.iter().cloned());
        }
        dialect
    }

    /// Whether the zoo can install releases of it.
    pub fn is_installable(&self) -> bool {
        self.zoo.is_some()
    }
}

/// All profiles: the built-in ones and the user's.
#[derive(Clone, Debug)]
pub struct Profiles {
    by_name: BTreeMap<String, Arc<Profile>>,
    configured: Vec<String>,
}

/// `smelt.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    solver: BTreeMap<String, toml::Table>,
}

impl Profiles {
    /// The built-in profiles, extended by the text of a `smelt.toml`.
    pub fn load(smelt_toml: Option<&str>) -> Result<Profiles, Error> {
        let bad = |what: &str, e: toml::de::Error| {
            let text = e.to_string();
            let hint = hint(&text).map(|known| format!("; did you mean `{known}`?")).unwrap_or_default();
            Error::new(ErrorKind::Config, format!("{what}: {}{hint}", text.trim_end()))
        };
        let mut tables = BTreeMap::new();
        let mut families: BTreeMap<String, String> = BTreeMap::new();
        for text in BUILT_IN {
            let mut table: toml::Table = text.parse().map_err(|e| bad("built-in profile", e))?;
            let name = table.get("name").and_then(|n| n.as_str()).unwrap_or_default().to_owned();
            let base = base_of(&mut table);
            if let Some(mut whole) = base.as_ref().and_then(|base| tables.get(base)).cloned() {
                overlay(&mut whole, table);
                table = whole;
            }
            families.insert(name.clone(), base.unwrap_or_else(|| name.clone()));
            tables.insert(name, table);
        }
        let mut configured = Vec::new();
        let config: Config =
            toml::from_str(smelt_toml.unwrap_or_default()).map_err(|e| bad("smelt.toml", e))?;
        for (name, mut own) in config.solver {
            let base = base_of(&mut own).unwrap_or_else(|| {
                if tables.contains_key(&name) { name.clone() } else { "generic".to_owned() }
            });
            let Some(mut table) = tables.get(&base).cloned() else {
                let known: Vec<_> = tables.keys().map(String::as_str).collect();
                let message = format!(
                    "smelt.toml: solver.{name}: no profile `{base}`: choose one of {}",
                    known.join(", ")
                );
                return Err(Error::new(ErrorKind::Config, message));
            };
            overlay(&mut table, own);
            table.insert("name".to_owned(), name.clone().into());
            if base != name {
                table.insert("binaries".to_owned(), toml::Value::Array(Vec::new()));
            }
            tables.insert(name.clone(), table);
            let family = families.get(&base).cloned().unwrap_or(base);
            families.insert(name.clone(), family);
            configured.push(name);
        }
        let mut by_name = BTreeMap::new();
        for (name, table) in tables {
            let mut profile: Profile =
                table.try_into().map_err(|e| bad(&format!("profile of solver `{name}`"), e))?;
            profile.family = families.remove(&name).unwrap_or_default();
            by_name.insert(name, Arc::new(profile));
        }
        Ok(Profiles { by_name, configured })
    }

    /// The profile of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Profile>> {
        self.by_name.get(name)
    }

    /// The profile for a program by its file name; `generic` if none knows it.
    pub fn for_program(&self, program: &std::path::Path) -> &Arc<Profile> {
        let stem = program.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        let known = |p: &&Arc<Profile>| p.binaries.iter().any(|b| b == stem);
        // `generic` is built in; a test loads every built-in profile.
        self.by_name.values().find(known).unwrap_or_else(|| &self.by_name["generic"])
    }

    /// All profiles, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Profile>> {
        self.by_name.values()
    }

    /// Names that `smelt.toml` defines.
    pub fn configured(&self) -> &[String] {
        &self.configured
    }
}

/// The known key that is most like the unknown one, from a message such as "unknown field `a`, expected `b` or `c`".
fn hint(message: &str) -> Option<String> {
    let names: Vec<&str> = message.split_once("unknown field `")?.1.split('`').step_by(2).collect();
    let (wrong, known) = names.split_first()?;
    closest(wrong, known.iter().copied()).map(str::to_owned)
}

/// The known word that an unknown one was meant to be: the one most like it, if it is much like it or one letter away.
pub fn closest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let like = |word: &str| match strsim::osa_distance(wrong, word) {
        1 if wrong.len() > 1 => 1.0,
        _ => strsim::jaro(wrong, word),
    };
    let best = known.into_iter().max_by(|a, b| like(a).total_cmp(&like(b)))?;
    (like(best) > 0.7).then_some(best)
}

/// Takes the name of the profile that a table changes out of it.
fn base_of(table: &mut toml::Table) -> Option<String> {
    table.remove("profile").and_then(|base| base.as_str().map(str::to_owned))
}

fn overlay(base: &mut toml::Table, own: toml::Table) {
    for (key, value) in own {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(new)) => overlay(inner, new),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_profile_reads_and_names_itself_once() {
        let profiles = Profiles::load(None).unwrap();
        assert_eq!(profiles.iter().count(), BUILT_IN.len());
        for profile in profiles.iter() {
            assert!(profiles.get(&profile.name).is_some());
            let used = |b: &String| profiles.iter().filter(|p| p.binaries.contains(b)).count();
            assert!(profile.binaries.iter().all(|b| used(b) == 1), "{}", profile.name);
            if let Some(zoo) = &profile.zoo {
                assert!(zoo.binary.is_some() != zoo.runner.is_some(), "{}", profile.name);
                assert_eq!(zoo.python.is_some(), zoo.runner.is_some(), "{}", profile.name);
            }
            if let Some(order) = &profile.maintainers.priorities {
                let kinds: std::collections::HashSet<_> = order.iter().flatten().collect();
                assert_eq!(kinds.len(), smelt_core::Kind::ALL.len(), "{}", profile.name);
            }
            if profile.session.is_some() {
                assert!(profile.run.echo, "{}: a session needs an end mark", profile.name);
            }
        }
    }

    #[test]
    fn smelt_toml_overlays_what_it_names_and_keeps_the_rest() {
        let text = "[solver.mine]\nprofile = \"z3\"\ncommand = \"/opt/z3 a=b\"\n\
                    [solver.mine.run]\nincremental = [\"i\"]\n[solver.z3.texts]\nrejected = [\"no\"]";
        let profiles = Profiles::load(Some(text)).unwrap();
        let mine = profiles.get("mine").unwrap();
        assert_eq!(
            (&mine.run.stdin[..], &mine.run.incremental[..]),
            (&["-in".to_owned()][..], &["i".to_owned()][..])
        );
        assert!(mine.binaries.is_empty() && mine.session.is_some());
        assert_eq!((&*mine.name, &*mine.family), ("mine", "z3"));
        assert_eq!(profiles.get("z3").unwrap().texts.rejected, ["no"]);
        assert_eq!(profiles.for_program(std::path::Path::new("/usr/bin/z3")).name, "z3");
    }

    #[test]
    fn a_wrong_smelt_toml_is_an_error_that_names_the_place() {
        for (text, part) in [
            ("[solver.a]\nprofile = \"b\"", "no profile `b`"),
            ("[solver.a]\nsesion = 1", "did you mean `session`?"),
            ("[solvers.a]\ncommand = \"z3\"", "did you mean `solver`?"),
            ("[campaign]\nx = 1", "unknown field `campaign`"),
            ("x", "smelt.toml"),
        ] {
            let error = Profiles::load(Some(text)).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_dialect_holds_for_its_releases() {
        let profiles = Profiles::load(None).unwrap();
        let z3 = profiles.get("z3").unwrap();
        let dialect = |v: &str| z3.dialect(Some(&v.parse().unwrap()));
        assert_eq!(dialect("4.8.10").escapes, Escapes::Legacy);
        assert!(dialect("4.8.10").spellings.is_empty());
        assert_eq!(dialect("4.8.8").spellings["str.in_re"], "str.in.re");
        // What no release has is in every dialect.
        let also = z3.dialect(None).also;
        assert_eq!(dialect("4.8.11"), Dialect { also: also.clone(), ..Dialect::default() });
        let busy = ["4.8.0", "4.8.5", "4.8.9.0", "4.8.10"].map(|v| dialect(v).busy_timer);
        assert_eq!(busy, [false, true, true, false]);
        assert_eq!(z3.dialect(None), Dialect { also, ..Dialect::default() });
    }
}
