//! The sink of the reader: events → rows → a frame.

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

use super::arg_cells::{ArgCells, number, symbol};
use super::args::{CORRELATION_SLOT, STREAM_SLOT, Slots, Wanted};
use super::cells::Sparse;
use super::columns::*;
use super::correlate::partners;
use super::ids::Ids;
use super::iterations::{Clock, Step};
use super::symbols::{Categories, Interner, Step as StepName, categorical, step_number};
use super::time::{FloatTimes, round_like_hta};
use crate::read::{EventSink, Meter, Odd, OddCounts, Raw, RawEvent, as_f64, each_arg, integer, is_float, nanos};
use crate::{Compat, Result};
use polars::prelude::{Column, DataFrame, Int64Type, IntoColumn, UInt32Chunked, UInt32Type};
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Takes events and makes rows of those that have a duration and a category.
pub(crate) struct Builder<'m> {
    compat: Compat,
    meter: &'m Meter,
    /// Ranks that are wanted; the reading ends when the file turns out to be another.
    ranks: Option<&'m [i64]>,
    /// Events already told to the meter.
    told: u64,
    wanted: &'m Wanted,
    slots: Slots,
    rows: Rows,
}

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

#[derive(Default)]
struct Rows {
    index: Ids,
    name: Sparse<u32>,
    cat: Vec<u32>,
    ts: Sparse<i64>,
    dur: Sparse<i64>,
    pid: Ids,
    tid: Ids,
    stream: Ids,
    correlation: Ids,
    /// By slot; those of stream and correlation stay empty.
    args: Vec<ArgCells>,
    float: FloatTimes,
    /// HTA would hold the starts as floats: any of them is fractional or missing.
    float_starts: bool,
    interner: Interner,
    odd: OddCounts,
}

impl<'m> Builder<'m> {
    pub(crate) fn new(compat: Compat, ranks: Option<&'m [i64]>, wanted: &'m Wanted, meter: &'m Meter) -> Self {
        Self { compat, meter, ranks, told: 0, wanted, slots: wanted.slots(), rows: Rows::default() }
    }

    /// How many of so many events the meter has not been told of.
    pub(crate) fn untold(&self, events: u64) -> u64 {
        events.saturating_sub(self.told)
    }
}

impl EventSink for Builder<'_> {
    #[inline]
    fn slot(&mut self, key: &[u8]) -> Option<u16> {
        self.slots.slot(key)
    }

    fn restart(&mut self) {
        self.rows = Rows::default();
    }

    #[inline]
    fn event(&mut self, event: &RawEvent<'_>) {
        self.rows.float_starts |= match event.ts {
            Raw::Token(token) => is_float(token),
            _ => true,
        };
        if !event.dur.is_null() && !event.cat.is_null() {
            self.rows.push(event, self.compat, self.wanted, &mut self.slots);
        }
    }

    fn metadata(&mut self, key: &str, value: &Value) -> ControlFlow<()> {
        let rank = (key == "distributedInfo").then(|| value.get("rank")).flatten().and_then(Value::as_i64);
        match (rank, self.ranks) {
            (Some(rank), Some(wanted)) if !wanted.contains(&rank) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn tick(&mut self, events: u64) -> ControlFlow<()> {
        self.meter.events.fetch_add(events.saturating_sub(self.told), Ordering::Relaxed);
        self.told = events;
        ControlFlow::Continue(())
    }
}

impl Rows {
    #[inline]
    fn push(&mut self, event: &RawEvent<'_>, compat: Compat, wanted: &Wanted, slots: &mut Slots) {
        // The span of the profiler itself.
        if matches!(event.cat, Raw::Text(b"Trace")) || matches!(event.cat, Raw::Text(cat) if wanted.skips(cat)) {
            return;
        }
        let Some(cat) = self.symbol(event.cat) else { return };
        let row = self.index.len();
        self.index.set(row, event.index);
        self.cat.push(cat);
        if let Some(name) = self.symbol(event.name) {
            self.name.set(row, name);
        }
        if let Some(ts) = self.number(event.ts, nanos) {
            self.ts.set(row, ts);
        }
        if let Some(dur) = self.number(event.dur, nanos) {
            self.dur.set(row, dur);
        }
        if compat == Compat::Hta {
            let mut ignored = OddCounts::default();
            let float = |raw, odd: &mut OddCounts| number(raw, as_f64, odd).unwrap_or(0.0);
            self.float.ts.push(float(event.ts, &mut ignored));
            self.float.dur.push(float(event.dur, &mut ignored));
        }
        if let Some(pid) = self.number(event.pid, integer) {
            self.pid.set(row, pid);
        }
        if let Some(tid) = self.number(event.tid, integer) {
            self.tid.set(row, tid);
        }
        for (slot, value) in event.args() {
            self.arg(row, slot, value, slots);
        }
        if matches!(event.cat, Raw::Text(b"cuda_profiler_range")) && !slots.infers() {
            each_arg(event.args_text, |key, value| {
                // Those that are known by now were among the arguments above.
                if slots.is_new(key)
                    && let Some(slot) = slots.counter(key)
                {
                    self.arg(row, usize::from(slot), value, slots);
                }
            });
        }
    }

    #[inline]
    fn arg(&mut self, row: usize, slot: usize, value: Raw<'_>, slots: &Slots) {
        match slot {
            STREAM_SLOT => {
                // ROCm writes streams of runtime calls as "0x0", which HTA reads as none; −1 says none, too.
                let mut ignored = OddCounts::default();
                if let Some(stream) = number(value, integer, &mut ignored).filter(|&stream| stream >= 0) {
                    self.stream.set(row, stream);
                }
            }
            CORRELATION_SLOT => {
                if let Some(id) = self.number(value, integer).filter(|&id| id != -1) {
                    self.correlation.set(row, id);
                }
            }
            _ => {
                if self.args.len() <= slot {
                    self.args.resize_with(slot + 1, ArgCells::default);
                }
                self.args[slot].push(row, slots.kind(slot), value, &mut self.interner, &mut self.odd);
            }
        }
    }

    #[inline]
    fn symbol(&mut self, value: Raw<'_>) -> Option<u32> {
        symbol(value, &mut self.interner, &mut self.odd)
    }

    #[inline]
    fn number<T>(&mut self, value: Raw<'_>, read: impl Fn(&[u8]) -> Result<T, Odd>) -> Option<T> {
        number(value, read, &mut self.odd)
    }
}

impl Builder<'_> {
    /// The frame, and what is to be said of it.
    ///
    /// # Errors
    /// If the load is to end, or polars refuses, which no input should bring about.
    pub(crate) fn finish(self) -> Result<Built> {
        let (compat, meter) = (self.compat, self.meter);
        let mut rows = self.rows;
        rows.pad();
        let mut negative = 0;
        if compat == Compat::Hta && rows.float_starts {
            round_like_hta(&rows.float, rows.ts.values_mut(), rows.dur.values_mut());
            negative = rows.dur.values().iter().filter(|dur| **dur < 0).count() as u64;
        }
        rows.float = FloatTimes::default();

        let texts = rows.interner.texts();
        let steps: Vec<StepName> = texts.iter().map(|text| step_number(text)).collect();
        let clock = Clock::new(&rows.steps(&steps));
        meter.check()?;
        let partner = rows.partners();
        meter.check()?;
        let iteration = rows.iterations(&clock, &partner, compat);
        meter.check()?;
        let index_correlation: Ids =
            partner.iter().map(|partner| partner.and_then(|row| rows.index.get(row as usize))).collect();
        let end: Sparse<i64> =
            (0..rows.index.len()).map(|row| Some(rows.ts.get(row)?.saturating_add(rows.dur.get(row)?))).collect();

        meter.check()?;
        let (first_ts, last_end) = rows.span(&end);
        let streams = distinct(&rows.stream);
        let used = rows.names_used();
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
        if self.slots.full() {
            rows.odd.note(Odd::TooManyArgs);
        }
        let odd = rows.odd.clone();
        meter.check()?;
        let events = rows.frame(self.slots, end, index_correlation, iteration, meter)?;
        Ok(Built { events, names, iterations, odd_steps, negative, odd, first_ts, last_end, streams })
    }
}

impl Rows {
    fn pad(&mut self) {
        let rows = self.index.len();
        self.name.pad(rows);
        let Self { ts, dur, pid, tid, stream, correlation, .. } = self;
        for column in [ts, dur] {
            column.pad(rows);
        }
        for column in [pid, tid, stream, correlation] {
            column.pad(rows);
        }
    }

    /// The ProfilerStep events, in file order.
    fn steps(&self, steps: &[StepName]) -> Vec<Step> {
        let rows = 0..self.index.len();
        rows.filter_map(|row| match steps[self.name.get(row)? as usize] {
            StepName::Number(number) => {
                let start = self.ts.get(row)?;
                Some(Step { number, start, end: start.saturating_add(self.dur.get(row)?) })
            }
            _ => None,
        })
        .collect()
    }

    fn partners(&self) -> Vec<Option<u32>> {
        let sync: Vec<bool> =
            self.interner.texts().iter().map(|text| matches!(text.as_str(), "Event Sync" | "Context Sync")).collect();
        partners(
            self.index.len(),
            |row| self.correlation.get(row),
            |row| self.stream.present()[row],
            |row| self.name.get(row).is_some_and(|name| sync[name as usize]),
        )
    }

    /// On the CPU by time, on the GPU by the launch.
    fn iterations(&self, clock: &Clock, partner: &[Option<u32>], compat: Compat) -> Ids {
        let cpu_op = self.interner.texts().iter().position(|text| text == "cpu_op").map(|symbol| symbol as u32);
        let stream = &self.stream;
        // Triton's operators run on the CPU and carry the stream they launch on.
        let by_time = |row: usize| match stream.get(row) {
            None => true,
            // Differs from HTA: it goes by time for stream 0 only, and loses such operators on other streams.
            Some(stream) => Some(self.cat[row]) == cpu_op && (stream == 0 || compat == Compat::Exact),
        };
        let timed: Vec<Option<i64>> =
            (0..self.index.len()).map(|row| if by_time(row) { clock.at(self.ts.get(row)?) } else { None }).collect();
        (0..self.index.len())
            .map(|row| {
                if by_time(row) {
                    return timed[row];
                }
                // Differs from HTA: its kernels on stream 0 have no iteration, so that AMD's vanish from comparisons;
                // and it takes the event at position 0 for none.
                let lost = compat == Compat::Hta && stream.get(row) == Some(0);
                let launch = partner[row].filter(|_| !lost)? as usize;
                let hidden = compat == Compat::Hta && self.index.get(launch) == Some(0);
                if hidden { None } else { timed[launch] }
            })
            .collect()
    }

    fn span(&self, end: &Sparse<i64>) -> (i64, i64) {
        let rows = 0..self.index.len();
        let first = rows.clone().filter_map(|row| self.ts.get(row)).min().unwrap_or(0);
        (first, rows.filter_map(|row| end.get(row)).max().unwrap_or(first))
    }

    /// The symbols that are names of rows, in order of first appearance.
    fn names_used(&self) -> Vec<u32> {
        let mut seen = vec![false; self.interner.texts().len()];
        let rows = 0..self.index.len();
        rows.filter_map(|row| self.name.get(row))
            .filter(|&name| !std::mem::replace(&mut seen[name as usize], true))
            .collect()
    }

    fn frame(
        self,
        slots: Slots,
        end: Sparse<i64>,
        index_correlation: Ids,
        iteration: Ids,
        meter: &Meter,
    ) -> Result<DataFrame> {
        let Self { index, name, cat, ts, dur, pid, tid, stream, correlation, args, interner, .. } = self;
        let rows = index.len();
        let categories = Categories::shared();
        let codes = categories.codes(interner.texts().iter().map(String::as_str))?;
        let name = name.map(|symbol| codes[symbol as usize]);
        let cat: Vec<u32> = cat.iter().map(|&symbol| codes[symbol as usize]).collect();
        let time = |column: Sparse<i64>, name: &str| column.finish::<Int64Type>(name).into_column();
        let ids = |column: Ids, name: &str| column.finish(name).into_column();

        let mut columns: Vec<Column> = vec![
            ids(index, INDEX),
            categorical(name.finish::<UInt32Type>(NAME), &categories).into_column(),
            categorical(UInt32Chunked::from_vec(CAT.into(), cat), &categories).into_column(),
            time(ts, TS),
            time(dur, DUR),
            time(end, END),
            ids(pid, PID),
            ids(tid, TID),
        ];
        columns.push(ids(stream, STREAM));
        columns.push(ids(correlation, CORRELATION));
        columns.push(ids(index_correlation, INDEX_CORRELATION));
        columns.push(ids(iteration, ITERATION));
        for (cells, slot) in args.into_iter().zip(slots.into_slots()) {
            meter.check()?;
            let [first, more @ ..] = slot.columns.as_slice() else { continue };
            let Some(column) = cells.finish(first, rows, &codes, &categories) else { continue };
            let also = more.iter().map(|name| column.clone().with_name(name.as_str().into()).into_column());
            let also: Vec<Column> = also.collect();
            columns.push(column.into_column());
            columns.extend(also);
        }
        Ok(DataFrame::new(rows, columns)?)
    }
}

/// The values of a column, ascending, each once.
fn distinct(column: &Ids) -> Vec<i64> {
    let rows = 0..column.len();
    let values: std::collections::BTreeSet<i64> = rows.filter_map(|row| column.get(row)).collect();
    values.into_iter().collect()
}
