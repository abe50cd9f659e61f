//! Rows of one rank in the tables of SQL.

use super::views::{BORROWED, END_TS, ID, KERNEL_DELAY, KERNEL_TYPE, ORIGIN, TRACE, View, source};
use crate::companion::operator_columns;
use crate::domain::{EventKind, is_device_work};
use crate::frame::columns::{CAT, DUR, END, INDEX, INDEX_CORRELATION, ITERATION, NAME, RANK, STREAM, TS};
use crate::frame::{READ_COLUMNS, StepName, once_per_text};
use crate::{Compat, KernelType, Result, Trace, TraceSet};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::{
    BooleanChunked, Categorical32Type, Column, DataFrame, DataType, IdxCa, IdxSize, Int64Chunked, IntoColumn,
    NamedFrom, NewChunkedArray, PlSmallStr, Scalar, Schema, Series,
};

/// Bytes of a text in a column: a view of a text that is elsewhere.
const TEXT_BYTES: usize = 16;

/// Returns an estimate of the memory that the rows of a rank need.
pub(super) fn bytes_needed(view: View, trace: &Trace, names: &[PlSmallStr]) -> usize {
    if view == View::Ranks {
        return 0;
    }
    let mut sources = sources(view, names);
    if names.iter().any(|name| BORROWED.contains(&name.as_str())) {
        sources.extend(READ_COLUMNS.map(PlSmallStr::from_static));
    }
    trace.bytes_needed_of(&sources, names.len().saturating_mul(TEXT_BYTES))
}

/// Returns the columns of the frame of events from which these columns of a view are made.
fn sources(view: View, names: &[PlSmallStr]) -> Vec<PlSmallStr> {
    let further: &[&str] = match view {
        View::Events | View::Ranks => &[],
        View::Kernels => &[CAT, STREAM],
        View::Launches => &[INDEX, INDEX_CORRELATION, NAME, TS, DUR, END, STREAM],
        View::Iterations => &[NAME, CAT, STREAM],
    };
    let mut found: Vec<PlSmallStr> = further.iter().copied().map(PlSmallStr::from_static).collect();
    for name in names {
        let name = PlSmallStr::from_str(source(name));
        if !found.contains(&name) {
            found.push(name);
        }
    }
    // A frame without columns has no rows.
    if found.iter().all(|name| [TRACE, RANK].contains(&name.as_str()) || BORROWED.contains(&name.as_str())) {
        found.push(INDEX.into());
    }
    found
}

/// Returns the columns `names` of the rows of one rank, in that order; `companions` lend operators to its kernels of graphs.
///
/// # Errors
/// If its events cannot be read.
pub(super) fn rows(
    view: View,
    set: &TraceSet,
    trace: &Trace,
    names: &[PlSmallStr],
    schema: &Schema,
    companions: &[TraceSet],
) -> Result<DataFrame> {
    if view == View::Ranks {
        return rank_row(set, trace, names);
    }
    let mut events = trace.frame_of(&sources(view, names))?;
    if !companions.is_empty() && names.iter().any(|name| BORROWED.contains(&name.as_str())) {
        for column in operator_columns(trace, set.compat(), companions)? {
            events.with_column(column)?;
        }
    }
    let (events, partners) = match view {
        View::Events | View::Ranks => (events, None),
        View::Kernels => (keep(&events, kernels)?, None),
        View::Iterations => (keep(&events, steps)?, None),
        View::Launches => {
            let (rows, partners) = launches(&events)?;
            (events.take(&rows)?, Some(events.take(&partners)?))
        }
    };
    let height = events.height();
    let columns = names.iter().map(|name| {
        let dtype = schema.get(name).cloned().unwrap_or(DataType::Null);
        let column = match (name.as_str(), &partners) {
            (TRACE, _) => Column::new_scalar(TRACE.into(), Scalar::from(PlSmallStr::from_str(set.label())), height),
            (RANK, _) => Column::new_scalar(RANK.into(), Scalar::from(trace.rank()), height),
            (KERNEL_TYPE, _) => kernel_types(&events, set.compat())?,
            (name, Some(partners)) if of_kernel(name).is_some() || name == STREAM => {
                named(partners, of_kernel(name).unwrap_or(name), name)?
            }
            (KERNEL_DELAY, Some(partners)) => delays(&events, partners)?,
            (name, _) => match events.column(source(name)) {
                Ok(column) => column.clone().with_name(name.into()),
                Err(_) => Column::full_null(name.into(), height, &dtype),
            },
        };
        let is_text = dtype == DataType::String && column.dtype().is_categorical();
        Ok(if is_text || column.dtype() == &dtype { column } else { column.cast(&dtype)? })
    });
    Ok(DataFrame::new(height, columns.collect::<Result<Vec<_>>>()?)?)
}

/// Returns the column of a kernel that a column of launches shows.
fn of_kernel(name: &str) -> Option<&'static str> {
    Some(match name {
        "kernel_id" => INDEX,
        "kernel" => NAME,
        "kernel_ts" => TS,
        "kernel_dur" => DUR,
        "kernel_end_ts" => END,
        _ => return None,
    })
}

fn named(frame: &DataFrame, column: &str, name: &str) -> Result<Column> {
    Ok(frame.column(column)?.clone().with_name(name.into()))
}

fn keep(events: &DataFrame, which: impl Fn(&DataFrame) -> Result<Vec<bool>>) -> Result<DataFrame> {
    Ok(events.filter(&BooleanChunked::from_slice("keep".into(), &which(events)?))?)
}

/// Returns which rows have a text that passes; `passes` is called once per text.
fn by_text(events: &DataFrame, column: &str, passes: impl Fn(&str) -> bool) -> Result<Vec<bool>> {
    let series = events.column(column)?.as_materialized_series();
    let texts = series.cat::<Categorical32Type>()?;
    let mut passes = once_per_text(texts.get_mapping(), passes);
    Ok(texts.physical().iter().map(|code| code.is_some_and(&mut passes)).collect())
}

/// Work of the GPU, as the vocabulary has it: kernels, copies and fills.
fn kernels(events: &DataFrame) -> Result<Vec<bool>> {
    let of_gpu = events.column(STREAM)?.is_not_null();
    let work = by_text(events, CAT, is_device_work)?;
    Ok(work.into_iter().zip(of_gpu.iter()).map(|(work, of_gpu)| work && of_gpu == Some(true)).collect())
}

/// Profiler steps of the CPU; of a trace of the GPU alone, those that the profiler drew above its kernels.
fn steps(events: &DataFrame) -> Result<Vec<bool>> {
    let of_cpu = events.column(STREAM)?.is_null();
    let step = by_text(events, NAME, |name| matches!(StepName::of(name), StepName::Number(_)))?;
    let drawn = by_text(events, CAT, |cat| EventKind::of_category(cat) == EventKind::DeviceAnnotation)?;
    let steps: Vec<bool> = step.into_iter().zip(of_cpu.iter()).map(|(is, of_cpu)| is && of_cpu == Some(true)).collect();
    let on_cpu: Vec<bool> = steps.iter().zip(drawn).map(|(&step, drawn)| step && !drawn).collect();
    Ok(if on_cpu.contains(&true) { on_cpu } else { steps })
}

/// Returns the rows of launches, and for each the row of its kernel.
fn launches(events: &DataFrame) -> Result<(IdxCa, IdxCa)> {
    let (index, partner, stream) =
        (ints(events, INDEX)?, ints(events, INDEX_CORRELATION)?, events.column(STREAM)?.is_not_null());
    let mut rows_of: HashMap<i64, IdxSize, FixedState> = HashMap::default();
    for (row, (index, of_gpu)) in index.iter().zip(stream.iter()).enumerate() {
        if let (Some(index), Some(true)) = (index, of_gpu) {
            rows_of.insert(index, row as IdxSize);
        }
    }
    let (mut rows, mut partners) = (Vec::new(), Vec::new());
    for (row, (partner, of_gpu)) in partner.iter().zip(stream.iter()).enumerate() {
        if let (Some(partner), Some(false)) = (partner, of_gpu)
            && let Some(&kernel) = rows_of.get(&partner)
        {
            rows.push(row as IdxSize);
            partners.push(kernel);
        }
    }
    Ok((IdxCa::from_vec("row".into(), rows), IdxCa::from_vec("row".into(), partners)))
}

fn ints(events: &DataFrame, name: &str) -> Result<Int64Chunked> {
    Ok(events.column(name)?.cast(&DataType::Int64)?.i64()?.clone())
}

fn delays(launches: &DataFrame, kernels: &DataFrame) -> Result<Column> {
    let (ends, starts) = (ints(launches, END)?, ints(kernels, TS)?);
    let delay = ends.iter().zip(starts.iter()).map(|(end, start)| Some(start?.saturating_sub(end?).max(0)));
    Ok(Series::new(KERNEL_DELAY.into(), delay.collect::<Vec<Option<i64>>>()).into_column())
}

fn kernel_types(events: &DataFrame, compat: Compat) -> Result<Column> {
    let series = events.column(NAME)?.as_materialized_series();
    let names = series.cat::<Categorical32Type>()?;
    let mut word = once_per_text(names.get_mapping(), |name| KernelType::of(name, compat).word());
    let words: Vec<Option<&str>> = names.physical().iter().map(|code| code.map(&mut word)).collect();
    Ok(Series::new(KERNEL_TYPE.into(), words).into_column())
}

/// Returns the row of a rank, from facts that need no look at its events.
fn rank_row(set: &TraceSet, trace: &Trace, names: &[PlSmallStr]) -> Result<DataFrame> {
    let info = trace.info();
    let int = |value: i64, name: &PlSmallStr| Column::new(name.clone(), [value]);
    let count = |value: usize, name: &PlSmallStr| int(i64::try_from(value).unwrap_or(i64::MAX), name);
    let columns = names.iter().map(|name| match name.as_str() {
        TRACE => Column::new(name.clone(), [set.label()]),
        "file" => Column::new(name.clone(), [info.file.as_str()]),
        "device_type" => Column::new(name.clone(), [info.device()]),
        "events" => count(info.events, name),
        TS => int(info.first_ts, name),
        DUR => int(info.span(), name),
        END_TS => int(info.last_end, name),
        ORIGIN => int(set.origin(), name),
        "streams" => count(info.streams.len(), name),
        "iterations" => count(info.iterations.len(), name),
        _ => int(info.rank, name),
    });
    Ok(DataFrame::new(1, columns.collect())?)
}

/// The columns that table functions take of a table that is given by its name.
pub(super) const OF_INTERVALS: [&str; 9] = [TRACE, RANK, ITERATION, ID, NAME, TS, DUR, END_TS, STREAM];
