//! The menu of the choices of a figure.

use super::style::{escape, paint};
use super::ticks::name_ticks;
use serde_json::{Map, Value, json};
use trace_view::Figure;

/// Adds a menu of all choices and shows the first of them; a figure without choices stays as it is.
pub(super) fn add(figure: &Figure, data: &mut [Value], layout: &mut Value) {
    let Some(first) = figure.choices.first() else { return };
    for (index, trace) in data.iter_mut().enumerate() {
        trace["visible"] = first.series.contains(&index).into();
        // The colour follows the position within the choice: a rank has the same colour in every choice.
        let within = figure.choices.iter().find_map(|choice| {
            Some((choice.series.iter().position(|&series| series == index)?, choice.series.len() == 1))
        });
        if let Some(series) = figure.series.get(index) {
            let (within, alone) = within.unwrap_or((index, false));
            paint(trace, series, within, alone);
        }
    }
    let buttons: Vec<Value> = figure
        .choices
        .iter()
        .map(|choice| {
            let visible: Vec<bool> = (0..data.len()).map(|index| choice.series.contains(&index)).collect();
            let axis: Map<String, Value> = name_ticks(&figure.only(choice))
                .into_iter()
                .map(|(key, value)| (format!("xaxis.{key}"), value))
                .collect();
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
