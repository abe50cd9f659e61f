//! The inputs of an operator, as the profiler writes them.

pub(crate) mod data_type;
pub(crate) mod nested;
pub(crate) mod operands;
pub(crate) mod tensor;
