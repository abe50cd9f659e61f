//! `%open_perfetto`: a trimmed copy of a trace for Perfetto's viewer, and how to open it.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{WHERE, selected_events};
use crate::Error;
use crate::display::Output;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use trace_core::write::TraceCopy;
use trace_core::{EventQuery, SelectEvents, TraceSet};
use trace_view::format::{self, grouped};
use trace_view::{Bundle, HTML};

pub(super) struct OpenPerfetto;

/// The viewer. It is opened only if the user clicks.
const VIEWER: &str = "https://ui.perfetto.dev";

/// How to open a file.
const HOW: &str =
    "in a browser and drag the file onto the page. The page draws it in the browser; nothing is uploaded.";

const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    Group::new(
        "Selection",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "rank or ranks, or all: a file each").or("the first"),
            Argument::flag(
                "iteration",
                Kind::List(IdKind::Iterations),
                "only these iterations; GPU events belong to the iteration that launched them",
            )
            .or("all events"),
            WHERE,
        ],
    ),
    Group::new(
        "Files",
        &[
            Argument::flag("file", Kind::File, "the file to write: gzip'ed, unless its name ends in .json")
                .or("NAME.perfetto.json.gz, of several ranks NAME.rank0.perfetto.json.gz"),
            Argument::flag("quiet", Kind::Switch, "show only warnings"),
        ],
    ),
];

impl Magic for OpenPerfetto {
    fn name(&self) -> &'static str {
        "open_perfetto"
    }

    fn summary(&self) -> &'static str {
        "Write chosen events of a trace as a file that Perfetto's viewer opens."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        "The file is a copy of the trace file with fewer events, so it has all that the profiler recorded of them. Names of their \
         processes and threads stay, and arrows of which both ends remain. Instants and counters stay between the first and the last \
         chosen event. A trace of gigabytes becomes small enough for the viewer with one iteration, or with --where. The viewer runs in \
         the browser: open its page, or one that your company hosts, and drag the file onto it. Nothing is sent by this magic or by the page."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%open_perfetto control",
            "%open_perfetto control --rank 3 --iteration 1010",
            "%open_perfetto control --where 'stream is not null' --file gpu.json.gz",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let label = call.required("NAME").to_owned();
        let trace = context.trace(call, &label)?;
        let ranks = call.pick("rank", || trace.ranks()).unwrap_or_else(|| trace.ranks().into_iter().take(1).collect());
        let named = call.path("file");
        let mut lines = Vec::new();
        for rank in &ranks {
            let target = target(named.as_deref(), &label, *rank, ranks.len() > 1);
            let copy = {
                let (trace, query, rank, target) =
                    (Arc::clone(&trace), query(call, &trace, *rank), *rank, target.clone());
                context.run_blocking(move || copy(&trace, &query, rank, &target))?
            };
            let mut copy = copy;
            copy.source = context.session.file_of(&label, &copy.source);
            let out = context.out;
            let copied = copy.save_while(&mut || !out.interrupted())?;
            let bytes = std::fs::metadata(&target).map_or(0, |file| file.len());
            lines.push(format!(
                "wrote {}: {} of {} entries of rank {rank}, {}",
                target.display(),
                grouped(copied.events as usize),
                grouped(copy.events as usize),
                format::bytes(bytes)
            ));
        }
        context.check_interrupt()?;
        if !call.quiet() {
            context.out.emit(Output::Display { bundle: bundle(&lines), id: None });
        }
        Ok(())
    }
}

fn query(call: &Call<'_>, trace: &TraceSet, rank: i64) -> EventQuery {
    EventQuery::new(trace).select(selected_events(call)).ranks(rank)
}

/// Returns the copy of a rank with the events of a query.
fn copy(trace: &TraceSet, query: &EventQuery, rank: i64, target: &Path) -> trace_core::Result<TraceCopy> {
    let events = query.run()?;
    TraceCopy::trimmed(&trace.rank(rank)?, &events, target)
}

/// Returns the file of a rank: the one named, of several ranks each with its number.
fn target(named: Option<&Path>, label: &str, rank: i64, is_one_of_several: bool) -> PathBuf {
    let rank = if is_one_of_several { format!(".rank{rank}") } else { String::new() };
    let Some(named) = named else { return PathBuf::from(format!("{label}{rank}.perfetto.json.gz")) };
    let name = named.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) =
        name.split_once('.').map_or((name.as_str(), String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    named.with_file_name(format!("{stem}{rank}{ending}"))
}

/// Returns what was written, and how to open it: a link that the user may click.
fn bundle(lines: &[String]) -> Bundle {
    let written = lines.join("\n");
    let html = format!(
        "<div style=\"white-space:pre-wrap\">{}</div><div>Open <a href=\"{VIEWER}\" target=\"_blank\" rel=\"noopener noreferrer\">\
         ui.perfetto.dev</a> {HOW}</div>",
        html_escape::encode_text(&written)
    );
    Bundle::text(format!("{written}\nOpen {VIEWER} {HOW}")).with(HTML, Value::String(html))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_several_ranks_have_their_numbers() {
        let of =
            |named: Option<&str>, several| target(named.map(Path::new), "control", 3, several).display().to_string();
        assert_eq!(of(None, false), "control.perfetto.json.gz");
        assert_eq!(of(None, true), "control.rank3.perfetto.json.gz");
        assert_eq!(of(Some("out/gpu.json.gz"), false), "out/gpu.json.gz");
        assert_eq!(of(Some("out/gpu.json.gz"), true), "out/gpu.rank3.json.gz");
    }

    #[test]
    fn names_of_files_are_inert() {
        let bundle = bundle(&["wrote <img src=x onerror=alert(1)>.json".to_owned()]);
        let html = bundle.data[HTML].as_str().unwrap_or_default();
        assert!(!html.contains("<img") && html.contains("https://ui.perfetto.dev"), "{html}");
    }
}
