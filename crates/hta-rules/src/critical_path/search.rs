//! The longest path, with the ties that networkx decides.

use super::{Edge, Graph};

/// A path through the graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Path {
    /// Numbers of its nodes.
    pub nodes: Vec<u32>,
    /// Numbers of its edges, one less.
    pub edges: Vec<u32>,
    /// Its length in the search, in ns.
    pub length: f64,
}

impl Graph {
    /// Finds the longest path; empty without edges.
    pub fn path(&self) -> Path {
        self.path_with(|edge| edge.search_weight as f64)
    }

    /// Finds the longest path when each edge weighs what `weight` returns: HTA's way to ask what a change would bring.
    ///
    /// Differs from the truth: a kernel that ends earlier does not start the next one earlier than its launch, which HTA's
    /// graph does not hold.
    pub fn path_with(&self, weight: impl Fn(&Edge) -> f64) -> Path {
        let order = self.order();
        // The distance of each node, and the edge by which it is reached.
        let mut best: Vec<(f64, Option<u32>)> = vec![(0.0, None); self.nodes.list.len()];
        let mut last: Option<(f64, u32)> = None;
        for &node in &order {
            let [first, count] = self.predecessors[node as usize];
            let mut longest: Option<(f64, u32)> = None;
            for &number in &self.into[first as usize..(first + count) as usize] {
                let edge = &self.edges[number as usize];
                let distance = best[edge.begin as usize].0 + weight(edge);
                // The first one inserted wins where both are equal.
                if longest.is_none_or(|(known, _)| distance > known) {
                    longest = Some((distance, number));
                }
            }
            if let Some((distance, number)) = longest.filter(|&(distance, _)| distance >= 0.0) {
                best[node as usize] = (distance, Some(number));
            }
            let distance = best[node as usize].0;
            if last.is_none_or(|(known, _)| distance > known) {
                last = Some((distance, node));
            }
        }
        let Some((length, end)) = last else { return Path { nodes: Vec::new(), edges: Vec::new(), length: 0.0 } };
        let (mut nodes, mut edges) = (vec![end], Vec::new());
        while let Some(number) = best[nodes[nodes.len() - 1] as usize].1 {
            edges.push(number);
            nodes.push(self.edges[number as usize].begin);
        }
        nodes.reverse();
        edges.reverse();
        Path { nodes, edges, length }
    }

    /// Returns the nodes in topological order, generation by generation; without those behind a cycle.
    pub(super) fn order(&self) -> Vec<u32> {
        let mut missing: Vec<u32> = self.predecessors.iter().map(|&[_, count]| count).collect();
        let mut order: Vec<u32> = self.joined.iter().copied().filter(|&node| missing[node as usize] == 0).collect();
        // Nodes are appended in the order in which their last predecessor is passed, so generations follow each other.
        let mut at = 0;
        while at < order.len() {
            let [first, count] = self.successors[order[at] as usize];
            for edge in &self.edges[first as usize..(first + count) as usize] {
                let left = &mut missing[edge.end as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(edge.end);
                }
            }
            at += 1;
        }
        order
    }
}
