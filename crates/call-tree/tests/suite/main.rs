//! Programs written as trees of operators and rendered as recordings: what is known of them must be found again.

mod divided;
mod edits;
mod graphs;
mod kernels;
mod partials;
mod program;
mod properties;
mod trees;
mod waiting;
