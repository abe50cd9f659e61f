//! The time of a step, divided exactly: compute, exposed communication, exposed copies, and idle time by cause.

use super::cause::{Cause, Dependency};
use super::hosts::Hosts;
use crate::input::event::{Correlation, Event, launches};
use crate::input::kind::{Class, Kind};
use crate::input::label::{LabelId, Labels};
use crate::input::window::Window;
use crate::tree::nesting::main_thread;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Idle time of one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Idle {
    /// Why.
    pub cause: Cause,
    /// Innermost frame of the host that ran then; `None` between frames, and of causes other than [`Cause::Host`].
    pub frame: Option<LabelId>,
    /// Time in ns.
    pub ns: i64,
}

/// Share of an event in a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// Row of the event.
    pub row: u32,
    /// Its class.
    pub class: Class,
    /// Time in ns: where several events of the class that counts run at once, an equal part of it.
    pub ns: i64,
}

/// A piece of the exposed time of communication: in `from..to` an event has a share of `ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Piece {
    pub(super) from: i64,
    pub(super) to: i64,
    pub(super) ns: i64,
}

/// A step, divided. The shares and the idle time add up to its length, to the ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// Number of the iteration.
    pub iteration: i64,
    /// Length of the step in ns.
    pub step_ns: i64,
    /// Shares of the GPU events that run in the step, whichever step launched them; of a recording without GPU work, of the host
    /// events. Hidden events have no share.
    pub shares: Vec<Share>,
    /// Idle time by cause and frame.
    pub idle: Vec<Idle>,
    /// The pieces of the shares of communication, by row.
    pub(super) exposed: Vec<(u32, Vec<Piece>)>,
}

impl Division {
    /// Time of a class in ns.
    pub fn class_ns(&self, class: Class) -> i64 {
        self.shares.iter().filter(|share| share.class == class).map(|share| share.ns).sum()
    }

    /// Idle time in ns.
    pub fn idle_ns(&self) -> i64 {
        self.idle.iter().map(|idle| idle.ns).sum()
    }
}

/// Divides the time of each window. Without windows the whole recording is one step.
///
/// Every moment has one class, the first that holds: compute, communication, copy, idle. A step without GPU work is idle time of
/// the host, by its innermost frames; where the whole recording has no GPU work, it is divided by the innermost host events.
pub fn divide(events: &[Event], windows: &[Window], labels: &Labels) -> Vec<Division> {
    Timeline::of(events, labels).steps(windows)
}

/// Idle time by cause and frame.
pub(super) type Gaps = BTreeMap<(Cause, Option<LabelId>), i64>;

/// The events of a recording in the order in which they are swept.
pub(super) struct Timeline<'e> {
    events: &'e [Event],
    labels: &'e Labels,
    pub(super) hosts: Hosts<'e>,
    launches: HashMap<Correlation, u32>,
    /// GPU events by their begins, and the latest end up to each.
    gpu: Vec<u32>,
    ended: Vec<i64>,
    /// Calls that launch work or make a stream wait, by thread and begin; whether they make it wait.
    queued: Vec<(u32, i64, bool)>,
}

impl<'e> Timeline<'e> {
    pub(super) fn of(events: &'e [Event], labels: &'e Labels) -> Self {
        let mut gpu: Vec<u32> = (0..events.len() as u32).filter(|&at| events[at as usize].kind.is_gpu()).collect();
        gpu.sort_by_key(|&at| (events[at as usize].start, at));
        let mut last = i64::MIN;
        let latest = |&at: &u32| {
            last = last.max(events[at as usize].end);
            last
        };
        let ended = gpu.iter().map(latest).collect();
        let mut known: HashMap<LabelId, Option<bool>> = HashMap::default();
        let mut queued: Vec<(u32, i64, bool)> = Vec::new();
        for event in events.iter().filter(|event| matches!(event.kind, Kind::Launch | Kind::GraphLaunch)) {
            let wait = known.entry(event.label).or_insert_with(|| {
                let text = labels.text(event.label);
                let launches = ["Launch", "Memcpy", "Memset"].iter().any(|word| text.contains(word));
                if text.contains("WaitEvent") { Some(true) } else { launches.then_some(false) }
            });
            queued.extend(wait.map(|wait| (event.thread, event.start, wait)));
        }
        queued.sort_unstable();
        Self { events, labels, hosts: Hosts::of(events), launches: launches(events), gpu, ended, queued }
    }

    /// Divides each window; without windows the whole recording.
    pub(super) fn steps(&self, windows: &[Window]) -> Vec<Division> {
        let whole = [self.whole()];
        let windows = if windows.is_empty() { &whole[..] } else { windows };
        windows.iter().map(|window| self.step(*window)).collect()
    }

    fn step(&self, window: Window) -> Division {
        if self.between(window).next().is_some() {
            return self.sweep(window);
        }
        let (frames, rest) = self.host_frames(window);
        let (mut shares, mut idle) = (Vec::new(), Gaps::new());
        for (at, ns) in frames {
            let event = &self.events[at as usize];
            if self.gpu.is_empty() {
                shares.push(Share { row: event.row, class: Class::Host, ns });
            } else {
                *idle.entry((Cause::Host, Some(self.frame(at)))).or_default() += ns;
            }
        }
        if rest > 0 {
            *idle.entry((Cause::Host, None)).or_default() += rest;
        }
        division(window, shares, idle, Vec::new())
    }

    /// The frame that an event of the host is, whatever its inputs.
    fn frame(&self, at: u32) -> LabelId {
        self.labels.without_inputs(self.events[at as usize].label)
    }

    /// The span of all events.
    fn whole(&self) -> Window {
        let start = self.events.iter().map(|event| event.start).min().unwrap_or(0);
        let end = self.events.iter().map(|event| event.end.max(event.start)).max().unwrap_or(0);
        Window { iteration: 0, start, end, thread: main_thread(self.events) }
    }

    /// The GPU events that run in a window, by their begins.
    fn between(&self, window: Window) -> impl Iterator<Item = u32> {
        let first = self.ended.partition_point(|&end| end <= window.start);
        let behind = self.gpu.partition_point(|&gpu| self.events[gpu as usize].start < window.end);
        let all = self.gpu.get(first..behind).unwrap_or_default().iter().copied();
        all.filter(move |&gpu| {
            let event = &self.events[gpu as usize];
            event.end > window.start && event.end > event.start
        })
    }

    /// Divides a window with GPU work.
    fn sweep(&self, window: Window) -> Division {
        let mut shares: BTreeMap<u32, i64> = BTreeMap::new();
        let mut exposed: BTreeMap<u32, Vec<Piece>> = BTreeMap::new();
        let mut idle = Gaps::new();
        self.walk(window, |(from, to), moment| match moment {
            Moment::Idle { before, next } => self.gap((from, to), before, next, &mut idle),
            Moment::Busy(running) => self.share(running, to - from, |at, ns| {
                *shares.entry(at).or_default() += ns;
                if class(&self.events[at as usize]) == Some(Class::Communication) {
                    push(exposed.entry(at).or_default(), Piece { from, to, ns });
                }
            }),
        });
        let row = |at: u32| self.events[at as usize].row;
        let share =
            |(at, ns): (u32, i64)| class(&self.events[at as usize]).map(|class| Share { row: row(at), class, ns });
        let shares = shares.into_iter().filter_map(share).collect();
        division(window, shares, idle, exposed.into_iter().map(|(at, pieces)| (row(at), pieces)).collect())
    }

    /// Sweeps the events of a window in the order of their begins: visits the intervals in which nothing begins or ends.
    pub(super) fn walk(&self, window: Window, mut visit: impl FnMut((i64, i64), Moment<'_>)) {
        let mut running: Vec<u32> = Vec::new();
        // The event that ended last.
        let mut before = None;
        let mut at = window.start;
        for next in self.between(window).map(Some).chain([None]) {
            let until = next.map_or(window.end, |next| self.events[next as usize].start.max(window.start));
            while at < until {
                if running.is_empty() {
                    visit((at, until), Moment::Idle { before, next });
                    at = until;
                    continue;
                }
                // Up to the first end of a running event nothing changes.
                let end = running.iter().map(|&gpu| self.events[gpu as usize].end).min().unwrap_or(until).min(until);
                visit((at, end), Moment::Busy(&running));
                at = end;
                running.retain(|&gpu| {
                    let runs = self.events[gpu as usize].end > at;
                    if !runs {
                        before = Some(gpu);
                    }
                    runs
                });
            }
            running.extend(next);
        }
    }

    /// The innermost host events of the main thread; where it has none, of another thread; and the time without any.
    fn host_frames(&self, window: Window) -> (BTreeMap<u32, i64>, i64) {
        let mut found: BTreeMap<u32, i64> = BTreeMap::new();
        let mut open = vec![(window.start, window.end)];
        let others = self.hosts.threads().filter(|thread| *thread != window.thread);
        for thread in std::iter::once(window.thread).chain(others) {
            let mut rest = Vec::new();
            for (from, to) in open {
                let mut start = from;
                self.hosts.frames(thread, from, to, |event, ns| {
                    match event.filter(|&at| !self.is_step(at, window)) {
                        Some(at) => *found.entry(at).or_default() += ns,
                        None => rest.push((start, start + ns)),
                    }
                    start += ns;
                });
            }
            open = rest;
        }
        (found, open.iter().map(|(from, to)| to - from).sum())
    }

    /// Tells whether an event is the annotation of the step itself.
    fn is_step(&self, at: u32, window: Window) -> bool {
        let event = &self.events[at as usize];
        event.kind == Kind::Annotation
            && (event.start, event.end, event.thread) == (window.start, window.end, window.thread)
    }

    /// Gives each running event of the class that counts an equal part; what remains goes to the first ones, ns by ns.
    pub(super) fn share(&self, running: &[u32], all: i64, mut give: impl FnMut(u32, i64)) {
        let first = running.iter().filter_map(|&gpu| class(&self.events[gpu as usize])).min();
        let counts = |gpu: &u32| class(&self.events[*gpu as usize]) == first;
        let number = running.iter().filter(|gpu| counts(gpu)).count() as i64;
        for (index, &gpu) in (0..).zip(running.iter().filter(|gpu| counts(gpu))) {
            give(gpu, all / number + i64::from(index < all % number));
        }
    }

    /// Divides a gap behind event `before` and before event `next`; without a next one it is drain.
    pub(super) fn gap(&self, (from, to): (i64, i64), before: Option<u32>, next: Option<u32>, idle: &mut Gaps) {
        let mut add = |cause: Cause, frame: Option<LabelId>, ns: i64| {
            if ns > 0 {
                *idle.entry((cause, frame)).or_default() += ns;
            }
        };
        let Some(next) = next else {
            add(Cause::Drain, None, to - from);
            return;
        };
        let Some(launch) = self.launch(next).map(|at| &self.events[at as usize]) else {
            add(Cause::Dependency(Dependency::Unknown), None, to - from);
            return;
        };
        let called = launch.start.clamp(from, to);
        let returned = launch.end.clamp(called, to);
        self.hosts.frames(launch.thread, from, called, |event, ns| {
            add(Cause::Host, event.map(|at| self.frame(at)), ns);
        });
        add(Cause::LaunchCall, None, returned - called);
        let queued = launch.end <= from;
        let cause =
            if queued { Cause::Dependency(self.dependency(before, next, launch)) } else { Cause::LaunchLatency };
        add(cause, None, to - returned);
    }

    /// The event that launched a GPU event.
    pub(super) fn launch(&self, gpu: u32) -> Option<u32> {
        self.events[gpu as usize].correlation.and_then(|id| self.launches.get(&id)).copied()
    }

    /// Returns the reason why a queued event had not begun: work of another stream that ended when the gap began, else an event
    /// for which the host made its stream wait.
    fn dependency(&self, before: Option<u32>, next: u32, launch: &Event) -> Dependency {
        let before = before.map(|before| &self.events[before as usize]);
        if let Some(before) = before.filter(|before| before.thread != self.events[next as usize].thread) {
            let is_collective = before.kind == Kind::Gpu(Class::Communication);
            return if is_collective { Dependency::Collective } else { Dependency::Stream };
        }
        let behind = self.queued.partition_point(|&(thread, start, _)| (thread, start) < (launch.thread, launch.start));
        match behind.checked_sub(1).map(|last| self.queued[last]) {
            Some((thread, _, true)) if thread == launch.thread => Dependency::Event,
            _ => Dependency::Unknown,
        }
    }
}

/// Work of a GPU in an interval.
pub(super) enum Moment<'r> {
    /// Events run, in the order of their begins.
    Busy(&'r [u32]),
    /// None runs; the event that ended last, and the one that begins next.
    Idle { before: Option<u32>, next: Option<u32> },
}

/// Appends a piece; two whole ones become one.
fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    let is_whole = |piece: &Piece| piece.ns == piece.to - piece.from;
    match pieces.last_mut().filter(|last| last.to == piece.from && is_whole(last) && is_whole(&piece)) {
        Some(last) => *last = Piece { from: last.from, to: piece.to, ns: last.ns + piece.ns },
        None => pieces.push(piece),
    }
}

fn division(window: Window, shares: Vec<Share>, idle: Gaps, exposed: Vec<(u32, Vec<Piece>)>) -> Division {
    Division {
        iteration: window.iteration,
        step_ns: window.end - window.start,
        shares,
        idle: idle.into_iter().map(|((cause, frame), ns)| Idle { cause, frame, ns }).collect(),
        exposed,
    }
}

/// Class of a GPU event.
pub(super) fn class(event: &Event) -> Option<Class> {
    if let Kind::Gpu(class) = event.kind { Some(class) } else { None }
}
