//! The time of a step, divided exactly: compute, exposed communication, exposed copies, and idle time by cause.

use crate::input::event::Event;
use crate::input::kind::{Class, Kind};
use crate::input::label::LabelId;
use crate::input::window::Window;
use crate::nesting::{Call, Closing, Step, nest};
use crate::tree::nesting::{launches, main_thread, threads};
use std::collections::{BTreeMap, HashMap};

/// Why a GPU was idle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The host had not begun the launch of the next kernel; the frame of the host that ran then is named.
    Host,
    /// The call that launches the next kernel ran.
    LaunchCall,
    /// The launch had returned, and the kernel had not begun.
    LaunchLatency,
    /// The next kernel was queued before the gap began, and waited for something else: another stream, an event, a collective.
    Dependency,
    /// Behind the last kernel of the step.
    Drain,
}

/// Idle time of one cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A step, divided. The shares and the idle time add up to its length, to the ns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Division {
    /// Number of the iteration.
    pub iteration: i64,
    /// Length of the step in ns.
    pub step_ns: i64,
    /// Shares of the GPU events that run in the step, whichever step launched them; without GPU work, of the host events. Hidden
    /// events have no share.
    pub shares: Vec<Share>,
    /// Idle time by cause and frame.
    pub idle: Vec<Idle>,
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
/// Every moment has one class, the first that holds: compute, communication, copy, idle. Where a recording has no GPU work, the
/// step is divided by the innermost host event.
pub fn divide(events: &[Event], windows: &[Window]) -> Vec<Division> {
    let mut gpu: Vec<u32> = (0..events.len() as u32).filter(|&at| events[at as usize].kind.is_gpu()).collect();
    gpu.sort_by_key(|&at| (events[at as usize].start, at));
    let mut latest = i64::MIN;
    let last_end = |&at: &u32| {
        latest = latest.max(events[at as usize].end);
        latest
    };
    let reached: Vec<i64> = gpu.iter().map(last_end).collect();
    let hosts = Hosts::of(events);
    let launches = launches(events);
    let whole = [whole(events)];
    let windows = if windows.is_empty() { &whole[..] } else { windows };
    let divide = |window: &Window| {
        let sweep = Sweep { events, hosts: &hosts, launches: &launches, window: *window };
        // Those that may run in the window: begun before its end, and one up to there ends behind its begin.
        let from = reached.partition_point(|&end| end <= window.start);
        let to = gpu.partition_point(|&at| events[at as usize].start < window.end);
        if gpu.is_empty() { sweep.run_host() } else { sweep.run(&gpu[from.min(to)..to]) }
    };
    windows.iter().map(divide).collect()
}

/// The span of all events.
fn whole(events: &[Event]) -> Window {
    let start = events.iter().map(|event| event.start).min().unwrap_or(0);
    let end = events.iter().map(|event| event.end.max(event.start)).max().unwrap_or(0);
    Window { iteration: 0, start, end, thread: main_thread(events) }
}

struct Sweep<'e> {
    events: &'e [Event],
    hosts: &'e Hosts,
    launches: &'e HashMap<i64, u32>,
    window: Window,
}

impl Sweep<'_> {
    /// Sweeps the events of the window in the order of their begins.
    fn run(&self, gpu: &[u32]) -> Division {
        let window = self.window;
        let mut shares: BTreeMap<u32, i64> = BTreeMap::new();
        let mut idle: BTreeMap<(Cause, Option<LabelId>), i64> = BTreeMap::new();
        let mut running: Vec<u32> = Vec::new();
        let mut at = window.start;
        let clipped = gpu.iter().copied().filter(|&gpu| {
            let event = &self.events[gpu as usize];
            event.start < window.end && event.end > window.start && event.end > event.start
        });
        for next in clipped.map(Some).chain([None]) {
            let until = next.map_or(window.end, |next| self.events[next as usize].start.max(window.start));
            while at < until {
                if running.is_empty() {
                    self.gap((at, until), next, &mut idle);
                    at = until;
                    continue;
                }
                // Up to the first end of a running event nothing changes.
                let end = running.iter().map(|&gpu| self.events[gpu as usize].end).min().unwrap_or(until).min(until);
                self.share(&running, end - at, &mut shares);
                at = end;
                running.retain(|&gpu| self.events[gpu as usize].end > at);
            }
            running.extend(next);
        }
        let share = |(&gpu, &ns): (&u32, &i64)| {
            let event = &self.events[gpu as usize];
            class(event).map(|class| Share { row: event.row, class, ns })
        };
        Division {
            iteration: window.iteration,
            step_ns: window.end - window.start,
            shares: shares.iter().filter_map(share).collect(),
            idle: idle.into_iter().map(|((cause, frame), ns)| Idle { cause, frame, ns }).collect(),
        }
    }

    /// Divides a step without GPU work by the innermost event of the main thread; where it has none, of another thread.
    fn run_host(&self) -> Division {
        let window = self.window;
        let (mut shares, mut idle_ns) = (BTreeMap::new(), 0);
        let mut open = vec![(window.start, window.end)];
        let others = self.hosts.segments.keys().copied().filter(|thread| *thread != window.thread);
        for thread in std::iter::once(window.thread).chain(others) {
            let mut rest = Vec::new();
            for (from, to) in open {
                let mut start = from;
                self.hosts.frames(thread, from, to, |event, ns| {
                    match event.filter(|&at| !self.is_step(at)) {
                        Some(at) => *shares.entry(at).or_default() += ns,
                        None => rest.push((start, start + ns)),
                    }
                    start += ns;
                });
            }
            open = rest;
        }
        idle_ns += open.iter().map(|(from, to)| to - from).sum::<i64>();
        let share = |(at, ns): (u32, i64)| Share { row: self.events[at as usize].row, class: Class::Host, ns };
        Division {
            iteration: window.iteration,
            step_ns: window.end - window.start,
            shares: shares.into_iter().map(share).collect(),
            idle: if idle_ns > 0 { vec![Idle { cause: Cause::Host, frame: None, ns: idle_ns }] } else { Vec::new() },
        }
    }

    /// Tells whether an event is the annotation of the step itself.
    fn is_step(&self, at: u32) -> bool {
        let (event, window) = (&self.events[at as usize], &self.window);
        event.kind == Kind::Annotation
            && (event.start, event.end, event.thread) == (window.start, window.end, window.thread)
    }

    /// Gives each running event of the class that counts an equal part; what remains goes to the first ones, ns by ns.
    fn share(&self, running: &[u32], ns: i64, shares: &mut BTreeMap<u32, i64>) {
        let first = running.iter().filter_map(|&gpu| class(&self.events[gpu as usize])).min();
        let winners: Vec<u32> =
            running.iter().copied().filter(|&gpu| class(&self.events[gpu as usize]) == first).collect();
        let number = winners.len() as i64;
        for (place, gpu) in winners.into_iter().enumerate() {
            *shares.entry(gpu).or_default() += ns / number + i64::from((place as i64) < ns % number);
        }
    }

    /// Divides a gap before event `next`; `None` behind the last one.
    fn gap(&self, (from, to): (i64, i64), next: Option<u32>, idle: &mut BTreeMap<(Cause, Option<LabelId>), i64>) {
        let mut add = |cause: Cause, frame: Option<LabelId>, ns: i64| {
            if ns > 0 {
                *idle.entry((cause, frame)).or_default() += ns;
            }
        };
        let Some(next) = next else {
            add(Cause::Drain, None, to - from);
            return;
        };
        let launch = self.events[next as usize].correlation.and_then(|id| self.launches.get(&id));
        let Some(launch) = launch.map(|&at| &self.events[at as usize]) else {
            add(Cause::Dependency, None, to - from);
            return;
        };
        let called = launch.start.clamp(from, to);
        let returned = launch.end.clamp(called, to);
        self.hosts.frames(launch.thread, from, called, |event, ns| {
            add(Cause::Host, event.map(|at| self.events[at as usize].label), ns);
        });
        add(Cause::LaunchCall, None, returned - called);
        let queued = launch.end <= from;
        add(if queued { Cause::Dependency } else { Cause::LaunchLatency }, None, to - returned);
    }
}

fn class(event: &Event) -> Option<Class> {
    if let Kind::Gpu(class) = event.kind { Some(class) } else { None }
}

/// Innermost host frame of each thread over time.
struct Hosts {
    /// By thread: begins of segments, ascending, with the innermost event from there on.
    segments: BTreeMap<u32, Vec<(i64, Option<u32>)>>,
}

impl Hosts {
    fn of(events: &[Event]) -> Self {
        let segments = |calls: &Vec<Call>| {
            let mut segments: Vec<(i64, Option<u32>)> = Vec::new();
            nest(calls, Closing::OwnEnd, |step| match step {
                Step::Begins(call, _) => push(&mut segments, call.start, Some(call.row)),
                Step::Ends(call, around) => {
                    // A frame that reaches over the end of the one around it keeps that one open.
                    let end = segments.last().map_or(call.end, |&(last, _)| call.end.max(last));
                    push(&mut segments, end, around.map(|around| around.row));
                }
            });
            segments
        };
        Self { segments: threads(events, false).iter().map(|(&thread, calls)| (thread, segments(calls))).collect() }
    }

    /// Calls `found` with each frame that ran on a thread between two moments, and for how long.
    fn frames(&self, thread: u32, from: i64, to: i64, mut found: impl FnMut(Option<u32>, i64)) {
        let segments = self.segments.get(&thread).map_or(&[][..], Vec::as_slice);
        let mut at = segments.partition_point(|&(start, _)| start <= from);
        let mut frame = at.checked_sub(1).and_then(|before| segments[before].1);
        let mut start = from;
        while start < to {
            let end = segments.get(at).map_or(to, |&(next, _)| next.min(to));
            found(frame, end - start);
            frame = segments.get(at).and_then(|&(_, frame)| frame);
            (start, at) = (end, at + 1);
        }
    }
}

/// Appends a segment; an empty one before it gives way.
fn push(segments: &mut Vec<(i64, Option<u32>)>, start: i64, frame: Option<u32>) {
    segments.pop_if(|&mut (last, _)| last == start);
    segments.push((start, frame));
}
