//! `%trace_info`: the properties of a loaded trace.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::trace_list::table;
use crate::Error;
use trace_core::TraceSet;
use trace_core::answers::ColumnMemory;
use trace_view::format::{bytes, grouped, numbered};
use trace_view::{Header, Kind as Shown, Part, Present, Report, Table, TableValue, Unit};

pub(super) struct TraceInfo;

const ARGUMENTS: &[Group] = &[
    Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]),
    Group::new(
        "Flags",
        &[
            Argument::flag("rank", Kind::List(IdKind::Ranks), "only these ranks").or("all"),
            Argument::flag("memory", Kind::Switch, "show the memory of each column instead"),
        ],
    ),
];

impl Magic for TraceInfo {
    fn name(&self) -> &'static str {
        "trace_info"
    }

    fn summary(&self) -> &'static str {
        "Show the properties of a loaded trace: ranks, iterations, streams, span, repairs."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn examples(&self) -> &'static [&'static str] {
        &["%trace_info control", "%trace_info control --rank 0,2-3", "%trace_info control --memory"]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let label = call.required("NAME");
        if context.session.groups().runs(label).is_some() {
            let runs = context.runs(call, label)?;
            let caption = format!("runs of {label}");
            context.show(&Report::of(Part::Table(table(&caption, &runs.iter().collect::<Vec<_>>(), context.session))));
        }
        let traces = context.trace(call, label)?;
        if call.switch("memory") {
            context.show(&memory(&traces, call.list("rank"))?);
            return Ok(());
        }
        let mut report = traces.present();
        if let Some(ranks) = call.list("rank") {
            for &rank in ranks {
                traces.rank(rank)?;
            }
            only(&mut report, ranks);
        }
        context.show(&report);
        Ok(())
    }
}

/// Makes the table of memory by column, largest first.
fn memory(traces: &TraceSet, ranks: Option<&[i64]>) -> Result<Report, Error> {
    let columns = traces.memory_by_column(ranks)?;
    let total: usize = columns.iter().map(|column| column.bytes).sum();
    let count = |value: usize| TableValue::Int(i64::try_from(value).unwrap_or(i64::MAX));
    let row = |column: &ColumnMemory| {
        vec![
            TableValue::Text(column.name.clone()),
            TableValue::Text(column.dtype.clone()),
            count(column.values),
            count(column.bytes),
            TableValue::Float(100.0 * column.bytes as f64 / total.max(1) as f64),
            TableValue::Text(column.meaning.to_owned()),
        ]
    };
    let head =
        |name: &str, unit, kind, meaning: &str| Header { meaning: meaning.to_owned(), ..Header::new(name, unit, kind) };
    let over = ranks.map_or_else(|| traces.ranks(), <[i64]>::to_vec);
    let stored = over.iter().filter_map(|&rank| traces.rank(rank).ok()).filter(|rank| rank.is_stored()).count();
    let on_disk =
        if stored == 0 { String::new() } else { format!(", columns of {stored} of {} ranks on disk", over.len()) };
    let over = numbered("rank", &over);
    Ok(Report::of(Part::Table(Table {
        caption: format!("memory of trace {} · {over} · {}{on_disk}", traces.label(), bytes(total as u64)),
        headers: vec![
            head("column", Unit::None, Shown::Name, "column of the events"),
            head("type", Unit::None, Shown::Category, "i32, i64, f64, or category: a code per event for a text"),
            head("values", Unit::Count, Shown::Number, "events that have a value"),
            head("bytes", Unit::Bytes, Shown::Number, "memory of the column"),
            head("share", Unit::Percent, Shown::Bar, "share of all columns"),
            head("meaning", Unit::None, Shown::Text, "content of the column"),
        ],
        total_rows: columns.len(),
        rows: columns.iter().map(row).collect(),
        notes: vec![format!(
            "{} in {} columns; the texts of categories are shared by all traces and not counted",
            bytes(total as u64),
            grouped(columns.len())
        )],
        ..Table::default()
    })))
}

/// Keeps the rows of these ranks; the first column is the rank.
fn only(report: &mut Report, ranks: &[i64]) {
    for part in &mut report.parts {
        if let Part::Table(table) = part {
            table.rows.retain(|row| matches!(row.first(), Some(TableValue::Int(rank)) if ranks.contains(rank)));
            table.rows.sort_by_key(|row| if let Some(TableValue::Int(rank)) = row.first() { *rank } else { i64::MAX });
            (table.page, table.notes) = (None, Vec::new());
        }
    }
}
