//! Figures as plotly.js draws them; the only room that names plotly.

mod figure;
mod layout;
mod menu;
mod script;
mod style;
mod ticks;
mod traces;

#[cfg(test)]
mod tests;

pub(super) use figure::figure;
pub use script::offline_plotly_js;
