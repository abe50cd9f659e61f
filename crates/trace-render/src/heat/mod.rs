//! Heat maps as text and as pictures.

mod blocks;
mod colours;
mod picture;
mod text;
mod ticks;

#[cfg(test)]
mod tests;

pub(super) use colours::ColourScale;
pub(super) use picture::{height, picture};
pub(super) use text::text;
pub(super) use ticks::{evenly_spaced, labels, position};
