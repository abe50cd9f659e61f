//! The JSON of a plotly figure: its traces, lists and axes.

use serde_json::Value;
use trace_view::{Axis, Points};

/// Returns the kind of a trace.
pub(super) fn kind(trace: &Value) -> &str {
    trace["type"].as_str().unwrap_or("scatter")
}

/// Tells whether a trace uses the first pair of axes.
pub(super) fn on_first_axes(trace: &Value) -> bool {
    is_first(&trace["xaxis"]) && is_first(&trace["yaxis"])
}

/// Tells whether `axis` is the first of its direction: absent, `x` or `y`.
pub(super) fn is_first(axis: &Value) -> bool {
    axis.as_str().is_none_or(|name| name.len() < 2)
}

/// Reads a list of numbers; other values become gaps.
pub(super) fn numbers(list: &Value) -> Option<Vec<f64>> {
    Some(list.as_array()?.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect())
}

/// Reads the positions of values along an axis; without a list they are 0, 1, 2, …
pub(super) fn points(list: &Value, count: usize) -> Option<Points> {
    let Some(x) = list.as_array() else {
        return (count > 0).then(|| Points::Numbers((0..count).map(|index| index as f64).collect()));
    };
    if x.iter().all(|value| value.is_number() || value.is_null()) {
        return numbers(list).map(Points::Numbers);
    }
    Some(Points::Names(x.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect()))
}

/// Reads an axis of the layout.
pub(super) fn axis(axis: &Value) -> Axis {
    Axis { title: title(&axis["title"]), log: axis["type"] == "log", ..Axis::default() }
}

/// Reads a title, which is a text or an object with one.
pub(super) fn title(title: &Value) -> String {
    title.as_str().or_else(|| title["text"].as_str()).unwrap_or_default().to_owned()
}
