//! One order of all points: by time, and of equal times each after its causes.

use super::draft::{Cause, Draft};
use super::graph::Graph;
use crate::input::check::{Check, Stopped, at_times};
use crate::input::event::NONE;
use crate::input::word::{Because, BoundBy};

/// A kernel that is later than its causes allow by more than this is unexplained, in ns; one that waited for its launch.
const LONG: i64 = 10_000;
const LONG_LATENCY: i64 = 50_000;

/// What is cut off an event by whole µs, on average, in ns.
const CUT_OFF: i64 = 500;

/// Puts the points until a moment in order and keeps the causes that are earlier in it.
pub(crate) fn in_order(draft: Draft<'_>, until: i64, check: &mut Check<'_>) -> Result<Graph, Stopped> {
    let all = draft.points();
    let mut order: Vec<u32> = (0..all as u32).filter(|&point| draft.ts(point) <= until).collect();
    let count = order.len();
    // Threads and streams are runs that are in order already, which the sort makes use of.
    order.sort_by_key(|&point| draft.ts(point));
    check()?;
    let mut writer =
        Writer { position: vec![NONE; all], graph: Graph::default(), causes: Vec::new(), stack: Vec::new() };
    writer.graph.reserve(count, draft.most_causes());
    let mut start = 0;
    while start < count {
        at_times(start, check)?;
        let ts = draft.ts(order[start]);
        let length = order[start..].iter().take_while(|&&point| draft.ts(point) == ts).count();
        if length == 1 {
            writer.write(&draft, order[start]);
        } else {
            for (step, &point) in order[start..start + length].iter().enumerate() {
                at_times(step + 1, check)?;
                writer.write_after_causes(&draft, point, ts);
            }
        }
        start += length;
    }
    let mut graph = writer.graph;
    graph.first.push(graph.from.len() as u32);
    graph.numbered = writer.position;
    draft.finish(&mut graph);
    if count < all {
        graph.remove_unwritten();
    }
    Ok(graph)
}

/// Marks a point whose causes are being written.
const OPEN: u32 = NONE - 1;

struct Writer {
    /// By number of a point its place in the order; [`NONE`] before it has one.
    position: Vec<u32>,
    graph: Graph,
    causes: Vec<Cause>,
    stack: Vec<u32>,
}

impl Writer {
    /// Writes a point, before it those of its causes that have the same time.
    fn write_after_causes(&mut self, draft: &Draft<'_>, point: u32, ts: i64) {
        if self.position[point as usize] != NONE {
            return;
        }
        self.stack.push(point);
        while let Some(&top) = self.stack.last() {
            if self.position[top as usize] == NONE {
                self.position[top as usize] = OPEN;
                self.causes.clear();
                draft.causes(top, draft.span_of(top), &mut self.causes);
                let position = &self.position;
                let waits = self.causes.iter().map(|cause| cause.from);
                // A cause that is open closes a cycle: it is left out as it has no place yet.
                self.stack.extend(waits.filter(|&from| draft.ts(from) == ts && position[from as usize] == NONE));
            } else {
                if self.position[top as usize] == OPEN {
                    self.write(draft, top);
                }
                self.stack.pop();
            }
        }
    }

    /// Writes a point with its causes.
    fn write(&mut self, draft: &Draft<'_>, point: u32) {
        self.causes.clear();
        let (ts, span) = (draft.ts(point), draft.span_of(point));
        let tail = draft.causes(point, span, &mut self.causes);
        let event = draft.event(point, span);
        let (graph, position) = (&mut self.graph, &self.position);
        // Most points have one cause, which explains their time.
        if let ([cause], None) = (self.causes.as_slice(), &tail)
            && cause.cut_off.is_none()
            && position[cause.from as usize] < OPEN
            && cause.lag >= 0
            && draft.ts(cause.from) + cause.lag == ts
        {
            let from = position[cause.from as usize];
            self.position[point as usize] = graph.put(ts, event, span, &[Cause { from, ..*cause }]);
            return;
        }
        let all = self.causes.len();
        self.causes.retain(|cause| position[cause.from as usize] < OPEN && draft.ts(cause.from) <= ts);
        graph.left_out.causes += (all - self.causes.len()) as u64;
        let own = tail.map_or(0, |tail| tail.lag);
        let known = ts - own;
        // Cut lags, and find how much earlier the point could have been.
        let mut latest = i64::MIN;
        for cause in &mut self.causes {
            let most = known - draft.ts(cause.from);
            cause.is_cut = cause.lag > most;
            cause.lag = cause.lag.min(most);
            latest = latest.max(draft.ts(cause.from) + cause.lag);
        }
        let mut rest = None;
        if !self.causes.is_empty() && latest < known {
            let binds = |cause: &Cause| draft.ts(cause.from) + cause.lag == latest;
            let is_launch = self.causes.iter().any(|cause| binds(cause) && cause.because == Because::Launch);
            if known - latest > if is_launch { LONG_LATENCY } else { LONG } && draft.can_be_unexplained(point, span) {
                rest = Some((latest, event));
            } else {
                // Only the estimate that binds is known to have been too short.
                self.causes.iter_mut().filter(|cause| binds(cause)).for_each(|cause| cause.lag += known - latest);
            }
        }
        // Of causes that bind equally, an estimate that was cut is the least likely one, and the latest cause the most likely.
        self.causes.sort_by_key(|cause| (cause.is_cut, std::cmp::Reverse(draft.ts(cause.from))));
        for cause in &mut self.causes {
            let from = cause.from;
            cause.from = position[from as usize];
            if let Some((bound_by, row)) = cause.cut_off {
                let (at, span) = (draft.ts(from), draft.span_of(from));
                let of = draft.event(from, span);
                let part =
                    Cause { lag: cause.lag.min(CUT_OFF), bound_by, row, because: Because::ProgramOrder, ..*cause };
                if part.lag == cause.lag {
                    *cause = Cause { because: cause.because, ..part };
                } else {
                    cause.from = graph.put(at + part.lag, of, span, &[part]);
                    cause.lag -= part.lag;
                }
            }
        }
        let mut put = |at: i64, causes: &[Cause]| graph.put(at, event, span, causes);
        let mut single: Option<[Cause; 1]> = None;
        if let (Some((latest, row)), Some(&any)) = (rest, self.causes.first()) {
            let (bound_by, because) = (BoundBy::Unexplained, Because::Unknown);
            let from = put(latest, &self.causes);
            single = Some([Cause { from, lag: known - latest, row, bound_by, because, ..any }]);
        }
        if let Some(tail) = tail.filter(|_| !self.causes.is_empty()) {
            let from = put(known, single.as_ref().map_or(&self.causes[..], |single| &single[..]));
            single = Some([Cause { from, ..tail }]);
        }
        self.position[point as usize] = put(ts, single.as_ref().map_or(&self.causes[..], |single| &single[..]));
    }
}

impl Graph {
    /// Adds a point, whose causes are points of the graph. Returns its place.
    fn put(&mut self, at: i64, event: u32, span: u32, causes: &[Cause]) -> u32 {
        let point = self.ts.len() as u32;
        self.ts.push(at);
        self.span_of.push(span);
        self.events.push(event);
        self.first.push(self.from.len() as u32);
        for cause in causes {
            self.from.push(cause.from);
            self.lags.push(cause.lag);
            self.rows.push(cause.row);
            self.words.push((cause.bound_by, cause.because));
        }
        point
    }

    /// Makes room. More points than these are put in only where a time is unexplained, or cut to whole µs.
    fn reserve(&mut self, points: usize, causes: usize) {
        self.ts.reserve_exact(points);
        self.span_of.reserve_exact(points);
        self.events.reserve_exact(points);
        self.first.reserve_exact(points + 1);
        self.from.reserve_exact(causes);
        self.lags.reserve_exact(causes);
        self.rows.reserve_exact(causes);
        self.words.reserve_exact(causes);
    }
}
