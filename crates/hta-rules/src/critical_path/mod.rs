//! HTA's critical path: its graph, its longest path, and what bounds it, in HTA's order and with HTA's quirks.
//!
//! Data flows one way: a [`Frame`] of events → the events of a [`Window`] → [`Node`]s, the start and the end of each → [`Edge`]s
//! (of calls that share a lock, of threads, of kernels) → a [`Graph`] → the longest [`Path`] → an [`EdgeRow`] per edge, and a
//! summary by what bounds it. What HTA does at each stage, and what is wrong with it, is described at the stage.
//!
//! Differs from HTA where it fails: it needs no launches, ignores synchronisations that it cannot resolve, and leaves out
//! edges that would close a cycle ([`LeftOut`]). The longest path takes time linear in the graph, without recursion.

mod breakdown;
mod edges;
mod frame;
mod graph;
mod kernels;
mod lock;
mod names;
mod nodes;
mod queues;
mod search;
mod threads;
mod waits;
mod window;

pub use breakdown::{Bound, EdgeRow, Share};
pub use edges::{Edge, EdgeKind};
pub use frame::{Frame, NO_TEXT, Row};
pub use graph::{Graph, LeftOut, Options};
pub use names::is_blocking_call;
pub use nodes::Node;
pub use search::Path;
pub use window::{NoGraph, NoInstance, Window, WindowSpan};
