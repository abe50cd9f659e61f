//! The figure of kernels: how many take how long, and how much of the time they are.

use super::recorded::{CLASSES, State};
use trace_view::format::nanoseconds as time;
use trace_view::{Axis, Figure, Mark, Points, Series, Unit};

/// Draws the kernels by duration; `None` without kernels.
pub(super) fn figure(state: &State) -> Option<Figure> {
    let mut classes = vec![(0_u64, 0_i64); CLASSES.len() + 1];
    for rank in state.ranks.0.values() {
        for (sum, class) in classes.iter_mut().zip(&rank.classes) {
            *sum = (sum.0 + class.count, sum.1 + class.own);
        }
    }
    let (count, ns) = classes.iter().fold((0, 0), |sum, class| (sum.0 + class.0, sum.1 + class.1));
    let first = classes.iter().position(|class| class.0 > 0)?;
    let last = classes.iter().rposition(|class| class.0 > 0)?;
    let names = || (first..=last).map(name).collect::<Vec<String>>();
    let series = |name: &str, of: &dyn Fn(&(u64, i64)) -> f64| Series {
        name: name.to_owned(),
        mark: Mark::Bar,
        x: Points::Names(names()),
        y: classes[first..=last].iter().map(of).collect(),
    };
    Some(Figure {
        title: "Kernels by duration".to_owned(),
        x: Axis { title: "Duration of a kernel".to_owned(), ..Axis::default() },
        y: Axis { title: "Share of all kernels".to_owned(), unit: Unit::Percent, ..Axis::default() },
        series: vec![
            series("of their number", &|class| 100.0 * class.0 as f64 / count.max(1) as f64),
            series("of their time", &|class| 100.0 * class.1 as f64 / ns.max(1) as f64),
        ],
        ..Figure::default()
    })
}

/// Names a class of durations: `5 µs to 10 µs`.
fn name(class: usize) -> String {
    let bound = |at: usize| CLASSES.get(at).map(|&ns| short(ns));
    match (class.checked_sub(1).and_then(bound), bound(class)) {
        (None, Some(end)) => format!("below {end}"),
        (Some(start), Some(end)) => format!("{start} to {end}"),
        (Some(start), None) => format!("from {start}"),
        (None, None) => String::new(),
    }
}

/// Writes a bound, which has one digit that counts: `10 µs`.
fn short(ns: i64) -> String {
    let text = time(ns);
    match text.split_once(' ') {
        Some((number, unit)) if number.contains('.') => {
            format!("{} {unit}", number.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text,
    }
}
