//! Changes of structure: calls that only one side has, or that it makes more often. Facts, which need no test.

use super::quantities::BOTH;
use crate::explain::Explanation;
use call_tree::{Change, Mean, Tree};
use std::collections::BTreeMap;

/// An operator whose work is called more or less often.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct CountChange {
    /// The innermost call above the kernels; of host work the call itself.
    pub operator: String,
    /// Kernels, or calls of the host, a step: control.
    pub control: f64,
    /// Test.
    pub test: f64,
    /// Change of the share of the step, µs.
    pub delta_us: f64,
}

/// Number of events of an operator, and their share of the step in ns.
#[derive(Clone, Copy, Default)]
struct Calls {
    count: Change,
    ns: Change,
}

impl Explanation {
    /// Returns the operators that one side lacks or that have another number of kernels a step, the largest change of time first. They
    /// are counted by their names on each side, also where a region pairs different ones.
    pub fn structure(&self) -> Vec<CountChange> {
        let has_gpu = self.coverage().iter().any(|coverage| coverage.recorded > 0);
        let mut operators: BTreeMap<String, Calls> = BTreeMap::new();
        let alignment = &self.found.alignment;
        for (_, region) in self.chosen_regions() {
            let (control, test) = (&region.region.control, &region.region.test);
            let sides: [(&Tree, &[u32]); 2] = [(&alignment.control, control), (&alignment.test, test)];
            for side in BOTH {
                let (tree, leaves) = sides[side];
                for &leaf in leaves {
                    let mut path = tree.path(leaf, &self.labels);
                    let kernel = path.pop().unwrap_or_default();
                    let operator = if has_gpu { path.last().copied() } else { None }.unwrap_or(kernel);
                    let calls = match operators.get_mut(operator) {
                        Some(calls) => calls,
                        None => operators.entry(operator.to_owned()).or_default(),
                    };
                    let node = tree.node(leaf);
                    let add = |of: &mut Change, total: i64| {
                        let mean = if side == 0 { &mut of.control } else { &mut of.test };
                        mean.total += total;
                    };
                    add(&mut calls.count, node.costs.iter().map(|cost| i64::from(cost.count)).sum());
                    add(&mut calls.ns, node.attributed_ns());
                }
            }
        }
        let samples = self.found.samples.each_ref().map(|samples| samples.len() as u32);
        let mean = |of: Change| Change {
            control: Mean { samples: samples[0], ..of.control },
            test: Mean { samples: samples[1], ..of.test },
        };
        let mut changes: Vec<CountChange> = operators
            .into_iter()
            .map(|(operator, calls)| (operator, mean(calls.count), mean(calls.ns)))
            .filter(|(_, count, _)| count.numerator() != 0)
            .map(|(operator, count, ns)| CountChange {
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
