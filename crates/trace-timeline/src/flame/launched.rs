//! The kernels of launches, below the calls that companions lend to them.

use super::collector::Collector;
use call_tree::{BelowLaunch, Event, LabelId, Labels, Recording};
use foldhash::HashMap;
use std::ops::Range;
use timeline::{Call, Name};

/// The calls that companions lend.
pub(super) struct BorrowedBoxes {
    /// Their positions among the calls.
    indices: BelowLaunch<u32>,
    names: Vec<BorrowedName>,
    /// Boxes below the first launch of each graph.
    graphs: HashMap<Graph, Below>,
}

impl BorrowedBoxes {
    /// No boxes yet of so many calls.
    pub(super) fn of(calls: usize) -> Self {
        let (indices, names) = (BelowLaunch::new(calls, 0), vec![BorrowedName::default(); calls]);
        Self { indices, names, graphs: HashMap::default() }
    }
}

/// What the boxes below a launch depend on.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Graph {
    /// The names of the calls around it.
    open: Vec<Name>,
    /// Its kernels in order: their labels and innermost borrowed calls.
    kernels: Vec<(LabelId, Option<u32>)>,
}

/// The boxes below a launch.
struct Below {
    /// Their positions among the calls.
    calls: Range<u32>,
    /// Positions of the kernels among these.
    kernels: Vec<u32>,
}

/// The names of a call that a companion lends.
#[derive(Debug, Clone, Copy, Default)]
struct BorrowedName {
    /// That in the companion.
    plain: Option<Name>,
    /// That below a launch.
    borrowed: Option<Name>,
}

/// A launch whose kernels borrow calls.
pub(super) struct Launch<'o> {
    /// Its position among the calls.
    pub(super) index: u32,
    /// When it starts, in ns.
    pub(super) at: i64,
    /// Positions and names of the calls around it.
    pub(super) open: &'o [(u32, Name)],
    /// Its kernels in order, each with its number.
    pub(super) kernels: &'o [(u32, &'o Event)],
}

/// The end of the name of a call that a companion lends.
const BORROWED: &str = " (borrowed)";

impl Collector<'_> {
    /// Adds the kernels of a launch. A graph has the same below all its launches from equal stacks: what a launch before it has is repeated.
    pub(super) fn add_kernels(
        &mut self,
        recording: &Recording,
        labels: &Labels,
        own: &HashMap<u32, i64>,
        launch: &Launch<'_>,
        boxes: &mut BorrowedBoxes,
    ) {
        let kernels = launch.kernels.iter().map(|&(_, kernel)| kernel);
        let times = |kernel: &Event| own.get(&kernel.row).copied().unwrap_or(0);
        if let [_, _, ..] = launch.kernels {
            let innermost = |kernel: &Event| recording.borrowed.above(kernel.row).next();
            let graph = Graph {
                open: launch.open.iter().map(|&(_, name)| name).collect(),
                kernels: kernels.clone().map(|kernel| (kernel.label, innermost(kernel))).collect(),
            };
            if let Some(first) = boxes.graphs.get(&graph) {
                let like = Call { parent: Some(launch.index), name: 0, own: 0, side: self.side, at: launch.at };
                let times = first.kernels.iter().copied().zip(kernels.map(times));
                self.calls.repeat(first.calls.clone(), like, times);
                return;
            }
            let begin = self.calls.len() as u32;
            let kernels = self.add_plain(recording, labels, times, launch, boxes);
            let kernels = kernels.into_iter().map(|index| index - begin).collect();
            boxes.graphs.insert(graph, Below { calls: begin..self.calls.len() as u32, kernels });
        } else {
            self.add_plain(recording, labels, times, launch, boxes);
        }
    }

    /// Adds the kernels of a launch, with the calls that companions lend to them; returns their positions.
    fn add_plain(
        &mut self,
        recording: &Recording,
        labels: &Labels,
        own: impl Fn(&Event) -> i64,
        launch: &Launch<'_>,
        boxes: &mut BorrowedBoxes,
    ) -> Vec<u32> {
        boxes.indices.begin();
        let kernels = launch.kernels.iter().map(|&(_, kernel)| {
            let above = self.borrow(recording, labels, kernel, launch, boxes);
            let name = self.name(labels, kernel.label);
            self.push(Some(above), name, own(kernel), launch.at)
        });
        kernels.collect()
    }

    /// Adds the calls that a companion lends to a kernel, each once below a launch, but those that are open around it; returns the innermost.
    fn borrow(
        &mut self,
        recording: &Recording,
        labels: &Labels,
        kernel: &Event,
        launch: &Launch<'_>,
        boxes: &mut BorrowedBoxes,
    ) -> u32 {
        let calls = recording.borrowed.calls();
        let BorrowedBoxes { indices, names, .. } = boxes;
        let above = recording.borrowed.above(kernel.row);
        indices.innermost(above, launch.index, |call, around| {
            let (label, of_call) = (calls[call as usize].label, &mut names[call as usize]);
            let plain = *of_call.plain.get_or_insert_with(|| self.name(labels, label));
            if launch.open.iter().any(|&(_, opened)| opened == plain) {
                return around;
            }
            let numbered = || self.names.number(&format!("{}{BORROWED}", labels.text(label)));
            let borrowed = *of_call.borrowed.get_or_insert_with(numbered);
            self.push(Some(around), borrowed, 0, launch.at)
        })
    }
}
