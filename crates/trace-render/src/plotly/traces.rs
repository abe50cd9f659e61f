//! Series as traces of plotly.js.

use super::style::{escape, to_json, wrap};
use plotly::common::{Line, LineShape, Mode};
use plotly::{Bar, Scatter};
use serde::Serialize;
use serde_json::{Value, json};
use trace_view::format::number;
use trace_view::names::unique;
use trace_view::palette::WATERFALL;
use trace_view::{Axis, Figure, Mark, Points, Series, tidied, waterfall};

/// Characters of a line of the hover text.
const HOVER_CHARS: usize = 80;
/// With more points than this a line has no markers.
const MOST_MARKERS: usize = 100;
/// Height of an interval on a lane, in pixels.
const SPAN_WIDTH: f64 = 12.0;

/// Returns the trace of one series: bars, a line or steps.
pub(super) fn trace(series: &Series, figure: &Figure) -> Value {
    match &series.x {
        Points::Names(at) => {
            let names = unique(at);
            let hover: Vec<String> = tidied(&names).iter().map(|name| wrap(name, HOVER_CHARS).join("<br>")).collect();
            let x = names.iter().map(|name| escape(name)).collect();
            drawn(
                x,
                hover,
                series,
                (&figure.y, &figure.intervals),
                &format!("<b>%{{hovertext}}</b><br>{}", hover_value(series, figure)),
            )
        }
        Points::Numbers(x) => {
            let decimals = number::decimals(x.iter().copied());
            let at = format!("%{{x:,.{decimals}f}}{}<br>", unit(&figure.x));
            drawn(
                x.clone(),
                Vec::new(),
                series,
                (&figure.y, &figure.intervals),
                &format!("{at}{}", hover_value(series, figure)),
            )
        }
    }
}

fn drawn<X: Serialize + Clone + 'static>(
    x: Vec<X>,
    hover: Vec<String>,
    series: &Series,
    (y_axis, intervals): (&Axis, &[Option<[f64; 2]>]),
    template: &str,
) -> Value {
    let y = series.y.iter().map(|value| value.is_finite().then_some(*value)).collect();
    let name = escape(&series.name);
    let template = format!("{template}<extra></extra>");
    if series.mark == Mark::Waterfall {
        return waterfall(to_json(&x), hover, series, y_axis, intervals);
    }
    if series.mark == Mark::Bar {
        let bar = Bar::new(x, y).name(name).hover_template(template);
        return if hover.is_empty() { to_json(&bar) } else { to_json(&bar.hover_text_array(hover)) };
    }
    let is_span = series.mark == Mark::Span;
    let few = series.x.len() <= MOST_MARKERS && series.mark == Mark::Line;
    let shape = if series.mark == Mark::Step { LineShape::Hv } else { LineShape::Linear };
    let line = Scatter::new(x, y)
        .name(name)
        .mode(if few { Mode::LinesMarkers } else { Mode::Lines })
        .line(Line::new().shape(shape).width(if is_span { SPAN_WIDTH } else { 2.0 }))
        .hover_template(template);
    if hover.is_empty() { to_json(&line) } else { to_json(&line.hover_text_array(hover)) }
}

/// Returns a trace of plotly.js's type `waterfall`, which the crate has no type for. Its bars show their change: `%{y}` would be
/// the sum up to there.
fn waterfall(x: Value, hover: Vec<String>, series: &Series, y_axis: &Axis, intervals: &[Option<[f64; 2]>]) -> Value {
    let name = if hover.is_empty() { "" } else { "<b>%{hovertext}</b><br>" };
    let template = format!("{name}%{{text}}{}%{{customdata}}<extra></extra>", unit(y_axis));
    let last = series.y.len().saturating_sub(1);
    let interval = |index: usize| {
        let interval = intervals.get(index).copied().flatten();
        interval.map_or(String::new(), |ends| {
            format!("<br>{}{}", waterfall::interval_text(ends, index == 0 || index == last), unit(y_axis))
        })
    };
    let measure = |index: usize| {
        if index == 0 {
            "absolute"
        } else if index == last {
            "total"
        } else {
            "relative"
        }
    };
    let measures: Vec<&str> = (0..series.y.len()).map(measure).collect();
    let y: Vec<Option<f64>> = series.y.iter().map(|value| value.is_finite().then_some(*value)).collect();
    let [more, less, total] = WATERFALL.map(|colour| json!({ "marker": { "color": colour } }));
    json!({
        "type": "waterfall", "name": escape(&series.name), "x": x, "y": y, "measure": measures, "hovertext": hover,
        "customdata": (0..series.y.len()).map(interval).collect::<Vec<_>>(),
        "hovertemplate": template, "increasing": more, "decreasing": less, "totals": total,
        "connector": { "line": { "color": "#888", "width": 1 } },
        "text": waterfall::labels(&series.y), "textposition": "none",
    })
}

/// Returns the template for `control: 1,234.5 µs`, which plotly.js fills in.
fn hover_value(series: &Series, figure: &Figure) -> String {
    if !figure.y.names.is_empty() {
        return "%{fullData.name}".to_owned();
    }
    let decimals = number::decimals(series.y.iter().copied());
    format!("%{{fullData.name}}: %{{y:,.{decimals}f}}{}", unit(&figure.y))
}

fn unit(axis: &Axis) -> String {
    let symbol = axis.unit.symbol();
    if symbol.is_empty() { String::new() } else { format!(" {symbol}") }
}
