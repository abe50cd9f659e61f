//! `%magic`: how magics work.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::Context;
use super::magics::MAGICS;
use crate::Error;
use crate::display::Output;
use html_escape::encode_text;
use trace_view::{Bundle, HTML};

pub(super) struct About;

/// Title and lines of each part of the page.
const PARTS: &[(&str, &[&str])] = &[
    (
        "A magic is a line that starts with %",
        &[
            "%trace_load runs/a --as control",
            "Magics and Rust mix in one cell and run in order; the first error stops the cell.",
            "A magic never stands inside brackets, strings or comments. `a` and `% b` on the next line is a remainder.",
            "Magics need no compiler: they work, at once, without a Rust toolchain.",
        ],
    ),
    (
        "Results are Rust variables",
        &[
            "df = %compare_traces control test     binds and shows one line",
            "%compare_traces control test --as df  binds and shows the table",
            "A loaded trace is a variable by its label, of the type TraceSet.",
            "{expr} in an argument is the value of a Rust expression: --control-rank {best}",
        ],
    ),
    (
        "Values",
        &[
            "\"double quotes\" and 'single quotes' as in a shell; a regular expression is best in single quotes.",
            "Lists of numbers: 0,2,4-7. In flags, _ is the same as -.",
            "In paths, ~, ${NAME} and ${NAME:-default} (environment) are expanded.",
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
        for (title, lines) in PARTS {
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
        let width = MAGICS.iter().map(|magic| magic.spelled().len()).max().unwrap_or(0);
        for magic in MAGICS.iter() {
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
