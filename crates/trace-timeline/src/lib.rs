//! Timelines and flame graphs of ranks, also of two sides.

#![deny(missing_docs)]

pub mod flame;
pub mod timeline;

pub use flame::{FlameGraph, FlameQuery, FlameTime};
pub use timeline::{Answered, LaneKind, SentNames, Timeline, TimelineQuery};

use trace_base::{Compat, Error, Iteration, ParserConfig, Pick, Rank, Result, domain, exec};
use trace_compare::{Explain, LabeledTrace, explain};
use trace_data::{LoadOptions, RankInfo, Trace, TraceSet, TrackNames, frame};
use trace_events::{collective, counter, filter};
