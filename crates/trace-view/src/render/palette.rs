//! Colours of series: told apart on white and on black, also by people who see red and green alike.

/// In the order of the series; blue and orange for the sides of a comparison, grey for their difference. Behind the first
/// eight the same ones come lighter, then darker.
#[rustfmt::skip]
pub(super) const SERIES: [&str; 24] = [
    "#3b7dd8", "#ef8a2b", "#8c8fa3", "#2fa69a", "#c65b8f", "#a3a535", "#7d63c9", "#b0653a",
    "#93b8ea", "#f6bf8a", "#c0c1cc", "#8dcec7", "#e0a5c1", "#ccce90", "#b8a9e1", "#d4aa93",
    "#234b82", "#8f531a", "#545662", "#1c645c", "#773756", "#626320", "#4b3b79", "#6a3d23",
];
