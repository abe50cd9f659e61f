//! Timelines: the events of ranks as lanes, what of them a window shows, and the answers to a front end.
//!
//! The format of outputs and answers is in `docs/timeline-format.md`.

mod answer;
mod borrowed;
mod build;
mod change;
mod changes;
mod details;
mod forward;
mod lane;
mod lane_groups;
mod lane_labels;
mod lender;
mod listed;
mod output;
mod picture;
mod query;
mod query_side;
mod rank_lanes;
mod shown;
mod sums;
mod view;

pub use answer::{Answered, SentNames};
pub(crate) use change::change_between;
pub use lane::LaneKind;
pub(crate) use picture::{change_colour, name_colour};
pub use query::TimelineQuery;
pub(crate) use query_side::{QuerySide, QuerySides};
pub use shown::Timeline;
pub(crate) use view::{Columns, shortened};
