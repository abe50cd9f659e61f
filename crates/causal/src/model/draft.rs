//! Points and their causes, before they are in order.

use super::base::{Base, is_in_graph};
use super::clock;
use super::graph::{Graph, LeftOut};
use super::hand_over::{HandOver, hand_overs};
use super::meeting::Meetings;
use super::number::{Points, RankDraft};
use super::order::in_order;
use super::stream::Kernels;
use super::thread::Threads;
use super::thread_role::ThreadRoles;
use super::wait::{Extra, Waits};
use crate::input::check::{Check, Stopped};
use crate::input::event::{DeviceKind, HostKind, NONE};
use crate::input::rank::RankInput;
use crate::input::word::{Because, BoundBy};
use crate::model::segment::{Track, Window};

/// What the own time of a CPU event is spent on, and its row.
fn own_time(rank: &RankDraft, event: u32) -> (BoundBy, u32) {
    match rank.host.get(event as usize) {
        None => (BoundBy::NotRecorded, NONE),
        Some((_, HostKind::Annotation)) => (BoundBy::Python, NONE),
        Some(&(row, HostKind::Operator)) => (BoundBy::Cpu, row),
        Some(&(row, HostKind::Loading)) => (BoundBy::DataLoading, row),
        Some(&(row, HostKind::Call(_))) => (BoundBy::CudaRuntime, row),
        Some(&(row, HostKind::Collective)) => (BoundBy::Communication, row),
        Some(&(row, HostKind::Python)) => (BoundBy::Python, row),
    }
}

/// What the time of a GPU event is spent on.
fn work(kind: DeviceKind) -> BoundBy {
    match kind {
        DeviceKind::Compute => BoundBy::Compute,
        DeviceKind::Memory => BoundBy::Memory,
        DeviceKind::Communication => BoundBy::Communication,
    }
}

/// The own time of a kernel, where times are in whole µs.
fn cut_off(rank: &RankDraft, kernel: u32) -> Option<(BoundBy, u32)> {
    let event = rank.kernel(kernel);
    rank.is_in_whole_us.then(|| (work(event.kind), event.row))
}

/// A cause of a point, not yet cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cause {
    pub(crate) from: u32,
    pub(crate) lag: i64,
    pub(crate) row: u32,
    pub(crate) bound_by: BoundBy,
    pub(crate) because: Because,
    pub(crate) is_cut: bool,
    /// Where times are in whole µs, which cuts about half a µs off an event: the own time of the event that ended at the cause, to
    /// which the first half µs of the lag belongs.
    pub(crate) cut_off: Option<(BoundBy, u32)>,
}

/// The points of all ranks and what their causes follow from.
#[derive(Debug)]
pub(crate) struct Draft<'r> {
    ranks: &'r [RankDraft],
    /// The points of ranks, behind them a time for each meeting, and the begin of the job, which is the first time of all.
    points: Points,
    bases: Vec<Base>,
    extras: Vec<Extra>,
    limits: Vec<(u32, i64)>,
    /// A bit for each point: whether it has extras or a limit.
    marks: Vec<u64>,
    meetings: Meetings,
    /// Number of the first meeting's point.
    meetings_first: u32,
    /// By meeting the place of the member that began last.
    meeting_spans: Vec<u32>,
    ahead: Vec<i64>,
    left_out: LeftOut,
}

impl Graph {
    /// Builds the graph of the ranks of a job. Time and memory grow with the number of events.
    ///
    /// Times are cut to ± 146 years; events that end before they begin have no length. Clocks of ranks that do not agree are set
    /// by their collectives.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn build(ranks: Vec<RankInput>, check: &mut Check<'_>) -> Result<Self, Stopped> {
        Self::build_for(ranks, &[], check)
    }

    /// Builds the graph as far as replays of windows need it, which are the same as those of the whole graph. What comes later is left
    /// out of it, and of [`Graph::left_out`]. Nothing is left out for a window without a thread, nor without windows.
    ///
    /// # Errors
    /// Once `check` fails.
    pub fn build_for(mut ranks: Vec<RankInput>, windows: &[Window], check: &mut Check<'_>) -> Result<Self, Stopped> {
        clock::make_valid(&mut ranks);
        let ahead = clock::ahead(&ranks);
        clock::align(&mut ranks, &ahead);
        let mut drafts = Vec::with_capacity(ranks.len());
        for mut events in ranks {
            check()?;
            // A stream that was not declared is one.
            let streams = events.device.iter().map(|event| event.stream as usize + 1).max().unwrap_or(0);
            events.device.retain(|event| event.stream != NONE);
            let threads = Threads::of(&events.host, check)?;
            let kernels = Kernels::of(&events.host, &events.device, streams.max(events.streams.len()));
            let is_in_whole_us = clock::is_in_whole_us(&events.host);
            let host = events.host.iter().map(|event| (event.row, event.kind)).collect();
            let roles = ThreadRoles::of(&events.host, &threads, &kernels);
            drafts.push(RankDraft {
                events,
                host,
                threads,
                kernels,
                roles,
                is_in_whole_us,
                host_first: 0,
                device_first: 0,
            });
        }
        let draft = Draft::of(&mut drafts, ahead, check)?;
        let until = windows.iter().map(|window| draft.needed_until(window)).max();
        in_order(draft, until.unwrap_or(i64::MAX), check)
    }
}

impl<'r> Draft<'r> {
    fn of(ranks: &'r mut [RankDraft], ahead: Vec<i64>, check: &mut Check<'_>) -> Result<Self, Stopped> {
        let mut points = Points::number(ranks);
        let mut left_out = LeftOut::default();
        let (mut bases, mut extras, mut limits) = (Vec::new(), Vec::new(), Vec::new());
        for rank in &mut *ranks {
            check()?;
            for kernel in 0..rank.kernels.event.len() as u32 {
                left_out.kernels_without_launch += u64::from(rank.launch(kernel).is_none());
            }
            let waits = Waits::of(rank, check)?;
            rank.kernels.queued = Vec::new();
            let base = Base::of(rank, &waits.held);
            extras.extend(waits.extras);
            extras.extend(waits.held.iter().map(|&(held, source)| {
                let (to, from) = (rank.kernel_start(held), rank.kernel_end(source));
                Extra { to, from, lag: base.wait(), because: Because::EventWait, owner: NONE }
            }));
            bases.push(base);
            limits.extend(waits.limits);
            left_out.waits += waits.unresolved;
            let host = &points.ts[rank.host_first as usize..rank.device_first as usize];
            for HandOver { to, from, owner } in hand_overs(rank, host, check)? {
                let lag = host[to as usize] - host[from as usize];
                let (to, from) = (rank.host_first + to, rank.host_first + from);
                extras.push(Extra { to, from, lag, because: Because::OtherThread, owner });
                limits.push((to, 0));
            }
            rank.events.host = Vec::new();
        }
        let ranks = &*ranks;
        extras.sort_by_key(|extra| (extra.to, extra.from));
        limits.sort_unstable();
        limits.dedup_by_key(|limit| limit.0);
        let mut marks = vec![0_u64; points.ts.len() / 64 + 1];
        for point in extras.iter().map(|extra| extra.to).chain(limits.iter().map(|limit| limit.0)) {
            marks[point as usize / 64] |= 1 << (point % 64);
        }
        let meetings = Meetings::of(ranks);
        left_out.collectives = meetings.apart;
        let meetings_first = points.ts.len() as u32;
        let last = |meeting: u32| {
            let start = |member: &&super::meeting::Member| ranks[member.rank as usize].kernel(member.kernel).start;
            let last = meetings.members(meeting).iter().max_by_key(start);
            last.map_or(0, |last| points.span_of(ranks[last.rank as usize].kernel_start(last.kernel)) as u32)
        };
        let meeting_spans = (0..meetings.ts.len() as u32).map(last).collect();
        let origin = points.ts.iter().copied().min();
        points.ts.extend(meetings.ts.iter().copied().filter(|_| origin.is_some()).chain(origin));
        Ok(Self {
            ranks,
            points,
            bases,
            extras,
            limits,
            marks,
            meetings,
            meetings_first,
            meeting_spans,
            ahead,
            left_out,
        })
    }

    /// The time of the last point that replays of a window need: the first one of its thread after its end.
    fn needed_until(&self, window: &Window) -> i64 {
        let track = window.thread.map(Track::Thread);
        let span = self.points.spans.iter().find(|span| span.rank == window.rank && Some(span.track) == track);
        let Some(span) = span else { return i64::MAX };
        let (_, end) = clock::aligned(window, &self.ahead);
        let points = &self.points.ts[span.first as usize..span.end as usize];
        points.get(points.partition_point(|&ts| ts <= end)).copied().unwrap_or(i64::MAX)
    }

    /// Number of points.
    pub(crate) fn points(&self) -> usize {
        self.points.ts.len()
    }

    /// About the number of causes: one for each point, a launch for each kernel, and all that comes on top.
    pub(crate) fn most_causes(&self) -> usize {
        let kernels: usize = self.ranks.iter().map(|rank| rank.kernels.event.len()).sum();
        self.points() + kernels + self.extras.len() + self.meetings.members.len()
    }

    #[inline]
    pub(crate) fn ts(&self, point: u32) -> i64 {
        self.points.ts[point as usize]
    }

    /// The row of the event that begins or ends at a point, which is in this span.
    pub(crate) fn event(&self, point: u32, span: u32) -> u32 {
        if point >= self.meetings_first {
            return NONE;
        }
        let rank = &self.ranks[self.points.spans[span as usize].rank as usize];
        match point.checked_sub(rank.device_first) {
            Some(after) => rank.kernel(after / 2).row,
            None => rank.host[rank.threads.event[(point - rank.host_first) as usize] as usize].0,
        }
    }

    pub(crate) fn span_of(&self, point: u32) -> u32 {
        match point.checked_sub(self.meetings_first) {
            Some(meeting) => self.meeting_spans.get(meeting as usize).copied().unwrap_or(0),
            None => self.points.span_of(point) as u32,
        }
    }

    /// Only kernels can begin later than everything known allows: what a thread does belongs to it.
    pub(crate) fn can_be_unexplained(&self, point: u32, span: u32) -> bool {
        point < self.meetings_first && matches!(self.points.spans[span as usize].track, Track::Stream(_))
    }

    /// Finds the causes of a point, which is in this span. Returns what comes after the last of them, always.
    pub(crate) fn causes(&self, point: u32, span: u32, causes: &mut Vec<Cause>) -> Option<Cause> {
        if let Some(meeting) = point.checked_sub(self.meetings_first) {
            if meeting as usize == self.meetings.ts.len() {
                return None;
            }
            causes.extend(self.meetings.members(meeting).iter().map(|member| Cause {
                from: self.ranks[member.rank as usize].kernel_start(member.kernel),
                lag: 0,
                row: NONE,
                bound_by: BoundBy::Communication,
                because: Because::Collective,
                is_cut: false,
                cut_off: None,
            }));
            return None;
        }
        let span = self.points.spans[span as usize];
        let rank = &self.ranks[span.rank as usize];
        match span.track {
            Track::Thread(_) => {
                // A thread begins with the job.
                let before = if point > span.first { point - 1 } else { self.points() as u32 - 1 };
                causes.push(self.program_order(rank, span.first, point, before));
                self.extras(rank, point, causes);
                None
            }
            Track::Stream(_) => {
                let kernel = (point - rank.device_first) / 2;
                if (point - rank.device_first) % 2 == 1 {
                    return self.kernel_end(span.rank, kernel, causes);
                }
                self.kernel_start(span.rank, kernel, causes);
                self.extras(rank, point, causes);
                None
            }
        }
    }

    /// The interval of a thread before a point.
    fn program_order(&self, rank: &RankDraft, first: u32, point: u32, before: u32) -> Cause {
        let (bound_by, row) = own_time(rank, rank.threads.owner[(point - rank.host_first) as usize]);
        let lag = self.ts(point) - self.ts(before);
        let limit =
            if self.is_marked(point) { self.limits.partition_point(|limit| limit.0 < point) } else { usize::MAX };
        let limit = self.limits.get(limit).filter(|limit| limit.0 == point);
        let lag = limit.map_or(lag, |limit| lag.min(limit.1));
        let cut_off = if limit.is_none() && before < point { self.ended_before(rank, first, point) } else { None };
        Cause { from: before, lag, row, bound_by, because: Because::ProgramOrder, is_cut: false, cut_off }
    }

    /// The own time of the event that ended before an interval between two events of a thread, where times are in whole µs.
    fn ended_before(&self, rank: &RankDraft, first: u32, point: u32) -> Option<(BoundBy, u32)> {
        let event = |point: u32| rank.threads.event[(point - rank.host_first) as usize];
        let ends = |point: u32| rank.threads.end_of[event(point) as usize] == point - rank.host_first;
        if !rank.is_in_whole_us || ends(point) {
            return None;
        }
        // Annotations end with the last event in them.
        let mut before = point - 1;
        while before > first
            && ends(before)
            && ends(before - 1)
            && rank.host[event(before) as usize].1 == HostKind::Annotation
            && self.ts(before - 1) == self.ts(before)
        {
            before -= 1;
        }
        ends(before).then(|| own_time(rank, event(before)))
    }

    /// Tells whether a point has extras or a limit.
    fn is_marked(&self, point: u32) -> bool {
        self.marks[point as usize / 64] & (1 << (point % 64)) != 0
    }

    /// Causes beyond those of program and stream order.
    fn extras(&self, rank: &RankDraft, point: u32, causes: &mut Vec<Cause>) {
        if !self.is_marked(point) {
            return;
        }
        let event = self.event(point, self.span_of(point));
        let first = self.extras.partition_point(|extra| extra.to < point);
        for extra in self.extras[first..].iter().take_while(|extra| extra.to == point) {
            let (bound_by, row) = match extra.because {
                Because::OtherThread => own_time(rank, extra.owner),
                Because::EventWait => (BoundBy::KernelKernelOverhead, event),
                _ => (BoundBy::Synchronization, event),
            };
            let (from, lag, because) = (extra.from, extra.lag, extra.because);
            let cut_off = rank.kernel_that_ends(from).and_then(|kernel| cut_off(rank, kernel));
            causes.push(Cause { from, lag, row, bound_by, because, is_cut: false, cut_off });
        }
    }

    fn kernel_start(&self, at: u32, kernel: u32, causes: &mut Vec<Cause>) {
        let (rank, base) = (&self.ranks[at as usize], &self.bases[at as usize]);
        let row = rank.kernel(kernel).row;
        let between = |from: u32, lag: i64, because: Because| {
            let bound_by =
                if because == Because::Launch { BoundBy::LaunchOverhead } else { BoundBy::KernelKernelOverhead };
            let cut_off = rank.kernel_that_ends(from).and_then(|kernel| cut_off(rank, kernel));
            Cause { from, lag, row, bound_by, because, is_cut: false, cut_off }
        };
        match rank.launch(kernel) {
            Some(_) if is_in_graph(rank, kernel) => {
                let follows = rank.kernels.follows[kernel as usize];
                if rank.previous(kernel) != Some(follows) {
                    causes.push(between(rank.kernel_end(follows), base.gap(rank, kernel), Because::StreamOrder));
                }
            }
            Some(launch) => {
                causes.push(between(rank.call_start(launch), base.latency(rank, kernel), Because::Launch));
            }
            None => {}
        }
        if let Some(before) = rank.previous(kernel) {
            let is_over = rank.kernel(before).end <= rank.kernel(kernel).start;
            let (from, lag) = if is_over {
                (rank.kernel_end(before), base.gap(rank, kernel))
            } else {
                // Kernels that overlap on a stream begin in order.
                (rank.kernel_start(before), 0)
            };
            causes.push(between(from, lag, Because::StreamOrder));
        }
    }

    fn kernel_end(&self, at: u32, kernel: u32, causes: &mut Vec<Cause>) -> Option<Cause> {
        let rank = &self.ranks[at as usize];
        let event = rank.kernel(kernel);
        let own = Cause {
            from: rank.kernel_start(kernel),
            lag: event.end - event.start,
            row: event.row,
            bound_by: work(event.kind),
            because: Because::ProgramOrder,
            is_cut: false,
            cut_off: None,
        };
        let meeting = self.meetings.of[at as usize][kernel as usize];
        if meeting == NONE {
            causes.push(own);
            return None;
        }
        let waits = self.meetings.waits[meeting as usize];
        let met = Cause {
            from: self.meetings_first + meeting,
            lag: event.end - self.meetings.ts[meeting as usize],
            because: Because::Collective,
            ..own
        };
        if waits == 0 {
            causes.push(met);
            return None;
        }
        causes.push(Cause { lag: waits, bound_by: BoundBy::WaitingForRank, ..met });
        Some(Cause { lag: met.lag - waits, ..met })
    }

    /// Moves to the graph what it keeps.
    pub(crate) fn finish(self, graph: &mut Graph) {
        graph.spans = self.points.spans;
        graph.ranks = self.ranks.iter().map(|rank| rank.events.rank).collect();
        graph.ahead = self.ahead;
        let causes = graph.left_out.causes;
        graph.left_out = LeftOut { causes, ..self.left_out };
    }
}
