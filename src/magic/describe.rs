//! `%describe`: a loaded trace on one page.

use super::scene::write;
use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;
use serde_json::{Value, json};
use trace::Description;

pub(super) struct Describe;

/// How long the lists are.
pub(super) const LISTS: Group = Group::new(
    "Lists",
    &[Argument::flag("top", Kind::Whole, "show this many operators and kernels; 0 shows none").or("10")],
);

/// What it takes.
const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    LISTS,
    Group::new(
        "Files",
        &[
            Argument::flag("json", Kind::File, "write the page as JSON, all operators and kernels, times in ns"),
            Argument::flag("quiet", Kind::Switch, "show nothing"),
        ],
    ),
];

/// What the page counts; also for the terminal.
macro_rules! page_notes {
    () => {
        "The page is about all rows, those of the last iteration included. The device is busy while any kernel, copy or \
         fill runs on any stream; its span reaches from the first of them to the end of the last, and the rest of it is \
         idle. The duration of an operator holds what it calls. Every warning says what was found, what that means, and \
         what to do."
    };
}
pub(super) use page_notes;

impl Magic for Describe {
    fn name(&self) -> &'static str {
        "describe"
    }

    fn summary(&self) -> &'static str {
        "Show a trace on one page: ranks, iterations, busy and idle time, top kernels, what is odd."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        page_notes!()
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%describe control", "%describe control --top 25", "%describe control --json control.json --quiet"]
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let trace = scene.trace(call, call.required("NAME"))?;
        let page = scene.aside(move || trace.describe())?;
        scene.check_interrupt()?;
        if let Some(path) = call.path("json") {
            write(&path, |out| write_json(&page, out))?;
        }
        if call.quiet() {
            return Ok(());
        }
        scene.show(&page.report(top(call)));
        if let Some(path) = call.path("json") {
            scene.say(format!("wrote {}", path.display()));
        }
        Ok(())
    }
}

/// How many operators and kernels are shown.
pub(super) fn top(call: &Call<'_>) -> usize {
    call.whole("top").map_or(10, |top| usize::try_from(top).unwrap_or(usize::MAX))
}

/// The page as JSON: the fields of `trace::Description`, and of every finding what it says, means and asks for.
pub(super) fn write_json(page: &Description, out: &mut dyn std::io::Write) -> std::io::Result<()> {
    let mut value = serde_json::to_value(page)?;
    let findings = value.get_mut("findings").and_then(Value::as_array_mut);
    for (value, finding) in findings.into_iter().flatten().zip(&page.findings) {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("what".to_owned(), finding.what().into());
            fields.insert("meaning".to_owned(), finding.meaning().into());
            fields.insert("remedy".to_owned(), finding.remedy().into());
        }
    }
    let document = json!({ "version": 1, "description": value });
    serde_json::to_writer_pretty(&mut *out, &document)?;
    writeln!(out)
}
