//! What every Rust cell has in scope without a `use`: our library, polars' everyday names, and how to show things.

pub use crate::{Show as _, ShowPlan as _, clear_output, display, display_id, input, update_display};
pub use crate::{plotly, polars, polars_io, serde_json, trace, trace_view};
pub use polars::prelude::*;
pub use trace::prelude::*;
