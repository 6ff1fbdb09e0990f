//! What all HTML pages share: the frame, the style, plots. A page needs no other file.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem;color:#222}\
table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}\
td:first-child,th:first-child{text-align:left}pre{background:#f6f6f6;padding:.6rem;overflow-x:auto}\
figure{margin:1rem 0}details{margin:.4rem 0}";

/// A whole page.
pub(crate) fn page(title: &str, body: Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    };
    page.into_string() + "\n"
}

/// Plots as figures of a page.
pub(crate) fn figures(plots: Vec<(String, String)>) -> Markup {
    html! {
        @for (_, svg) in plots {
            figure { (PreEscaped(svg)) }
        }
    }
}

/// A script behind one line that unfolds.
pub(crate) fn script_details(summary: Markup, text: &str, script: &str) -> Markup {
    html! {
        details {
            summary { (summary) }
            p { (text) }
            pre { (script) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        let text = page("<b>", script_details(html! { ("a & b") }, "\"<i>\"", "(assert (< x 1))</pre>"));
        for part in ["<title>&lt;b&gt;</title>", "a &amp; b", "&lt;i&gt;", "(&lt; x 1))&lt;/pre&gt;"] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(text.ends_with("</html>\n"));
    }
}
