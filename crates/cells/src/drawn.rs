//! What our pictures draw of a trace of plotly's: bars and lines over one pair of axes, and what can be made of those.
//!
//! Points are small crosses, a histogram is counted here, a box is its outline, the shares of a pie are bars.

use serde_json::Value;
use trace_view::{Mark, Points, Series};

/// Points beyond so many are dots, which take a sixth of the lines of a cross.
const MOST_CROSSES: usize = 5_000;
/// Bins of a histogram that asks for no number of them: at most so many.
const MOST_BINS: usize = 50;

/// The kind of a trace.
pub(crate) fn kind(trace: &Value) -> &str {
    trace["type"].as_str().unwrap_or("scatter")
}

/// Whether a trace is of points that no line joins.
pub(crate) fn is_points(trace: &Value) -> bool {
    matches!(kind(trace), "scatter" | "scattergl") && trace["mode"] == "markers"
}

/// A figure's traces as series of ours; `None` if one of them cannot be drawn.
pub(crate) fn series(traces: &[&Value], layout: &Value) -> Option<Vec<Series>> {
    let bins = Bins::of(traces);
    let spans = (span(traces, "x"), span(traces, "y"));
    let log = ["xaxis", "yaxis"].iter().any(|axis| layout[*axis]["type"] == "log");
    let mut boxes = 0;
    traces
        .iter()
        .map(|trace| {
            // Other axes have no place in our pictures, but for a second one of values.
            if !on_first_axes(trace) && !on_second_axis(trace, layout) {
                return None;
            }
            let name = trace["name"].as_str().unwrap_or_default().to_owned();
            let (mark, x, y) = match kind(trace) {
                "bar" if trace["orientation"] == "h" => (Mark::Bar, points(&trace["y"], 0)?, numbers(&trace["x"])?),
                "bar" => line(trace, Mark::Bar)?,
                "pie" => (Mark::Bar, points(&trace["labels"], 0)?, numbers(&trace["values"])?),
                "histogram" => bins.count(trace)?,
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

/// Whether a trace stands on the first pair of axes.
pub(crate) fn on_first_axes(trace: &Value) -> bool {
    is_first(&trace["xaxis"]) && is_first(&trace["yaxis"])
}

/// Whether the values of a trace have an axis of their own, at the right of the first one's plot.
pub(crate) fn on_second_axis(trace: &Value, layout: &Value) -> bool {
    is_first(&trace["xaxis"])
        && trace["yaxis"] == "y2"
        && trace["orientation"] != "h"
        && layout["yaxis2"]["overlaying"] == "y"
        && layout["yaxis2"]["side"] == "right"
}

fn is_first(axis: &Value) -> bool {
    axis.as_str().is_none_or(|name| name.len() < 2)
}

type Drawn = (Mark, Points, Vec<f64>);

fn line(trace: &Value, mark: Mark) -> Option<Drawn> {
    let y = numbers(&trace["y"])?;
    Some((mark, points(&trace["x"], y.len())?, y))
}

/// The numbers of a list; what is none is a gap.
pub(crate) fn numbers(list: &Value) -> Option<Vec<f64>> {
    Some(list.as_array()?.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect())
}

/// Where values stand; without a list at 0, 1, 2, …
pub(crate) fn points(list: &Value, count: usize) -> Option<Points> {
    let Some(x) = list.as_array() else {
        return (count > 0).then(|| Points::Numbers((0..count).map(|index| index as f64).collect()));
    };
    if x.iter().all(|value| value.is_number() || value.is_null()) {
        return numbers(list).map(Points::Numbers);
    }
    Some(Points::Names(x.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()))
}

/// How far the numbers along an axis reach; 0 if there are none.
fn span(traces: &[&Value], axis: &str) -> f64 {
    let all = traces.iter().filter_map(|trace| numbers(&trace[axis])).flatten().filter(|value| value.is_finite());
    let (low, high) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    if high > low { high - low } else { 0.0 }
}

/// A cross at each point: two strokes with gaps behind them.
fn crosses(trace: &Value, (wide, high): (f64, f64), log: bool) -> Option<Drawn> {
    let (_, x, y) = line(trace, Mark::Line)?;
    // Between names a stroke would lead to the next one.
    let Points::Numbers(x) = x else { return None };
    let (dx, dy) = (wide * 0.003, high * 0.006);
    let plain = log || x.len() > MOST_CROSSES;
    let (mut at, mut values) = (Vec::new(), Vec::new());
    for (&x, &y) in x.iter().zip(&y) {
        let strokes: &[(f64, f64)] =
            if plain { &[(x, y)] } else { &[(x - dx, y), (x + dx, y), (x, f64::NAN), (x, y - dy), (x, y + dy)] };
        for (x, y) in strokes.iter().copied().chain([(x, f64::NAN)]) {
            at.push(x);
            values.push(y);
        }
    }
    Some((Mark::Line, Points::Numbers(at), values))
}

/// A box at `place`: quartiles and median as a box, a line to the least and to the greatest value.
fn outline(values: &[f64], place: f64) -> Option<Drawn> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    values.sort_by(f64::total_cmp);
    let (least, greatest) = (*values.first()?, *values.last()?);
    let quantile = |part: f64| {
        let at = part * (values.len() - 1) as f64;
        let (low, high) = (values[at.floor() as usize], values[at.ceil() as usize]);
        low + (high - low) * at.fract()
    };
    let (low, middle, high) = (quantile(0.25), quantile(0.5), quantile(0.75));
    let (left, right, gap) = (place - 0.3, place + 0.3, (place, f64::NAN));
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
        (place, least),
        (place, low),
        gap,
        (place, high),
        (place, greatest),
    ];
    Some((Mark::Line, Points::Numbers(strokes.map(|(x, _)| x).to_vec()), strokes.map(|(_, y)| y).to_vec()))
}

/// The bins that all histograms of a figure share.
struct Bins {
    start: f64,
    step: f64,
    count: usize,
}

impl Bins {
    fn of(traces: &[&Value]) -> Self {
        let histograms = || traces.iter().filter(|trace| kind(trace) == "histogram");
        let values: Vec<f64> = histograms()
            .filter_map(|trace| numbers(&trace["x"]))
            .flatten()
            .filter(|value| value.is_finite() && value.abs() < 1e300)
            .collect();
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let wanted = histograms().find_map(|trace| trace["nbinsx"].as_u64()).map(|wanted| wanted as usize);
        let wanted = wanted.unwrap_or((values.len() as f64).sqrt() as usize).clamp(1, MOST_BINS);
        if high <= low || values.is_empty() {
            return Self { start: low - 0.5, step: 1.0, count: usize::from(!values.is_empty()) };
        }
        let step = round((high - low) / wanted as f64);
        let start = (low / step).floor() * step;
        Self { start, step, count: ((high - start) / step) as usize + 1 }
    }

    /// Bars that count the values of a histogram.
    fn count(&self, trace: &Value) -> Option<Drawn> {
        // Sums and averages are not counted here, nor running totals, nor what lies on its side.
        if trace["y"].is_array() || trace["cumulative"]["enabled"] == true {
            return None;
        }
        match points(&trace["x"], 0)? {
            Points::Names(all) => {
                let mut names: Vec<String> = Vec::new();
                let mut counts = std::collections::HashMap::<String, f64>::new();
                for name in all {
                    if !counts.contains_key(&name) {
                        names.push(name.clone());
                    }
                    *counts.entry(name).or_default() += 1.0;
                }
                let mut counted: Vec<f64> = names.iter().map(|name| counts[name]).collect();
                normalise(&mut counted, 1.0, &trace["histnorm"])?;
                Some((Mark::Bar, Points::Names(names), counted))
            }
            Points::Numbers(values) => {
                let mut counts = vec![0.0; self.count];
                for value in values.into_iter().filter(|value| value.is_finite()) {
                    if let Some(count) = counts.get_mut(((value - self.start) / self.step) as usize) {
                        *count += 1.0;
                    }
                }
                normalise(&mut counts, self.step, &trace["histnorm"])?;
                let centres = (0..self.count).map(|bin| self.start + (bin as f64 + 0.5) * self.step).collect();
                Some((Mark::Bar, Points::Numbers(centres), counts))
            }
        }
    }
}

/// The next of 1, 2, 5, 10, 20, …
fn round(step: f64) -> f64 {
    let decade = 10f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|part| part * decade).find(|round| *round >= step).unwrap_or(10.0 * decade)
}

/// Makes shares or densities of the counts of bins of one width, as `histnorm` says; `None` for what we do not know.
fn normalise(counts: &mut [f64], width: f64, histnorm: &Value) -> Option<()> {
    let total: f64 = counts.iter().sum();
    let by = match histnorm.as_str().unwrap_or_default() {
        "" => return Some(()),
        "percent" => total / 100.0,
        "probability" => total,
        "density" => width,
        "probability density" => total * width,
        _ => return None,
    };
    if by > 0.0 {
        counts.iter_mut().for_each(|count| *count /= by);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn drawn(trace: Value) -> Option<Series> {
        series(&[&trace], &Value::Null).and_then(|mut series| series.pop())
    }

    #[test]
    fn a_histogram_counts() {
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
    fn a_box_is_its_quartiles() {
        let one = drawn(json!({"type": "box", "y": [1, 2, 3, 4, 5, null]})).unwrap();
        assert_eq!(one.y[..5], [2.0, 2.0, 4.0, 4.0, 2.0]);
        assert_eq!((one.y[6], one.y[9], one.y[13]), (3.0, 1.0, 5.0));
    }

    #[test]
    fn points_are_not_joined() {
        let one = drawn(json!({"mode": "markers", "x": [0, 100], "y": [0, 1]})).unwrap();
        assert_eq!(one.y.iter().filter(|y| y.is_nan()).count(), 4);
        assert!(drawn(json!({"mode": "markers", "x": ["a"], "y": [0]})).is_none(), "names have no room for crosses");
    }

    #[test]
    fn shares_and_bars_on_their_side_are_bars() {
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
