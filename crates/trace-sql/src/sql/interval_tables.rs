//! Tables of intervals: gaps of streams, intersections of two tables, how many rows are open at a time.

use super::sweep::{Interval, gaps, intersections, levels};
use super::views::{END_TS, TRACE};
use crate::exec::changed_files::checked;
use crate::exec::checkpoint;
use crate::exec::memory::{Budget, Task};
use crate::frame::READ_COLUMNS;
use crate::frame::columns::{DUR, END, ITERATION, RANK, STREAM, TS};
use crate::{Error, Result, Trace, TraceSet};
use polars::prelude::{
    Column, DataFrame, DataType, IdxCa, Int64Chunked, IntoColumn, NamedFrom, PlSmallStr, Scalar, Series,
};
use sql_engine::StatementError as SqlError;
use std::collections::BTreeMap;

/// Bytes of a row of a table of intervals.
const BYTES_PER_ROW: usize = 96;

/// Returns the gaps of the streams of a rank; of one stream if there is one.
///
/// # Errors
/// If its events cannot be read.
pub(super) fn gap_table(set: &TraceSet, trace: &Trace, stream: Option<i64>) -> Result<DataFrame> {
    checkpoint::check()?;
    let names: Vec<PlSmallStr> = READ_COLUMNS.iter().copied().map(PlSmallStr::from_static).collect();
    set.budget()?.check(Task::Sql, trace.bytes_needed_of(&names, BYTES_PER_ROW))?;
    checked(|| {
        let rows = trace.rank_events(&trace.frame_of(&names)?, set.compat())?;
        let mut of_streams: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for (row, kind) in rows.kinds().iter().enumerate() {
            if let Some(found) = rows.stream(row)
                && stream.is_none_or(|stream| stream == found)
                && kind.is_device_work()
            {
                of_streams.entry(found).or_default().push(row as u32);
            }
        }
        let mut found = GapColumns::default();
        for (stream, kernels) in of_streams {
            let interval = |&row: &u32| {
                let start = rows.ts(row as usize)?;
                Some((start, start.saturating_add(rows.dur(row as usize))))
            };
            let intervals: Vec<Interval> = kernels.iter().map(|row| interval(row).unwrap_or((0, 0))).collect();
            for gap in gaps(&intervals) {
                let [before, after] = [gap.before, gap.after].map(|at| kernels[at as usize] as usize);
                found.iteration.push(rows.iteration(after));
                found.stream.push(stream);
                found.ts.push(gap.start);
                found.end.push(gap.end);
                found.before.push(rows.index(before));
                found.before_name.push(rows.text(rows.name(before)).to_owned());
                found.after.push(rows.index(after));
                found.after_name.push(rows.text(rows.name(after)).to_owned());
            }
        }
        found.table(set.label(), trace.rank())
    })
}

/// The columns of gaps while they grow.
#[derive(Default)]
struct GapColumns {
    iteration: Vec<Option<i64>>,
    stream: Vec<i64>,
    ts: Vec<i64>,
    end: Vec<i64>,
    before: Vec<i64>,
    before_name: Vec<String>,
    after: Vec<i64>,
    after_name: Vec<String>,
}

impl GapColumns {
    fn table(self, label: &str, rank: i64) -> Result<DataFrame> {
        let height = self.ts.len();
        let dur: Vec<i64> = self.ts.iter().zip(&self.end).map(|(start, end)| end.saturating_sub(*start)).collect();
        let columns = vec![
            Column::new_scalar(TRACE.into(), Scalar::from(PlSmallStr::from_str(label)), height),
            Column::new_scalar(RANK.into(), Scalar::from(rank), height),
            Series::new(ITERATION.into(), self.iteration).into_column(),
            Column::new(STREAM.into(), self.stream),
            Column::new(TS.into(), self.ts),
            Column::new(DUR.into(), dur),
            Column::new(END_TS.into(), self.end),
            Column::new("before_id".into(), self.before),
            Column::new("before_name".into(), self.before_name),
            Column::new("after_id".into(), self.after),
            Column::new("after_name".into(), self.after_name),
        ];
        Ok(DataFrame::new(height, columns)?)
    }
}

/// Trace and rank of rows; `None` for what the tables do not have.
type Group = (Option<String>, Option<i64>);

/// A table as intervals.
struct Intervals<'t> {
    table: &'t DataFrame,
    times: Vec<Interval>,
    /// The rows of each trace and rank.
    groups: BTreeMap<Group, Vec<u32>>,
}

impl<'t> Intervals<'t> {
    /// Reads the times of a table, and groups its rows by trace and rank, as far as `by` names them.
    fn of(table: &'t DataFrame, by: &[&str]) -> Result<Self> {
        let missing = |what: &str| {
            let message = format!("a table of intervals has ts, and dur or end_ts; one has no {what}");
            Error::Sql(Box::new(SqlError::new(message, "select them: (SELECT ts, dur, name FROM kernels)")))
        };
        let starts = ints(table, TS).ok_or_else(|| missing(TS))?;
        let ends = [END_TS, END].into_iter().find_map(|name| ints(table, name));
        let durations = if ends.is_some() { None } else { Some(ints(table, DUR).ok_or_else(|| missing(DUR))?) };
        let times = (0..table.height()).map(|row| {
            let start = starts.get(row);
            let end = match (&ends, &durations) {
                (Some(ends), _) => ends.get(row),
                (None, Some(durations)) => start.zip(durations.get(row)).map(|(start, dur)| start.saturating_add(dur)),
                (None, None) => None,
            };
            // A row without times is empty.
            start.zip(end).unwrap_or((0, 0))
        });
        let times: Vec<Interval> = times.collect();
        let label = by.contains(&TRACE).then(|| table.column(TRACE)?.cast(&DataType::String)).transpose()?;
        let label = label.as_ref().map(Column::str).transpose()?;
        let rank = if by.contains(&RANK) { ints(table, RANK) } else { None };
        let mut groups: BTreeMap<Group, Vec<u32>> = BTreeMap::new();
        for row in 0..table.height() {
            let label = label.and_then(|label| label.get(row)).map(str::to_owned);
            groups.entry((label, rank.as_ref().and_then(|rank| rank.get(row)))).or_default().push(row as u32);
        }
        Ok(Self { table, times, groups })
    }

    fn times_of(&self, rows: &[u32]) -> Vec<Interval> {
        rows.iter().map(|&row| self.times[row as usize]).collect()
    }
}

fn ints(table: &DataFrame, name: &str) -> Option<Int64Chunked> {
    let column = table.column(name).ok().filter(|column| column.dtype().is_numeric())?;
    Some(column.cast(&DataType::Int64).ok()?.i64().ok()?.clone())
}

/// Returns which of trace and rank all tables have.
fn shared(tables: &[&DataFrame]) -> Vec<&'static str> {
    let has = |name: &&str| tables.iter().all(|table| table.column(name).is_ok());
    [TRACE, RANK].into_iter().filter(has).collect()
}

/// Returns the pairs of rows of two tables whose times intersect, per trace and rank where both have these columns.
///
/// # Errors
/// If a table has no times, or the pairs do not fit the memory budget.
pub(super) fn intersect_table(a: &DataFrame, b: &DataFrame) -> Result<DataFrame> {
    let by = shared(&[a, b]);
    let (left, right) = (Intervals::of(a, &by)?, Intervals::of(b, &by)?);
    let budget = Budget::now()?;
    let bytes = BYTES_PER_ROW + 16 * (a.width() + b.width());
    let (mut rows_a, mut rows_b): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
    for (group, rows) in &left.groups {
        let Some(others) = right.groups.get(group) else { continue };
        let found = rows_a.len();
        let pairs = intersections(&left.times_of(rows), &right.times_of(others), |pairs| {
            checkpoint::check()?;
            budget.check(Task::Sql, pairs.saturating_add(found).saturating_mul(bytes))
        })?;
        for (at, other) in pairs {
            rows_a.push(rows[at as usize]);
            rows_b.push(others[other as usize]);
        }
    }
    let bounds = rows_a.iter().zip(&rows_b).map(|(&at, &other)| {
        let (x, y) = (left.times[at as usize], right.times[other as usize]);
        (x.0.max(y.0), x.1.min(y.1))
    });
    let (starts, ends): (Vec<i64>, Vec<i64>) = bounds.unzip();
    let dur: Vec<i64> = starts.iter().zip(&ends).map(|(start, end)| end.saturating_sub(*start)).collect();
    let (rows_a, rows_b) = (IdxCa::from_vec("row".into(), rows_a), IdxCa::from_vec("row".into(), rows_b));
    let mut columns: Vec<Column> = Vec::new();
    for name in &by {
        columns.push(left.table.column(name)?.take(&rows_a)?);
    }
    columns.push(Column::new(TS.into(), &starts));
    columns.push(Column::new(DUR.into(), dur));
    columns.push(Column::new(END_TS.into(), &ends));
    for (table, rows, suffix) in [(left.table, &rows_a, "a"), (right.table, &rows_b, "b")] {
        for column in table.columns().iter().filter(|column| !by.contains(&column.name().as_str())) {
            let name = PlSmallStr::from_string(format!("{}_{suffix}", column.name()));
            columns.push(column.take(rows)?.with_name(name));
        }
    }
    Ok(DataFrame::new(starts.len(), columns)?)
}

/// Returns how many rows of a table are open at a time, per trace and rank where it has these columns.
///
/// # Errors
/// If the table has no times.
pub(super) fn overlap_table(table: &DataFrame) -> Result<DataFrame> {
    let by = shared(&[table]);
    let intervals = Intervals::of(table, &by)?;
    let (mut labels, mut ranks) = (Vec::new(), Vec::new());
    let (mut starts, mut ends, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for ((label, rank), rows) in &intervals.groups {
        checkpoint::check()?;
        for found in levels(&intervals.times_of(rows)) {
            labels.push(label.clone());
            ranks.push(*rank);
            starts.push(found.start);
            ends.push(found.end);
            open.push(i64::from(found.open));
        }
    }
    let dur: Vec<i64> = starts.iter().zip(&ends).map(|(start, end): (&i64, &i64)| end.saturating_sub(*start)).collect();
    let height = starts.len();
    let mut columns = Vec::new();
    if by.contains(&TRACE) {
        columns.push(Series::new(TRACE.into(), labels).into_column());
    }
    if by.contains(&RANK) {
        columns.push(Series::new(RANK.into(), ranks).into_column());
    }
    columns.push(Column::new(TS.into(), starts));
    columns.push(Column::new(DUR.into(), dur));
    columns.push(Column::new(END_TS.into(), ends));
    columns.push(Column::new("open".into(), open));
    Ok(DataFrame::new(height, columns)?)
}
