//! The heat map of ranks and classes.

use super::measures::{Class, Times};
use super::outliers::{Deviation, FEWEST, deviations};
use std::collections::BTreeMap;
use trace_view::format::nanoseconds;
use trace_view::{Axis, Colours, HeatMap, Labelled, Points};

/// Scores from here on have the strongest colour.
const STRONGEST: f64 = 10.0;

/// Draws the robust z-scores of all ranks by class, 0 where the difference is below `least` ns; `None` with too few ranks.
/// The ranks of `found` are labelled.
pub(super) fn heat_map(ranks: &[(i64, f64)], times: &Times, found: &[Deviation<'_>], least: f64) -> Option<HeatMap> {
    let none = BTreeMap::new();
    let whole = |class: Class| times.get(&class).and_then(|names| names.get("")).unwrap_or(&none);
    let classes: Vec<Class> = Class::WHOLE.into_iter().filter(|&class| !whole(class).is_empty()).collect();
    if ranks.len() < FEWEST || classes.is_empty() {
        return None;
    }
    let (mut values, mut details) = (Vec::new(), Vec::new());
    for &class in &classes {
        let row = deviations(ranks, class, "", whole(class));
        let score = |one: &Deviation<'_>| {
            let is_small = one.difference().abs() < least;
            one.z.filter(|_| !is_small).unwrap_or(0.0).clamp(-STRONGEST, STRONGEST)
        };
        let time = |nanos: f64| nanoseconds(nanos.round() as i64);
        values.push(row.iter().map(score).collect());
        details.push(row.iter().map(|one| format!("{}, median {}", time(one.value), time(one.median))).collect());
    }
    let is_found = |rank: i64| found.iter().any(|one| one.rank == rank);
    let labelled =
        ranks.iter().enumerate().filter(|(_, (rank, _))| is_found(*rank)).map(|(column, _)| column).collect();
    Some(HeatMap {
        title: "Ranks that differ from the others".to_owned(),
        subtitle: "difference from the median over all ranks, in robust standard deviations".to_owned(),
        x: Axis { title: "Rank".to_owned(), ..Axis::default() },
        columns: Points::Numbers(ranks.iter().map(|(rank, _)| *rank as f64).collect()),
        rows: Points::Names(classes.iter().map(|class| class.word().to_owned()).collect()),
        values,
        details,
        meaning: "robust z".to_owned(),
        colours: Colours::Differences,
        range: Some((-STRONGEST, STRONGEST)),
        labelled: Labelled { columns: labelled, rows: Vec::new() },
        from_top: true,
        ..HeatMap::default()
    })
}
