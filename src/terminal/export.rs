//! `tracebook export`: a trace as a folder of Parquet files.

use super::entry::CommandEntry;
use super::interrupt::interrupt_flag;
use super::load::load;
use super::progress_line::ProgressLine;
use super::screen::Screen;
use super::{LOADING, QUIET};
use crate::Error;
use crate::session::label;
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::context::Context;
use kernel_magic::trace_export::{DIR, NOTES, OVERWRITE, bar, missing, options, summary};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::time::Instant;
use trace::write::parquet::{ExportOptions, export_with};

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[
            Argument::required(
                "TRACE",
                Kind::Path,
                "a trace file (.json or .pftrace, also .gz or .zst), or a .zip or folder of them, one per rank",
            ),
            DIR,
        ],
    ),
    Group::new("Selection", &[kernel_magic::trace_load::RANK, kernel_magic::trace_load::ARGS]),
    LOADING,
    Group::new("Output", &[OVERWRITE, QUIET]),
];

/// The command.
pub(super) const EXPORT: CommandEntry = CommandEntry {
    name: "export",
    summary: "Write a trace as Parquet files, which DuckDB, polars and Spark read.",
    arguments: ARGUMENTS,
    notes: NOTES,
    examples: &[
        "tracebook export runs/monday monday-lake",
        "tracebook export runs/monday monday-lake --args all --overwrite",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let label = label::from_path(&call.path("TRACE").unwrap_or_default());
    let traces = load(call, context, "TRACE", &label, call.list("rank"))?;
    let warnings: Vec<String> = traces.warnings().iter().map(ToString::to_string).collect();
    Screen::warn(&warnings);
    let interrupted = interrupt_flag()?;
    let folder = call.path("DIR").unwrap_or_default();
    // The ranks were selected by the load.
    let options = ExportOptions { ranks: None, ..options(call) };
    let (start, line) = (Instant::now(), ProgressLine::new(call));
    let written = export_with(&traces, &folder, &options, &mut |at| {
        line.print(|| bar(at, start.elapsed()).1);
        if interrupted.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    line.clear();
    let written = written?;
    Screen::warn(&missing(&written).into_iter().collect::<Vec<_>>());
    if !call.quiet() {
        Screen::log(&format!("wrote {}: {}", folder.display(), summary(&written, start.elapsed())));
    }
    Ok(())
}
