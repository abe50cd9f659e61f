//! The outermost of intervals that lie inside one another.

use std::cmp::Reverse;

/// Keeps the intervals that begin in no other one, by their begins; of equal begins the longest. Empty ones are left out.
/// `span` returns begin and end.
pub fn outermost<T>(mut items: Vec<T>, span: impl Fn(&T) -> (i64, i64)) -> Vec<T> {
    items.sort_by_key(|item| (span(item).0, Reverse(span(item).1)));
    let mut reach = i64::MIN;
    items.retain(|item| {
        let (start, end) = span(item);
        let is_outermost = end > start && start >= reach;
        if is_outermost {
            reach = end;
        }
        is_outermost
    });
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_that_begin_inside_another_are_left_out() {
        let spans = vec![(50, 60), (0, 10), (0, 30), (5, 8), (25, 55), (30, 30), (30, 40)];
        assert_eq!(outermost(spans, |&span| span), [(0, 30), (30, 40), (50, 60)]);
        assert_eq!(outermost(vec![(i64::MIN, 0), (0, i64::MAX)], |&span| span).len(), 2);
    }
}
