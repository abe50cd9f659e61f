//! A figure as PNG, drawn without a browser: for GitHub, nbconvert and PDF.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{IntSize, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::{canvas, palette, svg};
use trace_view::{Figure, base64};

/// The font of our pictures; it is part of the program, since a fresh machine has none.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_source(fontdb::Source::Binary(Arc::new(epaint_default_fonts::HACK_REGULAR)));
    Arc::new(fonts)
});

/// Draws a figure, in base64; `None` only if the SVG were malformed.
pub(super) fn figure(figure: &Figure) -> Option<String> {
    let (svg, height) = svg::figure(figure);
    picture(&Drawn { svg, height, below: Vec::new() })
}

/// A picture before it has pixels.
pub(super) struct Drawn {
    pub(super) svg: String,
    /// The height in pixels.
    pub(super) height: f64,
    /// Rectangles, painted before the SVG.
    pub(super) below: Vec<Rectangle>,
}

/// A rectangle of one colour, with whole pixels: the many values of a heat map would be slow as SVG.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rectangle {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) fill: Fill,
}

/// The colours of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fill {
    /// Red, green, blue.
    Plain([u8; 3]),
    /// Grey lines on white: an absent value.
    Hatched,
}

/// The distance between the lines of a hatched rectangle, in pixels.
const HATCH: usize = 6;
/// The colour of these lines.
const HATCH_COLOUR: [u8; 3] = [0xc4, 0xc4, 0xcc];

/// Draws an SVG with the width of our pictures, above the rectangles, in base64; `None` only if it were malformed.
pub(super) fn picture(drawn: &Drawn) -> Option<String> {
    let options = Options { fontdb: FONTS.clone(), font_family: canvas::FONT.to_owned(), ..Options::default() };
    let tree = Tree::from_str(&drawn.svg, &options).ok()?;
    let mut pixels = white(canvas::WIDTH as u32, drawn.height as u32)?;
    drawn.below.iter().for_each(|rectangle| paint(&mut pixels, rectangle));
    resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
    Some(base64(&palette::encode(pixels.width(), pixels.height(), pixels.data())?))
}

/// Returns white pixels; `None` without one, or of too many.
fn white(width: u32, height: u32) -> Option<Pixmap> {
    let size = IntSize::from_wh(width, height)?;
    let bytes = (width as usize).checked_mul(height as usize)?.checked_mul(4)?;
    // `Pixmap::fill` writes pixel by pixel.
    Pixmap::from_vec(vec![u8::MAX; bytes], size)
}

/// Paints the pixels of a rectangle; two rectangles that share an edge share no pixel.
fn paint(pixels: &mut Pixmap, rectangle: &Rectangle) {
    let (wide, high) = (pixels.width() as usize, pixels.height() as usize);
    let (from, to) = (rectangle.left.round() as usize, (rectangle.left + rectangle.width).round() as usize);
    let (top, bottom) = (rectangle.top.round() as usize, (rectangle.top + rectangle.height).round() as usize);
    let data = pixels.data_mut();
    for y in top..bottom.min(high) {
        for x in from..to.min(wide) {
            let [red, green, blue] = match rectangle.fill {
                Fill::Plain(colour) => colour,
                Fill::Hatched if (x + y).is_multiple_of(HATCH) => HATCH_COLOUR,
                Fill::Hatched => continue,
            };
            let at = 4 * (y * wide + x);
            if let Some(pixel) = data.get_mut(at..at + 4) {
                pixel.copy_from_slice(&[red, green, blue, u8::MAX]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use trace_view::{Axis, BarMode, Mark, Points, Series};

    /// Returns the bytes of the picture; fails if they are not a PNG.
    fn png(drawn: &Figure) -> Vec<u8> {
        let bytes = figure(drawn).and_then(|text| STANDARD.decode(text).ok()).unwrap_or_default();
        assert_eq!(bytes.get(1..4), Some(&b"PNG"[..]));
        bytes
    }

    fn series(mark: Mark, x: Points, y: Vec<f64>) -> Series {
        Series { name: "<script> & \"x\" \u{ffff}".to_owned(), mark, x, y }
    }

    fn names(count: usize) -> Points {
        Points::Names(
            (0..count).map(|n| format!("void at::native::kernel<{n}, \u{1b}[31m \u{fffe} 中文 & \"x\">")).collect(),
        )
    }

    #[test]
    fn hostile_figures_are_drawn() {
        let extreme = vec![f64::NAN, f64::INFINITY, f64::MAX, f64::MIN, -0.0, 5e-324, -1.0, 1e15];
        for log in [false, true] {
            for bars in [BarMode::Group, BarMode::Stack] {
                for mark in [Mark::Bar, Mark::Line, Mark::Step, Mark::Waterfall] {
                    for (x, y) in [
                        (names(8), extreme.clone()),
                        (Points::Numbers(extreme.clone()), extreme.clone()),
                        (names(0), vec![]),
                        (names(3), vec![1.0]),
                        (names(1), vec![0.0]),
                        (Points::Numbers(vec![1.0]), vec![-1.0]),
                    ] {
                        let axis = || Axis { title: "<&>".to_owned(), log, ..Axis::default() };
                        let series = vec![series(mark, x.clone(), y.clone()), series(mark, x, y)];
                        let figure = Figure {
                            title: "a & <b>".to_owned(),
                            x: axis(),
                            y: axis(),
                            bars,
                            series,
                            ..Figure::default()
                        };
                        png(&figure);
                    }
                }
            }
        }
        png(&Figure { height: Some(0), ..Figure::default() });
    }

    #[test]
    fn million_points_are_drawn_quickly() {
        let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
        let y = x.iter().map(|x| (x / 7.0).sin()).collect();
        let lines = Figure { series: vec![series(Mark::Line, Points::Numbers(x), y)], ..Figure::default() };
        let many = names(5_000);
        let bars = (0..3).map(|_| series(Mark::Bar, many.clone(), vec![1.0; 5_000])).collect();
        let bars = Figure { series: bars, ..Figure::default() };
        for figure in [lines, bars] {
            let start = std::time::Instant::now();
            png(&figure);
            assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
        }
    }

    #[test]
    fn more_series_draw_more() {
        let one = Figure { series: vec![series(Mark::Bar, names(2), vec![1.0, 2.0])], ..Figure::default() };
        assert_ne!(png(&one), png(&Figure::default()));
    }
}
