//! A heat map as SVG above the rectangles of its values.

use super::blocks::Blocks;
use super::colours::{COLOURS, ColourScale};
use super::ticks::{evenly_spaced, labels, plain, position, round_positions};
use crate::canvas::{CHAR, RIGHT, SMALL, TICK_DISTANCE, TOP, WIDTH, begin, push, text as write, width};
use crate::labels::Labels;
use crate::png::{Drawn, Fill, Rectangle};
use crate::scale::Scale;
use crate::{axis_title, canvas};
use trace_view::names::{elide, elide_apart, one_line};
use trace_view::palette::OUTLIER;
use trace_view::{Colours, HeatMap};

/// The most characters of a row's name.
const ROW_CHARS: usize = 34;
/// The height of a row's name, in pixels.
const LINE: f64 = 14.0;
/// The colour scale: its width, and the width with its numbers.
const SCALE: f64 = 14.0;
const SCALE_ROOM: f64 = 96.0;
/// The height of a row: of few, and of many.
const ROW: (usize, usize) = (22, 2);
/// Largest number of rows whose height fits their names.
const FEW_ROWS: usize = 24;
/// The space above and below the rows, and the least and the largest height, in pixels.
const AROUND: usize = 174;
const HEIGHTS: (usize, usize) = (280, 1_200);

/// Draws a heat map; `None` if it has no value.
pub(crate) fn picture(map: &HeatMap) -> Option<Drawn> {
    let colours = ColourScale::of(map)?;
    let blocks = Blocks::of(map);
    let (across, down) = (blocks.values.first().map_or(0, Vec::len), blocks.values.len());
    let name = |points, index: usize, by: usize| position(points, index * by);
    let columns: Vec<String> = (0..across).map(|index| name(&map.columns, index, blocks.by.0)).collect();
    let rows: Vec<String> = (0..down).map(|index| name(&map.rows, index, blocks.by.1)).collect();
    let height = f64::from(height(map));
    let mut svg = begin(height, &map.title, &subtitle(map, &blocks));
    let titled = if axis_title(&map.y).is_empty() { 0.0 } else { 22.0 };
    let rows = elide_apart(&rows, ROW_CHARS);
    let widest = |texts: &[String]| texts.iter().map(|text| width(text, SMALL)).fold(0.0, f64::max);
    let mut left = 14.0 + titled + widest(&rows) + 8.0;
    let row_labels = labels(&map.rows, &map.labelled.rows, LINE * map.values.len() as f64 / (height - TOP - 60.0));
    let beside = row_labels.iter().map(|(_, text)| width(text, SMALL) + 8.0).fold(0.0, f64::max);
    let right = WIDTH - RIGHT - SCALE_ROOM - beside;
    let below_axis = Below::of(map, &columns, right - left, blocks.by.0);
    let (overhang, high_labels) = below_axis.size();
    left = left.max(overhang);
    let below = 10.0 + high_labels + if axis_title(&map.x).is_empty() { 6.0 } else { 26.0 };
    let bottom = (height - below).max(TOP + 60.0);
    let (wide, high) = ((right - left) / across as f64, (bottom - TOP) / down as f64);
    let plot = Plot { left, right, wide, high, rows: down, from_top: map.from_top };
    let cells = plot.cells(&blocks.values, &colours);
    let apart = (LINE / high).ceil().max(1.0);
    let written = match round_positions(&map.rows, &map.y, apart * blocks.by.1 as f64) {
        Some(at) if apart > 1.0 => at.into_iter().map(|row| row / blocks.by.1).collect(),
        _ => (0..rows.len()).step_by(apart as usize).collect::<Vec<_>>(),
    };
    for row in written {
        write(&mut svg, left - 8.0, plot.middle(row as f64) + 4.0, "text-anchor=\"end\"", &rows[row]);
    }
    below_axis.draw(&mut svg, bottom, |column| left + wide * (column as f64 + 0.5));
    plot.outliers(&mut svg, map, blocks.by, &row_labels);
    let centre = (TOP + bottom) / 2.0;
    let rotated = format!("text-anchor=\"middle\" font-size=\"12\" transform=\"rotate(-90 20 {centre:.1})\"");
    write(&mut svg, 20.0, centre, &rotated, &elide(&one_line(&axis_title(&map.y)), 50));
    let foot = bottom + 24.0 + high_labels;
    let title = elide(&one_line(&axis_title(&map.x)), 100);
    write(&mut svg, (left + right) / 2.0, foot, "text-anchor=\"middle\" font-size=\"12\"", &title);
    let above = if map.labelled.columns.is_empty() { TOP - 10.0 } else { TOP - 24.0 };
    scale(&mut svg, &colours, right + beside + 18.0, bottom, above, map);
    svg.push_str("</svg>");
    Some(Drawn { svg, height, below: cells })
}

/// Returns the height of a heat map in pixels.
pub(crate) fn height(map: &HeatMap) -> u32 {
    let (least, most) = HEIGHTS;
    if let Some(height) = map.height {
        return height.clamp(240, 1_200);
    }
    if map.colours == Colours::BySign {
        return canvas::HEIGHT as u32;
    }
    let rows = map.values.len();
    let wanted = (rows.min(FEW_ROWS) * ROW.0).max(rows.saturating_mul(ROW.1)).saturating_add(AROUND);
    wanted.clamp(least, most) as u32
}

/// Returns the line below the title, with notes on what the picture shows otherwise.
fn subtitle(map: &HeatMap, blocks: &Blocks) -> String {
    let mut parts = vec![map.subtitle.clone()];
    parts.extend(blocks.note());
    let uneven = !evenly_spaced(&map.columns) || !evenly_spaced(&map.rows);
    parts.extend(uneven.then(|| "in this picture rows and columns are evenly spaced".to_owned()));
    parts.extend(map.has_gaps().then(|| "hatched: no value".to_owned()));
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// The texts below the first axis.
enum Below {
    /// Round numbers: the index of the column, and the text.
    Round(Vec<(usize, String)>),
    Names(Labels, f64),
}

impl Below {
    fn of(map: &HeatMap, columns: &[String], room: f64, by: usize) -> Self {
        let band = room / columns.len() as f64;
        let longest = columns.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let apart = ((longest + 3.0) * CHAR * SMALL).max(TICK_DISTANCE) / band;
        match round_positions(&map.columns, &map.x, apart * by as f64) {
            Some(at) if longest * CHAR * SMALL + 6.0 > band => {
                Self::Round(at.into_iter().map(|index| (index / by, position(&map.columns, index))).collect())
            }
            _ => Self::Names(Labels::of(columns, band), band),
        }
    }

    /// Returns how far the texts extend to the left of the first column, and downwards.
    fn size(&self) -> (f64, f64) {
        match self {
            Self::Round(_) => (0.0, 14.0),
            Self::Names(labels, band) => {
                let (wide, high) = labels.size();
                (if labels.angle > 0.0 { wide + 8.0 - band / 2.0 } else { 0.0 }, high)
            }
        }
    }

    fn draw(&self, svg: &mut String, bottom: f64, centre: impl Fn(usize) -> f64) {
        match self {
            Self::Names(labels, _) => labels.draw(svg, bottom, centre),
            Self::Round(ticks) => {
                for (index, label) in ticks {
                    let x = centre(*index);
                    push(svg, format_args!("<path d=\"M{x:.1} {bottom:.1}v4\" stroke=\"#888\"/>"));
                    write(svg, x, bottom + 16.0, "text-anchor=\"middle\"", label);
                }
            }
        }
    }
}

/// The place of the values: its edges and the size of a value, in pixels.
struct Plot {
    left: f64,
    right: f64,
    wide: f64,
    high: f64,
    rows: usize,
    from_top: bool,
}

impl Plot {
    /// Returns the pixel of the middle of a row.
    fn middle(&self, row: f64) -> f64 {
        let from_top = if self.from_top { row } else { self.rows as f64 - 1.0 - row };
        TOP + self.high * (from_top + 0.5)
    }

    /// Returns the rectangles of all values; neighbours of one colour share one.
    fn cells(&self, values: &[Vec<f64>], colours: &ColourScale) -> Vec<Rectangle> {
        let fills: Vec<[u8; 3]> = (0..COLOURS).map(|step| colours.colour(step).0).collect();
        let mut cells = Vec::new();
        for (row, values) in values.iter().enumerate() {
            let top = self.middle(row as f64) - self.high / 2.0;
            let mut from = 0;
            for run in values.chunk_by(|one, other| colours.step(*one) == colours.step(*other)) {
                let fill = run
                    .first()
                    .and_then(|value| colours.step(*value))
                    .map_or(Fill::Hatched, |step| Fill::Plain(fills[step]));
                let (left, width) = (self.left + self.wide * from as f64, self.wide * run.len() as f64);
                cells.push(Rectangle { left, top, width, height: self.high, fill });
                from += run.len();
            }
        }
        cells
    }

    /// Writes the labelled columns above the plot and the labelled rows on its right.
    fn outliers(&self, svg: &mut String, map: &HeatMap, by: (usize, usize), rows: &[(f64, String)]) {
        let colour = format!("fill=\"{OUTLIER}\"");
        let longest = map.labelled.columns.iter().map(|&index| position(&map.columns, index).chars().count()).max();
        let least = (2.0 * longest.unwrap_or(0) as f64 + 3.0) * CHAR * SMALL / self.wide * by.0 as f64;
        for (column, label) in labels(&map.columns, &map.labelled.columns, least) {
            let x = self.left + self.wide * ((column / by.0 as f64).floor() + 0.5);
            push(svg, format_args!("<path d=\"M{x:.1} {TOP}v-5\" stroke=\"{OUTLIER}\"/>"));
            write(svg, x, TOP - 8.0, &format!("text-anchor=\"middle\" {colour}"), &label);
        }
        for (row, label) in rows {
            let y = self.middle((row / by.1 as f64).floor());
            push(svg, format_args!("<path d=\"M{:.1} {y:.1}h5\" stroke=\"{OUTLIER}\"/>", self.right));
            write(svg, self.right + 8.0, y + 4.0, &colour, label);
        }
    }
}

/// Draws the colour scale, with its numbers on the right and its title above.
fn scale(svg: &mut String, colours: &ColourScale, left: f64, bottom: f64, above: f64, map: &HeatMap) {
    let high = (bottom - TOP) / COLOURS as f64;
    svg.push_str("<g shape-rendering=\"crispEdges\">");
    for step in 0..COLOURS {
        let colour = colours.colour(step).1;
        let y = bottom - high * (step + 1) as f64;
        push(
            svg,
            format_args!(
                "<rect x=\"{left:.1}\" y=\"{y:.2}\" width=\"{SCALE}\" height=\"{high:.2}\" fill=\"{colour}\"/>"
            ),
        );
    }
    svg.push_str("</g>");
    if colours.high > colours.low {
        let scale = Scale::exact(colours.low, colours.high, bottom, TOP);
        for (value, label) in scale.ticks(TICK_DISTANCE) {
            if let Some(y) = scale.pixel(value) {
                write(svg, left + SCALE + 6.0, y + 4.0, "", &label);
            }
        }
    } else {
        write(svg, left + SCALE + 6.0, (bottom + TOP) / 2.0 + 4.0, "", &plain(colours.low));
    }
    let room = (WIDTH - 2.0 * RIGHT) as usize / 12;
    let title = match map.unit.symbol() {
        "" => map.meaning.clone(),
        unit => format!("{} [{unit}]", map.meaning).trim_start().to_owned(),
    };
    write(svg, WIDTH - RIGHT, above, "text-anchor=\"end\"", &elide(&one_line(&title), room));
}
