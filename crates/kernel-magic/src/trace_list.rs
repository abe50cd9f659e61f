//! `%trace_list`: the loaded traces.

use super::api::Magic;
use super::argument::{Call, Group};
use super::context::{Context, counted, listed};
use crate::Error;
use crate::session::Session;
use std::sync::Arc;
use trace_core::TraceSet;
use trace_view::format::{bytes, grouped};
use trace_view::{Header, Kind, Part, Report, Table, TableValue, Unit};

pub(super) struct TraceList;

impl Magic for TraceList {
    fn name(&self) -> &'static str {
        "trace_list"
    }

    fn summary(&self) -> &'static str {
        "List the loaded traces and groups of runs, with their size in memory and on disk."
    }

    fn arguments(&self) -> &'static [Group] {
        &[]
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_list"]
    }

    fn run(&self, _: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        if context.session.traces().is_empty() {
            context.print_line("No trace is loaded; %trace_load PATH --as NAME loads one.");
            return Ok(());
        }
        let traces: Vec<&Arc<TraceSet>> = context.session.traces().values().collect();
        context.show(&Report::of(Part::Table(table("loaded traces", &traces, context.session))));
        Ok(())
    }
}

/// Makes the table of loaded traces: one row each.
pub(super) fn table(caption: &str, traces: &[&Arc<TraceSet>], session: &Session) -> Table {
    let (mut in_memory, mut on_disk) = (0, 0);
    let is_any_on_disk = traces.iter().any(|traces| traces.stored_bytes() > 0);
    let mut rows = Vec::new();
    for traces in traces {
        let iterations = traces.iterations();
        let path = session.path(traces.label()).map(|path| path.display().to_string()).unwrap_or_default();
        in_memory += traces.memory_bytes() as u64;
        on_disk += traces.stored_bytes();
        let mut row = vec![
            TableValue::Text(traces.label().to_owned()),
            TableValue::Int(traces.ranks().len() as i64),
            TableValue::Int(traces.event_count() as i64),
            TableValue::Text(match (iterations.first(), iterations.last()) {
                (Some(first), Some(last)) if first != last => {
                    format!("{first}–{last} ({})", grouped(iterations.len()))
                }
                (Some(only), _) => only.to_string(),
                _ => "no ProfilerStep".to_owned(),
            }),
            TableValue::Text(bytes(traces.memory_bytes() as u64)),
        ];
        row.extend(is_any_on_disk.then(|| TableValue::Text(bytes(traces.stored_bytes()))));
        row.extend([TableValue::Text(traces.compat().to_string()), TableValue::Text(path)]);
        rows.push(row);
    }
    let head = |name: &str, kind| Header::new(name, Unit::None, kind);
    let mut headers = vec![
        head("label", Kind::Name),
        Header::new("ranks", Unit::Count, Kind::Number),
        Header::new("events", Unit::Count, Kind::Number),
        head("iterations", Kind::Text),
        head("memory", Kind::Text),
    ];
    headers.extend(is_any_on_disk.then(|| head("on disk", Kind::Text)));
    headers.extend([head("compat", Kind::Text), head("path", Kind::Name)]);
    let on_disk = if is_any_on_disk { format!(", {} on disk", bytes(on_disk)) } else { String::new() };
    let mut notes = vec![format!("{} in memory{on_disk}", bytes(in_memory))];
    let is_shown = |run: &String| traces.iter().any(|traces| traces.label() == run);
    let groups = session.groups().iter().filter(|(_, runs)| runs.iter().any(is_shown));
    notes.extend(groups.map(|(group, runs)| format!("{group} is {}: {}", counted(runs.len()), listed(runs))));
    Table { caption: caption.to_owned(), headers, total_rows: rows.len(), rows, notes, ..Table::default() }
}
