//! A heat map as plain data: values over two axes, drawn as colours.

use crate::{Axis, Points};

/// A heat map. Pictures draw its rows and columns evenly spaced.
#[derive(Debug, Clone, PartialEq)]
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
    /// The title of the colour scale.
    pub meaning: String,
    /// The values at the ends of the colour scale; `None` for the least and the largest value.
    pub range: Option<(f64, f64)>,
    /// Whether the first row is at the top.
    pub from_top: bool,
    /// Height in pixels; `None` lets the renderer choose.
    pub height: Option<u32>,
}
