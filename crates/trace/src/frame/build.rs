//! The sink of the reader: events → rows → a frame.

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

use super::cells::Sparse;
use super::columns::*;
use super::correlate::partners;
use super::iterations::{Clock, Step};
use super::keys::Keys;
use super::symbols::{Categories, Interner, Reading, Step as StepName, categorical, step_number};
use super::time::{FloatTimes, round_like_hta};
use crate::read::{EventSink, Meter, Odd, OddCounts, Raw, RawEvent, as_f64, integer, is_float, nanos};
use crate::{Compat, Result};
use polars::prelude::{
    Column, DataFrame, Float64Type, Int64Chunked, Int64Type, IntoColumn, IntoSeries, Series, UInt32Chunked, UInt32Type,
};
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
    keys: Keys,
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
    index: Vec<i64>,
    name: Sparse<u32>,
    cat: Vec<u32>,
    ts: Sparse<i64>,
    dur: Sparse<i64>,
    pid: Sparse<i64>,
    tid: Sparse<i64>,
    args: [ArgCells; DEFAULT_ARGS.len()],
    float: FloatTimes,
    /// HTA would hold the starts as floats: any of them is fractional or missing.
    float_starts: bool,
    interner: Interner,
    odd: OddCounts,
}

/// The values of one argument; only one of the three is used.
#[derive(Default)]
struct ArgCells {
    ints: Sparse<i64>,
    floats: Sparse<f64>,
    symbols: Sparse<u32>,
}

impl<'m> Builder<'m> {
    pub(crate) fn new(compat: Compat, ranks: Option<&'m [i64]>, meter: &'m Meter) -> Self {
        Self { compat, meter, ranks, told: 0, keys: Keys::new(), rows: Rows::default() }
    }

    /// How many of so many events the meter has not been told of.
    pub(crate) fn untold(&self, events: u64) -> u64 {
        events.saturating_sub(self.told)
    }
}

impl EventSink for Builder<'_> {
    #[inline]
    fn slot(&self, key: &[u8]) -> Option<usize> {
        self.keys.slot(key)
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
            self.rows.push(event, self.compat);
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
    fn push(&mut self, event: &RawEvent<'_>, compat: Compat) {
        // The span of the profiler itself.
        if matches!(event.cat, Raw::Text(b"Trace")) {
            return;
        }
        let Some(cat) = self.symbol(event.cat) else { return };
        let row = self.index.len();
        self.index.push(event.index);
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
            self.arg(row, slot, value);
        }
    }

    #[inline]
    fn arg(&mut self, row: usize, slot: usize, value: Raw<'_>) {
        match DEFAULT_ARGS[slot].kind {
            ArgKind::Int if slot == STREAM_ARG => {
                // ROCm writes streams of runtime calls as "0x0", which HTA reads as none; −1 says none, too.
                let mut ignored = OddCounts::default();
                if let Some(stream) = number(value, integer, &mut ignored).filter(|&stream| stream >= 0) {
                    self.args[slot].ints.set(row, stream);
                }
            }
            ArgKind::Int => {
                let none = |value: &i64| slot == CORRELATION_ARG && *value == -1;
                if let Some(value) = self.number(value, integer).filter(|value| !none(value)) {
                    self.args[slot].ints.set(row, value);
                }
            }
            ArgKind::Float => {
                if let Some(value) = self.number(value, as_f64) {
                    self.args[slot].floats.set(row, value);
                }
            }
            ArgKind::Text | ArgKind::Json => {
                if let Some(symbol) = self.symbol(value) {
                    self.args[slot].symbols.set(row, symbol);
                }
            }
        }
    }

    #[inline]
    fn symbol(&mut self, value: Raw<'_>) -> Option<u32> {
        let (bytes, reading) = match value {
            Raw::Null => return None,
            Raw::Text(bytes) | Raw::Token(bytes) => (bytes, Reading::Text),
            Raw::Nested(bytes) => (bytes, Reading::Json),
        };
        Some(self.interner.intern(bytes, reading, &mut self.odd))
    }

    #[inline]
    fn number<T>(&mut self, value: Raw<'_>, read: impl Fn(&[u8]) -> Result<T, Odd>) -> Option<T> {
        number(value, read, &mut self.odd)
    }
}

/// A number, also from text that holds one.
#[inline]
fn number<T>(value: Raw<'_>, read: impl Fn(&[u8]) -> Result<T, Odd>, odd: &mut OddCounts) -> Option<T> {
    let result = match value {
        Raw::Null => return None,
        Raw::Token(token) => read(token),
        Raw::Text(text) => read(text.trim_ascii()).inspect(|_| odd.note(Odd::NumberAsText)),
        Raw::Nested(_) => Err(Odd::NotANumber),
    };
    result.map_err(|kind| odd.note(kind)).ok()
}

impl Builder<'_> {
    /// The frame, and what is to be said of it.
    ///
    /// # Errors
    /// If polars refuses, which no input should bring about.
    pub(crate) fn finish(self) -> Result<Built> {
        let compat = self.compat;
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
        let partner = rows.partners();
        let iteration = rows.iterations(&clock, &partner, compat);
        let index_correlation: Sparse<i64> =
            partner.iter().map(|partner| partner.map(|row| rows.index[row as usize])).collect();
        let end: Sparse<i64> =
            (0..rows.index.len()).map(|row| Some(rows.ts.get(row)?.saturating_add(rows.dur.get(row)?))).collect();

        let (first_ts, last_end) = rows.span(&end);
        let streams = distinct(&rows.args[STREAM_ARG].ints);
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
        let odd = rows.odd.clone();
        let events = rows.frame(end, index_correlation, iteration)?;
        Ok(Built { events, names, iterations, odd_steps, negative, odd, first_ts, last_end, streams })
    }
}

impl Rows {
    fn pad(&mut self) {
        let rows = self.index.len();
        self.name.pad(rows);
        for column in [&mut self.ts, &mut self.dur, &mut self.pid, &mut self.tid] {
            column.pad(rows);
        }
        for arg in [STREAM_ARG, CORRELATION_ARG] {
            self.args[arg].ints.pad(rows);
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
            |row| self.args[CORRELATION_ARG].ints.get(row),
            |row| self.args[STREAM_ARG].ints.present()[row],
            |row| self.name.get(row).is_some_and(|name| sync[name as usize]),
        )
    }

    /// On the CPU by time, on the GPU by the launch.
    fn iterations(&self, clock: &Clock, partner: &[Option<u32>], compat: Compat) -> Sparse<i64> {
        let cpu_op = self.interner.texts().iter().position(|text| text == "cpu_op").map(|symbol| symbol as u32);
        let stream = &self.args[STREAM_ARG].ints;
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
                let hidden = compat == Compat::Hta && self.index[launch] == 0;
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

    fn frame(self, end: Sparse<i64>, index_correlation: Sparse<i64>, iteration: Sparse<i64>) -> Result<DataFrame> {
        let Self { index, mut name, cat, ts, dur, pid, tid, args, interner, .. } = self;
        let rows = index.len();
        let categories = Categories::shared();
        let codes = categories.codes(interner.texts().iter().map(String::as_str))?;
        let texts = |symbols: &mut Sparse<u32>| {
            for symbol in symbols.values_mut() {
                *symbol = codes[*symbol as usize];
            }
        };
        texts(&mut name);
        let cat: Vec<u32> = cat.iter().map(|&symbol| codes[symbol as usize]).collect();
        let int = |column: Sparse<i64>, name: &str| column.finish::<Int64Type>(name).into_column();

        let mut columns: Vec<Column> = vec![
            Int64Chunked::from_vec(INDEX.into(), index).into_column(),
            categorical(name.finish::<UInt32Type>(NAME), &categories).into_column(),
            categorical(UInt32Chunked::from_vec(CAT.into(), cat), &categories).into_column(),
            int(ts, TS),
            int(dur, DUR),
            int(end, END),
            int(pid, PID),
            int(tid, TID),
        ];
        let mut args = args.into_iter().zip(DEFAULT_ARGS);
        for (cells, arg) in args.by_ref().take(2) {
            columns.push(int(cells.ints, arg.column));
        }
        columns.push(int(index_correlation, INDEX_CORRELATION));
        columns.push(int(iteration, ITERATION));
        for (mut cells, arg) in args {
            let column: Option<Series> = match arg.kind {
                ArgKind::Int => {
                    filled(&mut cells.ints, rows).map(|ints| ints.finish::<Int64Type>(arg.column).into_series())
                }
                ArgKind::Float => {
                    filled(&mut cells.floats, rows).map(|floats| floats.finish::<Float64Type>(arg.column).into_series())
                }
                ArgKind::Text | ArgKind::Json => filled(&mut cells.symbols, rows).map(|mut symbols| {
                    texts(&mut symbols);
                    categorical(symbols.finish::<UInt32Type>(arg.column), &categories)
                }),
            };
            columns.extend(column.map(IntoColumn::into_column));
        }
        Ok(DataFrame::new(rows, columns)?)
    }
}

/// The column at full length, if any value ever arrived.
fn filled<T: Copy + Default>(column: &mut Sparse<T>, rows: usize) -> Option<Sparse<T>> {
    if column.is_empty() {
        return None;
    }
    column.pad(rows);
    Some(std::mem::take(column))
}

/// The values of a column, ascending, each once.
fn distinct(column: &Sparse<i64>) -> Vec<i64> {
    let rows = 0..column.values().len();
    let values: std::collections::BTreeSet<i64> = rows.filter_map(|row| column.get(row)).collect();
    values.into_iter().collect()
}
