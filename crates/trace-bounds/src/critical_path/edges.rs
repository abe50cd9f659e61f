//! The edges of the graph as columns.

use super::answer::Edges;
use super::ranks::LoadedRank;
use crate::Result;
use crate::exec::checkpoint;
use causal::Graph;

/// Collects the edges of all loaded ranks.
pub(super) fn edges(graph: &Graph, ranks: &[LoadedRank]) -> Result<Edges> {
    let mut edges = Edges::default();
    let event = |rank: u32, row: Option<u32>| {
        let rank = ranks.get(rank as usize)?;
        row.map(|row| rank.rows.index(row as usize))
    };
    for (at, edge) in graph.edges().enumerate() {
        if at & 0xffff == 0 {
            checkpoint::check()?;
        }
        edges.rank.push(ranks.get(edge.to_rank as usize).map_or(-1, |rank| rank.trace.rank()));
        edges.from_event.push(event(edge.from_rank, edge.from_event));
        edges.to_event.push(event(edge.to_rank, edge.to_event));
        edges.from_ts.push(edge.from_ts);
        edges.to_ts.push(edge.to_ts);
        edges.kind.push(edge.because);
        edges.bound_by.push(edge.bound_by);
        edges.lag.push(edge.lag);
        edges.binding.push(edge.binding);
    }
    Ok(edges)
}
