//! The menu of a live figure in which the reader picks what is shown.

use super::plotly::paint;
use crate::Figure;
use serde_json::{Map, Value, json};

/// Shows the first choice, and adds a menu of all. `escape` makes a name text that is drawn as it is, `ticks` are the
/// keys of the first axis that depend on the series.
pub(super) fn add(
    figure: &Figure,
    data: &mut [Value],
    layout: &mut Value,
    escape: impl Fn(&str) -> String,
    ticks: impl Fn(&Figure) -> Map<String, Value>,
) {
    let Some(first) = figure.choices.first() else { return };
    for (place, trace) in data.iter_mut().enumerate() {
        trace["visible"] = first.series.contains(&place).into();
        // By the place within its choice, so that the same rank has the same colour in all of them.
        let within = figure.choices.iter().find_map(|choice| {
            Some((choice.series.iter().position(|&series| series == place)?, choice.series.len() == 1))
        });
        if let Some(series) = figure.series.get(place) {
            let (within, alone) = within.unwrap_or((place, false));
            paint(trace, series, within, alone);
        }
    }
    let buttons: Vec<Value> = figure
        .choices
        .iter()
        .map(|choice| {
            let visible: Vec<bool> = (0..data.len()).map(|place| choice.series.contains(&place)).collect();
            let axis: Map<String, Value> =
                ticks(&figure.only(choice)).into_iter().map(|(key, value)| (format!("xaxis.{key}"), value)).collect();
            json!({"label": escape(&choice.name), "method": "update", "args": [{"visible": visible}, axis]})
        })
        .collect();
    layout["showlegend"] = figure.choices.iter().any(|choice| choice.series.len() > 1).into();
    layout["updatemenus"] = json!([{
        "buttons": buttons,
        "direction": "down",
        "showactive": true,
        "x": 1.0, "xanchor": "right", "y": 1.02, "yanchor": "bottom",
    }]);
    layout["legend"] = json!({"orientation": "v", "x": 1.02, "xanchor": "left", "y": 1.0, "yanchor": "top"});
}
