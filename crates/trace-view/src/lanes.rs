//! Boxes in lanes as a still picture: a timeline, a flame graph.

/// Boxes in lanes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lanes {
    /// The title, in one line.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// What is left and right, in ns.
    pub span: (f64, f64),
    /// The lanes, from above.
    pub lanes: Vec<LaneRow>,
}

/// One lane of a picture.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LaneRow {
    /// Its name; without names of all lanes the picture has no room for them.
    pub label: String,
    /// Number of levels.
    pub levels: usize,
    /// Its boxes, in any order.
    pub boxes: Vec<LaneBox>,
    /// Moments in ns and the value from then on as a share of the height: an area instead of boxes.
    pub area: Vec<(f64, f64)>,
}

/// A box of a lane.
#[derive(Debug, Clone, PartialEq)]
pub struct LaneBox {
    /// The level, from above.
    pub level: usize,
    /// Start in ns.
    pub start: f64,
    /// End in ns; a box is at least a pixel wide.
    pub end: f64,
    /// Red, green, blue.
    pub colour: [u8; 3],
    /// What is written into it if there is room.
    pub text: String,
}
