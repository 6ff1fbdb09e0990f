//! Checks whether maintainers accept a report on a finding: their rules are data in the profiles of solvers.

use smelt_core::Needs;
use smelt_solvers::ReportPolicy;

/// Why maintainers do not accept a report on a finding; empty if they do.
pub fn outside(maintainers: &ReportPolicy, theory: &str, needs: &Needs) -> Vec<String> {
    let mut reasons = Vec::new();
    let base = theory.split('+').next().unwrap_or(theory);
    if maintainers.unwanted_theories.iter().any(|t| t == base || t == theory) {
        reasons.push(format!("they do not accept reports on {theory}"));
    }
    let all = needs.flags.iter().chain(&needs.options);
    for option in all {
        let name = bare(option);
        if maintainers.unwanted_options.iter().any(|u| name.split('.').any(|part| part == u) || name == *u) {
            reasons.push(format!("they do not accept reports that need `{option}`"));
        } else if let Some(accepted) = &maintainers.options
            && !accepted.iter().any(|a| *a == name)
        {
            reasons.push(format!("it needs `{option}`, which they do not accept"));
        }
    }
    if needs.safe == Some(false) {
        let args = maintainers.safe.as_ref().map(|s| s.args.join(" ")).unwrap_or_default();
        reasons.push(format!("it does not reproduce with `{args}`"));
    }
    reasons
}

/// The name of an option: `--no-x=1`, `:x`, `smt.x=true` are about `x` or `smt.x`.
fn bare(option: &str) -> &str {
    let name = option.trim_start_matches(['-', ':']);
    let name = name.split_once('=').map_or(name, |(name, _)| name);
    name.strip_prefix("no-").unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use smelt_solvers::Profiles;

    fn reasons(solver: &str, theory: &str, options: &[&str], safe: Option<bool>) -> usize {
        let profiles = Profiles::load(None).unwrap();
        let options = options.iter().map(|o| (*o).to_owned()).collect();
        let needs = Needs { options, safe, ..Needs::default() };
        outside(&profiles.get(solver).unwrap().maintainers, theory, &needs).len()
    }

    #[test]
    fn options_that_maintainers_do_not_accept_are_outside() {
        assert_eq!(reasons("cvc5", "strings", &[], None), 0);
        assert_eq!(reasons("cvc5", "strings", &[":strings-exp", "--incremental"], Some(true)), 0);
        assert_eq!(reasons("cvc5", "strings", &["--sygus-inference"], None), 1);
        assert_eq!(reasons("cvc5", "transcendentals", &[], Some(false)), 1);
        assert_eq!(reasons("z3", "nonlinear-ints", &["smt.arith.solver=2"], None), 0);
        assert_eq!(reasons("z3", "reals", &["fm"], None), 1);
        assert_eq!(reasons("z3", "bitvectors", &["rewriter.hi_div0=false"], None), 1);
    }
}
