//! `%magic`: an introduction to magics.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::Context;
use crate::Error;
use crate::display::Output;
use html_escape::encode_text;
use trace_view::{Bundle, HTML};

/// Lists what the function returns: the table of which it is a row.
pub struct About(pub fn() -> &'static [&'static dyn Magic]);

/// The sections of the page: title and lines.
const SECTIONS: &[(&str, &[&str])] = &[
    (
        "A magic is a line that starts with %",
        &[
            "%trace_load runs/a --as control",
            "A cell may mix magics and Rust; they run in order, and the first error ends the cell.",
            "Inside brackets, strings and comments, % is not a magic; `a` with `% b` on the next line is a remainder.",
            "Magics need no compiler: they work without a Rust toolchain.",
        ],
    ),
    (
        "Results are Rust variables",
        &[
            "df = %compare_traces control test     binds it and shows one line",
            "%compare_traces control test --as df  binds it and shows the table",
            "A loaded trace is a variable of type TraceSet, named by its label.",
            "{expr} in an argument is replaced by the value of a Rust expression: --control-rank {best}",
        ],
    ),
    (
        "Values",
        &[
            "\"double quotes\" and 'single quotes' work as in a shell; use single quotes for regular expressions.",
            "Lists of numbers: 0,2,4-7. In flags, _ and - are the same.",
            "In paths, ~, ${NAME} and ${NAME:-default} (environment variables) are expanded.",
        ],
    ),
    ("Help", &["%NAME? or %NAME --help explains one magic, %lsmagic lists all, Tab completes, Shift-Tab explains."]),
];

impl Magic for About {
    fn name(&self) -> &'static str {
        "magic"
    }

    fn summary(&self) -> &'static str {
        "Explain how magics work."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%magic"]
    }

    fn run(&self, _: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let mut plain = String::new();
        let mut html = String::new();
        for (title, lines) in SECTIONS {
            plain.push_str(&format!("{title}\n"));
            html.push_str(&format!("<p><b>{}</b></p><pre>", encode_text(title)));
            for line in *lines {
                plain.push_str(&format!("  {line}\n"));
                html.push_str(&format!("{}\n", encode_text(line)));
            }
            plain.push('\n');
            html.push_str("</pre>");
        }
        plain.push_str("Magics\n");
        html.push_str("<p><b>Magics</b></p><table>");
        let width = (self.0)().iter().map(|magic| magic.spelled().len()).max().unwrap_or(0);
        for magic in (self.0)() {
            plain.push_str(&format!("  {:width$}  {}\n", magic.spelled(), magic.summary()));
            html.push_str(&format!(
                "<tr><td style=\"text-align:left\"><code>{}</code></td><td style=\"text-align:left\">{}</td></tr>",
                magic.spelled(),
                encode_text(magic.summary())
            ));
        }
        html.push_str("</table>");
        let bundle = Bundle::text(plain).with(HTML, html.into());
        context.out.emit(Output::Display { bundle, id: None });
        Ok(())
    }
}
