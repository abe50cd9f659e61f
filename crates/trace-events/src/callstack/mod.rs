//! CPU call stacks of a rank, with kernels attached to their launches: views of the one nesting, `call_tree::nesting`.

mod call_stacks;
mod call_tree;
mod enclosing;
mod hta_threads;
mod inserted_calls;
mod rank_graph;

pub use call_stacks::CallStacks;
pub use call_tree::{CALL_TREE_COLUMNS, CallTree};
pub use enclosing::Enclosing;
pub use hta_threads::older_parents;
pub use inserted_calls::InsertedCalls;
pub use rank_graph::RankGraph;
