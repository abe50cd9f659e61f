//! Rows of events in complete iterations, on MTIA devices.

use super::builder::IdColumn;
use super::columns::*;
use super::int_column::IntColumn;
use super::step_name::StepName;
use crate::Result;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use hashbrown::HashSet;
use polars::prelude::{Categorical32Type, CategoricalChunked, DataFrame, IntoColumn};

/// Returns what HTA's `TraceAnalysis` uses on MTIA devices: the events, and the rows that count, in file order.
///
/// ```text
/// CPU     before |-- step 1 --|-- step 2 --| after      kept inside of the steps, the last one too
/// device             |- launched in 1, 2 -|             kept if its launch is
///                  |- dma -|                            kept if it is inside of a step
/// ```
///
/// A copy that is kept because of its time gets the iteration of the step and its thread as stream, unless it has them.
/// Without steps, all rows count.
pub fn mtia_rows_in_whole_steps(events: &DataFrame) -> Result<(DataFrame, Vec<u32>)> {
    let int = |name: &str| IntColumn::of(events, name);
    let (ts, end, tid) = (int(TS)?, int(END)?, int(TID)?);
    let (stream, iteration, correlation) = (int(STREAM)?, int(ITERATION)?, int(CORRELATION)?);
    let rows = events.height();
    let (names, cats) = (Texts::of(events, NAME)?, Texts::of(events, CAT)?);

    let span = |row: usize| Some((ts.get(row)?, end.get(row)?));
    let steps: Vec<(i64, i64, i64)> = (0..rows)
        .filter_map(|row| match StepName::of(names.get(row)) {
            StepName::Number(number) => span(row).map(|(start, end)| (start, end, number)),
            _ => None,
        })
        .collect();
    let (Some(first), Some(last)) = (steps.iter().map(|step| step.0).min(), steps.iter().map(|step| step.1).max())
    else {
        return Ok((events.clone(), (0..rows as u32).collect()));
    };
    let inside = |row: usize, from: i64, to: i64| span(row).is_some_and(|(start, end)| start >= from && end <= to);
    let on_cpu: Vec<bool> = (0..rows).map(|row| is_cpu(cats.get(row)) && inside(row, first, last)).collect();
    let launched: HashSet<i64, foldhash::fast::FixedState> =
        (0..rows).filter(|&row| on_cpu[row]).filter_map(|row| correlation.get(row)).collect();

    let mut streams: Vec<Option<i64>> = stream.iter().collect();
    let mut iterations: Vec<Option<i64>> = iteration.iter().collect();
    let mut retained = Vec::with_capacity(rows);
    for row in cancellable(0..rows) {
        let is_launched = || correlation.get(row).is_some_and(|id| launched.contains(&id));
        let step = || steps.iter().rev().find(|step| inside(row, step.0, step.1));
        if on_cpu[row] || (is_kernel(cats.get(row)) && is_launched()) {
            retained.push(row as u32);
        } else if is_copy(names.get(row))
            && let Some(step) = step()
        {
            iterations[row] = iterations[row].or(Some(step.2));
            streams[row] = streams[row].or(tid.get(row));
            retained.push(row as u32);
        }
    }
    let mut events = events.clone();
    for (name, values) in [(STREAM, streams), (ITERATION, iterations)] {
        events.with_column(IdColumn::of(&values).finish(name).into_column())?;
    }
    Ok((events, retained))
}

/// Returns the texts of a column of categories.
struct Texts(CategoricalChunked<Categorical32Type>);

impl Texts {
    fn of(events: &DataFrame, name: &str) -> Result<Self> {
        let series = events.column(name)?.as_materialized_series().rechunk();
        Ok(Self(series.cat::<Categorical32Type>()?.clone()))
    }

    fn get(&self, row: usize) -> &str {
        let code = self.0.physical().get(row);
        code.and_then(|code| self.0.get_mapping().cat_to_str(code)).unwrap_or_default()
    }
}

// As HTA has it: by the beginnings of categories.
fn is_cpu(cat: &str) -> bool {
    cat.starts_with(EventKind::OPERATOR)
        || cat == EventKind::ANNOTATION
        || cat.find("_runtime").is_some_and(|at| at > 0)
}

fn is_kernel(cat: &str) -> bool {
    cat.starts_with(EventKind::KERNEL)
        || cat.strip_prefix("gpu_mem").is_some_and(|rest| !rest.is_empty())
        || cat.starts_with("mtia_ccp_events")
}

fn is_copy(name: &str) -> bool {
    let bare = name.strip_prefix("hip").unwrap_or(name);
    bare.starts_with("Memcpy") || bare.starts_with("Memset") || name.starts_with("dma")
}
