//! Share of the roofline that all counted operators reach together.

use super::row::Row;
use super::state::State;
use serde::Serialize;
use trace_view::format::nanoseconds as time;

/// What the operators with a model reach of the roofline of their device, together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RooflineShare {
    /// Time of the operators with a model.
    pub counted_ns: i64,
    /// Time of all kernels, copies and fills; of all counted calls, where nothing runs on a GPU.
    pub whole_ns: i64,
    /// Whether anything runs on a GPU.
    pub is_on_gpu: bool,
    /// Least time that the device allows, of the time that passed, in percent; `None` if the limits of the device are not known.
    pub percent: Option<f64>,
}

impl RooflineShare {
    /// Adds rows up; `None` without rows.
    pub(super) fn of(state: &State, rows: &[Row]) -> Option<Self> {
        if rows.is_empty() {
            return None;
        }
        let counted_ns = rows.iter().fold(0_i64, |sum, row| sum.saturating_add(row.ns));
        let is_on_gpu = state.gpu > 0;
        let reached = rows.iter().filter_map(|row| row.reached.map(|(share, _)| (row.ns, share * row.ns as f64)));
        let (ns, least) = reached.fold((0, 0.0), |sum, row| (sum.0 + row.0, sum.1 + row.1));
        let percent = (ns > 0).then(|| 100.0 * least / ns as f64);
        Some(Self { counted_ns, whole_ns: if is_on_gpu { state.gpu } else { counted_ns }, is_on_gpu, percent })
    }

    /// Returns the sentence, without its full stop.
    pub fn sentence(&self) -> String {
        let Self { counted_ns, whole_ns, is_on_gpu, percent } = *self;
        let of_roofline =
            percent.map_or_else(String::new, |percent| format!(", which reaches {percent:.1} % of the roofline"));
        if is_on_gpu {
            let share = 100.0 * counted_ns as f64 / whole_ns.max(1) as f64;
            format!("Operators with a model: {share:.1} % of {} GPU time{of_roofline}", time(whole_ns))
        } else {
            format!("No GPU work: the time of the calls counts, {}{of_roofline}", time(whole_ns))
        }
    }
}
