//! Writes bugs as a JUnit file, for continuous integration services.

use smelt_report::{Facts, issue};
use smelt_store::Bug;

use crate::output::printable;

/// A failed test for each bug; a known one is skipped. A finding that was not examined is left out: it may be one of them.
pub(super) fn document(bugs: &[&Bug], facts: &[Facts]) -> String {
    let shown: Vec<(&&Bug, &Facts)> = bugs.iter().zip(facts).filter(|(b, _)| !b.is_open()).collect();
    let skipped = shown.iter().filter(|(b, _)| b.muted.is_some()).count();
    let (tests, failures) = (shown.len(), shown.len() - skipped);
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n\
         <testsuite name=\"smelt\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">\n"
    );
    for (bug, facts) in shown {
        let (solver, name) = (escaped(&bug.as_finding().solver), escaped(&bug.fingerprint));
        text += &format!("<testcase classname=\"{solver}\" name=\"{name}\">\n");
        text += &match &bug.muted {
            Some(known) => format!("<skipped message=\"{}\"/>\n", escaped(known)),
            None => format!(
                "<failure type=\"{}\" message=\"{}\">{}</failure>\n",
                bug.kind,
                escaped(&facts.title.replace('`', "")),
                escaped(&issue(facts))
            ),
        };
        text += "</testcase>\n";
    }
    text + "</testsuite>\n</testsuites>\n"
}

/// A text as XML has it.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in printable(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // Neither of them may stand in a document.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escaped("<a b=\"1\">&\u{1b}\n"), "&lt;a b=&quot;1&quot;&gt;&amp;\\u{1b}\n");
    }
}
