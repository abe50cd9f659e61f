//! Ticks of the axes: names, whole numbers, decades.

use super::style::{escape, to_json};
use plotly::common::TickMode;
use serde_json::{Map, Value};
use trace_view::names::{axis_names, elide, elide_apart, one_line};
use trace_view::{Axis, Figure, tidied};

/// Characters of a name at the axis.
pub(super) const TICK_CHARS: usize = 34;
/// Names with no more characters than this, all together, are written horizontally.
const FLAT_CHARS: usize = 110;
/// No more names than this are slanted; more are vertical.
const FEW_NAMES: usize = 24;
/// Names at the axis; of more, every second, third, … is written.
pub(super) const MOST_TICKS: usize = 60;
/// An axis of whole numbers with no larger span has a tick at each number.
const MOST_WHOLE: f64 = 16.0;
/// The width of a character at the axis, in pixels, about.
const CHAR: f64 = 6.0;

/// Returns the keys of the ticks of an axis of numbers. A logarithmic axis has ticks at 1, 2 and 5 of every decade, where
/// plotly.js would write all nine digits; an axis of few whole numbers at each of them, or their names. Of more whole numbers plotly.js writes
/// every second, fifth, … until the reader zooms in.
pub(super) fn number_ticks(axis: &Axis, span: f64) -> Map<String, Value> {
    match axis {
        Axis { names, .. } if !names.is_empty() => {
            let texts = names.iter().map(|name| Value::String(escape(&elide(&one_line(name), TICK_CHARS))));
            Map::from_iter([
                ("tickmode".to_owned(), to_json(&TickMode::Array)),
                ("tickvals".to_owned(), (0..names.len()).collect::<Vec<_>>().into()),
                ("ticktext".to_owned(), texts.collect()),
            ])
        }
        Axis { log: true, .. } => Map::from_iter([("dtick".to_owned(), "D2".into())]),
        Axis { whole: true, .. } if span <= MOST_WHOLE => {
            Map::from_iter([("tick0".to_owned(), 0.into()), ("dtick".to_owned(), 1.into())])
        }
        _ => Map::new(),
    }
}

/// Returns the difference between the largest and the smallest finite value; 0 if there are none.
pub(super) fn span<'v>(values: impl Iterator<Item = &'v f64>) -> f64 {
    let ends = |(low, high): (f64, f64), value: &f64| (low.min(*value), high.max(*value));
    let (low, high) = values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    if high > low { (high - low).min(f64::MAX) } else { 0.0 }
}

/// Returns the keys of the ticks of an axis of names, which are elided. A tick is tied to its name in full: elided names that
/// look the same keep their own bars.
pub(super) fn name_ticks(figure: &Figure) -> Map<String, Value> {
    let names = axis_names(figure);
    if names.is_empty() {
        return Map::new();
    }
    let texts = tick_texts(&names);
    let angle = angle(&texts);
    let every = names.len().div_ceil(MOST_TICKS);
    let pick =
        |texts: &[String]| texts.iter().step_by(every).map(|text| Value::String(escape(text))).collect::<Value>();
    Map::from_iter([
        ("tickangle".to_owned(), angle.map_or_else(|| "auto".into(), Value::from)),
        ("tickmode".to_owned(), to_json(&TickMode::Array)),
        ("tickvals".to_owned(), pick(&names)),
        ("ticktext".to_owned(), pick(&texts)),
    ])
}

/// Elides the names at the axis; many names are vertical and would leave less room for the bars.
fn tick_texts(names: &[String]) -> Vec<String> {
    let most = if names.len() > FEW_NAMES { TICK_CHARS / 2 } else { TICK_CHARS };
    elide_apart(&tidied(names), most)
}

/// Returns the angle of the texts at the axis, in degrees; `None` lets plotly.js write them horizontally where they fit.
fn angle(texts: &[String]) -> Option<i32> {
    match longest(texts) * texts.len() {
        fits if fits <= FLAT_CHARS => None,
        _ if texts.len() > FEW_NAMES => Some(-90),
        // Down to the left, where the axis of values has its texts.
        _ => Some(-35),
    }
}

fn longest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}

/// Returns how many pixels the names at the axis take below the plot; 0 if they are horizontal.
pub(super) fn names_height(figure: &Figure) -> u32 {
    let texts = tick_texts(&axis_names(figure));
    let angle = angle(&texts).unwrap_or(0);
    (longest(&texts) as f64 * CHAR * f64::from(-angle).to_radians().sin()) as u32
}
