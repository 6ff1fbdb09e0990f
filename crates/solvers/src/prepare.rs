//! Prepares a query for a solver: translates its script into the solver's dialect, and enables the features that it needs.

use crate::{
    profile::SessionRule,
    query::Query,
    script::{Ask, ScannedScript, USING},
    solver::Solver,
};

/// Commands and options that not every solver has, which ask for what is judged, or belong to such a query. A solver without them answers the rest.
const NONSTANDARD: [&str; 15] = [
    "simplify",
    "apply",
    "get-qe",
    "maximize",
    "minimize",
    "assert-soft",
    "get-objectives",
    "get-interpolant",
    "get-interpolant-next",
    "get-interpolants",
    "get-proof",
    ":produce-proofs",
    ":check-proofs",
    ":proof-format-mode",
    USING,
];

/// A script ready to be sent.
pub(crate) struct Prepared {
    pub(crate) script: ScannedScript,
    /// Whether the answer counts for the script as it was given.
    pub(crate) comparable: bool,
    /// Whether a process can run other queries after it.
    pub(crate) sessionable: bool,
}

/// Translates the script of a query into the solver's dialect and switches on every feature that it needs.
pub(crate) fn prepare(solver: &Solver, query: &Query) -> Prepared {
    let profile = &solver.profile;
    let dialect = &solver.dialect;
    let (text, comparable) = dialect.adapt(&query.script);
    let rule = profile.session.as_ref();
    let taints = rule.map(|r| r.taints.as_slice()).unwrap_or_default();
    let lacking = NONSTANDARD.iter().map(|command| (*command).to_owned());
    let lacking = lacking.filter(|query| !profile.run.queries.contains(query));
    let dropped: Vec<String> = dialect.drop.iter().cloned().chain(lacking).collect();
    let mut script = ScannedScript::scan(&text, taints, &dropped);
    // Nobody knows what an unfenced process would do with the rest.
    if let Some(at) = script.ambiguous.filter(|_| !solver.is_fenced()) {
        script = ScannedScript::scan(&text[..at], taints, &dropped);
    }
    let mut switches = Vec::new();
    let incremental = profile.run.incremental_switch.as_ref().filter(|_| script.incremental);
    switches.extend(incremental.map(|s| &*s.command));
    switches.extend(profile.run.strings_switch(&script.text).map(|s| &*s.command));
    switches.extend(profile.enable.models.as_deref().filter(|_| query.model));
    switches.extend(profile.enable.cores.as_deref().filter(|_| query.core));
    let interpolates = script.commands.iter().any(|c| c.ask.is_some_and(Ask::is_for_interpolants));
    switches.extend(profile.enable.interpolants.as_deref().filter(|_| interpolates));
    if !switches.is_empty() {
        script.switch_on(&switches.concat());
    }
    // No session may change the channels of its output, whatever the profile says.
    let undone = |option: &String| {
        let channel = option.ends_with("-output-channel");
        let listed = |r: &SessionRule| {
            r.restores.contains_key(option) || r.forgets.iter().any(|f| f == "*" || f == option)
        };
        !channel && rule.is_some_and(listed)
    };
    let sessionable =
        !script.ragged && script.resets.is_empty() && !script.tainted && script.options.iter().all(undone);
    Prepared { script, comparable, sessionable }
}
