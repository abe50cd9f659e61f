//! `%trace_export`: writes a loaded trace as a folder of Parquet files.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::{Context, Progress};
use super::view::grouped;
use crate::Error;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use trace_core::write::parquet::{ExportOptions, ExportProgress, Exported, export_with};
use trace_view::format::bytes;

pub(super) struct TraceExport;

/// The folder to write.
const DIR: Argument =
    Argument::required("DIR", Kind::Target, "the folder to write: a new name, or that of an empty folder");

/// Whether an earlier export is replaced.
const OVERWRITE: Argument =
    Argument::flag("overwrite", Kind::Switch, "replace an earlier export in DIR, once the new one is complete");

/// Notes on the result.
const NOTES: &str = "DIR gets one folder per rank, rank=0/part-00000.parquet and so on (Hive's layout: DuckDB, \
     polars, Spark and pandas see a column rank), instants-00000.parquet and counters-00000.parquet beside it where there are \
     any, and tracebook.json, which holds everything else. */part-*.parquet are the events: all of them, with all columns, in file order; ts, dur and end are whole nanoseconds, texts are strings. %trace_load DIR reads \
     it back exactly, and tracebook diff, describe and explain read it, too.\n\n\
     DIR appears once it is complete; an interrupted export leaves nothing. A folder with other files is never overwritten.";

const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace"), DIR]),
    Group::new(
        "Flags",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "write only these ranks").or("all"),
            OVERWRITE,
            Argument::flag("progress", Kind::Choice(&["auto", "off"]), "show the progress of a long export").or("auto"),
            Argument::flag("quiet", Kind::Switch, "show only warnings and errors"),
        ],
    ),
];

impl Magic for TraceExport {
    fn name(&self) -> &'static str {
        "trace_export"
    }

    fn summary(&self) -> &'static str {
        "Write a trace as Parquet files, which %trace_load reads back exactly."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        NOTES
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_export control control-lake", "%trace_export job job-lake --rank 0-7 --overwrite"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let traces = context.trace(call, call.required("NAME"))?;
        let folder = call.path("DIR").unwrap_or_default();
        let out = Arc::clone(context.out);
        let enabled = call.text("progress") != Some("off") && !call.quiet();
        let mut progress = Progress::new(&out, enabled);
        let written = export_with(&traces, &folder, &options(call), &mut |at| {
            if out.interrupted() {
                return ControlFlow::Break(());
            }
            progress.draw_if_due(|elapsed| bar(at, elapsed));
            ControlFlow::Continue(())
        });
        let written = match written.map_err(Error::from) {
            Ok(written) => written,
            Err(error) => {
                progress.end(if matches!(error, Error::Interrupted) { "interrupted" } else { "failed" });
                return Err(error);
            }
        };
        let line = format!("wrote {}: {}", folder.display(), summary(&written, progress.elapsed()));
        if !progress.end(&line) && !call.quiet() {
            context.print_line(line);
        }
        context.warn(missing(&written));
        Ok(())
    }
}

/// Returns the options of a call.
fn options(call: &Call<'_>) -> ExportOptions {
    ExportOptions { ranks: call.list("rank").map(<[i64]>::to_vec), overwrite: call.switch("overwrite") }
}

/// Returns `4 ranks · 6,100,000 events · 8 files, 61.2 MiB · 2.0 s`.
fn summary(written: &Exported, time: Duration) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    format!(
        "{} · {} events · {}, {} · {:.2} s",
        counted(written.ranks, "rank"),
        grouped(usize::try_from(written.events).unwrap_or(usize::MAX)),
        counted(written.files, "file"),
        bytes(written.bytes),
        time.as_secs_f64()
    )
}

/// Returns a warning if instants and counters are missing.
fn missing(written: &Exported) -> Option<String> {
    (written.without_tables > 0).then(|| {
        format!(
            "{} written without instants and counters: the trace file has changed, or is gone.",
            trace_view::format::counted(written.without_tables, "rank")
        )
    })
}

/// Returns the percentage, and `writing · 25 % of 6,100,000 events · 2 files, 15 MiB · 0.4 s`.
fn bar(at: &ExportProgress, elapsed: Duration) -> (f64, String) {
    let percent = (100.0 * at.events as f64 / at.events_total.max(1) as f64).clamp(0.0, 100.0);
    let text = format!(
        "writing · {percent:.0} % of {} events · {} files, {} · {:.1} s",
        grouped(usize::try_from(at.events_total).unwrap_or(usize::MAX)),
        at.files,
        bytes(at.bytes),
        elapsed.as_secs_f64()
    );
    (percent, text)
}
