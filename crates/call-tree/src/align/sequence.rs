//! Alignment of two sequences of nodes: equal ends, unique anchors, and dynamic programming with affine gaps between them.

use crate::input::label::Level;
use crate::tree::hash::{Hashes, mix};
use foldhash::HashMap;

/// Why two nodes were paired.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum By {
    /// Equal hash at a level, at an end of the sequences or as an anchor.
    Hash(Level),
    /// Score of the dynamic programming.
    Score(f64),
}

/// Pairs of positions, ascending in both sequences, and whether a segment was too large to be aligned.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    pub(super) pairs: Vec<(usize, usize, By)>,
    pub(super) too_large: bool,
    /// Scores of its pairs less the costs of its gaps; 0 until [`worth`] is asked.
    pub(super) worth: f64,
}

/// Two sequences to align.
pub(super) trait Sequences {
    /// Lengths.
    fn lengths(&self) -> (usize, usize);
    /// Hashes at a position of control.
    fn control(&self, at: usize) -> Hashes;
    /// Hashes at a position of test.
    fn test(&self, at: usize) -> Hashes;
    /// Weights at a position of control and of test.
    fn weights(&self) -> (&[f64], &[f64]);
    /// Score of a pair, 0 to 1; `None` if forbidden.
    fn score(&self, control: usize, test: usize) -> Option<f64>;
}

/// Sequences up to this length are aligned in full, longer ones in a band.
const FULL: usize = 1_000;
/// Longer sequences are first divided at anchors.
const ANCHORED: usize = 4_000;
const BAND: usize = 128;
/// From this length on, sequences are divided at runs that are unique on both sides, ...
const DIVIDED: usize = 200;
/// ... if these hold at least this share of the shorter one, in order: fewer may be equal by an edit.
const NEARLY_ALL: f64 = 0.9;
/// With more cells than this a segment is not aligned. One cell takes one byte.
const MOST_CELLS: usize = 64_000_000;
const GAP_OPEN: f64 = 0.5;
const GAP_NODE: f64 = 0.15;
/// A pair of this score earns nothing.
const NEUTRAL: f64 = 0.2;

#[derive(Debug, Clone, Copy)]
struct Segment {
    a: (usize, usize),
    b: (usize, usize),
}

impl Segment {
    fn is_empty(self) -> bool {
        self.a.0 == self.a.1 || self.b.0 == self.b.1
    }

    fn lengths(self) -> (usize, usize) {
        (self.a.1 - self.a.0, self.b.1 - self.b.0)
    }

    fn is_large(self) -> bool {
        let (n, m) = self.lengths();
        n.max(m) > ANCHORED
    }
}

/// Anchors to look for in long segments, one after another: levels of hashes, and lengths of the runs of nodes that must be unique. The longest
/// runs come first. A node that is unique on both sides need not be the same one: of two equal layers either may have lost it.
const STEPS: [(Level, usize); 6] =
    [(Level::Exact, 12), (Level::Name, 12), (Level::Name, 4), (Level::Exact, 1), (Level::Shape, 1), (Level::Name, 1)];

/// Runs that make an alignment clear.
const CLEAR: [(Level, usize); 3] = [(Level::Exact, 1), (Level::Exact, 4), (Level::Name, 4)];

/// Returns what an alignment is worth: the scores of its pairs less the costs of its gaps.
pub(super) fn worth(of: &impl Sequences, pairs: &[(usize, usize, By)]) -> f64 {
    let (weights_a, weights_b) = of.weights();
    let gap = |weights: &[f64]| {
        if weights.is_empty() { 0.0 } else { GAP_OPEN + GAP_NODE * weights.iter().sum::<f64>() }
    };
    let (mut worth, mut from) = (0.0, (0, 0));
    for &(a, b, by) in pairs {
        let score = match by {
            By::Hash(_) => 1.0,
            By::Score(score) => score,
        };
        worth += (score - NEUTRAL) * weights_a[a].min(weights_b[b]);
        worth -= gap(&weights_a[from.0..a]) + gap(&weights_b[from.1..b]);
        from = (a + 1, b + 1);
    }
    worth - gap(&weights_a[from.0..]) - gap(&weights_b[from.1..])
}

/// Aligns two sequences.
pub(super) fn sequences(of: &impl Sequences) -> Pairs {
    let mut found = Pairs::default();
    let (n, m) = of.lengths();
    segment(of, Segment { a: (0, n), b: (0, m) }, &mut found);
    found.pairs.sort_by_key(|&(a, ..)| a);
    found
}

fn segment(of: &impl Sequences, whole: Segment, found: &mut Pairs) {
    let mut open = vec![(whole, 0)];
    while let Some((part, step)) = open.pop() {
        let part = trim(of, part, found);
        if part.is_empty() {
            continue;
        }
        let (level, anchors) = match STEPS.get(step).filter(|_| part.is_large()) {
            Some(&(level, length)) => (level, anchors(of, part, level, length)),
            None => match in_order(of, part) {
                Some(found) => found,
                None => {
                    align(of, part, found);
                    continue;
                }
            },
        };
        if anchors.is_empty() {
            open.push((part, step + 1));
            continue;
        }
        let mut from = (part.a.0, part.b.0);
        for (a, b) in anchors {
            // A node that occurs several times in the whole segment may be unique between two anchors.
            open.push((Segment { a: (from.0, a), b: (from.1, b) }, step));
            found.pairs.push((a, b, By::Hash(level)));
            from = (a + 1, b + 1);
        }
        open.push((Segment { a: (from.0, part.a.1), b: (from.1, part.b.1) }, step));
    }
}

/// Returns begins of runs that are unique on both sides, if the runs hold nearly all of a side: the alignment is clear without scores.
fn in_order(of: &impl Sequences, part: Segment) -> Option<(Level, Vec<(usize, usize)>)> {
    let (n, m) = part.lengths();
    if n.min(m) < DIVIDED {
        return None;
    }
    let is_clear = |length: usize, anchors: &[(usize, usize)]| {
        let ends = anchors.iter().skip(1).map(|&(a, _)| a).chain([part.a.1]);
        let nodes: usize = anchors.iter().zip(ends).map(|(&(a, _), next)| length.min(next - a)).sum();
        nodes as f64 >= NEARLY_ALL * n.min(m) as f64
    };
    CLEAR.into_iter().find_map(|(level, length)| {
        let found = anchors(of, part, level, length);
        is_clear(length, &found).then_some((level, found))
    })
}

/// Pairs equal nodes at both ends, the front first: a single edit is finished by this.
fn trim(of: &impl Sequences, mut part: Segment, found: &mut Pairs) -> Segment {
    let equal = |a: usize, b: usize| of.control(a).exact == of.test(b).exact;
    while !part.is_empty() && equal(part.a.0, part.b.0) {
        found.pairs.push((part.a.0, part.b.0, By::Hash(Level::Exact)));
        part.a.0 += 1;
        part.b.0 += 1;
    }
    while !part.is_empty() && equal(part.a.1 - 1, part.b.1 - 1) {
        part.a.1 -= 1;
        part.b.1 -= 1;
        found.pairs.push((part.a.1, part.b.1, By::Hash(Level::Exact)));
    }
    part
}

/// Begins of runs of hashes that are unique on both sides: the longest chain in common order.
fn anchors(of: &impl Sequences, part: Segment, level: Level, length: usize) -> Vec<(usize, usize)> {
    let runs = |(from, to): (usize, usize), hash: &dyn Fn(usize) -> u64| -> Vec<u64> {
        let hashes: Vec<u64> = (from..to).map(hash).collect();
        hashes.windows(length).map(|run| run.iter().fold(0, |all, &hash| mix(all, hash))).collect()
    };
    let mut seen: HashMap<u64, (usize, usize, usize, usize)> = HashMap::default();
    for (a, hash) in (part.a.0..).zip(runs(part.a, &|at| of.control(at).at(level))) {
        let entry = seen.entry(hash).or_default();
        *entry = (entry.0 + 1, a, entry.2, entry.3);
    }
    for (b, hash) in (part.b.0..).zip(runs(part.b, &|at| of.test(at).at(level))) {
        if let Some(entry) = seen.get_mut(&hash) {
            *entry = (entry.0, entry.1, entry.2 + 1, b);
        }
    }
    let mut unique: Vec<(usize, usize)> =
        seen.into_values().filter(|&(n, _, m, _)| n == 1 && m == 1).map(|(_, a, _, b)| (a, b)).collect();
    unique.sort_unstable();
    longest_chain(&unique)
}

/// The longest subsequence that ascends in the second number too.
fn longest_chain(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<usize> = vec![usize::MAX; pairs.len()];
    for (at, &(_, b)) in pairs.iter().enumerate() {
        let slot = tails.partition_point(|&tail| pairs[tail].1 < b);
        before[at] = if slot > 0 { tails[slot - 1] } else { usize::MAX };
        if slot == tails.len() {
            tails.push(at);
        } else {
            tails[slot] = at;
        }
    }
    let mut chain = Vec::with_capacity(tails.len());
    let mut at = tails.last().copied().unwrap_or(usize::MAX);
    while at != usize::MAX {
        chain.push(pairs[at]);
        at = before[at];
    }
    chain.reverse();
    chain
}

const MATCH: u8 = 0;
const SKIP_A: u8 = 1;
const SKIP_B: u8 = 2;

/// Needleman and Wunsch with affine gaps (Gotoh), in a band where the sequences are long. Ties: match before gap.
fn align(of: &impl Sequences, part: Segment, found: &mut Pairs) {
    let (n, m) = (part.a.1 - part.a.0, part.b.1 - part.b.0);
    let (low, high) = if n <= FULL && m <= FULL {
        (-(n as isize), m as isize)
    } else {
        let difference = m as isize - n as isize;
        (difference.min(0) - BAND as isize, difference.max(0) + BAND as isize)
    };
    let width = (high - low + 1) as usize;
    if (n + 1).saturating_mul(width) > MOST_CELLS {
        found.too_large = true;
        return;
    }
    let (weights_a, weights_b) = of.weights();
    let none = f64::NEG_INFINITY;
    // Row i holds columns i + low ..= i + high.
    let column = |i: usize, k: usize| i as isize + low + k as isize;
    let mut back = vec![0_u8; (n + 1) * width];
    let mut last = vec![[none; 3]; width];
    for i in 0..=n {
        let mut row = vec![[none; 3]; width];
        for k in 0..width {
            let j = column(i, k);
            if j < 0 || j > m as isize {
                continue;
            }
            let j = j as usize;
            let mut cell = [none; 3];
            let mut from = 0_u8;
            if i == 0 && j == 0 {
                cell[MATCH as usize] = 0.0;
            }
            // Along the diagonal the place in the row above is the same.
            if i > 0
                && j > 0
                && let Some(score) = of.score(part.a.0 + i - 1, part.b.0 + j - 1)
            {
                let (state, best) = best(last[k]);
                if best > none {
                    let weight = weights_a[part.a.0 + i - 1].min(weights_b[part.b.0 + j - 1]);
                    cell[MATCH as usize] = best + (score - NEUTRAL) * weight;
                    from |= state;
                }
            }
            let gap = |cell: [f64; 3], same: u8, weight: f64| {
                let open = |state: u8| if state == same { 0.0 } else { GAP_OPEN };
                let (state, value) = best([0, 1, 2].map(|state| cell[state as usize] - open(state)));
                (state, value - GAP_NODE * weight)
            };
            if i > 0 && k + 1 < width {
                let (state, value) = gap(last[k + 1], SKIP_A, weights_a[part.a.0 + i - 1]);
                cell[SKIP_A as usize] = value;
                from |= state << 2;
            }
            if j > 0 && k > 0 {
                let (state, value) = gap(row[k - 1], SKIP_B, weights_b[part.b.0 + j - 1]);
                cell[SKIP_B as usize] = value;
                from |= state << 4;
            }
            row[k] = cell;
            back[i * width + k] = from;
        }
        last = row;
    }
    let (mut i, mut j) = (n, m);
    let end = (m as isize - n as isize - low) as usize;
    let (mut state, _) = best(last[end]);
    while i > 0 || j > 0 {
        let from = back[i * width + (j as isize - i as isize - low) as usize];
        match state {
            MATCH => {
                (i, j) = (i - 1, j - 1);
                let (a, b) = (part.a.0 + i, part.b.0 + j);
                found.pairs.push((a, b, By::Score(of.score(a, b).unwrap_or(0.0))));
                state = from & 3;
            }
            SKIP_A => {
                i -= 1;
                state = (from >> 2) & 3;
            }
            _ => {
                j -= 1;
                state = (from >> 4) & 3;
            }
        }
    }
}

/// The best of three states; the first of equal ones.
fn best(states: [f64; 3]) -> (u8, f64) {
    let mut best = (MATCH, states[0]);
    for state in [SKIP_A, SKIP_B] {
        if states[state as usize] > best.1 {
            best = (state, states[state as usize]);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Letters: equal letters are equal, capitals of a letter share its name.
    struct Letters {
        a: Vec<char>,
        b: Vec<char>,
        weights: (Vec<f64>, Vec<f64>),
    }

    fn letters(a: &str, b: &str) -> Letters {
        let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
        let weights = (vec![1.0; a.len()], vec![1.0; b.len()]);
        Letters { a, b, weights }
    }

    fn hashes(c: char) -> Hashes {
        Hashes { exact: c as u64, shape: c as u64, name: c.to_ascii_lowercase() as u64 }
    }

    impl Sequences for Letters {
        fn lengths(&self) -> (usize, usize) {
            (self.a.len(), self.b.len())
        }
        fn control(&self, at: usize) -> Hashes {
            hashes(self.a[at])
        }
        fn test(&self, at: usize) -> Hashes {
            hashes(self.b[at])
        }
        fn weights(&self) -> (&[f64], &[f64]) {
            (&self.weights.0, &self.weights.1)
        }
        fn score(&self, control: usize, test: usize) -> Option<f64> {
            let (a, b) = (self.a[control], self.b[test]);
            match () {
                () if a == b => Some(1.0),
                () if a.eq_ignore_ascii_case(&b) => Some(0.92),
                () => None,
            }
        }
    }

    /// Both sequences with `-` for gaps.
    fn shown(a: &str, b: &str) -> (String, String) {
        let of = letters(a, b);
        let (mut i, mut j) = (0, 0);
        let (mut one, mut other) = (String::new(), String::new());
        for (a, b, _) in sequences(&of).pairs.into_iter().chain([(of.a.len(), of.b.len(), By::Score(0.0))]) {
            for skipped in &of.a[i..a] {
                one.push(*skipped);
                other.push('-');
            }
            for skipped in &of.b[j..b] {
                one.push('-');
                other.push(*skipped);
            }
            if a < of.a.len() {
                one.push(of.a[a]);
                other.push(of.b[b]);
                (i, j) = (a + 1, b + 1);
            }
        }
        (one, other)
    }

    #[test]
    fn one_edit_is_found_at_the_ends() {
        assert_eq!(shown("abcd", "abd"), ("abcd".to_owned(), "ab-d".to_owned()));
        assert_eq!(shown("abab", "ababab"), ("abab--".to_owned(), "ababab".to_owned()));
        assert_eq!(shown("", "ab"), ("--".to_owned(), "ab".to_owned()));
    }

    #[test]
    fn anchors_keep_their_common_order() {
        assert_eq!(shown("xaybz", "ybqaz").0.len(), 7);
        assert_eq!(longest_chain(&[(0, 3), (1, 1), (2, 2), (3, 0), (4, 4)]), [(1, 1), (2, 2), (4, 4)]);
    }

    #[test]
    fn names_pair_where_details_differ() {
        assert_eq!(shown("aabbaabb", "AabBaAbb"), ("aabbaabb".to_owned(), "AabBaAbb".to_owned()));
        let (one, other) = shown("aabbab", "Aabab");
        assert_eq!(one.len(), 6, "{one} {other}");
        assert_eq!(other.matches('-').count(), 1);
    }

    #[test]
    fn equal_layers_that_lost_other_nodes_stay_in_place() {
        // The second layer keeps the b that the first one lost, and the other way round: both are unique, and not the same.
        let (one, other) = shown("xacdabcdy", "xabcdacdy");
        assert_eq!((one.as_str(), other.as_str()), ("xa-cdabcdy", "xabcda-cdy"));
    }

    #[test]
    fn long_sequences_are_aligned_in_a_band() {
        let a: String = (0..1500).map(|i| if i % 7 < 3 { 'a' } else { 'b' }).collect();
        let b: String =
            a.chars().enumerate().filter(|(i, _)| i % 100 != 50).map(|(_, c)| c.to_ascii_uppercase()).collect();
        let found = sequences(&letters(&a, &b));
        assert_eq!(found.pairs.len(), b.len());
        assert!(!found.too_large);
        assert!(found.pairs.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
    }

    #[test]
    fn long_unlike_sequences_are_anchored_by_runs() {
        let mut state = 1_u64;
        let a: String = (0..20_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                char::from(b'a' + (state >> 33) as u8 % 20)
            })
            .collect();
        // Every second block of 50 is gone.
        let b: String = a.chars().enumerate().filter(|(at, _)| at / 50 % 2 == 0).map(|(_, c)| c).collect();
        let found = sequences(&letters(&a, &b));
        let right = |&&(a, b, _): &&(usize, usize, By)| a / 50 % 2 == 0 && a / 100 * 50 + a % 50 == b;
        let right = found.pairs.iter().filter(right).count();
        assert!(!found.too_large && right > 9_900, "{right} of {} pairs are right", b.len());
    }

    #[test]
    fn sequences_of_unique_nodes_are_divided_at_them() {
        let a: String = (0..1200).filter_map(|at| char::from_u32(0x4e00 + at)).collect();
        let b: String = a.chars().enumerate().filter(|(at, _)| at / 8 % 2 == 0).map(|(_, c)| c).collect();
        let (of, whole) = (letters(&a, &b), Segment { a: (0, 1200), b: (0, 600) });
        assert_eq!(in_order(&of, whole).map(|(_, found)| found.len()), Some(600));
        let found = sequences(&of);
        assert!(found.pairs.len() == 600 && found.pairs.iter().all(|&(a, b, _)| of.a[a] == of.b[b]));
        // Equal layers of which each lost another node: what is unique by that is no anchor.
        let layers: Vec<String> = ('b'..='z').map(|gone| "abcdefghijklmnopqrstuvwxyz".replace(gone, "")).collect();
        let of = letters(&layers.concat(), &layers.iter().rev().cloned().collect::<String>());
        let (n, m) = of.lengths();
        assert_eq!(in_order(&of, Segment { a: (0, n), b: (0, m) }).map(|(_, found)| found.len()), None);
    }

    #[test]
    fn a_segment_beyond_the_bound_is_reported() {
        let found = sequences(&letters(&"ab".repeat(150_000), &"A".repeat(150_000)));
        assert!(found.too_large && found.pairs.is_empty());
    }
}
