//! The work of operators: operations and least traffic, from names and inputs.

pub(crate) mod attention;
pub(crate) mod call;
pub(crate) mod convolution;
pub(crate) mod elementwise;
mod formulas;
pub(crate) mod fused_names;
pub(crate) mod grouped;
pub(crate) mod inductor;
mod layouts;
pub(crate) mod lookup;
pub(crate) mod loss;
pub(crate) mod matmul;
pub(crate) mod model;
pub(crate) mod models;
pub(crate) mod movement;
pub(crate) mod norm;
pub(crate) mod optimizer;
pub(crate) mod pairs;
mod pointwise_names;
pub(crate) mod reduction;
pub(crate) mod served;
pub(crate) mod sums;
