//! Rows of events in complete iterations.

use super::columns::{CORRELATION, NAME, STREAM, TS};
use super::int_column::IntColumn;
use super::step_name::StepName;
use crate::exec::checkpoint::cancellable;
use crate::{Compat, Result};
use hashbrown::HashMap;
use polars::prelude::{Categorical32Type, DataFrame};

/// Returns the rows that HTA's `TraceAnalysis` uses: without the last profiler step, which is usually incomplete, and
/// without the work that it launched. `steps` is the number of steps of the whole trace; with at most one, all rows count.
///
/// ```text
/// CPU   before |-- step 1 --|-- step 2 --|-- step 3 …     kept up to the start of step 3, the last
/// GPU              |- launched in 1, 2 -|- in 3 -|        kept if its launch is
/// ```
///
/// Rows of the GPU come first, then those of the CPU, each in file order, as HTA has them. With `include_last`
/// everything up to the end of the last step is kept.
pub fn rows_in_whole_steps(events: &DataFrame, steps: usize, include_last: bool, compat: Compat) -> Result<Vec<u32>> {
    let rows = events.height();
    if steps < 2 {
        return Ok((0..rows as u32).collect());
    }
    let column = |name: &str| IntColumn::of(events, name);
    let (ts, dur) = (column(TS)?, column(super::columns::DUR)?);
    let (stream, correlation) = (column(STREAM)?, column(CORRELATION)?);
    let marks = Marks::of(events)?;

    let on_gpu = |row: usize| {
        let tied = correlation.get(row).is_some_and(|id| id >= 0);
        (stream.get(row).is_some() && tied) || marks.sync[row]
    };
    let (gpu, cpu): (Vec<usize>, Vec<usize>) = cancellable(0..rows).partition(|&row| on_gpu(row));
    let last = marks.steps.iter().copied().max_by_key(|&row| ts.get(row));
    let until = match (last, include_last) {
        (_, true) if compat == Compat::Hta => i64::MAX,
        // Differs from HTA: its `end` is not aligned, so that it keeps everything.
        (Some(last), true) => ts.get(last).zip(dur.get(last)).map_or(i64::MAX, |(ts, dur)| ts.saturating_add(dur)),
        (Some(last), false) => ts.get(last).unwrap_or(i64::MAX).saturating_sub(1),
        // Differs from HTA: it keeps nothing of a rank without steps.
        (None, false) if compat == Compat::Hta => i64::MIN,
        (None, _) => i64::MAX,
    };
    if cpu.is_empty() {
        return Ok((0..rows as u32).collect());
    }
    let cpu: Vec<usize> = cpu.into_iter().filter(|&row| ts.get(row).is_none_or(|ts| ts <= until)).collect();
    let mut launches: HashMap<i64, u32, foldhash::fast::FixedState> = HashMap::default();
    for id in cancellable(&cpu).filter_map(|&row| correlation.get(row)) {
        *launches.entry(id).or_default() += 1;
    }
    let mut retained = Vec::with_capacity(rows);
    for row in cancellable(gpu) {
        let times = match correlation.get(row) {
            Some(id) => launches.get(&id).copied().unwrap_or(0),
            // A synchronisation without a partner: by time.
            None => u32::from(ts.get(row).is_none_or(|ts| ts <= until)),
        };
        // Differs from HTA: there a row appears once for each CPU row with its id.
        let times = if compat == Compat::Hta { times } else { times.min(1) };
        retained.extend(std::iter::repeat_n(row as u32, times as usize));
    }
    retained.extend(cpu.into_iter().map(|row| row as u32));
    Ok(retained)
}

/// Properties of names.
struct Marks {
    /// Rows that are ProfilerSteps.
    steps: Vec<usize>,
    /// Whether a row is a synchronisation on the GPU's side.
    sync: Vec<bool>,
}

impl Marks {
    fn of(events: &DataFrame) -> Result<Self> {
        let names = events.column(NAME)?.as_materialized_series().cat::<Categorical32Type>()?.clone();
        let mapping = names.get_mapping();
        let mut known: HashMap<u32, (bool, bool), foldhash::fast::FixedState> = HashMap::default();
        let mut marks = Self { steps: Vec::new(), sync: Vec::with_capacity(events.height()) };
        for (row, code) in cancellable(names.physical().iter()).enumerate() {
            let (step, sync) = code.map_or((false, false), |code| {
                *known.entry(code).or_insert_with(|| {
                    let name = mapping.cat_to_str(code).unwrap_or_default();
                    (StepName::of(name) != StepName::Other, matches!(name, "Event Sync" | "Context Sync"))
                })
            });
            if step {
                marks.steps.push(row);
            }
            marks.sync.push(sync);
        }
        Ok(marks)
    }
}
