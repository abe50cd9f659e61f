//! Questions about many events of a timeline: where a text occurs, what a selection sums up to.

use super::lane::{Key, LaneKind, LaneLocation};
use super::rank_lanes::RankLanes;
use super::shown::Timeline;
use super::view::{Columns, pack};
use crate::Result;
use crate::domain::EventKind;
use crate::exec::checkpoint::{cancellable, guarded};
use crate::frame::once_per_text;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use timeline::{Name, NameSum, Slices, Span};

/// The most events that a search lists.
const MOST_FOUND: usize = 2_000;
/// The most names that a selection lists.
const MOST_NAMES: usize = 200;

/// A selection: its sums, and the condition that its events meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selected {
    /// The reply to a front end.
    pub(super) reply: Value,
    /// The condition in the language of [`Where`](crate::filter::Where).
    pub(super) filter: String,
}

/// Adds an event to what was found.
fn push(found: &mut Slices, id: usize, level: u32, span: Span, base: i64) {
    found.start.push(span.start.saturating_sub(base));
    found.dur.push(span.dur);
    found.name.push(span.name);
    found.event.push(span.event);
    found.count.push(1);
    match found.tracks.last_mut() {
        Some([lane, at, rows]) if (*lane, *at) == (id as u32, level) => *rows += 1,
        _ => found.tracks.push([id as u32, level, 1]),
    }
}

/// The processes of the lanes of a rank, or its devices.
enum Processes {
    None,
    One(i64),
    Several,
}

impl Processes {
    fn of(lanes: &RankLanes, nests: bool) -> Self {
        let mut all = lanes.lanes.iter().filter(|lane| lane.key.kind.nests() == nests).filter_map(|lane| lane.key.pid);
        match all.next() {
            None => Self::None,
            Some(first) if all.all(|pid| pid == first) => Self::One(first),
            Some(_) => Self::Several,
        }
    }

    /// Tells whether a process differs from `pid`.
    fn has_other(&self, pid: Option<i64>) -> bool {
        match self {
            Self::None => false,
            Self::One(one) => pid != Some(*one),
            Self::Several => true,
        }
    }
}

/// The condition of steps.
const STEP: &str = "name ~ \"^ProfilerStep\"";

impl Timeline {
    /// Finds events whose name contains a text, ASCII letters in any case, and kernels whose borrowed operator does. If the output does not list all lanes, it finds lanes, too: those
    /// with exactly this label or number, else those whose label contains the text; the first event of each stands for it.
    ///
    /// # Errors
    /// If events of companions cannot be read; [`Error::Interrupted`](crate::Error::Interrupted).
    pub(super) fn search(&self, text: &str, columns: &mut Columns) -> Result<Value> {
        let wanted = text.to_ascii_lowercase();
        guarded(|| {
            let (mut count, mut names, mut found) = (0_u64, BTreeSet::new(), Slices::default());
            let of_lanes = if self.lists_some() && !wanted.is_empty() { self.lanes_with(&wanted) } else { Vec::new() };
            for &id in &of_lanes {
                let location = self.lanes[id];
                let first = self.events(location).and_then(|lane| lane.spans().next());
                let Some((level, span)) = first else { continue };
                count += 1;
                if found.len() < MOST_FOUND {
                    push(&mut found, id, level, span, self.sides[location.side].base);
                }
            }
            for (id, &location) in self.lanes.iter().enumerate().filter(|_| !wanted.is_empty()) {
                let Some(lane) = self.events(location) else { continue };
                let (lanes, base) = (&self.rank(location).lanes, self.sides[location.side].base);
                let mut matches = once_per_text(&lanes.texts, |name| name.to_ascii_lowercase().contains(&wanted));
                let of_stream = self.lane(location).key.kind == LaneKind::Stream;
                let operators = if of_stream { self.operators(location.side, self.rank(location))? } else { None };
                let borrowed = |event: u32| Some(operators.as_ref()?.above(event)?).filter(|found| found.is_borrowed);
                for (level, span) in cancellable(lane.spans()) {
                    if matches(span.name) {
                        names.insert(span.name);
                    } else if !borrowed(span.event).is_some_and(|operator| matches(operator.name)) {
                        continue;
                    }
                    count += 1;
                    if found.len() == MOST_FOUND {
                        continue;
                    }
                    push(&mut found, id, level, span, base);
                }
            }
            let tracks = found.tracks.clone();
            let mut slices = pack(found, columns);
            // Each row is one event.
            slices.pop();
            if let Some(buffers) = &mut columns.buffers {
                buffers.pop();
            }
            let mut reply = json!({ "count": count, "names": names, "tracks": tracks, "slices": slices });
            if self.lists_some() {
                reply["lanes"] = of_lanes.len().into();
            }
            Ok(reply)
        })
    }

    /// The lanes with this label or number, else those whose label contains the text, in lower case.
    fn lanes_with(&self, wanted: &str) -> Vec<usize> {
        let number = wanted.parse::<i64>().ok();
        let (mut exact, mut found) = (Vec::new(), Vec::new());
        for (id, &location) in cancellable(self.lanes.iter().enumerate()) {
            let lane = self.lane(location);
            let label = lane.label.to_ascii_lowercase();
            if label == wanted || number.is_some() && lane.key.tid == number {
                exact.push(id);
            } else if label.contains(wanted) {
                found.push(id);
            }
        }
        if exact.is_empty() { found } else { exact }
    }

    /// Sums up the events of some lanes that overlap `start..end`, relative to the bases.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub(super) fn select(&self, (start, end): (i64, i64), lanes: &[usize]) -> Result<Selected> {
        let (start, end) = (start.min(end), start.max(end));
        let mut sums: BTreeMap<Name, NameSum> = BTreeMap::new();
        let mut texts: BTreeMap<Name, &RankLanes> = BTreeMap::new();
        for &location in lanes.iter().filter_map(|&id| self.lanes.get(id)) {
            crate::exec::checkpoint::check()?;
            let Some(lane) = self.events(location) else { continue };
            let base = self.sides[location.side].base;
            let mut own = BTreeMap::new();
            let nests = self.lane(location).key.kind.nests();
            lane.sum(base.saturating_add(start), base.saturating_add(end), nests, &mut own);
            for (name, sum) in own {
                texts.entry(name).or_insert(&self.rank(location).lanes);
                let all = sums.entry(name).or_default();
                all.count += sum.count;
                all.total = all.total.saturating_add(sum.total);
                all.own = all.own.saturating_add(sum.own);
            }
        }
        let count: u64 = sums.values().map(|sum| sum.count).sum();
        let total: i64 = sums.values().fold(0, |total, sum| total.saturating_add(sum.own));
        let mut rows: Vec<(&str, NameSum)> =
            sums.iter().map(|(name, sum)| (texts.get(name).map_or("", |lanes| lanes.text(*name)), *sum)).collect();
        rows.sort_by(|one, other| other.1.total.cmp(&one.1.total).then(one.0.cmp(other.0)));
        let more = rows.len().saturating_sub(MOST_NAMES);
        rows.truncate(MOST_NAMES);
        let row = |(name, sum): &(&str, NameSum)| json!({ "name": name, "count": sum.count, "total": sum.total, "self": sum.own });
        let filter = self.condition(start..end, lanes);
        let reply = json!({
            "count": count,
            "total": total,
            "rows": rows.iter().map(row).collect::<Vec<_>>(),
            "more": more,
            "filter": filter,
        });
        Ok(Selected { reply, filter })
    }

    /// The condition of the events of some lanes that overlap a window: those of the side of the first lane.
    fn condition(&self, window: Range<i64>, lanes: &[usize]) -> String {
        let locations: Vec<LaneLocation> = lanes.iter().filter_map(|&id| self.lanes.get(id).copied()).collect();
        let side = locations.first().map_or(0, |location| location.side);
        let shown = &self.sides[side];
        let moment = |offset: i64| shown.base.saturating_add(offset).saturating_sub(shown.origin).max(0);
        let (start, end) = (moment(window.start), moment(window.end));
        let mut parts = vec![format!("ts < {end}ns and (end > {start}ns or ts >= {start}ns)")];
        let is_counter = |location: &LaneLocation| self.events(*location).is_none();
        let chosen: Vec<LaneLocation> =
            locations.into_iter().filter(|location| location.side == side && !is_counter(location)).collect();
        let all = self.lanes.iter().filter(|location| location.side == side && !is_counter(location)).count();
        if chosen.len() < all && !chosen.is_empty() {
            let mut processes = BTreeMap::new();
            let of: BTreeSet<String> =
                chosen.iter().map(|&location| self.lane_condition(location, &mut processes)).collect();
            parts.push(format!("({})", of.into_iter().collect::<Vec<_>>().join(" or ")));
        } else if shown.has_more_ranks {
            let ranks: Vec<String> = shown.ranks.iter().map(|rank| rank.info.rank.to_string()).collect();
            parts.push(format!("rank in {}", ranks.join(",")));
        }
        if let Some(filter) = &self.filter {
            parts.push(format!("({filter})"));
        }
        parts.join(" and ")
    }

    /// The condition of the events of a lane; `processes` keeps what is known of those of a rank.
    fn lane_condition(
        &self,
        location: LaneLocation,
        processes: &mut BTreeMap<(usize, usize, bool), Processes>,
    ) -> String {
        let Key { pid, tid, kind, is_sync } = self.lane(location).key;
        let equals = |column: &str, value: Option<i64>| match value {
            Some(value) => format!("{column} == {value}"),
            None => format!("{column} is null"),
        };
        let [annotation, on_device, sync] = [EventKind::ANNOTATION, EventKind::DEVICE_ANNOTATION, EventKind::SYNC];
        let steps_are_operators = self.rank(location).lanes.steps_are_operators;
        let mut parts = match kind {
            LaneKind::Annotation if steps_are_operators => {
                vec![format!("(cat == {annotation} or {STEP})"), equals("tid", tid)]
            }
            LaneKind::Annotation => vec![format!("cat == {annotation}"), equals("tid", tid)],
            LaneKind::Thread => {
                let steps = if steps_are_operators { format!(" and not {STEP}") } else { String::new() };
                vec![equals("tid", tid), format!("stream is null and not cat in {annotation},{on_device}{steps}")]
            }
            LaneKind::GpuAnnotation => vec![format!("cat == {on_device}"), equals("tid", tid)],
            LaneKind::Stream | LaneKind::Counter => {
                let what = if is_sync { "==" } else { "!=" };
                vec![equals("stream", tid), format!("cat {what} {sync}")]
            }
        };
        let of_rank = processes.entry((location.side, location.rank, kind.nests()));
        if of_rank.or_insert_with(|| Processes::of(&self.rank(location).lanes, kind.nests())).has_other(pid) {
            parts.push(equals("pid", pid));
        }
        let side = &self.sides[location.side];
        if side.has_more_ranks || side.ranks.len() > 1 {
            parts.push(format!("rank == {}", self.rank(location).info.rank));
        }
        format!("({})", parts.join(" and "))
    }
}
