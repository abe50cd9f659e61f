//! Merging of two aligned trees into one, by their regions.

use super::entry::{Entry, Measures, TreeKind};
use super::idle::{idle, timed};
use super::names::{call_name, either_name, kernel_name, modules, region_name};
use crate::explain::modules::SidesWithModules;
use call_tree::{Alignment, Change, Cost, Explanation, Grade, Labels, NONE, NodeId, Region, Role, Tree, Weights};
use std::collections::HashMap;
use std::ops::Range;

/// The virtual root of a tree.
const ROOT: NodeId = 0;

/// Merges the aligned trees, and adds idle and unattributed time. The entries at the top add up to the step. Idle time stands before the
/// calls if it changed more than they did all together, else behind them.
pub(super) fn merge(found: &Explanation, labels: &Labels, with_modules: SidesWithModules) -> Vec<Entry> {
    let alignment = &found.alignment;
    let mut merger = Merger {
        alignment,
        weights: &found.weights,
        labels,
        with_modules,
        control: Side::of(&alignment.control),
        test: Side::of(&alignment.test),
        grown: vec![Grown::new(Entry::new(TreeKind::Call, ""))],
        of_control: HashMap::from([(ROOT, 0)]),
        of_test: HashMap::new(),
    };
    for (id, region) in found.regions.iter().enumerate() {
        let measures = Measures { count: region.count, attributed_ns: region.attributed_ns, total_ns: region.ns };
        merger.region(id, &region.region, measures);
    }
    merger.add_up();
    merger.merge_single();
    let (calls, idle) = (merger.flatten(), idle(found, labels));
    let of_calls: i128 = found.regions.iter().map(|region| region.attributed_ns.numerator()).sum();
    let is_first = found.idle_ns.numerator().abs() > of_calls.abs();
    let (mut entries, behind) = if is_first { (idle, calls) } else { (calls, idle) };
    let before = entries.len();
    entries.extend(behind.into_iter().map(|entry| Entry { parent: entry.parent.map(|id| id + before), ..entry }));
    let mut entry = timed(TreeKind::Unattributed, "unattributed", found.unattributed_ns);
    entry.grade = Some("unattributed");
    entry.why = "time of GPU events in a selected step that another step launched".to_owned();
    entries.push(entry);
    entries
}

/// A tree with its parents and its order.
struct Side {
    parent: Vec<NodeId>,
    /// Place of each node, parents before children, and the place behind the last node below it.
    positions: Vec<Range<u32>>,
}

impl Side {
    fn of(tree: &Tree) -> Self {
        let count = tree.nodes().len();
        let (mut parent, mut positions) = (vec![NONE; count], vec![0..0; count]);
        let (mut order, mut open) = (Vec::with_capacity(count), vec![ROOT]);
        while let Some(id) = open.pop() {
            let position = order.len() as u32;
            positions[id as usize] = position..position + 1;
            order.push(id);
            for &child in tree.node(id).children.iter().rev() {
                parent[child as usize] = id;
                open.push(child);
            }
        }
        for &id in order.iter().rev() {
            let (end, up) = (positions[id as usize].end, parent[id as usize]);
            if up != NONE {
                let around = &mut positions[up as usize];
                around.end = around.end.max(end);
            }
        }
        Self { parent, positions }
    }

    /// The places of some leaves, from the first to the last; `None` without leaves.
    fn span(&self, leaves: &[NodeId]) -> Option<Range<u32>> {
        let begin = leaves.iter().map(|&leaf| self.positions[leaf as usize].start).min()?;
        let end = leaves.iter().map(|&leaf| self.positions[leaf as usize].end).max()?;
        Some(begin..end)
    }

    fn contains(&self, id: NodeId, span: &Range<u32>) -> bool {
        let around = &self.positions[id as usize];
        around.start <= span.start && span.end <= around.end
    }

    /// The innermost call above all of these leaves.
    fn above(&self, leaves: &[NodeId], span: &Range<u32>) -> NodeId {
        let mut at = leaves.first().map_or(ROOT, |&leaf| self.up(leaf));
        while at != ROOT && !self.contains(at, span) {
            at = self.up(at);
        }
        at
    }

    fn up(&self, id: NodeId) -> NodeId {
        match self.parent[id as usize] {
            NONE => ROOT,
            up => up,
        }
    }
}

/// An entry under construction.
struct Grown {
    entry: Entry,
    children: Vec<usize>,
    /// Place of its first leaf in control.
    control_at: Option<u32>,
    /// Place of its first leaf in test; of what moved none.
    test_at: Option<u32>,
    /// It stands for calls, into which their only region is merged.
    merges: bool,
}

impl Grown {
    fn new(entry: Entry) -> Self {
        Self { entry, children: Vec::new(), control_at: None, test_at: None, merges: false }
    }
}

struct Merger<'e> {
    alignment: &'e Alignment,
    weights: &'e [Weights; 2],
    labels: &'e Labels,
    with_modules: SidesWithModules,
    control: Side,
    test: Side,
    /// Parents stand before their children; the first is the virtual root.
    grown: Vec<Grown>,
    of_control: HashMap<NodeId, usize>,
    /// Calls that only test has.
    of_test: HashMap<NodeId, usize>,
}

impl Merger<'_> {
    fn region(&mut self, id: usize, region: &Region, measures: Measures) {
        let (control, test) = (self.control.span(&region.control), self.test.span(&region.test));
        let above = match (&control, &test) {
            (Some(control), Some(test)) => {
                let mut at = self.control.above(&region.control, control);
                // The innermost pair of calls with all leaves of both sides.
                while at != ROOT && !self.holds(at, test) {
                    at = self.control.up(at);
                }
                self.call_of_control(at)
            }
            (Some(control), None) => self.call_of_control(self.control.above(&region.control, control)),
            (None, Some(test)) => self.call_of_test(self.test.above(&region.test, test)),
            (None, None) => 0,
        };
        let mut entry = Entry::new(TreeKind::Region, region_name(self.alignment, region, self.labels));
        entry.grade = Some(region.grade.word());
        entry.why = region.why.sentence().to_owned();
        entry.region = Some(id);
        entry.within = self.with_modules.modules(self.alignment, region, self.labels);
        (entry.own, entry.all) = (measures, measures);
        if region.grade == Grade::Moved
            && let Some(&leaf) = region.test.first()
        {
            let mut path = self.alignment.test.path(leaf, self.labels);
            path.pop();
            entry.why = format!("{}; in test: {}", entry.why, path.join(" > "));
        }
        let mut grown = Grown::new(entry);
        grown.control_at = control.map(|span| span.start);
        grown.test_at = test.map(|span| span.start).filter(|_| region.grade != Grade::Moved);
        let row = self.add(above, grown);
        match (&region.control[..], &region.test[..]) {
            (leaves @ [_, _, ..], []) => self.expand(row, leaves, true),
            ([], leaves @ [_, _, ..]) => self.expand(row, leaves, false),
            _ => self.grown[above].entry.own.add(&measures),
        }
    }

    /// Adds the calls and kernels of a region that only one side has below it.
    fn expand(&mut self, row: usize, leaves: &[NodeId], is_control: bool) {
        let alignment = self.alignment;
        let (tree, side) = if is_control { (&alignment.control, &self.control) } else { (&alignment.test, &self.test) };
        let Some(top) = side.span(leaves).map(|span| side.above(leaves, &span)) else { return };
        let mut ways: Vec<(u32, NodeId, Vec<NodeId>)> = Vec::with_capacity(leaves.len());
        for &leaf in leaves {
            let mut way = missing(side, side.up(leaf), |id| id == top);
            way.reverse();
            ways.push((side.positions[leaf as usize].start, leaf, way));
        }
        let known = &mut self.grown[row].entry;
        let grade = known.grade;
        known.own = Measures::default();
        let mut calls = HashMap::from([(top, row)]);
        for (position, leaf, way) in ways {
            let mut above = row;
            for id in way {
                above = match calls.get(&id) {
                    Some(&call) => call,
                    None => {
                        let call = self.call(tree, id);
                        let made = self.add(above, call);
                        calls.insert(id, made);
                        made
                    }
                };
            }
            let mut grown = Grown::new(Entry::new(TreeKind::Kernel, kernel_name(tree, leaf, self.labels)));
            let measures = of_leaf(&tree.node(leaf).costs, self.weights, is_control);
            (grown.entry.own, grown.entry.all, grown.entry.grade) = (measures, measures, grade);
            grown.entry.within = self.with_modules.of_leaf(alignment, leaf, is_control, self.labels);
            let at = if is_control { &mut grown.control_at } else { &mut grown.test_at };
            *at = Some(position);
            self.grown[above].entry.own.add(&measures);
            if above == row
                && let Some(around) = self.grown[row].entry.parent
            {
                self.grown[around].entry.own.add(&measures);
            }
            self.add(above, grown);
        }
    }

    fn add(&mut self, above: usize, mut grown: Grown) -> usize {
        let id = self.grown.len();
        grown.entry.parent = Some(above);
        self.grown[above].children.push(id);
        self.grown.push(grown);
        id
    }

    /// Tells whether a call of control has a partner with all of these leaves.
    fn holds(&self, id: NodeId, test: &Range<u32>) -> bool {
        let partner = self.alignment.to_test[id as usize];
        partner != NONE && self.test.contains(partner, test)
    }

    fn call_of_control(&mut self, id: NodeId) -> usize {
        if let Some(&known) = self.of_control.get(&id) {
            return known;
        }
        let missing = missing(&self.control, id, |id| self.of_control.contains_key(&id));
        let mut above = self.of_control.get(&self.control.up(*missing.last().unwrap_or(&id))).copied().unwrap_or(0);
        for id in missing.into_iter().rev() {
            let partner = self.alignment.to_test[id as usize];
            let mut grown = self.call(&self.alignment.control, id);
            if partner == NONE {
                grown.entry.why = "only control has this call".to_owned();
            } else {
                let theirs = call_name(&self.alignment.test, partner, self.labels);
                grown.entry.name = either_name(&grown.entry.name, &theirs);
            }
            above = self.add(above, grown);
            self.of_control.insert(id, above);
        }
        above
    }

    /// The entry of a call of test: that of its partner, otherwise one of its own.
    fn call_of_test(&mut self, id: NodeId) -> usize {
        let to_control = &self.alignment.to_control;
        let is_known = |id: NodeId| id == ROOT || to_control[id as usize] != NONE || self.of_test.contains_key(&id);
        if !is_known(id) {
            let missing = missing(&self.test, id, is_known);
            let mut above = self.known_of_test(self.test.up(*missing.last().unwrap_or(&id)));
            for id in missing.into_iter().rev() {
                let mut grown = self.call(&self.alignment.test, id);
                grown.entry.why = "only test has this call".to_owned();
                above = self.add(above, grown);
                self.of_test.insert(id, above);
            }
            return above;
        }
        self.known_of_test(id)
    }

    fn known_of_test(&mut self, id: NodeId) -> usize {
        match (self.of_test.get(&id), self.alignment.to_control[id as usize]) {
            (Some(&known), _) => known,
            (None, NONE) => 0,
            (None, partner) => self.call_of_control(partner),
        }
    }

    fn call(&self, tree: &Tree, id: NodeId) -> Grown {
        let mut entry = Entry::new(TreeKind::Call, call_name(tree, id, self.labels));
        entry.modules = modules(tree, id, self.labels);
        Grown { merges: matches!(tree.node(id).role, Role::Host | Role::Graph), ..Grown::new(entry) }
    }

    /// Adds measures and places up, children before their parents, and brings children into order.
    fn add_up(&mut self) {
        for id in (0..self.grown.len()).rev() {
            let mut children = std::mem::take(&mut self.grown[id].children);
            children.sort_by_key(|&child| (self.grown[child].control_at.is_none(), self.grown[child].control_at));
            let grades = children.iter().map(|&child| self.grown[child].entry.grade);
            let common = grades.reduce(|one, other| if one == other { one } else { None }).flatten();
            let (mut all, mut control_at, mut test_at) = (Measures::default(), None, None);
            let first = |one: Option<u32>, other: Option<u32>| one.into_iter().chain(other).min();
            for &child in &children {
                let child = &self.grown[child];
                all.add(&child.entry.all);
                control_at = first(control_at, child.control_at);
                test_at = first(test_at, child.test_at);
            }
            let children = self.in_order(children);
            let grown = &mut self.grown[id];
            if grown.entry.kind == TreeKind::Call {
                grown.entry.all = all;
                grown.entry.grade = common;
                (grown.control_at, grown.test_at) = (control_at, test_at);
            }
            grown.children = children;
        }
    }

    /// Moves what only test has behind the sibling that stands before it in test, and behind what was deleted there.
    fn in_order(&self, children: Vec<usize>) -> Vec<usize> {
        let at = children.partition_point(|&child| self.grown[child].control_at.is_some());
        let mut added = children;
        let known: Vec<usize> = added.drain(..at).collect();
        added.sort_by_key(|&child| self.grown[child].test_at);
        let mut neighbours: Vec<(u32, usize)> =
            known.iter().enumerate().filter_map(|(index, &child)| Some((self.grown[child].test_at?, index))).collect();
        neighbours.sort_unstable();
        // By place among the known siblings: what stands before it.
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); known.len() + 1];
        for child in added {
            let test_at = self.grown[child].test_at.unwrap_or(0);
            let behind = neighbours.partition_point(|&(position, _)| position < test_at);
            let mut index = behind.checked_sub(1).map_or(0, |last| neighbours[last].1 + 1);
            while known.get(index).is_some_and(|&next| self.grown[next].test_at.is_none()) {
                index += 1;
            }
            before[index].push(child);
        }
        let mut ordered = Vec::with_capacity(known.len());
        for (index, group) in before.into_iter().enumerate() {
            ordered.extend(group);
            ordered.extend(known.get(index));
        }
        ordered
    }

    /// Makes a call and its only region or kernel one entry: most operators launch one kernel.
    fn merge_single(&mut self) {
        for id in (1..self.grown.len()).rev() {
            let [only] = self.grown[id].children[..] else { continue };
            if !self.grown[id].merges || !matches!(self.grown[only].entry.kind, TreeKind::Region | TreeKind::Kernel) {
                continue;
            }
            let below = self.grown[only].entry.clone();
            let children = std::mem::take(&mut self.grown[only].children);
            let entry = &mut self.grown[id].entry;
            // A region with rows of its own below needs no other name.
            let is_named = !below.name.is_empty() && children.is_empty();
            let name = if is_named { format!("{} › {}", entry.name, below.name) } else { entry.name.clone() };
            let mut modules = std::mem::take(&mut entry.modules);
            modules.extend(below.modules.iter().cloned());
            *entry = Entry { name, modules, parent: entry.parent, ..below };
            self.grown[id].children = children;
        }
    }

    /// The entries below the virtual root, in the order of rows.
    fn flatten(mut self) -> Vec<Entry> {
        let mut entries = Vec::with_capacity(self.grown.len());
        let mut open: Vec<(usize, Option<usize>)> = Vec::new();
        open.extend(self.grown[0].children.iter().rev().map(|&child| (child, None)));
        while let Some((id, parent)) = open.pop() {
            let at = entries.len();
            let grown = &mut self.grown[id];
            let mut entry = std::mem::replace(&mut grown.entry, Entry::new(TreeKind::Call, ""));
            entry.parent = parent;
            if entry.name.is_empty() {
                entry.name = "own time".to_owned();
            }
            entries.push(entry);
            open.extend(grown.children.iter().rev().map(|&child| (child, Some(at))));
        }
        entries
    }
}

/// What a leaf costs that only one side has.
fn of_leaf(costs: &[Cost], [control, test]: &[Weights; 2], is_control: bool) -> Measures {
    let only = |measure: fn(&Cost) -> i64| {
        let of = |weights: &Weights, has: bool| {
            let costs = costs.iter().filter(|_| has);
            weights.mean(costs.map(|cost| (cost.sample, measure(cost))))
        };
        Change { control: of(control, is_control), test: of(test, !is_control) }
    };
    Measures {
        count: only(|cost| i64::from(cost.count)),
        attributed_ns: only(|cost| cost.attributed_ns),
        total_ns: only(|cost| cost.ns),
    }
}

/// The node and those above it, the innermost first, up to the first that is known.
fn missing(side: &Side, id: NodeId, is_known: impl Fn(NodeId) -> bool) -> Vec<NodeId> {
    let mut missing = Vec::new();
    let mut at = id;
    while at != ROOT && !is_known(at) {
        missing.push(at);
        at = side.up(at);
    }
    missing
}
