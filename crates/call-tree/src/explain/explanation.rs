//! Explanation of the difference of two steps by classes, idle time by cause, and regions, which add up exactly.

use super::cause::Cause;
use super::change::{Change, Mean};
use super::partial::{Partial, Reducer};
use super::sample::{AssignedEvent, Sample};
use super::side::Side;
use super::waiting::{Late, Part};
use super::waits::Wait;
use super::weights::Weights;
use crate::align::{Alignment, Region, aligned};
use crate::input::kind::Class;
use crate::input::label::{LabelId, Labels};
use crate::input::reason::Reason;
use crate::input::recording::Recording;
use crate::tree::node::{Cost, NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet};

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
    /// Time of the events that are left out.
    pub left_out_ns: i64,
    /// Their number.
    pub left_out: u64,
    /// Time and number of the events left out for each of [`Reason::ALL`].
    pub left_out_by: [(i64, u64); Reason::ALL.len()],
}

impl Coverage {
    /// Returns the reasons for which events are left out, with their time in ns and their number.
    pub fn reasons(&self) -> impl Iterator<Item = (Reason, i64, u64)> {
        let totals = Reason::ALL.into_iter().zip(self.left_out_by);
        totals.filter(|(_, (_, events))| *events > 0).map(|(reason, (ns, events))| (reason, ns, events))
    }

    /// Counts events that are left out for a reason, such as those of another rank, which no [`Recording`] holds.
    pub fn leave_out(&mut self, reason: Reason, ns: i64, events: u64) {
        self.recorded_ns += ns;
        self.recorded += events;
        self.left_out_ns += ns;
        self.left_out += events;
        let total = &mut self.left_out_by[reason as usize];
        *total = (total.0 + ns, total.1 + events);
    }
}

/// Calls of one kind that wait for the GPU, a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaitChange {
    /// The call and its caller.
    pub wait: Wait,
    /// Number of calls.
    pub calls: Change,
    /// Time in ns.
    pub ns: Change,
}

/// The explanation of a difference of means, in which each run counts the same ([`Weights`]). Step = compute + communication + copies +
/// idle, and the sum of the regions' attributed time and of `unattributed_ns` is that of the first three: exactly, in ns.
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
    /// Calls of the host that wait for the GPU, in no order of importance.
    pub waits: Vec<WaitChange>,
    /// Exposed communication by part, in ns: the parts add up to the class.
    pub communication: [(Part, Change); 3],
    /// Waiting by the rank that was late and by what made it late, in ns: adds up to [`Part::Waiting`].
    pub waiting: Vec<(Late, Change)>,
    /// Contributions of the regions, in the order of control.
    pub regions: Vec<RegionChange>,
    /// Time of events that run in a selected step, but that another one launched, in ns.
    pub unattributed_ns: Change,
    /// The samples of control and of test; each leaf of the aligned trees has a cost for each of them in which it has a part.
    pub samples: [Vec<Sample>; 2],
    /// How much each of them counts.
    pub weights: [Weights; 2],
    /// The GPU events of control and of test by recording and row, if they are kept; else empty. Of recordings without GPU work
    /// the host events that are work.
    pub events: [Vec<Vec<AssignedEvent>>; 2],
    /// True for each region with an event that was chosen when its recording was reduced.
    pub chosen: Vec<bool>,
    /// The aligned trees.
    pub alignment: Alignment,
    /// GPU time accounted for, of control and of test.
    pub coverage: [Coverage; 2],
    /// Modules and frames of Python were left out, since one side has none.
    pub without_stacks: bool,
}

/// Explains the difference of two sides, each one or more recordings.
pub fn explain(control: &[Recording], test: &[Recording], labels: &Labels) -> Explanation {
    Explainer::default().explain(control, test, labels)
}

/// Explains differences.
#[derive(Debug, Clone, Copy, Default)]
pub struct Explainer {
    /// Keeps the place of every GPU event ([`Explanation::events`]), for about 24 bytes each.
    pub keep_events: bool,
}

impl Explainer {
    /// Explains the difference of two sides, each one or more recordings.
    pub fn explain(self, control: &[Recording], test: &[Recording], labels: &Labels) -> Explanation {
        let borrows_stacks = |one: &Recording| one.borrowed.labels().any(|label| labels.kind(label).is_stack());
        let has_stacks = |side: &[Recording]| {
            side.iter().any(|one| one.events.iter().any(|event| event.kind.is_stack()) || borrows_stacks(one))
        };
        let without_stacks = has_stacks(control) != has_stacks(test);
        let side = |recordings: &[Recording]| -> Vec<Partial> {
            let keep_communication = recordings.iter().any(|one| !one.meetings.is_empty());
            let reducer = Reducer { without_stacks, keep_events: self.keep_events, keep_communication };
            recordings.iter().map(|recording| reducer.partial(recording, labels, |_| false)).collect()
        };
        let found = explain_partials(side(control), side(test), labels);
        Explanation { without_stacks, ..found }
    }
}

/// Explains the difference of two sides by the partial results of their recordings.
pub fn explain_partials(control: Vec<Partial>, test: Vec<Partial>, labels: &Labels) -> Explanation {
    let ((control, control_tree), (test, test_tree)) = (Side::of(control, labels), Side::of(test, labels));
    let alignment = aligned(control_tree, test_tree, labels);
    let nodes = [&alignment.control, &alignment.test].map(|tree| tree.nodes().len());
    let change = |of: &dyn Fn(&Sample) -> i64| Change { control: control.mean_of(of), test: test.mean_of(of) };
    let regions = alignment.regions.iter().map(|region| {
        let of = |measure: fn(&Cost) -> i64| {
            let mean = |side: &Side, tree: &Tree, leaves: &[NodeId]| {
                let costs = leaves.iter().flat_map(|&leaf| &tree.node(leaf).costs);
                side.weights.mean(costs.map(|cost| (cost.sample, measure(cost))))
            };
            Change {
                control: mean(&control, &alignment.control, &region.control),
                test: mean(&test, &alignment.test, &region.test),
            }
        };
        RegionChange {
            count: of(|cost| i64::from(cost.count)),
            ns: of(|cost| cost.ns),
            attributed_ns: of(|cost| cost.attributed_ns),
            region: region.clone(),
        }
    });
    let causes: BTreeSet<_> = control.idle.keys().chain(test.idle.keys()).copied().collect();
    let idle = causes.into_iter().map(|cause| {
        let of = |side: &Side| side.idle.get(&cause).copied().unwrap_or(side.weights.nothing());
        (cause, Change { control: of(&control), test: of(&test) })
    });
    let kinds: BTreeSet<Wait> = control.waits.keys().chain(test.waits.keys()).copied().collect();
    let waits = kinds.into_iter().map(|wait| {
        let of = |side: &Side| side.waits.get(&wait).copied().unwrap_or([side.weights.nothing(); 2]);
        let ([control_calls, control_ns], [test_calls, test_ns]) = (of(&control), of(&test));
        WaitChange {
            wait,
            calls: Change { control: control_calls, test: test_calls },
            ns: Change { control: control_ns, test: test_ns },
        }
    });
    let part = |part: Part| {
        let of = |side: &Side| side.waiting.parts[part as usize];
        (part, Change { control: of(&control), test: of(&test) })
    };
    let late: BTreeSet<Late> = control.waiting.late.keys().chain(test.waiting.late.keys()).copied().collect();
    let waiting = late.into_iter().map(|late| {
        let of = |side: &Side| side.waiting.late.get(&late).copied().unwrap_or(side.weights.nothing());
        (late, Change { control: of(&control), test: of(&test) })
    });
    let mut chosen = control.chosen(alignment.regions.iter().map(|region| region.control.as_slice()));
    let in_test = test.chosen(alignment.regions.iter().map(|region| region.test.as_slice()));
    chosen.iter_mut().zip(in_test).for_each(|(chosen, in_test)| *chosen |= in_test);
    Explanation {
        communication: Part::ALL.map(part),
        waiting: waiting.collect(),
        waits: waits.collect(),
        step_ns: change(&|sample| sample.step_ns),
        classes: Sample::CLASSES.map(|class| (class, change(&|sample| sample.classes_ns[class as usize]))),
        idle_ns: change(&|sample| sample.idle_ns),
        idle: idle.collect(),
        regions: regions.collect(),
        unattributed_ns: change(&|sample| sample.unattributed_ns),
        coverage: [control.coverage, test.coverage],
        without_stacks: false,
        chosen,
        events: [
            control.assigned_events(nodes[0], alignment.regions.iter().map(|region| region.control.as_slice())),
            test.assigned_events(nodes[1], alignment.regions.iter().map(|region| region.test.as_slice())),
        ],
        samples: [control.samples, test.samples],
        weights: [control.weights, test.weights],
        alignment,
    }
}

impl Explanation {
    /// Returns what a region costs in each sample of control and of test, by sample; nothing of samples that lack it.
    pub fn costs(&self, region: &Region) -> [Vec<Cost>; 2] {
        [0, 1].map(|side| {
            let mut sums: BTreeMap<u32, Cost> = BTreeMap::new();
            for cost in self.leaf_costs(region, side) {
                let none = Cost { sample: cost.sample, count: 0, ns: 0, attributed_ns: 0 };
                let sum = sums.entry(cost.sample).or_insert(none);
                sum.count += cost.count;
                sum.ns += cost.ns;
                sum.attributed_ns += cost.attributed_ns;
            }
            sums.into_values().collect()
        })
    }

    /// Returns what each leaf of a region costs in each sample of a side, 0 for control and 1 for test.
    pub fn leaf_costs(&self, region: &Region, side: usize) -> impl Iterator<Item = &Cost> {
        let Alignment { control, test, .. } = &self.alignment;
        let (tree, leaves) = if side == 0 { (control, &region.control) } else { (test, &region.test) };
        leaves.iter().flat_map(|&leaf| &tree.node(leaf).costs)
    }
}

/// Places of the regions with the largest change of their attributed time, either way; ties in the order of control.
pub fn largest(regions: &[RegionChange], most: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..regions.len()).collect();
    order.sort_by_key(|&region| std::cmp::Reverse(regions[region].attributed_ns.numerator().unsigned_abs()));
    order.truncate(most);
    order
}
