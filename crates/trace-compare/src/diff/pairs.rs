//! Pairs of groups: which rank or iteration of control is compared with which of test.

use crate::{By, Window};
use trace_view::format::ranges;

/// The group of all rows that have no other.
pub(super) const WHOLE: i64 = 0;

/// A group of control and the group of test that it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    /// The number in the answer; `None` if the trace has no iterations.
    pub(super) number: Option<i64>,
    pub(super) control: Option<i64>,
    pub(super) test: Option<i64>,
}

/// The groups of both sides in pairs, and sentences on how they were paired.
pub(super) struct Pairs {
    pub(super) pairs: Vec<Pair>,
    pub(super) notes: Vec<String>,
}

impl Pairs {
    /// The one pair of a comparison without groups.
    pub(super) fn whole() -> Self {
        let pair = Pair { number: None, control: Some(WHOLE), test: Some(WHOLE) };
        Self { pairs: vec![pair], notes: Vec::new() }
    }

    /// Pairs groups of equal numbers; without any equal number, groups at equal positions. `None` is a whole recording
    /// without iterations.
    pub(super) fn of(by: By, control: Option<&[i64]>, test: Option<&[i64]>) -> Self {
        let sorted = |numbers: Option<&[i64]>| {
            let mut numbers = numbers.map_or_else(|| vec![WHOLE], <[i64]>::to_vec);
            numbers.sort_unstable();
            numbers
        };
        let (ours, theirs) = (sorted(control), sorted(test));
        let numbered_groups = control.is_some() && test.is_some();
        if numbered_groups && (ours.is_empty() || theirs.is_empty() || ours.iter().any(|n| theirs.contains(n))) {
            return Self::by_number(by, &ours, &theirs);
        }
        let at = |position: usize| {
            let (ours, theirs) = (ours.get(position).copied(), theirs.get(position).copied());
            let number = ours.filter(|_| control.is_some()).or(theirs.filter(|_| test.is_some()));
            Pair { number, control: ours, test: theirs }
        };
        let pairs: Vec<Pair> = (0..ours.len().max(theirs.len())).map(at).collect();
        let name = |numbers: Option<&[i64]>| numbers.map_or_else(|| "the whole recording".to_owned(), words);
        let mut notes = vec![if numbered_groups {
            format!(
                "No {by} exists on both sides: {by}s are paired by position ({} → {}), and the column {by} has the number of \
                 control.",
                name(control),
                name(test)
            )
        } else {
            format!("A side without {by}s is compared as one {by} ({} → {}).", name(control), name(test))
        }];
        notes.extend(Self::one_sided(by, &pairs));
        Self { pairs, notes }
    }

    fn by_number(by: By, control: &[i64], test: &[i64]) -> Self {
        let mut all: Vec<i64> = control.iter().chain(test).copied().collect();
        all.sort_unstable();
        all.dedup();
        let has = |side: &[i64], number: i64| side.binary_search(&number).ok().map(|_| number);
        let pair = |number| Pair { number: Some(number), control: has(control, number), test: has(test, number) };
        let pairs: Vec<Pair> = all.into_iter().map(pair).collect();
        let notes = Self::one_sided(by, &pairs);
        Self { pairs, notes }
    }

    /// Names the groups that only one side has.
    fn one_sided(by: By, pairs: &[Pair]) -> Vec<String> {
        let of = |is_alone: fn(&Pair) -> bool| -> Vec<i64> {
            pairs.iter().filter(|pair| is_alone(pair)).filter_map(|pair| pair.number).collect()
        };
        let note = |numbers: Vec<i64>, side: &str, change: &str| {
            (!numbers.is_empty())
                .then(|| format!("Only in {side}: {}; its operators count as {change}.", named(by, &numbers)))
        };
        let deleted = note(of(|pair| pair.test.is_none()), "control", "deleted");
        deleted.into_iter().chain(note(of(|pair| pair.control.is_none()), "test", "added")).collect()
    }
}

/// `rank 3`, `ranks 0–7`
pub(super) fn named(by: By, numbers: &[i64]) -> String {
    let plural = if let [_] = numbers { "" } else { "s" };
    format!("{by}{plural} {}", words(numbers))
}

fn words(all: &[i64]) -> String {
    if all.is_empty() { "none".to_owned() } else { ranges(all) }
}

/// Returns the numbers of the iterations of a window; `None` for a whole recording.
pub(super) fn iterations_of(window: &Window) -> Option<&[i64]> {
    match window {
        Window::Iterations(numbers) => Some(numbers),
        Window::Whole => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triples(pairs: &Pairs) -> Vec<(Option<i64>, Option<i64>, Option<i64>)> {
        pairs.pairs.iter().map(|pair| (pair.number, pair.control, pair.test)).collect()
    }

    #[test]
    fn equal_numbers_pair_and_the_rest_stands_alone() {
        let pairs = Pairs::of(By::Rank, Some(&[0, 1, 2]), Some(&[3, 1]));
        let expected =
            [(Some(0), Some(0), None), (Some(1), Some(1), Some(1)), (Some(2), Some(2), None), (Some(3), None, Some(3))];
        assert_eq!(triples(&pairs), expected);
        assert_eq!(
            pairs.notes,
            [
                "Only in control: ranks 0, 2; its operators count as deleted.",
                "Only in test: rank 3; its operators count as added."
            ]
        );
    }

    #[test]
    fn positions_pair_without_equal_numbers_and_it_is_said() {
        let pairs = Pairs::of(By::Iteration, Some(&[11, 10]), Some(&[5, 6, 7]));
        let expected = [(Some(10), Some(10), Some(5)), (Some(11), Some(11), Some(6)), (Some(7), None, Some(7))];
        assert_eq!(triples(&pairs), expected);
        assert!(pairs.notes[0].contains("paired by position (11, 10 → 5–7)"), "{:?}", pairs.notes);
        assert!(pairs.notes[1].contains("Only in test: iteration 7"), "{:?}", pairs.notes);
        let whole = Pairs::of(By::Iteration, None, Some(&[5]));
        assert_eq!(triples(&whole), [(Some(5), Some(WHOLE), Some(5))]);
        assert_eq!(triples(&Pairs::of(By::Iteration, None, None)), [(None, Some(WHOLE), Some(WHOLE))]);
        assert!(triples(&Pairs::of(By::Rank, Some(&[]), Some(&[]))).is_empty());
    }
}
