//! A heat map of plotly as one of ours.

use super::json::{axis, kind, numbers, on_first_axes, points, title};
use serde_json::Value;
use trace_view::{HeatMap, Points};

/// Converts the only trace of a plot; `None` if it is no heat map, or its axes do not fit its values.
pub(super) fn heat_map(traces: &[&Value], layout: &Value) -> Option<HeatMap> {
    let [trace] = traces else { return None };
    if kind(trace) != "heatmap" || !on_first_axes(trace) {
        return None;
    }
    let mut values: Vec<Vec<f64>> = trace["z"].as_array()?.iter().map(numbers).collect::<Option<_>>()?;
    if trace["transpose"] == true {
        values = transposed(&values);
    }
    let wide = values.iter().map(Vec::len).max()?;
    let range = trace["zmin"].as_f64().zip(trace["zmax"].as_f64());
    let bar = title(&trace["colorbar"]["title"]);
    let meaning = if bar.is_empty() { trace["name"].as_str().unwrap_or_default().to_owned() } else { bar };
    Some(HeatMap {
        title: title(&layout["title"]),
        x: axis(&layout["xaxis"]),
        y: axis(&layout["yaxis"]),
        columns: positions(&trace["x"], wide)?,
        rows: positions(&trace["y"], values.len())?,
        from_top: layout["yaxis"]["autorange"] == "reversed",
        height: layout["height"].as_u64().and_then(|height| u32::try_from(height).ok()),
        values,
        meaning,
        range,
        ..HeatMap::default()
    })
}

/// Returns the positions of `count` columns or rows, which may be given by their edges.
fn positions(list: &Value, count: usize) -> Option<Points> {
    match points(list, count)? {
        Points::Numbers(edges) if edges.len() == count + 1 => {
            Some(Points::Numbers(edges.windows(2).map(|pair| pair[0] / 2.0 + pair[1] / 2.0).collect()))
        }
        points => (points.len() == count).then_some(points),
    }
}

fn transposed(values: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let wide = values.iter().map(Vec::len).max().unwrap_or(0);
    (0..wide).map(|column| values.iter().map(|row| row.get(column).copied().unwrap_or(f64::NAN)).collect()).collect()
}
