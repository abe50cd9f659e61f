//! A figure as SVG, the source of the picture in a saved notebook, on GitHub and in a PDF.

use super::axis_title;
use super::canvas::{HEIGHT, RIGHT, SMALL, TICK_DISTANCE, TOP, WIDTH, begin, push, text, width};
use super::labels::Labels;
use super::legend::legend;
use super::scale::{Scale, Span};
use trace_view::format::number;
use trace_view::names::{axis_names, elide, one_line, unique};
use trace_view::palette;
use trace_view::{Axis, BarMode, Figure, Mark, Points, Series, waterfall};

/// Half of the width of an interval's ends, in pixels.
const CAP: f64 = 4.0;
/// Height of an interval on a lane, in pixels, and the least width of one.
const LANE: f64 = 12.0;
const LEAST_SPAN: f64 = 0.6;
/// Characters of the name of a lane.
const LANE_CHARS: usize = 26;
/// The most names that are drawn.
const MOST_NAMES: usize = 1_000;
/// Bars or points per path: the time to draw a path grows with the square of its parts.
const PIECE: usize = 50;

/// Returns the SVG text of a figure and its height in pixels.
pub(super) fn figure(figure: &Figure) -> (String, f64) {
    let height = figure.height.map_or(HEIGHT, |height| f64::from(height.clamp(240, 1_200)));
    let mut svg = begin(height, &figure.title, &subtitle(figure));
    legend(&mut svg, &figure.series);
    let drawn = Drawing::of(figure, height).map(|drawing| drawing.draw(&mut svg));
    if drawn.is_none() {
        text(&mut svg, WIDTH / 2.0, height / 2.0, "text-anchor=\"middle\" fill=\"#666\"", "nothing to draw");
    }
    svg.push_str("</svg>");
    (svg, height)
}

/// Returns the line below the title, with notes on what the picture omits.
fn subtitle(figure: &Figure) -> String {
    let mut parts = vec![figure.subtitle.clone()];
    let names = axis_names(figure).len();
    if names > MOST_NAMES {
        let count = |n: usize| number::float(n as f64, 0);
        parts.push(format!("first {} of {} names", count(MOST_NAMES), count(names)));
    }
    if figure.y.log && figure.series.iter().any(|series| series.y.iter().any(|value| *value < 0.0)) {
        parts.push("values below zero are not on the logarithmic axis".to_owned());
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// A figure with its axes laid out.
struct Drawing<'a> {
    figure: &'a Figure,
    /// Names on the first axis; empty if it is one of numbers.
    names: Vec<String>,
    /// The edges of the plot, in pixels.
    left: f64,
    right: f64,
    bottom: f64,
    y: Scale,
    /// The second axis of values.
    second: Option<Scale>,
    /// The first axis, if it is one of numbers.
    x: Option<Scale>,
    labels: Labels,
}

impl<'a> Drawing<'a> {
    /// Lays out a figure; `None` if there is nothing to draw.
    fn of(figure: &'a Figure, height: f64) -> Option<Self> {
        let mut names = axis_names(figure);
        names.truncate(MOST_NAMES);
        let bars = figure.series.iter().any(|series| series.mark == Mark::Bar);
        let y = match figure.series.iter().find(|series| series.mark == Mark::Waterfall) {
            Some(series) => {
                let ends = waterfall::ends(&series.y, &figure.intervals).into_iter().flatten().flatten();
                waterfall::bars(&series.y).iter().flat_map(|bar| [bar.from, bar.to]).chain(ends).collect()
            }
            None if figure.bars == BarMode::Stack && bars => stacked(figure, &names),
            None => values(figure, false),
        };
        let second = figure.second.as_ref().and_then(|second| {
            let bars =
                second.series.iter().any(|&index| figure.series.get(index).is_some_and(|one| one.mark == Mark::Bar));
            let span = Span::of(values(figure, true).into_iter(), second.axis.log, bars)?;
            Some((span.whole(second.axis.whole), axis_title(&second.axis)))
        });
        let y = Span::of(y.into_iter(), figure.y.log, bars);
        // If all series use the second axis, the first gets the same span.
        let y = y.or(second.as_ref().map(|(span, _)| *span))?.whole(figure.y.whole);
        let x = if names.is_empty() { Some(x_span(figure)?.whole(figure.x.whole)) } else { None };
        let ticks = ticks(&figure.y, y.at(height - 100.0, TOP));
        let widest = |ticks: &[(f64, String)]| ticks.iter().map(|(_, text)| width(text, SMALL)).fold(0.0, f64::max);
        let right = WIDTH
            - RIGHT
            - second.as_ref().map_or(0.0, |(span, title)| {
                widest(&span.at(height - 100.0, TOP).ticks(TICK_DISTANCE)) + if title.is_empty() { 8.0 } else { 30.0 }
            });
        let titled = if axis_title(&figure.y).is_empty() { 0.0 } else { 22.0 };
        let mut left = 14.0 + titled + widest(&ticks) + 8.0;
        let labels = Labels::of(&names, (right - left) / names.len().max(1) as f64);
        let (wide, high) = labels.size();
        let band = (right - left) / names.len().max(1) as f64;
        if labels.angle > 0.0 {
            left = left.max(wide + 8.0 - band / 2.0);
        }
        let below = 10.0 + high + if axis_title(&figure.x).is_empty() { 6.0 } else { 26.0 };
        let bottom = (height - below).max(TOP + 60.0);
        let x = x.map(|span| span.at(left, right));
        let second = second.map(|(span, _)| span.at(bottom, TOP));
        Some(Self { figure, names, left, bottom, y: y.at(bottom, TOP), second, right, x, labels })
    }

    fn draw(&self, svg: &mut String) {
        self.grid(svg);
        let bars: Vec<usize> =
            (0..self.figure.series.len()).filter(|&index| self.figure.series[index].mark == Mark::Bar).collect();
        // Bars of different axes are not stacked on each other.
        let is_stacked = |index: &usize| self.figure.bars == BarMode::Stack && !self.figure.on_second(*index);
        let (stacked, grouped): (Vec<usize>, Vec<usize>) = bars.into_iter().partition(is_stacked);
        self.stack(svg, &stacked);
        for (position, &index) in grouped.iter().enumerate() {
            self.bars(svg, index, position, grouped.len());
        }
        for (index, series) in self.figure.series.iter().enumerate() {
            match series.mark {
                Mark::Bar => {}
                Mark::Span => self.spans(svg, series, index),
                Mark::Waterfall => self.waterfall(svg, series),
                Mark::Line | Mark::Step => self.line(svg, series, index),
            }
        }
        // A lane is no zero.
        let base = if self.figure.y.names.is_empty() { self.y.base() } else { self.bottom };
        push(svg, format_args!("<path d=\"M{:.1} {base:.1}H{:.1}\" stroke=\"#888\"/>", self.left, self.right));
    }

    /// Draws ticks, their lines, and the titles of the axes.
    fn grid(&self, svg: &mut String) {
        let (left, right) = (self.left, self.right);
        let is_waterfall = self.figure.series.iter().any(|series| series.mark == Mark::Waterfall);
        for (value, label) in ticks(&self.figure.y, self.y) {
            let Some(y) = self.y.pixel(value) else { continue };
            // Each bar of a waterfall says its value, which no line may cross.
            if !is_waterfall {
                push(svg, format_args!("<path d=\"M{left:.1} {y:.1}H{right:.1}\" stroke=\"#e3e3e8\"/>"));
            }
            text(svg, left - 8.0, y + 4.0, "text-anchor=\"end\"", &label);
        }
        let middle = (TOP + self.bottom) / 2.0;
        let rotated = format!("text-anchor=\"middle\" font-size=\"12\" transform=\"rotate(-90 20 {middle:.1})\"");
        text(svg, 20.0, middle, &rotated, &elide(&one_line(&axis_title(&self.figure.y)), 50));
        if let (Some(scale), Some(second)) = (&self.second, &self.figure.second) {
            for (value, label) in scale.ticks(TICK_DISTANCE) {
                let Some(y) = scale.pixel(value) else { continue };
                text(svg, right + 8.0, y + 4.0, "", &label);
            }
            let at = WIDTH - 12.0;
            let rotated = format!("text-anchor=\"middle\" font-size=\"12\" transform=\"rotate(-90 {at} {middle:.1})\"");
            text(svg, at, middle, &rotated, &elide(&one_line(&axis_title(&second.axis)), 50));
        }
        if let Some(x) = &self.x {
            for (value, label) in x.ticks(2.0 * TICK_DISTANCE) {
                let Some(at) = x.pixel(value) else { continue };
                push(svg, format_args!("<path d=\"M{at:.1} {:.1}V{TOP}\" stroke=\"#e3e3e8\"/>", self.bottom));
                text(svg, at, self.bottom + 16.0, "text-anchor=\"middle\"", &label);
            }
        }
        self.labels.draw(svg, self.bottom, |index| self.centre(index));
        let foot = self.bottom + 24.0 + self.labels.size().1;
        text(
            svg,
            (left + right) / 2.0,
            foot,
            "text-anchor=\"middle\" font-size=\"12\"",
            &elide(&one_line(&axis_title(&self.figure.x)), 100),
        );
    }

    /// Draws the bars of one series, at `position` among `of` bars side by side.
    fn bars(&self, svg: &mut String, index: usize, position: usize, of: usize) {
        let wide = self.band() * 0.8 / of as f64;
        let offset = (position as f64 - of as f64 / 2.0) * wide;
        let series = &self.figure.series[index];
        let scale = self.scale(index);
        let own = palette::of_bars(series, index, self.figure.series.len() == 1);
        let mut drawn = Vec::new();
        for (point, (centre, value)) in self.points(series).enumerate() {
            let Some(y) = scale.pixel(value) else { continue };
            let bar = bar(centre + offset, wide, scale.base(), y);
            match own.as_ref().and_then(|own| own.get(point)) {
                Some(colour) => fill(svg, &[bar], colour),
                None => drawn.push(bar),
            }
        }
        fill(svg, &drawn, self.colour(index));
    }

    /// Draws bars on top of each other; negative values grow downwards.
    fn stack(&self, svg: &mut String, bars: &[usize]) {
        let wide = self.band() * 0.8;
        let mut ends: std::collections::BTreeMap<i64, (f64, f64)> = std::collections::BTreeMap::new();
        for &index in bars {
            let mut drawn = Vec::new();
            for (centre, value) in self.points(&self.figure.series[index]).filter(|(_, value)| value.is_finite()) {
                let (up, down) = ends.entry((centre * 16.0) as i64).or_default();
                let end = if value < 0.0 { down } else { up };
                let from = *end;
                *end += value;
                let base = self.y.pixel(from).unwrap_or_else(|| self.y.base());
                let Some(y) = self.y.pixel(*end) else { continue };
                drawn.push(bar(centre - wide / 2.0, wide, base, y));
            }
            fill(svg, &drawn, self.colour(index));
        }
    }

    /// Draws bars of which each begins where the one before ended, with their changes.
    fn waterfall(&self, svg: &mut String, series: &Series) {
        let labels = waterfall::labels(&series.y);
        let is_cut = waterfall::is_cut(&series.y);
        // Wider labels would overlap.
        let fits = |label: &str| width(label, SMALL) <= self.band() * 1.1;
        let wide = self.band() * 0.8;
        let [more, less, total] = palette::WATERFALL;
        let ends = waterfall::ends(&series.y, &self.figure.intervals).into_iter().chain(std::iter::repeat(None));
        let bars = waterfall::bars(&series.y).into_iter().zip(&labels).zip(ends);
        for (((part, label), interval), (centre, _)) in bars.zip(self.points(series)) {
            let from = if part.is_total { Some(self.bottom) } else { self.y.pixel(part.from) };
            let (Some(from), Some(to)) = (from, self.y.pixel(part.to)) else { continue };
            let colour = if part.is_total {
                total
            } else if part.to >= part.from {
                more
            } else {
                less
            };
            let left = centre - wide / 2.0;
            if is_cut && part.is_total && from - to > CUT_BAR {
                fill(svg, &cut_bar(left, wide, from, to), colour);
            } else {
                fill(svg, &[bar(left, wide, from, to)], colour);
            }
            let mut y = if to > from { to + 12.0 } else { to - 4.0 };
            if let Some([low, high]) = interval {
                let (Some(low), Some(high)) = (self.y.pixel(low), self.y.pixel(high)) else { continue };
                let (left, right) = (centre - CAP, centre + CAP);
                stroke(
                    svg,
                    &format!(
                        "M{left:.1} {low:.1}H{right:.1}M{left:.1} {high:.1}H{right:.1}M{centre:.1} {low:.1}V{high:.1}"
                    ),
                    "#888",
                );
                y = if to > from { y.max(low + 12.0) } else { y.min(high - 4.0) };
            }
            text(svg, centre, y, "text-anchor=\"middle\"", if part.is_total || fits(label) { label } else { "" });
        }
    }

    /// Draws intervals along their lanes; those in one pixel are one.
    fn spans(&self, svg: &mut String, series: &Series, index: usize) {
        let points: Vec<(f64, f64)> = self.points(series).collect();
        let mut drawn: Vec<(f64, f64, f64)> = Vec::new();
        for pair in points.chunks(3) {
            let [(from, value), (to, _), ..] = pair else { continue };
            let Some(y) = self.scale(index).pixel(*value) else { continue };
            match drawn.last_mut() {
                Some((_, end, lane)) if *lane == y && from - *end < LEAST_SPAN && *to >= *end => *end = *to,
                _ => drawn.push((*from, *to, y)),
            }
        }
        let rectangle = |&(from, to, y): &(f64, f64, f64)| {
            let (top, wide) = (y - LANE / 2.0, (to - from).max(LEAST_SPAN));
            format!("M{from:.1} {top:.1}h{wide:.2}v{LANE}h-{wide:.2}z")
        };
        fill(svg, &drawn.iter().map(rectangle).collect::<Vec<_>>(), self.colour(index));
    }

    /// Draws a line, or steps, with gaps where values are missing.
    fn line(&self, svg: &mut String, series: &Series, index: usize) {
        let mut path = String::new();
        let (mut drawing, mut drawn) = (false, 0);
        let scale = self.scale(index);
        for point in thinned(self.points(series).map(|(x, value)| Some((x, scale.pixel(value)?)))) {
            match point {
                Some((x, y)) if drawing && series.mark == Mark::Step => push(&mut path, format_args!("H{x:.1}V{y:.1}")),
                Some((x, y)) if drawing => push(&mut path, format_args!("L{x:.1} {y:.1}")),
                // Round caps draw a single point as a dot.
                Some((x, y)) => push(&mut path, format_args!("M{x:.1} {y:.1}h.01")),
                None => {}
            }
            drawing = point.is_some();
            drawn += 1;
            if let Some((x, y)) = point.filter(|_| drawn % PIECE == 0) {
                stroke(svg, &path, self.colour(index));
                path = format!("M{x:.1} {y:.1}");
            }
        }
        stroke(svg, &path, self.colour(index));
    }

    /// Returns the pixels along the first axis and the values of a series.
    fn points(&self, series: &'a Series) -> Box<dyn Iterator<Item = (f64, f64)> + '_> {
        match (&series.x, &self.x) {
            (Points::Numbers(x), Some(scale)) => {
                Box::new(x.iter().zip(&series.y).filter_map(|(&x, &y)| Some((scale.pixel(x)?, y))))
            }
            (Points::Names(names), None) => {
                let at: std::collections::HashMap<&str, usize> =
                    self.names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
                let indices: Vec<Option<usize>> =
                    unique(names).iter().map(|name| at.get(name.as_str()).copied()).collect();
                Box::new(indices.into_iter().zip(&series.y).filter_map(|(index, &y)| Some((self.centre(index?), y))))
            }
            _ => Box::new(std::iter::empty()),
        }
    }

    /// Returns the axis of values of a series.
    fn scale(&self, index: usize) -> &Scale {
        self.second.as_ref().filter(|_| self.figure.on_second(index)).unwrap_or(&self.y)
    }

    /// Returns the colour of a series.
    fn colour(&self, index: usize) -> &'static str {
        self.figure.series.get(index).map_or("#000", |series| palette::of_series(&series.name, index))
    }

    fn centre(&self, name: usize) -> f64 {
        self.left + self.band() * (name as f64 + 0.5)
    }

    /// Returns the width for the bars at one position.
    fn band(&self) -> f64 {
        let whole = self.right - self.left;
        if !self.names.is_empty() {
            return whole / self.names.len() as f64;
        }
        let Some(scale) = &self.x else { return whole };
        let mut at: Vec<f64> =
            self.figure.series.iter().flat_map(|series| numbers(&series.x)).filter_map(|&x| scale.pixel(x)).collect();
        at.sort_by(f64::total_cmp);
        at.windows(2).map(|pair| pair[1] - pair[0]).filter(|gap| *gap > 0.01).fold(whole / 4.0, f64::min)
    }
}

/// Returns the ticks of the first axis of values: round numbers, or the names of whole numbers.
fn ticks(axis: &Axis, scale: Scale) -> Vec<(f64, String)> {
    if axis.names.is_empty() {
        return scale.ticks(TICK_DISTANCE);
    }
    axis.names.iter().enumerate().map(|(at, name)| (at as f64, elide(&one_line(name), LANE_CHARS))).collect()
}

fn numbers(points: &Points) -> &[f64] {
    match points {
        Points::Numbers(numbers) => numbers,
        Points::Names(_) => &[],
    }
}

fn x_span(figure: &Figure) -> Option<Span> {
    Span::of(figure.series.iter().flat_map(|series| numbers(&series.x)).copied(), figure.x.log, false)
}

/// Returns the values on one of the two axes of values.
fn values(figure: &Figure, on_second: bool) -> Vec<f64> {
    let on_it = |(index, _): &(usize, &Series)| figure.on_second(*index) == on_second;
    figure.series.iter().enumerate().filter(on_it).flat_map(|(_, series)| series.y.iter().copied()).collect()
}

/// Keeps the first, lowest, highest and last of all points in one column of pixels, since more cannot be seen; `None` is a gap.
fn thinned(points: impl Iterator<Item = Option<(f64, f64)>>) -> Vec<Option<(f64, f64)>> {
    let mut retained: Vec<Option<(f64, f64)>> = Vec::new();
    // First, lowest, highest and last point of the current column.
    let mut column: Option<[(f64, f64); 4]> = None;
    for point in points {
        if let (Some((x, y)), Some([first, low, high, last])) = (point, &mut column)
            && (x - first.0).abs() < 0.5
        {
            *last = (x, y);
            *low = if y > low.1 { *last } else { *low };
            *high = if y < high.1 { *last } else { *high };
            continue;
        }
        retained.extend(column.take().into_iter().flatten().map(Some));
        match point {
            Some(point) => column = Some([point; 4]),
            None => retained.push(None),
        }
    }
    retained.extend(column.into_iter().flatten().map(Some));
    retained.dedup();
    retained
}

/// Returns the ends of all stacks, and the values of series that are not stacked.
fn stacked(figure: &Figure, names: &[String]) -> Vec<f64> {
    let mut ends: std::collections::BTreeMap<String, (f64, f64)> = std::collections::BTreeMap::new();
    let mut values = Vec::new();
    for (_, series) in figure.series.iter().enumerate().filter(|(index, _)| !figure.on_second(*index)) {
        let positions = match &series.x {
            Points::Names(at) => unique(at),
            Points::Numbers(at) => at.iter().map(f64::to_string).collect(),
        };
        for (position, &value) in positions.into_iter().zip(&series.y).filter(|(_, value)| value.is_finite()) {
            let end = ends.entry(position).or_default();
            if value < 0.0 {
                end.1 += value
            } else {
                end.0 += value
            }
            values.push(value);
        }
    }
    let seen = |name: &String| names.is_empty() || names.contains(name);
    values.extend(ends.iter().filter(|(name, _)| seen(name)).flat_map(|(_, end)| [end.0, end.1]));
    values
}

fn bar(left: f64, wide: f64, base: f64, y: f64) -> String {
    format!("M{left:.1} {base:.1}h{wide:.2}V{y:.1}h-{wide:.2}z")
}

/// The least height of a bar that is drawn cut, in pixels.
const CUT_BAR: f64 = 30.0;

/// Returns the two pieces of a bar whose axis does not begin at 0, with a slanted gap between them.
fn cut_bar(left: f64, wide: f64, base: f64, y: f64) -> [String; 2] {
    let (right, low, high) = (left + wide, base - 10.0, base - 16.0);
    [
        format!("M{left:.1} {base:.1}H{right:.1}V{:.1}L{left:.1} {low:.1}z", low - 5.0),
        format!("M{left:.1} {high:.1}L{right:.1} {:.1}V{y:.1}H{left:.1}z", high - 5.0),
    ]
}

fn fill(svg: &mut String, bars: &[String], colour: &str) {
    for piece in bars.chunks(PIECE) {
        push(svg, format_args!("<path d=\"{}\" fill=\"{colour}\"/>", piece.concat()));
    }
}

fn stroke(svg: &mut String, path: &str, colour: &str) {
    const STYLE: &str = "fill=\"none\" stroke-width=\"2\" stroke-linecap=\"round\" stroke-linejoin=\"round\"";
    push(svg, format_args!("<path d=\"{path}\" stroke=\"{colour}\" {STYLE}/>"));
}
