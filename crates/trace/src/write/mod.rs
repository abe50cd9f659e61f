//! Frames → files.

pub mod arrow;
