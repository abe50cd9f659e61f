//! The bundle of a `plotly::Plot`.
//!
//! The figure itself is sent unchanged. The picture is drawn by our renderer; where it differs from what plotly.js draws, its
//! subtitle says so. Other kinds (a map, a surface) have a text instead of a picture.

use super::heat_map::heat_map;
use super::json::{axis, kind, title};
use super::series::{is_points, on_second_axis, series_of};
use plotly::Plot;
use serde_json::Value;
use trace_view::{BarMode, Bundle, Figure, PLAIN, PLOTLY, Part, Points, SecondAxis};

/// Returns the bundle of a plot.
///
/// # Errors
/// If the plot cannot be written as JSON.
pub(crate) fn bundle(plot: &Plot) -> Result<Bundle, String> {
    let json: Value = serde_json::from_str(&plot.to_json()).map_err(|error| format!("the plot: {error}"))?;
    let traces: Vec<&Value> = traces(&json).collect();
    let drawn = match heat_map(&traces, &json["layout"]) {
        Some(map) => Some(trace_render::heat_map(&map).with(PLAIN, text(&json).into())),
        None => figure(&json).map(|figure| trace_render::bundle(&Part::Figure(figure), None)),
    };
    let bundle = drawn.unwrap_or_else(|| Bundle::text(text(&json)));
    // A table of the strokes of crosses and boxes would mean nothing.
    let strokes = traces.iter().any(|trace| kind(trace) == "box" || is_points(trace));
    let bundle = if strokes { bundle.with(PLAIN, text(&json).into()) } else { bundle };
    Ok(bundle.with(PLOTLY, json))
}

/// Describes a plot: `plotly figure: 2 bar, 1 heatmap of 3 × 4`.
fn text(json: &Value) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for kind in traces(json).map(described) {
        match counts.iter_mut().find(|(name, _)| *name == kind) {
            Some((_, count)) => *count += 1,
            None => counts.push((kind, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    let title = title(&json["layout"]["title"]);
    let title = if title.is_empty() { "plotly figure".to_owned() } else { format!("plotly figure \"{title}\"") };
    format!("{title}: {}", if counts.is_empty() { "empty".to_owned() } else { counts.join(", ") })
}

fn traces(json: &Value) -> impl Iterator<Item = &Value> {
    json["data"].as_array().into_iter().flatten()
}

/// Describes a trace: its kind and, of a matrix, its size.
fn described(trace: &Value) -> String {
    match trace["z"].as_array() {
        Some(rows) => {
            let wide = rows.iter().filter_map(Value::as_array).map(Vec::len).max();
            format!("{} of {} × {}", kind(trace), rows.len(), wide.unwrap_or(1))
        }
        None => kind(trace).to_owned(),
    }
}

/// Converts a plot into a figure of ours; `None` if that has no such marks or axes.
fn figure(json: &Value) -> Option<Figure> {
    let layout = &json["layout"];
    let traces: Vec<&Value> = traces(json).collect();
    let drawn = series_of(&traces, layout).filter(|series| !series.is_empty())?;
    // The first axis of our figures is one of names or one of numbers, not both.
    let names = matches!(drawn[0].x, Points::Names(_));
    if drawn.iter().any(|series| matches!(series.x, Points::Names(_)) != names) {
        return None;
    }
    let stacked = layout["barmode"].as_str().is_some_and(|mode| mode == "stack" || mode == "relative");
    let height = layout["height"].as_u64().and_then(|height| u32::try_from(height).ok());
    let all = |what: &str| traces.iter().all(|trace| kind(trace) == what);
    let horizontal = traces.iter().any(|trace| trace["orientation"] == "h");
    let (mut x, mut y) = (axis(&layout["xaxis"]), axis(&layout["yaxis"]));
    let mut subtitle = String::new();
    if horizontal {
        (x, y) = (y, x);
        subtitle = "in this picture the bars stand upright".to_owned();
    } else if traces.iter().any(|trace| kind(trace) == "pie") {
        subtitle = "a pie, whose shares this picture shows as bars".to_owned();
    } else if all("box") {
        let names = drawn.iter().enumerate().map(|(index, one)| format!("{}: {}", index + 1, one.name));
        x.title = names.collect::<Vec<_>>().join(", ");
        subtitle = "each box: median and quartiles, with lines to the least and to the greatest value".to_owned();
    } else if all("histogram") && y.title.is_empty() {
        y.title = traces[0]["histnorm"].as_str().filter(|norm| !norm.is_empty()).unwrap_or("count").to_owned();
    }
    let on_second: Vec<usize> = (0..traces.len()).filter(|&index| on_second_axis(traces[index], layout)).collect();
    let second = (!on_second.is_empty()).then(|| SecondAxis { axis: axis(&layout["yaxis2"]), series: on_second });
    Some(Figure {
        title: title(&layout["title"]),
        subtitle,
        x,
        y,
        bars: if stacked { BarMode::Stack } else { BarMode::Group },
        series: drawn,
        second,
        height,
        ..Figure::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotly::{Bar, HeatMap, Layout, Scatter};
    use trace_view::PNG;

    #[test]
    fn bars_and_lines_have_picture_and_unchanged_json() {
        let mut plot = Plot::new();
        plot.add_trace(Bar::new(vec!["a", "b"], vec![1.0, 2.0]).name("bars"));
        plot.add_trace(Scatter::new(vec!["a", "b"], vec![2.0, 1.0]).name("line"));
        plot.set_layout(Layout::new().title("both"));
        let bundle = bundle(&plot).unwrap();
        assert!(bundle.data.contains_key(PNG));
        assert_eq!(bundle.data[PLOTLY], serde_json::from_str::<Value>(&plot.to_json()).unwrap());
        assert!(bundle.plain().contains("both"));
    }

    #[test]
    fn other_kinds_have_text_without_picture() {
        let mut plot = Plot::new();
        plot.add_trace(plotly::Surface::<f64, f64, f64>::new(vec![vec![1.0], vec![2.0]]));
        let bundle = bundle(&plot).unwrap();
        assert!(!bundle.data.contains_key(PNG));
        assert_eq!(bundle.data[PLAIN], "plotly figure: 1 surface of 2 × 1");
    }

    #[test]
    fn heat_maps_have_picture_and_unchanged_json() {
        let mut plot = Plot::new();
        plot.add_trace(HeatMap::new(
            vec!["a", "b"],
            vec![0, 1, 2],
            vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]],
        ));
        let bundle = bundle(&plot).unwrap();
        assert!(bundle.data.contains_key(PNG));
        assert_eq!(bundle.data[PLAIN], "plotly figure: 1 heatmap of 3 × 2");
        assert_eq!(bundle.data[PLOTLY], serde_json::from_str::<Value>(&plot.to_json()).unwrap());
    }

    #[test]
    fn heat_maps_follow_their_axes() {
        let map = |trace: Value| heat_map(&[&trace], &serde_json::json!({"yaxis": {"autorange": "reversed"}}));
        let z = serde_json::json!([[1, 2, null], [4, 5, 6]]);
        let edges =
            map(serde_json::json!({"type": "heatmap", "z": z, "x": [0, 2, 4, 6], "zmin": 0, "zmax": 9})).unwrap();
        assert_eq!(edges.columns, Points::Numbers(vec![1.0, 3.0, 5.0]));
        assert_eq!(edges.rows, Points::Numbers(vec![0.0, 1.0]));
        assert_eq!((edges.range, edges.from_top), (Some((0.0, 9.0)), true));
        let turned = map(serde_json::json!({"type": "heatmap", "z": z, "transpose": true})).unwrap();
        assert_eq!((turned.values.len(), &turned.values[1]), (3, &vec![2.0, 5.0]));
        assert!(map(serde_json::json!({"type": "heatmap", "z": z, "x": ["a"]})).is_none(), "three columns, one name");
        assert!(map(serde_json::json!({"type": "heatmap", "z": z, "xaxis": "x2"})).is_none());
    }

    #[test]
    fn histograms_apply_their_norm() {
        let counted = |norm: Option<&str>| {
            let trace =
                serde_json::json!({"type": "histogram", "x": [0.0, 0.0, 1.0, 3.9], "nbinsx": 2, "histnorm": norm});
            let figure = figure(&serde_json::json!({"data": [trace]})).unwrap();
            (figure.y.title, figure.series[0].y.clone())
        };
        assert_eq!(counted(None), ("count".to_owned(), vec![3.0, 1.0]));
        assert_eq!(counted(Some("percent")), ("percent".to_owned(), vec![75.0, 25.0]));
        assert_eq!(counted(Some("probability")).1, [0.75, 0.25]);
        assert_eq!(counted(Some("density")).1, [1.5, 0.5]);
        assert_eq!(counted(Some("probability density")).1, [0.375, 0.125]);
    }

    #[test]
    fn second_value_axis_is_drawn_if_it_overlays() {
        let layout = serde_json::json!({"yaxis2": {"overlaying": "y", "side": "right", "title": {"text": "GB/s"}}});
        let data = serde_json::json!([
            {"type": "bar", "x": ["a", "b"], "y": [1, 2]},
            {"type": "scatter", "x": ["a", "b"], "y": [100, 300], "yaxis": "y2"},
        ]);
        let second = figure(&serde_json::json!({"data": data, "layout": layout})).unwrap().second.unwrap();
        assert_eq!((second.series, second.axis.title.as_str()), (vec![1], "GB/s"));
        assert!(figure(&serde_json::json!({"data": data})).is_none(), "a plot of its own");
    }

    #[test]
    fn kinds_made_of_bars_and_lines_have_picture() {
        let plot = |trace: Box<dyn plotly::Trace>| {
            let mut plot = Plot::new();
            plot.add_trace(trace);
            bundle(&plot).unwrap()
        };
        let markers = Scatter::new(vec![1.0, 2.0], vec![2.0, 1.0]).mode(plotly::common::Mode::Markers);
        for trace in [
            markers as Box<dyn plotly::Trace>,
            plotly::Histogram::new(vec![1.0, 2.0, 2.5]),
            plotly::BoxPlot::new(vec![1.0, 2.0, 2.5]).name("b"),
            plotly::Pie::new(vec![1, 2]).labels(vec!["a", "b"]),
            Bar::new(vec![1.0, 2.0], vec!["a", "b"]).orientation(plotly::common::Orientation::Horizontal),
        ] {
            let shown = plot(trace);
            assert!(shown.data.contains_key(PNG), "{}", shown.plain());
            assert!(!shown.plain().contains('—'), "{}", shown.plain());
        }
    }
}
