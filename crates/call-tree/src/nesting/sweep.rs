//! The one sweep that nests the calls of a thread.

use std::cmp::Reverse;

/// A call on a thread, with a number that the caller gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Call {
    /// Begin in ns.
    pub start: i64,
    /// End in ns; an end before `start` counts as `start`, except in HTA's rule.
    pub end: i64,
    /// Number of the call, such as its row. Of calls with one interval the smaller number is outside.
    pub row: u32,
}

/// What closes an open call; it matters where calls cross.
///
/// ```text
/// a   |---------|
/// b        |---------|
/// c              |-|      within b; by `LastOpened` within a, since the end of a closed b
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Closing {
    /// Its own end.
    #[default]
    OwnEnd,
    /// The end of any call, which closes the call that was opened last; an end before its own start closes the call around it.
    /// HTA's rule.
    LastOpened,
}

/// A moment of the sweep, in order: a call, and the one around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'c> {
    /// A call begins.
    Begins(&'c Call, Option<&'c Call>),
    /// A call is over. With [`Closing::OwnEnd`] not before the call inside it that is over last.
    Ends(&'c Call, Option<&'c Call>),
}

/// Sorts calls as [`nest`] expects them: by start, the longer ones first, then by row.
pub fn sort(calls: &mut [Call]) {
    calls.sort_by_key(|call| (call.start, Reverse(call.end), call.row));
}

/// Nests the sorted calls of one thread, and visits the begin and the end of each. Linear with [`Closing::OwnEnd`].
///
/// The call around a call is the last one that is still open. An empty call is inside a call that ends or starts at its moment,
/// and of several empty ones of one moment each is inside the one before.
///
/// # Example
/// ```
/// use call_tree::nesting::{Call, Closing, Step, nest};
///
/// let call = |row, start, end| Call { start, end, row };
/// let calls = [call(0, 0, 100), call(1, 10, 50), call(2, 20, 30), call(3, 60, 70)];
/// let mut parents = [None; 4];
/// nest(&calls, Closing::OwnEnd, |step| {
///     if let Step::Begins(call, Some(around)) = step {
///         parents[call.row as usize] = Some(around.row);
///     }
/// });
/// assert_eq!(parents, [None, Some(0), Some(1), Some(0)]);
/// ```
pub fn nest(calls: &[Call], closing: Closing, visit: impl FnMut(Step<'_>)) {
    match closing {
        Closing::OwnEnd => nest_each(calls.iter().copied(), visit),
        Closing::LastOpened => {
            // Ends in order, and whether they are of empty calls.
            let mut ends: Vec<(i64, bool)> = calls.iter().map(|call| (call.end, !call.has_length())).collect();
            ends.sort_unstable();
            let mut ends = ends.into_iter().peekable();
            let closes =
                |_: &[Call], call: &Call| ends.next_if(|&(end, is_empty)| is_over(end, is_empty, call)).is_some();
            sweep(calls.iter().copied(), closes, visit);
        }
    }
}

/// Nests calls by [`Closing::OwnEnd`] as [`nest`] does, without holding them all.
pub(crate) fn nest_each(calls: impl Iterator<Item = Call>, visit: impl FnMut(Step<'_>)) {
    let closes =
        |open: &[Call], call: &Call| open.last().is_some_and(|outer| is_over(outer.end(), !outer.has_length(), call));
    sweep(calls, closes, visit);
}

/// Nests sorted calls; `closes` tells whether the call that was opened last is over when another one begins.
fn sweep(
    calls: impl Iterator<Item = Call>,
    mut closes: impl FnMut(&[Call], &Call) -> bool,
    mut visit: impl FnMut(Step<'_>),
) {
    let mut open: Vec<Call> = Vec::new();
    for call in calls {
        while closes(&open, &call) {
            close(&mut open, &mut visit);
        }
        visit(Step::Begins(&call, open.last()));
        open.push(call);
    }
    while !open.is_empty() {
        close(&mut open, &mut visit);
    }
}

/// Tells whether a call with such an end is over when another one begins.
fn is_over(end: i64, is_empty: bool, call: &Call) -> bool {
    end < call.start || (end == call.start && call.has_length() && !is_empty)
}

/// Closes the call that was opened last.
fn close(open: &mut Vec<Call>, visit: &mut impl FnMut(Step<'_>)) {
    if let Some(over) = open.pop() {
        visit(Step::Ends(&over, open.last()));
    }
}

impl Call {
    fn end(&self) -> i64 {
        self.end.max(self.start)
    }

    fn has_length(&self) -> bool {
        self.end > self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The row around each call; the calls have their place as row.
    fn parents(calls: &[(i64, i64)], closing: Closing) -> Vec<Option<u32>> {
        let mut calls: Vec<Call> = calls.iter().zip(0..).map(|(&(start, end), row)| Call { start, end, row }).collect();
        sort(&mut calls);
        let mut parents = vec![None; calls.len()];
        let (mut open, mut ended) = (Vec::new(), 0);
        nest(&calls, closing, |step| match step {
            Step::Begins(call, around) => {
                assert_eq!(open.last().copied(), around.map(|around| around.row));
                parents[call.row as usize] = around.map(|around| around.row);
                open.push(call.row);
            }
            Step::Ends(call, around) => {
                assert_eq!(open.pop(), Some(call.row));
                assert_eq!(open.last().copied(), around.map(|around| around.row));
                ended += 1;
            }
        });
        assert_eq!((open.len(), ended), (0, calls.len()));
        parents
    }

    #[test]
    fn empty_calls_are_inside_calls_that_end_or_start_there() {
        for closing in [Closing::OwnEnd, Closing::LastOpened] {
            let found = parents(&[(0, 10), (10, 10), (20, 30), (30, 40), (30, 30), (30, 30)], closing);
            assert_eq!(found, [None, Some(0), None, None, Some(3), Some(4)]);
        }
        // An end before the start counts as the start.
        assert_eq!(parents(&[(5, 9), (7, 3), (8, 9)], Closing::OwnEnd), [None, Some(0), Some(0)]);
    }

    #[test]
    fn crossing_calls_are_closed_by_the_rule() {
        let crossing = [(0, 10), (5, 15), (12, 14)];
        assert_eq!(parents(&crossing, Closing::OwnEnd), [None, Some(0), Some(1)]);
        assert_eq!(parents(&crossing, Closing::LastOpened), [None, Some(0), Some(0)]);
    }

    #[test]
    fn an_end_before_the_start_closes_the_call_around_it() {
        // The second call takes the place of the first, which HTA's rounding makes of calls shorter than 1 µs.
        assert_eq!(parents(&[(0, 10), (5, 4), (6, 8)], Closing::LastOpened), [None, None, Some(1)]);
        assert_eq!(parents(&[(5, 4), (6, 8)], Closing::LastOpened), [None, Some(0)]);
    }

    #[test]
    fn longer_calls_are_outside_and_equal_ones_in_their_order() {
        assert_eq!(parents(&[(0, 5), (0, 9), (0, 9)], Closing::OwnEnd), [Some(2), None, Some(1)]);
    }
}
