//! The figure: own times of the first rows.

use super::sums::Sums;
use crate::stats::micros;
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, Unit};

/// Number of rows that are drawn.
const DRAWN: usize = 20;

/// Draws the times that add up, of the first rows; `None` without kernels.
pub(super) fn figure(rows: &[(String, Sums)]) -> Option<Figure> {
    rows.iter().any(|(_, sums)| sums.kernels > 0).then(|| {
        let drawn = &rows[..rows.len().min(DRAWN)];
        let bars = |name: &str, of: fn(&Sums) -> i64| Series {
            name: name.to_owned(),
            mark: Mark::Bar,
            x: Points::Names(drawn.iter().map(|(name, _)| name.clone()).collect()),
            y: drawn.iter().map(|(_, sums)| micros(of(sums))).collect(),
        };
        Figure {
            title: "Own time of operators".to_owned(),
            y: Axis { title: "Time".to_owned(), unit: Unit::Micros, ..Axis::default() },
            bars: BarMode::Group,
            series: vec![bars("on the CPU", |sums| sums.own), bars("of kernels", |sums| sums.kernel_own)],
            ..Figure::default()
        }
    })
}
