//! The sink of the reader: raw events → column builders.

#[cfg(test)]
#[path = "build_tests.rs"]
mod tests;

use super::args::{CORRELATION_SLOT, Role, STREAM_SLOT, Slots, Wanted};
use super::autograd::Autograd;
use super::builder::{ArgColumnBuilder, ColumnBuilder, IdColumnBuilder, number, symbol};
use super::interner::{Interner, RawForm};
use super::launch_configuration::LaunchRecord;
use super::time::FloatTimes;
use super::track_names::TrackNames;
use crate::Compat;
use crate::read::{Anomaly, AnomalyCounts, EventSink, Meter, Raw, RawEvent, Token, each_member};
use serde_json::Value;
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;

/// Builder of the rows of one file, or of a fragment of it: events with a duration and a category become rows.
pub struct Builder<'m> {
    pub(super) compat: Compat,
    pub(super) meter: &'m Meter,
    /// Ranks to load; parsing stops once the file names another.
    pub(super) ranks: Option<&'m [i64]>,
    /// Events already reported to the meter.
    pub(super) reported: u64,
    pub(super) wanted: &'m Wanted,
    pub(super) slots: Slots,
    pub(super) rows: Rows,
    /// `traceEvents` arrays begun so far.
    pub(super) arrays: u64,
    pub(super) merged: Merged,
}

/// For a fragment: what an earlier merge established.
#[derive(Default)]
pub(super) struct Merged {
    /// The `traceEvents` array into which the fragment was merged or from which it was seeded.
    pub(super) array: Option<u64>,
    /// The symbol in the coordinator for each symbol of the fragment.
    pub(super) symbols: Vec<u32>,
    /// How much of the fragment's texts is mapped: the result of [`Interner::merge`].
    pub(super) texts: usize,
}

/// Column builders of the rows.
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
    /// Indexed by slot; those of stream and correlation stay empty.
    pub(super) args: Vec<ArgColumnBuilder>,
    /// The launch configuration of the row that is being added.
    launch: LaunchRecord,
    pub(super) autograd: Autograd,
    pub(super) float: FloatTimes,
    /// HTA would store the starts as floats, since one is fractional or missing.
    pub(super) float_starts: bool,
    pub(super) track_names: TrackNames,
    pub(super) interner: Interner,
    pub(super) anomalies: AnomalyCounts,
}

impl<'m> Builder<'m> {
    pub(crate) fn new(compat: Compat, ranks: Option<&'m [i64]>, wanted: &'m Wanted, meter: &'m Meter) -> Self {
        let (slots, rows, merged) = (wanted.slots(), Rows::default(), Merged::default());
        Self { compat, meter, ranks, reported: 0, wanted, slots, rows, arrays: 0, merged }
    }

    /// Reports to the meter that `events` events of this builder were parsed.
    pub fn report(&mut self, events: u64) {
        self.meter.events.fetch_add(events.saturating_sub(self.reported), Ordering::Relaxed);
        self.reported = events;
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
        self.arrays += 1;
        self.meter.events.fetch_sub(std::mem::take(&mut self.reported), Ordering::Relaxed);
    }

    #[inline]
    fn event(&mut self, event: &RawEvent<'_>) {
        self.rows.float_starts |= match event.ts {
            Raw::Token(token) => token.is_float(),
            _ => true,
        };
        if !event.dur.is_null() && !event.cat.is_null() {
            self.rows.push(event, self.compat, self.wanted, &mut self.slots);
        } else {
            self.rows.leave_out(event);
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
        self.report(events);
        ControlFlow::Continue(())
    }
}

impl Rows {
    /// Notes what an event without a row says, or that it should have one.
    fn leave_out(&mut self, event: &RawEvent<'_>) {
        match event.phase {
            Some(b'X') if event.dur.is_null() => self.anomalies.note(Anomaly::NoDuration),
            Some(b'X') => self.anomalies.note(Anomaly::NoCategory),
            Some(b'B' | b'E') => self.anomalies.note(Anomaly::BeginOrEnd),
            _ => {}
        }
        if event.dur.is_null() {
            self.track_names.note(event);
        }
    }

    #[inline]
    fn push(&mut self, event: &RawEvent<'_>, compat: Compat, wanted: &Wanted, slots: &mut Slots) {
        // `Trace` is the profiler's own span.
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
            self.push_floats(event);
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
        if !self.launch.bytes().is_empty() {
            let text = self.interner.intern(self.launch.bytes(), RawForm::Launch);
            arg_column(&mut self.args, slots.launch()).push_symbol(row, text, &mut self.interner);
            self.launch.clear();
        }
        if matches!(event.cat, Raw::Text(b"cuda_profiler_range")) && !slots.infers() {
            self.counters(row, event, slots);
        }
    }

    /// Adds the times of a row as HTA reads them.
    #[inline(never)]
    fn push_floats(&mut self, event: &RawEvent<'_>) {
        let mut ignored = AnomalyCounts::default();
        let mut float = |raw| number(raw, Token::as_f64, &mut ignored).unwrap_or(0.0);
        self.float.ts.push(float(event.ts));
        self.float.dur.push(float(event.dur));
    }

    /// Sets the values of performance counters.
    #[cold]
    fn counters(&mut self, row: usize, event: &RawEvent<'_>, slots: &mut Slots) {
        each_member(event.args_text, |key, value| {
            // Known keys are among the arguments of the event.
            if slots.is_new(key)
                && let Some(slot) = slots.counter(key)
            {
                self.arg(row, usize::from(slot), value, slots);
            }
        });
    }

    /// Sets the value of an argument. Inlined, since a row has several.
    #[inline(always)]
    fn arg(&mut self, row: usize, slot: usize, value: Raw<'_>, slots: &Slots) {
        match slot {
            STREAM_SLOT => {
                // Runtime calls of ROCm have the stream "0x0", which is none for HTA; so is −1.
                let mut ignored = AnomalyCounts::default();
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
                let arg = slots.arg(slot);
                match arg.role {
                    Role::Value => {}
                    Role::Sequence | Role::ForwardThread => {
                        let mut ignored = AnomalyCounts::default();
                        let number = number(value, Token::integer, &mut ignored);
                        self.autograd.push(row, arg.role == Role::Sequence, number);
                    }
                    Role::Launch(number) => self.launch.add(number, value),
                }
                if !arg.columns.is_empty() {
                    let column = arg_column(&mut self.args, slot);
                    column.push(row, arg.kind, value, &mut self.interner, &mut self.anomalies);
                }
            }
        }
    }

    #[inline]
    fn symbol(&mut self, value: Raw<'_>) -> Option<u32> {
        symbol(value, &mut self.interner)
    }

    #[inline]
    fn number<'a, T>(&mut self, value: Raw<'a>, read: impl Fn(&Token<'a>) -> Result<T, Anomaly>) -> Option<T> {
        number(value, read, &mut self.anomalies)
    }
}

/// Returns the column of a slot.
#[inline]
fn arg_column(columns: &mut Vec<ArgColumnBuilder>, slot: usize) -> &mut ArgColumnBuilder {
    if columns.len() <= slot {
        add_columns(columns, slot);
    }
    &mut columns[slot]
}

/// Adds columns up to that of a slot.
#[cold]
#[inline(never)]
fn add_columns(columns: &mut Vec<ArgColumnBuilder>, slot: usize) {
    columns.resize_with(slot + 1, ArgColumnBuilder::default);
}
