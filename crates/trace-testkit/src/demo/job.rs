//! Four ranks that wait for each other: an all-reduce ends on all of them when the last has come and its data is through.

use super::event::Event;
use super::run::Run;
use super::training::train;
use std::sync::OnceLock;

/// What one rank of the job recorded.
pub(super) fn events(run: Run) -> Vec<Event> {
    static RANKS: OnceLock<Vec<Vec<Event>>> = OnceLock::new();
    let place = Run::JOB.iter().position(|rank| *rank == run);
    place.map(|place| RANKS.get_or_init(together)[place].clone()).unwrap_or_default()
}

/// Each rank is simulated alone, with the waits that the last pass found, until no wait changes. How long the first
/// n all-reduces take follows from the first n - 1, so this ends after at most as many passes as there are all-reduces.
fn together() -> Vec<Vec<Event>> {
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
