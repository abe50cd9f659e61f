//! Changes of structure: calls that only one side has, or that it makes more often. Facts, which need no test.

use super::quantities::BOTH;
use crate::certainty::{both_names, join_vendors};
use crate::explain::Explanation;
use call_tree::{Change, Cost, NONE, Role, Tree, vendor_neutral};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// An operator whose work is called more or less often.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CountChange {
    /// The innermost call above the kernels; of host work the call itself; of a graph `kernels of cudaGraphLaunch`.
    pub operator: String,
    /// Kernels, or calls of the host, a step: control.
    pub control: f64,
    /// Test.
    pub test: f64,
    /// Change of the share of the step, µs.
    pub delta_us: f64,
}

/// Number of events of an operator, and their share of the step in ns.
#[derive(Clone, Copy)]
struct Calls {
    count: Change,
    ns: Change,
}

impl Explanation {
    /// Returns the operators that one side lacks or that have another number of kernels a step, the largest change of time first. They
    /// are counted by their names on each side, also where a region pairs different ones. Calls that two vendors name differently are one.
    pub fn structure(&self) -> Vec<CountChange> {
        let has_gpu = self.coverage().iter().any(|coverage| coverage.recorded > 0);
        let mut operators: BTreeMap<String, Calls> = BTreeMap::new();
        let (alignment, weights) = (&self.found.alignment, &self.found.weights);
        let [control, test] = weights.each_ref().map(|weights| weights.mean([]));
        let nothing = Change { control, test };
        for (_, region) in self.chosen_regions() {
            let (control, test) = (&region.region.control, &region.region.test);
            let sides: [(&Tree, &[u32]); 2] = [(&alignment.control, control), (&alignment.test, test)];
            for side in BOTH {
                let (tree, leaves) = sides[side];
                // What was launched before the recording began is a property of the recording, not of the code.
                let is_of_code = |leaf: &&u32| {
                    let parent = tree.node(**leaf).parent;
                    parent == NONE || tree.node(parent).role != Role::LaunchedBefore
                };
                for &leaf in leaves.iter().filter(is_of_code) {
                    let mut path = tree.path(leaf, &self.labels);
                    let kernel = path.pop().unwrap_or_default();
                    let operator = if has_gpu { path.last().copied() } else { None }.unwrap_or(kernel);
                    // One launch of a graph runs hundreds of kernels: its count is not that of the launches.
                    let in_graph =
                        tree.nodes().get(tree.node(leaf).parent as usize).is_some_and(|up| up.role == Role::Graph);
                    let operator = if in_graph { Cow::from(format!("kernels of {operator}")) } else { operator.into() };
                    let calls = match operators.get_mut(operator.as_ref()) {
                        Some(calls) => calls,
                        None => operators.entry(operator.into_owned()).or_insert(Calls { count: nothing, ns: nothing }),
                    };
                    let costs = &tree.node(leaf).costs;
                    let add = |of: &mut Change, measure: fn(&Cost) -> i64| {
                        let mean = if side == 0 { &mut of.control } else { &mut of.test };
                        *mean = *mean + weights[side].mean(costs.iter().map(|cost| (cost.sample, measure(cost))));
                    };
                    add(&mut calls.count, |cost| i64::from(cost.count));
                    add(&mut calls.ns, |cost| cost.attributed_ns);
                }
            }
        }
        let mut changes: Vec<CountChange> = of_both_vendors(operators)
            .into_iter()
            .filter(|(_, calls)| calls.count.numerator() != 0)
            .map(|(operator, Calls { count, ns })| CountChange {
                operator,
                control: count.control.value(),
                test: count.test.value(),
                delta_us: ns.delta() / 1e3,
            })
            .collect();
        changes.sort_by(|one, other| other.delta_us.abs().total_cmp(&one.delta_us.abs()));
        changes
    }
}

/// Adds up operators of one side each that two vendors name differently.
fn of_both_vendors(operators: BTreeMap<String, Calls>) -> Vec<(String, Calls)> {
    let add = |one: Change, other: Change| Change { control: one.control + other.control, test: one.test + other.test };
    join_vendors(
        operators,
        |(_, calls)| [calls.count.control.value() > 0.0, calls.count.test.value() > 0.0],
        |(operator, _)| vendor_neutral(operator),
        |(name, sum), (other, calls)| {
            *name = both_names(name, &other, calls.count.control.value() == 0.0);
            *sum = Calls { count: add(sum.count, calls.count), ns: add(sum.ns, calls.ns) };
        },
    )
}
