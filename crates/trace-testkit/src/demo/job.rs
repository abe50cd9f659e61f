//! Simulation of four ranks that wait for each other: an all-reduce ends on all of them when the last rank has joined and its data
//! is transferred.

use super::event::Event;
use super::run::Run;
use super::training::train;
use std::sync::OnceLock;

/// Returns the events of one rank of the job.
pub(super) fn events(run: Run) -> Vec<Event> {
    static RANKS: OnceLock<Vec<Vec<Event>>> = OnceLock::new();
    let index = Run::JOB.iter().position(|rank| *rank == run);
    index.map(|index| RANKS.get_or_init(simulate_ranks)[index].clone()).unwrap_or_default()
}

/// Simulates each rank alone, with the waits found in the previous pass, until no wait changes. The durations of the first n
/// all-reduces follow from the first n - 1, so there are at most as many passes as all-reduces.
fn simulate_ranks() -> Vec<Vec<Event>> {
    let mut waits = vec![Vec::new(); Run::JOB.len()];
    loop {
        let passes: Vec<_> = Run::JOB.into_iter().zip(&waits).map(|(run, waits)| train(run, waits.clone())).collect();
        let (recorded, exchanged): (Vec<_>, Vec<_>) = passes.into_iter().unzip();
        let ends: Vec<u64> = (0..exchanged.iter().map(Vec::len).min().unwrap_or_default())
            .map(|exchange| exchanged.iter().map(|rank| rank[exchange].0 + rank[exchange].1).max().unwrap_or_default())
            .collect();
        let found: Vec<Vec<u64>> =
            exchanged.iter().map(|rank| rank.iter().zip(&ends).map(|(own, end)| end - own.0).collect()).collect();
        if found == waits {
            return recorded;
        }
        waits = found;
    }
}
