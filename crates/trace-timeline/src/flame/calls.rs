//! The calls of a rank with times of their own.

use super::collector::Collector;
use super::launched::{BorrowedBoxes, Launch};
use call_tree::nesting::{Call as Nested, Closing, Step, nest, sort};
use call_tree::{Cause, Correlation, Division, Event, Kind, Labels, Recording, Window, divide, launches};
use foldhash::HashMap;
use std::collections::BTreeMap;
use timeline::Name;

/// What the widths of a flame graph are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FlameTime {
    /// Time on the CPU: the step on its thread, and what other threads run meanwhile.
    Cpu,
    /// Time of the kernels and copies that a call launched.
    Gpu,
    /// Part of the step: computation, communication that it does not hide, copies that neither hides; idle time by cause is a stack of
    /// its own. These add up to the step.
    #[default]
    Attributed,
}

impl FlameTime {
    /// The words of all of them.
    pub const WORDS: [(&'static str, Self); 3] =
        [("cpu", Self::Cpu), ("gpu", Self::Gpu), ("attributed", Self::Attributed)];

    /// Returns its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, time)| *time == self).map_or("", |(word, _)| word)
    }
}

/// Which of its calls and kernels a recording counts.
struct Selected<'r> {
    windows: &'r [Window],
    is_whole: bool,
}

impl Selected<'_> {
    fn has(&self, moment: i64) -> bool {
        self.is_whole || self.window(moment).is_some()
    }

    fn window(&self, moment: i64) -> Option<&Window> {
        let after = self.windows.partition_point(|window| window.start <= moment);
        after.checked_sub(1).map(|at| &self.windows[at]).filter(|window| moment < window.end)
    }
}

/// Tells whether the whole recording counts as one step.
fn is_whole(recording: &Recording) -> bool {
    recording.windows.is_empty() && recording.others.is_empty()
}

/// Divides the steps of a recording, for the time that is a part of the step. Without windows everything is one step; a recording whose steps
/// are all left out has none.
pub(super) fn divided(recording: &Recording, labels: &Labels, time: FlameTime) -> Vec<Division> {
    if time == FlameTime::Attributed && (is_whole(recording) || !recording.windows.is_empty()) {
        divide(&recording.events, &recording.windows, labels)
    } else {
        Vec::new()
    }
}

impl Collector<'_> {
    /// Adds the calls of a recording, whose labels are among those of its side, with its divided steps; returns the number of its steps, at
    /// least 1, and their time.
    pub(super) fn add(
        &mut self,
        recording: &Recording,
        labels: &Labels,
        time: FlameTime,
        divisions: &[Division],
    ) -> (i64, i64) {
        let is_whole = is_whole(recording);
        let selected = Selected { windows: &recording.windows, is_whole };
        match time {
            FlameTime::Cpu => self.add_cpu(recording, labels, &selected),
            FlameTime::Gpu => {
                let launches = launches(&recording.events);
                let mut own: HashMap<u32, i64> = HashMap::default();
                for event in recording.events.iter().filter(|event| event.kind.is_gpu()) {
                    let launch = event.correlation.and_then(|id| launches.get(&id));
                    let begun = launch.map_or(event.start, |&at| recording.events[at as usize].start);
                    if selected.has(begun) {
                        own.insert(event.row, (event.end - event.start).max(0));
                    }
                }
                self.add_stacks(recording, labels, &launches, &own);
            }
            FlameTime::Attributed => {
                if is_whole || !recording.windows.is_empty() {
                    let mut own: HashMap<u32, i64> = HashMap::default();
                    for share in divisions.iter().flat_map(|division| &division.shares) {
                        *own.entry(share.row).or_default() += share.ns;
                    }
                    self.add_stacks(recording, labels, &launches(&recording.events), &own);
                    self.add_idle(labels, divisions);
                }
            }
        }
        let length: i64 = match is_whole {
            true => whole(&recording.events),
            false => recording.windows.iter().map(|window| window.end - window.start).sum(),
        };
        (if is_whole { 1 } else { recording.windows.len() as i64 }, length)
    }

    /// Adds host calls with the time that is not that of calls inside them; a call ends where the call around it ends.
    fn add_cpu(&mut self, recording: &Recording, labels: &Labels, selected: &Selected<'_>) {
        for (name, thread) in threads(recording, labels, selected) {
            let mut calls = nested(&recording.events, thread);
            calls.retain(|call| selected.has(call.start));
            sort(&mut calls);
            let Some(first) = calls.first().map(|call| call.start) else { continue };
            let name = self.names.number(name);
            let top = self.push(None, name, 0, first);
            // Place among the calls, and end.
            let mut open: Vec<(u32, i64)> = Vec::new();
            nest(&calls, Closing::OwnEnd, |step| match step {
                Step::Begins(call, _) => {
                    let around = open.last().copied();
                    let end = call.end.max(call.start);
                    let end = around.map_or(end, |(_, around)| end.min(around).max(call.start));
                    let event = &recording.events[call.row as usize];
                    let name = self.name(labels, event.label);
                    let index =
                        self.push(Some(around.map_or(top, |(around, _)| around)), name, end - call.start, call.start);
                    if let Some((around, around_end)) = around {
                        self.calls.add_own(around, -(end.min(around_end) - call.start).max(0));
                    }
                    open.push((index, end));
                }
                Step::Ends(..) => drop(open.pop()),
            });
        }
    }

    /// Adds all host calls, without time, and below their launches the GPU events with theirs; host events may have time, too.
    fn add_stacks(
        &mut self,
        recording: &Recording,
        labels: &Labels,
        launches: &HashMap<Correlation, u32>,
        own: &HashMap<u32, i64>,
    ) {
        // Kernels with their launches, of one launch in their order.
        let mut launched: Vec<(u32, &Event)> = Vec::new();
        let mut alone: Vec<&Event> = Vec::new();
        for event in recording.events.iter().filter(|event| event.kind.is_gpu() && own.contains_key(&event.row)) {
            match event.correlation.and_then(|id| launches.get(&id)) {
                Some(&launch) => launched.push((launch, event)),
                None => alone.push(event),
            }
        }
        launched.sort_by_key(|&(launch, _)| launch);
        let launched_by = |launch: u32| {
            let from = launched.partition_point(|&(by, _)| by < launch);
            let count = launched[from..].iter().take_while(|&&(by, _)| by == launch).count();
            &launched[from..from + count]
        };
        let mut boxes = BorrowedBoxes::of(recording.borrowed.calls().len());
        let mut threads: Vec<u32> =
            recording.events.iter().filter(|event| !event.kind.is_gpu()).map(|event| event.thread).collect();
        threads.sort_unstable();
        threads.dedup();
        for thread in threads {
            let mut calls = nested(&recording.events, thread);
            sort(&mut calls);
            let mut open: Vec<(u32, Name)> = Vec::new();
            nest(&calls, Closing::OwnEnd, |step| match step {
                Step::Begins(call, _) => {
                    let event = &recording.events[call.row as usize];
                    let name = self.name(labels, event.label);
                    let time = own.get(&event.row).copied().unwrap_or(0);
                    let index = self.push(open.last().map(|&(around, _)| around), name, time, call.start);
                    if matches!(event.kind, Kind::Launch | Kind::GraphLaunch) {
                        let launch = Launch { index, at: call.start, open: &open, kernels: launched_by(call.row) };
                        self.add_kernels(recording, labels, own, &launch, &mut boxes);
                    }
                    open.push((index, name));
                }
                Step::Ends(..) => drop(open.pop()),
            });
        }
        if let Some(first) = alone.first() {
            let name = self.names.number("(launch not recorded)");
            let top = self.push(None, name, 0, first.start);
            for kernel in alone {
                let name = self.name(labels, kernel.label);
                let time = own.get(&kernel.row).copied().unwrap_or(0);
                self.push(Some(top), name, time, kernel.start);
            }
        }
    }

    /// Adds idle time by cause, and by the frame of the host that ran meanwhile.
    fn add_idle(&mut self, labels: &Labels, divisions: &[Division]) {
        let idle: Vec<_> = divisions.iter().flat_map(|division| &division.idle).filter(|idle| idle.ns > 0).collect();
        if idle.is_empty() {
            return;
        }
        let name = self.names.number("(idle)");
        let top = self.push(None, name, 0, i64::MAX);
        let mut causes: HashMap<&'static str, u32> = HashMap::default();
        for idle in idle {
            let word = match idle.cause {
                Cause::Host => "host",
                Cause::LaunchCall => "launch call",
                Cause::LaunchLatency => "launch latency",
                Cause::Dependency(_) => "dependency",
                Cause::Drain => "drain",
            };
            let cause = match causes.get(word) {
                Some(&cause) => cause,
                None => {
                    let name = self.names.number(word);
                    let cause = self.push(Some(top), name, 0, i64::MAX);
                    causes.insert(word, cause);
                    cause
                }
            };
            match idle.frame {
                Some(frame) => {
                    let name = self.name(labels, frame);
                    self.push(Some(cause), name, idle.ns, i64::MAX);
                }
                None => self.calls.add_own(cause, idle.ns),
            }
        }
    }
}

/// The threads with host calls, that of the steps first.
fn threads(recording: &Recording, labels: &Labels, selected: &Selected<'_>) -> Vec<(&'static str, u32)> {
    let mut found: BTreeMap<u32, bool> = BTreeMap::new();
    for event in recording.events.iter().filter(|event| !event.kind.is_gpu() && selected.has(event.start)) {
        let runs_backward = found.entry(event.thread).or_default();
        *runs_backward = *runs_backward || labels.text(event.label).starts_with("autograd::");
    }
    let windows = selected.windows.first().map(|window| window.thread);
    let main = windows.or_else(|| found.keys().next().copied());
    let mut threads: Vec<(&'static str, u32)> = found
        .into_iter()
        .map(|(thread, runs_backward)| match runs_backward {
            _ if Some(thread) == main => ("main thread", thread),
            true => ("backward thread", thread),
            false => ("other threads", thread),
        })
        .collect();
    threads.sort_by_key(|&(name, thread)| (name != "main thread", name, thread));
    threads
}

/// The host calls of a thread, with their places among the events as rows.
fn nested(events: &[Event], thread: u32) -> Vec<Nested> {
    let host = events.iter().zip(0..).filter(|(event, _)| !event.kind.is_gpu() && event.thread == thread);
    host.map(|(event, row)| Nested { start: event.start, end: event.end.max(event.start), row }).collect()
}

/// The time from the first event to the end of the last one.
fn whole(events: &[Event]) -> i64 {
    let start = events.iter().map(|event| event.start).min().unwrap_or(0);
    events.iter().map(|event| event.end.max(event.start)).max().unwrap_or(start).saturating_sub(start)
}
