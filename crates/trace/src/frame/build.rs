//! The sink of the reader: events → rows.

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

use super::args::{CORRELATION_SLOT, STREAM_SLOT, Slots, Wanted};
use super::builder::ColumnBuilder;
use super::builder::IdColumnBuilder;
use super::builder::{ArgColumnBuilder, number, symbol};
use super::interner::Interner;
use super::merge::Taken;
use super::time::FloatTimes;
use crate::Compat;
use crate::read::{EventSink, Meter, Odd, OddCounts, Raw, RawEvent, Token, each_arg};
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Takes events and makes rows of those that have a duration and a category.
pub(crate) struct Builder<'m> {
    pub(super) compat: Compat,
    pub(super) meter: &'m Meter,
    /// Ranks that are wanted; the reading ends when the file turns out to be another.
    pub(super) ranks: Option<&'m [i64]>,
    /// Events already told to the meter.
    pub(super) told: u64,
    pub(super) wanted: &'m Wanted,
    pub(super) slots: Slots,
    pub(super) rows: Rows,
    /// Lists of events that were begun.
    pub(super) lists: u64,
    pub(super) taken: Taken,
}

/// Columns while they grow.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) index: IdColumnBuilder,
    pub(super) name: ColumnBuilder<u32>,
    pub(super) cat: Vec<u32>,
    pub(super) ts: ColumnBuilder<i64>,
    pub(super) dur: ColumnBuilder<i64>,
    pub(super) pid: IdColumnBuilder,
    pub(super) tid: IdColumnBuilder,
    pub(super) stream: IdColumnBuilder,
    pub(super) correlation: IdColumnBuilder,
    /// By slot; those of stream and correlation stay empty.
    pub(super) args: Vec<ArgColumnBuilder>,
    pub(super) float: FloatTimes,
    /// HTA would hold the starts as floats: any of them is fractional or missing.
    pub(super) float_starts: bool,
    pub(super) interner: Interner,
    pub(super) odd: OddCounts,
}

impl<'m> Builder<'m> {
    pub(crate) fn new(compat: Compat, ranks: Option<&'m [i64]>, wanted: &'m Wanted, meter: &'m Meter) -> Self {
        let (slots, rows, taken) = (wanted.slots(), Rows::default(), Taken::default());
        Self { compat, meter, ranks, told: 0, wanted, slots, rows, lists: 0, taken }
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

    #[inline]
    fn args_known(&self) -> usize {
        self.slots.known_keys()
    }

    fn restart(&mut self) {
        self.rows = Rows::default();
        self.lists += 1;
        self.meter.events.fetch_sub(std::mem::take(&mut self.told), Ordering::Relaxed);
    }

    #[inline]
    fn event(&mut self, event: &RawEvent<'_>) {
        self.rows.float_starts |= match event.ts {
            Raw::Token(token) => token.is_float(),
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
        let row = self.index.rows();
        self.index.set(row, event.index);
        self.cat.push(cat);
        if let Some(name) = self.symbol(event.name) {
            self.name.set(row, name);
        }
        if let Some(ts) = self.number(event.ts, Token::nanos) {
            self.ts.set(row, ts);
        }
        if let Some(dur) = self.number(event.dur, Token::nanos) {
            self.dur.set(row, dur);
        }
        if compat == Compat::Hta {
            let mut ignored = OddCounts::default();
            let float = |raw, odd: &mut OddCounts| number(raw, Token::as_f64, odd).unwrap_or(0.0);
            self.float.ts.push(float(event.ts, &mut ignored));
            self.float.dur.push(float(event.dur, &mut ignored));
        }
        if let Some(pid) = self.number(event.pid, Token::integer) {
            self.pid.set(row, pid);
        }
        if let Some(tid) = self.number(event.tid, Token::integer) {
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
                if let Some(stream) = number(value, Token::integer, &mut ignored).filter(|&stream| stream >= 0) {
                    self.stream.set(row, stream);
                }
            }
            CORRELATION_SLOT => {
                if let Some(id) = self.number(value, Token::integer).filter(|&id| id != -1) {
                    self.correlation.set(row, id);
                }
            }
            _ => {
                if self.args.len() <= slot {
                    self.args.resize_with(slot + 1, ArgColumnBuilder::default);
                }
                self.args[slot].push(row, slots.kind(slot), value, &mut self.interner, &mut self.odd);
            }
        }
    }

    #[inline]
    fn symbol(&mut self, value: Raw<'_>) -> Option<u32> {
        symbol(value, &mut self.interner)
    }

    #[inline]
    fn number<'a, T>(&mut self, value: Raw<'a>, read: impl Fn(&Token<'a>) -> Result<T, Odd>) -> Option<T> {
        number(value, read, &mut self.odd)
    }
}
