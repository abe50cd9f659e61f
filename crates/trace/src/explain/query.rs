//! Builder of explanations.

use super::choice::Choice;
use super::explanation::{Explanation, Origin};
use super::sides::SideQuery;
use crate::exec::checkpoint::{self, guarded};
use crate::exec::memory::{Budget, Task};
use crate::filter::Filter;
use crate::{Iteration, LabeledTrace, Pick, Rank, Result, Warning};
use call_tree::{Explainer, Labels};
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
    slowest: bool,
    filter: Option<Filter>,
    keeps_events: bool,
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
            slowest: false,
            filter: None,
            keeps_events: false,
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

    /// Of the selected ranks, takes only the slowest of each iteration of each run.
    #[must_use]
    pub fn slowest_rank(mut self) -> Self {
        self.slowest = true;
        self
    }

    /// Chooses the regions of which a GPU event passes a filter, a polars expression or a text in the language of
    /// [`Where`](crate::filter::Where); all by default.
    ///
    /// Only these are shown and counted as regions. All events take part in the alignment, and step, classes and idle time stay
    /// whole: [`Explanation::chosen_us`] says how much of the change the chosen regions hold.
    #[must_use]
    pub fn filter(mut self, filter: impl Into<Filter>) -> Self {
        self.filter = Some(filter.into());
        self
    }

    /// Keeps the place of every GPU event, for [`Explanation::events`] and [`Explanation::write_events`]. The explanation then
    /// holds its traces.
    #[must_use]
    pub fn keep_events(mut self) -> Self {
        self.keeps_events = true;
        self
    }

    /// Computes the explanation.
    ///
    /// # Errors
    /// If a rank or iteration does not exist, no event matches the marker, the filter does not fit the events, or memory does not
    /// suffice.
    pub fn run(&self) -> Result<Explanation> {
        guarded(|| {
            let [control, test] = self.sides();
            let mut picked = control.picked()?;
            picked.extend(test.picked()?);
            let choice =
                self.filter.as_ref().map(|filter| Choice::of(filter, [&self.control, &self.test])).transpose()?;
            // The call trees of all samples are compared with each other, while ranks are mapped one by one.
            let rows = picked.iter().map(|trace| trace.info().events).sum::<usize>();
            let mapped = picked.iter().map(|trace| trace.bytes_needed(0)).max().unwrap_or(0);
            let keeps = self.keeps_events || choice.is_some();
            let each = BYTES_PER_EVENT + if keeps { BYTES_PER_PLACE } else { 0 };
            let need = rows.saturating_mul(each).saturating_add(mapped);
            Budget::now()?.check(Task::Answer("explain"), need)?;
            let mut labels = Labels::default();
            let (control, test) = (control.record(&mut labels)?, test.record(&mut labels)?);
            checkpoint::check()?;
            let explainer = Explainer { keep_events: keeps };
            let mut found = explainer.explain(&control.recordings, &test.recordings, &labels);
            checkpoint::check()?;
            for (coverage, side) in found.coverage.iter_mut().zip([&control, &test]) {
                for (reason, ns, events) in side.others.reasons() {
                    coverage.leave_out(reason, ns, events);
                }
            }
            let chosen = choice.map(|choice| choice.regions(&found, [&control.ranks, &test.ranks])).transpose()?;
            let origin = Origin {
                sides: [control.summary, test.summary],
                ranks: [control.ranks, test.ranks],
                warnings: self.warnings(),
                chosen,
                is_marked: self.marker.is_some(),
                keeps_events: self.keeps_events,
            };
            Ok(Explanation::of(found, labels, origin))
        })
    }

    fn sides(&self) -> [SideQuery<'_>; 2] {
        let side = |runs, ranks, iterations| SideQuery {
            runs,
            ranks,
            iterations,
            warmup: self.warmup,
            marker: self.marker.as_ref(),
            slowest: self.slowest,
        };
        [
            side(&self.control, self.control_rank.as_ref(), self.control_iteration.as_ref()),
            side(&self.test, self.test_rank.as_ref(), self.test_iteration.as_ref()),
        ]
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
}

/// Working memory for each event of both sides, in bytes: the event itself, its place in the order of its thread, and its node.
const BYTES_PER_EVENT: usize = 100;
/// Memory for the place of an event, in bytes: with its leaf while the sides are folded, then with its region.
const BYTES_PER_PLACE: usize = 48;
