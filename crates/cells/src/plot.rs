//! A `plotly::Plot` as a bundle like those of our own figures: with a picture, for where no script runs.
//!
//! The figure itself goes out as the user made it. The picture is drawn from what our renderer knows (see `drawn`); where it
//! shows something else than a front end would, it says so. Of the rest (a map, a surface) a text says what it is.

use crate::drawn::{self, kind};
use crate::heat;
use plotly::Plot;
use serde_json::Value;
use trace_view::{Axis, BarMode, Bundle, Figure, PLAIN, PLOTLY, Points, Present, SecondAxis};

/// The bundle of a plot.
///
/// # Errors
/// If the plot cannot be written as JSON.
pub(crate) fn bundle(plot: &Plot) -> Result<Bundle, String> {
    let json: Value = serde_json::from_str(&plot.to_json()).map_err(|error| format!("the plot: {error}"))?;
    let traces: Vec<&Value> = series(&json).collect();
    let drawn = match heat::map(&traces, &json["layout"]) {
        Some(map) => Some(map.bundle().with(PLAIN, text(&json).into())),
        None => figure(&json).and_then(|figure| figure.present().bundles().into_iter().next()),
    };
    let bundle = drawn.unwrap_or_else(|| Bundle::text(text(&json)));
    // The strokes of crosses and boxes are nothing to read.
    let strokes = series(&json).any(|trace| kind(trace) == "box" || drawn::is_points(trace));
    let bundle = if strokes { bundle.with(PLAIN, text(&json).into()) } else { bundle };
    Ok(bundle.with(PLOTLY, json))
}

/// `plotly figure: 2 bar, 1 heatmap of 3 × 4`
fn text(json: &Value) -> String {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for kind in series(json).map(described) {
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

fn series(json: &Value) -> impl Iterator<Item = &Value> {
    json["data"].as_array().into_iter().flatten()
}

/// The kind of a trace, and how large what it shows is.
fn described(trace: &Value) -> String {
    match trace["z"].as_array() {
        Some(rows) => {
            let wide = rows.iter().filter_map(Value::as_array).map(Vec::len).max();
            format!("{} of {} × {}", kind(trace), rows.len(), wide.unwrap_or(1))
        }
        None => kind(trace).to_owned(),
    }
}

/// The plot as a figure of ours; `None` if it is of another kind.
fn figure(json: &Value) -> Option<Figure> {
    let layout = &json["layout"];
    let traces: Vec<&Value> = series(json).collect();
    let drawn = drawn::series(&traces, layout).filter(|series| !series.is_empty())?;
    // Our figures stand at names or at numbers, not at both.
    let at_names = matches!(drawn[0].x, Points::Names(_));
    if drawn.iter().any(|series| matches!(series.x, Points::Names(_)) != at_names) {
        return None;
    }
    let stacked = layout["barmode"].as_str().is_some_and(|mode| mode == "stack" || mode == "relative");
    let height = layout["height"].as_u64().and_then(|height| u32::try_from(height).ok());
    let all = |what: &str| traces.iter().all(|trace| kind(trace) == what);
    let on_their_side = traces.iter().any(|trace| trace["orientation"] == "h");
    let (mut x, mut y) = (axis(&layout["xaxis"]), axis(&layout["yaxis"]));
    let mut subtitle = String::new();
    if on_their_side {
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
    let on_second: Vec<usize> =
        (0..traces.len()).filter(|&index| drawn::on_second_axis(traces[index], layout)).collect();
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

pub(crate) fn axis(axis: &Value) -> Axis {
    Axis { title: title(&axis["title"]), log: axis["type"] == "log", ..Axis::default() }
}

/// A title is a text, or has one.
pub(crate) fn title(title: &Value) -> String {
    title.as_str().or_else(|| title["text"].as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotly::{Bar, HeatMap, Layout, Scatter};
    use trace_view::PNG;

    #[test]
    fn bars_and_lines_have_a_picture_and_stay_as_they_were_made() {
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
    fn other_kinds_have_a_text() {
        let mut plot = Plot::new();
        plot.add_trace(plotly::Surface::<f64, f64, f64>::new(vec![vec![1.0], vec![2.0]]));
        let bundle = bundle(&plot).unwrap();
        assert!(!bundle.data.contains_key(PNG));
        assert_eq!(bundle.data[PLAIN], "plotly figure: 1 surface of 2 × 1");
    }

    #[test]
    fn heat_maps_have_a_picture_and_stay_as_they_were_made() {
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
    fn heat_maps_stand_where_their_axes_say() {
        let map = |trace: Value| heat::map(&[&trace], &serde_json::json!({"yaxis": {"autorange": "reversed"}}));
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
    fn histograms_are_counted_as_their_norm_says() {
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
    fn second_axes_of_values_are_drawn() {
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
    fn what_is_made_of_bars_and_lines_has_a_picture() {
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
