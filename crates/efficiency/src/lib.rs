//! Efficiency of operators, collectives and kernels: what they had to do, against what the device can do.
//!
//! Data flows one way: the inputs of an operator as the profiler writes them ([`Operands`]) → its [`Work`], from a table of models
//! ([`MODELS`], [`work`]) → its share of the [`roofline`] of a device ([`peaks_of`]). Collectives have a bandwidth of their own
//! ([`Message`]), kernels an [`occupancy`].
//!
//! The crate knows nothing of traces, files and frames: texts and numbers in, typed answers out. Whatever the input: an answer or a
//! reason, no panic. Counts are whole numbers that saturate instead of overflowing. A share above 1 is not cut, a number that is not
//! known is not replaced by that of another device, and what is an upper bound is marked as one.
//!
//! Operators are counted once: see [`work`]. The formulas are on the page `docs/efficiency-models.md`.

mod bandwidth;
mod device;
mod occupancy;
mod operand;
mod roofline;
mod work;

pub use bandwidth::collective::{Bandwidth, CollectiveKind, Message, NoBandwidth};
pub use bandwidth::splits::Splits;
pub use device::device_match::{NoPeaks, peaks_by_id, peaks_of};
pub use device::overrides::InvalidPeaks;
pub use device::peaks::{Figure, Peaks, known_devices};
pub use occupancy::launch::{GridUnit, Launch, grid_unit};
pub use occupancy::limits::{BlockLimits, LimitedBy, NoOccupancy};
pub use occupancy::multiprocessor::Multiprocessor;
pub use occupancy::waves::{Occupancy, occupancy};
pub use operand::data_type::{DataType, PeakClass};
pub use operand::operands::{Operands, Unreadable};
pub use roofline::{BoundBy, Limits, NoRoofline, Roofline, roofline};
pub use work::call::{Call, Family, NoModel, Note, Work};
pub use work::grouped::{Experts, mixture_of_experts};
pub use work::inductor::fused_operators;
pub use work::lookup::{is_composite, model, work, work_of_leaf};
pub use work::model::Model;
pub use work::models::MODELS;
pub use work::served::{ServedHeads, served_attention};
pub use work::sums::{RequestSums, Sums};
