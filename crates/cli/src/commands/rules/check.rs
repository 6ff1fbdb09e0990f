//! `smelt rules check`: refutes rules by evaluation, and lets solvers prove them. Rewrite rules of a solver are
//! only evaluated.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use smelt_solvers::{Catalog, Limits};
use smelt_strategies::rules::{
    BUILTIN, Effort, Flaw, Rule, RuleError, RuleSet, STATEMENTS, rare, statements,
};

use smelt_trial::{Lineup, NamedSolver, Panel, Proof, provers};

use crate::exit::{Exit, Failure};
use crate::setup::{self, Config};
use crate::{inputs, output, units};

/// Check rules by evaluation and, with -S, by proof
#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Files of rules, in smelt's format or as printed by cvc5; default: the built-in rules
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Check the rewrite rules printed by this solver; a wrong rule is a finding
    #[arg(long, value_name = "SOLVER", conflicts_with = "files")]
    of: Option<String>,
    /// Solver that must prove each rule, instantiated with several sorts and widths
    #[arg(short = 'S', long = "solver", value_name = "SOLVER")]
    solvers: Vec<String>,
    /// Time limit of one solver on one proof
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = units::duration)]
    timeout: Duration,
    #[command(flatten)]
    config: Config,
    /// Print the result as one JSON document
    #[arg(long)]
    json: bool,
}

/// The report on one rule.
#[derive(Serialize)]
struct Report {
    file: String,
    rule: String,
    statement: String,
    /// The counterexample, or another flaw.
    flaw: Option<String>,
    /// Why a rule of a solver could not be checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<String>,
    /// At how many values a rule of a solver was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    tried: Option<usize>,
    /// How many proofs are wanted, and how many no solver found.
    wanted: usize,
    open: usize,
    /// By solver: proofs, refutations, and questions without an answer.
    proofs: Vec<Proofs>,
}

#[derive(Serialize)]
struct Proofs {
    solver: String,
    proved: usize,
    refuted: usize,
    open: usize,
}

pub(crate) fn run(a: &Arguments) -> Result<Exit, Failure> {
    let catalog = setup::catalog(a.config.file.as_deref())?;
    let solvers = if a.solvers.is_empty() { Vec::new() } else { setup::solvers(&catalog, &a.solvers)? };
    let lanes = solvers.len().max(2);
    let all = provers(&solvers, lanes);
    let limits = Limits::within(a.timeout);
    let mut panel = Panel::with_lanes(Lineup { solvers: &all, limits, is_over: &|| false }, lanes);
    let mut texts: Vec<(String, Vec<u8>)> = Vec::new();
    for file in &a.files {
        texts.push((file.display().to_string(), inputs::read(file)?));
    }
    if let Some(name) = &a.of {
        texts.push((name.clone(), printed(&catalog, name)?));
    }
    if texts.is_empty() {
        texts.extend(BUILTIN.iter().map(|(name, text)| (format!("built-in {name}"), text.to_vec())));
    }
    let mut reports = Vec::new();
    let mut out = std::io::stdout().lock();
    let mut files: Vec<(String, Vec<Rule>)> = Vec::new();
    let foreign = foreign(a, &mut texts, &mut reports, &mut out)?;
    for (file, text) in &texts {
        let wrong = |e: RuleError| Failure::usage(format!("{file}: {e}"));
        let rules = statements(text).map_err(wrong)?;
        // A rule with chosen variables cannot rewrite, so a file with such rules holds statements.
        if !rules.iter().any(Rule::is_chosen) {
            RuleSet::unchecked(text).map_err(wrong)?;
        }
        files.push((file.clone(), rules));
    }
    if a.files.is_empty() && a.of.is_none() {
        for (name, text) in STATEMENTS {
            let rules = statements(text).map_err(|e| Failure::internal(format!("{name}: {e}")))?;
            files.push((format!("built-in {name}"), rules));
        }
    }
    for (file, rules) in &files {
        for rule in rules {
            let report = report(file, rule, &mut panel, &solvers)?;
            if !a.json && (report.is_wrong() || report.is_open()) {
                report.show(&mut out)?;
            }
            reports.push(report);
        }
    }
    let wrong = reports.iter().filter(|r| r.is_wrong()).count();
    if a.json {
        output::print_json(&reports)?;
    } else {
        let proved = |r: &&Report| r.wanted > 0 && r.open == 0;
        let proved = match solvers.is_empty() {
            false => format!(", {} proved at every sort tried", reports.iter().filter(proved).count()),
            true => String::new(),
        };
        let unchecked = reports.iter().filter(|r| r.unchecked.is_some()).count();
        let checked = units::count(reports.len() - unchecked, "rule");
        let unchecked = if unchecked > 0 { format!(", {unchecked} not checked") } else { String::new() };
        writeln!(out, "{checked} checked{proved}{unchecked}, {wrong} wrong")?;
    }
    Ok(match (wrong, foreign) {
        (0, _) => Exit::Ok,
        // A wrong rule of a solver is a bug of the solver; one of ours, or of a user, is a mistake in the file.
        (_, true) => Exit::Findings,
        (_, false) => Exit::Usage,
    })
}

/// The rewrite rules that a solver prints.
fn printed(catalog: &Catalog, name: &str) -> Result<Vec<u8>, Failure> {
    let solvers = setup::solvers(catalog, &[name.to_owned()])?;
    let solver = &solvers.first().ok_or_else(|| Failure::usage(format!("no solver {name}")))?.solver;
    let none = || Failure::usage(format!("{} prints no rewrite rules; cvc5 does from 1.2.0 on", solver.id()));
    solver.rewrite_rules()?.filter(|text| rare::is_rare(text)).ok_or_else(none)
}

/// Checks the files that hold rewrite rules of a solver, and takes them out of the list; whether there are any.
fn foreign(
    a: &Arguments,
    texts: &mut Vec<(String, Vec<u8>)>,
    reports: &mut Vec<Report>,
    out: &mut impl Write,
) -> Result<bool, Failure> {
    let (foreign, own): (Vec<_>, Vec<_>) = texts.drain(..).partition(|(_, text)| rare::is_rare(text));
    *texts = own;
    for (file, text) in &foreign {
        let rules = rare::read(text).map_err(|e| Failure::usage(format!("{file}: {e}")))?;
        for rule in &rules {
            let (mut flaw, mut unchecked, mut tried) = (None, None, None);
            match rule.check(Effort::LOAD) {
                Ok(done) => tried = Some(done.assignments),
                Err(Flaw::Counterexample(text)) => flaw = Some(format!("does not hold: {text}")),
                Err(Flaw::Unchecked(why)) => unchecked = Some(why),
                Err(why) => unchecked = Some(why.to_string()),
            }
            let report = Report {
                file: file.clone(),
                rule: rule.name.clone(),
                statement: rule.statement(),
                flaw,
                unchecked,
                tried,
                wanted: 0,
                open: 0,
                proofs: Vec::new(),
            };
            if !a.json && (report.is_wrong() || report.unchecked.is_some()) {
                report.show(out)?;
            }
            reports.push(report);
        }
    }
    Ok(!foreign.is_empty())
}

fn report(
    file: &str,
    rule: &Rule,
    panel: &mut Panel<'_>,
    solvers: &[NamedSolver],
) -> Result<Report, Failure> {
    let mut proofs = Vec::new();
    let (mut wanted, mut open) = (0, 0);
    if !solvers.is_empty() {
        let scripts: Vec<String> = rule.obligations().into_iter().map(|o| o.1).collect();
        let said = panel.prove(solvers.len(), &scripts)?;
        wanted = scripts.len();
        open = said.iter().filter(|s| !s.contains(&Proof::Proved)).count();
        for (who, solver) in solvers.iter().enumerate() {
            let count = |wanted: Proof| said.iter().filter(|s| s[who] == wanted).count();
            proofs.push(Proofs {
                solver: solver.solver.id().to_string(),
                proved: count(Proof::Proved),
                refuted: count(Proof::Refuted),
                open: count(Proof::Open),
            });
        }
    }
    Ok(Report {
        file: file.to_owned(),
        rule: rule.name.clone(),
        statement: rule.statement(),
        flaw: rule.check(Effort::THOROUGH).err().map(|f| f.to_string()),
        unchecked: None,
        tried: None,
        wanted,
        open,
        proofs,
    })
}

impl Report {
    fn is_wrong(&self) -> bool {
        self.flaw.is_some() || self.proofs.iter().any(|p| p.refuted > 0)
    }

    /// Whether some obligation stayed open with every solver.
    fn is_open(&self) -> bool {
        self.open > 0
    }

    fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(out, "{}: rule {}: {}", self.file, self.rule, self.statement)?;
        for line in self.flaw.iter().chain(&self.unchecked) {
            writeln!(out, "  {line}")?;
        }
        for p in &self.proofs {
            writeln!(out, "  {}: {} proved, {} refuted, {} open", p.solver, p.proved, p.refuted, p.open)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, Flaw, printed, rare, setup};

    /// Rules of cvc5, each with a change that makes it wrong.
    const BROKEN: [(&str, &str, &str); 10] = [
        ("arith-elim-lt", "(>= t1 s1)", "(>= s1 t1)"),
        ("arith-leq-norm", "(+ s1 1)", "(+ s1 2)"),
        ("arith-abs-eq", "(- y1)", "y1"),
        ("array-read-over-write", " e1)", " (select t1 i1))"),
        ("bool-double-not-elim", "(not (not t1)) t1)", "(not (not t1)) (not t1))"),
        ("bv-commutative-add", "(bvadd y1 x1)", "(bvsub y1 x1)"),
        ("bv-xor-duplicate", "(@bv 0 w1)", "(@bv 1 w1)"),
        ("bv-ult-one", "(@bv 0 n1)", "(@bv 1 n1)"),
        ("sets-union-member", "(or ", "(and "),
        ("str-to-upper-idem", "(str.to_upper s1))", "(str.to_lower s1))"),
    ];

    #[test]
    #[ignore = "needs --slow, cvc5@1.4.2"]
    fn rules_of_cvc5_hold_and_broken_copies_are_refuted() {
        let text = printed(&setup::catalog(None).unwrap(), "cvc5@1.4.2").unwrap();
        let rules = rare::read(&text).unwrap();
        let mut unchecked = 0;
        for rule in &rules {
            match rule.check(Effort::LOAD) {
                Ok(_) => {}
                Err(Flaw::Counterexample(why)) => panic!("{}: {why}", rule.name),
                Err(_) => unchecked += 1,
            }
        }
        assert!(rules.len() > 400 && unchecked * 20 < rules.len(), "{unchecked} of {}", rules.len());
        let text = String::from_utf8(text).unwrap();
        for (name, from, to) in BROKEN {
            let start = text.find(&format!("(declare-rule {name} ")).unwrap_or_else(|| panic!("{name}"));
            let rule = text[start..].split("\n)").next().unwrap().to_owned() + "\n)";
            let (head, conclusion) = rule.split_once(":conclusion").unwrap();
            assert!(conclusion.contains(from), "{name}: {conclusion}");
            let at = conclusion.rfind(from).unwrap();
            let broken =
                format!("{head}:conclusion{}{to}{}", &conclusion[..at], &conclusion[at + from.len()..]);
            let flaw = rare::read(broken.as_bytes()).unwrap()[0].check(Effort::LOAD);
            assert!(matches!(flaw, Err(Flaw::Counterexample(_))), "{broken}: {flaw:?}");
        }
    }
}
