//! A figure as plain data: series over two axes.

use crate::Unit;
use std::collections::HashSet;

/// One axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    /// The title, without the unit; may be empty.
    pub title: String,
    /// The unit, written behind the title in brackets and in the hover text.
    pub unit: Unit,
    /// Logarithmic.
    pub log: bool,
    /// Whole numbers only, such as ranks: nothing is written between them. Of a linear axis.
    pub whole: bool,
}

/// How bars of several series stand at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BarMode {
    /// Side by side.
    #[default]
    Group,
    /// On top of each other.
    Stack,
}

/// How a series is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mark {
    /// Bars.
    #[default]
    Bar,
    /// Points joined by lines.
    Line,
    /// A step function: a value holds until the next point.
    Step,
    /// Bars that begin where the one before ended, at names. The first and the last value are totals, those between changes.
    Waterfall,
}

/// Where the values of a series stand on the first axis.
#[derive(Debug, Clone, PartialEq)]
pub enum Points {
    /// At names, in this order; long names are elided on the axis and whole in the hover text.
    Names(Vec<String>),
    /// At numbers.
    Numbers(Vec<f64>),
}

impl Points {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Points::Names(names) => names.len(),
            Points::Numbers(numbers) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Values of one kind, drawn alike.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// Where the values stand.
    pub x: Points,
    /// The values, as many as `x`; not finite is a gap.
    pub y: Vec<f64>,
}

/// Series that are shown together and without the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// What the reader picks.
    pub name: String,
    /// Which series, by their place in the figure.
    pub series: Vec<usize>,
}

/// An axis of their own for the values of some series, at the right.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SecondAxis {
    /// The axis.
    pub axis: Axis,
    /// The series that stand on it, by their place in the figure.
    pub series: Vec<usize>,
}

/// A figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figure {
    /// The title.
    pub title: String,
    /// A line below the title: which traces, ranks, iterations.
    pub subtitle: String,
    /// The first axis.
    pub x: Axis,
    /// The second axis.
    pub y: Axis,
    /// An axis of their own for the values of some series.
    pub second: Option<SecondAxis>,
    /// How bars stand beside each other.
    pub bars: BarMode,
    /// What is drawn.
    pub series: Vec<Series>,
    /// What the reader may pick, the first one at first; empty if all series are shown. A picture shows the first.
    pub choices: Vec<Choice>,
    /// Height in pixels; `None` lets the renderer choose.
    pub height: Option<u32>,
}

impl Figure {
    /// The figure with the series of one choice.
    pub(crate) fn only(&self, choice: &Choice) -> Self {
        let series = choice.series.iter().filter_map(|&place| self.series.get(place)).cloned().collect();
        let second = self.second.as_ref().map(|second| {
            let on_it = |place: &usize| choice.series.get(*place).is_some_and(|series| second.series.contains(series));
            SecondAxis { axis: second.axis.clone(), series: (0..choice.series.len()).filter(on_it).collect() }
        });
        Self { series, second, choices: Vec::new(), ..self.clone() }
    }

    /// Whether the values of a series stand on the second axis of values.
    pub(crate) fn on_second(&self, series: usize) -> bool {
        self.second.as_ref().is_some_and(|second| second.series.contains(&series))
    }

    /// The figure with no more than the first `most` names along the first axis, of each choice; the subtitle says so.
    /// A figure that stands at numbers, or at fewer names, is left as it is.
    pub fn first_names(&self, most: usize) -> Self {
        let groups: Vec<Vec<usize>> = match self.choices.as_slice() {
            [] => vec![(0..self.series.len()).collect()],
            choices => choices.iter().map(|choice| choice.series.clone()).collect(),
        };
        let mut first = self.clone();
        let mut cut = false;
        for group in groups {
            let names = group.iter().filter_map(|&place| match &self.series.get(place)?.x {
                Points::Names(names) => Some(names),
                Points::Numbers(_) => None,
            });
            let mut kept = HashSet::new();
            for name in names.flatten() {
                if kept.len() < most {
                    kept.insert(name.as_str());
                }
                cut |= !kept.contains(name.as_str());
            }
            for place in group {
                if let Some(Series { x: Points::Names(names), y, .. }) = first.series.get_mut(place) {
                    let mut values = names.iter().map(|name| kept.contains(name.as_str()));
                    y.retain(|_| values.next() == Some(true));
                    names.retain(|name| kept.contains(name.as_str()));
                }
            }
        }
        if cut {
            let said = format!("first {most}");
            first.subtitle = if first.subtitle.is_empty() { said } else { format!("{} · {said}", first.subtitle) };
        }
        first
    }

    /// What a picture shows: the first choice, and that it is one of several.
    pub(crate) fn still(&self) -> Self {
        let Some(choice) = self.choices.first() else { return self.clone() };
        let mut still = self.only(choice);
        let said = format!("{}, 1 of {}", choice.name, self.choices.len());
        still.subtitle = if still.subtitle.is_empty() { said } else { format!("{} · {said}", still.subtitle) };
        still
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
