//! Call trees of profiled runs, their alignment, and where the difference of two steps comes from.
//!
//! Data flows one way: events of a rank → a [`Tree`] per iteration ([`Builder`]) → one folded tree per run ([`Template`]) → an
//! [`Alignment`] of two runs ([`align`]) → an [`Explanation`] ([`explain`]), for which each step's time is divided exactly
//! ([`divide`]).
//!
//! Calls are nested in one place ([`nesting`]), for call trees and for everything else that asks what a call is inside of.
//!
//! The crate knows nothing of files and frames: names are labels, times are integer nanoseconds, rows are numbers that the
//! caller gives. Partial results are serializable.
//!
//! Invariants, which hold for any input:
//!
//! * Every GPU event is in exactly one tree, once, or left out with a reason.
//! * Every leaf of both sides is in exactly one region, so the GPU time of all regions is that of the selection.
//! * Exposed communication is waiting, transfer and what is not divided; waiting adds up over what made ranks late.
//! * Each run of a side counts the same, in it each iteration, and in that each rank ([`Weights`]).
//! * Compute, exposed communication, exposed copies and idle time add up to the step; regions and `unattributed_ns` to the first
//!   three; the difference of two steps to the differences of their parts. All to the ns.

mod align;
mod capture;
mod companion;
mod explain;
mod input;
pub mod nesting;
mod portable;
mod template;
mod tree;

pub use align::{Alignment, Grade, Region, Why, align};
pub use companion::{Companion, Loan};
pub use explain::cause::{Cause, Dependency, HostWork};
pub use explain::change::{Change, Mean};
pub use explain::divide::{Division, Idle, Share, divide};
pub use explain::explanation::{
    Coverage, Explainer, Explanation, RegionChange, WaitChange, explain, explain_partials, largest,
};
pub use explain::partial::{Partial, Reducer};
pub use explain::sample::{AssignedEvent, Assignment, Sample};
pub use explain::waiting::{Doing, Late, Part};
pub use explain::waits::{Wait, Waits, waits_for_gpu};
pub use explain::weights::Weights;
pub use input::batch::{Batch, Capture};
pub use input::below_launch::BelowLaunch;
pub use input::borrowed::{Borrowed, BorrowedCall};
pub use input::event::{Correlation, Event, launches};
pub use input::family::Family;
pub use input::kind::{Class, Kind};
pub use input::label::{LabelId, Labels, Symbol, kernel_name};
pub use input::meeting::Meeting;
pub use input::reason::Reason;
pub use input::recording::Recording;
pub use input::vendor::vendor_neutral;
pub use input::window::Window;
pub use portable::{Damaged, HasLabels, Portable};
pub use template::Template;
pub use tree::build::{Builder, Iteration, LeftOut};
pub use tree::modules::module_of;
pub use tree::node::{Cost, NONE, Node, NodeId, Role, Tree};
