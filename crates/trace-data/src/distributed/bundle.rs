//! Bundles of inputs: what one task maps.

use super::Input;
use serde::{Deserialize, Serialize};

/// The inputs of one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// The files.
    pub inputs: Vec<Input>,
    /// Their size together, in bytes.
    pub weight: u64,
    /// The node that read them before, and probably kept their columns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

impl Bundle {
    /// Makes a bundle of one input, which any node may map.
    pub fn of_one(input: Input) -> Self {
        Self { weight: input.bytes, inputs: vec![input], node: None }
    }
}

/// Bytes of packed files that take a core about 15 s: it reads some 58 MB of packed text a second.
const BYTES_OF_TASK: u64 = 58_000_000 * 15;
/// Tasks for each slot, at least: the last of them waits for little.
const TASKS_PER_SLOT: u64 = 3;
/// The most inputs of a bundle: what is lost if its task fails.
const MOST_INPUTS: usize = 64;

/// Bundles inputs, each with the node that read it before, for so many slots: the largest first, each about 15 s of work, but at least
/// three per slot. A bundle has the inputs of one node.
pub fn bundles(inputs: Vec<(Input, Option<String>)>, slots: usize) -> Vec<Bundle> {
    let slots = slots.max(1) as u64;
    let all: u64 = inputs.iter().map(|(input, _)| input.bytes).sum();
    let (bytes, count) = (all / (TASKS_PER_SLOT * slots), inputs.len() as u64 / (TASKS_PER_SLOT * slots));
    let (most_bytes, most_inputs) = (bytes.clamp(1, BYTES_OF_TASK), (count as usize).clamp(1, MOST_INPUTS));
    let mut inputs = inputs;
    inputs.sort_by(|(one, of_one), (other, of_other)| {
        (of_one, other.bytes, one.trace, one.at).cmp(&(of_other, one.bytes, other.trace, other.at))
    });
    let mut bundles: Vec<Bundle> = Vec::new();
    for (input, node) in inputs {
        let fits = |last: &&mut Bundle| {
            let weight = last.weight.saturating_add(input.bytes);
            last.node == node && last.inputs.len() < most_inputs && weight <= most_bytes
        };
        match bundles.last_mut().filter(fits) {
            Some(last) => {
                last.weight = last.weight.saturating_add(input.bytes);
                last.inputs.push(input);
            }
            None => bundles.push(Bundle { weight: input.bytes, inputs: vec![input], node }),
        }
    }
    bundles.sort_by_key(|bundle| std::cmp::Reverse(bundle.weight));
    bundles
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inputs(sizes: &[u64]) -> Vec<(Input, Option<String>)> {
        let input = |(at, &bytes)| Input { uri: format!("rank-{at}"), at, bytes, modified: None, trace: 0 };
        sizes.iter().enumerate().map(input).map(|input| (input, None)).collect()
    }

    #[test]
    fn every_slot_gets_at_least_three_bundles() {
        for (count, slots) in [(4096, 64), (64, 2), (7, 2), (1, 4), (12, 4)] {
            let sizes: Vec<u64> = (0..count).map(|at| 1_000_000 + at % 5).collect();
            let bundles = bundles(inputs(&sizes), slots);
            assert!(bundles.len() as u64 >= (3 * slots as u64).min(count), "{count} on {slots}: {}", bundles.len());
            assert!(
                bundles.len() as u64 <= (6 * slots as u64).max(count / MOST_INPUTS as u64 + 1),
                "{}",
                bundles.len()
            );
            let mut all: Vec<usize> = bundles.iter().flat_map(|bundle| &bundle.inputs).map(|input| input.at).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count as usize).collect::<Vec<_>>());
        }
    }

    #[test]
    fn large_files_come_first_and_alone() {
        let bundles = bundles(inputs(&[5, 2_000_000_000, 7, 1_500_000_000, 0]), 1);
        let uris: Vec<&str> = bundles.iter().map(|bundle| bundle.inputs[0].uri.as_str()).collect();
        assert_eq!(uris[..2], ["rank-1", "rank-3"]);
        assert!(bundles.windows(2).all(|pair| pair[0].weight >= pair[1].weight));
    }

    #[test]
    fn a_bundle_has_the_inputs_of_one_node() {
        let node = |at: usize| Some(format!("node{}", at % 2));
        let inputs = inputs(&[1; 40]).into_iter().map(|(input, _)| (input.clone(), node(input.at))).collect();
        for bundle in bundles(inputs, 2) {
            assert!(bundle.inputs.iter().all(|input| node(input.at) == bundle.node));
        }
        assert_eq!(bundles(Vec::new(), 2), []);
    }
}
