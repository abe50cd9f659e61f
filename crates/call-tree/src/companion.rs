//! Companions: recordings made without graphs, or of captures of graphs, whose calls are lent to the kernels of a graph.

use crate::align::{Hashed, matched};
use crate::capture::{self, Captured, Launched, Match};
use crate::input::batch::{Batch, Capture};
use crate::input::borrowed::{Borrowed, BorrowedCall};
use crate::input::event::{Event, launches};
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Level, Symbol};
use crate::input::recording::Recording;
use crate::input::window::window_at;
use crate::portable::{Damaged, HasLabels};
use crate::tree::build::graph_kernels;
use crate::tree::nesting::Nested;
use crate::tree::node::NONE;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A recording whose kernels were launched one by one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Companion {
    /// Number of recordings that its calls are of.
    runs: u32,
    /// Calls, each behind the one around it.
    calls: Vec<BorrowedCall>,
    /// Its kernels by iteration, in the order of their launches.
    iterations: Vec<Vec<Launched>>,
    /// The kernels of each graph that it captured, in the order of their launches.
    captures: Vec<Captured>,
    /// Nodes of graphs that annotations name, ascending, each with its innermost call.
    nodes: Vec<(i64, u32)>,
}

/// How many kernels of graphs got calls.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loan {
    /// Kernels of graphs in selected iterations.
    pub kernels: u64,
    /// Those that got calls.
    pub borrowed: u64,
    /// Borrowed kernels whose calls have no inputs: several captures, which differ in inputs only, fit their graph.
    pub without_inputs: u64,
    /// Those without calls since several captures, which differ, fit their graph.
    pub ambiguous: u64,
    /// Numbers of the others without calls, by name without template arguments, parameters and digits.
    pub unmatched: BTreeMap<String, u64>,
}

impl Companion {
    /// Takes the calls and kernels of a recording; kernels of its own graphs have no calls to lend. A kernel that was launched by itself but
    /// has the number of a node stands for that node: annotations of nodes are such recordings.
    pub fn of(recording: &Recording, labels: &Labels) -> Self {
        let events = &recording.events;
        let nested = Nested::of(events, false);
        let is_call = |at: u32| {
            let Event { kind, label, .. } = events[at as usize];
            kind != Kind::Launch && !labels.is_step(label)
        };
        let by_id = launches(events);
        let launched: Vec<(u32, u32)> = events
            .iter()
            .zip(0..)
            .filter(|(event, _)| event.kind.is_gpu())
            .filter_map(|(event, at)| Some((*by_id.get(&event.correlation?)?, at)))
            .filter(|&(launch, _)| events[launch as usize].kind == Kind::Launch)
            .collect();
        // Only calls above kernels are lent.
        let mut is_above = vec![false; events.len()];
        let captured = recording.captures.iter().flat_map(|capture| &capture.launches).map(|&(launch, _)| launch);
        for launch in launched.iter().map(|&(launch, _)| launch).chain(captured) {
            let mut up = nested.parent[launch as usize];
            while up != NONE && !std::mem::replace(&mut is_above[up as usize], true) {
                up = nested.parent[up as usize];
            }
        }
        let mut call_of = vec![NONE; events.len()];
        let mut calls = Vec::new();
        let around = |call_of: &[u32], at: u32| {
            let mut up = nested.parent[at as usize];
            while up != NONE && call_of[up as usize] == NONE {
                up = nested.parent[up as usize];
            }
            if up == NONE { NONE } else { call_of[up as usize] }
        };
        for &at in &nested.order {
            if is_above[at as usize] && is_call(at) {
                call_of[at as usize] = calls.len() as u32;
                let Event { label, row, .. } = events[at as usize];
                calls.push(BorrowedCall { around: around(&call_of, at), label, run: 0, row, has_inputs: true });
            }
        }
        let windows = &recording.windows;
        let mut kernels = launched;
        kernels.sort_by_key(|&(launch, at)| (events[launch as usize].start, events[at as usize].start));
        let mut iterations = vec![Vec::new(); windows.len().max(1)];
        let mut nodes: Vec<(i64, u32)> = Vec::new();
        for (launch, at) in kernels {
            if let Some(node) = recording.graph_node(events[at as usize].row).filter(|&node| node != 0) {
                nodes.push((node, around(&call_of, launch)));
                continue;
            }
            let window = if windows.is_empty() { Some(0) } else { window_at(windows, events[launch as usize].start) };
            if let Some(window) = window {
                iterations[window].push(Launched { label: events[at as usize].label, call: around(&call_of, launch) });
            }
        }
        let launched = |&(launch, label): &(u32, LabelId)| Launched { label, call: around(&call_of, launch) };
        let captured = |Capture { batch, launches }: &Capture| Captured {
            batch: *batch,
            kernels: launches.iter().map(launched).collect(),
        };
        let captures = recording.captures.iter().map(captured).collect();
        nodes.sort_unstable();
        nodes.dedup_by_key(|&mut (node, _)| node);
        Self { runs: 1, calls, iterations, captures, nodes }
    }

    /// Adds the calls, iterations and captures of another companion behind its own.
    #[must_use]
    pub fn beside(mut self, other: Self) -> Self {
        let first = self.calls.len() as u32;
        let moved = |call: u32| if call == NONE { NONE } else { call + first };
        let runs = self.runs;
        let behind = |call: BorrowedCall| BorrowedCall {
            around: moved(call.around),
            run: call.run.saturating_add(runs),
            ..call
        };
        self.calls.extend(other.calls.into_iter().map(behind));
        self.runs = runs.saturating_add(other.runs);
        let kernels = |list: Vec<Launched>| -> Vec<Launched> {
            list.into_iter().map(|one| Launched { call: moved(one.call), ..one }).collect()
        };
        self.iterations.extend(other.iterations.into_iter().map(kernels));
        let captured = |one: Captured| Captured { kernels: kernels(one.kernels), ..one };
        self.captures.extend(other.captures.into_iter().map(captured));
        self.nodes.extend(other.nodes.into_iter().map(|(node, call)| (node, moved(call))));
        // Where both name a node, the call of the first companion counts.
        self.nodes.sort_by_key(|&(node, _)| node);
        self.nodes.dedup_by_key(|&mut (node, _)| node);
        self
    }

    /// Returns its memory in bytes, without the texts of its labels.
    pub fn bytes(&self) -> usize {
        let kernels: usize = self.lists().map(Vec::len).sum();
        self.calls.len() * size_of::<BorrowedCall>()
            + kernels * size_of::<Launched>()
            + self.nodes.len() * size_of::<(i64, u32)>()
    }

    /// Returns the kernels of each iteration and of each capture.
    fn lists(&self) -> impl Iterator<Item = &Vec<Launched>> {
        self.iterations.iter().chain(self.captures.iter().map(|capture| &capture.kernels))
    }

    /// Tells whether it has frames of Python or modules.
    pub fn has_stacks(&self, labels: &Labels) -> bool {
        self.calls.iter().any(|call| labels.kind(call.label).is_stack())
    }

    /// Lends calls to the kernels of graphs: those of the graph's capture (the order of the graphs of a step decides where several fit), else by
    /// order and name, within each graph and iteration, else those that annotations of their nodes name. A kernel without a partner stays as it
    /// is. Kernels of the selected iterations are counted. Labels of lent calls have no inputs, as those of recordings have none.
    pub fn lend(&self, recording: &mut Recording, labels: &mut Labels) -> Loan {
        let (mut loan, mut of, mut ambiguous) = (Loan::default(), Vec::new(), Vec::new());
        let mut unmatched: BTreeMap<Symbol, u64> = BTreeMap::new();
        let mut calls = Bare::of(&self.calls);
        let graphs: Vec<Graph> =
            graph_kernels(recording).into_iter().map(|graph| Graph::of(graph, recording)).collect();
        // A graph that is replayed again finds what it found before.
        let mut known: HashMap<(&[LabelId], Begin, Option<Batch>), Found> = HashMap::default();
        for step in graphs.chunk_by(|one, other| one.window == other.window) {
            let is_selected = step.first().is_some_and(|graph| graph.window.is_some());
            let counts = is_selected || (recording.windows.is_empty() && recording.others.is_empty());
            let (mut begin, mut in_order) = (Begin::default(), None);
            for (at, graph) in step.iter().enumerate() {
                let found = known.entry((&graph.kernels, begin, graph.batch)).or_insert_with(|| {
                    let found = self.find(&graph.kernels, begin, graph.batch, labels);
                    if found.has_inputs { found } else { calls.without_inputs(found) }
                });
                begin = found.behind;
                let mut by_order = None;
                if found.is_ambiguous || !found.has_inputs {
                    let groups = in_order.get_or_insert_with(|| self.in_order(step, labels));
                    by_order = match capture::find_at(groups, at, &self.calls, (&graph.kernels, graph.batch), labels) {
                        Match::Calls(calls) => Some(Found::of(calls, begin)),
                        Match::WithoutInputs(of) if found.is_ambiguous => {
                            Some(calls.without_inputs(Found { has_inputs: false, ..Found::of(of, begin) }))
                        }
                        _ => None,
                    };
                }
                let found = by_order.as_ref().unwrap_or(found);
                for ((&row, &label), matched) in graph.rows.iter().zip(&graph.kernels).zip(&found.calls) {
                    let call = matched.or_else(|| self.annotated(recording.graph_node(row)?));
                    let is_ambiguous = found.is_ambiguous && call.is_none();
                    of.push((row, call.unwrap_or(NONE)));
                    ambiguous.extend(is_ambiguous.then_some(row));
                    if !counts {
                        continue;
                    }
                    loan.kernels += 1;
                    loan.borrowed += u64::from(call.is_some());
                    loan.without_inputs += u64::from(matched.is_some() && !found.has_inputs);
                    loan.ambiguous += u64::from(is_ambiguous);
                    if call.is_none() && !is_ambiguous {
                        *unmatched.entry(labels.get(label).name).or_default() += 1;
                    }
                }
            }
        }
        for call in calls.calls.iter_mut().filter(|call| !call.has_inputs) {
            call.label = labels.without_inputs(call.label);
        }
        loan.unmatched =
            unmatched.into_iter().map(|(name, kernels)| (labels.text_of(name).to_owned(), kernels)).collect();
        recording.borrowed = Borrowed::new(calls.calls, of, ambiguous);
        loan
    }

    /// Returns the captures whose order tells the graphs of a step apart.
    fn in_order(&self, step: &[Graph], labels: &Labels) -> Vec<&[Captured]> {
        let kernels: Vec<&[LabelId]> = step.iter().map(|graph| &graph.kernels[..]).collect();
        let ids: Vec<Option<i64>> = step.iter().map(|graph| graph.id).collect();
        capture::in_order(&self.captures, &kernels, &ids, labels)
    }

    /// Returns the innermost call that an annotation names for a node of a graph.
    fn annotated(&self, node: i64) -> Option<u32> {
        let at = self.nodes.binary_search_by_key(&node, |&(node, _)| node).ok()?;
        known(self.nodes[at].1)
    }

    /// Finds kernels: in a capture, else in a row from `begin` on, else in a row anywhere, else as many as possible in their order.
    fn find(&self, kernels: &[LabelId], begin: Begin, batch: Option<Batch>, labels: &Labels) -> Found {
        match capture::find(&self.captures, &self.calls, (kernels, batch), labels) {
            Match::Calls(calls) => return Found::of(calls, begin),
            Match::WithoutInputs(calls) => return Found { has_inputs: false, ..Found::of(calls, begin) },
            Match::Ambiguous => return Found { is_ambiguous: true, ..Found::nothing(kernels.len(), begin) },
            Match::None => {}
        }
        for level in [Level::Exact, Level::Name] {
            let wanted: Vec<u64> = kernels.iter().map(|&label| labels.get(label).at(level).number()).collect();
            for from in [begin, Begin::default()] {
                for (iteration, launched) in self.iterations.iter().enumerate().skip(from.iteration) {
                    let from = if iteration == from.iteration { from.kernel } else { 0 };
                    let has: Vec<u64> = launched[from.min(launched.len())..]
                        .iter()
                        .map(|one| labels.get(one.label).at(level).number())
                        .collect();
                    if let Some(at) = has.windows(wanted.len().max(1)).position(|run| run == wanted) {
                        let first = from + at;
                        let behind = Begin { iteration, kernel: first + wanted.len() };
                        let calls = launched[first..behind.kernel].iter().map(|one| known(one.call));
                        return Found::of(calls.collect(), behind);
                    }
                }
            }
        }
        self.align(kernels, begin, labels)
    }

    fn align(&self, kernels: &[LabelId], begin: Begin, labels: &Labels) -> Found {
        let mut best = Found::nothing(kernels.len(), begin);
        let hashed = |labels_of: &mut dyn Iterator<Item = LabelId>| -> Vec<Hashed> {
            labels_of.map(|label| Hashed::of(label, labels)).collect()
        };
        let ours = hashed(&mut kernels.iter().copied());
        let mut most = 0;
        let mut seen: Vec<Vec<LabelId>> = Vec::new();
        for (iteration, launched) in self.iterations.iter().enumerate() {
            let theirs: Vec<LabelId> = launched.iter().map(|one| one.label).collect();
            // Iterations are mostly alike.
            if seen.contains(&theirs) || seen.len() == MOST_TRIED {
                continue;
            }
            let pairs = matched(&ours, &hashed(&mut theirs.iter().copied()));
            seen.push(theirs);
            if pairs.len() > most {
                most = pairs.len();
                best.calls = vec![None; kernels.len()];
                for &(our, their) in &pairs {
                    best.calls[our] = known(launched[their].call);
                }
                let kernel = pairs.iter().map(|&(_, their)| their + 1).max().unwrap_or(0);
                best.behind = Begin { iteration, kernel };
            }
        }
        best
    }
}

impl HasLabels for Companion {
    fn visit_labels(&mut self, visit: &mut dyn FnMut(&mut LabelId)) {
        self.calls.iter_mut().for_each(|call| visit(&mut call.label));
        let captured = self.captures.iter_mut().map(|capture| &mut capture.kernels);
        let kernels = self.iterations.iter_mut().chain(captured).flatten();
        kernels.for_each(|one| visit(&mut one.label));
    }

    fn check(&self) -> Result<(), Damaged> {
        let is_around_itself = (0..).zip(&self.calls).any(|(at, call)| call.around != NONE && call.around >= at);
        if is_around_itself {
            return Err(Damaged("a call is around itself"));
        }
        let mut calls = self.lists().flatten().map(|one| one.call).chain(self.nodes.iter().map(|&(_, call)| call));
        let is_known = calls.all(|call| call == NONE || (call as usize) < self.calls.len());
        if is_known { Ok(()) } else { Err(Damaged("a kernel has no call")) }
    }
}

/// A launch of a graph.
struct Graph {
    /// The iteration of the launch, if it is selected.
    window: Option<usize>,
    /// The batch that annotations around the launch name.
    batch: Option<Batch>,
    /// The number of the graph; `None` if it was not recorded.
    id: Option<i64>,
    /// Rows of the kernels, in their order.
    rows: Vec<u32>,
    /// Their labels.
    kernels: Vec<LabelId>,
}

impl Graph {
    fn of((launch, named): (Event, Vec<(u32, LabelId)>), recording: &Recording) -> Self {
        let batch = recording.batches.binary_search_by_key(&launch.row, |&(row, _)| row);
        let (rows, kernels): (Vec<u32>, Vec<LabelId>) = named.into_iter().unzip();
        let node = rows.first().and_then(|&row| recording.graph_node(row)).filter(|&node| node != 0);
        Self {
            window: window_at(&recording.windows, launch.start),
            batch: batch.ok().map(|at| recording.batches[at].1),
            id: node.map(|node| node >> 32),
            rows,
            kernels,
        }
    }
}

/// Iterations that differ from each other and are tried, for a graph whose kernels stand nowhere in a row.
const MOST_TRIED: usize = 4;

/// Where the search for the next graph begins: behind the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Begin {
    iteration: usize,
    kernel: usize,
}

/// Calls of the kernels of a graph.
#[derive(Debug, Clone)]
struct Found {
    calls: Vec<Option<u32>>,
    behind: Begin,
    /// Several captures fit, which differ.
    is_ambiguous: bool,
    /// Captures that fit agree in the inputs of their calls.
    has_inputs: bool,
}

impl Found {
    /// Returns the calls of the kernels of a graph, whose inputs are theirs.
    fn of(calls: Vec<Option<u32>>, behind: Begin) -> Self {
        Self { calls, behind, is_ambiguous: false, has_inputs: true }
    }

    /// Returns that so many kernels have no calls.
    fn nothing(kernels: usize, behind: Begin) -> Self {
        Self::of(vec![None; kernels], behind)
    }
}

/// Calls of a companion, and behind them copies of some without inputs.
struct Bare {
    calls: Vec<BorrowedCall>,
    /// The copy of each call.
    copies: HashMap<u32, u32>,
}

impl Bare {
    fn of(calls: &[BorrowedCall]) -> Self {
        Self { calls: calls.to_vec(), copies: HashMap::default() }
    }

    /// Replaces calls, and those around them, by copies whose inputs are unknown.
    fn without_inputs(&mut self, mut found: Found) -> Found {
        for call in found.calls.iter_mut().flatten() {
            let (mut path, mut at) = (Vec::new(), *call);
            while at != NONE && !self.copies.contains_key(&at) {
                path.push(at);
                at = self.calls[at as usize].around;
            }
            while let Some(at) = path.pop() {
                let around = self.calls[at as usize].around;
                let around = self.copies.get(&around).copied().unwrap_or(NONE);
                let copy = BorrowedCall { around, has_inputs: false, ..self.calls[at as usize] };
                self.copies.insert(at, self.calls.len() as u32);
                self.calls.push(copy);
            }
            *call = self.copies.get(call).copied().unwrap_or(*call);
        }
        found
    }
}

fn known(call: u32) -> Option<u32> {
    Some(call).filter(|&call| call != NONE)
}
