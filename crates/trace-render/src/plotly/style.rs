//! Texts and colours of a figure.
//!
//! plotly.js reads a few tags and entities in every text it draws (`<b>`, `<a href>`, `&lt;`), so texts of a trace are
//! escaped.

use serde::Serialize;
use serde_json::Value;
use trace_view::names::one_line;
use trace_view::palette;
use trace_view::{Mark, Series};

/// Gives a trace the colour of its series, or its bars theirs if the series is shown `alone`.
pub(super) fn paint(trace: &mut Value, series: &Series, index: usize, alone: bool) {
    if series.mark == Mark::Waterfall {
        return;
    }
    let colour = palette::of_series(&series.name, index);
    trace["marker"]["color"] = palette::of_bars(series, index, alone).map_or(colour.into(), |bars| bars.into());
    if trace["line"].is_object() {
        trace["line"]["color"] = colour.into();
    }
}

/// Escapes a text and breaks it into lines of at most `most` characters, after blanks and brackets where there are any.
pub(super) fn wrap(text: &str, most: usize) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let (mut lines, mut rest) = (Vec::new(), chars.as_slice());
    while rest.len() > most {
        let may_end = |c: &char| matches!(c, ' ' | ',' | ':' | '<' | '(' | ';');
        let end = rest[..most].iter().rposition(may_end).filter(|end| *end >= most / 2);
        let (line, next) = rest.split_at(end.map_or(most, |end| end + 1));
        lines.push(line);
        rest = next;
    }
    lines.push(rest);
    lines.into_iter().map(|line| escape(&line.iter().collect::<String>())).collect()
}

/// Escapes a text so that plotly.js draws it verbatim.
pub(super) fn escape(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Serializes one of plotly's types; all of them have text keys and plain values.
pub(super) fn to_json(typed: &impl Serialize) -> Value {
    serde_json::to_value(typed).unwrap_or_default()
}
