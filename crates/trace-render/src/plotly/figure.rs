//! A figure as the content of `application/vnd.plotly.v1+json`.

use super::layout::{axis, layout};
use super::menu;
use super::style::{paint, to_json};
use super::ticks::{name_ticks, number_ticks, span};
use super::traces::trace;
use plotly::Configuration;
use plotly::common::AxisSide;
use plotly::configuration::ModeBarButtonName;
use serde_json::{Value, json};
use trace_view::{Figure, Mark, Points, waterfall};

/// Returns `data`, `layout` and `config` of a figure.
pub(crate) fn figure(figure: &Figure) -> Value {
    let mut data: Vec<Value> = figure.series.iter().map(|series| trace(series, figure)).collect();
    let alone = figure.series.len() == 1;
    for (index, (trace, series)) in data.iter_mut().zip(&figure.series).enumerate() {
        paint(trace, series, index, alone);
    }
    let mut layout = to_json(&layout(figure));
    let shown = figure.choices.first().map_or_else(|| figure.clone(), |first| figure.only(first));
    // The crate takes numbers only for these keys; in `tickvals` plotly.js would read a name (a rank "3") as a number.
    let x =
        || figure.series.iter().filter_map(|series| if let Points::Numbers(x) = &series.x { Some(x) } else { None });
    // Bars begin at zero.
    let zero = figure.series.iter().any(|series| series.mark == Mark::Bar).then_some(&0.0);
    let (x, y) = (span(x().flatten()), span(figure.series.iter().flat_map(|series| &series.y).chain(zero)));
    for (axis, more) in
        [("xaxis", name_ticks(&shown)), ("xaxis", number_ticks(&figure.x, x)), ("yaxis", number_ticks(&figure.y, y))]
    {
        if let Some(axis) = layout.get_mut(axis).and_then(Value::as_object_mut) {
            axis.extend(more);
        }
    }
    if let Some(series) = figure.series.iter().find(|series| series.mark == Mark::Waterfall) {
        let bars = waterfall::bars(&series.y);
        let ends = waterfall::ends(&series.y, &figure.intervals);
        let high = ends.iter().flatten().map(|end| end[1]).fold(f64::NEG_INFINITY, f64::max);
        let high = bars.iter().map(|bar| bar.from.max(bar.to)).fold(high, f64::max);
        let low = ends.iter().flatten().map(|end| end[0]).fold(waterfall::floor(&series.y), f64::min);
        if high > low {
            // Room for the labels of the bars.
            let pad = (high - low) * 0.08;
            layout["yaxis"]["range"] = json!([if low == 0.0 { 0.0 } else { low - pad }, high + pad]);
        }
        if waterfall::is_cut(&series.y) {
            layout["shapes"] = cuts(bars.len());
        }
        let ends = ends.iter().copied().chain(std::iter::repeat(None)).take(bars.len()).collect::<Vec<_>>();
        if ends.iter().any(Option::is_some) {
            data.push(error_bars(&data[0]["x"], &bars, &ends));
        }
        data.push(bar_labels(&data[0]["x"], &waterfall::labels(&series.y), &bars, &ends));
        layout["showlegend"] = false.into();
        // Each bar says its value, which no line may cross.
        layout["yaxis"]["showgrid"] = false.into();
    }
    if let Some(second) = &figure.second {
        layout["yaxis2"] = to_json(&axis(&second.axis).overlaying("y").side(AxisSide::Right).show_grid(false));
        for &index in second.series.iter().filter(|index| **index < figure.series.len()) {
            data[index]["yaxis"] = "y2".into();
        }
    }
    menu::add(figure, &mut data, &mut layout);
    json!({ "data": data, "layout": layout, "config": config() })
}

/// Returns slanted lines over the lower ends of the totals of a waterfall whose axis does not begin at 0: a pair over each, whose grey is
/// seen on a white and on a dark page.
fn cuts(bars: usize) -> Value {
    let line = |bar: usize, y: f64| {
        let at = bar as f64;
        json!({
            "type": "line", "xref": "x", "yref": "paper", "x0": at - 0.45, "x1": at + 0.45, "y0": y, "y1": y + 0.02,
            "line": { "color": "#888", "width": 1.5 },
        })
    };
    let last = bars.saturating_sub(1);
    json!([line(0, 0.03), line(0, 0.045), line(last, 0.03), line(last, 0.045)])
}

/// Returns the values of a waterfall's bars as texts: above the bar and above its interval, of a bar that leads down below both. Texts of
/// the bars themselves would stand where the interval is drawn.
fn bar_labels(x: &Value, labels: &[String], bars: &[waterfall::Bar], ends: &[Option<[f64; 2]>]) -> Value {
    let anchor = |(bar, ends): (&waterfall::Bar, &Option<[f64; 2]>)| {
        let is_down = !bar.is_total && bar.to < bar.from;
        let end = ends.map_or(bar.to, |[low, high]| if is_down { low.min(bar.to) } else { high.max(bar.to) });
        (end, if is_down { "bottom center" } else { "top center" })
    };
    let (y, position): (Vec<f64>, Vec<&str>) = bars.iter().zip(ends).map(anchor).unzip();
    json!({
        "type": "scatter", "mode": "markers+text", "name": "value", "x": x, "y": y, "text": labels, "textposition": position,
        // The size of a marker that is not seen is the distance of the text.
        "marker": { "size": 9, "opacity": 0 },
        "cliponaxis": false, "hoverinfo": "skip", "showlegend": false,
    })
}

/// Returns the intervals of a waterfall's bars: that type of trace has none of its own.
fn error_bars(x: &Value, bars: &[waterfall::Bar], ends: &[Option<[f64; 2]>]) -> Value {
    let to: Vec<f64> = bars.iter().map(|bar| bar.to).collect();
    let length = |of: fn(f64, [f64; 2]) -> f64| -> Vec<Option<f64>> {
        to.iter().zip(ends).map(|(&to, end)| end.map(|end| of(to, end).max(0.0))).collect()
    };
    json!({
        "type": "scatter", "mode": "markers", "name": "95 % interval", "x": x, "y": to, "hoverinfo": "skip", "showlegend": false,
        "marker": { "color": "#888", "size": 1 },
        "error_y": {
            "type": "data", "symmetric": false, "array": length(|to, [_, high]| high - to),
            "arrayminus": length(|to, [low, _]| to - low), "color": "#888", "thickness": 1.5, "width": 5,
        },
    })
}

/// Returns the options of plotly.js.
pub(super) fn config() -> Value {
    // `typeset_math` would read a name between two dollar signs as TeX.
    let config = Configuration::new().responsive(true).display_logo(false).typeset_math(false).show_tips(false);
    // Selections do nothing in our figures.
    let config = config.mode_bar_buttons_to_remove(vec![ModeBarButtonName::Select2d, ModeBarButtonName::Lasso2d]);
    to_json(&config)
}
