//! Ranges of a rank as they were recorded: counters, operators around the launches.

use super::columns::Row;
use super::counter::{Counter, Values};
use super::paired::Paired;
use super::work::Work;
use crate::analysis::RankView;
use crate::analysis::operators::INSIDE;
use crate::callstack::RankGraph;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use crate::present::answer_frame;
use crate::{Result, Trace};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::{DataFrame, DataType, IdxCa, PlSmallStr};
use serde::{Deserialize, Serialize};

/// The ranges of one rank, by their starts; each text is stored once.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Ranges {
    texts: Vec<String>,
    /// Operators around launches, the outermost first, as indices in `texts`.
    stacks: Vec<Vec<u32>>,
    rows: Vec<Range>,
    counters: Vec<Counter>,
}

/// A range: time in ns, texts and stack as indices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Range {
    index: i64,
    launch: Option<i64>,
    dur: i64,
    name: u32,
    stack: u32,
}

impl Ranges {
    /// Reads what was recorded of ranges.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(super) fn of(view: &RankView, paired: &Paired) -> Result<Self> {
        if paired.ranges.is_empty() {
            return Ok(Self::default());
        }
        let rows = view.rank_events();
        let graph = RankGraph::of(rows, view.rows(), view.compat());
        let mut found = Interned::default();
        let ranges = cancellable(&paired.ranges).map(|&(range, launch)| {
            let stack = launch.map(|launch| graph.operators_above(rows, launch)).unwrap_or_default();
            Range {
                index: rows.index(range),
                launch: launch.map(|launch| rows.index(launch)),
                dur: rows.dur(range),
                name: found.text(rows, rows.name(range)),
                stack: found.stack(rows, stack),
            }
        });
        let rows = ranges.collect();
        let counters = counters(view.trace(), paired)?;
        Ok(Self { texts: found.texts, stacks: found.stacks, rows, counters })
    }

    /// Returns the table of a rank.
    ///
    /// # Errors
    /// If polars refuses.
    pub(super) fn frame(&self, rank: i64) -> Result<DataFrame> {
        let text = |at: &u32| self.texts[*at as usize].as_str();
        let stacks: Vec<Vec<&str>> = self.stacks.iter().map(|stack| stack.iter().map(text).collect()).collect();
        let joined: Vec<String> = stacks.iter().map(|stack| stack.join(INSIDE)).collect();
        let work = Work::of(&self.counters);
        let row = |(at, range): (usize, &Range)| Row {
            rank,
            name: &self.texts[range.name as usize],
            stack: &stacks[range.stack as usize],
            joined: &joined[range.stack as usize],
            ns: range.dur,
            flops: work.flops(at),
            bytes: work.bytes(at),
            intensity: work.intensity(at),
            index: range.index,
            launch: range.launch,
        };
        let rows: Vec<Row<'_>> = self.rows.iter().enumerate().map(row).collect();
        let mut frame = answer_frame(&rows, &Row::COLUMNS)?;
        for counter in &self.counters {
            frame.with_column(counter.values.column(&counter.name))?;
        }
        Ok(frame)
    }
}

/// Reads the counters of ranges: the numbers that no other event is known to have.
fn counters(trace: &Trace, paired: &Paired) -> Result<Vec<Counter>> {
    let is_counter = |(name, dtype): &(PlSmallStr, DataType)| {
        dtype.is_primitive_numeric() && crate::frame::columns::known(name).is_none()
    };
    let names: Vec<PlSmallStr> = trace.columns().into_iter().filter(is_counter).map(|(name, _)| name).collect();
    let ranges: Vec<u32> = paired.ranges.iter().map(|&(row, _)| row as u32).collect();
    let events = trace.frame_of(&names)?;
    let mut counters = Vec::new();
    if events.width() == 0 {
        return Ok(counters);
    }
    for column in events.take(&IdxCa::from_vec("row".into(), ranges))?.columns() {
        if column.null_count() == column.len() {
            continue;
        }
        let values = match column.dtype().is_integer() {
            true => Values::Whole(column.cast(&DataType::Int64)?.i64()?.to_vec()),
            false => Values::Fractional(column.cast(&DataType::Float64)?.f64()?.to_vec()),
        };
        counters.push(Counter { name: column.name().to_string(), values });
    }
    Ok(counters)
}

/// Texts and stacks, each once.
#[derive(Default)]
struct Interned {
    by_code: HashMap<u32, u32, FixedState>,
    texts: Vec<String>,
    by_stack: HashMap<Vec<u32>, u32, FixedState>,
    stacks: Vec<Vec<u32>>,
}

impl Interned {
    fn text(&mut self, rows: &RankEvents, code: u32) -> u32 {
        *self.by_code.entry(code).or_insert_with(|| {
            self.texts.push(rows.text(code).to_owned());
            self.texts.len() as u32 - 1
        })
    }

    fn stack(&mut self, rows: &RankEvents, codes: Vec<u32>) -> u32 {
        if let Some(&known) = self.by_stack.get(&codes) {
            return known;
        }
        let stack = codes.iter().map(|&code| self.text(rows, code)).collect();
        self.stacks.push(stack);
        let at = self.stacks.len() as u32 - 1;
        self.by_stack.insert(codes, at);
        at
    }
}
