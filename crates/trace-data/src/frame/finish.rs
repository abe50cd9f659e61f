//! Finished frames: the columns of a builder and the facts that are found on the way.

use super::args::Slot;
use super::autograd::ReadCalls;
use super::build::{Builder, Rows};
use super::builder;
use super::builder::CategoryCodes;
use super::builder::{ArgColumnBuilder, IdColumn};
use super::columns::*;
use super::derive::{Derived, Events};
use super::step_name::StepName;
use super::time::round_like_hta;
use super::track_names::TrackNames;
use crate::domain::is_device_work;
use crate::exec::fork_join::run_with_helpers;
use crate::read::{Anomaly, AnomalyCounts, Meter};
use crate::{Compat, Error, Result};
use polars::prelude::{Column, DataFrame, Int64Type, IntoColumn};

/// Begin of the names of modules.
const MODULE: &str = "nn.Module:";

/// Rows for which another thread pays off.
const ROWS_PER_THREAD: usize = if cfg!(test) { 1 } else { 5000 };

/// Result of a builder.
pub(crate) struct Built {
    /// The events.
    pub events: DataFrame,
    /// The names of the events, each once.
    pub names: Vec<String>,
    /// Iterations, ascending, each once.
    pub iterations: Vec<i64>,
    /// Names that start with `ProfilerStep` but have no number.
    pub(crate) unnumbered_steps: Vec<String>,
    /// Events that end before they start.
    pub negative: u64,
    /// Whether HTA's rounding made them so.
    pub(crate) is_rounded: bool,
    /// Anomalies inside events.
    pub anomalies: AnomalyCounts,
    /// Start of the first event.
    pub first_ts: i64,
    /// End of the last event.
    pub last_end: i64,
    /// Streams, ascending, each once.
    pub streams: Vec<i64>,
    /// Devices that ran kernels, copies or fills, ascending, each once.
    pub devices: Vec<i64>,
    /// Names of processes, devices, threads and streams.
    pub track_names: TrackNames,
    /// Known arguments of events that were not read, by the columns that they would become.
    pub unread_args: Vec<String>,
}

/// Additional bytes per row while finishing: ends, partners, iterations, and the index of partners.
const BYTES_TO_FINISH: usize = 40;

impl Builder<'_> {
    /// Returns an estimate of the additional memory of [`Self::finish`], in bytes.
    pub(crate) fn bytes_to_finish(&self) -> usize {
        self.rows.index.rows().saturating_mul(BYTES_TO_FINISH)
    }

    /// Finishes the columns on this thread and on up to `others` further ones.
    ///
    /// # Errors
    /// If the load was cancelled, or polars refuses, which no input should cause.
    pub(crate) fn finish(mut self, others: usize) -> Result<Built> {
        let meter = self.meter;
        let args = std::mem::take(&mut self.rows.args);
        let interner = std::mem::take(&mut self.rows.interner);
        let mut anomalies = std::mem::take(&mut self.rows.anomalies);
        let track_names = std::mem::take(&mut self.rows.track_names);
        let rows = self.rows.index.rows();
        let others = others.min(rows / ROWS_PER_THREAD);
        let texts = interner.texts();
        let steps: Vec<StepName> = texts.iter().map(|text| StepName::of(text)).collect();
        let codes = CategoryCodes::of(texts)?;
        if self.slots.full() {
            anomalies.note(Anomaly::TooManyArgs);
        }
        anomalies.add(interner.anomalies());
        let unread_args = self.slots.unread().iter().map(|&column| column.to_owned()).collect();
        let slots = self.slots.into_slots();
        meter.check()?;
        let args = args.into_iter().zip(&slots).collect();
        let own = || self.rows.own_columns(texts, &steps, &codes, self.compat, meter, others > 1);
        let (own, args) = run_with_helpers(others, own, args, |(cells, slot)| {
            meter.check()?;
            Ok::<_, Error>(arg_columns(cells, slot, rows, &codes))
        });
        let Own { mut columns, forward, names: used, streams, devices, span, negative, is_rounded } = own?;
        let (first_ts, last_end) = span;
        for of_one in args {
            columns.extend(of_one?);
        }
        columns.extend(forward);

        let names: Vec<String> = used.iter().map(|&symbol| texts[symbol as usize].clone()).collect();
        let mut iterations: Vec<i64> = Vec::new();
        let mut unnumbered_steps = Vec::new();
        for &symbol in &used {
            match steps[symbol as usize] {
                StepName::Number(number) => iterations.push(number),
                StepName::Unnumbered => unnumbered_steps.push(texts[symbol as usize].clone()),
                StepName::Other => {}
            }
        }
        iterations.sort_unstable();
        iterations.dedup();

        let events = DataFrame::new(rows, columns)?;
        Ok(Built {
            events,
            names,
            iterations,
            unnumbered_steps,
            negative,
            is_rounded,
            anomalies,
            first_ts,
            last_end,
            streams,
            devices,
            track_names,
            unread_args,
        })
    }
}

/// The columns that every trace has, and the facts found while making them.
struct Own {
    columns: Vec<Column>,
    /// Forward operators of backward operators, in a trace with modules.
    forward: Option<Column>,
    /// The symbols that are names of rows, in order of first appearance.
    names: Vec<u32>,
    streams: Vec<i64>,
    devices: Vec<i64>,
    span: (i64, i64),
    /// Events that end before they start.
    negative: u64,
    is_rounded: bool,
}

impl Rows {
    /// Finishes the columns that every trace has; `beside` allows a second thread.
    fn own_columns(
        self,
        texts: &[String],
        steps: &[StepName],
        codes: &CategoryCodes,
        compat: Compat,
        meter: &Meter,
        beside: bool,
    ) -> Result<Own> {
        let rows = self.index.rows();
        let mut events = Events {
            index: self.index.fill(rows),
            name: self.name.fill(rows),
            cat: builder::Column::new(self.cat, None),
            ts: self.ts.fill(rows),
            dur: self.dur.fill(rows),
            stream: self.stream.fill(rows),
            correlation: self.correlation.fill(rows),
        };
        let is_rounded = compat == Compat::Hta && self.float_starts;
        if is_rounded {
            round_like_hta(&self.float, events.ts.values_mut(), events.dur.values_mut());
        }
        let mut negative = 0;
        events.dur.each(|_, dur| negative += u64::from(dur < 0));
        let Derived { end, index_correlation, iteration, names, streams, span } =
            events.derive(texts, steps, compat, meter, beside)?;
        let Events { index, name, cat, ts, dur, stream, correlation } = events;
        let (pid, tid) = (self.pid.fill(rows), self.tid.fill(rows));
        let devices = devices(&stream, &cat, &pid, texts);
        let has_modules = names.iter().any(|&symbol| texts[symbol as usize].starts_with(MODULE));
        let calls = ReadCalls { ts: &ts, pid: &pid, tid: &tid };
        let forward = if has_modules { self.autograd.forward(&index, &calls, rows) } else { None };
        let forward = forward.map(|forward| forward.finish(INDEX_FORWARD).into_column());
        let time = |times: builder::Column<i64>, name: &str| times.finish::<Int64Type>(name).into_column();
        let columns = vec![
            index.finish(INDEX).into_column(),
            codes.finish(NAME, name).into_column(),
            codes.finish(CAT, cat).into_column(),
            time(ts, TS),
            time(dur, DUR),
            time(end, END),
            pid.finish(PID).into_column(),
            tid.finish(TID).into_column(),
            stream.finish(STREAM).into_column(),
            correlation.finish(CORRELATION).into_column(),
            index_correlation.finish(INDEX_CORRELATION).into_column(),
            iteration.finish(ITERATION).into_column(),
        ];
        Ok(Own { columns, forward, names, streams, devices, span, negative, is_rounded })
    }
}

/// Returns the devices that ran kernels, copies or fills: their processes, ascending, each once.
fn devices(stream: &IdColumn, cat: &builder::Column<u32>, pid: &IdColumn, texts: &[String]) -> Vec<i64> {
    // Few of the texts are categories.
    let mut known = vec![None; texts.len()];
    let mut is_work = |cat: u32| *known[cat as usize].get_or_insert_with(|| is_device_work(&texts[cat as usize]));
    let mut found: Vec<i64> = Vec::new();
    stream.each(|row, _| {
        if cat.get(row).is_some_and(&mut is_work)
            && let Some(device) = pid.get(row).filter(|device| !found.contains(device))
        {
            found.push(device);
        }
    });
    found.sort_unstable();
    found
}

/// Returns the columns of an argument, one under each of its names; none if it has no value anywhere.
fn arg_columns(cells: ArgColumnBuilder, slot: &Slot, rows: usize, codes: &CategoryCodes) -> Vec<Column> {
    let Some((first, others)) = slot.columns.split_first() else { return Vec::new() };
    let Some(column) = cells.finish(first, rows, codes) else { return Vec::new() };
    let column = column.into_column();
    let also = others.iter().map(|name| column.clone().with_name(name.as_str().into()));
    std::iter::once(column.clone()).chain(also).collect()
}
