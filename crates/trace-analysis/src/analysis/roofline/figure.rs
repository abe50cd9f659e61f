//! The figure of a roofline: operators by intensity, below the limits of their devices.

use super::row::Row;
use efficiency::{PeakClass, Peaks};
use std::collections::{BTreeMap, BTreeSet};
use trace_view::names::elide;
use trace_view::{Axis, Figure, Mark, Points, Series};

/// Operators with a name of their own in the legend.
const NAMED: usize = 12;
/// Characters of shapes in the legend.
const SHAPE_CHARACTERS: usize = 40;

/// Draws the operators with operations, and the limits of their devices; `None` if there is nothing to draw.
pub(super) fn figure(rows: &[Row], devices: &BTreeMap<String, Peaks>) -> Option<Figure> {
    let drawn: Vec<&Row> = rows.iter().filter(|row| row.intensity > 0.0 && row.tflops > 0.0).collect();
    if drawn.is_empty() {
        return None;
    }
    let intensities = drawn.iter().map(|row| row.intensity);
    let (mut low, mut high) = (intensities.clone().fold(f64::INFINITY, f64::min), intensities.fold(0.0, f64::max));
    let mut roofs: Vec<(String, f64, f64)> = Vec::new();
    for peaks in devices.values() {
        let Some(bandwidth) = peaks.bandwidth.as_ref().map(|figure| figure.value) else { continue };
        let classes: BTreeSet<PeakClass> = drawn
            .iter()
            .filter(|row| row.device == peaks.label && row.reached.is_some())
            .filter_map(|row| PeakClass::named(&row.peak))
            .collect();
        for class in classes {
            let reachable = peaks.reachable(class).map(|figure| (" reachable", figure.value));
            let peak = peaks.peak(class).map(|figure| ("", figure.value));
            for (suffix, peak) in peak.into_iter().chain(reachable) {
                roofs.push((format!("{} {}{suffix}", peaks.label, class.word()), peak, bandwidth));
            }
        }
    }
    // All ridges are in the figure.
    for (_, peak, bandwidth) in &roofs {
        let ridge = peak * 1e3 / bandwidth;
        (low, high) = (low.min(ridge / 10.0), high.max(ridge * 10.0));
    }
    let (low, high) = (low / 2.0, high * 2.0);
    let mut series: Vec<Series> = roofs
        .into_iter()
        .map(|(name, peak, bandwidth)| {
            let ridge = peak * 1e3 / bandwidth;
            let x = vec![low, ridge.clamp(low, high), high];
            let y = x.iter().map(|intensity| (intensity * bandwidth / 1e3).min(peak)).collect();
            Series { name, mark: Mark::Line, x: Points::Numbers(x), y }
        })
        .collect();
    let (named, others) = drawn.split_at(drawn.len().min(NAMED));
    series.extend(named.iter().map(|row| points(label(row), std::slice::from_ref(row))));
    if !others.is_empty() {
        series.push(points("other operators".to_owned(), others));
    }
    Some(Figure {
        title: "Roofline".to_owned(),
        x: Axis { title: "Operations for each byte (FLOP/B)".to_owned(), log: true, ..Axis::default() },
        y: Axis { title: "Operations reached (TFLOP/s)".to_owned(), log: true, ..Axis::default() },
        series,
        ..Figure::default()
    })
}

fn label(row: &Row) -> String {
    let shapes = elide(&row.shapes, SHAPE_CHARACTERS);
    format!("{} {shapes}", row.name)
}

/// Points without a line between them: a gap follows each.
fn points(name: String, rows: &[&Row]) -> Series {
    let x = rows.iter().flat_map(|row| [row.intensity, row.intensity]).collect();
    let y = rows.iter().flat_map(|row| [row.tflops, f64::NAN]).collect();
    Series { name, mark: Mark::Line, x: Points::Numbers(x), y }
}
