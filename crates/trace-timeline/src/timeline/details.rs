//! One event of a timeline: all that is recorded of it, and the arrows from and to it.

use super::lane::{Content, LaneLocation};
use super::shown::{ShownRank, Timeline};
use crate::companion::{OPERATOR, OPERATOR_SOURCE};
use crate::domain::EventKind;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::frame::columns::*;
use crate::frame::{IntColumn, READ_COLUMNS, RankEvents};
use crate::{Compat, Result};
use polars::prelude::{AnyValue, DataFrame};
use serde_json::{Value, json};
use timeline::Span;

/// Columns that a reply has besides the arguments.
const SHOWN: [&str; 4] = [NAME, TS, DUR, END];
/// The most arrows of one event.
const MOST_ARROWS: usize = 64;

impl Timeline {
    /// Returns an event with all its arguments, of work of the GPU with companions behind the operator above it and where that was recorded;
    /// `None` if the lane has no such event.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    pub(super) fn slice(&self, lane: usize, event: u32) -> Result<Option<Value>> {
        let Some(&location) = self.lanes.get(lane) else { return Ok(None) };
        let rank = self.rank(location);
        let (Some((level, span)), Some(trace)) = (self.find(location, rank, event)?, &rank.trace) else {
            return Ok(None);
        };
        let events = trace.frame()?;
        let mut args: Vec<[String; 2]> = Vec::new();
        for column in events.columns().iter().filter(|column| !SHOWN.contains(&column.name().as_str())) {
            let value = column.get(event as usize)?;
            if !matches!(value, AnyValue::Null) {
                args.push([column.name().to_string(), text(&value)]);
            }
        }
        let operators = self.operators(location.side, rank)?;
        if let Some((operators, operator)) = operators.and_then(|all| all.above(event).map(|operator| (all, operator)))
        {
            args.retain(|[key, _]| ![OPERATOR, OPERATOR_SOURCE].contains(&key.as_str()));
            let texts = [rank.lanes.text(operator.name).to_owned(), operators.source(operator)];
            args.splice(0..0, [OPERATOR, OPERATOR_SOURCE].map(str::to_owned).into_iter().zip(texts).map(Into::into));
        }
        let end = i128::from(span.start) + i128::from(span.dur);
        Ok(Some(json!({
            "lane": lane,
            "level": level,
            "event": event,
            "name": rank.lanes.text(span.name),
            "ts": span.start.to_string(),
            "dur": span.dur.to_string(),
            "end": end.to_string(),
            "start": span.start.saturating_sub(self.sides[location.side].base),
            "args": args,
        })))
    }

    /// Returns the arrows from and to an event: from callers to calls, from launches to kernels, from forward operators to their backward
    /// operators. Launches of an operator are all those inside it; the caller of a kernel is that of its launch.
    ///
    /// # Errors
    /// If the events cannot be read any more; [`Error::Interrupted`](crate::Error::Interrupted).
    pub(super) fn arrows(&self, lane: usize, event: u32) -> Result<Option<Value>> {
        let Some(&location) = self.lanes.get(lane) else { return Ok(None) };
        let rank = self.rank(location);
        let (Some((_, span)), Some(trace)) = (self.find(location, rank, event)?, &rank.trace) else { return Ok(None) };
        let names = READ_COLUMNS.iter().copied().chain([INDEX_FORWARD]).map(Into::into).collect::<Vec<_>>();
        let events = trace.frame_of(&names)?;
        let rows = trace.rank_events(&events, Compat::Exact)?;
        let pairs = guarded(|| self.pairs(location, span, &rows, &events))?;
        let end = |row: usize| self.arrow_end(location, rank, &rows, row);
        let arrow =
            |(kind, from, to): (&str, usize, usize)| Some(json!({ "kind": kind, "from": end(from)?, "to": end(to)? }));
        let arrows: Vec<Value> = pairs.into_iter().filter_map(arrow).take(MOST_ARROWS).collect();
        Ok(Some(json!({ "arrows": arrows })))
    }

    /// Kind, begin and end of each arrow, as rows.
    fn pairs(
        &self,
        location: LaneLocation,
        span: Span,
        rows: &RankEvents,
        events: &DataFrame,
    ) -> Result<Vec<(&'static str, usize, usize)>> {
        let event = span.event as usize;
        let mut pairs = Vec::new();
        if rows.is_on_device(event) {
            let launch = rows.partner(event);
            pairs.extend(launch.map(|launch| ("launch", launch, event)));
            pairs.extend(
                launch.and_then(|launch| self.caller(location, rows, launch)).map(|call| ("call", call, event)),
            );
        } else {
            pairs.extend(self.caller(location, rows, event).map(|call| ("call", call, event)));
            // The event, or what is inside it: the launches, by correlation.
            let lane = self.events(location).filter(|_| self.lane(location).key.kind.nests());
            let inside = |level: &timeline::Level<'_>| {
                let (from, to) = (level.first_from(span.start), level.first_from(span.end().max(span.start + 1)));
                (from..to).map(|at| level.event(at) as usize).collect::<Vec<_>>()
            };
            let launches = lane.into_iter().flat_map(|lane| lane.levels()).flat_map(|level| inside(&level));
            let mut launches: Vec<(i64, usize)> = launches
                .filter(|&row| rows.partner(row).is_some())
                .filter_map(|row| Some((rows.correlation(row)?, row)))
                .take(MOST_ARROWS)
                .collect();
            launches.sort_unstable();
            if !launches.is_empty() {
                let kernels = cancellable(0..rows.len()).filter(|&row| rows.is_on_device(row));
                for kernel in kernels {
                    let Some(correlation) = rows.correlation(kernel) else { continue };
                    if let Ok(found) = launches.binary_search_by_key(&correlation, |&(correlation, _)| correlation) {
                        pairs.push(("launch", launches[found].1, kernel));
                    }
                }
            }
        }
        let index = rows.index(event);
        if let Ok(forward) = IntColumn::of(events, INDEX_FORWARD) {
            let own = forward.get(event).and_then(|index| rows.row_of(index));
            pairs.extend(own.map(|forward| ("forward", forward, event)));
            let backward = cancellable(0..rows.len()).filter(|&row| forward.get(row) == Some(index));
            pairs.extend(backward.map(|row| ("forward", event, row)));
        } else if rows.kind(event) == EventKind::Operator {
            let operators = self.rank(location).forward()?;
            let row = |index: i64| rows.row_of(index);
            pairs.extend(operators.forward_of(index).filter_map(row).map(|forward| ("forward", forward, event)));
            pairs.extend(operators.backward_of(index).filter_map(row).map(|backward| ("forward", event, backward)));
        }
        Ok(pairs)
    }

    /// The call around another one on its thread, as a row; `None` if nothing is around it.
    fn caller(&self, near: LaneLocation, rows: &RankEvents, row: usize) -> Option<usize> {
        let lane = self.rank(near).lanes.lanes.get(self.rank(near).lanes.lane_of(rows, row)?)?;
        let Content::Events(events) = &lane.content else { return None };
        let start = rows.ts(row)?;
        let (level, _) = events.find(start, row as u32).filter(|_| lane.key.kind.nests())?;
        let around = events.levels().nth(level.checked_sub(1)? as usize)?;
        let at = around.first_from(start.saturating_add(1)).checked_sub(1)?;
        let span = around.span(at);
        (span.start <= start && start < span.end()).then_some(span.event as usize)
    }

    /// Where an arrow begins or ends; `None` if the event is not shown.
    fn arrow_end(&self, near: LaneLocation, rank: &ShownRank, rows: &RankEvents, row: usize) -> Option<Value> {
        let lane = rank.lanes.lane_of(rows, row)?;
        let id = self
            .lanes
            .iter()
            .position(|location| (location.side, location.rank, location.lane) == (near.side, near.rank, lane))?;
        let lane = self.events(self.lanes[id])?;
        let (level, at) = lane.find(rows.ts(row)?, row as u32)?;
        let span = lane.levels().nth(level as usize)?.span(at);
        Some(json!({
            "lane": id,
            "level": level,
            "event": row,
            "start": span.start.saturating_sub(self.sides[near.side].base),
            "dur": span.dur,
            "name": rank.lanes.text(span.name),
        }))
    }

    /// Finds an event of a lane: its level, and the event.
    fn find(&self, location: LaneLocation, rank: &ShownRank, event: u32) -> Result<Option<(u32, Span)>> {
        let (Some(lane), Some(trace)) = (self.events(location), &rank.trace) else { return Ok(None) };
        let start = IntColumn::of(&trace.frame_of(&[TS.into()])?, TS)?;
        let found = start.get(event as usize).and_then(|start| lane.find(start, event));
        Ok(found.and_then(|(level, at)| Some((level, lane.levels().nth(level as usize)?.span(at)))))
    }
}

/// The text of a value, without quotes.
fn text(value: &AnyValue<'_>) -> String {
    match value {
        AnyValue::Boolean(value) => value.to_string(),
        AnyValue::Float32(value) => value.to_string(),
        AnyValue::Float64(value) => value.to_string(),
        value => value.str_value().into_owned(),
    }
}
