//! Explanation of the difference of two steps by classes, idle time by cause, and regions, which add up exactly.

use super::change::{Change, Mean};
use super::divide::{Cause, Division, divide};
use crate::align::{Alignment, Region, align};
use crate::input::event::Event;
use crate::input::kind::Class;
use crate::input::label::{LabelId, Labels};
use crate::input::window::Window;
use crate::template::Template;
use crate::tree::build::{Builder, LeftOut};
use crate::tree::node::{NodeId, Tree};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The selected events and iterations of one rank of one run.
#[derive(Debug, Clone)]
pub struct Recording {
    /// Events in the order of the file.
    pub events: Vec<Event>,
    /// Iterations to compare, by their begins; empty for the whole recording as one.
    pub windows: Vec<Window>,
}

/// Contribution of a region.
#[derive(Debug, Clone, PartialEq)]
pub struct RegionChange {
    /// Leaves, grade and reason.
    pub region: Region,
    /// Number of events.
    pub count: Change,
    /// Sum of durations of its events in ns, overlap counted twice.
    pub ns: Change,
    /// Its share of the step in ns.
    pub attributed_ns: Change,
}

impl RegionChange {
    /// Returns how much of the change of the attributed time comes from another number of events, in ns.
    pub fn count_part_ns(&self) -> f64 {
        let (n, m) = (self.count.control.value(), self.count.test.value());
        let each = |time: Mean, count: f64| (count > 0.0).then(|| time.value() / count);
        let (a, b) = (each(self.attributed_ns.control, n), each(self.attributed_ns.test, m));
        // An event that one side does not have costs there what it costs here.
        let (a, b) = (a.or(b).unwrap_or(0.0), b.or(a).unwrap_or(0.0));
        (m - n) * (a + b) / 2.0
    }

    /// Returns how much of it comes from other costs of each event, in ns.
    pub fn cost_part_ns(&self) -> f64 {
        self.attributed_ns.delta() - self.count_part_ns()
    }
}

/// GPU time and events of one side: recorded, selected, and left out with a reason. All 0 without GPU work.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Sum of the durations of all GPU events in ns.
    pub recorded_ns: i64,
    /// Their number.
    pub recorded: u64,
    /// Time of the events in selected iterations, which is the sum of all regions.
    pub selected_ns: i64,
    /// Their number.
    pub selected: u64,
    /// Time of the events outside of the selected iterations.
    pub left_out_ns: i64,
    /// Their number.
    pub left_out: u64,
}

/// The explanation of a difference. Step = compute + communication + copies + idle, and the sum of the regions' attributed
/// time and of `unattributed_ns` is that of the first three: exactly, in ns.
#[derive(Debug)]
pub struct Explanation {
    /// Length of a step in ns.
    pub step_ns: Change,
    /// Time of each class in ns: compute, exposed communication, exposed copies; host work of recordings without GPU work.
    pub classes: [(Class, Change); 4],
    /// Idle time in ns.
    pub idle_ns: Change,
    /// Idle time by cause and frame of the host, in ns.
    pub idle: Vec<((Cause, Option<LabelId>), Change)>,
    /// Contributions of the regions, in the order of control.
    pub regions: Vec<RegionChange>,
    /// Time of events that run in a selected step, but that another one launched, in ns.
    pub unattributed_ns: Change,
    /// The aligned trees.
    pub alignment: Alignment,
    /// GPU time accounted for, of control and of test.
    pub coverage: [Coverage; 2],
    /// Modules and frames of Python were left out, since one side has none.
    pub without_stacks: bool,
}

/// Explains the difference of two sides, each one or more recordings.
pub fn explain(control: &[Recording], test: &[Recording], labels: &Labels) -> Explanation {
    let has_stacks = |side: &[Recording]| side.iter().any(|one| one.events.iter().any(|event| event.kind.is_stack()));
    let without_stacks = has_stacks(control) != has_stacks(test);
    let builder = Builder { without_stacks };
    let (control, test) = (Side::of(control, builder, labels), Side::of(test, builder, labels));
    let alignment = align(control.template.tree(), test.template.tree(), labels);
    let change = |of: &dyn Fn(&Side) -> i64| Change { control: control.mean(of(&control)), test: test.mean(of(&test)) };
    let class = |class: Class| (class, change(&|side: &Side| side.sum(|division| division.class_ns(class))));
    let regions = alignment.regions.iter().map(|region| {
        let of = |measure: &dyn Fn(&Side, &Tree, NodeId) -> i64| Change {
            control: control.mean(region.control.iter().map(|&id| measure(&control, &alignment.control, id)).sum()),
            test: test.mean(region.test.iter().map(|&id| measure(&test, &alignment.test, id)).sum()),
        };
        RegionChange {
            count: of(&|_, tree, id| tree.node(id).costs.iter().map(|cost| i64::from(cost.count)).sum()),
            ns: of(&|_, tree, id| tree.node(id).ns()),
            attributed_ns: of(&|side, _, id| side.attributed.get(&id).copied().unwrap_or(0)),
            region: region.clone(),
        }
    });
    let mut idle: BTreeMap<(Cause, Option<LabelId>), [i64; 2]> = BTreeMap::new();
    for (place, side) in [&control, &test].into_iter().enumerate() {
        for part in side.divisions.iter().flat_map(|division| &division.idle) {
            idle.entry((part.cause, part.frame)).or_default()[place] += part.ns;
        }
    }
    Explanation {
        step_ns: change(&|side: &Side| side.sum(|division| division.step_ns)),
        classes: [Class::Compute, Class::Communication, Class::Copy, Class::Host].map(class),
        idle_ns: change(&|side: &Side| side.sum(Division::idle_ns)),
        idle: idle
            .into_iter()
            .map(|(cause, [a, b])| (cause, Change { control: control.mean(a), test: test.mean(b) }))
            .collect(),
        regions: regions.collect(),
        unattributed_ns: change(&|side: &Side| side.unattributed),
        coverage: [control.coverage, test.coverage],
        without_stacks,
        alignment,
    }
}

/// One side, folded.
struct Side {
    template: Template,
    divisions: Vec<Division>,
    /// Attributed time of each leaf over all samples.
    attributed: HashMap<NodeId, i64>,
    unattributed: i64,
    coverage: Coverage,
}

impl Side {
    fn of(recordings: &[Recording], builder: Builder, labels: &Labels) -> Self {
        let mut template: Option<Template> = None;
        let mut side = Self {
            template: Template::new(Tree::new()),
            divisions: Vec::new(),
            attributed: HashMap::new(),
            unattributed: 0,
            coverage: Coverage::default(),
        };
        for recording in recordings {
            let (iterations, left_out) = builder.build(&recording.events, &recording.windows, labels);
            let mut nodes: HashMap<u32, NodeId> = HashMap::new();
            for iteration in iterations {
                let rows = iteration.rows;
                match &mut template {
                    None => {
                        nodes.extend(rows.iter().map(|&(node, row)| (row, node)));
                        template = Some(Template::new(iteration.tree));
                    }
                    Some(template) => {
                        let to = template.fold(iteration.tree, labels);
                        nodes.extend(rows.iter().map(|&(node, row)| (row, to[node as usize])));
                    }
                }
            }
            side.cover(recording, &left_out);
            for division in divide(&recording.events, &recording.windows) {
                for share in &division.shares {
                    match nodes.get(&share.row) {
                        Some(&node) => *side.attributed.entry(node).or_default() += share.ns,
                        None => side.unattributed += share.ns,
                    }
                }
                side.divisions.push(division);
            }
        }
        if let Some(template) = template {
            side.template = template;
        }
        side
    }

    fn cover(&mut self, recording: &Recording, left_out: &[LeftOut]) {
        let length = |event: &Event| (event.end - event.start).max(0);
        let coverage = &mut self.coverage;
        let out: HashSet<u32> = left_out.iter().map(|out| out.row).collect();
        for event in recording.events.iter().filter(|event| event.kind.is_gpu()) {
            coverage.recorded_ns += length(event);
            coverage.recorded += 1;
            if out.contains(&event.row) {
                coverage.left_out_ns += length(event);
                coverage.left_out += 1;
            } else {
                coverage.selected_ns += length(event);
                coverage.selected += 1;
            }
        }
    }

    fn mean(&self, total: i64) -> Mean {
        Mean { total, samples: self.divisions.len() as u32 }
    }

    fn sum(&self, of: impl Fn(&Division) -> i64) -> i64 {
        self.divisions.iter().map(of).sum()
    }
}

/// Places of the regions with the largest change of their attributed time, either way; ties in the order of control.
pub fn largest(regions: &[RegionChange], most: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..regions.len()).collect();
    places.sort_by_key(|&place| std::cmp::Reverse(regions[place].attributed_ns.numerator().unsigned_abs()));
    places.truncate(most);
    places
}
