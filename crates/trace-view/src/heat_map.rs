//! A heat map as plain data: values over two axes, drawn as colours.

use crate::{Axis, Points, Unit};

/// The colours of a heat map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Colours {
    /// Those of differences if there are values below and above zero, else those of amounts.
    #[default]
    BySign,
    /// From dark to light.
    Amounts,
    /// Two colours that grow stronger with the distance from zero.
    Differences,
}

/// A heat map: rows and columns of values, each drawn as a colour.
///
/// ```text
///              37            labelled columns
/// idle_time  ▒▒█▒▒▒▒▒▒▒  █ 6
/// busy_time  ▒▒▒▒▒▒▒▒ ▒  ▒ 0   scale with `meaning`
///            0    rank        a gap is blank
/// ```
///
/// Pictures draw its rows and columns evenly spaced.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// A line below the title.
    pub subtitle: String,
    /// The first axis.
    pub x: Axis,
    /// The second axis.
    pub y: Axis,
    /// The positions of the columns, from left to right.
    pub columns: Points,
    /// The positions of the rows, from the bottom to the top.
    pub rows: Points,
    /// The values, row by row; a missing or not finite value is a gap.
    pub values: Vec<Vec<f64>>,
    /// The title of the colour scale, and of a value in the hover text.
    pub meaning: String,
    /// The unit of the values.
    pub unit: Unit,
    /// The colours.
    pub colours: Colours,
    /// The values at the ends of the colour scale; `None` for the least and the largest value. Values beyond have the colour of
    /// the end.
    pub range: Option<(f64, f64)>,
    /// A text per value for the hover text, row by row, such as the amount behind a deviation: `2.31 ms`; may be empty.
    pub details: Vec<Vec<String>>,
    /// The columns and rows whose position is written at the edge whatever else is left out: outliers.
    pub labelled: Labelled,
    /// Whether the first row is at the top.
    pub from_top: bool,
    /// Height in pixels; `None` lets the renderer choose.
    pub height: Option<u32>,
}

/// Columns and rows of a heat map, as indices in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Labelled {
    /// The columns.
    pub columns: Vec<usize>,
    /// The rows.
    pub rows: Vec<usize>,
}

impl HeatMap {
    /// Returns the number of columns.
    pub fn width(&self) -> usize {
        self.values.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// Returns the least and the largest value; `None` if there is none.
    pub fn extremes(&self) -> Option<(f64, f64)> {
        let finite = self.values.iter().flatten().filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &value| (low.min(value), high.max(value)));
        (low <= high).then_some((low, high))
    }

    /// Tells whether a value is missing.
    pub fn has_gaps(&self) -> bool {
        let width = self.width();
        self.values.iter().any(|row| row.len() < width || row.iter().any(|value| !value.is_finite()))
    }

    /// Returns the value in a row and a column; `None` for a gap.
    pub fn value(&self, row: usize, column: usize) -> Option<f64> {
        self.values.get(row)?.get(column).copied().filter(|value| value.is_finite())
    }

    /// Returns the heat map with at most the first `most` rows; the subtitle says so.
    pub fn first_rows(&self, most: usize) -> Self {
        let mut first = self.clone();
        if self.values.len() <= most {
            return first;
        }
        first.values.truncate(most);
        first.details.truncate(most);
        first.labelled.rows.retain(|&row| row < most);
        match &mut first.rows {
            Points::Names(names) => names.truncate(most),
            Points::Numbers(numbers) => numbers.truncate(most),
        }
        if !first.subtitle.is_empty() {
            first.subtitle.push_str(" · ");
        }
        first.subtitle.push_str(&format!("first {most}"));
        first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_rows_keep_their_values_and_labels() {
        let map = HeatMap {
            rows: Points::Names(vec!["a".to_owned(), "b".to_owned(), "c".to_owned()]),
            values: vec![vec![1.0], vec![2.0, f64::NAN], vec![3.0]],
            labelled: Labelled { columns: vec![0], rows: vec![1, 2] },
            ..HeatMap::default()
        };
        let first = map.first_rows(2);
        assert_eq!((first.values.len(), first.rows.len(), first.labelled.rows.as_slice()), (2, 2, [1].as_slice()));
        assert_eq!((first.subtitle.as_str(), first.labelled.columns.len()), ("first 2", 1));
        assert_eq!(map.first_rows(3).rows, map.rows);
        assert_eq!((map.width(), map.extremes(), map.has_gaps()), (2, Some((1.0, 3.0)), true));
    }
}
