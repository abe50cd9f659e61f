//! Lanes of a timeline at every zoom, and flame graphs.
//!
//! Data flows one way: events of a thread or stream → a [`Lane`] (levels without overlap, each with a forest of longest events) →
//! [`Slices`] of a window (one per level and 2^k ns) → columns as bytes ([`Packed`]). Counters are [`Series`], from which a window
//! takes [`Samples`]. Calls with their times → a [`Flame`], whose boxes add up.
//!
//! The crate knows nothing of files and frames: names and events are numbers that the caller gives, times are integer
//! nanoseconds. It has no dependencies.
//!
//! Invariants, which hold for any input:
//!
//! * Every event is in exactly one level of one lane, with the start and the duration that it was given; no two of a level overlap.
//! * A view counts every event that starts in it once, and every event as long as a window of it is a slice.
//! * The widths of the boxes inside a box of a flame graph and its own time add up to its width.

mod calls;
mod flame;
mod lanes;
mod merging;
mod packed;

pub use calls::{Call, Calls};
pub use flame::{Flame, FlameBox, Layout, Visible};
pub use lanes::{Lane, Level, Name, NameSum, Point, Samples, Series, Slices, Span, Window, side_by_side};
pub use packed::{Packed, Width};
