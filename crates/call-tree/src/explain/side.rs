//! One side of a comparison: its recordings folded into a template, its steps divided.

use super::cause::Cause;
use super::change::Mean;
use super::explanation::Coverage;
use super::packed::{PackedForm, PackedTree};
use super::partial::Partial;
use super::sample::{AssignedEvent, Assignment, Sample};
use super::waiting::{Meetings, Waiting};
use super::waits::Wait;
use super::weights::Weights;
use crate::input::label::{LabelId, Labels};
use crate::input::reason::Reason;
use crate::template::Template;
use crate::tree::node::{NONE, NodeId, Tree};
use foldhash::HashMap;
use std::collections::BTreeMap;

/// One side, folded.
pub(super) struct Side {
    pub(super) samples: Vec<Sample>,
    pub(super) weights: Weights,
    /// Idle time by cause and frame.
    pub(super) idle: BTreeMap<(Cause, Option<LabelId>), Mean>,
    /// Number and time of calls that wait for the GPU.
    pub(super) waits: BTreeMap<Wait, [Mean; 2]>,
    pub(super) coverage: Coverage,
    /// Exposed communication in parts.
    pub(super) waiting: Waiting,
    /// By recording the events that are work, by row, if they are kept.
    events: Vec<Vec<Found>>,
    /// Leaves of which an event meets a condition, ascending.
    chosen: Vec<NodeId>,
}

/// An event that is work: its leaf and the sample that launched it, or why it is left out; its attributed time.
#[derive(Debug, Clone, Copy)]
struct Found {
    row: u32,
    leaf: Result<(NodeId, u32), Reason>,
    attributed_ns: i64,
}

/// The template of a side under construction.
struct Folding {
    template: Option<Template>,
    /// Number of samples of the side.
    samples: usize,
    /// Number of samples that are folded.
    folded: usize,
    /// The tree that was folded last; empty where no sample follows.
    last: PackedForm,
    /// The template's nodes of its leaves.
    leaves: Vec<NodeId>,
}

impl Folding {
    fn of(samples: usize) -> Self {
        Self { template: None, samples, folded: 0, last: PackedForm::default(), leaves: Vec::new() }
    }

    /// Folds in the tree of a sample, whose form is dropped; returns the template's nodes of its leaves. Most iterations have the calls and
    /// kernels of the one before: their leaves are found by position.
    fn fold(&mut self, packed: &mut PackedTree, labels: &Labels) -> Vec<NodeId> {
        let is_same = packed.form == self.last;
        let form = std::mem::take(&mut packed.form);
        self.folded += 1;
        let ns = packed.leaves.iter().map(|leaf| leaf.ns);
        if is_same && self.template.as_mut().is_some_and(|template| template.fold_again(&self.leaves, ns)) {
            return self.leaves.clone();
        }
        let (tree, mut leaves) = form.tree(&packed.leaves, labels);
        self.last = if self.folded < self.samples { form } else { PackedForm::default() };
        match &mut self.template {
            None => self.template = Some(Template::new(tree).expecting(self.samples)),
            Some(template) => {
                let to = template.fold(tree, labels);
                leaves.iter_mut().for_each(|leaf| *leaf = to[*leaf as usize]);
            }
        }
        if self.folded < self.samples {
            self.leaves.clone_from(&leaves);
        }
        leaves
    }
}

/// The leaves of a sample: their nodes in the template, and the number of the sample; no nodes if it is left out.
type Folded = (Vec<NodeId>, u32);

impl Side {
    /// Folds the recordings of a side: returns the folded tree, too.
    pub(super) fn of(mut partials: Vec<Partial>, labels: &Labels) -> (Self, Tree) {
        let mut side = Self {
            samples: Vec::new(),
            weights: Weights::of(&partials),
            idle: BTreeMap::new(),
            waits: BTreeMap::new(),
            coverage: Coverage::default(),
            waiting: Waiting::default(),
            events: Vec::new(),
            chosen: Vec::new(),
        };
        let samples = partials.iter().flat_map(|partial| &partial.samples);
        let samples = samples.filter(|one| one.left_out.is_none()).count();
        let mut folding = Folding::of(samples);
        let mut meetings = Meetings::of(&partials, side.weights.nothing());
        for (recording, partial) in partials.iter_mut().enumerate() {
            let mut folded: Vec<Folded> = Vec::with_capacity(partial.samples.len());
            let mut sample = side.samples.len() as u32;
            for one in &mut partial.samples {
                if one.left_out.is_some() {
                    folded.push((Vec::new(), sample));
                    continue;
                }
                let leaves = folding.fold(&mut one.tree, labels);
                let chosen = leaves.iter().zip(&one.tree.leaves).filter(|(_, packed)| packed.is_chosen);
                side.chosen.extend(chosen.map(|(&leaf, _)| leaf));
                folded.push((leaves, sample));
                sample += 1;
            }
            side.cover(partial);
            meetings.spent_before(recording, &std::mem::take(&mut partial.spent), labels);
            let counts = partial.samples.iter().zip(&folded).filter(|(one, _)| one.left_out.is_none());
            for (one, &(_, number)) in counts {
                let weight = side.weights.weight(number);
                for &(wait, sum) in &one.waits {
                    let nothing = [side.weights.nothing(); 2];
                    let [calls, ns] = side.waits.entry(wait.wait(labels)).or_insert(nothing);
                    calls.add(sum.calls, weight);
                    ns.add(sum.ns, weight);
                }
            }
            side.add(recording as u32, partial, &folded, folding.template.as_mut(), &mut meetings);
            if partial.keeps_events {
                side.events.push(found(partial, &folded));
            }
            // What is left of it is small.
            partial.samples = Vec::new();
        }
        side.chosen.sort_unstable();
        side.chosen.dedup();
        side.waiting = meetings.waiting(&partials.iter().map(|partial| partial.rank).collect::<Vec<_>>());
        (side, folding.template.map_or_else(Tree::new, Template::into_tree))
    }

    /// Adds the divided steps of a recording.
    fn add(
        &mut self,
        recording: u32,
        partial: &Partial,
        folded: &[Folded],
        mut template: Option<&mut Template>,
        meetings: &mut Meetings,
    ) {
        for (one, (leaves, number)) in partial.samples.iter().zip(folded).filter(|(one, _)| one.left_out.is_none()) {
            let mut sample = Sample { recording, ..one.sample };
            let weight = self.weights.weight(*number);
            let mut attribute = |leaf: Option<&NodeId>, sample: u32, ns: i64| {
                if let (Some(&leaf), Some(template), true) = (leaf, template.as_deref_mut(), ns != 0) {
                    template.attribute(leaf, sample, ns);
                }
            };
            for (leaf, packed) in leaves.iter().zip(&one.tree.leaves) {
                attribute(Some(leaf), *number, packed.attributed_ns());
            }
            for &(of, leaf, ns) in &one.elsewhere {
                let leaf = folded.get(of as usize).and_then(|(leaves, _)| leaves.get(leaf as usize));
                if leaf.is_none() {
                    // Of a step that is left out.
                    sample.unattributed_ns += ns;
                }
                attribute(leaf, *number, ns);
            }
            for idle in &one.idle {
                let nothing = self.weights.nothing();
                self.idle.entry((idle.cause, idle.frame)).or_insert(nothing).add(idle.ns, weight);
            }
            meetings.add(recording as usize, one, weight);
            self.samples.push(sample);
        }
    }

    fn cover(&mut self, partial: &Partial) {
        for (reason, (ns, events)) in Reason::ALL.into_iter().zip(partial.left_out) {
            self.coverage.leave_out(reason, ns, events);
        }
        if !partial.has_gpu {
            return;
        }
        for one in &partial.samples {
            let ns: i64 = one.tree.leaves.iter().map(|leaf| leaf.ns).sum();
            let events = one.tree.leaves.len() as u64;
            if let Some(reason) = one.left_out {
                self.coverage.leave_out(reason, ns, events);
            } else {
                let coverage = &mut self.coverage;
                coverage.recorded_ns += ns;
                coverage.recorded += events;
                coverage.selected_ns += ns;
                coverage.selected += events;
            }
        }
    }

    /// Tells of each region, whose leaves are those of this side, whether an event of it meets the condition.
    pub(super) fn chosen<'r>(&self, leaves: impl Iterator<Item = &'r [NodeId]>) -> Vec<bool> {
        let is_chosen = |leaf: &NodeId| self.chosen.binary_search(leaf).is_ok();
        leaves.map(|leaves| leaves.iter().any(is_chosen)).collect()
    }

    /// Returns the places of the kept events, by recording; `leaves` are those of each region of this side, in a tree of so many
    /// nodes.
    pub(super) fn assigned_events<'r>(
        &self,
        nodes: usize,
        leaves: impl Iterator<Item = &'r [NodeId]>,
    ) -> Vec<Vec<AssignedEvent>> {
        if self.events.is_empty() {
            return Vec::new();
        }
        let mut regions = vec![NONE; nodes];
        for (region, leaves) in (0..).zip(leaves) {
            for &leaf in leaves {
                regions[leaf as usize] = region;
            }
        }
        let assigned = |found: &Found| AssignedEvent {
            row: found.row,
            assignment: match found.leaf {
                Ok((leaf, sample)) => Assignment::Region { region: regions[leaf as usize], sample },
                Err(reason) => Assignment::LeftOut(reason),
            },
            attributed_ns: found.attributed_ns,
        };
        self.events.iter().map(|events| events.iter().map(assigned).collect()).collect()
    }

    /// Returns the mean over samples of a measure of each.
    pub(super) fn mean_of(&self, of: impl Fn(&Sample) -> i64) -> Mean {
        self.weights.mean((0..).zip(self.samples.iter().map(of)))
    }
}

/// The GPU events of a recording, by row; without GPU work, its host events that are leaves.
fn found(partial: &Partial, folded: &[Folded]) -> Vec<Found> {
    // Shares in steps of other samples, and of events that are in no tree.
    let mut shares: HashMap<u32, i64> = HashMap::default();
    for one in partial.samples.iter().filter(|one| one.left_out.is_none()) {
        for &(row, ns) in &one.nowhere {
            *shares.entry(row).or_default() += ns;
        }
        for &(of, leaf, ns) in &one.elsewhere {
            let leaf = partial.samples.get(of as usize).and_then(|of| of.tree.leaves.get(leaf as usize));
            if let Some(leaf) = leaf {
                *shares.entry(leaf.row).or_default() += ns;
            }
        }
    }
    let more = |row: u32| shares.get(&row).copied().unwrap_or(0);
    let mut found: Vec<Found> = Vec::new();
    for (one, (leaves, number)) in partial.samples.iter().zip(folded) {
        match one.left_out {
            None => found.extend(leaves.iter().zip(&one.tree.leaves).map(|(&leaf, packed)| Found {
                row: packed.row,
                leaf: Ok((leaf, *number)),
                attributed_ns: packed.attributed_ns() + more(packed.row),
            })),
            Some(reason) if partial.has_gpu => found.extend(one.tree.leaves.iter().map(|packed| Found {
                row: packed.row,
                leaf: Err(reason),
                attributed_ns: more(packed.row),
            })),
            Some(_) => {}
        }
    }
    let left_out = partial.left_out_rows.iter();
    found.extend(left_out.map(|&(row, reason)| Found { row, leaf: Err(reason), attributed_ns: more(row) }));
    found.sort_unstable_by_key(|found| found.row);
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::explain::packed::{PackedLeaf, PackedNode};
    use crate::input::family::Family;
    use crate::input::kind::{Class, Kind};
    use crate::tree::node::Role;

    /// A sample: an operator with these kernels, each of which takes so many ns.
    fn sample(kernels: &[(&str, i64)], labels: &mut Labels) -> PackedTree {
        let node = |above, role| PackedNode { above, chain: 1, role, family: Family::Other };
        let mut form = PackedForm::default();
        form.nodes.push(node(1, Role::Host));
        form.labels.push(labels.add(Kind::Operator, "aten::mm", ""));
        let mut leaves = Vec::new();
        for (at, &(name, ns)) in (1..).zip(kernels) {
            form.nodes.push(node(at, Role::Leaf));
            form.labels.push(labels.add(Kind::Gpu(Class::Compute), name, ""));
            leaves.push(PackedLeaf { ns, hidden_ns: ns, row: 0, is_chosen: false });
        }
        PackedTree { form, leaves }
    }

    #[test]
    fn equal_iterations_fold_as_if_each_were_mapped() {
        let mut labels = Labels::default();
        let (plain, with_copy) = (["gemm", "gelu", "gemm"], ["gemm", "copy", "gelu", "gemm"]);
        let samples: Vec<PackedTree> = (0..9_i64)
            .map(|number| {
                let names: &[&str] = if number % 4 == 3 { &with_copy } else { &plain };
                let kernels: Vec<(&str, i64)> =
                    names.iter().zip(1..).map(|(&name, at)| (name, 100 * number + at)).collect();
                sample(&kernels, &mut labels)
            })
            .collect();
        let mut folding = Folding::of(9);
        let folded: Vec<Vec<NodeId>> = samples.clone().iter_mut().map(|packed| folding.fold(packed, &labels)).collect();
        let mut template: Option<Template> = None;
        let mapped: Vec<Vec<NodeId>> = samples
            .iter()
            .map(|packed| {
                let (tree, leaves) = packed.form.tree(&packed.leaves, &labels);
                match &mut template {
                    None => template = Some(Template::new(tree).expecting(9)),
                    Some(template) => {
                        let to = template.fold(tree, &labels);
                        return leaves.iter().map(|&leaf| to[leaf as usize]).collect();
                    }
                }
                leaves
            })
            .collect();
        assert_eq!(folded, mapped);
        let costs = |template: Option<Template>| -> Vec<Vec<(u32, i64)>> {
            let tree = template.unwrap().into_tree();
            tree.nodes().iter().map(|node| node.costs.iter().map(|cost| (cost.sample, cost.ns)).collect()).collect()
        };
        assert_eq!(costs(folding.template), costs(template));
    }
}
