//! The call stacks of a rank as HTA's call graphs list them.

use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use call_tree::nesting::Call;
use hta_rules::call_graph::{Thread, ThreadRole, older};
use std::collections::BTreeMap;

/// A call stack of HTA's call graph: the calls of a CPU thread.
#[derive(Debug)]
pub struct HtaStack {
    /// Its process.
    pub pid: Option<i64>,
    /// Its thread.
    pub tid: Option<i64>,
    /// `main`, `bwd`, or the name of its first row.
    pub label: String,
    /// Its calls.
    pub thread: Thread,
}

impl HtaStack {
    /// Returns HTA's number of the root, by which its outermost calls name their parent.
    pub(crate) fn root(&self) -> i64 {
        root_of(self.tid)
    }
}

/// Returns HTA's number of the root of a thread.
pub(super) fn root_of(tid: Option<i64>) -> i64 {
    -tid.unwrap_or(0).saturating_abs()
}

/// Process and thread.
type ThreadId = (Option<i64>, Option<i64>);

/// Returns the rows of each thread, in the order of `seen`, each row once.
fn by_thread(rows: &RankEvents, seen: &[u32]) -> BTreeMap<ThreadId, Vec<u32>> {
    let mut once = vec![false; rows.len()];
    let mut threads: BTreeMap<ThreadId, Vec<u32>> = BTreeMap::new();
    for &row in cancellable(seen) {
        if !std::mem::replace(&mut once[row as usize], true) {
            threads.entry(rows.thread(row as usize)).or_default().push(row);
        }
    }
    threads
}

/// Returns the call stacks, by process and thread: of every thread that has a row without a positive stream, unless its process
/// or thread is 0.
pub(super) fn hta_stacks(rows: &RankEvents, seen: &[u32]) -> Vec<HtaStack> {
    let on_stream = |row: u32| rows.stream(row as usize).is_some_and(|stream| stream > 0);
    let mut marks = rows.per_text(|name| Marks {
        is_step: name.starts_with("ProfilerStep#"),
        is_backward: name.starts_with("## backward ##"),
        is_autograd: name.contains("autograd::"),
    });
    let mut stacks = Vec::new();
    for ((pid, tid), of_thread) in by_thread(rows, seen) {
        if pid == Some(0) || tid == Some(0) || of_thread.iter().all(|&row| on_stream(row)) {
            continue;
        }
        let (mut calls, mut steps, mut passes, mut autograd) = (Vec::new(), Vec::new(), Vec::new(), false);
        for &row in cancellable(&of_thread) {
            let (None, Some(start)) = (rows.stream(row as usize), rows.ts(row as usize)) else { continue };
            let index = calls.len() as u32;
            calls.push(Call { start, end: start.saturating_add(rows.dur(row as usize)), row });
            let Marks { is_step, is_backward, is_autograd } = marks(rows.name(row as usize));
            steps.extend(is_step.then_some(index));
            passes.extend(is_backward.then_some(index));
            autograd |= is_autograd;
        }
        let Some(first) = calls.first() else { continue };
        let role = match (steps.is_empty(), autograd) {
            (false, _) => ThreadRole::Main,
            (true, true) => ThreadRole::Backward,
            (true, false) => ThreadRole::Other,
        };
        let label = match role {
            ThreadRole::Main => "main",
            ThreadRole::Backward => "bwd",
            ThreadRole::Other => rows.text(rows.name(first.row as usize)),
        };
        let label = label.to_owned();
        let annotations = if passes.is_empty() { steps } else { passes };
        stacks.push(HtaStack { pid, tid, label, thread: Thread { calls, role, annotations } });
    }
    stacks
}

/// What the name of a row tells of its thread.
#[derive(Debug, Clone, Copy)]
struct Marks {
    is_step: bool,
    is_backward: bool,
    is_autograd: bool,
}

/// Returns parent and depth of each row in HTA's older call graph; −1 at the top, of rows on streams the row of the launch and −1.
/// `None`: on a thread with streams of another kind.
pub fn older_parents(rows: &RankEvents, seen: &[u32]) -> Vec<Option<(i64, i64)>> {
    let mut found = vec![None; rows.len()];
    for of_thread in by_thread(rows, seen).into_values() {
        let on_stream = |row: &u32| rows.stream(*row as usize).is_some_and(|stream| stream > 0);
        if of_thread.iter().any(on_stream) {
            for row in of_thread.into_iter().filter(on_stream) {
                found[row as usize] = Some((hta_partner(rows, row as usize), -1));
            }
            continue;
        }
        if of_thread.iter().any(|&row| rows.stream(row as usize).is_some()) {
            continue;
        }
        let call = |&row: &u32| {
            let start = rows.ts(row as usize)?;
            Some(Call { start, end: start.saturating_add(rows.dur(row as usize)), row })
        };
        let calls: Vec<Call> = of_thread.iter().filter_map(call).collect();
        for (call, (parent, depth)) in calls.iter().zip(older(&calls)) {
            let parent = parent.map_or(-1, |parent| rows.index(parent as usize));
            found[call.row as usize] = Some((parent, i64::from(depth)));
        }
    }
    found
}

/// Returns HTA's number of the row at the other end of a correlation: −1 without a correlation, 0 without the other end.
fn hta_partner(rows: &RankEvents, row: usize) -> i64 {
    match (rows.partner_index(row), rows.correlation(row)) {
        (Some(index), _) => index,
        (None, Some(_)) => 0,
        (None, None) => -1,
    }
}
