//! Times of runs that are kept: baselines, by which a later run is judged, and histories, in which changes are found.

mod check;
mod file;
mod history;
mod present;
mod run_times;
mod stored;
#[cfg(test)]
mod tests;

pub use file::{BASELINES_FILE, Baselines};
pub use history::{History, HistoryChange};
pub use run_times::{RegionTime, RunTimes};
pub use stored::{Baseline, BaselineRegion, BaselineRun};
