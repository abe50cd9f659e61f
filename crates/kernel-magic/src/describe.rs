//! `%describe`: an overview of a loaded trace, or of two.

use super::api::Magic;
use super::argument::{Argument, Call, Group, Kind};
use super::context::Context;
use super::context::write;
use super::view::write_html;
use crate::Error;
use serde_json::{Value, json};
use trace_core::{Description, Questions};

pub(super) struct Describe;

/// Flags of the lists.
const LISTS: Group = Group::new(
    "Lists",
    &[Argument::flag("top", Kind::Whole, "show this many operators and kernels; 0 shows none").or("10")],
);

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required("NAME", Kind::Trace, "the trace"),
            Argument::optional("OTHER", Kind::Trace, "a second trace, shown side by side"),
        ],
    ),
    LISTS,
    Group::new(
        "Files",
        &[
            Argument::flag("json", Kind::File, "write the page as JSON: all operators and kernels, times in ns"),
            Argument::flag("html", Kind::File, "write the same page as one self-contained file"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

impl Magic for Describe {
    fn name(&self) -> &'static str {
        "describe"
    }

    fn summary(&self) -> &'static str {
        "Show an overview of a trace, or of two: ranks, busy time, top kernels, anomalies."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "The page covers all events, including those of the last iteration. The device is busy while any kernel, copy or \
         fill runs on any stream; its span is from the start of the first to the end of the last, and the rest is idle. \
         The duration of an operator includes the operators it calls. Every warning says what was found, what it means, \
         and what to do.\n\n\
         For two traces, properties, longest operators and longest kernels are shown side by side; differences are \
         OTHER − NAME. A warning tells if the jobs differ in size, devices, or in what the profiler recorded. --json \
         writes one object: version (2), description and of two traces other, with the fields of `trace::Description`; times end in _ns."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%describe control",
            "%describe control test",
            "%describe control --top 25",
            "%describe control --json control.json --quiet",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let trace = context.trace(call, call.required("NAME"))?;
        let other = call.text("OTHER").map(|label| context.trace(call, label)).transpose()?;
        let page = context.run_blocking(move || trace.describe())?;
        let other = other.map(|trace| context.run_blocking(move || trace.describe())).transpose()?;
        context.check_interrupt()?;
        let report = match &other {
            None => page.report(top(call)),
            Some(other) => page.beside(other, top(call)),
        };
        let (json, html) = (call.path("json"), call.path("html"));
        if let Some(path) = &json {
            write(path, |out| write_json(&page, other.as_ref(), out))?;
        }
        if let Some(path) = &html {
            write(path, |out| write_html(&format!("Overview of {}", call.required("NAME")), &report, out))?;
        }
        context.show_of(call, &report);
        if call.quiet() {
            return Ok(());
        }
        for path in [json, html].into_iter().flatten() {
            context.print_line(format!("wrote {}", path.display()));
        }
        Ok(())
    }
}

/// Returns the number of operators and kernels to show.
fn top(call: &Call<'_>) -> usize {
    call.whole("top").map_or(10, |top| usize::try_from(top).unwrap_or(usize::MAX))
}

/// Writes the page as JSON, with that of a second trace if given.
fn write_json(page: &Description, other: Option<&Description>, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let mut document = json!({ "version": 2, "description": fields(page)? });
    if let Some(other) = other {
        document["other"] = fields(other)?;
    }
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}

/// Returns the fields of `trace::Description`; findings and headlines get their texts, too.
fn fields(page: &Description) -> serde_json::Result<Value> {
    let mut value = serde_json::to_value(page)?;
    value["headlines"]["lines"] = page.headlines.lines(&page.label).into();
    let findings = value.get_mut("findings").and_then(Value::as_array_mut);
    for (value, finding) in findings.into_iter().flatten().zip(&page.findings) {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("what".to_owned(), finding.what().into());
            fields.insert("meaning".to_owned(), finding.meaning().into());
            fields.insert("remedy".to_owned(), finding.remedy().into());
        }
    }
    Ok(value)
}
