//! Sizes of effects: shifts, ratios, what samples can show, what the next run will be.

pub(crate) mod paired;
pub(crate) mod pairs;
pub(crate) mod prediction;
pub(crate) mod shift;
pub(crate) mod size;
