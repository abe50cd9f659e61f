//! Companions: recordings made without graphs, or of captures of graphs, whose calls are lent to the kernels of a graph.

use crate::align::{Hashed, matched};
use crate::capture::{self, Launched, Match};
use crate::input::borrowed::Borrowed;
use crate::input::event::Event;
use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels, Level};
use crate::input::recording::Recording;
use crate::input::window::window_at;
use crate::portable::{Damaged, HasLabels};
use crate::tree::build::graph_kernels;
use crate::tree::nesting::{Nested, launches};
use crate::tree::node::NONE;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A recording whose kernels were launched one by one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Companion {
    /// Calls: the one around each, or [`NONE`], and its labels.
    calls: Vec<(u32, LabelId)>,
    /// Its kernels by iteration, in the order of their launches.
    iterations: Vec<Vec<Launched>>,
    /// The kernels of each graph that it captured, in the order of their launches.
    captures: Vec<Vec<Launched>>,
}

/// How many kernels of graphs got calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loan {
    /// Kernels of graphs in selected iterations.
    pub kernels: u64,
    /// Those that got calls.
    pub borrowed: u64,
    /// Those without calls since several captures, which differ, fit their graph.
    pub ambiguous: u64,
}

impl Companion {
    /// Takes the calls and kernels of a recording; kernels of its own graphs have no calls to lend.
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
        let captured = recording.captures.iter().flatten().map(|&(launch, _)| launch);
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
                calls.push((around(&call_of, at), events[at as usize].label));
            }
        }
        let windows = &recording.windows;
        let mut kernels = launched;
        kernels.sort_by_key(|&(launch, at)| (events[launch as usize].start, events[at as usize].start));
        let mut iterations = vec![Vec::new(); windows.len().max(1)];
        for (launch, at) in kernels {
            let window = if windows.is_empty() { Some(0) } else { window_at(windows, events[launch as usize].start) };
            if let Some(window) = window {
                iterations[window].push(Launched { label: events[at as usize].label, call: around(&call_of, launch) });
            }
        }
        let captured = |&(launch, label): &(u32, LabelId)| Launched { label, call: around(&call_of, launch) };
        let captures = recording.captures.iter().map(|capture| capture.iter().map(captured).collect()).collect();
        Self { calls, iterations, captures }
    }

    /// Adds the calls, iterations and captures of another companion behind its own.
    #[must_use]
    pub fn beside(mut self, other: Self) -> Self {
        let first = self.calls.len() as u32;
        let moved = |call: u32| if call == NONE { NONE } else { call + first };
        self.calls.extend(other.calls.into_iter().map(|(up, label)| (moved(up), label)));
        let lists = |lists: Vec<Vec<Launched>>| {
            let kernels = |list: Vec<Launched>| list.into_iter().map(|one| Launched { call: moved(one.call), ..one });
            lists.into_iter().map(|list| kernels(list).collect::<Vec<_>>()).collect::<Vec<_>>()
        };
        self.iterations.extend(lists(other.iterations));
        self.captures.extend(lists(other.captures));
        self
    }

    /// Tells whether it has frames of Python or modules.
    pub fn has_stacks(&self, labels: &Labels) -> bool {
        self.calls.iter().any(|&(_, label)| labels.kind(label).is_stack())
    }

    /// Lends calls to the kernels of graphs in the selected iterations: those of the graph's capture, else by order and name, within each
    /// graph. A kernel without a partner stays as it is.
    pub fn lend(&self, recording: &mut Recording, labels: &Labels) -> Loan {
        let mut loan = Loan::default();
        let mut of = Vec::new();
        // A graph that is replayed again finds what it found before.
        let mut known: HashMap<(Vec<LabelId>, Begin), Found> = HashMap::new();
        let (mut window, mut begin) = (None, Begin::default());
        for (launch, rows) in graph_kernels(recording) {
            let at = window_at(&recording.windows, launch.start);
            if at.is_none() && !(recording.windows.is_empty() && recording.others.is_empty()) {
                continue;
            }
            if at != window {
                (window, begin) = (at, Begin::default());
            }
            loan.kernels += rows.len() as u64;
            let kernels: Vec<LabelId> = rows.iter().map(|&(_, label)| label).collect();
            let found =
                known.entry((kernels, begin)).or_insert_with_key(|(kernels, begin)| self.find(kernels, *begin, labels));
            begin = found.behind;
            loan.ambiguous += if found.is_ambiguous { rows.len() as u64 } else { 0 };
            for (&(row, _), call) in rows.iter().zip(&found.calls) {
                if let Some(call) = *call {
                    of.push((row, call));
                    loan.borrowed += 1;
                }
            }
        }
        recording.borrowed = Borrowed::new(self.calls.clone(), of);
        loan
    }

    /// Finds kernels: in a capture, else in a row from `begin` on, else in a row anywhere, else as many as possible in their order.
    fn find(&self, kernels: &[LabelId], begin: Begin, labels: &Labels) -> Found {
        match capture::find(&self.captures, &self.calls, kernels, labels) {
            Match::Calls(calls) => return Found { calls, behind: begin, is_ambiguous: false },
            Match::Ambiguous => {
                return Found { calls: vec![None; kernels.len()], behind: begin, is_ambiguous: true };
            }
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
                        return Found { calls: calls.collect(), behind, is_ambiguous: false };
                    }
                }
            }
        }
        self.align(kernels, begin, labels)
    }

    fn align(&self, kernels: &[LabelId], begin: Begin, labels: &Labels) -> Found {
        let mut best = Found { calls: vec![None; kernels.len()], behind: begin, is_ambiguous: false };
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
        self.calls.iter_mut().for_each(|(_, label)| visit(label));
        let kernels = self.iterations.iter_mut().chain(&mut self.captures).flatten();
        kernels.for_each(|one| visit(&mut one.label));
    }

    fn check(&self) -> Result<(), Damaged> {
        let is_around_itself = (0..).zip(&self.calls).any(|(at, &(up, _))| up != NONE && up >= at);
        if is_around_itself {
            return Err(Damaged("a call is around itself"));
        }
        let mut kernels = self.iterations.iter().chain(&self.captures).flatten();
        let is_known = kernels.all(|one| one.call == NONE || (one.call as usize) < self.calls.len());
        if is_known { Ok(()) } else { Err(Damaged("a kernel has no call")) }
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
}

fn known(call: u32) -> Option<u32> {
    Some(call).filter(|&call| call != NONE)
}
