//! Timelines and flame graphs of ranks, also of two sides.

#![deny(missing_docs)]

pub mod flame;
pub mod timeline;

pub use flame::{FlameGraph, FlameQuery, FlameTime};
pub use timeline::{Answered, LaneKind, SentNames, Timeline, TimelineQuery};

use trace_base::*;
use trace_compare::*;
use trace_data::*;
use trace_events::*;
