//! Data frames as tables to show, and measures of many ranks as heat maps.

mod field;
mod frame_table;
mod rank_map;
mod rank_rows;
mod rank_timeline;

pub use field::{Field, answer_frame, answer_table, declared, fields_of, frame_columns};
pub use frame_table::{display_table, frame_table};
pub use rank_map::{MOST_RANKS, RankMap};
pub use rank_rows::most_different_ranks_first;
pub use rank_timeline::RankTimeline;
