//! Loaded traces: raw events as data frames, ranks in memory and in files, and what is written of them.

#![deny(missing_docs)]

pub mod dataset;
pub mod distributed;
pub mod facts;
pub mod frame;
mod memory_timeline;
pub mod parquet;
pub mod present;
pub mod store;
pub mod write;

pub use dataset::{
    By, ColumnMemory, DeviceType, LoadOptions, LoadProgress, Selection, Side, Trace, TraceSet, Window, frame_schema,
    remove_left_ranks,
};
pub use facts::{RankInfo, SourceFile};
pub use frame::columns::EVENT_COLUMNS;
pub use frame::tables::{COUNTER_COLUMNS, INSTANT_COLUMNS};
pub use frame::{Change, Comparison, FillDefaults, TrackNames};
pub use memory_timeline::MemoryTimeline;
pub use present::{display_table, frame_table};
pub use store::{Cache, CacheEntry, Cleared, private_folder};

use trace_base::{
    AttributeSpec, CancellationToken, Compat, DiffSide, Error, ParserConfig, Rank, Result, Unlike, ValueType, Warning,
    config, domain, error, exec, interval, state, stats,
};
use trace_read::read::{self, Input};
