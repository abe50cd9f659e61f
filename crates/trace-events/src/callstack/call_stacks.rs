//! Reconstruction of CPU call stacks, with kernels attached to their launches.

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

use super::{Enclosing, InsertedCalls};
use crate::Compat;
use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, TrackNumbers};
use call_tree::nesting::{Call, Closing, Forest, Growing, Step, nest, sort};

/// The call stacks of one rank: a view of the nesting of call trees ([`call_tree::nesting`]), by row, with HTA's rules where
/// `Compat::Hta` asks for them.
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
pub struct CallStacks {
    forest: Forest,
    /// Whether a row is a call; other rows in the forest are kernels.
    calls: Vec<bool>,
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
    pub fn of(rows: &RankEvents, seen: &[u32], compat: Compat) -> Self {
        Self::visited(rows, seen, compat, |_| ())
    }

    /// Reconstructs the stacks as [`CallStacks::of`] does, and visits each step of the nesting, thread by thread.
    pub(crate) fn visited(rows: &RankEvents, seen: &[u32], compat: Compat, visit: impl FnMut(&Step<'_>)) -> Self {
        Self::with_calls(rows, seen, compat, &InsertedCalls::default(), visit)
    }

    /// Reconstructs the stacks as [`CallStacks::visited`] does, with calls between launches and their kernels.
    pub(crate) fn with_calls(
        rows: &RankEvents,
        seen: &[u32],
        compat: Compat,
        inserted: &InsertedCalls,
        mut visit: impl FnMut(&Step<'_>),
    ) -> Self {
        let closing = match compat {
            Compat::Exact => Closing::OwnEnd,
            // Differs from HTA: of crossing calls it closes the inner one first.
            Compat::Hta => Closing::LastOpened,
        };
        let mut forest = Forest::growing(rows.len());
        let mut threads = threads(rows, seen, compat);
        for (calls, _) in cancellable(&mut threads) {
            sort(calls);
            nest(calls, closing, |step| {
                visit(&step);
                if let Step::Begins(call, around) = step {
                    forest.put(call.row as usize, around.map(|around| around.row as usize));
                }
            });
        }
        join_backward(rows, &threads, &mut forest);
        let is_call = |row| forest.is_inside(row) || inserted.contains(row);
        let calls = (0..rows.len()).map(is_call).collect();
        attach_kernels(rows, seen, compat, &mut forest);
        inserted.attach(rows, &mut forest);
        Self { forest: forest.grown(), calls }
    }

    /// Returns the number of enclosing events; `None` for a row outside of all stacks.
    #[inline]
    pub fn depth(&self, row: usize) -> Option<u32> {
        self.forest.depth(row)
    }

    /// Whether a row is a kernel attached to its launch.
    #[inline]
    pub fn is_kernel(&self, row: usize) -> bool {
        !self.calls[row] && self.forest.depth(row).is_some()
    }

    /// Returns the trees over the rows.
    #[inline]
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Returns the enclosing event, the launch of a kernel.
    #[inline]
    pub fn parent(&self, row: usize) -> Option<usize> {
        self.forest.parent(row)
    }

    /// Returns the row and all its descendants, kernels included.
    pub fn below(&self, row: usize) -> Vec<usize> {
        self.forest.below(row)
    }
}

/// Process and thread as recorded.
type ThreadId = (Option<i64>, Option<i64>);

/// Returns the calls of each CPU thread.
fn threads(rows: &RankEvents, seen: &[u32], compat: Compat) -> Vec<(Vec<Call>, Role)> {
    #[derive(Default)]
    struct Thread {
        calls: Vec<Call>,
        on_streams: usize,
        rows: usize,
        main: bool,
        backward: bool,
    }
    let mut marks = rows.per_text(|name| (name.starts_with("ProfilerStep#"), name.contains("autograd::")));
    rows.kinds();
    let mut numbers: TrackNumbers<ThreadId> = TrackNumbers::default();
    let mut threads: Vec<(ThreadId, Thread)> = Vec::new();
    for &row in cancellable(seen) {
        let row = row as usize;
        let id = rows.thread(row);
        let number = numbers.number(id) as usize;
        if number == threads.len() {
            threads.push((id, Thread::default()));
        }
        let thread = &mut threads[number].1;
        let (main, backward) = marks(rows.name(row));
        thread.main |= main;
        thread.backward |= backward;
        thread.rows += 1;
        let stream = rows.stream(row);
        thread.on_streams += usize::from(stream.is_some_and(|stream| stream > 0));
        let calls = match compat {
            // Differs from HTA: it takes everything without a stream for CPU work unless the whole thread looks like a GPU's, and
            // Triton's operators, which carry the stream that they launch on, for GPU work.
            Compat::Exact => !rows.is_on_device(row),
            Compat::Hta => stream.is_none(),
        };
        if let (true, Some(start)) = (calls, rows.ts(row)) {
            let end = start.saturating_add(rows.dur(row).max(0));
            thread.calls.push(Call { start, end, row: row as u32 });
        }
    }
    let is_gpu = |(pid, tid): ThreadId, thread: &Thread| {
        compat == Compat::Hta && (thread.on_streams == thread.rows || pid == Some(0) || tid == Some(0))
    };
    threads.sort_unstable_by_key(|(id, _)| *id);
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

/// Attaches the outermost calls of the backward thread to annotations or steps of the main thread.
fn join_backward(rows: &RankEvents, threads: &[(Vec<Call>, Role)], forest: &mut Growing) {
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
    let enclosing = Enclosing::new(hooks.iter().map(|hook| (hook.start, hook.end)));
    for call in backward {
        if forest.is_root(call.row as usize) {
            let found = enclosing.last_around(call.start, call.end);
            forest.put(call.row as usize, found.map(|found| hooks[found].row as usize));
        }
    }
}

/// Attaches kernels to their launches.
fn attach_kernels(rows: &RankEvents, seen: &[u32], compat: Compat, forest: &mut Growing) {
    for &row in cancellable(seen) {
        let row = row as usize;
        let stream = rows.stream(row);
        let on_device = if compat == Compat::Hta { stream.is_some() } else { rows.is_on_device(row) };
        if !on_device || forest.is_inside(row) {
            continue;
        }
        let Some(launch) = rows.partner(row).filter(|&launch| forest.is_inside(launch)) else { continue };
        // Differs from HTA: it attaches nothing on stream 0, and ignores a launch at position 0.
        if compat == Compat::Hta && (stream == Some(0) || rows.index(launch) == 0) {
            continue;
        }
        forest.put(row, Some(launch));
    }
}
