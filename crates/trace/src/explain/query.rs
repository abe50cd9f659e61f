//! Builder of explanations.

use super::explanation::{Explanation, SideSummary};
use super::recordings::{Iterations, recording};
use crate::exec::checkpoint::{self, guarded};
use crate::exec::memory::{Budget, Task};
use crate::{Error, Iteration, LabeledTrace, Pick, Rank, Result, Trace, Warning};
use call_tree::{Labels, Recording, explain};
use regex::Regex;

/// Explains where the difference of two steps comes from.
///
/// A side is one run, or several recordings of the same program. All ranks and iterations count unless setters say otherwise;
/// every iteration of every rank is one sample, and times are means over samples.
///
/// # Example
/// ```
/// use trace::prelude::*;
///
/// # fn main() -> trace::Result<()> {
/// let control = TraceSet::load("../../notebooks/data/control")?.with_label("control");
/// let test = TraceSet::load("../../notebooks/data/test")?.with_label("test");
/// let explanation = Explain::new(&control, &test).warmup(1).run()?;
/// let parts: f64 = explanation.classes.iter().map(|class| class.delta_us).sum();
/// assert!((parts - explanation.step.delta_us).abs() < 1e-6);
/// assert_eq!(explanation.regions()?.column("grade")?.len(), explanation.region_count());
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Explain {
    control: Vec<LabeledTrace>,
    test: Vec<LabeledTrace>,
    control_rank: Option<Pick<Rank>>,
    test_rank: Option<Pick<Rank>>,
    control_iteration: Option<Pick<Iteration>>,
    test_iteration: Option<Pick<Iteration>>,
    warmup: usize,
    marker: Option<Regex>,
}

impl Explain {
    /// Compares one run with another.
    pub fn new(control: impl Into<LabeledTrace>, test: impl Into<LabeledTrace>) -> Self {
        Self::of_runs(vec![control.into()], vec![test.into()])
    }

    /// Compares several runs of one program with several runs of another.
    pub fn of_runs(control: Vec<LabeledTrace>, test: Vec<LabeledTrace>) -> Self {
        Self {
            control,
            test,
            control_rank: None,
            test_rank: None,
            control_iteration: None,
            test_iteration: None,
            warmup: 0,
            marker: None,
        }
    }

    /// The rank or ranks of the control side; all by default.
    #[must_use]
    pub fn control_rank(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.control_rank = Some(ranks.into());
        self
    }

    /// The rank or ranks of the test side; all by default.
    #[must_use]
    pub fn test_rank(mut self, ranks: impl Into<Pick<Rank>>) -> Self {
        self.test_rank = Some(ranks.into());
        self
    }

    /// The iteration or iterations of the control side; all by default.
    #[must_use]
    pub fn control_iteration(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.control_iteration = Some(iterations.into());
        self
    }

    /// The iteration or iterations of the test side; all by default.
    #[must_use]
    pub fn test_iteration(mut self, iterations: impl Into<Pick<Iteration>>) -> Self {
        self.test_iteration = Some(iterations.into());
        self
    }

    /// Leaves the first iterations of each rank out.
    #[must_use]
    pub fn warmup(mut self, iterations: usize) -> Self {
        self.warmup = iterations;
        self
    }

    /// Takes every annotation, operator or module whose name matches as an iteration, numbered from 0, instead of the
    /// profiler's steps. Of matches inside one another the outermost counts.
    #[must_use]
    pub fn marker(mut self, marker: Regex) -> Self {
        self.marker = Some(marker);
        self
    }

    /// Computes the explanation.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no event matches the marker, or memory does not suffice.
    pub fn run(&self) -> Result<Explanation> {
        guarded(|| {
            let mut picked = picked(&self.control, self.control_rank.as_ref())?;
            picked.extend(self::picked(&self.test, self.test_rank.as_ref())?);
            // The call trees of all samples are compared with each other, while ranks are mapped one by one.
            let rows = picked.iter().map(|trace| trace.info().events).sum::<usize>();
            let mapped = picked.iter().map(|trace| trace.bytes_needed(0)).max().unwrap_or(0);
            let need = rows.saturating_mul(BYTES_PER_EVENT).saturating_add(mapped);
            Budget::now()?.check(Task::Answer("explain"), need)?;
            let mut labels = Labels::default();
            let control =
                self.side(&self.control, self.control_rank.as_ref(), self.control_iteration.as_ref(), &mut labels)?;
            let test = self.side(&self.test, self.test_rank.as_ref(), self.test_iteration.as_ref(), &mut labels)?;
            checkpoint::check()?;
            let found = explain(&control.recordings, &test.recordings, &labels);
            checkpoint::check()?;
            Ok(Explanation::of(found, labels, [control.summary, test.summary], self.warnings()))
        })
    }

    /// Returns the warnings about the recordings, see [`TraceDiff::warnings`](crate::TraceDiff::warnings).
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        for test in &self.test {
            for control in &self.control {
                for warning in crate::TraceDiff::new(control.clone(), test.clone()).warnings() {
                    if !warnings.contains(&warning) {
                        warnings.push(warning);
                    }
                }
            }
        }
        warnings
    }

    fn side(
        &self,
        runs: &[LabeledTrace],
        ranks: Option<&Pick<Rank>>,
        iterations: Option<&Pick<Iteration>>,
        labels: &mut Labels,
    ) -> Result<Recorded> {
        let mut recordings = Vec::new();
        let mut all_ranks: Vec<i64> = Vec::new();
        let label = runs.iter().map(LabeledTrace::label).collect::<Vec<_>>().join(",");
        for run in runs {
            if self.marker.is_none() && iterations.is_some() {
                // Names those there are.
                run.window(iterations)?;
            }
            let picked = picked(std::slice::from_ref(run), ranks)?;
            let iterations = Iterations {
                numbers: iterations.map(|pick| pick.numbers().to_vec()),
                warmup: self.warmup,
                marker: self.marker.clone(),
            };
            for trace in picked {
                checkpoint::check()?;
                let recording = recording(&trace, run.trace().compat(), &iterations, labels)?;
                if recording.windows.is_empty() {
                    self.check_windows(run)?;
                }
                all_ranks.push(trace.rank());
                recordings.push(recording);
            }
        }
        all_ranks.sort_unstable();
        all_ranks.dedup();
        let windows = recordings.iter().flat_map(|recording| &recording.windows);
        let mut numbers: Vec<i64> = windows.map(|window| window.iteration).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let summary = SideSummary {
            label,
            runs: runs.len(),
            ranks: all_ranks,
            iterations: numbers,
            // A recording without iterations is one sample.
            samples: recordings.iter().map(|recording| recording.windows.len().max(1)).sum(),
        };
        Ok(Recorded { recordings, summary })
    }

    /// Refuses a selection without iterations; a recording without steps counts as one.
    fn check_windows(&self, run: &LabeledTrace) -> Result<()> {
        let label = run.label().to_owned();
        if let Some(marker) = &self.marker {
            return Err(Error::NoMarker { label, marker: marker.as_str().to_owned() });
        }
        let available = run.iterations();
        if available.is_empty() {
            return Ok(());
        }
        Err(Error::NoIterationLeft { label, warmup: self.warmup, available })
    }
}

/// Returns the selected ranks of all runs of a side.
fn picked(runs: &[LabeledTrace], ranks: Option<&Pick<Rank>>) -> Result<Vec<Trace>> {
    let of_run = |run: &LabeledTrace| match ranks {
        Some(ranks) => run.ranks_picked(Some(ranks)),
        None => Ok(run.trace().traces().to_vec()),
    };
    Ok(runs.iter().map(of_run).collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
}

/// Working memory for each event of both sides, in bytes: the event itself, its place in the order of its thread, and its node.
const BYTES_PER_EVENT: usize = 100;

/// One side, ready to be compared.
struct Recorded {
    recordings: Vec<Recording>,
    summary: SideSummary,
}
