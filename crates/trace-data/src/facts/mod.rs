//! Facts of ranks that are known without their events, which travel with stored, exported and remote ranks.

mod rank_info;
mod source_file;
mod wall_clock;

pub use rank_info::RankInfo;
pub use source_file::SourceFile;
