//! The legend of a picture: the names of the series, above the plot.

use super::canvas::{RIGHT, TOP, WIDTH, push, text, width};
use std::ops::Range;
use trace_view::Series;
use trace_view::names::{elide, one_line};
use trace_view::palette;

const SIZE: f64 = 12.0;
const NAME_CHARS: usize = 30;
/// Space for the mark of a name and the gap before the next.
const MARK: f64 = 34.0;
/// The most rows of names that fit between subtitle and plot.
const MOST_ROWS: usize = 2;
const ROW: f64 = 15.0;

/// Draws the names of several series, aligned to the right, and the number of those that do not fit.
pub(super) fn legend(svg: &mut String, series: &[Series]) {
    if series.len() < 2 {
        return;
    }
    let names: Vec<String> = series.iter().map(|one| elide(&one_line(&one.name), NAME_CHARS)).collect();
    let widths: Vec<f64> = names.iter().map(|name| width(name, SIZE) + MARK).collect();
    let rows = rows(&widths, WIDTH - 2.0 * RIGHT, width(&more(names.len()), SIZE));
    let shown = rows.last().map_or(0, |row| row.end);
    for (index, row) in rows.iter().enumerate() {
        let base = if rows.len() == 1 { TOP - 12.0 } else { TOP - 6.0 - ROW * (rows.len() - 1 - index) as f64 };
        let mut right = WIDTH - RIGHT;
        if row.end == shown && shown < names.len() {
            let rest = more(names.len() - shown);
            right -= width(&rest, SIZE);
            text(svg, right, base, "font-size=\"12\" fill=\"#666\"", &rest);
            right -= 18.0;
        }
        for index in row.clone().rev() {
            right -= width(&names[index], SIZE);
            text(svg, right, base, "font-size=\"12\"", &names[index]);
            right -= 16.0;
            let (y, colour) = (base - 10.0, palette::of_series(&series[index].name, index));
            push(svg, format_args!("<rect x=\"{right:.1}\" y=\"{y}\" width=\"11\" height=\"11\" fill=\"{colour}\"/>"));
            right -= 18.0;
        }
    }
}

fn more(rest: usize) -> String {
    format!("and {} more", trace_view::format::number::float(rest as f64, 0))
}

/// Divides the names into rows; if not all fit, the last row leaves room for the number of the rest.
fn rows(widths: &[f64], room: f64, rest: f64) -> Vec<Range<usize>> {
    let fitting = |from: usize, room: f64| {
        let mut used = 0.0;
        let fits = widths[from..].iter().take_while(|width| {
            used += **width;
            used <= room
        });
        from + fits.count()
    };
    let mut rows = Vec::new();
    let mut from = 0;
    while from < widths.len() && rows.len() < MOST_ROWS {
        let mut end = fitting(from, room);
        if end < widths.len() && rows.len() + 1 == MOST_ROWS {
            end = fitting(from, room - rest);
        }
        rows.push(from..end);
        from = end;
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legend_fills_two_rows_and_counts_the_rest() {
        assert_eq!(rows(&[40.0; 2], 100.0, 15.0).last(), Some(&(0..2)));
        assert_eq!(rows(&[40.0; 4], 100.0, 15.0), [0..2, 2..4]);
        assert_eq!(rows(&[40.0; 9], 100.0, 15.0), [0..2, 2..4]);
        assert_eq!(rows(&[40.0; 9], 100.0, 25.0), [0..2, 2..3]);
        let one = Series {
            name: "s".to_owned(),
            mark: Default::default(),
            x: trace_view::Points::Numbers(vec![]),
            y: vec![],
        };
        let mut svg = String::new();
        legend(&mut svg, &vec![one; 200]);
        assert!(svg.contains("more</text>") && !svg.contains("x=\"-"), "{svg}");
    }
}
