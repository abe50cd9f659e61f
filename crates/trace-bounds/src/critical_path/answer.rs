//! The answer: what bounds each window, interval by interval, and what changes would save.

use causal::{Because, BoundBy};
use foldhash::HashMap;

/// What bounds steps, and what would help: the answer to [`CriticalPath`](crate::CriticalPath).
#[derive(Debug, Clone)]
pub struct CriticalPathAnswer {
    pub(super) label: String,
    pub(super) windows: Vec<BoundWindow>,
    pub(super) what_if: Vec<WhatIf>,
    pub(super) sweeps: Vec<Sweep>,
    /// Names of events, each once; intervals hold their places here.
    pub(super) names: Vec<String>,
    /// Start of the first event of all ranks, in ns.
    pub(super) origin: i64,
    /// Whether `what_if` holds proposals instead of the changes of the question.
    pub(super) proposes: bool,
    /// What the reader should know about the answer.
    pub(super) notes: Vec<String>,
    pub(super) edges: Option<Edges>,
    pub(super) replay_error_ns: i64,
    /// Whether there are companions.
    pub(super) borrows: bool,
}

/// A window, and what bounds it.
#[derive(Debug, Clone)]
pub struct BoundWindow {
    pub(super) rank: i64,
    pub(super) annotation: String,
    pub(super) instances: Option<(usize, usize)>,
    pub(super) of: usize,
    pub(super) start: i64,
    pub(super) end: i64,
    /// In order of time, without gaps.
    #[doc(hidden)]
    pub intervals: Vec<Interval>,
    pub(super) names: Vec<OnPath>,
    pub(super) lanes: Vec<Lane>,
}

/// An interval of time on the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    pub start: i64,
    pub end: i64,
    pub rank: i64,
    pub device: Option<i64>,
    pub pid: Option<i64>,
    pub tid: Option<i64>,
    pub stream: Option<i64>,
    /// Position in the file.
    pub event: Option<i64>,
    pub name: Option<u32>,
    pub operator: Option<u32>,
    /// Of a kernel of a graph the operator that a companion lends.
    pub borrowed_operator: Option<u32>,
    pub bound_by: BoundBy,
    pub(crate) because: Because,
}

impl Interval {
    pub fn duration(&self) -> i64 {
        self.end - self.start
    }
}

/// What events of one name do to the path of a window.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OnPath {
    pub(super) bound_by: BoundBy,
    pub(super) name: Option<u32>,
    pub(super) count: usize,
    pub(super) duration_ns: i64,
    /// Saved if it took half of the time, and none; `None` if it is not among the longest.
    pub(super) saved_ns: Option<[i64; 2]>,
    /// The operators that companions lend to these kernels of graphs, those of most time first.
    pub(super) borrowed_operators: Option<String>,
}

/// A thread or stream of a window, for the figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lane {
    pub(super) name: String,
    pub(super) key: LaneKey,
    /// When it had an event; close ones are one.
    pub(super) busy: Vec<(i64, i64)>,
}

/// Which thread or stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LaneKey {
    Thread { rank: i64, pid: Option<i64>, tid: Option<i64> },
    Stream { rank: i64, device: Option<i64>, stream: Option<i64> },
}

impl Interval {
    pub(super) fn lane_key(&self) -> LaneKey {
        match self.stream {
            Some(_) => LaneKey::Stream { rank: self.rank, device: self.device, stream: self.stream },
            None => LaneKey::Thread { rank: self.rank, pid: self.pid, tid: self.tid },
        }
    }
}

/// What a change would do to the step. Of several windows the means.
#[derive(Debug, Clone, PartialEq)]
pub struct WhatIf {
    /// The change, as it can be written; of several together `all together`.
    pub change: String,
    /// The step as recorded, in ns.
    pub before_ns: i64,
    /// The step with the change, in ns.
    pub after_ns: i64,
    /// What bounds the step then: a word as [`CriticalPathAnswer::diagnosis`] gives it.
    pub diagnosis: &'static str,
    /// What takes longest on the path then, and its share of it, from 0 to 1.
    #[doc(hidden)]
    pub bound_by: (&'static str, f64),
    /// Whether anything in the recording meets the condition.
    pub matches: bool,
}

impl WhatIf {
    /// Returns what the change saves of the step, in ns.
    pub fn saved_ns(&self) -> i64 {
        self.before_ns - self.after_ns
    }

    /// Returns what the change saves of the step, in percent.
    pub fn percent(&self) -> f64 {
        if self.before_ns == 0 { 0.0 } else { 100.0 * self.saved_ns() as f64 / self.before_ns as f64 }
    }
}

/// The step over the factor of a change.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sweep {
    /// What changes.
    pub(super) condition: String,
    /// Factors, ascending, and the step with each, in ns.
    pub(super) points: Vec<(f64, i64)>,
}

/// The edges of the graph as columns.
#[derive(Debug, Clone, Default)]
pub(super) struct Edges {
    pub(super) rank: Vec<i64>,
    pub(super) from_event: Vec<Option<i64>>,
    pub(super) to_event: Vec<Option<i64>>,
    pub(super) from_ts: Vec<i64>,
    pub(super) to_ts: Vec<i64>,
    pub(super) kind: Vec<Because>,
    pub(super) bound_by: Vec<BoundBy>,
    pub(super) lag: Vec<i64>,
    pub(super) binding: Vec<bool>,
}

impl CriticalPathAnswer {
    /// Returns the windows, by rank and time.
    pub fn windows(&self) -> &[BoundWindow] {
        &self.windows
    }

    /// Returns what the changes of the question would do, each alone, then all together.
    pub fn what_if_rows(&self) -> &[WhatIf] {
        &self.what_if
    }

    /// Returns by how much the replay of the unchanged recording differs from it, in ns: 0.
    pub fn replay_error_ns(&self) -> i64 {
        self.replay_error_ns
    }

    /// Returns what bounds the windows together: `host-bound`, `GPU-bound`, `communication-bound`, …
    pub fn diagnosis(&self) -> &'static str {
        diagnosis(&self.shares())
    }

    /// Returns the time of all windows by what bounds it, in ns, in the order of [`BoundBy::ALL`].
    pub fn shares(&self) -> Vec<(BoundBy, i64)> {
        added(self.windows.iter().flat_map(BoundWindow::summary))
    }

    /// The name of a row, or the word of what bounds it if there is no event.
    pub(super) fn name_of(&self, row: &OnPath) -> &str {
        self.name(row.name).unwrap_or(row.bound_by.word())
    }

    pub(super) fn name(&self, name: Option<u32>) -> Option<&str> {
        self.names.get(name? as usize).map(String::as_str)
    }
}

impl BoundWindow {
    /// Returns the rank.
    pub fn rank(&self) -> i64 {
        self.rank
    }

    /// Returns the name of the annotation, of several `first to last`; empty for the whole recording.
    pub fn annotation(&self) -> &str {
        &self.annotation
    }

    /// Returns the first and the last instance of the annotation, from 0; `None` for the whole recording.
    pub fn instances(&self) -> Option<(usize, usize)> {
        self.instances
    }

    /// Returns the start, in ns, as recorded.
    pub fn start_ns(&self) -> i64 {
        self.start
    }

    /// Returns the length, in ns.
    pub fn duration_ns(&self) -> i64 {
        self.end - self.start
    }

    /// Returns the time by what bounds it, in ns, without what bounds nothing. It adds up to the window exactly.
    pub fn summary(&self) -> Vec<(BoundBy, i64)> {
        added(self.intervals.iter().map(|interval| (interval.bound_by, interval.duration())))
    }
}

/// Adds times up by what bounds them; leaves out what has none.
pub(super) fn added(parts: impl Iterator<Item = (BoundBy, i64)>) -> Vec<(BoundBy, i64)> {
    let mut sums = [0_i64; BoundBy::ALL.len()];
    for (bound_by, ns) in parts {
        sums[bound_by as usize] += ns;
    }
    BoundBy::ALL.into_iter().zip(sums).filter(|(_, ns)| *ns != 0).collect()
}

/// Returns what most of the time is bound by, in the words of explanations.
pub(super) fn diagnosis(shares: &[(BoundBy, i64)]) -> &'static str {
    let mut sums: HashMap<&'static str, i64> = HashMap::default();
    for &(bound_by, ns) in shares {
        *sums.entry(diagnosis_of(bound_by)).or_default() += ns;
    }
    // Equal sums are decided by the word, so that the answer is the same every time.
    let most = sums.into_iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(one.0)));
    most.map_or("idle", |(word, _)| word)
}

/// Returns the diagnosis that a class of time stands for.
pub(super) fn diagnosis_of(bound_by: BoundBy) -> &'static str {
    match bound_by {
        BoundBy::Cpu | BoundBy::Python | BoundBy::CudaRuntime | BoundBy::NotRecorded => "host-bound",
        BoundBy::DataLoading => "bound by loading data",
        BoundBy::Compute => "GPU-bound",
        BoundBy::Communication | BoundBy::WaitingForRank => "communication-bound",
        BoundBy::Memory => "bound by copies",
        BoundBy::LaunchOverhead => "bound by launch latency",
        BoundBy::KernelKernelOverhead => "bound by gaps between kernels",
        BoundBy::Synchronization => "bound by synchronisation",
        BoundBy::Unexplained => "unexplained",
    }
}

/// Returns the class that takes longest, and its share.
pub(super) fn largest(shares: &[(BoundBy, i64)]) -> (&'static str, f64) {
    let whole: i64 = shares.iter().map(|(_, ns)| ns).sum();
    let most = shares.iter().max_by(|one, other| one.1.cmp(&other.1).then(other.0.cmp(&one.0)));
    most.map_or(("", 0.0), |(class, ns)| (class.word(), *ns as f64 / whole.max(1) as f64))
}
