//! Rows → a frame: what follows from all of them together, and their columns.

use super::args::Slots;
use super::build::{Builder, Rows};
use super::cells::Sparse;
use super::columns::*;
use super::correlate::partners;
use super::ids::Ids;
use super::iterations::{Clock, Step};
use super::symbols::{Categories, Step as StepName, categorical, step_number};
use super::time::{FloatTimes, round_like_hta};
use crate::read::{Meter, Odd, OddCounts};
use crate::{Compat, Result};
use polars::prelude::{Column, DataFrame, Int64Type, IntoColumn, UInt32Chunked, UInt32Type};
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
        meter.check()?;
        let (partner, (clock, end)) =
            both(side_by_side, || rows.partners(), || (Clock::new(&rows.steps(&steps)), rows.ends()));
        meter.check()?;
        let (iteration, index_correlation) = both(
            side_by_side,
            || rows.iterations(&clock, &partner, compat),
            || -> Ids { partner.iter().map(|partner| partner.and_then(|row| rows.index.get(row as usize))).collect() },
        );
        drop(partner);
        meter.check()?;

        let ((first_ts, last_end), (streams, used)) =
            both(side_by_side, || rows.span(&end), || (distinct(&rows.stream), rows.names_used()));
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
        let mut odd = rows.odd.clone();
        odd.add(rows.interner.odd());
        meter.check()?;
        let events = rows.frame(self.slots, end, index_correlation, iteration, meter, side_by_side)?;
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

    fn ends(&self) -> Sparse<i64> {
        let rows = 0..self.index.len();
        rows.map(|row| Some(self.ts.get(row)?.saturating_add(self.dur.get(row)?))).collect()
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
        side_by_side: bool,
    ) -> Result<DataFrame> {
        let Self { index, name, cat, ts, dur, pid, tid, stream, correlation, args, interner, .. } = self;
        let rows = index.len();
        let categories = Categories::shared();
        let codes = categories.codes(interner.texts().iter().map(String::as_str))?;
        let (codes, categories) = (codes.as_slice(), &categories);
        let time = |column: Sparse<i64>, name: &'static str| -> Make<'_> {
            Box::new(move || Some(column.finish::<Int64Type>(name).into_column()))
        };
        let ids =
            |column: Ids, name: &'static str| -> Make<'_> { Box::new(move || Some(column.finish(name).into_column())) };
        let name = move || {
            let name = name.map(|symbol| codes[symbol as usize]);
            Some(categorical(name.finish::<UInt32Type>(NAME), categories).into_column())
        };
        let cat = move || {
            let cat: Vec<u32> = cat.iter().map(|&symbol| codes[symbol as usize]).collect();
            Some(categorical(UInt32Chunked::from_vec(CAT.into(), cat), categories).into_column())
        };
        let slots = slots.into_slots();
        let mut columns: Vec<Make<'_>> = vec![
            ids(index, INDEX),
            Box::new(name),
            Box::new(cat),
            time(ts, TS),
            time(dur, DUR),
            time(end, END),
            ids(pid, PID),
            ids(tid, TID),
            ids(stream, STREAM),
            ids(correlation, CORRELATION),
            ids(index_correlation, INDEX_CORRELATION),
            ids(iteration, ITERATION),
        ];
        for (cells, slot) in args.into_iter().zip(&slots) {
            let Some(first) = slot.columns.first() else { continue };
            columns.push(Box::new(move || Some(cells.finish(first, rows, codes, categories)?.into_column())));
        }
        let made = |make: Make<'_>| meter.check().map(|()| make());
        let made: Result<Vec<Option<Column>>> = if side_by_side {
            columns.into_par_iter().map(made).collect()
        } else {
            columns.into_iter().map(made).collect()
        };
        let mut columns = Vec::new();
        let names = std::iter::repeat_n(&[][..], OWN_COLUMNS).chain(slots.iter().map(|slot| slot.columns.as_slice()));
        for (column, names) in made?.into_iter().zip(names) {
            let Some(column) = column else { continue };
            let also = names.iter().skip(1).map(|name| column.clone().with_name(name.as_str().into()));
            let also: Vec<Column> = also.collect();
            columns.push(column);
            columns.extend(also);
        }
        Ok(DataFrame::new(rows, columns)?)
    }
}

/// Columns of a frame that are no arguments.
const OWN_COLUMNS: usize = 12;

/// How a column is made; none if it has no value.
type Make<'a> = Box<dyn FnOnce() -> Option<Column> + Send + 'a>;

/// Two answers, beside each other if there are cores for it.
fn both<A: Send, B: Send>(
    side_by_side: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if side_by_side { rayon::join(one, other) } else { (one(), other()) }
}

/// The values of a column, ascending, each once.
fn distinct(column: &Ids) -> Vec<i64> {
    let rows = 0..column.len();
    let values: std::collections::BTreeSet<i64> = rows.filter_map(|row| column.get(row)).collect();
    values.into_iter().collect()
}
