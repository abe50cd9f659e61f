//! Rules of launches and kernels: what was dropped, and whether the clocks agree.

use super::checked::Checked;
use super::rules::RuleName;
use crate::analysis::RankView;
use crate::callstack::Enclosing;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use call_tree::vendor_neutral;
use std::collections::BTreeMap;
use trace_view::format::nanoseconds;

/// The launches of kernels of a view, and the captures of graphs beside them.
pub(super) struct Launches {
    /// Rows of the launches that run at once, by their starts.
    pub(super) rows: Vec<usize>,
    /// Number of captures that begin within the recording.
    pub(super) captures: u64,
}

impl Launches {
    /// Finds those of a view; `None` if the profiler was not asked for calls or for device work.
    pub(super) fn of(view: &RankView) -> Option<Self> {
        is_recorded(view).then(|| {
            let captures = Captures::of(view);
            Self { rows: launches(view, &captures), captures: captures.begun }
        })
    }
}

/// Checks launches, and the device work of their view.
pub(super) fn check(view: &RankView, launches: &Launches, found: &mut BTreeMap<RuleName, Checked>) {
    check_launches(view, &launches.rows, found);
    check_work(view, found);
}

/// Tells whether there are calls and device work. Without either the profiler was not asked for it.
fn is_recorded(view: &RankView) -> bool {
    let kinds = view.rank_events().kinds();
    view.gpu().iter().any(|event| event.is_work)
        && cancellable(view.rows()).any(|&row| kinds[row as usize] == EventKind::Call)
}

/// Returns the rows of the launches of kernels that run at once, by their starts.
fn launches(view: &RankView, captured: &Captures) -> Vec<usize> {
    let rows = view.rank_events();
    let kinds = rows.kinds();
    let mut is_launch = rows.per_text(|name| vendor_neutral(name) == "hipLaunchKernel");
    let is_launch = |row: &usize| kinds[*row] == EventKind::Call && is_launch(rows.name(*row));
    let all = cancellable(view.rows()).map(|&row| row as usize).filter(is_launch);
    let mut launches: Vec<usize> = all.filter(|&row| rows.ts(row).is_some() && !captured.contain(rows, row)).collect();
    launches.sort_by_key(|&row| rows.ts(row));
    launches
}

fn check_launches(view: &RankView, launches: &[usize], found: &mut BTreeMap<RuleName, Checked>) {
    let rows = view.rank_events();
    let has_kernel = |row: usize| rows.partner(row).is_some();
    let first = launches.iter().position(|&row| has_kernel(row)).unwrap_or(launches.len());
    let last = launches.iter().rposition(|&row| has_kernel(row)).map_or(launches.len(), |last| last + 1);
    let text = |row: usize| format!("{} without a kernel", rows.text(rows.name(row)));
    let mut rules = [RuleName::LaunchesAtStart, RuleName::LaunchesHaveKernels, RuleName::LaunchesAtEnd]
        .map(|name| (name, Checked::default()));
    for (at, &row) in cancellable(launches.iter().enumerate()) {
        // Those at the start and at the end count there alone.
        let is_right = [Some(at >= first), (first..last).contains(&at).then(|| has_kernel(row)), Some(at < last)];
        for ((_, checked), is_right) in rules.iter_mut().zip(is_right) {
            if let Some(is_right) = is_right {
                checked.add(is_right, rows.index(row), || text(row));
            }
        }
    }
    found.extend(rules);
}

fn check_work(view: &RankView, found: &mut BTreeMap<RuleName, Checked>) {
    let rows = view.rank_events();
    let (mut launched, mut later) = (Checked::default(), Checked::default());
    for event in cancellable(view.gpu()).filter(|event| event.is_work) {
        let row = event.row as usize;
        let (launch, name) = (rows.partner(row), rows.text(event.name));
        launched.add(launch.is_some(), rows.index(row), || format!("{name} without a launch"));
        let Some(start) = launch.and_then(|launch| rows.ts(launch)) else { continue };
        later.add(event.ts >= start, rows.index(row), || {
            format!("{name} starts {} before its call", nanoseconds(start.saturating_sub(event.ts)))
        });
    }
    found.extend([(RuleName::KernelsHaveLaunches, launched), (RuleName::KernelAfterLaunch, later)]);
}

/// Spans during which a thread captures a graph: what it launches does not run.
struct Captures {
    spans: BTreeMap<ThreadId, Enclosing>,
    /// Captures that begin within the recording.
    begun: u64,
}

/// Process and thread.
type ThreadId = (Option<i64>, Option<i64>);

impl Captures {
    fn of(view: &RankView) -> Self {
        let rows = view.rank_events();
        let mut begun = 0;
        let mut is_bound = rows.per_text(|name| match vendor_neutral(name).as_str() {
            "hipStreamBeginCapture" => Some(true),
            "hipStreamEndCapture" => Some(false),
            _ => None,
        });
        let mut bounds: BTreeMap<ThreadId, Vec<(i64, bool)>> = BTreeMap::new();
        for &row in cancellable(view.rows()) {
            let row = row as usize;
            if let (Some(is_begin), Some(at)) = (is_bound(rows.name(row)), rows.ts(row)) {
                begun += u64::from(is_begin);
                bounds.entry(rows.thread(row)).or_default().push((at, is_begin));
            }
        }
        let spans = |mut bounds: Vec<(i64, bool)>| {
            bounds.sort_unstable();
            let mut spans: Vec<(i64, i64)> = Vec::new();
            // A capture that does not end goes on; one that began before the recording is not known.
            let mut begun = None;
            for (at, is_begin) in bounds {
                match (is_begin, begun) {
                    (true, None) => begun = Some(at),
                    (false, Some(start)) => {
                        spans.push((start, at));
                        begun = None;
                    }
                    _ => {}
                }
            }
            spans.extend(begun.map(|start| (start, i64::MAX)));
            Enclosing::new(spans.into_iter())
        };
        Self { spans: bounds.into_iter().map(|(thread, bounds)| (thread, spans(bounds))).collect(), begun }
    }

    fn contain(&self, rows: &RankEvents, row: usize) -> bool {
        let Some(start) = rows.ts(row) else { return false };
        self.spans.get(&rows.thread(row)).is_some_and(|captures| captures.last_around(start, start).is_some())
    }
}
