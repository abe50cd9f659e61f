//! `tracebook explain`: the causes of the difference of two steps.

use super::html_page::write_html;
use super::load::load;
use super::screen::Screen;
use super::{HTML, JSON, LOADING, QUIET};
use crate::Error;
use crate::magic::Magic;
use crate::magic::argument::{Argument, Call, Group, Kind};
use crate::magic::context::Context;
use crate::magic::explain::{NOTES, SAMPLES, SHOWN_REGIONS, query, top, write_json};
use crate::magic::view::csv;
use std::sync::Arc;

pub(super) struct Explain;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("CONTROL", Kind::Path, "the baseline: a .json or .json.gz file, or a folder"),
            Argument::required("TEST", Kind::Path, "the trace to compare with it; differences are test − control"),
        ],
    ),
    SAMPLES,
    SHOWN_REGIONS,
    LOADING,
    Group::new(
        "Output",
        &[
            Argument::flag("csv", Kind::File, "write all regions, times per step in µs; - is standard output"),
            JSON,
            HTML,
            QUIET,
        ],
    ),
];

impl Magic for Explain {
    fn name(&self) -> &'static str {
        "explain"
    }

    fn spelled(&self) -> String {
        "tracebook explain".to_owned()
    }

    fn help_hint(&self) -> String {
        "tracebook explain --help".to_owned()
    }

    fn summary(&self) -> &'static str {
        "Explain why a step got slower or faster: where its time changed, and by how much."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "tracebook explain runs/monday runs/tuesday --warmup 1",
            "tracebook explain a.json.gz b.json.gz --json - | jq .step",
            "tracebook explain runs/main runs/branch --html why.html --quiet",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let prints = Screen::is_free(call, &["csv", "json", "html"])?;
        let control = load(call, context, "CONTROL", "control", None)?;
        let test = load(call, context, "TEST", "test", None)?;
        let warnings: Vec<String> = control.warnings().iter().chain(test.warnings()).map(ToString::to_string).collect();
        Screen::warn(&warnings);
        let explanation = query(call, vec![Arc::as_ref(&control).into()], vec![Arc::as_ref(&test).into()]).run()?;
        let report = explanation.report(top(call));
        if call.path("csv").is_some() {
            let regions = explanation.regions()?;
            Screen::file(call, "csv", |out| csv(&regions, out))?;
        }
        Screen::file(call, "json", |out| write_json(&explanation, out))?;
        Screen::file(call, "html", |out| write_html("Why the step changed", &report, out))?;
        if prints { Screen::report(&report) } else { Ok(()) }
    }
}
