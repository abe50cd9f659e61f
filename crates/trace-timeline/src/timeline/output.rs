//! A timeline as an output of a cell: what is embedded, and the picture of it.

use super::lane::Content;
use super::lender::{Lender, identity};
use super::query::TimelineQuery;
use super::shown::Timeline;
use super::view::Columns;
use crate::filter::Where;
use crate::{LabeledTrace, SelectEvents, Trace, TraceSet};
use serde_json::{Value, json};
use timeline::Window;
use trace_view::{format, one_line_texts};

/// The most bytes of the JSON of an output, about.
const MOST_BYTES: usize = 300_000;
/// The most slices that can fit: a slice takes at least 9 bytes, in base64 12.
const MOST_SLICES: usize = MOST_BYTES / 12;
/// The version of the format, and of outputs that list only some of their lanes.
const VERSION: u64 = 1;
const VERSION_OF_SOME: u64 = 2;

impl Timeline {
    /// Returns the title: `Timeline of control, rank 3, iteration 551`.
    pub fn title(&self) -> String {
        let side = |side: &super::shown::TimelineSide| {
            let ranks: Vec<i64> = side.ranks.iter().map(|rank| rank.info.rank).collect();
            let mut title = format!("{}, {}", side.label, format::numbered("rank", &ranks));
            if let Some(iterations) = &side.iterations {
                title.push_str(&format!(", {}", format::numbered("iteration", iterations)));
            }
            title
        };
        let sides: Vec<String> = self.sides.iter().map(side).collect();
        let title = format!("Timeline of {}", sides.join(" and of "));
        match &self.filter {
            Some(filter) => format!("{title}, where {filter}"),
            None => title,
        }
    }

    /// Returns what there is, in one line: `12,345 events in 14 lanes over 1.23 s`, and the remarks of the query.
    pub fn summary(&self) -> String {
        let (start, end) = self.extent;
        let summary = format!(
            "{} events in {} lanes over {}",
            format::grouped(self.event_count() as i64),
            self.lanes.len(),
            format::nanoseconds(end.saturating_sub(start))
        );
        std::iter::once(summary).chain(self.remarks.iter().cloned()).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the content of `application/vnd.tracebook.timeline.v1+json`, at most about 300 kB, of at most 1,000 lanes.
    pub fn to_json(&self) -> Value {
        let (start, end) = self.extent;
        let lanes: Vec<Value> = self.listed.iter().map(|&id| self.lane_json(id)).collect();
        let mut output = json!({
            "version": VERSION,
            "title": self.title(),
            "summary": self.summary(),
            "sides": self.sides.iter().map(|side| json!({ "label": side.label, "base": side.base.to_string() })).collect::<Vec<_>>(),
            "start": start,
            "end": end,
            "shown": { "start": self.shown.0, "end": self.shown.1 },
            "lanes": lanes,
            "open": self.open(),
        });
        if self.lists_some() {
            output["version"] = VERSION_OF_SOME.into();
            output["lane_count"] = self.lanes.len().into();
        }
        let around = output.to_string().len();
        output["view"] = self.embedded(MOST_BYTES.saturating_sub(around).max(MOST_BYTES / 4));
        one_line_texts(&mut output);
        output
    }

    /// Whether an output lists only some lanes.
    pub(super) fn lists_some(&self) -> bool {
        self.listed.len() < self.lanes.len()
    }

    /// Returns a lane as front ends get it.
    pub(super) fn lane_json(&self, id: usize) -> Value {
        let location = self.lanes[id];
        let lane = self.lane(location);
        let (levels, events) = match &lane.content {
            Content::Events(events) => (events.levels().len(), events.len()),
            Content::Counter(series, _) => (1, series.points().len()),
        };
        let mut found = json!({
            "id": id,
            "side": location.side,
            "kind": lane.key.kind.word(),
            "label": self.label(location),
            "rank": self.rank(location).info.rank,
            "levels": levels,
            "events": events,
        });
        if let Some(group) = self.group(location) {
            found["group"] = group.title.into();
            if group.is_folded {
                found["folded"] = true.into();
            }
        }
        if let Content::Counter(series, unit) = &lane.content {
            found["unit"] = (*unit).into();
            found["max"] = series.max().into();
        }
        found
    }

    /// The finest view of the listed lanes that fits: of all events, else of three screens around what is shown.
    fn embedded(&self, most: usize) -> Value {
        let (start, end) = self.extent;
        let every = |base: i64| Window::new(base, base.saturating_add(start), base.saturating_add(end), u32::MAX);
        let lanes = &self.listed;
        let exact = self.look_at(every, lanes, MOST_SLICES);
        if exact.window.size() == 1 && exact.slices.len() <= MOST_SLICES {
            let view = self.encoded(exact);
            if view.1 <= most {
                return view.0;
            }
        }
        let length = self.shown.1.saturating_sub(self.shown.0);
        let three = (self.shown.0.saturating_sub(length).max(start), self.shown.1.saturating_add(length).min(end));
        let mut columns = 1 << 14;
        loop {
            let view = self.look(three, columns, lanes, MOST_SLICES);
            if view.slices.len() <= MOST_SLICES || columns == 1 {
                let view = self.encoded(view);
                if view.1 <= most || columns == 1 {
                    return view.0;
                }
            }
            columns /= 2;
        }
    }

    /// A view and its bytes.
    fn encoded(&self, view: super::view::View) -> (Value, usize) {
        let view = self.view_json(view, &mut Columns::embedded(), |_| true);
        let bytes = view.to_string().len();
        (view, bytes)
    }

    /// What a front end sends to open a conversation about this timeline.
    fn open(&self) -> Value {
        let side = |side: &super::shown::TimelineSide| {
            json!({
                "label": side.label,
                "ranks": side.ranks.iter().map(|rank| rank.info.rank).collect::<Vec<_>>(),
                "iterations": side.iterations,
                "identity": identity(side.ranks.iter().map(|rank| rank.info.as_ref())),
            })
        };
        let mut open = json!({
            "version": VERSION,
            "traces": self.sides.iter().map(side).collect::<Vec<_>>(),
            "where": self.filter.as_ref().map(ToString::to_string),
        });
        if !self.lenders.is_empty() {
            open["companions"] = self.lenders.iter().map(Lender::to_json).collect();
        }
        open
    }
}

impl TimelineQuery {
    /// Returns the query of the timeline whose front end opens a conversation; `trace` finds loaded traces by label.
    ///
    /// # Errors
    /// A sentence for the user: the trace is not loaded any more, another one has its label, or the request is damaged.
    pub fn of_request(open: &Value, trace: impl Fn(&str) -> Option<TraceSet>) -> Result<Self, String> {
        let damaged = || "invalid timeline: run its cell again".to_owned();
        let sides = open["traces"].as_array().filter(|sides| (1..=2).contains(&sides.len())).ok_or_else(damaged)?;
        let mut found: Vec<(LabeledTrace, Vec<i64>, Option<Vec<i64>>)> = Vec::new();
        for side in sides {
            let label = side["label"].as_str().ok_or_else(damaged)?;
            let numbers = |value: &Value| -> Option<Vec<i64>> { value.as_array()?.iter().map(Value::as_i64).collect() };
            let ranks = numbers(&side["ranks"]).ok_or_else(damaged)?;
            let set = trace(label).ok_or_else(|| format!("{label} is not loaded: load it and run the cell again"))?;
            let shown: Vec<_> =
                ranks.iter().filter_map(|&rank| set.traces().iter().find(|trace| trace.rank() == rank)).collect();
            if side["identity"].as_str() != Some(&identity(shown.into_iter().map(Trace::info))) {
                return Err(format!("{label} is another trace than when the cell ran: run the cell again"));
            }
            found.push((LabeledTrace::new(label, set), ranks, numbers(&side["iterations"])));
        }
        let mut query = match found.as_slice() {
            [control, test] => Self::compare(&control.0, &test.0),
            [one, ..] => Self::new(&one.0),
            [] => return Err(damaged()),
        };
        for (side, (_, ranks, iterations)) in found.into_iter().enumerate() {
            query = if side == 0 { query.control_rank(ranks) } else { query.test_rank(ranks) };
            query = match iterations {
                Some(iterations) if side == 0 => query.control_iteration(iterations),
                Some(iterations) => query.test_iteration(iterations),
                None => query,
            };
        }
        let companions = open["companions"].as_array().into_iter().flatten();
        for companion in companions.filter_map(|companion| Lender::of_request(companion, &trace)) {
            query = query.companion(companion);
        }
        match open["where"].as_str().map(str::parse::<Where>) {
            Some(Ok(filter)) => Ok(query.filter(filter)),
            Some(Err(error)) => Err(error.to_string()),
            None => Ok(query),
        }
    }
}
