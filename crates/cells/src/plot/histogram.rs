//! Histograms of plotly, counted.

use super::json::{kind, numbers, points};
use serde_json::Value;
use trace_render::round_step;
use trace_view::Points;

/// The most bins of a histogram that does not give their number.
const MOST_BINS: usize = 50;

/// The bins that all histograms of a figure share.
pub(super) struct Bins {
    start: f64,
    step: f64,
    count: usize,
}

impl Bins {
    /// Chooses the bins for the values of all histograms among `traces`.
    pub(super) fn of(traces: &[&Value]) -> Self {
        let histograms = || traces.iter().filter(|trace| kind(trace) == "histogram");
        let values: Vec<f64> = histograms()
            .filter_map(|trace| numbers(&trace["x"]))
            .flatten()
            .filter(|value| value.is_finite() && value.abs() < 1e300)
            .collect();
        let (low, high) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| (low.min(v), high.max(v)));
        let wanted = histograms().find_map(|trace| trace["nbinsx"].as_u64()).map(|wanted| wanted as usize);
        let wanted = wanted.unwrap_or((values.len() as f64).sqrt() as usize).clamp(1, MOST_BINS);
        if high <= low || values.is_empty() {
            return Self { start: low - 0.5, step: 1.0, count: usize::from(!values.is_empty()) };
        }
        let step = round_step((high - low) / wanted as f64);
        let start = (low / step).floor() * step;
        Self { start, step, count: ((high - start) / step) as usize + 1 }
    }

    /// Counts the values of a histogram; returns the positions and heights of its bars. `None` for sums, averages, running totals
    /// and horizontal histograms.
    pub(super) fn count(&self, trace: &Value) -> Option<(Points, Vec<f64>)> {
        if trace["y"].is_array() || trace["cumulative"]["enabled"] == true {
            return None;
        }
        match points(&trace["x"], 0)? {
            Points::Names(all) => {
                let mut names: Vec<String> = Vec::new();
                let mut counts = std::collections::HashMap::<String, f64>::new();
                for name in all {
                    if !counts.contains_key(&name) {
                        names.push(name.clone());
                    }
                    *counts.entry(name).or_default() += 1.0;
                }
                let mut counted: Vec<f64> = names.iter().map(|name| counts[name]).collect();
                normalise(&mut counted, 1.0, &trace["histnorm"])?;
                Some((Points::Names(names), counted))
            }
            Points::Numbers(values) => {
                let mut counts = vec![0.0; self.count];
                for value in values.into_iter().filter(|value| value.is_finite()) {
                    if let Some(count) = counts.get_mut(((value - self.start) / self.step) as usize) {
                        *count += 1.0;
                    }
                }
                normalise(&mut counts, self.step, &trace["histnorm"])?;
                let centres = (0..self.count).map(|bin| self.start + (bin as f64 + 0.5) * self.step).collect();
                Some((Points::Numbers(centres), counts))
            }
        }
    }
}

/// Turns the counts of bins of one width into shares or densities, according to `histnorm`; `None` for an unknown norm.
fn normalise(counts: &mut [f64], width: f64, histnorm: &Value) -> Option<()> {
    let total: f64 = counts.iter().sum();
    let by = match histnorm.as_str().unwrap_or_default() {
        "" => return Some(()),
        "percent" => total / 100.0,
        "probability" => total,
        "density" => width,
        "probability density" => total * width,
        _ => return None,
    };
    if by > 0.0 {
        counts.iter_mut().for_each(|count| *count /= by);
    }
    Some(())
}
