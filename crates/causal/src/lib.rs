//! Causal graph of a recording: points in time, the causes that each waits for, and their exact replay.
//!
//! Data flows one way: events of the ranks of a job ([`RankInput`]) → a [`Graph`] of points and causes ([`Graph::build`]) → what
//! bounds a window ([`Graph::path`]), and what it would be if causes took another time ([`Graph::replay`]).
//!
//! A point is a start or an end of an event. It waits for earlier points, its causes, each with a [`Lag`]:
//! `point = max(cause + lag)`. Lags that the recording does not show are estimated from others of their kind, and cut so that no
//! cause alone makes a point later than it was; what remains up to the recorded time is added to all causes of the point, or is a
//! cause of its own, *unexplained*, if it is long. So the replay of unchanged lags is the recording, to the nanosecond.
//!
//! The crate knows nothing of files and frames: threads and streams are numbers that the caller gives out, times are integer
//! nanoseconds, rows are numbers of the caller. It has no dependencies.
//!
//! Invariants, which hold for any input:
//!
//! * [`Graph::replay_error_ns`] is 0.
//! * The segments of a path cover its window exactly, without overlap, before and after any change.
//! * Causes come before their points in one order of all points: there are no cycles. A cause that would close one is left out and
//!   counted ([`Graph::left_out`]).

mod answer;
mod input;
mod model;

pub use answer::edge::Edge;
pub use answer::replay::{Replay, Savings};
pub use input::check::{Check, Stopped};
pub use input::event::{Call, Collective, DeviceEvent, DeviceKind, HostEvent, HostKind, NONE};
pub use input::rank::{RankInput, Stream, SyncKind, SyncRow};
pub use input::word::{Because, BoundBy};
pub use model::graph::{Graph, Lag, LeftOut};
pub use model::segment::{Segment, Track, Window};
