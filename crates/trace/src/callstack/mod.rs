//! CPU call stacks of a rank, with kernels attached to their launches.

mod call_stacks;

pub(crate) use call_stacks::CallStacks;
