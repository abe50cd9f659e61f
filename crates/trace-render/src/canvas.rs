//! The SVG canvas of a picture: its size, margins and font, and how text is written on it.

use std::fmt::Write as _;
use trace_view::escape;
use trace_view::names::{elide, one_line};

/// The width of a picture in pixels.
pub(super) const WIDTH: f64 = 900.0;
/// The height of a picture that does not give one, in pixels.
pub(super) const HEIGHT: f64 = 500.0;
/// The space above the plot, for title, subtitle and legend.
pub(super) const TOP: f64 = 84.0;
/// The space on the right of the plot.
pub(super) const RIGHT: f64 = 20.0;
/// The distance between two ticks of the axis of values, in pixels, about.
pub(super) const TICK_DISTANCE: f64 = 45.0;
/// The name of the font. It is monospaced.
pub(super) const FONT: &str = "Hack";
/// The width of a character per pixel of font size.
pub(super) const CHAR: f64 = 0.602;
/// The font size of ticks and names, in pixels.
pub(super) const SMALL: f64 = 11.0;

/// Begins a picture: its size, font, title and subtitle.
pub(super) fn begin(height: f64, title: &str, subtitle: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" font-family=\"{FONT}\" \
         font-size=\"{SMALL}\" fill=\"#333\">"
    );
    text(&mut svg, 16.0, 26.0, "font-size=\"16\"", &elide(title, 86));
    text(&mut svg, 16.0, 45.0, "font-size=\"12\" fill=\"#666\"", &elide(subtitle, 118));
    svg
}

/// Returns the width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * CHAR * size
}

/// Writes a text at a point of the picture, escaped; an empty text writes nothing.
pub(super) fn text(svg: &mut String, x: f64, y: f64, attributes: &str, text: &str) {
    if !text.is_empty() {
        // XML forbids the two code points.
        let text: String = one_line(text).chars().filter(|c| !matches!(c, '\u{fffe}' | '\u{ffff}')).collect();
        push(svg, format_args!("<text x=\"{x:.1}\" y=\"{y:.1}\" {attributes}>{}</text>", escape(&text)));
    }
}

/// Appends formatted text.
pub(super) fn push(to: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = to.write_fmt(text);
}
