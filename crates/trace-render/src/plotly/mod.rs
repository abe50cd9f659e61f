//! Figures as plotly.js draws them; the only room that names plotly.

mod figure;
mod heat;
mod layout;
mod menu;
mod script;
mod style;
mod ticks;
mod traces;

#[cfg(test)]
mod tests;

pub(super) use figure::figure;
pub(super) use heat::heat_map;
pub use script::offline_plotly_js;
