//! Timelines and flame graphs of ranks, also of two sides.

#![deny(missing_docs)]

pub mod flame;
pub mod timeline;

pub use flame::{FlameGraph, FlameQuery, FlameTime};
pub use timeline::{Answered, LaneKind, SentNames, Timeline, TimelineQuery};

use trace_base::{Compat, Error, ParserConfig, Result, domain, error, exec};
use trace_compare::{ByDefault, Explain, LabeledTrace, Select, SelectEvents, SelectSetting};
use trace_data::{LoadOptions, RankInfo, Trace, TraceSet, TrackNames, Window, frame};
use trace_events::{collective, companion, counter, filter};
