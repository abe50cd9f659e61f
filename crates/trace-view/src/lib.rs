//! Tables, figures and reports as plain data, and their forms without pictures: plain text and HTML.
//!
//! This crate knows nothing of traces. An answer describes what it shows through [`Present`]; `trace-render` turns that into
//! content for JupyterLab, nbconvert, GitHub and terminals. [`mod@format`] formats durations, sizes, numbers and lists as text.

mod bundle;
mod column;
pub mod envelope;
mod figure;
pub mod format;
mod heat_map;
mod kind;
mod lanes;
pub mod names;
pub mod palette;
mod render;
mod report;
mod schema;
mod table;
mod thin;
mod tidy;
pub mod timing;
mod tree;
pub mod waterfall;

pub use bundle::{Bundle, FLAME, HTML, PLAIN, PLOTLY, PNG, TABLE, TIMELINE, base64};
pub use column::{Column, Unit};
pub use figure::{Axis, BarMode, Choice, Figure, Mark, Points, SecondAxis, Series};
pub use format::grouped;
pub use heat_map::{Colours, HeatMap, Labelled};
pub use kind::Kind;
pub use lanes::{LaneBox, LaneRow, Lanes};
pub use names::one_line_texts;
pub use palette::named_colour;
pub use render::{escape, terminal_safe};
pub use report::{Folded, Part, Present, Report};
pub use schema::FrameSchema;
pub use table::{Changes, EventCell, EventCells, Header, Page, Table, TableValue};
pub use thin::Thinning;
pub use tidy::{tidied, tidy};
pub use tree::Tree;
