//! Columns derived from all rows together: ends, partners, iterations.

use super::builder::Column;
use super::builder::{IdColumn, IdColumnBuilder};
use super::correlate::Partners;
use super::iterations::{IterationIndex, ProfilerStep};
use super::step_name::StepName;
use crate::domain::EventKind;
use crate::exec::fork_join::join;
use crate::read::Meter;
use crate::{Compat, Result};
use hashbrown::HashSet;
use std::cell::Cell;

/// The columns from which others are derived.
pub(super) struct Events {
    pub(super) index: IdColumn,
    /// Symbols, like `cat`.
    pub(super) name: Column<u32>,
    pub(super) cat: Column<u32>,
    pub(super) ts: Column<i64>,
    pub(super) dur: Column<i64>,
    pub(super) stream: IdColumn,
    pub(super) correlation: IdColumn,
}

/// The derived columns.
pub(super) struct Derived {
    pub(super) end: Column<i64>,
    pub(super) index_correlation: IdColumn,
    pub(super) iteration: IdColumn,
    /// The symbols that are names of rows, in order of first appearance.
    pub(super) names: Vec<u32>,
    /// Streams, ascending, each once.
    pub(super) streams: Vec<i64>,
    /// The first start and the last end.
    pub(super) span: (i64, i64),
}

impl Events {
    /// Derives columns. `texts` and `steps` are indexed by symbol; `beside` allows a second thread.
    ///
    /// # Errors
    /// If the load was cancelled.
    pub(super) fn derive(
        &self,
        texts: &[String],
        steps: &[StepName],
        compat: Compat,
        meter: &Meter,
        beside: bool,
    ) -> Result<Derived> {
        let (partners, (index, end)) =
            join(beside, || self.partners(texts), || (IterationIndex::new(&self.steps(steps)), self.ends()));
        meter.check()?;
        let iterations = || self.iterations(texts, &index, &partners, compat);
        let (iteration, (index_correlation, streams, names, span)) = join(beside, iterations, || {
            let (streams, names) = (distinct(&self.stream), self.names_used(texts.len()));
            (self.index_correlation(&partners), streams, names, span(&self.ts, &end))
        });
        meter.check()?;
        Ok(Derived { end, index_correlation, iteration, names, streams, span })
    }

    fn rows(&self) -> usize {
        self.cat.len()
    }

    /// Returns the ProfilerStep events, in file order.
    fn steps(&self, steps: &[StepName]) -> Vec<ProfilerStep> {
        let mut found = Vec::new();
        self.name.each(|row, name| {
            if let StepName::Number(number) = steps[name as usize]
                && let (Some(start), Some(dur)) = (self.ts.get(row), self.dur.get(row))
            {
                found.push(ProfilerStep { number, start, end: start.saturating_add(dur) });
            }
        });
        found
    }

    /// Builds the partners. A row is on the GPU's side if it has a stream and a correlation id of 0 or more, or if it is a
    /// synchronisation of the GPU.
    fn partners(&self, texts: &[String]) -> Partners<impl Fn(usize, i64) -> bool + Sync> {
        // Two at most: comparing with them is faster than looking up each name.
        let sync: Vec<u32> = (0..).zip(texts).filter(|(_, text)| is_sync(text)).map(|(symbol, _)| symbol).collect();
        let is_sync = move |row: usize| !sync.is_empty() && self.name.get(row).is_some_and(|name| sync.contains(&name));
        Partners::of(&self.correlation, move |row, id| (id >= 0 && self.stream.has(row)) || is_sync(row))
    }

    fn index_correlation<G: Fn(usize, i64) -> bool>(&self, partners: &Partners<G>) -> IdColumn {
        let mut partner_index = IdColumnBuilder::default();
        self.correlation.each(|row, id| {
            if let Some(index) = partners.partner(row, id).and_then(|partner| self.index.get(partner)) {
                partner_index.set(row, index);
            }
        });
        partner_index.fill(self.rows())
    }

    /// Assigns iterations: on the CPU by time, on the GPU by the launch.
    fn iterations<G: Fn(usize, i64) -> bool>(
        &self,
        texts: &[String],
        index: &IterationIndex,
        partners: &Partners<G>,
        compat: Compat,
    ) -> IdColumn {
        // Few of the texts are categories.
        let known = vec![Cell::new(None); texts.len()];
        let is_operator = |cat: u32| {
            let (known, text) = (&known[cat as usize], &texts[cat as usize]);
            let find = || match compat {
                Compat::Exact => EventKind::of_category(text) == EventKind::Operator,
                Compat::Hta => text == EventKind::OPERATOR,
            };
            let is_operator = known.get().unwrap_or_else(find);
            known.set(Some(is_operator));
            is_operator
        };
        // Triton's operators run on the CPU and carry the stream they launch on.
        let by_time = |row: usize| match self.stream.get(row) {
            None => true,
            // Differs from HTA: it goes by time for stream 0 only, and loses such operators on other streams.
            Some(stream) => (stream == 0 || compat == Compat::Exact) && self.cat.get(row).is_some_and(is_operator),
        };
        let launch = |row: usize| {
            // Differs from HTA: its kernels on stream 0 have no iteration, so that AMD's vanish from comparisons; and it
            // takes the event at position 0 for none.
            let lost = compat == Compat::Hta && self.stream.get(row) == Some(0);
            let launch = partners.partner(row, self.correlation.get(row).filter(|_| !lost)?)?;
            let hidden = compat == Compat::Hta && self.index.get(launch) == Some(0);
            (!hidden && by_time(launch)).then_some(launch)
        };
        let mut cursor = index.cursor();
        let mut iterations = IdColumnBuilder::with_capacity(self.rows());
        for row in 0..self.rows() {
            let timed = if !self.stream.has(row) || by_time(row) { Some(row) } else { launch(row) };
            let start = timed.and_then(|timed| self.ts.get(timed));
            if let Some(number) = start.and_then(|start| cursor.at(start)) {
                iterations.set(row, number);
            }
        }
        iterations.fill(self.rows())
    }

    fn ends(&self) -> Column<i64> {
        let values = self.ts.values().iter().zip(self.dur.values());
        let present = match (self.ts.present(), self.dur.present()) {
            (Some(ts), Some(dur)) => Some(ts & dur),
            (ts, dur) => ts.or(dur).cloned(),
        };
        Column::new(values.map(|(ts, dur)| ts.saturating_add(*dur)).collect(), present)
    }

    /// Returns the symbols that are names of rows, in order of first appearance.
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

/// Whether a synchronisation of this name is on the GPU's side.
fn is_sync(name: &str) -> bool {
    matches!(name, "Event Sync" | "Context Sync")
}

/// Returns the first start and the last end.
fn span(starts: &Column<i64>, ends: &Column<i64>) -> (i64, i64) {
    let (mut first, mut last) = (i64::MAX, i64::MIN);
    starts.each(|_, start| first = first.min(start));
    ends.each(|_, end| last = last.max(end));
    let first = if starts.count() == 0 { 0 } else { first };
    (first, if ends.count() == 0 { first } else { last })
}

/// Returns the values of a column, ascending, each once.
fn distinct(column: &IdColumn) -> Vec<i64> {
    let mut values: HashSet<i64, foldhash::fast::FixedState> = HashSet::default();
    column.each(|_, value| {
        values.insert(value);
    });
    let mut values: Vec<i64> = values.into_iter().collect();
    values.sort_unstable();
    values
}
