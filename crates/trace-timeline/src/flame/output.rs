//! A flame graph as an output of a cell, in the format of `docs/timeline-format.md`, and as a picture.

use super::graph::FlameGraph;
use crate::timeline::{Columns, change_between, change_colour, name_colour, shortened};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use timeline::{FlameBox, Layout, Packed};
use trace_view::{Bundle, FLAME, LaneBox, LaneRow, Lanes, format, one_line_texts};

/// The most bytes of the JSON of an output, about.
const MOST_BYTES: usize = 300_000;
/// The most boxes of a layout at first; halved until they fit.
const MOST_BOXES: usize = 8_192;
/// The name of boxes that are too small to be told apart.
const SMALL: &str = "…";

impl FlameGraph {
    /// Returns the title: `Flame graph of control, rank 3: part of the step`.
    pub fn title(&self) -> String {
        let sides: Vec<String> =
            self.labels.iter().zip(&self.about).map(|(label, about)| format!("{label}, {about}")).collect();
        format!("Flame graph of {}: {} time", sides.join(" and of "), self.time.word())
    }

    /// Returns what there is, in one line: `512 stacks, 12.3 ms`, and the remarks of the query.
    pub fn summary(&self) -> String {
        let total = self.total_ns();
        let totals: Vec<String> =
            total.iter().take(self.labels.len()).map(|&total| format::nanoseconds(total)).collect();
        let mut summary = format!("{}, {}", format::counted(self.stack_count(), "stack"), totals.join(" → "));
        if self.labels.len() > 1 {
            summary.push_str(&format!(
                " · widths are the mean of both sides, {} in all",
                format::nanoseconds(self.width_ns())
            ));
        }
        std::iter::once(summary).chain(self.remarks.iter().cloned()).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the content of `application/vnd.tracebook.flame.v1+json`, at most about 300 kB.
    pub fn to_json(&self) -> Value {
        let mut most = MOST_BOXES;
        let (left, time) = (self.merged.visible(most), self.in_time.visible(most));
        loop {
            let left = left.boxes(Layout::LeftHeavy, most);
            let mut found = self.with_boxes(&left, &time.boxes(Layout::Time, most));
            if most <= 64 || found.to_string().len() <= MOST_BYTES {
                one_line_texts(&mut found);
                return found;
            }
            most /= 2;
        }
    }

    fn with_boxes(&self, left: &[FlameBox], time: &[FlameBox]) -> Value {
        // Only names that are used, renumbered.
        let mut numbers: BTreeMap<Option<u32>, usize> = BTreeMap::new();
        let mut texts: Vec<String> = Vec::new();
        for found in left.iter().chain(time) {
            numbers.entry(found.name).or_insert_with(|| {
                texts.push(found.name.map_or_else(|| SMALL.to_owned(), |name| shortened(self.name(name))));
                texts.len() - 1
            });
        }
        let number = |found: &FlameBox| numbers.get(&found.name).map_or(0, |&number| number as i64);
        json!({
            "version": 1,
            "title": self.title(),
            "summary": self.summary(),
            "by": self.time.word(),
            "sides": self.labels,
            "total": &self.total_ns()[..self.labels.len()],
            "width": self.width_ns(),
            "names": texts,
            "layouts": { "left-heavy": self.columns(left, number), "time": self.columns(time, number) },
        })
    }

    fn columns(&self, boxes: &[FlameBox], number: impl Fn(&FlameBox) -> i64) -> Vec<Value> {
        let mut columns = Columns::embedded();
        let mut add = |name: &str, of: &dyn Fn(&FlameBox) -> i64| {
            columns.add(name, Packed::ints(boxes.iter().map(of).collect::<Vec<_>>().into_iter()))
        };
        let mut all = vec![
            add("parent", &|found| found.parent.map_or(-1, i64::from)),
            add("depth", &|found| i64::from(found.depth)),
            add("name", &|found| number(found)),
            add("start", &|found| self.mean(found.start)),
            add("dur", &|found| self.end(found) - self.mean(found.start)),
            add("self", &|found| self.mean(found.own)),
            add("count", &|found| found.count as i64),
        ];
        if self.labels.len() > 1 {
            all.push(add("control", &|found| found.sides[0]));
            all.push(add("test", &|found| found.sides[1]));
            all.push(add("change", &|found| change_between(found.sides) as i64));
        }
        all
    }

    /// Returns the output of a cell: the flame graph for our extension, and its still forms, which `draw` renders from the picture
    /// and the widest stacks as text (`trace_render::lanes`).
    pub fn bundle(&self, draw: fn(&Lanes, &str) -> Bundle) -> Bundle {
        draw(&self.picture(), &self.text()).with(FLAME, self.to_json())
    }

    /// Returns the left-heavy layout as a still picture, the bottom of the stacks above.
    pub fn picture(&self) -> Lanes {
        let boxes = self.merged.boxes(Layout::LeftHeavy, MOST_BOXES);
        let levels = boxes.iter().map(|found| found.depth as usize + 1).max().unwrap_or(1);
        let drawn = |found: &FlameBox| {
            let text = found.name.map_or(SMALL, |name| self.name(name));
            LaneBox {
                level: found.depth as usize,
                start: self.mean(found.start) as f64,
                end: self.end(found) as f64,
                colour: if self.labels.len() > 1 { change_colour(found.sides) } else { name_colour(text) },
                text: text.to_owned(),
            }
        };
        let row = LaneRow { levels, boxes: boxes.iter().map(drawn).collect(), ..LaneRow::default() };
        let span = (0.0, self.width_ns() as f64);
        Lanes { title: self.title(), subtitle: self.summary(), span, lanes: vec![row] }
    }

    /// Returns the width of the whole graph in ns: the time of the side, of two sides their mean.
    pub fn width_ns(&self) -> i64 {
        let [control, test] = self.total_ns();
        self.mean(control.saturating_add(test))
    }

    /// Returns the mean of the sides of a time that is the sum of them.
    fn mean(&self, sum: i64) -> i64 {
        sum / self.labels.len().max(1) as i64
    }

    /// Returns the right edge of a box.
    fn end(&self, found: &FlameBox) -> i64 {
        self.mean(found.start.saturating_add(found.sides[0]).saturating_add(found.sides[1]))
    }

    /// Returns the stacks with most time of their own as text.
    pub fn text(&self) -> String {
        let mut stacks: Vec<(Vec<u32>, [i64; 2])> = self.merged.stacks().collect();
        stacks.sort_by_key(|(_, own)| std::cmp::Reverse(own[0].saturating_add(own[1])));
        let mut text = format!("{}\n{}\n", self.title(), self.summary());
        for (stack, own) in stacks.iter().take(10) {
            let times: Vec<String> = own.iter().take(self.labels.len()).map(|&own| format::nanoseconds(own)).collect();
            let last: Vec<String> = stack.iter().rev().take(4).rev().map(|&name| shortened(self.name(name))).collect();
            text.push_str(&format!("  {}: {}\n", times.join(" → "), last.join(" › ")));
        }
        text
    }
}
