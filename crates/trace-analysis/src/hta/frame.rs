//! The events of a rank as HTA has them.

use crate::analysis::RankView;
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::*;
use crate::frame::{IntColumn, RankEvents};
use crate::{Compat, Result, shorten_name};
use hta_rules::critical_path::{Frame, Row};
use regex::Regex;
use std::cell::Cell;

/// Arguments of synchronisations, which a trace need not have.
const WAIT_ON_STREAM: &str = "wait_on_stream";
const WAIT_ON_RECORD: &str = "wait_on_cuda_event_record_corr_id";
/// No place.
const NONE: u32 = u32::MAX;
/// A column is checked for cancellation once in this many rows.
const ROW_MASK: usize = 4095;

/// The rows of a view, in its order, with HTA's rounding.
pub(super) struct HtaFrame {
    events: RankEvents,
    index: IntColumn,
    ts: IntColumn,
    dur: IntColumn,
    stream: IntColumn,
    correlation: IntColumn,
    partner: IntColumn,
    wait_on_stream: Option<IntColumn>,
    wait_on_record: Option<IntColumn>,
    /// Rows of the rank, by place.
    rows: Vec<u32>,
    /// Places of the rows, or [`NONE`].
    positions: Vec<u32>,
    origin: i64,
    /// Whether times still have to be rounded.
    rounds: bool,
    loading: Vec<(String, Regex)>,
    asked: Cell<usize>,
}

impl HtaFrame {
    /// Reads the events of a view. A trace that was loaded exactly is rounded as HTA does, unless `exact_times`.
    ///
    /// # Errors
    /// If a column is missing, or the events cannot be read any more.
    pub(super) fn of(view: &RankView, loading: Vec<(String, Regex)>, exact_times: bool) -> Result<Self> {
        let all = view.all_events_with(&[WAIT_ON_STREAM, WAIT_ON_RECORD])?;
        let int = |name: &str| IntColumn::of(&all, name);
        let ts = int(TS)?;
        let rounds = view.compat() == Compat::Exact
            && !exact_times
            && cancellable(ts.iter()).any(|ts| ts.is_some_and(|ts| ts % 1000 != 0));
        let mut positions = vec![NONE; all.height()];
        let mut rows = Vec::with_capacity(view.rows().len());
        for &row in cancellable(view.rows()) {
            // HTA has a kernel of two launches twice, and fails at it.
            if positions[row as usize] == NONE {
                positions[row as usize] = rows.len() as u32;
                rows.push(row);
            }
        }
        let origin = if rounds { round(view.origin(), 0).0 } else { view.origin() };
        Ok(Self {
            events: view.rank_events().clone(),
            index: int(INDEX)?,
            ts,
            dur: int(DUR)?,
            stream: int(STREAM)?,
            correlation: int(CORRELATION)?,
            partner: int(INDEX_CORRELATION)?,
            wait_on_stream: int(WAIT_ON_STREAM).ok(),
            wait_on_record: int(WAIT_ON_RECORD).ok(),
            rows,
            positions,
            origin,
            rounds,
            loading,
            asked: Cell::new(0),
        })
    }

    /// Unwinds now and then if the call is cancelled.
    #[inline]
    pub(super) fn checkpoint(&self) {
        let asked = self.asked.get();
        self.asked.set(asked.wrapping_add(1));
        if asked & ROW_MASK == 0 {
            _ = cancellable([()]).next();
        }
    }
}

impl Frame for HtaFrame {
    fn len(&self) -> usize {
        self.rows.len()
    }

    #[inline]
    fn row(&self, position: usize) -> Row {
        self.checkpoint();
        let row = self.rows[position] as usize;
        let (ts, dur) = (self.ts.get(row).unwrap_or(self.origin), self.dur.get(row).unwrap_or(0));
        let (ts, dur) = if self.rounds { round(ts, dur) } else { (ts, dur) };
        let (pid, tid) = self.events.thread(row);
        let correlation = self.correlation.get(row).unwrap_or(-1);
        let wait = |column: &Option<IntColumn>| column.as_ref().and_then(|column| column.get(row)).unwrap_or(-1);
        Row {
            index: self.index.get(row).unwrap_or(-1),
            name: self.events.name(row),
            cat: self.events.cat(row),
            ts: ts.saturating_sub(self.origin),
            dur,
            pid: pid.unwrap_or(-1),
            tid: tid.unwrap_or(-1),
            stream: self.stream.get(row).unwrap_or(-1),
            correlation,
            partner: self.partner.get(row).unwrap_or(correlation.min(0)),
            wait_on_stream: wait(&self.wait_on_stream),
            wait_on_record: wait(&self.wait_on_record),
        }
    }

    fn position(&self, index: i64) -> Option<usize> {
        let position = *self.positions.get(self.events.row_of(index)?)?;
        (position != NONE).then_some(position as usize)
    }

    fn text(&self, code: u32) -> &str {
        self.events.text(code)
    }

    fn short_name(&self, code: u32) -> String {
        shorten_name(self.text(code))
    }

    fn has_nodes_as_loading(&self, code: u32) -> bool {
        self.loading.iter().any(|(text, _)| self.text(code).contains(text.as_str()))
    }

    fn counts_as_loading(&self, code: u32) -> bool {
        let short = self.short_name(code);
        self.loading.iter().any(|(_, pattern)| pattern.is_match(&short))
    }
}

/// Rounds a start up and an end down to whole µs, in doubles as HTA does: an event within 1 µs lasts −1 µs.
fn round(ts: i64, dur: i64) -> (i64, i64) {
    // The nearest double, also of nanoseconds since 1970, which have more digits.
    let micros = |nanos: i64| nanos.div_euclid(1000) as f64 + nanos.rem_euclid(1000) as f64 / 1000.0;
    let (start, end) = (micros(ts).ceil(), (micros(ts) + micros(dur)).floor());
    ((start as i64).saturating_mul(1000), ((end - start) as i64).saturating_mul(1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_round_up_and_ends_down() {
        assert_eq!(round(10_200, 2_700), (11_000, 1_000));
        assert_eq!(round(10_200, 400), (11_000, -1_000));
        assert_eq!(round(10_000, 600), (10_000, 0));
        assert_eq!(round(1_695_835_585_860_632_250, 999), (1_695_835_585_860_633_000, 0));
    }
}
