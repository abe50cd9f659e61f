//! The tables of the loaded traces and frames of cells, as the SQL engine reads them.

use super::columns::{Dictionaries, kind_of, moments};
use super::rank_rows::{bytes_needed, rows};
use super::views::{BORROWED, CompanionsByLabel, MOMENTS, TRACE, View, is_hidden, meaning};
use crate::exec::changed_files::checked;
use crate::exec::memory::Task;
use crate::frame::columns::RANK;
use crate::{Result, Trace, TraceSet};
use polars::prelude::{DataFrame, DataType, PlSmallStr, Schema};
use sql_engine::{Column as SqlColumn, ColumnSpec, Dictionary, Failure, Index, OwnedValue, Part, PartSpec, Table};
use std::sync::Arc;
use trace_view::Unit;

/// Unit of times in answers.
pub(super) const NANOS: &str = "ns";

/// Declares a column; a time has its unit.
pub(super) fn column_spec(name: &str, dtype: &DataType) -> ColumnSpec {
    let is_time = meaning(name).is_some_and(|column| column.unit == Unit::Nanos);
    ColumnSpec::new(name, kind_of(dtype)).with_unit(is_time.then_some(NANOS))
}

/// The ranks of all traces, each a part of a table.
#[derive(Clone)]
pub(super) struct Ranks(Vec<(TraceSet, Trace)>);

impl Ranks {
    pub(super) fn of(traces: &[TraceSet]) -> Self {
        let ranks = traces.iter().flat_map(|set| set.traces().iter().map(|trace| (set.clone(), trace.clone())));
        Self(ranks.collect())
    }

    /// Returns a rank, which is a part of a table.
    pub(super) fn get(&self, part: usize) -> Option<&(TraceSet, Trace)> {
        self.0.get(part)
    }

    /// Drops the indexes that earlier statements left with the ranks, and what else is derived and not in use.
    fn give_back(&self) {
        self.0.iter().for_each(|(_, trace)| trace.give_back());
    }

    /// Describes the parts of a table with about so many rows per rank: conditions on trace and rank choose among them.
    pub(super) fn parts(&self, columns: &[ColumnSpec], rows: impl Fn(&Trace) -> usize) -> Vec<PartSpec> {
        let index_of = |name: &str| columns.iter().position(|column| column.name == name);
        let (label, number) = (index_of(TRACE), index_of(RANK));
        let part = |(set, trace): &(TraceSet, Trace)| {
            let label = label.map(|index| (index, OwnedValue::Text(set.label().to_owned())));
            let number = number.map(|index| (index, OwnedValue::Int(trace.rank())));
            PartSpec { rows: rows(trace), fixed: label.into_iter().chain(number).collect() }
        };
        self.0.iter().map(part).collect()
    }
}

/// The indexes of a rank that stay for further statements: those that were used last.
const MOST_INDEXES: usize = 8;

/// An index that stays for further statements.
struct CachedIndex {
    index: Arc<Index>,
    /// What the keys are codes of: it lives as long as the index, so that no other one has its identity.
    _dictionary: Option<Arc<dyn Dictionary>>,
}

impl CachedIndex {
    fn bytes(&self) -> usize {
        self.index.bytes()
    }
}

/// A view of the loaded traces: its parts are ranks.
pub(super) struct ViewTable {
    view: View,
    schema: Schema,
    columns: Vec<ColumnSpec>,
    ranks: Ranks,
    companions: CompanionsByLabel,
    parts: Vec<PartSpec>,
    dictionaries: Dictionaries,
}

impl ViewTable {
    pub(super) fn of(view: View, traces: &[TraceSet], companions: &CompanionsByLabel) -> Self {
        let schema = view.schema(traces);
        let column =
            |name: &str, dtype: &DataType| column_spec(name, dtype).hidden(is_hidden(name, traces, companions));
        let columns: Vec<ColumnSpec> = schema.iter().map(|(name, dtype)| column(name, dtype)).collect();
        let ranks = Ranks::of(traces);
        let parts = ranks.parts(&columns, |trace| match view {
            View::Events => trace.info().events,
            View::Kernels | View::Launches => trace.info().events / 4,
            View::Iterations => trace.info().iterations.len(),
            View::Ranks => 1,
        });
        let companions = companions.clone();
        Self { view, schema, columns, ranks, companions, parts, dictionaries: Dictionaries::default() }
    }
}

impl Table for ViewTable {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn parts(&self) -> &[PartSpec] {
        &self.parts
    }

    fn read(&self, part: usize, columns: &[usize], _: &[OwnedValue]) -> std::result::Result<Part, Failure> {
        let Some((set, trace)) = self.ranks.get(part) else { return Ok(Part::default()) };
        let names: Vec<PlSmallStr> =
            columns.iter().map(|&column| PlSmallStr::from_str(&self.columns[column].name)).collect();
        let companions = self.companions.get(set.label()).map_or(&[][..], Vec::as_slice);
        let found = || -> Result<Part> {
            let (budget, needed) = (set.budget()?, bytes_needed(self.view, trace, &names));
            budget.check(Task::Sql, needed).or_else(|_| {
                self.ranks.give_back();
                budget.check(Task::Sql, needed)
            })?;
            let frame = checked(|| rows(self.view, set, trace, &names, &self.schema, companions))?;
            part_of(&frame, columns, self.columns.len(), &self.dictionaries, set.origin())
        };
        Ok(found()?)
    }

    fn index(
        &self,
        part: usize,
        column: usize,
        values: &dyn SqlColumn,
        build: &dyn Fn() -> Option<Index>,
    ) -> Option<Arc<Index>> {
        let (set, trace) = self.ranks.get(part)?;
        let name = self.columns.get(column)?.name.as_str();
        if BORROWED.contains(&name) {
            // Another statement may have other companions.
            return build().map(Arc::new);
        }
        let codes = values.dictionary().map(|dictionary| dictionary.identity());
        let key =
            format!("index of {} {name} {:?} {codes:?} from {}", self.view.name(), self.schema.get(name), set.origin());
        let make = || {
            let index = build().or_else(|| {
                // Those of other statements make room for this one.
                self.ranks.give_back();
                build()
            })?;
            Some(CachedIndex { index: Arc::new(index), _dictionary: values.dictionary().cloned() })
        };
        let cached = trace.derived_of_several(&key, MOST_INDEXES, CachedIndex::bytes, make)?;
        Some(Arc::clone(&cached.index))
    }
}

/// Returns a frame whose columns are those of a table with these numbers. Moments count from `origin`, the start of the recording.
pub(super) fn part_of(
    frame: &DataFrame,
    columns: &[usize],
    width: usize,
    dictionaries: &Dictionaries,
    origin: i64,
) -> Result<Part> {
    let mut part = Part { rows: frame.height(), columns: vec![None; width] };
    for (column, &index) in frame.columns().iter().zip(columns) {
        let is_moment = MOMENTS.contains(&column.name().as_str());
        part.columns[index] = Some(if is_moment { moments(column, origin)? } else { dictionaries.column(column)? });
    }
    Ok(part)
}

/// A frame of a cell as a table.
pub(super) struct FrameTable {
    frame: DataFrame,
    columns: Vec<ColumnSpec>,
    parts: [PartSpec; 1],
    dictionaries: Dictionaries,
}

impl FrameTable {
    /// Declares the columns of a frame. Names that differ in upper and lower case only are numbered: SQL does not tell them apart.
    ///
    /// # Errors
    /// If polars refuses a conversion.
    pub(super) fn of(mut frame: DataFrame) -> Result<Self> {
        for at in 0..frame.width() {
            let column = &frame.columns()[at];
            // Beyond the integers of SQL, numbers are floating-point numbers.
            if *column.dtype() == DataType::UInt64
                && column.u64()?.iter().flatten().any(|value| i64::try_from(value).is_err())
            {
                let column = column.cast(&DataType::Float64)?;
                frame.with_column(column)?;
            }
        }
        let mut columns: Vec<ColumnSpec> = Vec::with_capacity(frame.width());
        for column in frame.columns() {
            let is_known = |name: &str| columns.iter().any(|known| known.name.eq_ignore_ascii_case(name));
            let name = column.name().as_str();
            let numbered = (2..).map(|number| format!("{name}_{number}"));
            let free =
                std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_known(name)).unwrap_or_default();
            let spec = column_spec(name, column.dtype());
            // A time that is a fraction, such as a mean of milliseconds, has no known unit.
            let unit = spec.unit.filter(|_| column.dtype().is_integer());
            columns.push(ColumnSpec { name: free, ..spec }.with_unit(unit));
        }
        let parts = [PartSpec { rows: frame.height(), fixed: Vec::new() }];
        Ok(Self { frame, columns, parts, dictionaries: Dictionaries::default() })
    }
}

impl Table for FrameTable {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn parts(&self) -> &[PartSpec] {
        &self.parts
    }

    fn read(&self, _: usize, columns: &[usize], _: &[OwnedValue]) -> std::result::Result<Part, Failure> {
        let mut part = Part { rows: self.frame.height(), columns: vec![None; self.columns.len()] };
        for &column in columns {
            part.columns[column] = Some(self.dictionaries.column(&self.frame.columns()[column])?);
        }
        Ok(part)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::cell::Cell;

    fn demo() -> TraceSet {
        TraceSet::load(concat!(env!("CARGO_MANIFEST_DIR"), "/../../notebooks/data/control")).unwrap()
    }

    /// Returns the index of a column of the events of rank 0, as a statement asks for it; `build` says whether there is memory.
    fn index(traces: &[TraceSet], name: &str, build: &dyn Fn() -> bool) -> Option<Arc<Index>> {
        let table = ViewTable::of(View::Events, traces, &CompanionsByLabel::new());
        let column = table.columns.iter().position(|column| column.name == name).unwrap();
        let part = table.read(0, &[column], &[]).unwrap();
        let values = part.columns[column].clone().unwrap();
        table
            .index(0, column, &*values, &|| build().then(|| Index::of(&*values, table.columns[column].kind, part.rows)))
    }

    #[test]
    fn indexes_stay_for_further_statements() {
        let traces = [demo()];
        let built = Cell::new(0);
        let build = || {
            built.set(built.get() + 1);
            true
        };
        let before = traces[0].memory_bytes();
        for name in ["correlation", "name", "correlation", "name"] {
            index(&traces, name, &build).unwrap();
        }
        assert_eq!(built.get(), 2, "one for each column");
        assert!(traces[0].memory_bytes() > before, "and they count as memory of the trace");
        traces[0].give_back();
        assert_eq!(traces[0].memory_bytes(), before);
        index(&traces, "correlation", &build).unwrap();
        assert_eq!(built.get(), 3);
        // Another trace beside it is no reason to build it again; other columns than those used last are given up.
        index(&[traces[0].clone(), demo()], "correlation", &build).unwrap();
        assert_eq!(built.get(), 3);
        for name in ["id", "cat", "ts", "dur", "end_ts", "pid", "tid", "stream"] {
            index(&traces, name, &build).unwrap();
        }
        index(&traces, "correlation", &build).unwrap();
        assert_eq!(built.get(), 12);
    }

    #[test]
    fn indexes_of_earlier_statements_make_room() {
        let traces = [demo()];
        let first = index(&traces, "correlation", &|| true).map(|index| index.bytes());
        assert!(first > Some(0));
        // Memory is there once the first one is gone.
        let with_first = traces[0].memory_bytes();
        assert!(index(&traces, "name", &|| traces[0].memory_bytes() < with_first).is_some());
        assert!(index(&traces, "dur", &|| false).is_none(), "rows are then tested one by one");
    }
}
