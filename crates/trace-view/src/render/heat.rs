//! Heat maps as text and as SVG.

use super::canvas::{HEIGHT, RIGHT, SMALL, TICK_DISTANCE, TOP, WIDTH, begin, push, text as write, width};
use super::labels::Labels;
use super::names::{elide, elide_apart, one_line};
use super::scale::Scale;
use super::{axis_title, palette};
use crate::format::number;
use crate::{HeatMap, Points};

/// The most columns and rows that are drawn; of more, neighbours are averaged.
const MOST_COLUMNS: usize = 200;
const MOST_ROWS: usize = 150;
/// The most characters of a row's name.
const ROW_CHARS: usize = 28;
/// The height of a row's name, in pixels.
const LINE: f64 = 14.0;
/// The colour scale: its width, the width with its numbers, and the number of its colours.
const SCALE: f64 = 14.0;
const SCALE_ROOM: f64 = 96.0;
const COLOURS: usize = 64;

/// Describes a heat map: titles, size, range of values.
pub(super) fn text(map: &HeatMap) -> String {
    let titles = [map.title.as_str(), map.subtitle.as_str()];
    let caption = titles.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" · ");
    let (rows, columns) = (map.values.len(), columns(&map.values));
    let values = match range(&map.values) {
        Some((low, high)) => format!("values {} to {}", plain(low), plain(high)),
        None => "nothing to draw".to_owned(),
    };
    super::terminal_safe(&format!("{caption}\nheat map of {rows} × {columns}: {values}")).trim_start().to_owned()
}

/// Returns the SVG text of a heat map and its height in pixels; `None` if it has no value.
pub(super) fn svg(map: &HeatMap) -> Option<(String, f64)> {
    let (least, greatest) = range(&map.values)?;
    let (low, high) = map.range.filter(|(low, high)| low < high).unwrap_or((least, greatest));
    let height = map.height.map_or(HEIGHT, |height| f64::from(height.clamp(240, 1_200)));
    let averaged = Averaged::of(map);
    let mut subtitle = vec![map.subtitle.clone()];
    subtitle.extend(averaged.note());
    subtitle.extend(uneven(map).then(|| "in this picture rows and columns are evenly spaced".to_owned()));
    subtitle.retain(|part| !part.is_empty());
    let mut svg = begin(height, &map.title, &subtitle.join(" · "));
    let titled = if axis_title(&map.y).is_empty() { 0.0 } else { 22.0 };
    let rows = elide_apart(&averaged.rows, ROW_CHARS);
    let widest = rows.iter().map(|name| width(name, SMALL)).fold(0.0, f64::max);
    let mut left = 14.0 + titled + widest + 8.0;
    let right = WIDTH - RIGHT - SCALE_ROOM;
    let labels = Labels::of(&averaged.columns, (right - left) / averaged.columns.len() as f64);
    let (wide, high_labels) = labels.size();
    if labels.angle > 0.0 {
        left = left.max(wide + 8.0 - (right - left) / averaged.columns.len() as f64 / 2.0);
    }
    let below = 10.0 + high_labels + if axis_title(&map.x).is_empty() { 6.0 } else { 26.0 };
    let bottom = (height - below).max(TOP + 60.0);
    let colours = Colours::of(low, high);
    let (across, up) = ((right - left) / averaged.columns.len() as f64, (bottom - TOP) / averaged.rows.len() as f64);
    // The pixel of the middle of a row.
    let middle = |row: usize| {
        let from_top = if map.from_top { row } else { averaged.rows.len() - 1 - row };
        TOP + up * (from_top as f64 + 0.5)
    };
    svg.push_str("<g shape-rendering=\"crispEdges\">");
    for (row, values) in averaged.values.iter().enumerate() {
        let top = middle(row) - up / 2.0;
        let mut from = 0;
        for run in values.chunk_by(|one, other| colours.step(*one) == colours.step(*other)) {
            if let Some(colour) = run.first().and_then(|value| colours.of_value(*value)) {
                let (x, wide) = (left + across * from as f64, across * run.len() as f64);
                push(
                    &mut svg,
                    format_args!(
                        "<rect x=\"{x:.2}\" y=\"{top:.2}\" width=\"{wide:.2}\" height=\"{up:.2}\" fill=\"{colour}\"/>"
                    ),
                );
            }
            from += run.len();
        }
    }
    svg.push_str("</g>");
    for row in (0..rows.len()).step_by((LINE / up).ceil().max(1.0) as usize) {
        write(&mut svg, left - 8.0, middle(row) + 4.0, "text-anchor=\"end\"", &rows[row]);
    }
    labels.draw(&mut svg, bottom, |column| left + across * (column as f64 + 0.5));
    let centre = (TOP + bottom) / 2.0;
    let rotated = format!("text-anchor=\"middle\" font-size=\"12\" transform=\"rotate(-90 20 {centre:.1})\"");
    write(&mut svg, 20.0, centre, &rotated, &elide(&one_line(&axis_title(&map.y)), 50));
    let foot = bottom + 24.0 + high_labels;
    let title = elide(&one_line(&axis_title(&map.x)), 100);
    write(&mut svg, (left + right) / 2.0, foot, "text-anchor=\"middle\" font-size=\"12\"", &title);
    colours.scale(&mut svg, right + 18.0, bottom, &map.meaning);
    svg.push_str("</svg>");
    Some((svg, height))
}

/// The values that are drawn: means of blocks of neighbours.
struct Averaged {
    columns: Vec<String>,
    rows: Vec<String>,
    values: Vec<Vec<f64>>,
    /// Columns and rows per block.
    by: (usize, usize),
}

impl Averaged {
    fn of(map: &HeatMap) -> Self {
        let wide = columns(&map.values);
        let by = (wide.div_ceil(MOST_COLUMNS).max(1), map.values.len().div_ceil(MOST_ROWS).max(1));
        let values = map.values.chunks(by.1).map(|rows| {
            (0..wide).step_by(by.0).map(|from| {
                let block =
                    rows.iter().flat_map(|row| row.iter().skip(from).take(by.0)).filter(|value| value.is_finite());
                let (count, sum) = block.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
                sum / count
            })
        });
        Self {
            columns: names(&map.columns, wide, by.0),
            rows: names(&map.rows, map.values.len(), by.1),
            values: values.map(Iterator::collect).collect(),
            by,
        }
    }

    fn note(&self) -> Option<String> {
        (self.by != (1, 1)).then(|| format!("each value is the mean of {} × {} values", self.by.1, self.by.0))
    }
}

/// Returns the first name of each `by` positions; a position without a name has its index.
fn names(points: &Points, count: usize, by: usize) -> Vec<String> {
    let name = |index: usize| match points {
        Points::Names(names) => names.get(index).map_or_else(|| index.to_string(), |name| one_line(name)),
        Points::Numbers(numbers) => numbers.get(index).map_or_else(|| index.to_string(), |number| plain(*number)),
    };
    (0..count).step_by(by).map(name).collect()
}

/// Tells whether numbers along an axis are not evenly spaced.
fn uneven(map: &HeatMap) -> bool {
    [&map.columns, &map.rows].into_iter().any(|points| {
        let Points::Numbers(at) = points else { return false };
        let gaps: Vec<f64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
        gaps.iter().any(|gap| (gap - gaps[0]).abs() > 0.01 * gaps[0].abs())
    })
}

fn columns(values: &[Vec<f64>]) -> usize {
    values.iter().map(Vec::len).max().unwrap_or(0)
}

/// Returns the least and the largest value.
fn range(values: &[Vec<f64>]) -> Option<(f64, f64)> {
    let finite = values.iter().flatten().filter(|value| value.is_finite());
    let (low, high) =
        finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
    (low <= high).then_some((low, high))
}

/// Formats a number with as many decimals as it needs.
fn plain(value: f64) -> String {
    number::float(value, number::decimals(std::iter::once(value)))
}

/// The mapping of values to colours: from dark to light, or diverging from zero.
struct Colours {
    low: f64,
    high: f64,
    stops: &'static [&'static str],
}

impl Colours {
    fn of(low: f64, high: f64) -> Self {
        if low < 0.0 && high > 0.0 {
            let far = high.max(-low);
            return Self { low: -far, high: far, stops: &palette::DIVERGING };
        }
        Self { low, high, stops: &palette::SEQUENTIAL }
    }

    /// Returns the index of the colour of a value; `None` for a gap.
    fn step(&self, value: f64) -> Option<usize> {
        // Halves, since the difference of two large values may be infinite.
        let share = if self.high > self.low {
            (value / 2.0 - self.low / 2.0) / (self.high / 2.0 - self.low / 2.0)
        } else {
            0.5
        };
        value.is_finite().then(|| (share.clamp(0.0, 1.0) * (COLOURS - 1) as f64).round() as usize)
    }

    fn of_value(&self, value: f64) -> Option<String> {
        self.step(value).map(|step| palette::between(self.stops, step as f64 / (COLOURS - 1) as f64))
    }

    /// Draws the scale, with its numbers on the right and its title above.
    fn scale(&self, svg: &mut String, left: f64, bottom: f64, meaning: &str) {
        let high = (bottom - TOP) / COLOURS as f64;
        svg.push_str("<g shape-rendering=\"crispEdges\">");
        for step in 0..COLOURS {
            let colour = palette::between(self.stops, step as f64 / (COLOURS - 1) as f64);
            let y = bottom - high * (step + 1) as f64;
            push(
                svg,
                format_args!(
                    "<rect x=\"{left:.1}\" y=\"{y:.2}\" width=\"{SCALE}\" height=\"{high:.2}\" fill=\"{colour}\"/>"
                ),
            );
        }
        svg.push_str("</g>");
        if self.high > self.low {
            let scale = Scale::exact(self.low, self.high, bottom, TOP);
            for (value, label) in scale.ticks(TICK_DISTANCE) {
                if let Some(y) = scale.pixel(value) {
                    write(svg, left + SCALE + 6.0, y + 4.0, "", &label);
                }
            }
        } else {
            write(svg, left + SCALE + 6.0, (bottom + TOP) / 2.0 + 4.0, "", &plain(self.low));
        }
        let room = (WIDTH - 2.0 * RIGHT) as usize / 12;
        write(svg, WIDTH - RIGHT, TOP - 10.0, "text-anchor=\"end\"", &elide(&one_line(meaning), room));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::Axis;
    use crate::bundle::PNG;

    fn map(values: Vec<Vec<f64>>) -> HeatMap {
        HeatMap {
            title: "heat <&>".to_owned(),
            subtitle: String::new(),
            x: Axis { title: "rank".to_owned(), ..Axis::default() },
            y: Axis::default(),
            columns: Points::Names(Vec::new()),
            rows: Points::Names(vec!["<script>".to_owned()]),
            values,
            meaning: "dur [ms]".to_owned(),
            range: None,
            from_top: false,
            height: None,
        }
    }

    /// Returns colour, left edge and top edge of each rectangle but those of the scale.
    fn rectangles(map: &HeatMap) -> Vec<(String, f64, f64)> {
        let (svg, _) = svg(map).unwrap();
        let first = svg.split("</g>").next().unwrap();
        let attribute = |rect: &str, name: &str| {
            rect.split(&format!(" {name}=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
        };
        first
            .split("<rect")
            .skip(1)
            .map(|rect| {
                let number = |name: &str| attribute(rect, name).parse().unwrap();
                (attribute(rect, "fill"), number("x"), number("y"))
            })
            .collect()
    }

    #[test]
    fn larger_values_are_lighter_and_gaps_empty() {
        let drawn = rectangles(&map(vec![vec![1.0, 2.0, f64::NAN], vec![3.0, 3.0, 5.0]]));
        let colours: Vec<&str> = drawn.iter().map(|rectangle| rectangle.0.as_str()).collect();
        assert_eq!(colours.len(), 4, "a gap is not drawn, equal neighbours are one: {drawn:?}");
        assert_eq!((colours[0], colours[3]), (palette::SEQUENTIAL[0], palette::SEQUENTIAL[4]));
        assert!(drawn[2].2 < drawn[0].2, "the first row is at the bottom");
    }

    #[test]
    fn values_around_zero_have_diverging_colours() {
        let drawn = rectangles(&map(vec![vec![-4.0, 0.0, 2.0]]));
        assert_eq!(drawn[0].0, palette::DIVERGING[0]);
        assert_ne!(drawn[2].0, palette::DIVERGING[2], "2 is half as far from zero as -4");
    }

    #[test]
    fn many_values_are_averaged_and_subtitle_says_so() {
        let large = map(vec![vec![1.0; 1_000]; 400]);
        let started = std::time::Instant::now();
        let (svg, _) = svg(&large).unwrap();
        assert!(svg.contains("each value is the mean of 3 × 5 values"), "{}", &svg[..600]);
        assert!(large.bundle().data.contains_key(PNG));
        let busy = map((0..400).map(|row| (0..1_000).map(|column| f64::from(row * column % 97)).collect()).collect());
        assert!(busy.bundle().data.contains_key(PNG));
        assert!(started.elapsed().as_secs_f64() < 5.0, "{:?}", started.elapsed());
    }

    #[test]
    fn extreme_values_are_drawn_and_empty_maps_have_text() {
        for values in [vec![vec![f64::MIN, f64::MAX]], vec![vec![7.0]], vec![vec![f64::INFINITY, 1.0], vec![]]] {
            assert!(map(values).bundle().data.contains_key(PNG));
        }
        for values in [vec![], vec![vec![]], vec![vec![f64::NAN]]] {
            let bundle = map(values).bundle();
            assert!(!bundle.data.contains_key(PNG) && bundle.plain().contains("nothing to draw"));
        }
    }

    #[test]
    fn names_are_escaped_in_heat_map() {
        let (svg, _) = svg(&map(vec![vec![1.0]])).unwrap();
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
    }
}
