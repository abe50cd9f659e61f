//! Comparability of the work in the steps of both sides.

use crate::Warning;
use crate::certainty::{EventMix, InputShapes};
use call_tree::{Kind, Labels, Tree};

/// Returns a warning for each difference: shapes of the inputs of the operators in the steps, and the mix of events.
pub(super) fn unlike(
    found: &call_tree::Explanation,
    labels: &Labels,
    mixes: [&EventMix; 2],
    names: [&str; 2],
) -> Vec<Warning> {
    let [control, test] = [&found.alignment.control, &found.alignment.test].map(|tree| shapes(tree, labels));
    control.unlike(&test, names).into_iter().chain(mixes[0].unlike(mixes[1], names)).collect()
}

fn shapes(tree: &Tree, labels: &Labels) -> InputShapes {
    let mut shapes = InputShapes::default();
    for &label in tree.nodes().iter().flat_map(|node| &node.chain) {
        if labels.kind(label) == Kind::Operator {
            shapes.add(labels.text(label), labels.inputs(label));
        }
    }
    shapes
}
