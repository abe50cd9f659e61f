//! Colours of series: told apart on white and on black, also by people who see red and green alike.

/// In the order of the series; blue and orange for the sides of a comparison, grey for their difference.
pub(super) const SERIES: [&str; 8] =
    ["#3b7dd8", "#ef8a2b", "#8c8fa3", "#2fa69a", "#c65b8f", "#a3a535", "#7d63c9", "#b0653a"];
