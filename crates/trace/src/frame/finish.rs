//! Rows → a frame: what follows from all of them together, and their columns.

use super::build::{Builder, Rows};
use super::codes::Codes;
use super::columns::*;
use super::correlate::Partners;
use super::filled::Filled;
use super::ids::{FilledIds, Ids};
use super::iterations::{Clock, Step};
use super::symbols::{Step as StepName, step_number};
use super::time::round_like_hta;
use crate::read::{Meter, Odd, OddCounts};
use crate::{Compat, Result};
use hashbrown::HashSet;
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
        drop(float);

        let texts = interner.texts();
        let steps: Vec<StepName> = texts.iter().map(|text| step_number(text)).collect();
        meter.check()?;
        let (partners, (clock, end)) =
            both(side_by_side, || events.partners(texts), || (Clock::new(&events.steps(&steps)), events.ends()));
        meter.check()?;
        let (iteration, (index_correlation, streams, used)) = both(
            side_by_side,
            || events.iterations(texts, &clock, &partners, compat),
            || (events.index_correlation(&partners), distinct(&events.stream), events.names_used(texts.len())),
        );
        drop(partners);
        meter.check()?;

        let (first_ts, last_end) = span(&events.ts, &end);
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
            odd.note(Odd::TooManyArgs);
        }
        odd.add(interner.odd());
        let codes = Codes::of(texts)?;
        drop(interner);
        meter.check()?;

        let codes = &codes;
        let Events { index, name, cat, ts, dur, stream, correlation } = events;
        let time = |column: Filled<i64>, name: &'static str| -> Make<'_> {
            Box::new(move || Some(column.finish::<Int64Type>(name).into_column()))
        };
        let text = |column: Filled<u32>, name: &'static str| -> Make<'_> {
            Box::new(move || Some(codes.filled(name, column).into_column()))
        };
        let ids = |column: FilledIds, name: &'static str| -> Make<'_> {
            Box::new(move || Some(column.finish(name).into_column()))
        };
        let own = [
            ids(index, INDEX),
            text(name, NAME),
            text(cat, CAT),
            time(ts, TS),
            time(dur, DUR),
            time(end, END),
            ids(pid.fill(rows), PID),
            ids(tid.fill(rows), TID),
            ids(stream, STREAM),
            ids(correlation, CORRELATION),
            ids(index_correlation, INDEX_CORRELATION),
            ids(iteration, ITERATION),
        ];
        let slots = self.slots.into_slots();
        let args = args.into_iter().zip(&slots).filter_map(|(cells, slot)| {
            let first = slot.columns.first()?;
            let make: Make<'_> = Box::new(move || Some(cells.finish(first, rows, codes)?.into_column()));
            Some((make, slot.columns.as_slice()))
        });
        let columns = own.into_iter().map(|make| (make, [].as_slice())).chain(args).collect();
        let events = DataFrame::new(rows, made(columns, meter, side_by_side)?)?;
        Ok(Built { events, names, iterations, odd_steps, negative, odd, first_ts, last_end, streams })
    }
}

/// The columns that others follow from.
struct Events {
    index: FilledIds,
    /// As symbols, as categories are.
    name: Filled<u32>,
    cat: Filled<u32>,
    ts: Filled<i64>,
    dur: Filled<i64>,
    stream: FilledIds,
    correlation: FilledIds,
}

impl Events {
    fn rows(&self) -> usize {
        self.cat.len()
    }

    /// The ProfilerStep events, in file order.
    fn steps(&self, steps: &[StepName]) -> Vec<Step> {
        let mut found = Vec::new();
        self.name.each(|row, name| {
            if let StepName::Number(number) = steps[name as usize]
                && let (Some(start), Some(dur)) = (self.ts.get(row), self.dur.get(row))
            {
                found.push(Step { number, start, end: start.saturating_add(dur) });
            }
        });
        found
    }

    /// A row is on the GPU's side if it has a stream and a correlation id of 0 or more, or if it is a synchronisation of
    /// the GPU.
    fn partners(&self, texts: &[String]) -> Partners<impl Fn(usize, i64) -> bool + Sync> {
        let sync: Vec<bool> = texts.iter().map(|text| matches!(text.as_str(), "Event Sync" | "Context Sync")).collect();
        let is_sync = move |row: usize| self.name.get(row).is_some_and(|name| sync[name as usize]);
        Partners::of(&self.correlation, move |row, id| (id >= 0 && self.stream.has(row)) || is_sync(row))
    }

    fn index_correlation<G: Fn(usize, i64) -> bool>(&self, partners: &Partners<G>) -> FilledIds {
        let mut partner_index = Ids::default();
        self.correlation.each(|row, id| {
            if let Some(index) = partners.partner(row, id).and_then(|partner| self.index.get(partner)) {
                partner_index.set(row, index);
            }
        });
        partner_index.fill(self.rows())
    }

    /// On the CPU by time, on the GPU by the launch.
    fn iterations<G: Fn(usize, i64) -> bool>(
        &self,
        texts: &[String],
        clock: &Clock,
        partners: &Partners<G>,
        compat: Compat,
    ) -> FilledIds {
        let cpu_op = texts.iter().position(|text| text == "cpu_op").map(|symbol| symbol as u32);
        // Triton's operators run on the CPU and carry the stream they launch on.
        let by_time = |row: usize| match self.stream.get(row) {
            None => true,
            // Differs from HTA: it goes by time for stream 0 only, and loses such operators on other streams.
            Some(stream) => self.cat.get(row) == cpu_op && (stream == 0 || compat == Compat::Exact),
        };
        let launch = |row: usize| {
            // Differs from HTA: its kernels on stream 0 have no iteration, so that AMD's vanish from comparisons; and it
            // takes the event at position 0 for none.
            let lost = compat == Compat::Hta && self.stream.get(row) == Some(0);
            let launch = partners.partner(row, self.correlation.get(row).filter(|_| !lost)?)?;
            let hidden = compat == Compat::Hta && self.index.get(launch) == Some(0);
            (!hidden && by_time(launch)).then_some(launch)
        };
        let mut hand = clock.hand();
        let mut iterations = Ids::with_capacity(self.rows());
        for row in 0..self.rows() {
            let timed = if by_time(row) { Some(row) } else { launch(row) };
            let start = timed.and_then(|timed| self.ts.get(timed));
            if let Some(number) = start.and_then(|start| hand.at(start)) {
                iterations.set(row, number);
            }
        }
        iterations.fill(self.rows())
    }

    fn ends(&self) -> Filled<i64> {
        let values = self.ts.values().iter().zip(self.dur.values());
        let present = match (self.ts.present(), self.dur.present()) {
            (Some(ts), Some(dur)) => Some(ts & dur),
            (ts, dur) => ts.or(dur).cloned(),
        };
        Filled::new(values.map(|(ts, dur)| ts.saturating_add(*dur)).collect(), present)
    }

    /// The symbols that are names of rows, in order of first appearance.
    fn names_used(&self, symbols: usize) -> Vec<u32> {
        let (mut seen, mut used) = (vec![false; symbols], Vec::new());
        self.name.each(|_, name| {
            if !std::mem::replace(&mut seen[name as usize], true) {
                used.push(name);
            }
        });
        used
    }
}

/// The first start and the last end.
fn span(starts: &Filled<i64>, ends: &Filled<i64>) -> (i64, i64) {
    let (mut first, mut last) = (None, None);
    starts.each(|_, start| first = Some(first.map_or(start, |first: i64| first.min(start))));
    ends.each(|_, end| last = Some(last.map_or(end, |last: i64| last.max(end))));
    let first = first.unwrap_or(0);
    (first, last.unwrap_or(first))
}

/// How a column is made; none if it has no value.
type Make<'a> = Box<dyn FnOnce() -> Option<Column> + Send + 'a>;

/// The columns, on all cores if `side_by_side`; each again under every name but the first of those beside it.
fn made(columns: Vec<(Make<'_>, &[String])>, meter: &Meter, side_by_side: bool) -> Result<Vec<Column>> {
    let make = |(make, names): (Make<'_>, _)| meter.check().map(|()| (make(), names));
    let made: Result<Vec<_>> = if side_by_side {
        columns.into_par_iter().map(make).collect()
    } else {
        columns.into_iter().map(make).collect()
    };
    let mut columns = Vec::new();
    for (column, names) in made? {
        let Some(column) = column else { continue };
        let also = names.iter().skip(1).map(|name| column.clone().with_name(name.as_str().into()));
        let also: Vec<Column> = also.collect();
        columns.push(column);
        columns.extend(also);
    }
    Ok(columns)
}

/// Two answers, beside each other if there are cores for it.
fn both<A: Send, B: Send>(
    side_by_side: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if side_by_side { rayon::join(one, other) } else { (one(), other()) }
}

/// The values of a column, ascending, each once.
fn distinct(column: &FilledIds) -> Vec<i64> {
    let mut values: HashSet<i64, foldhash::fast::FixedState> = HashSet::default();
    column.each(|_, value| {
        values.insert(value);
    });
    let mut values: Vec<i64> = values.into_iter().collect();
    values.sort_unstable();
    values
}
