//! Overview of a trace: a table of its ranks, and memory by column.

use crate::frame::columns::known;
use crate::present::most_different_ranks_first;
use crate::{Compat, RankInfo, Result, TraceSet, Warning};
use trace_view::format::{bytes, ranges, utc};
use trace_view::{Header, Kind, Part, Present, Report, Table, TableValue, Unit, grouped};

/// Memory of one column of events, over all selected ranks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnMemory {
    /// The column.
    pub name: String,
    /// `i64`, `f64`, or `category`: a code per event.
    pub dtype: String,
    /// Non-null values.
    pub values: usize,
    /// Bytes of values and validity; the texts of categories are shared by all traces.
    pub bytes: usize,
    /// Meaning of the column; empty if it is unknown.
    pub meaning: &'static str,
}

impl TraceSet {
    /// Returns the memory of each column, the largest first, over `ranks`; `None` for all.
    ///
    /// # Errors
    /// If a rank does not exist.
    pub fn memory_by_column(&self, ranks: Option<&[i64]>) -> Result<Vec<ColumnMemory>> {
        let wanted = ranks.map_or_else(|| self.ranks(), <[i64]>::to_vec);
        let mut columns: Vec<ColumnMemory> = Vec::new();
        for rank in wanted {
            for column in self.rank(rank)?.frame()?.columns() {
                let name = column.name().as_str();
                let (values, bytes) =
                    (column.len() - column.null_count(), column.as_materialized_series().estimated_size());
                if let Some(known) = columns.iter_mut().find(|known| known.name == name) {
                    known.values += values;
                    known.bytes += bytes;
                    continue;
                }
                let dtype =
                    if column.dtype().is_categorical() { "category".into() } else { column.dtype().to_string() };
                let meaning = known(name).map_or("", |known| known.meaning);
                columns.push(ColumnMemory { name: name.to_owned(), dtype, values, bytes, meaning });
            }
        }
        columns.sort_by_key(|column| std::cmp::Reverse(column.bytes));
        Ok(columns)
    }
}

/// A small table, a row per rank, and what was repaired while loading.
impl Present for TraceSet {
    fn present(&self) -> Report {
        let header = |name: &str, unit, kind, meaning: &str| Header {
            meaning: meaning.to_owned(),
            ..Header::new(name, unit, kind)
        };
        let rounding = match self.compat() {
            Compat::Exact => "",
            Compat::Hta => " · with HTA's rounding",
        };
        let by = self.elsewhere().map(|(engine, uri, _)| {
            let size = Some(engine.size()).filter(|size| !size.is_empty()).map(|size| format!(", {size}"));
            format!(" · {uri} by {}{}", engine.name(), size.unwrap_or_default())
        });
        let by = by.unwrap_or_default();
        let jobs = self.elsewhere().map(|(engine, ..)| engine.jobs()).unwrap_or_default();
        let on_disk = match self.stored_ranks().len() {
            0 => String::new(),
            stored => format!(" · {stored} of {} ranks on disk, {}", self.traces().len(), bytes(self.stored_bytes())),
        };
        let table = Table {
            caption: format!("trace {} · {} events{rounding}{on_disk}{by}", self.label(), grouped(self.event_count())),
            headers: vec![
                header("rank", Unit::None, Kind::Id, "process of the job"),
                header("events", Unit::Count, Kind::Number, "events that have a duration and a category"),
                header("span", Unit::Millis, Kind::Number, "from the start of the first event to the end of the last"),
                header(
                    "began",
                    Unit::None,
                    Kind::Text,
                    "start of the first event in UTC, if the file tells the wall clock",
                ),
                header("iterations", Unit::None, Kind::Text, "numbers of the ProfilerStep events"),
                header("streams", Unit::None, Kind::Text, "GPU streams"),
                header("device", Unit::None, Kind::Text, "told by the names of runtime calls"),
                header("file", Unit::None, Kind::Name, "where the rank was read from"),
            ],
            rows: self.info().into_iter().map(row).collect(),
            total_rows: self.traces().len(),
            notes: if jobs.is_empty() { Vec::new() } else { vec![format!("jobs: {}", jobs.join(", "))] },
            ..Table::default()
        };
        let table = most_different_ranks_first(table, "`%trace_info NAME --rank 7` looks closer");
        let mut report = Report::of(Part::Table(table));
        report.parts.extend(Warning::parts(self.warnings()));
        report
    }
}

fn row(info: &RankInfo) -> Vec<TableValue> {
    let list =
        |values: &[i64], none: &str| TableValue::Text(if values.is_empty() { none.to_owned() } else { ranges(values) });
    vec![
        TableValue::Int(info.rank),
        TableValue::Int(i64::try_from(info.events).unwrap_or(i64::MAX)),
        TableValue::Float(info.span() as f64 / 1e6),
        TableValue::Text(info.unix_time(info.first_ts).map_or_else(|| "unknown".to_owned(), utc)),
        list(&info.iterations, "no ProfilerStep"),
        list(&info.streams, "none"),
        TableValue::Text(info.device().to_owned()),
        TableValue::Text(info.file.clone()),
    ]
}
