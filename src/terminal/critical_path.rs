//! `tracebook critical-path`: what bounds the step, and what would help.

use super::entry::CommandEntry;
use super::explain::warn_of;
use super::load::load;
use super::screen::Screen;
use super::{HTML, JSON, LOADING, QUIET};
use crate::Error;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::{Context, write};
use kernel_magic::critical_path::{Answered, NOTES, OVERLAY, TITLE, TRIED, WINDOWS, csv_file, saved};
use kernel_magic::explain::write_json;
use kernel_magic::view::{csv, write_html};
use std::path::Path;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "PATH",
                Kind::Path,
                "the trace: a .json or .json.gz file, or a folder of ranks; of two the control",
            ),
            Argument::optional("TEST", Kind::Path, "a trace to compare with it: how what bounds the step changed"),
        ],
    ),
    WINDOWS,
    TRIED,
    LOADING,
    Group::new(
        "Output",
        &[
            Argument::flag(
                "csv",
                Kind::File,
                "write all tables, durations in µs; - writes the first to standard output",
            ),
            OVERLAY,
            JSON,
            HTML,
            QUIET,
        ],
    ),
];

/// The command.
pub(super) const CRITICAL_PATH: CommandEntry = CommandEntry {
    name: "critical-path",
    summary: "Find what bounds a step, interval by interval, and what would make it shorter.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook critical-path runs/monday",
        "tracebook critical-path rank-0.json.gz --what-if 'name ~ \"gemm\" x 0.5'",
        "tracebook critical-path runs/monday runs/tuesday",
        "tracebook critical-path runs/monday --rank all --instance all --json - | jq .windows[].summary",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let prints = Screen::is_free(call, &["csv", "json", "html"])?;
    let Answered { report, tables, json, copies, .. } = if call.has("TEST") {
        let sides = [("PATH", "control"), ("TEST", "test")];
        let [control, test] = sides.map(|(argument, label)| load(call, context, argument, label, None));
        let sides = [control?, test?];
        warn_of(sides.iter());
        Answered::of_two(call, sides, |work| Ok(work()?))?
    } else {
        let traces = load(call, context, "PATH", "trace", None)?;
        warn_of(std::iter::once(&traces));
        Answered::of(call, &traces, |work| Ok(work()?))?
    };
    for (table, frame) in tables {
        if table.is_empty() {
            Screen::file(call, "csv", |out| csv(&frame, out))?;
        } else if let Some(path) = call.path("csv").filter(|path| path != Path::new("-")) {
            let file = csv_file(&path, table);
            write(&file, |out| csv(&frame, out))?;
            if !call.quiet() {
                Screen::log(&format!("wrote {}", file.display()));
            }
        }
    }
    if let Some(json) = json {
        Screen::file(call, "json", |out| write_json(&json, out))?;
    }
    for copy in &copies {
        let copied = copy.save()?;
        if !call.quiet() {
            Screen::log(&format!("wrote {}", saved(copy, copied)));
        }
    }
    Screen::file(call, "html", |out| write_html(TITLE, &report, out))?;
    Screen::show(&report, prints)
}
