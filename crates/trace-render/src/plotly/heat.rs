//! A heat map as the content of `application/vnd.plotly.v1+json`.

use super::figure::config;
use super::layout::layout;
use super::style::{escape, to_json, wrap};
use super::ticks::TICK_CHARS;
use crate::heat::{ColourScale, evenly_spaced, height, labels, position};
use serde_json::{Map, Value, json};
use trace_view::names::{elide_apart, unique};
use trace_view::palette::{CLEAR_DIVERGING, OUTLIER};
use trace_view::{Axis, Figure, HeatMap, Points, Unit, tidied};

/// Characters of a line of a name in the hover text.
const HOVER_CHARS: usize = 80;
/// The digits of a value.
const DIGITS: i32 = 4;
/// Names at an axis; of more, every second, third, … is written.
const MOST_TICKS: usize = 60;
/// A label of an outlier, in pixels: its height, and its width per character.
const LABEL: (f64, f64) = (14.0, 7.0);
/// The width of the plot, in pixels, about.
const WIDTH: f64 = 700.0;

/// Returns `data`, `layout` and `config` of a heat map.
pub(crate) fn heat_map(map: &HeatMap) -> Value {
    let scale = ColourScale::of(map);
    let height = height(map);
    let frame = Figure {
        title: map.title.clone(),
        subtitle: subtitle(map),
        x: map.x.clone(),
        y: map.y.clone(),
        height: Some(height),
        ..Figure::default()
    };
    let mut layout = to_json(&layout(&frame));
    // No legend is above the plot.
    if let Some(top) = layout["margin"]["t"].as_u64() {
        layout["margin"]["t"] = (top - if map.labelled.columns.is_empty() { 24 } else { 8 }).into();
    }
    let plot = f64::from(height) - 150.0;
    let rows = labels(&map.rows, &map.labelled.rows, LABEL.0 * map.values.len() as f64 / plot);
    let longest = map.labelled.columns.iter().map(|&index| position(&map.columns, index).chars().count()).max();
    let least = (2 * longest.unwrap_or(0) + 3) as f64 * LABEL.1 * map.width() as f64 / WIDTH;
    let columns = labels(&map.columns, &map.labelled.columns, least);
    let beside = rows.iter().map(|(_, text)| text.chars().count()).max().unwrap_or(0) as f64 * LABEL.1;
    let (x, x_axis) = axis(&map.columns, &map.x, map.width());
    let (y, y_axis) = axis(&map.rows, &map.y, map.values.len());
    for (key, more) in [("xaxis", x_axis), ("yaxis", y_axis)] {
        if let Some(axis) = layout[key].as_object_mut() {
            axis.extend(more);
            axis.extend([("visible".to_owned(), scale.is_some().into()), ("showgrid".to_owned(), false.into())]);
            axis.extend([("zeroline".to_owned(), false.into())]);
        }
    }
    if map.from_top {
        layout["yaxis"]["autorange"] = "reversed".into();
    }
    let Some(scale) = scale else { return json!({ "data": [], "layout": layout, "config": config() }) };
    let columns = columns.iter().map(|(at, text)| label(text, coordinate(&x, *at), true));
    let rows = rows.iter().map(|(at, text)| label(text, coordinate(&y, *at), false));
    layout["annotations"] = columns.chain(rows).collect();
    let stops = if scale.diverging { &CLEAR_DIVERGING[..] } else { scale.stops() };
    let last = (stops.len() - 1).max(1) as f64;
    let colours: Vec<Value> =
        stops.iter().enumerate().map(|(index, colour)| json!([index as f64 / last, colour])).collect();
    let mut trace = json!({
        "type": "heatmap", "x": x, "y": y, "z": values(map), "colorscale": colours, "zmin": scale.low, "zmax": scale.high,
        "hoverongaps": false, "hovertemplate": hover(map),
        "colorbar": {
            "title": { "text": escape(&scale_title(map)), "side": "right" },
            "thickness": 14, "outlinewidth": 0, "xpad": 12.0 + beside, "separatethousands": true, "exponentformat": "none",
        },
    });
    if !map.details.is_empty() {
        let row = |row: &Vec<String>| row.iter().map(|detail| Value::from(escape(detail))).collect::<Value>();
        trace["text"] = map.details.iter().map(row).collect();
        // Without a template plotly.js would write the texts on the values.
        trace["texttemplate"] = "".into();
    }
    json!({ "data": [trace], "layout": layout, "config": config() })
}

fn subtitle(map: &HeatMap) -> String {
    let gaps = map.has_gaps().then_some("blank: no value");
    [map.subtitle.as_str()].into_iter().chain(gaps).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ")
}

/// Returns the title of the colour scale with its unit.
fn scale_title(map: &HeatMap) -> String {
    crate::axis_title(&Axis { title: map.meaning.clone(), unit: map.unit, ..Axis::default() })
}

/// Returns the positions along an axis and the keys of the axis. Evenly spaced numbers are numbers, so that plotly.js chooses
/// other ticks when the reader zooms in; all others are names.
fn axis(points: &Points, axis: &Axis, count: usize) -> (Value, Map<String, Value>) {
    if let Points::Numbers(numbers) = points
        && numbers.len() == count
        && evenly_spaced(points)
    {
        let whole = axis.whole && count <= 16;
        let ticks = whole.then(|| [("tick0".to_owned(), 0.into()), ("dtick".to_owned(), 1.into())]);
        return (json!(numbers), ticks.into_iter().flatten().collect());
    }
    let names = unique(&(0..count).map(|index| position(points, index)).collect::<Vec<_>>());
    let whole: Vec<String> = tidied(&names).iter().map(|name| wrap(name, HOVER_CHARS).join("<br>")).collect();
    let every = count.div_ceil(MOST_TICKS).max(1);
    let texts = elide_apart(&tidied(&names), TICK_CHARS);
    let picked = |index: &usize| index.is_multiple_of(every);
    let ticks = [
        ("type", "category".into()),
        ("tickmode", "array".into()),
        ("tickvals", (0..count).filter(picked).map(|index| Value::from(whole[index].as_str())).collect()),
        ("ticktext", (0..count).filter(picked).map(|index| Value::from(escape(&texts[index]))).collect()),
    ];
    (json!(whole), ticks.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// Returns the place of an index along an axis with these positions: between two numbers, or at the nearest name. plotly.js would
/// read the index of a name as a name, if there is one that looks like it.
fn coordinate(positions: &Value, at: f64) -> Value {
    let number = |index: usize| positions.get(index).and_then(Value::as_f64);
    match (number(0), number(1)) {
        (Some(first), second) => json!(first + at * second.map_or(1.0, |second| second - first)),
        _ => positions.get(at.round() as usize).cloned().unwrap_or_default(),
    }
}

/// Returns the label of an outlier: above the plot, or on its right.
fn label(text: &str, at: Value, is_column: bool) -> Value {
    let (text, font) = (escape(text), json!({ "color": OUTLIER, "size": 11 }));
    if is_column {
        json!({ "text": text, "showarrow": false, "font": font, "x": at, "xref": "x", "y": 1, "yref": "paper",
                "xanchor": "center", "yanchor": "bottom" })
    } else {
        json!({ "text": text, "showarrow": false, "font": font, "y": at, "yref": "y", "x": 1, "xref": "paper",
                "xanchor": "left", "yanchor": "middle" })
    }
}

/// Returns the template of the hover text, which plotly.js fills in: column, row, detail and value.
fn hover(map: &HeatMap) -> String {
    let named = |points: &Points, axis: &Axis, key: &str| {
        let unit = if axis.unit == Unit::None { String::new() } else { format!(" {}", axis.unit.symbol()) };
        let title = escape(&axis.title);
        match points {
            // A name says what it is.
            Points::Names(names) if !names.iter().all(|name| name.parse::<f64>().is_ok()) => format!("%{{{key}}}"),
            _ if title.is_empty() => format!("%{{{key}}}{unit}"),
            _ => format!("{title} %{{{key}}}{unit}"),
        }
    };
    let unit = if map.unit.symbol().is_empty() { String::new() } else { format!(" {}", map.unit.symbol()) };
    let value = if map.meaning.is_empty() { String::new() } else { format!("{}: ", escape(&map.meaning)) };
    let (x, y) = (named(&map.columns, &map.x, "x"), named(&map.rows, &map.y, "y"));
    let detail = if map.details.is_empty() { "" } else { ": %{text}" };
    format!("<b>{x}</b><br>{y}{detail}<br>{value}%{{z:,}}{unit}<extra></extra>")
}

/// Returns the values, rounded to a few digits; null for a gap.
fn values(map: &HeatMap) -> Value {
    let width = map.width();
    let row = |row: usize| (0..width).map(|column| map.value(row, column).map(rounded)).collect::<Vec<Option<f64>>>();
    json!((0..map.values.len()).map(row).collect::<Vec<_>>())
}

fn rounded(value: f64) -> f64 {
    if value == 0.0 {
        return 0.0;
    }
    let digits = DIGITS - 1 - value.abs().log10().floor() as i32;
    if !(-300..300).contains(&digits) {
        return value;
    }
    // A division by a power of ten is exact to the last digit; a product with a negative one is not.
    let rounded = if digits >= 0 {
        let power = 10_f64.powi(digits);
        (value * power).round() / power
    } else {
        let power = 10_f64.powi(-digits);
        (value / power).round() * power
    };
    if rounded.is_finite() { rounded } else { value }
}
