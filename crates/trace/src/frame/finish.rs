//! Rows → a frame, and what is to be said of it.

use super::arg_cells::ArgCells;
use super::args::Slot;
use super::build::{Builder, Rows};
use super::codes::Codes;
use super::columns::*;
use super::derive::Events;
use super::filled::Filled;
use super::symbols::{Step as StepName, step_number};
use super::time::round_like_hta;
use crate::read::{Meter, Odd, OddCounts};
use crate::{Compat, Result};
use polars::prelude::{Column, DataFrame, Int64Type, IntoColumn};
use rayon::prelude::*;

/// What a builder has made.
pub(crate) struct Built {
    /// The events.
    pub(crate) events: DataFrame,
    /// The names of the events, each once.
    pub(crate) names: Vec<String>,
    /// Iterations, ascending, each once.
    pub(crate) iterations: Vec<i64>,
    /// Names that start with ProfilerStep but have no number.
    pub(crate) odd_steps: Vec<String>,
    /// Durations that HTA's rounding made negative.
    pub(crate) negative: u64,
    /// Odd values inside events.
    pub(crate) odd: OddCounts,
    /// Start of the first event.
    pub(crate) first_ts: i64,
    /// End of the last event.
    pub(crate) last_end: i64,
    /// Streams, ascending, each once.
    pub(crate) streams: Vec<i64>,
}

impl Builder<'_> {
    /// The frame, and what is to be said of it; on idle cores, too, if `side_by_side`.
    ///
    /// # Errors
    /// If the load is to end, or polars refuses, which no input should bring about.
    pub(crate) fn finish(self, side_by_side: bool) -> Result<Built> {
        let (compat, meter) = (self.compat, self.meter);
        let Rows { index, name, cat, ts, dur, pid, tid, stream, correlation, args, float, float_starts, .. } =
            self.rows;
        let (interner, mut odd) = (self.rows.interner, self.rows.odd);
        let rows = index.rows();
        let texts = interner.texts();
        let steps: Vec<StepName> = texts.iter().map(|text| step_number(text)).collect();
        let codes = Codes::of(texts)?;
        if self.slots.full() {
            odd.note(Odd::TooManyArgs);
        }
        odd.add(interner.odd());
        let slots = self.slots.into_slots();
        meter.check()?;
        let (derived, args) = both(
            side_by_side,
            || {
                let mut events = Events {
                    index: index.fill(rows),
                    name: name.fill(rows),
                    cat: Filled::new(cat, None),
                    ts: ts.fill(rows),
                    dur: dur.fill(rows),
                    stream: stream.fill(rows),
                    correlation: correlation.fill(rows),
                };
                let mut negative = 0;
                if compat == Compat::Hta && float_starts {
                    round_like_hta(&float, events.ts.values_mut(), events.dur.values_mut());
                    events.dur.each(|_, dur| negative += u64::from(dur < 0));
                }
                let derived = events.derive(texts, &steps, compat, meter, side_by_side);
                derived.map(|derived| (events, derived, negative))
            },
            || arg_columns(args, &slots, rows, &codes, meter, side_by_side),
        );
        let ((events, derived, negative), args) = (derived?, args?);

        let used = derived.names;
        let names: Vec<String> = used.iter().map(|&symbol| texts[symbol as usize].clone()).collect();
        let mut iterations: Vec<i64> = Vec::new();
        let mut odd_steps = Vec::new();
        for &symbol in &used {
            match steps[symbol as usize] {
                StepName::Number(number) => iterations.push(number),
                StepName::Odd => odd_steps.push(texts[symbol as usize].clone()),
                StepName::No => {}
            }
        }
        iterations.sort_unstable();
        iterations.dedup();

        let Events { index, name, cat, ts, dur, stream, correlation } = events;
        let time = |times: Filled<i64>, name: &str| times.finish::<Int64Type>(name).into_column();
        let mut columns = vec![
            index.finish(INDEX).into_column(),
            codes.filled(NAME, name).into_column(),
            codes.filled(CAT, cat).into_column(),
            time(ts, TS),
            time(dur, DUR),
            time(derived.end, END),
            pid.fill(rows).finish(PID).into_column(),
            tid.fill(rows).finish(TID).into_column(),
            stream.finish(STREAM).into_column(),
            correlation.finish(CORRELATION).into_column(),
            derived.index_correlation.finish(INDEX_CORRELATION).into_column(),
            derived.iteration.finish(ITERATION).into_column(),
        ];
        columns.extend(args);
        let events = DataFrame::new(rows, columns)?;
        let ((first_ts, last_end), streams) = (derived.span, derived.streams);
        Ok(Built { events, names, iterations, odd_steps, negative, odd, first_ts, last_end, streams })
    }
}

/// The columns of the arguments that have a value anywhere, each again under every further name of its argument.
fn arg_columns(
    args: Vec<ArgCells>,
    slots: &[Slot],
    rows: usize,
    codes: &Codes,
    meter: &Meter,
    side_by_side: bool,
) -> Result<Vec<Column>> {
    let columns = |(cells, slot): (ArgCells, &Slot)| {
        meter.check()?;
        let Some((first, others)) = slot.columns.split_first() else { return Ok(Vec::new()) };
        let Some(column) = cells.finish(first, rows, codes) else { return Ok(Vec::new()) };
        let column = column.into_column();
        let also = others.iter().map(|name| column.clone().with_name(name.as_str().into()));
        Ok(std::iter::once(column.clone()).chain(also).collect())
    };
    let made: Result<Vec<Vec<Column>>> = if side_by_side {
        args.into_par_iter().zip(slots).map(columns).collect()
    } else {
        args.into_iter().zip(slots).map(columns).collect()
    };
    Ok(made?.into_iter().flatten().collect())
}

/// Two answers, beside each other if there are cores for it.
pub(super) fn both<A: Send, B: Send>(
    side_by_side: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if side_by_side { rayon::join(one, other) } else { (one(), other()) }
}
