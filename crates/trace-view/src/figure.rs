//! A figure as plain data: series over two axes.

use crate::Unit;

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
        Self { series, choices: Vec::new(), ..self.clone() }
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
