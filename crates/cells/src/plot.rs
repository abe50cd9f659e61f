//! A `plotly::Plot` as a bundle like those of our own figures: with a picture, for where no script runs.
//!
//! The figure itself goes out as the user made it. The picture is drawn from what our renderer knows: bars and lines over
//! one pair of axes. Of anything else (a heat map, a pie) there is no picture until a front end has drawn it.

use plotly::Plot;
use serde_json::Value;
use trace_view::{Axis, BarMode, Bundle, Figure, Mark, PLOTLY, Points, Present, Series};

/// The bundle of a plot.
///
/// # Errors
/// If the plot cannot be written as JSON.
pub(crate) fn bundle(plot: &Plot) -> Result<Bundle, String> {
    let json: Value = serde_json::from_str(&plot.to_json()).map_err(|error| format!("the plot: {error}"))?;
    let drawn = figure(&json).and_then(|figure| figure.present().bundles().into_iter().next());
    let bundle = drawn.unwrap_or_else(|| Bundle::text(text(&json)));
    Ok(bundle.with(PLOTLY, json))
}

/// `plotly figure: 2 bar, 1 heatmap`
fn text(json: &Value) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for kind in series(json).map(kind) {
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

fn kind(series: &Value) -> &str {
    series["type"].as_str().unwrap_or("scatter")
}

/// The plot as a figure of ours; `None` if it is of another kind.
fn figure(json: &Value) -> Option<Figure> {
    let layout = &json["layout"];
    let drawn: Option<Vec<Series>> = series(json).map(one).collect();
    let drawn = drawn.filter(|series| !series.is_empty())?;
    // Our figures stand at names or at numbers, not at both.
    let at_names = matches!(drawn[0].x, Points::Names(_));
    if drawn.iter().any(|series| matches!(series.x, Points::Names(_)) != at_names) {
        return None;
    }
    let stacked = layout["barmode"].as_str().is_some_and(|mode| mode == "stack" || mode == "relative");
    let height = layout["height"].as_u64().and_then(|height| u32::try_from(height).ok());
    Some(Figure {
        title: title(&layout["title"]),
        x: axis(&layout["xaxis"]),
        y: axis(&layout["yaxis"]),
        bars: if stacked { BarMode::Stack } else { BarMode::Group },
        series: drawn,
        height,
        ..Figure::default()
    })
}

fn one(series: &Value) -> Option<Series> {
    let mark = match kind(series) {
        "bar" if series["orientation"] != "h" => Mark::Bar,
        "scatter" | "scattergl" if series["line"]["shape"].as_str().is_some_and(|shape| shape.contains('h')) => {
            Mark::Step
        }
        "scatter" | "scattergl" => Mark::Line,
        _ => return None,
    };
    // A second axis has no place in our pictures.
    if ["xaxis", "yaxis"].iter().any(|axis| series[*axis].as_str().is_some_and(|name| name.len() > 1)) {
        return None;
    }
    let y: Vec<f64> = series["y"].as_array()?.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect();
    let x = match series["x"].as_array() {
        None => Points::Numbers((0..y.len()).map(|index| index as f64).collect()),
        Some(x) if x.iter().all(|value| value.is_number() || value.is_null()) => {
            Points::Numbers(x.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect())
        }
        Some(x) => Points::Names(
            x.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect(),
        ),
    };
    let name = series["name"].as_str().unwrap_or_default().to_owned();
    Some(Series { name, mark, x, y })
}

fn axis(axis: &Value) -> Axis {
    Axis { title: title(&axis["title"]), log: axis["type"] == "log", ..Axis::default() }
}

/// A title is a text, or has one.
fn title(title: &Value) -> String {
    title.as_str().or_else(|| title["text"].as_str()).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotly::{Bar, HeatMap, Layout, Scatter};
    use trace_view::{PLAIN, PNG};

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
        plot.add_trace(HeatMap::new_z(vec![vec![1.0], vec![2.0]]));
        let bundle = bundle(&plot).unwrap();
        assert!(!bundle.data.contains_key(PNG));
        assert_eq!(bundle.data[PLAIN], "plotly figure: 1 heatmap");
    }
}
