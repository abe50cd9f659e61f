//! The still picture of a timeline.

use super::change::{Change, change_between};
use super::lane::Content;
use super::shown::Timeline;
use crate::exec::checkpoint::Inherited;
use trace_view::{Bundle, LaneBox, LaneRow, Lanes, TIMELINE, format, named_colour};

/// The number of windows across a picture: about one per pixel.
const ACROSS: u32 = 760;
/// The most boxes of a picture.
const MOST_BOXES: usize = 400_000;

impl Timeline {
    /// Returns the output of a cell: the timeline for our extension, and its still forms, which `draw` renders from the picture
    /// and the text of the timeline (`trace_render::lanes`).
    pub fn bundle(&self, draw: fn(&Lanes, &str) -> Bundle) -> Bundle {
        let here = Inherited::here();
        let (still, json) = here.on_threads(|| {
            rayon::join(|| here.run(|| draw(&self.picture(), &self.text())), || here.run(|| self.to_json()))
        });
        still.with(TIMELINE, json)
    }

    /// Returns what is shown at first as a still picture.
    pub fn picture(&self) -> Lanes {
        let (start, end) = self.shown;
        let view = self.look(self.shown, ACROSS, &self.listed, MOST_BOXES);
        let mut lanes: Vec<LaneRow> = self
            .listed
            .iter()
            .map(|&id| {
                let location = self.lanes[id];
                let lane = self.lane(location);
                let label = match &self.sides[..] {
                    [side] if side.ranks.len() > 1 => format!("rank {}: {}", self.rank(location).info.rank, lane.label),
                    _ => self.label(location),
                };
                let levels = self.events(location).map_or(1, |events| events.levels().len());
                LaneRow { label, levels, ..LaneRow::default() }
            })
            .collect();
        let (mut row, slices) = (0, &view.slices);
        for &[lane, level, rows] in &slices.tracks {
            let Ok(at_lane) = self.listed.binary_search(&(lane as usize)) else { continue };
            let location = self.lanes[lane as usize];
            let texts = &self.rank(location).lanes;
            for at in row..row + rows as usize {
                let name = texts.text(slices.name[at]);
                let colour = match &self.changes {
                    Some(changes) => changed(changes.change(location, slices.event[at], slices.name[at])),
                    None => name_colour(name),
                };
                let from = slices.start[at];
                let colour = if slices.dur[at] < view.window.size() { paled(colour, slices.busy[at]) } else { colour };
                lanes[at_lane].boxes.push(LaneBox {
                    level: level as usize,
                    start: from as f64,
                    end: from.saturating_add(slices.dur[at].max(0)) as f64,
                    colour,
                    text: name.to_owned(),
                });
            }
            row += rows as usize;
        }
        let mut row = 0;
        for &[lane, rows] in view.counters() {
            let Ok(at_lane) = self.listed.binary_search(&lane) else { continue };
            let Content::Counter(series, _) = &self.lane(self.lanes[lane]).content else { continue };
            let max = series.max().max(f64::MIN_POSITIVE);
            let samples = view.samples();
            // The largest value of a window is shown there only; from then on the last one holds.
            let width = (end.saturating_sub(start) / i64::from(ACROSS)).max(1) as f64;
            lanes[at_lane].area = (row..row + rows)
                .flat_map(|at| {
                    let from = samples.start[at] as f64;
                    let next = samples.start[..row + rows].get(at + 1).map_or(f64::INFINITY, |&next| next as f64);
                    let (peak, last) =
                        ((from, samples.max[at] / max), ((from + width).min(next), samples.last[at] / max));
                    [peak, last]
                })
                .collect();
            row += rows;
        }
        // Lanes without anything in the window take no room, nor do those that are folded at first.
        let is_folded = self.listed.iter().map(|&id| self.lane(self.lanes[id]).is_helper);
        let mut lanes: Vec<(LaneRow, bool)> = lanes.into_iter().zip(is_folded).collect();
        let is_seen = |lane: &LaneRow| !lane.boxes.is_empty() || !lane.area.is_empty();
        lanes.retain(|(lane, is_folded)| !is_folded && is_seen(lane));
        let lanes = lanes.into_iter().map(|(lane, _)| lane).collect();
        Lanes { title: self.title(), subtitle: self.summary(), span: (start as f64, end as f64), lanes }
    }

    /// Returns the lanes as text, one per line.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}\n", self.title(), self.summary());
        let mut next = 0;
        for &id in &self.listed {
            text.push_str(&more_lanes(id - next));
            next = id + 1;
            let location = self.lanes[id];
            let lane = self.lane(location);
            let what = match &lane.content {
                Content::Events(events) => format::counted(events.len(), "event"),
                Content::Counter(series, unit) => {
                    format!("at most {} {unit}", amount(series.max())).trim_end().to_owned()
                }
            };
            text.push_str(&format!("  {}: {what}\n", self.label(location)));
        }
        text.push_str(&more_lanes(self.lanes.len() - next));
        text
    }
}

/// Returns the line of so many lanes that are not listed.
fn more_lanes(count: usize) -> String {
    if count == 0 { String::new() } else { format!("  … {}\n", format::counted(count, "more lane")) }
}

/// Returns an amount with at most three decimals.
fn amount(value: f64) -> String {
    format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The colour of a name: the same in every timeline and flame graph.
pub(crate) fn name_colour(name: &str) -> [u8; 3] {
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let hue = f64::from(hash % 360);
    let light = 0.55 + 0.2 * f64::from(hash / 360 % 16) / 15.0;
    let channel = |shift: f64| {
        let position = (shift + hue / 30.0) % 12.0;
        let swing = 0.55 * light.min(1.0 - light);
        (255.0 * (light - swing * (position - 3.0).min(9.0 - position).clamp(-1.0, 1.0))) as u8
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

/// Mixes a colour with white where events take only a part of a pixel, in parts of 255, so that a busy lane differs from a full one.
fn paled(colour: [u8; 3], busy: u8) -> [u8; 3] {
    let share = 90 + u32::from(busy) * 165 / 255;
    colour.map(|part| (255 - (255 - u32::from(part)) * share / 255) as u8)
}

/// The colour of what became of a time.
pub(crate) fn change_colour(sides: [i64; 2]) -> [u8; 3] {
    changed(change_between(sides))
}

/// The colour of a change, as in all figures.
fn changed(change: Change) -> [u8; 3] {
    let word = match change {
        Change::Same => "unchanged",
        Change::Added => "added",
        Change::Deleted => "deleted",
        Change::Slower => "increased",
        Change::Faster => "decreased",
    };
    let hex = named_colour(word).unwrap_or("#a8a8b0");
    [1, 3, 5].map(|at| hex.get(at..at + 2).and_then(|part| u8::from_str_radix(part, 16).ok()).unwrap_or(0xa8))
}
