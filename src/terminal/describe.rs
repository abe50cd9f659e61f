//! `tracebook describe`: an overview of a trace.

use super::entry::CommandEntry;
use super::load::load;
use super::screen::Screen;
use super::{ENGINE, HTML, JSON, LOADING, QUIET};
use crate::Error;
use crate::session::label;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use kernel_magic::describe::{LISTS, top, write_json};
use kernel_magic::view::write_html;
use trace::Questions;

const NOTES: &str = concat!(
    kernel_magic::page_notes!(),
    "\n\n--json writes one object: version (2), description and of two traces other, with the fields of `trace::Description`; times end in _ns.\n\n\
     Exit code: 0 for success, 1 for an error, 2 for wrong usage. Warnings of the page do not change it."
);

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "TRACE",
                Kind::Path,
                "a trace file (.json or .pftrace, also .gz or .zst), or a .zip or folder of them, one per rank",
            ),
            Argument::optional("OTHER", Kind::Path, "a second trace, shown side by side"),
        ],
    ),
    Group::new("Selection", &[kernel_magic::trace_load::RANK]),
    LISTS,
    LOADING,
    ENGINE,
    Group::new("Output", &[JSON, HTML, QUIET]),
];

/// The command.
pub(super) const DESCRIBE: CommandEntry = CommandEntry {
    name: "describe",
    summary: "Show an overview of a trace, or of two: ranks, iterations, busy and idle time, top kernels, anomalies.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook describe runs/monday",
        "tracebook describe runs/monday runs/tuesday",
        "tracebook describe rank0.json.gz --top 25 --html page.html",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let prints = Screen::is_free(call, &["json", "html"])?;
    let label = label::from_path(&call.path("TRACE").unwrap_or_default());
    let page = load(call, context, "TRACE", &label, call.list("rank"))?.describe()?;
    let other = match call.path("OTHER") {
        Some(path) => {
            let other = label::from_path(&path);
            let other = if other == label { format!("{other}_2") } else { other };
            Some(load(call, context, "OTHER", &other, call.list("rank"))?.describe()?)
        }
        None => None,
    };
    let report = other.as_ref().map_or_else(|| page.report(top(call)), |other| page.beside(other, top(call)));
    Screen::file(call, "json", |out| write_json(&page, other.as_ref(), out))?;
    Screen::file(call, "html", |out| write_html(&format!("Overview of {label}"), &report, out))?;
    Screen::show(&report, prints)
}
