//! The lanes that an output lists. A front end asks for the rest: the threads of a trace are bounded by its events only.

use super::lane::LaneLocation;
use super::lane_labels::section;
use super::shown::TimelineSide;

/// The most lanes that an output lists, and that one reply has.
pub(super) const MOST_LISTED: usize = 1_000;

/// Returns the ids of the lanes that an output lists, ascending: all, or the first of the threads, of the streams, of the bandwidths and of
/// the helper threads of each rank, about as many of each.
pub(super) fn listed(lanes: &[LaneLocation], sides: &[TimelineSide]) -> Vec<usize> {
    if lanes.len() <= MOST_LISTED {
        return (0..lanes.len()).collect();
    }
    // Lanes of two sides alternate.
    let group = |location: &LaneLocation| {
        let lane = &sides[location.side].ranks[location.rank].lanes.lanes[location.lane];
        (location.rank, section(lane))
    };
    let runs: Vec<usize> = lanes.chunk_by(|one, other| group(one) == group(other)).map(<[LaneLocation]>::len).collect();
    first_of_each(&runs, MOST_LISTED)
}

/// Returns the places of at most so many items, the first of each run: the same share of each, of a shorter run all.
fn first_of_each(runs: &[usize], most: usize) -> Vec<usize> {
    let taken = |share: usize| runs.iter().fold(0_usize, |sum, &run| sum.saturating_add(run.min(share)));
    let share = (1..=most).rev().find(|&share| taken(share) <= most).unwrap_or(1);
    let mut begin = 0;
    let mut found = Vec::with_capacity(most);
    for &run in runs {
        found.extend(begin..begin + run.min(share));
        begin += run;
    }
    found.truncate(most);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_has_its_share() {
        assert_eq!(first_of_each(&[2, 3], 10), [0, 1, 2, 3, 4]);
        assert_eq!(first_of_each(&[100, 2, 100], 8), [0, 1, 2, 100, 101, 102, 103, 104]);
        assert_eq!(first_of_each(&[1; 20], 3), [0, 1, 2]);
        assert_eq!(first_of_each(&[1_000_000, 3], 1000).len(), 1000);
        assert!(first_of_each(&[], 3).is_empty());
    }
}
