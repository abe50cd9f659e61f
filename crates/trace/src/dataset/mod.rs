//! Loaded traces: ranks and sets of them, selections of their rows, and what is known without their events.

mod cached;
mod constructors;
mod lazy_events;
mod load;
mod load_export;
mod load_file;
mod load_options;
mod overview;
mod placement;
mod rank_source;
mod recording;
mod row_selector;
mod schema;
mod selection;
mod source_file;
mod spill;
mod stack;
mod table_source;
mod tables;
mod trace;
mod trace_set;

pub use load::LoadProgress;
pub use load_options::LoadOptions;
pub use overview::ColumnMemory;
pub(crate) use recording::{MOST_RANKS, Recording, world_size};
pub(crate) use row_selector::RowSelector;
pub use schema::frame_schema;
pub use selection::{By, DeviceType, Selection, Side, Window};
pub use source_file::SourceFile;
pub use spill::remove_left_ranks;
pub(crate) use stack::{stacked, union_of_columns};
pub(crate) use table_source::TableSource;
pub(crate) use tables::build_tables;
pub use trace::{RankInfo, Trace};
pub use trace_set::TraceSet;
