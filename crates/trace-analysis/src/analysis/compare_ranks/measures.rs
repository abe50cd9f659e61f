//! Measures of each rank: times by class, kernel and operator.

use crate::Result;
use crate::analysis::{Merge, RankView};
use crate::collective::Collectives;
use crate::domain::{EventKind, KernelType};
use crate::exec::checkpoint::cancellable;
use crate::frame::StepName;
use crate::interval::{Span, length, merged, overlaps};
use call_tree::nesting::{Call, Closing, Step, nest};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// A class of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(super) enum Class {
    Step,
    Compute,
    ExposedCommunication,
    ExposedCopy,
    Idle,
    Host,
    Communication,
    Copy,
    Waiting,
    Transfer,
    Late,
}

impl Class {
    /// The classes that a rank has as a whole, in the order of the table of ranks.
    pub(super) const WHOLE: [Self; 9] = [
        Self::Step,
        Self::Compute,
        Self::ExposedCommunication,
        Self::ExposedCopy,
        Self::Idle,
        Self::Host,
        Self::Waiting,
        Self::Transfer,
        Self::Late,
    ];

    /// Returns its name.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Compute => "compute",
            Self::ExposedCommunication => "exposed communication",
            Self::ExposedCopy => "exposed copy",
            Self::Idle => "idle",
            Self::Host => "host",
            Self::Communication => "communication",
            Self::Copy => "copy",
            Self::Waiting => "waiting",
            Self::Transfer => "transfer",
            Self::Late => "late",
        }
    }
}

/// Times in ns by class, name and rank; the name of a whole class is empty. A rank without an entry has 0.
pub(super) type Times = BTreeMap<Class, BTreeMap<String, BTreeMap<i64, i64>>>;

/// The partial result: times as integers, and starts and ends of collectives.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// The number of profiler steps of each rank.
    pub(super) steps: BTreeMap<i64, u64>,
    /// The ranks without GPU work.
    pub(super) without_gpu: BTreeSet<i64>,
    pub(super) times: Times,
    pub(super) collectives: Collectives,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.steps.extend(other.steps);
        self.without_gpu.extend(other.without_gpu);
        for (class, names) in other.times {
            let ours = self.times.entry(class).or_default();
            for (name, ranks) in names {
                ours.entry(name).or_default().extend(ranks);
            }
        }
        self.collectives.merge(other.collectives);
    }
}

impl State {
    /// Measures one rank.
    ///
    /// # Errors
    /// If a column is missing.
    pub(super) fn of(view: &RankView) -> Result<Self> {
        let rank = view.rank();
        let rows = view.rank_events();
        let kinds = rows.kinds();
        let mut step = rows.per_text(|name| match StepName::of(name) {
            StepName::Number(number) => Some(number),
            _ => None,
        });
        let mut class = rows.per_text(|name| match KernelType::of(name, view.compat()) {
            KernelType::Communication => Class::Communication,
            KernelType::Memory => Class::Copy,
            _ => Class::Compute,
        });
        let (mut steps, mut numbers, mut all) = (Vec::new(), BTreeSet::new(), None::<Span>);
        let mut host: Vec<HostEvent> = Vec::new();
        let mut work: BTreeMap<Class, Vec<Span>> = BTreeMap::new();
        let mut sums: BTreeMap<(Class, u32), i64> = BTreeMap::new();
        for &row in cancellable(view.rows()) {
            let row = row as usize;
            let Some(start) = rows.ts(row) else { continue };
            let span = Span { start, end: start.saturating_add(rows.dur(row).max(0)) };
            let (name, kind) = (rows.name(row), kinds[row]);
            all = Some(all.map_or(span, |all| Span { start: all.start.min(start), end: all.end.max(span.end) }));
            match kind {
                EventKind::Kernel | EventKind::Memory => {
                    let class = class(name);
                    work.entry(class).or_default().push(span);
                    let sum = sums.entry((class, name)).or_default();
                    *sum = sum.saturating_add(length(&[span]));
                }
                // They span operators, whose time they would hide.
                EventKind::Annotation | EventKind::DeviceAnnotation | EventKind::Span => {}
                _ if !rows.is_on_device(row) => host.push(HostEvent { thread: rows.thread(row), span, row, name }),
                _ => {}
            }
            if let Some(number) = step(name).filter(|_| !rows.is_on_device(row)) {
                numbers.insert(number);
                steps.push(span);
            }
        }
        let windows = if steps.is_empty() { all.into_iter().collect() } else { merged(steps) };
        let mut state = Self { steps: [(rank, numbers.len() as u64)].into(), ..Self::default() };
        if work.is_empty() {
            state.without_gpu.insert(rank);
        }
        let mut spans = |class| merged(work.remove(&class).unwrap_or_default());
        let kinds = [spans(Class::Compute), spans(Class::Communication), spans(Class::Copy)];
        let mut put = |class: Class, name: &str, time: i64| {
            if time != 0 {
                state.times.entry(class).or_default().entry(name.to_owned()).or_default().insert(rank, time);
            }
        };
        put(Class::Step, "", length(&windows));
        for (class, time) in divided(&windows, kinds) {
            put(class, "", time);
        }
        let (self_times, busy) = self_times(host);
        put(Class::Host, "", overlaps(&[windows, busy], 1).get(&3).copied().unwrap_or(0));
        for (name, time) in self_times {
            put(Class::Host, rows.text(name), time);
        }
        for ((class, name), time) in sums {
            put(class, rows.text(name), time);
        }
        state.collectives = view.collectives()?;
        Ok(state)
    }
}

/// Divides windows of time: compute, else exposed communication, else exposed copies, else idle.
fn divided(windows: &[Span], [compute, communication, copy]: [Vec<Span>; 3]) -> BTreeMap<Class, i64> {
    let mut times: BTreeMap<Class, i64> = BTreeMap::new();
    for (key, time) in overlaps(&[windows.to_vec(), compute, communication, copy], 1) {
        let class = match key {
            key if key & 1 == 0 => continue,
            key if key & 2 != 0 => Class::Compute,
            key if key & 4 != 0 => Class::ExposedCommunication,
            key if key & 8 != 0 => Class::ExposedCopy,
            _ => Class::Idle,
        };
        let sum: &mut i64 = times.entry(class).or_default();
        *sum = sum.saturating_add(time);
    }
    times
}

/// An event of the CPU.
struct HostEvent {
    thread: (Option<i64>, Option<i64>),
    span: Span,
    row: usize,
    name: u32,
}

/// Returns the time of each name without the events nested in it, and the time in which any event runs.
///
/// ```text
/// outer  |-----------|      2 + 3
/// inner     |---|           4
/// ```
fn self_times(mut host: Vec<HostEvent>) -> (BTreeMap<u32, i64>, Vec<Span>) {
    host.sort_unstable_by_key(|event| (event.thread, event.span.start, Reverse(event.span.end), event.row));
    let mut times: BTreeMap<u32, i64> = BTreeMap::new();
    let mut add = |name, time: i64| {
        let sum = times.entry(name).or_default();
        *sum = sum.saturating_add(time);
    };
    let mut outermost = Vec::new();
    for thread in cancellable(host.chunk_by(|one, other| one.thread == other.thread)) {
        let call = |(event, row): (&HostEvent, u32)| Call { start: event.span.start, end: event.span.end, row };
        let calls: Vec<Call> = thread.iter().zip(0..).map(call).collect();
        nest(&calls, Closing::OwnEnd, |step| {
            let Step::Begins(call, around) = step else { return };
            let event = &thread[call.row as usize];
            add(event.name, length(&[event.span]));
            if let Some(around) = around {
                add(thread[around.row as usize].name, call.start.saturating_sub(call.end.min(around.end)));
            }
            if around.is_none_or(|around| around.end < call.end) {
                outermost.push(event.span);
            }
        });
    }
    (times, merged(outermost))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_events_count_once() {
        let event =
            |name, row, start, end| HostEvent { thread: (Some(1), Some(1)), span: Span { start, end }, row, name };
        // An inner event that reaches over the end of its parent takes only their common time from it.
        let events = vec![event(1, 0, 0, 10), event(2, 1, 3, 7), event(3, 2, 4, 5), event(2, 3, 9, 12)];
        let (times, busy) = self_times(events);
        assert_eq!(times, BTreeMap::from([(1, 10 - 4 - 1), (2, 3 + 3), (3, 1)]));
        assert_eq!(busy, [Span { start: 0, end: 12 }]);
    }

    #[test]
    fn every_moment_of_a_window_has_one_class() {
        let span = |start, end| vec![Span { start, end }];
        let times = divided(&span(10, 100), [span(0, 30), span(20, 50), span(45, 60)]);
        let expected =
            [(Class::Compute, 20), (Class::ExposedCommunication, 20), (Class::ExposedCopy, 10), (Class::Idle, 40)];
        assert_eq!(times, BTreeMap::from(expected));
    }
}
