//! Traces of plotly as series of our pictures, which have bars and lines only: points are drawn as small crosses, a box as its
//! outline, a pie as bars.

use super::histogram::Bins;
use super::json::{is_first, kind, numbers, on_first_axes, points};
use serde_json::Value;
use trace_view::{Mark, Points, Series};

/// More points than this are drawn as dots, which take a sixth of the lines of a cross.
const MOST_CROSSES: usize = 5_000;

/// Tells whether a trace consists of points that no line joins.
pub(super) fn is_points(trace: &Value) -> bool {
    matches!(kind(trace), "scatter" | "scattergl") && trace["mode"] == "markers"
}

/// Converts the traces of a figure; `None` if one of them cannot be drawn.
pub(super) fn series_of(traces: &[&Value], layout: &Value) -> Option<Vec<Series>> {
    let bins = Bins::of(traces);
    let spans = (span(traces, "x"), span(traces, "y"));
    let log = ["xaxis", "yaxis"].iter().any(|axis| layout[*axis]["type"] == "log");
    let mut boxes = 0;
    traces
        .iter()
        .map(|trace| {
            // Pictures have one axis of names or numbers, and at most two of values.
            if !on_first_axes(trace) && !on_second_axis(trace, layout) {
                return None;
            }
            let name = trace["name"].as_str().unwrap_or_default().to_owned();
            let (mark, x, y) = match kind(trace) {
                "bar" if trace["orientation"] == "h" => (Mark::Bar, points(&trace["y"], 0)?, numbers(&trace["x"])?),
                "bar" => line(trace, Mark::Bar)?,
                "pie" => (Mark::Bar, points(&trace["labels"], 0)?, numbers(&trace["values"])?),
                "histogram" => {
                    let (x, y) = bins.count(trace)?;
                    (Mark::Bar, x, y)
                }
                "box" if trace["x"].is_null() => {
                    boxes += 1;
                    outline(&numbers(&trace["y"])?, f64::from(boxes))?
                }
                "scatter" | "scattergl" if is_points(trace) => crosses(trace, spans, log)?,
                "scatter" | "scattergl" => {
                    let steps = trace["line"]["shape"].as_str().is_some_and(|shape| shape.contains('h'));
                    line(trace, if steps { Mark::Step } else { Mark::Line })?
                }
                _ => return None,
            };
            Some(Series { name, mark, x, y })
        })
        .collect()
}

/// Tells whether the values of a trace have a second axis, on the right of the same plot.
pub(super) fn on_second_axis(trace: &Value, layout: &Value) -> bool {
    is_first(&trace["xaxis"])
        && trace["yaxis"] == "y2"
        && trace["orientation"] != "h"
        && layout["yaxis2"]["overlaying"] == "y"
        && layout["yaxis2"]["side"] == "right"
}

/// Mark, positions and values of a series.
type Drawn = (Mark, Points, Vec<f64>);

fn line(trace: &Value, mark: Mark) -> Option<Drawn> {
    let y = numbers(&trace["y"])?;
    Some((mark, points(&trace["x"], y.len())?, y))
}

/// Returns the difference between the largest and the smallest number along an axis; 0 if there are none.
fn span(traces: &[&Value], axis: &str) -> f64 {
    let all = traces.iter().filter_map(|trace| numbers(&trace[axis])).flatten().filter(|value| value.is_finite());
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if high > low { high - low } else { 0.0 }
}

/// Draws a cross at each point: two strokes, each followed by a gap.
fn crosses(trace: &Value, (wide, high): (f64, f64), log: bool) -> Option<Drawn> {
    let (_, x, y) = line(trace, Mark::Line)?;
    // An axis of names has no positions between the names.
    let Points::Numbers(x) = x else { return None };
    let (dx, dy) = (wide * 0.003, high * 0.006);
    let dots = log || x.len() > MOST_CROSSES;
    let (mut positions, mut values) = (Vec::new(), Vec::new());
    for (&x, &y) in x.iter().zip(&y) {
        let strokes: &[(f64, f64)] =
            if dots { &[(x, y)] } else { &[(x - dx, y), (x + dx, y), (x, f64::NAN), (x, y - dy), (x, y + dy)] };
        for (x, y) in strokes.iter().copied().chain([(x, f64::NAN)]) {
            positions.push(x);
            values.push(y);
        }
    }
    Some((Mark::Line, Points::Numbers(positions), values))
}

/// Draws a box at position `x`: a rectangle of the quartiles with the median, and lines to the least and the greatest value.
fn outline(values: &[f64], x: f64) -> Option<Drawn> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (least, greatest) = (*values.first()?, *values.last()?);
    let quantile = |part: f64| {
        let at = part * (values.len() - 1) as f64;
        let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
        low + (high - low) * at.fract()
    };
    let (low, middle, high) = (quantile(0.25), quantile(0.5), quantile(0.75));
    let (left, right, gap) = (x - 0.3, x + 0.3, (x, f64::NAN));
    let strokes = [
        (left, low),
        (right, low),
        (right, high),
        (left, high),
        (left, low),
        gap,
        (left, middle),
        (right, middle),
        gap,
        (x, least),
        (x, low),
        gap,
        (x, high),
        (x, greatest),
    ];
    Some((Mark::Line, Points::Numbers(strokes.map(|(x, _)| x).to_vec()), strokes.map(|(_, y)| y).to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn drawn(trace: Value) -> Option<Series> {
        series_of(&[&trace], &Value::Null).and_then(|mut series| series.pop())
    }

    #[test]
    fn histogram_is_counted() {
        let one = drawn(json!({"type": "histogram", "x": [1, 1.5, 2, 9.5], "nbinsx": 5})).unwrap();
        assert_eq!(one.x, Points::Numbers(vec![1.0, 3.0, 5.0, 7.0, 9.0]));
        assert_eq!(one.y, [2.0, 1.0, 0.0, 0.0, 1.0]);
        let names = drawn(json!({"type": "histogram", "x": ["b", "a", "b"]})).unwrap();
        assert_eq!((names.x, names.y), (Points::Names(vec!["b".into(), "a".into()]), vec![2.0, 1.0]));
        assert_eq!(drawn(json!({"type": "histogram", "x": [3, 3, 3]})).unwrap().y, [3.0]);
        assert_eq!(drawn(json!({"type": "histogram", "x": []})).unwrap().y, [0.0; 0]);
        let shares =
            drawn(json!({"type": "histogram", "x": [1, 1, 1, 2], "nbinsx": 2, "histnorm": "percent"})).unwrap();
        assert_eq!(shares.y, [75.0, 0.0, 25.0]);
        assert!(drawn(json!({"type": "histogram", "x": [1], "histnorm": "unknown"})).is_none());
    }

    #[test]
    fn box_shows_quartiles() {
        let one = drawn(json!({"type": "box", "y": [1, 2, 3, 4, 5, null]})).unwrap();
        assert_eq!(one.y[..5], [2.0, 2.0, 4.0, 4.0, 2.0]);
        assert_eq!((one.y[6], one.y[9], one.y[13]), (3.0, 1.0, 5.0));
    }

    #[test]
    fn points_become_crosses_with_gaps() {
        let one = drawn(json!({"mode": "markers", "x": [0, 100], "y": [0, 1]})).unwrap();
        assert_eq!(one.y.iter().filter(|y| y.is_nan()).count(), 4);
        assert!(drawn(json!({"mode": "markers", "x": ["a"], "y": [0]})).is_none(), "names have no room for crosses");
    }

    #[test]
    fn pies_and_horizontal_bars_become_bars() {
        for trace in [
            json!({"type": "pie", "labels": ["a", "b"], "values": [1, 2]}),
            json!({"type": "bar", "orientation": "h", "y": ["a", "b"], "x": [1, 2]}),
        ] {
            let one = drawn(trace).unwrap();
            assert_eq!(one.mark, Mark::Bar);
            assert_eq!((one.x, one.y), (Points::Names(vec!["a".into(), "b".into()]), vec![1.0, 2.0]));
        }
        assert!(drawn(json!({"type": "heatmap", "z": [[1]]})).is_none());
    }
}
