//! `plotly::Plot` as a bundle: the figure as it is, and a picture for front ends without scripts.

mod bundle;
mod heat_map;
mod histogram;
mod json;
mod series;

pub(crate) use bundle::bundle;
