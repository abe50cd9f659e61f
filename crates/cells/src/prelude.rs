//! The prelude of every Rust cell: our library, polars' everyday names, and how to show values.

pub use crate::Describe as _;
pub use crate::LazyCsvReader;
pub use crate::rt::BlockOn as _;
pub use crate::{ShowDebug as _, ShowDebugResult as _, ShowResult as _, ShowRich as _};
pub use crate::{clear_output, display, display_id, input, update_display};
pub use crate::{plotly, polars, polars_io, serde_json, tokio, trace, trace_view};
pub use crate::{read_csv, read_parquet, scan_parquet, write_csv, write_parquet};
pub use polars::prelude::*;
pub use trace::prelude::*;
