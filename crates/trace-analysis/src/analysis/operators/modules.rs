//! The sums of modules: their forward, the backward of their operators, and what ran once more for it.

use super::sums::Sums;
use super::work::RankWork;
use crate::analysis::RankView;
use crate::analysis::call_trees::{CHECKPOINT_FILE, CallTrees, MODULE};
use crate::callstack::RankGraph;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::{IntColumn, RankEvents};
use call_tree::module_of;
use call_tree::nesting::Walk;
use std::collections::BTreeMap;

/// Prefix of the calls in which autograd runs the nodes of the backward.
const NODE: &str = "autograd::engine::evaluate_function: ";
/// The operator that runs the forward of a checkpoint once more.
const CHECKPOINT_BACKWARD: &str = "CheckpointFunctionBackward";
/// A word of annotations around them.
const CHECKPOINT: &str = "checkpoint";

/// The phase of training that a call belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Forward,
    Backward,
    /// The forward once more, inside of the backward.
    Recomputed,
}

/// What the name of an event says about its phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    Module,
    Node,
    CheckpointBackward,
    /// It names the file of PyTorch's checkpoints.
    CheckpointFile,
    /// It has the word.
    Checkpoint,
    None,
}

impl Hint {
    fn of(name: &str) -> Self {
        match name {
            _ if name.starts_with(MODULE) => Self::Module,
            _ if name.strip_prefix(NODE).unwrap_or(name) == CHECKPOINT_BACKWARD => Self::CheckpointBackward,
            _ if name.starts_with(NODE) => Self::Node,
            _ if name.contains(CHECKPOINT_FILE) => Self::CheckpointFile,
            _ if name.to_ascii_lowercase().contains(CHECKPOINT) => Self::Checkpoint,
            _ => Self::None,
        }
    }
}

/// An open call on the host: its row, the module that it works for, and its phase.
type Open = (usize, Option<u32>, Phase);

/// The modules of a rank, by call.
struct Modules<'r> {
    trees: &'r CallTrees,
    rows: &'r RankEvents,
    graph: &'r RankGraph,
    /// The index of the forward operator of backward operators.
    forward: Option<&'r IntColumn>,
    /// Rows of the calls of modules, ascending.
    calls: Vec<usize>,
    /// The call of a module around each, or that of the forward operator of the backward that it runs in.
    around: Vec<Option<u32>>,
    /// What counts for a call and for no module inside.
    own: Vec<Sums>,
}

impl<'r> Modules<'r> {
    fn of(trees: &'r CallTrees, forward: Option<&'r IntColumn>) -> Self {
        let (rows, graph) = (trees.rows(), trees.graph());
        let kinds = rows.kinds();
        let mut hint = rows.per_text(Hint::of);
        let mut is_module = |row: &usize| {
            kinds[*row] == EventKind::Python
                && graph.forest().depth(*row).is_some()
                && hint(rows.name(*row)) == Hint::Module
        };
        let calls: Vec<usize> = (0..rows.len()).filter(&mut is_module).collect();
        let mut modules =
            Self { trees, rows, graph, forward, around: Vec::new(), own: vec![Sums::default(); calls.len()], calls };
        let around = |&row: &usize| graph.forest().parent(row).and_then(|parent| modules.around(parent));
        modules.around = modules.calls.iter().map(around).collect();
        modules
    }

    fn number(&self, row: usize) -> Option<u32> {
        self.calls.binary_search(&row).ok().map(|number| number as u32)
    }

    fn forward(&self, row: usize) -> Option<usize> {
        self.rows.row_of(self.forward?.get(row)?)
    }

    /// Returns the call of a module that a call works for.
    fn around(&self, row: usize) -> Option<u32> {
        let is_module = |row: u32| self.calls.binary_search(&(row as usize)).is_ok();
        let forward = |row: u32| self.forward(row as usize).map(|row| row as u32);
        let parent = |row: u32| self.graph.forest().parent(row as usize).map(|row| row as u32);
        let (row, _) = module_of(row as u32, is_module, forward, parent)?;
        self.number(row as usize)
    }

    /// Returns the module and the phase of a call inside of another one.
    fn inside(&self, row: usize, kind: EventKind, hint: Hint, (_, module, phase): Open) -> Open {
        let is_backward = phase == Phase::Backward;
        let again = if is_backward { Phase::Recomputed } else { phase };
        match (kind, hint) {
            (EventKind::Python, Hint::Module) => (row, self.number(row), again),
            (EventKind::Operator, _) => {
                let is_backward = self.forward(row).is_some();
                let module = if is_backward { self.around(row) } else { module };
                match hint {
                    Hint::CheckpointBackward => (row, module, Phase::Recomputed),
                    _ if is_backward || hint == Hint::Node => (row, module, Phase::Backward),
                    _ => (row, module, phase),
                }
            }
            (EventKind::Python | EventKind::Annotation, Hint::CheckpointFile)
            | (EventKind::Annotation, Hint::Checkpoint) => (row, module, again),
            _ => (row, module, phase),
        }
    }

    /// Adds each kernel and each moment of a thread to the call of a module that it counts for.
    fn count(&mut self, work: Option<&RankWork>) {
        let (rows, graph) = (self.rows, self.graph);
        let kinds = rows.kinds();
        let mut hint = rows.per_text(Hint::of);
        let mut open: Vec<Open> = Vec::new();
        let step = |step: Walk| match step {
            Walk::Enter(row) if graph.is_launched(rows, row) => {
                let Some(&(_, Some(module), phase)) = open.last() else { return };
                let (own, below) = (&mut self.own[module as usize], graph.kernels(row));
                own.kernels += u64::from(below.count);
                own.kernel_total = own.kernel_total.saturating_add(below.ns);
                if self.trees.is_borrowed(self.calls[module as usize]) {
                    own.borrowed = own.borrowed.saturating_add(below.ns);
                }
                match phase {
                    Phase::Forward => {}
                    Phase::Backward => own.backward = own.backward.saturating_add(below.ns),
                    Phase::Recomputed => own.recomputed = own.recomputed.saturating_add(below.ns),
                }
            }
            Walk::Enter(row) => {
                let around = open.last().copied().unwrap_or((row, None, Phase::Forward));
                let call = self.inside(row, kinds[row], hint(rows.name(row)), around);
                open.push(call);
                let Some(module) = call.1 else { return };
                let own = &mut self.own[module as usize];
                own.total = own.total.saturating_add(graph.self_ns(row));
                own.launches = own.launches.saturating_add(self.trees.launch_ns(row));
                if let (EventKind::Operator, Some(work)) = (kinds[row], work) {
                    work.add_to(own, row);
                }
            }
            Walk::Leave(row) => {
                open.pop_if(|(open, ..)| *open == row);
            }
        };
        graph.forest().walk(|row| row, step);
    }

    fn recomputed(&self) -> i64 {
        self.own.iter().fold(0, |sum, own| sum.saturating_add(own.recomputed))
    }

    /// Adds up calls with those inside, then the calls of each module; calls inside a call of the same module count once.
    fn named(mut self) -> BTreeMap<String, Sums> {
        let rows = self.rows;
        // A call begins after the one around it.
        let begin = |(call, &row): (u32, &usize)| (rows.ts(row), self.graph.forest().depth(row), call);
        let mut order: Vec<(Option<i64>, Option<u32>, u32)> = (0..).zip(&self.calls).map(begin).collect();
        // Recorded calls, then borrowed ones, are nearly in this order.
        order.sort();
        let mut position = vec![0; order.len()];
        for (at, &(.., call)) in order.iter().enumerate() {
            position[call as usize] = at;
        }
        for (call, around) in self.around.iter_mut().enumerate() {
            *around = around.filter(|&around| position[around as usize] < position[call]);
        }
        let mut whole = self.own.clone();
        for &(.., call) in order.iter().rev() {
            if let Some(around) = self.around[call as usize] {
                let below = whole[call as usize].clone();
                whole[around as usize].add(&below);
            }
        }
        let mut by_name: BTreeMap<u32, Sums> = BTreeMap::new();
        for (call, (own, whole)) in self.own.iter().zip(whole).enumerate() {
            let (row, name) = (self.calls[call], rows.name(self.calls[call]));
            let up = |&call: &u32| self.around[call as usize];
            let mut above = std::iter::successors(self.around[call], up);
            let is_outermost = !above.any(|above| rows.name(self.calls[above as usize]) == name);
            let of_all = if is_outermost { whole } else { Sums::default() };
            let kernel_span = if is_outermost { self.graph.kernels(row).span() } else { 0 };
            by_name.entry(name).or_default().add(&Sums {
                count: 1,
                own: own.total,
                kernel_own: own.kernel_total,
                borrowed: own.borrowed,
                kernel_span,
                ..of_all
            });
        }
        by_name.into_iter().map(|(name, sums)| (rows.text(name).to_owned(), sums)).collect()
    }
}

/// Tells whether modules were recorded.
pub(in crate::analysis) fn has_modules(view: &RankView) -> bool {
    let rows = view.rank_events();
    let kinds = rows.kinds();
    let mut hint = rows.per_text(Hint::of);
    let is_module =
        |&row: &u32| kinds[row as usize] == EventKind::Python && hint(rows.name(row as usize)) == Hint::Module;
    cancellable(view.rows()).any(is_module)
}

/// Adds up the modules of a rank, and all that was recomputed in them, in ns; `forward` are the indices of forward operators by backward
/// operator.
pub(super) fn module_sums(
    trees: &CallTrees,
    forward: Option<&IntColumn>,
    work: Option<&RankWork>,
) -> (BTreeMap<String, Sums>, i64) {
    let mut modules = Modules::of(trees, forward);
    modules.count(work);
    let recomputed = modules.recomputed();
    (modules.named(), recomputed)
}

/// Returns the time of the kernels of modules that ran once more for the backward, in ns.
pub(super) fn recomputed_ns(trees: &CallTrees, forward: Option<&IntColumn>) -> i64 {
    let mut modules = Modules::of(trees, forward);
    if modules.calls.is_empty() {
        return 0;
    }
    modules.count(None);
    modules.recomputed()
}
