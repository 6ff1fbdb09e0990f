//! The settings on which cases and outcomes depend, if a case is a function of its number. All shards of a campaign
//! must have the same settings, which are stored.

use smelt_core::SeedHash;
use smelt_solvers::Mode;
use smelt_store::{Error, ErrorKind};
use smelt_trial::NamedSolver;
use std::collections::BTreeMap;

use crate::lab::Config;
use crate::plan::Plan;
use crate::seeds::SeedText;

/// The store's key for them.
pub(crate) const SETTINGS: &str = "settings";
/// How many cases the whole campaign has: a campaign may become longer, its shards must be equally long.
const TESTS: &str = "--tests";

/// Settings by the name that a user knows them by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings(BTreeMap<String, String>);

/// One word for much text.
fn digest(texts: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = texts.collect();
    format!("{} ({})", all.len(), SeedHash::of(all.join("\n").as_bytes()))
}

impl Settings {
    pub(crate) fn of(config: &Config, plans: &[Plan], seeds: &[SeedText]) -> Settings {
        let way = |plan: &Plan| {
            let name = plan.row.name;
            plan.ways.iter().map(|w| format!("{name} {} {:?}", w.text, w.options.files())).collect::<Vec<_>>()
        };
        let request: serde_json::Value = serde_json::from_str(&config.request).unwrap_or_default();
        let files = request["files"].as_object().into_iter().flatten();
        let names = plans.iter().map(|p| p.row.name).collect::<Vec<_>>();
        let ids: Vec<String> = config.solvers.iter().map(|s| s.solver.id().to_string()).collect();
        // Programs may be in other folders on other machines.
        let spec = |s: &NamedSolver| {
            let (program, options) = s.spec.split_once(' ').unwrap_or((&s.spec, ""));
            format!("{} {options}", program.rsplit('/').next().unwrap_or_default())
        };
        let pairs = [
            ("smelt", env!("CARGO_PKG_VERSION").to_owned()),
            ("--seed", config.seed.to_string()),
            ("seeds", digest(seeds.iter().map(|s| format!("{} {:?} {}", s.hash, s.status, s.proved)))),
            ("strategies", format!("{}: {}", names.join(","), digest(plans.iter().flat_map(way)))),
            ("solvers", format!("{}: {}", ids.join(", "), digest(config.solvers.iter().map(spec)))),
            ("--timeout", format!("{:?}", config.timeout)),
            ("--memory", config.memory.to_string()),
            ("--per-seed", format!("{:?}", config.per_seed)),
            ("--focus", format!("{:?}", config.focus)),
            ("--fresh", (config.mode == Mode::Fresh).to_string()),
            ("--go-on", config.go_on.to_string()),
            ("--self-check", (request["self_check"] == true).to_string()),
            ("files", digest(files.map(|(_, text)| text.to_string()))),
            (TESTS, config.tests.map_or_else(|| "no end".to_owned(), |n| n.to_string())),
        ];
        Settings(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(&self.0).unwrap_or_default()
    }

    pub(crate) fn from_json(text: &str) -> Option<Settings> {
        serde_json::from_str(text).ok().map(Settings)
    }

    /// The first setting that differs: its name, and what it is here and there.
    pub(crate) fn difference<'a>(&'a self, other: &'a Settings) -> Option<(&'a str, &'a str, &'a str)> {
        let names = self.0.keys().chain(other.0.keys());
        let value = |s: &'a Settings, name: &str| s.0.get(name).map_or("not set", String::as_str);
        names.map(|n| (n.as_str(), value(self, n), value(other, n))).find(|(_, a, b)| a != b)
    }

    /// How many cases the whole campaign has, if it ends.
    pub(crate) fn tests(&self) -> Option<u64> {
        self.0.get(TESTS)?.parse().ok()
    }

    /// Refuses to continue a campaign with other settings, except a larger number of tests.
    pub(crate) fn check(&self, stored: Option<&str>) -> Result<(), Error> {
        let Some(mut stored) = stored.and_then(Settings::from_json) else { return Ok(()) };
        stored.0.insert(TESTS.to_owned(), self.0.get(TESTS).cloned().unwrap_or_default());
        let Some((name, now, then)) = self.difference(&stored) else { return Ok(()) };
        let message = format!(
            "the campaign was started with a different {name} ({then}, now {now}), so its case numbers would mean other cases; \
             start a new campaign with --out"
        );
        Err(Error::new(ErrorKind::Usage, message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_differs_is_named_and_the_length_may_change() {
        let settings = |seed: &str, tests: &str| {
            let pairs = [("--seed", seed), (TESTS, tests)];
            Settings(pairs.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect())
        };
        let one = settings("1", "100");
        assert_eq!(one.difference(&one.clone()), None);
        assert_eq!(one.difference(&settings("2", "100")), Some(("--seed", "1", "2")));
        assert_eq!(Settings::from_json(&one.to_json()), Some(one.clone()));
        assert_eq!((one.tests(), settings("1", "no end").tests()), (Some(100), None));
        assert!(one.check(Some(&settings("1", "200").to_json())).is_ok());
        let error = one.check(Some(&settings("2", "100").to_json())).unwrap_err();
        assert!(error.kind().is_usage() && error.to_string().contains("--seed (2, now 1)"), "{error}");
    }
}
