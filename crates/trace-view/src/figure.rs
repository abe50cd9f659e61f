//! Figures as plain data: series over two axes.

use crate::Unit;
use std::collections::HashSet;

/// One axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The title, without the unit; may be empty.
    pub title: String,
    /// The unit, written after the title in brackets and in the hover text.
    pub unit: Unit,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// Whether a linear axis has whole numbers only, such as ranks: no ticks between them.
    pub whole: bool,
    /// Names of the whole numbers 0, 1, 2, …, written instead of them, such as the names of lanes; empty for numbers.
    pub names: Vec<String>,
}

/// The arrangement of bars of several series at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BarMode {
    /// Side by side.
    #[default]
    Group,
    /// On top of each other.
    Stack,
}

/// The mark that draws a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Bars.
    #[default]
    Bar,
    /// Points joined by lines.
    Line,
    /// A step function: a value holds until the next point.
    Step,
    /// Intervals, as thick lines along their lanes: pairs of points of the same value, with a gap after each pair.
    Span,
    /// Bars that begin where the one before ended, at names. The first and the last value are totals, those between changes.
    Waterfall,
}

/// The positions of the values of a series on the first axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Points {
    /// Names, in this order; long names are elided on the axis and complete in the hover text.
    Names(Vec<String>),
    /// Numbers.
    Numbers(Vec<f64>),
}

impl Default for Points {
    fn default() -> Self {
        Self::Names(Vec::new())
    }
}

impl Points {
    /// Returns the number of positions.
    pub fn len(&self) -> usize {
        match self {
            Points::Names(names) => names.len(),
            Points::Numbers(numbers) => numbers.len(),
        }
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values that are drawn together.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// The mark that draws it.
    pub mark: Mark,
    /// The positions of the values.
    pub x: Points,
    /// The values, one per position; a value that is not finite is a gap.
    pub y: Vec<f64>,
}

/// A selection of series that the reader may show instead of all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The name in the menu.
    pub name: String,
    /// Indices of the series of the figure.
    pub series: Vec<usize>,
}

/// A second axis of values, on the right, for some of the series.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SecondAxis {
    /// The axis.
    pub axis: Axis,
    /// Indices of the series of the figure that use it.
    pub series: Vec<usize>,
}

/// A figure: series over two axes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// The line below the title: which traces, ranks, iterations.
    pub subtitle: String,
    /// The first axis.
    pub x: Axis,
    /// The second axis.
    pub y: Axis,
    /// A second axis of values for some of the series.
    pub second: Option<SecondAxis>,
    /// The arrangement of bars.
    pub bars: BarMode,
    /// The series.
    pub series: Vec<Series>,
    /// 95 % intervals of the values of a waterfall, low and high; empty for none.
    pub intervals: Vec<Option<[f64; 2]>>,
    /// Selections for the reader, of which the first is shown first; empty to show all series. A picture shows the first.
    pub choices: Vec<Choice>,
    /// Height in pixels; `None` lets the renderer choose.
    pub height: Option<u32>,
}

impl Figure {
    /// Returns the figure with the series of one choice only.
    pub fn only(&self, choice: &Choice) -> Self {
        let series = choice.series.iter().filter_map(|&index| self.series.get(index)).cloned().collect();
        let second = self.second.as_ref().map(|second| {
            let uses = |index: &usize| choice.series.get(*index).is_some_and(|series| second.series.contains(series));
            SecondAxis { axis: second.axis.clone(), series: (0..choice.series.len()).filter(uses).collect() }
        });
        Self { series, second, choices: Vec::new(), ..self.clone() }
    }

    /// Tells whether a series uses the second axis of values.
    pub fn on_second(&self, series: usize) -> bool {
        self.second.as_ref().is_some_and(|second| second.series.contains(&series))
    }

    /// Returns the figure with at most the first `most` names on the first axis, for each choice; the subtitle says so. A figure
    /// with an axis of numbers, or with fewer names, is returned unchanged.
    pub fn first_names(&self, most: usize) -> Self {
        let groups: Vec<Vec<usize>> = match self.choices.as_slice() {
            [] => vec![(0..self.series.len()).collect()],
            choices => choices.iter().map(|choice| choice.series.clone()).collect(),
        };
        let mut first = self.clone();
        let mut cut = false;
        for group in groups {
            let names = group.iter().filter_map(|&index| match &self.series.get(index)?.x {
                Points::Names(names) => Some(names),
                Points::Numbers(_) => None,
            });
            let mut selected = HashSet::new();
            for name in names.flatten() {
                if selected.len() < most {
                    selected.insert(name.as_str());
                }
                cut |= !selected.contains(name.as_str());
            }
            for index in group {
                if let Some(Series { x: Points::Names(names), y, .. }) = first.series.get_mut(index) {
                    let mut values = names.iter().map(|name| selected.contains(name.as_str()));
                    y.retain(|_| values.next() == Some(true));
                    names.retain(|name| selected.contains(name.as_str()));
                }
            }
        }
        if cut {
            first.append_to_subtitle(&format!("first {most}"));
        }
        first
    }

    /// Returns the figure that a picture shows: the first choice; the subtitle says of how many.
    pub fn still(&self) -> Self {
        let Some(choice) = self.choices.first() else { return self.clone() };
        let mut still = self.only(choice);
        still.append_to_subtitle(&format!("{}, 1 of {}", choice.name, self.choices.len()));
        still
    }

    /// Appends a note to the subtitle.
    pub(crate) fn append_to_subtitle(&mut self, note: &str) {
        if !self.subtitle.is_empty() {
            self.subtitle.push_str(" · ");
        }
        self.subtitle.push_str(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bars(names: &[&str]) -> Series {
        let x = Points::Names(names.iter().map(|&name| name.to_owned()).collect());
        Series { name: "s".to_owned(), mark: Mark::Bar, x, y: (0..names.len()).map(|n| n as f64).collect() }
    }

    #[test]
    fn first_names_are_chosen_per_choice() {
        let choice = |series: &[usize]| Choice { name: "c".to_owned(), series: series.to_vec() };
        let figure = Figure {
            series: vec![bars(&["a", "b", "c"]), bars(&["c", "a"]), bars(&["x", "y", "z"])],
            choices: vec![choice(&[0, 1]), choice(&[2])],
            ..Figure::default()
        };
        let first = figure.first_names(2);
        assert_eq!(first.series[0], bars(&["a", "b"]));
        assert_eq!((&first.series[1].x, &first.series[1].y), (&Points::Names(vec!["a".to_owned()]), &vec![1.0]));
        assert_eq!(first.series[2], bars(&["x", "y"]));
        assert_eq!(first.subtitle, "first 2");
        assert_eq!(figure.first_names(3), figure);
    }
}
