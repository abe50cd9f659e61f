//! Positions of gaps among repeated blocks: a removed layer is one whole layer.

use super::sequence::By;
use crate::input::label::Level;
use crate::tree::hash::Hashes;
use foldhash::HashMap;

/// Moves each one-sided gap onto whole periods. Among equal nodes a gap has several positions of the same score. Its period is
/// its length, its phase the begin of the run of equal nodes; it moves to the last position that fits. A gap whose content is
/// left over on the other side, too, has moved: it moves to the position that is nearest to it.
///
/// `pairs` ascend in both sequences; the result does, too.
pub(super) fn settle(pairs: &mut [(usize, usize, By)], control: &[Hashes], test: &[Hashes]) {
    settle_side(pairs, control, test, false);
    settle_side(pairs, test, control, true);
}

/// Settles the gaps of one side. `ours` holds the nodes of the gaps; `swapped` if they are the second of each pair.
fn settle_side(pairs: &mut [(usize, usize, By)], ours: &[Hashes], theirs: &[Hashes], swapped: bool) {
    let ours_first = |pair: &(usize, usize, By)| if swapped { (pair.1, pair.0) } else { (pair.0, pair.1) };
    // Where the other side has nodes without a partner, by name: the first place of each.
    let mut alone: HashMap<u64, usize> = HashMap::default();
    let mut next = 0;
    for partner in pairs.iter().map(|pair| ours_first(pair).1).chain([theirs.len()]) {
        for (at, hashes) in (next..partner).zip(&theirs[next.min(partner)..partner]) {
            alone.entry(hashes.name).or_insert(at);
        }
        next = partner + 1;
    }
    for next in 0..=pairs.len() {
        // The gap between pair `next - 1` and pair `next`.
        let (start, at) = next.checked_sub(1).map_or((0, 0), |before| {
            let (ours, theirs) = ours_first(&pairs[before]);
            (ours + 1, theirs + 1)
        });
        let (end, beside) = pairs.get(next).map_or((ours.len(), theirs.len()), &ours_first);
        let length = end - start;
        if length == 0 || beside != at {
            continue;
        }
        // A step to the left gives the node behind the gap's end the partner of the node before its begin.
        let same_class = |one: usize, other: usize, partner: usize| {
            let class = class(ours[one], theirs[partner]);
            class.is_some() && class == self::class(ours[other], theirs[partner])
        };
        let adjacent = |from: usize, to: usize| {
            let ((a, b), (c, d)) = (ours_first(&pairs[from]), ours_first(&pairs[to]));
            a + 1 == c && b + 1 == d
        };
        let mut left = 0;
        while left < next
            && (left == 0 || adjacent(next - 1 - left, next - left))
            && same_class(start - 1 - left, end - 1 - left, at - 1 - left)
        {
            left += 1;
        }
        let mut right = 0;
        while next + right < pairs.len()
            && (right == 0 || adjacent(next + right - 1, next + right))
            && same_class(end + right, start + right, at + right)
        {
            right += 1;
        }
        let moved_from_before = alone.get(&ours[start].name).is_some_and(|&position| position < at);
        let shift = if moved_from_before { 0 } else { (left + right) / length * length };
        // From the leftmost place by whole periods.
        let to_left = left.saturating_sub(shift);
        let to_right = shift.saturating_sub(left);
        let set =
            |pair: &mut (usize, usize, By), ours_at: usize| if swapped { pair.1 = ours_at } else { pair.0 = ours_at };
        for step in 0..to_left {
            set(&mut pairs[next - 1 - step], end - 1 - step);
        }
        for step in 0..to_right {
            set(&mut pairs[next + step], start + step);
        }
    }
}

/// The finest level at which two nodes are equal.
fn class(one: Hashes, other: Hashes) -> Option<Level> {
    [Level::Exact, Level::Shape, Level::Name].into_iter().find(|&level| one.at(level) == other.at(level))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(text: &str) -> Vec<Hashes> {
        text.chars().map(|c| Hashes { exact: c as u64, shape: c as u64, name: c as u64 }).collect()
    }

    /// The places of control that have no partner, after settling.
    fn gap(control: &str, test: &str, partners: &[(usize, usize)]) -> Vec<usize> {
        let mut pairs: Vec<(usize, usize, By)> =
            partners.iter().map(|&(a, b)| (a, b, By::Hash(Level::Exact))).collect();
        settle(&mut pairs, &hashes(control), &hashes(test));
        assert!(pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1), "{pairs:?}");
        assert!(pairs.iter().all(|&(a, b, _)| control.as_bytes()[a] == test.as_bytes()[b]), "{pairs:?}");
        (0..control.len()).filter(|at| pairs.iter().all(|pair| pair.0 != *at)).collect()
    }

    #[test]
    fn a_removed_block_is_a_whole_one() {
        // x pq pq pq p r → x pq pq p r: found at "q p" before r, belongs at "p q".
        let pairs = [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (8, 6)];
        assert_eq!(gap("xpqpqpqpr", "xpqpqpr", &pairs), [5, 6]);
    }

    #[test]
    fn a_gap_that_fits_one_place_stays() {
        assert_eq!(gap("abcd", "abd", &[(0, 0), (1, 1), (3, 2)]), [2]);
    }

    #[test]
    fn a_gap_whose_content_moved_stays_near_it() {
        // x p p → p x p: the first p has moved.
        assert_eq!(gap("xpp", "pxp", &[(0, 1), (1, 2)]), [1]);
        assert_eq!(gap("xpp", "pxp", &[(0, 1), (2, 2)]), [1]);
        // p p x → p x p: the second one has.
        assert_eq!(gap("ppx", "pxp", &[(1, 0), (2, 1)]), [1]);
    }

    #[test]
    fn an_early_gap_moves_to_the_last_place() {
        // The first of three equal layers was taken for the missing one.
        assert_eq!(gap("pqpqpqz", "pqpqz", &[(2, 0), (3, 1), (4, 2), (5, 3), (6, 4)]), [4, 5]);
    }
}
