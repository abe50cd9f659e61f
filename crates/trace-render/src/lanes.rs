//! Boxes in lanes as SVG above painted rectangles.

use super::canvas::{CHAR, RIGHT, SMALL, WIDTH, begin, push, text as write, width};
use super::png::{Drawn, Fill, Rectangle};
use super::scale::round_step;
use trace_view::format::seconds;
use trace_view::names::{elide, one_line};
use trace_view::{LaneRow, Lanes};

/// The space above the lanes, for title and subtitle.
const TOP: f64 = 58.0;
/// The space below, for the axis of time.
const BELOW: f64 = 30.0;
/// The most characters of a lane's name.
const NAME_CHARS: usize = 26;
/// The space between lanes, in pixels.
const GAP: f64 = 4.0;
/// The height of a level: with few levels, and with many.
const LEVEL: (f64, f64) = (16.0, 2.0);
/// The height of a counter.
const AREA: f64 = 26.0;
/// The largest height of all lanes; levels that do not fit are left out, and the subtitle says so.
const MOST_HEIGHT: f64 = 1_100.0;
/// The least height of a level that has texts.
const TEXT_LEVEL: f64 = 12.0;
/// The narrowest box that has a text.
const TEXT_BOX: f64 = 30.0;
/// The most texts.
const MOST_TEXTS: usize = 1_500;
/// The colour of areas.
const AREA_COLOUR: [u8; 3] = [0x8c, 0x8f, 0xa3];
/// The colour behind a lane.
const BACK: [u8; 3] = [0xf4, 0xf4, 0xf7];
/// Distance between two ticks of the axis of time, in pixels, about.
const TICK: f64 = 110.0;

/// Where time is on the picture.
struct Axis {
    left: f64,
    right: f64,
    start: f64,
    length: f64,
}

impl Axis {
    fn x(&self, time: f64) -> f64 {
        let share = ((time - self.start) / self.length).clamp(0.0, 1.0);
        self.left + share * (self.right - self.left)
    }
}

/// Draws lanes.
pub(super) fn picture(lanes: &Lanes) -> Drawn {
    let labels: Vec<String> = lanes.lanes.iter().map(|lane| elide(&one_line(&lane.label), NAME_CHARS)).collect();
    let widest = labels.iter().map(|label| width(label, SMALL)).fold(0.0, f64::max);
    let left = if widest > 0.0 { widest + 26.0 } else { 16.0 };
    let (start, end) = lanes.span;
    let axis = Axis { left, right: WIDTH - RIGHT, start, length: (end - start).max(1.0) };
    let (level, rows) = heights(&lanes.lanes);
    let shown: f64 = rows.iter().map(|height| height + GAP).sum();
    let height = TOP + shown + BELOW;
    let left_out = rows.len() < lanes.lanes.len()
        || lanes
            .lanes
            .iter()
            .zip(&rows)
            .any(|(lane, height)| lane.area.is_empty() && lane.levels as f64 * level > *height);
    let mut subtitle = lanes.subtitle.clone();
    if left_out {
        subtitle.push_str(" · not all levels fit into the picture");
    }
    let mut svg = begin(height.ceil(), &lanes.title, &subtitle);
    let (mut below, mut texts, mut top) = (Vec::new(), 0, TOP);
    for ((lane, label), high) in lanes.lanes.iter().zip(&labels).zip(&rows) {
        below.push(Rectangle { left, top, width: axis.right - left, height: *high, fill: Fill::Plain(BACK) });
        write(&mut svg, left - 8.0, top + (high / 2.0).min(8.0) + 4.0, "text-anchor=\"end\"", label);
        if lane.area.is_empty() {
            boxes(&mut svg, &mut below, &mut texts, lane, &axis, (top, *high), level);
        } else {
            area(&mut below, lane, &axis, top, *high);
        }
        top += high + GAP;
    }
    ticks(&mut svg, &axis, top);
    svg.push_str("</svg>");
    Drawn { svg, height: height.ceil(), below }
}

/// The height of a level, and of each lane that fits.
fn heights(lanes: &[LaneRow]) -> (f64, Vec<f64>) {
    let levels: usize = lanes.iter().filter(|lane| lane.area.is_empty()).map(|lane| lane.levels.max(1)).sum();
    let areas = lanes.iter().filter(|lane| !lane.area.is_empty()).count();
    let room = (MOST_HEIGHT - areas as f64 * AREA - lanes.len() as f64 * GAP).max(0.0);
    let level = (room / levels.max(1) as f64).floor().clamp(LEVEL.1, LEVEL.0);
    let (mut left, mut rows) = (MOST_HEIGHT, Vec::new());
    for lane in lanes {
        let wanted = if lane.area.is_empty() { lane.levels.max(1) as f64 * level } else { AREA };
        if left < level + GAP {
            break;
        }
        let height = wanted.min(left - GAP).floor();
        left -= height + GAP;
        rows.push(height);
    }
    (level, rows)
}

fn boxes(
    svg: &mut String,
    below: &mut Vec<Rectangle>,
    texts: &mut usize,
    lane: &LaneRow,
    axis: &Axis,
    (top, high): (f64, f64),
    level: f64,
) {
    for found in lane.boxes.iter().filter(|found| (found.level + 1) as f64 * level <= high) {
        let (left, right) = (axis.x(found.start).floor(), axis.x(found.end));
        let at = top + found.level as f64 * level;
        let width = (right.round() - left).max(1.0).min(axis.right - left);
        let inner = if level >= 4.0 { level - 1.0 } else { level };
        below.push(Rectangle { left, top: at, width, height: inner, fill: Fill::Plain(found.colour) });
        let room = ((width - 4.0) / (CHAR * SMALL)) as usize;
        if level >= TEXT_LEVEL && width >= TEXT_BOX && *texts < MOST_TEXTS {
            let [red, green, blue] = found.colour.map(f64::from);
            let is_dark = 0.299 * red + 0.587 * green + 0.114 * blue < 140.0;
            let fill = if is_dark { "fill=\"#fff\"" } else { "fill=\"#111\"" };
            write(svg, left + 2.0, at + level - 4.5, fill, &elide(&one_line(&found.text), room));
            *texts += 1;
        }
    }
}

fn area(below: &mut Vec<Rectangle>, lane: &LaneRow, axis: &Axis, top: f64, high: f64) {
    let ends = lane.area.iter().skip(1).map(|point| point.0).chain([axis.start + axis.length]);
    for (&(start, share), end) in lane.area.iter().zip(ends) {
        let (left, right) = (axis.x(start).floor(), axis.x(end));
        let height = (share.clamp(0.0, 1.0) * high).round();
        if height > 0.0 {
            let width = (right.round() - left).max(1.0).min(axis.right - left);
            below.push(Rectangle { left, top: top + high - height, width, height, fill: Fill::Plain(AREA_COLOUR) });
        }
    }
}

/// Draws the axis of time, from the left edge.
fn ticks(svg: &mut String, axis: &Axis, top: f64) {
    let step = round_step(axis.length * TICK / (axis.right - axis.left)).max(1.0);
    let mut time = 0.0;
    while time <= axis.length {
        let x = axis.x(axis.start + time);
        push(svg, format_args!("<path d=\"M{x:.1} {top:.1}v5\" stroke=\"#888\"/>"));
        let anchor = if x > axis.right - 24.0 { "text-anchor=\"end\"" } else { "text-anchor=\"middle\"" };
        write(svg, x, top + 17.0, anchor, &seconds(time / 1e9));
        time += step;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png;
    use trace_view::LaneBox;

    fn lane(levels: usize, boxes: Vec<LaneBox>) -> LaneRow {
        LaneRow { label: "<script> & \u{ffff}".to_owned(), levels, boxes, area: vec![] }
    }

    #[test]
    fn hostile_lanes_are_drawn() {
        let at = |level, start, end| LaneBox { level, start, end, colour: [9; 3], text: "<b>&\u{1b}[31m".to_owned() };
        let boxes = vec![at(0, f64::NAN, 1.0), at(9, -1e300, 1e300), at(1_000_000, 5.0, 2.0), at(0, 10.0, 10.0)];
        let counter = LaneRow { area: vec![(0.0, f64::NAN), (5.0, 7.0), (1.0, -2.0)], ..lane(1, vec![]) };
        for span in [(0.0, 100.0), (0.0, 0.0), (5.0, -5.0), (-1e18, 1e18)] {
            for rows in [
                vec![],
                vec![lane(0, vec![])],
                vec![lane(3, boxes.clone()), counter.clone()],
                vec![lane(1 << 40, boxes.clone()); 500],
            ] {
                let lanes = Lanes { title: "<&>".to_owned(), subtitle: String::new(), span, lanes: rows };
                let drawn = picture(&lanes);
                assert!(drawn.height < 1_300.0, "{}", drawn.height);
                assert!(png::picture(&drawn).is_some());
            }
        }
    }

    #[test]
    fn boxes_are_at_least_a_pixel_wide() {
        let at = |start, end| LaneBox { level: 0, start, end, colour: [1; 3], text: String::new() };
        let drawn = picture(&Lanes {
            span: (0.0, 1e9),
            lanes: vec![lane(1, vec![at(5.0, 5.0), at(1e9, 2e9)])],
            ..Lanes::default()
        });
        let found = drawn.below.iter().filter(|one| one.fill == Fill::Plain([1; 3]));
        assert_eq!(found.map(|one| one.width).collect::<Vec<_>>(), [1.0, 0.0]);
    }
}
