//! Reconstruction of CPU call stacks, with kernels attached to their launches.

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

use crate::Compat;
use crate::exec::checkpoint::cancellable;
use crate::frame::EventRows;
use crate::interval::Reach;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The call stacks of one rank: a tree over its events, by row.
///
/// ```text
/// CPU thread 1   |------- aten::linear -------|        depth 0
///                  |------ aten::addmm -----|          depth 1
///                       |cudaLaunch|                   depth 2
/// GPU                         |---- gemm ----|         depth 3, below its launch
/// ```
///
/// If one thread has the profiler's steps and one other thread runs `autograd::` functions, the outermost events of the
/// latter become children of the enclosing annotation `## backward ##`, or without one, of the enclosing step.
#[derive(Debug)]
pub(crate) struct CallStacks {
    #[cfg(test)]
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// Whether a row is a call; other rows with a depth are kernels.
    calls: Vec<bool>,
    /// The children of row `r` are `children[first[r]..first[r + 1]]`.
    first: Vec<u32>,
    children: Vec<u32>,
}

/// No parent; no depth.
const NONE: u32 = u32::MAX;

/// A call on a CPU thread.
#[derive(Debug, Clone, Copy)]
struct Call {
    start: i64,
    end: i64,
    row: u32,
}

impl Call {
    fn has_length(&self) -> bool {
        self.end > self.start
    }
}

/// Role of a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Has the profiler's steps.
    Main,
    /// Runs autograd's functions.
    Backward,
    Other,
}

impl CallStacks {
    /// Reconstructs the stacks of the rows in `seen`, in linear time after sorting.
    ///
    /// A negative duration, which HTA's rounding makes, counts as 0.
    pub(crate) fn of(rows: &EventRows, seen: &[u32], compat: Compat) -> Self {
        let mut parent = vec![NONE; rows.len()];
        let mut inside = vec![false; rows.len()];
        let mut threads = threads(rows, seen, compat);
        for (calls, _) in cancellable(&mut threads) {
            calls.sort_by_key(|call| (call.start, Reverse(call.end), rows.index(call.row as usize)));
            match compat {
                Compat::Exact => nest(calls, &mut parent),
                Compat::Hta => nest_like_hta(calls, &mut parent),
            }
            calls.iter().for_each(|call| inside[call.row as usize] = true);
        }
        join_backward(rows, &threads, &mut parent);
        let calls = inside.clone();
        attach_kernels(rows, seen, compat, &mut parent, &mut inside);
        let (first, children) = children(&parent);
        let depth = depths(&parent, &inside);
        Self {
            #[cfg(test)]
            parent,
            depth,
            calls,
            first,
            children,
        }
    }

    /// Returns the number of enclosing events; `None` for a row outside of all stacks.
    pub(crate) fn depth(&self, row: usize) -> Option<u32> {
        Some(self.depth[row]).filter(|&depth| depth != NONE)
    }

    /// Whether a row is a kernel attached to its launch.
    pub(crate) fn is_kernel(&self, row: usize) -> bool {
        !self.calls[row] && self.depth[row] != NONE
    }

    /// Returns the enclosing event, the launch of a kernel.
    #[cfg(test)]
    pub(crate) fn parent(&self, row: usize) -> Option<usize> {
        Some(self.parent[row]).filter(|&parent| parent != NONE).map(|parent| parent as usize)
    }

    /// Returns the row and all its descendants, kernels included.
    pub(crate) fn below(&self, row: usize) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![row as u32]);
        while let Some(row) = open.pop() {
            let row = row as usize;
            found.push(row);
            open.extend(&self.children[self.first[row] as usize..self.first[row + 1] as usize]);
        }
        found
    }
}

/// Returns the calls of each CPU thread.
fn threads(rows: &EventRows, seen: &[u32], compat: Compat) -> Vec<(Vec<Call>, Role)> {
    #[derive(Default)]
    struct Thread {
        calls: Vec<Call>,
        on_streams: usize,
        rows: usize,
        main: bool,
        backward: bool,
    }
    let mut marks = rows.per_text(|name| (name.starts_with("ProfilerStep#"), name.contains("autograd::")));
    // Differs from HTA: it takes everything without a stream for CPU work unless the whole thread looks like a GPU's, and
    // Triton's operators, which carry the stream that they launch on, for GPU work.
    let mut on_cpu = rows.per_text(|cat| match cat {
        "cpu_op" => Some(true),
        "gpu_user_annotation" | "cuda_sync" => Some(false),
        _ => None,
    });
    let mut threads: BTreeMap<(Option<i64>, Option<i64>), Thread> = BTreeMap::new();
    for &row in cancellable(seen) {
        let row = row as usize;
        let thread = threads.entry(rows.thread(row)).or_default();
        let (main, backward) = marks(rows.name(row));
        thread.main |= main;
        thread.backward |= backward;
        thread.rows += 1;
        let stream = rows.stream(row);
        thread.on_streams += usize::from(stream.is_some_and(|stream| stream > 0));
        let calls = match compat {
            Compat::Exact => on_cpu(rows.cat(row)).unwrap_or(stream.is_none()),
            Compat::Hta => stream.is_none(),
        };
        if let (true, Some(start)) = (calls, rows.ts(row)) {
            let end = start.saturating_add(rows.dur(row).max(0));
            thread.calls.push(Call { start, end, row: row as u32 });
        }
    }
    let is_gpu = |(pid, tid): (Option<i64>, Option<i64>), thread: &Thread| {
        compat == Compat::Hta && (thread.on_streams == thread.rows || pid == Some(0) || tid == Some(0))
    };
    let cpu = threads.into_iter().filter(|(id, thread)| !is_gpu(*id, thread));
    cpu.map(|(_, thread)| {
        let role = match (thread.main, thread.backward) {
            (true, _) => Role::Main,
            (false, true) => Role::Backward,
            (false, false) => Role::Other,
        };
        (thread.calls, role)
    })
    .collect()
}

/// Finds parents: the parent of a call is the last open one. `calls` are sorted by start, then longest first.
///
/// An empty call is a child of a call that ends or starts at its moment.
fn nest(calls: &[Call], parent: &mut [u32]) {
    let mut open: Vec<Call> = Vec::new();
    for &call in calls {
        let over = |outer: &Call| outer.end < call.start || (outer.end == call.start && call.has_length());
        while open.last().is_some_and(over) {
            open.pop();
        }
        parent[call.row as usize] = open.last().map_or(NONE, |outer| outer.row);
        open.push(call);
    }
}

/// Finds parents as HTA does: an end closes the call that was opened last, so that of crossing calls the inner one is
/// closed first.
fn nest_like_hta(calls: &[Call], parent: &mut [u32]) {
    let mut ends: Vec<(i64, bool)> = calls.iter().map(|call| (call.end, !call.has_length())).collect();
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    let mut open: Vec<u32> = Vec::new();
    for call in calls {
        let over = |&(end, empty): &(i64, bool)| end < call.start || (end == call.start && call.has_length() && !empty);
        while ends.next_if(over).is_some() {
            open.pop();
        }
        parent[call.row as usize] = open.last().copied().unwrap_or(NONE);
        open.push(call.row);
    }
}

/// Attaches the outermost calls of the backward thread to annotations or steps of the main thread.
fn join_backward(rows: &EventRows, threads: &[(Vec<Call>, Role)], parent: &mut [u32]) {
    let only = |wanted: Role| {
        let mut found = threads.iter().filter(|(_, role)| *role == wanted).map(|(calls, _)| calls);
        found.next().filter(|_| found.next().is_none())
    };
    let (Some(main), Some(backward)) = (only(Role::Main), only(Role::Backward)) else { return };
    let mut marks = rows.per_text(|name| (name.starts_with("## backward ##"), name.starts_with("ProfilerStep#")));
    let (mut passes, mut steps) = (Vec::new(), Vec::new());
    for &call in main {
        let (pass, step) = marks(rows.name(call.row as usize));
        if pass {
            passes.push(call);
        }
        if step {
            steps.push(call);
        }
    }
    let hooks = if passes.is_empty() { steps } else { passes };
    let until = Reach::new(&hooks.iter().map(|hook| hook.end).collect::<Vec<_>>());
    for call in backward {
        if parent[call.row as usize] == NONE {
            let begun = hooks.partition_point(|hook| hook.start <= call.start);
            parent[call.row as usize] = until.last(begun, call.end).map_or(NONE, |found| hooks[found].row);
        }
    }
}

/// Attaches kernels to their launches.
fn attach_kernels(rows: &EventRows, seen: &[u32], compat: Compat, parent: &mut [u32], inside: &mut [bool]) {
    for &row in cancellable(seen) {
        let row = row as usize;
        let Some(stream) = rows.stream(row).filter(|_| !inside[row]) else { continue };
        let Some(launch) = rows.partner(row).filter(|&launch| inside[launch]) else { continue };
        // Differs from HTA: it attaches nothing on stream 0, and ignores a launch at position 0.
        if compat == Compat::Hta && (stream == 0 || rows.index(launch) == 0) {
            continue;
        }
        parent[row] = launch as u32;
        inside[row] = true;
    }
}

/// Returns, for each row, the position of its first child, and the children of all rows.
fn children(parent: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0; parent.len() + 1];
    for &parent in parent.iter().filter(|&&parent| parent != NONE) {
        first[parent as usize + 1] += 1;
    }
    for row in 0..parent.len() {
        first[row + 1] += first[row];
    }
    let mut next = first.clone();
    let mut children = vec![0; first[parent.len()] as usize];
    for (row, &parent) in parent.iter().enumerate().filter(|(_, parent)| **parent != NONE) {
        children[next[parent as usize] as usize] = row as u32;
        next[parent as usize] += 1;
    }
    (first, children)
}

fn depths(parent: &[u32], inside: &[bool]) -> Vec<u32> {
    let mut depth = vec![NONE; parent.len()];
    let mut path = Vec::new();
    for start in cancellable(0..parent.len()).filter(|&row| inside[row]) {
        let mut row = start;
        while depth[row] == NONE {
            path.push(row);
            if parent[row] == NONE {
                break;
            }
            row = parent[row] as usize;
        }
        while let Some(row) = path.pop() {
            depth[row] = if parent[row] == NONE { 0 } else { depth[parent[row] as usize] + 1 };
        }
    }
    depth
}
