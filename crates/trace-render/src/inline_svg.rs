//! A figure as SVG inside of a page, in the colours of that page: light, dark or printed.

use super::canvas::{SMALL, WIDTH, push};
use super::svg;
use trace_view::Figure;
use trace_view::escape;

/// Colours of a picture on white, and what takes their place in a page of any colour. The colours of marks contrast with both.
const COLOURS: [(&str, &str); 3] = [
    ("fill=\"#333\"", "fill=\"currentColor\""),
    ("fill=\"#666\"", "fill=\"currentColor\" fill-opacity=\".72\""),
    ("stroke=\"#e3e3e8\"", "stroke=\"currentColor\" stroke-opacity=\".16\""),
];

/// The font of our pictures where it is installed, else one of the same width.
const FONT: &str =
    "font-family=\"Hack, 'DejaVu Sans Mono', 'Liberation Mono', Menlo, Consolas, ui-monospace, monospace\"";

/// Draws a figure for a page, as an `svg` element without script and style sheet: texts and lines have the colour of the text around it,
/// and it is as wide as there is room. Its values are the label for readers that do not see it. Of several choices it shows the
/// first.
pub fn inline_svg(figure: &Figure) -> String {
    let still = figure.still();
    let (drawn, height) = svg::figure(&still);
    // The element of a picture names its size in pixels, and the font that is part of the program.
    let body = drawn.split_once('>').map_or("", |(_, body)| body);
    let mut page = String::with_capacity(drawn.len() + 4_096);
    push(
        &mut page,
        format_args!(
            "<svg class=\"figure\" role=\"img\" viewBox=\"0 0 {WIDTH} {height}\" style=\"display:block;width:100%;max-width:{WIDTH}px;\
             height:auto\" {FONT} font-size=\"{SMALL}\" fill=\"currentColor\" aria-label=\"{}\">",
            escape(&still.text())
        ),
    );
    // Texts have no quotes of their own: they are escaped.
    page.push_str(&COLOURS.iter().fold(body.to_owned(), |body, (white, any)| body.replace(white, any)));
    page
}

#[cfg(test)]
mod tests {
    use trace_view::{Axis, Figure, Mark, Points, Series};

    const HOSTILE: &str = "</svg><script>alert(1)</script> fill=\"#333\" onload=\"alert(2)\"";

    fn waterfall(names: [&str; 3]) -> Figure {
        let x = Points::Names(names.map(str::to_owned).to_vec());
        let series = Series { name: "time".to_owned(), mark: Mark::Waterfall, x, y: vec![10.0, 5.0, 15.0] };
        Figure {
            title: names[0].to_owned(),
            subtitle: "mean of 6 steps".to_owned(),
            y: Axis { title: "time [ms]".to_owned(), ..Axis::default() },
            series: vec![series],
            ..Figure::default()
        }
    }

    #[test]
    fn texts_and_lines_take_the_colour_of_the_page() {
        let svg = super::inline_svg(&waterfall(["control", "compute", "test"]));
        assert!(svg.starts_with("<svg class=\"figure\"") && svg.ends_with("</svg>"), "{svg}");
        assert!(svg.contains("viewBox=\"0 0 900 500\"") && !svg.contains("width=\"900\""), "{svg}");
        for white in ["#333", "#666", "#e3e3e8", "http"] {
            assert!(!svg.contains(white), "{white} in {svg}");
        }
        // More time is vermillion, a total grey, as on white.
        assert!(svg.contains("fill=\"#d55e00\"") && svg.contains("fill=\"#a8a8b0\""), "{svg}");
        assert!(svg.contains(">mean of 6 steps</text>") && svg.contains(">+5</text>"), "{svg}");
    }

    #[test]
    fn hostile_names_stay_text() {
        let svg = super::inline_svg(&waterfall([HOSTILE, "b", "c"]));
        assert!(!svg.contains("<script") && !svg.contains("onload=\""), "{svg}");
        assert_eq!(svg.matches("</svg>").count(), 1);
        assert!(svg.contains("fill=&quot;#333"), "a name keeps its text: {svg}");
    }
}
