//! Call graphs: what is above and below each event, as tables of a trace; the stack of an event; HTA's two call graphs.

mod counters;
mod graph;
mod hta;
mod stack;
mod table;
#[cfg(test)]
mod tests;

pub use graph::CallGraph;
pub use graph::call_graph;
pub use hta::older_call_graph;
pub use stack::CallStack;
pub use stack::call_stack;
pub use table::CALL_GRAPH_COLUMNS;
