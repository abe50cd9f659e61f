//! Bounds of the steps of two runs, and their change.

use super::regions::{RegionBound, regions};
use crate::critical_path::{BoundSide, critical_path, words};
use crate::exec::checkpoint;
use crate::exec::fork_join::join;
use crate::{CriticalPath, Explain, Instance, Result, SelectEvents, TraceSet};
use causal::BoundBy;
use trace_view::format::nanoseconds as time;

/// What bounds the steps of two runs: the answer to [`CriticalPath::compare`]. Times are of a step: means of the windows of a side.
#[derive(Debug, Clone)]
pub struct BoundChange {
    /// Labels of control and test.
    pub labels: [String; 2],
    /// What bounds each side: `host-bound`, `GPU-bound`, `communication-bound`, …
    pub diagnoses: [&'static str; 2],
    /// Length of a step of each side, in ns.
    pub step_ns: [i64; 2],
    /// Time of a step by what bounds it, in ns; the largest change first. The times of a side add up to its step.
    pub classes: Vec<ClassBound>,
    /// The same time by region of the explanation; the largest change first.
    pub regions: Vec<RegionBound>,
    /// How many kernels of graphs got operators of companions; `None` without companions.
    pub(super) lending: Option<String>,
    /// Number of windows of each side.
    pub(super) windows: [usize; 2],
}

/// Time on the critical path of one class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClassBound {
    /// The class, as in the table `summary`.
    pub bound_by: BoundBy,
    /// Control and test, in ns a step.
    pub ns: [i64; 2],
}

/// Most events of two runs whose graphs are built at the same time, each on a thread.
const CONCURRENTLY: usize = 1_000_000;
impl CriticalPath {
    /// Answers the question for two runs, and aligns the answers by the regions of their explanation, in which companions name the operators
    /// of kernels of graphs.
    ///
    /// # Errors
    /// As [`critical_path`] and [`Explain::run`].
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    /// use trace::CriticalPath;
    ///
    /// # fn main() -> trace::Result<()> {
    /// let control = TraceSet::load("../../notebooks/data/bound/control")?.with_label("control");
    /// let test = TraceSet::load("../../notebooks/data/bound/test")?.with_label("test");
    /// let change = CriticalPath::default().compare(&control, &test)?;
    /// assert_eq!(change.diagnosis(), "host-bound → communication-bound");
    /// # Ok(())
    /// # }
    /// ```
    pub fn compare(&self, control: &TraceSet, test: &TraceSet) -> Result<BoundChange> {
        let query = self.of_two();
        let answers = [critical_path(control, &query)?, critical_path(test, &query)?];
        checkpoint::check()?;
        // The windows may be in the warm-up or of any phase, which explanations leave out by themselves.
        let explain = Explain::new(control, test).warmup(0).phase("all").keep_events();
        let explanation = self.companions.iter().fold(explain, Explain::companion).run()?;
        let sides = answers.each_ref().map(BoundSide::of);
        let regions = regions([control, test], &answers, &explanation)?;
        let lending = explanation.lending().map(|sentence| sentence.text);
        Ok(BoundChange { lending, ..BoundChange::of([control, test], &sides, regions) })
    }

    /// Answers the question for two runs by class of time only, without regions, names and changes.
    ///
    /// # Errors
    /// As [`critical_path`].
    pub fn diagnose(&self, control: &TraceSet, test: &TraceSet) -> Result<BoundChange> {
        // Both graphs are in memory at once: only small ones.
        let is_small = control.event_count() + test.event_count() <= CONCURRENTLY;
        let query = self.of_two();
        let (one, other) = join(is_small, || BoundSide::asked(control, &query), || BoundSide::asked(test, &query));
        Ok(BoundChange::of([control, test], &[one?, other?], Vec::new()))
    }

    /// Returns the question about two runs: of all windows, unless some are chosen.
    fn of_two(&self) -> Self {
        let instance = if self.instance == Instance::Usual { Instance::All } else { self.instance };
        // What bounds a step is the same with and without companions.
        Self { instance, companions: Vec::new(), ..self.clone() }
    }
}

impl BoundChange {
    /// Compares what bounds two runs.
    fn of(traces: [&TraceSet; 2], sides: &[BoundSide; 2], regions: Vec<RegionBound>) -> Self {
        let mut classes: Vec<ClassBound> =
            BoundBy::ALL.into_iter().map(|bound_by| ClassBound { bound_by, ns: [0; 2] }).collect();
        for (index, side) in sides.iter().enumerate() {
            for &(bound_by, ns) in &side.shares {
                classes[bound_by as usize].ns[index] = side.a_step(ns);
            }
        }
        classes.retain(|class| class.ns != [0; 2]);
        classes.sort_by_key(|class| (std::cmp::Reverse((class.ns[1] - class.ns[0]).abs()), class.bound_by));
        Self {
            labels: traces.map(|traces| traces.label().to_owned()),
            diagnoses: sides.each_ref().map(BoundSide::diagnosis),
            step_ns: sides.each_ref().map(|side| side.a_step(side.ns)),
            classes,
            regions,
            lending: None,
            windows: sides.each_ref().map(|side| side.windows),
        }
    }

    /// Returns the change of diagnosis in one line: `host-bound → communication-bound`, or `GPU-bound, as before`.
    pub fn diagnosis(&self) -> String {
        let [control, test] = self.diagnoses;
        if control == test { format!("{test}, as before") } else { format!("{control} → {test}") }
    }

    /// Returns the answer in sentences.
    pub fn sentences(&self) -> String {
        let [control, test] = &self.labels;
        let side = |side: usize| {
            let step = self.step_ns[side];
            let most = self.classes.iter().max_by_key(|class| class.ns[side]);
            let most = most.map_or(String::new(), |class| {
                format!(", {:.0} % {}", 100.0 * class.ns[side] as f64 / step.max(1) as f64, words(class.bound_by))
            });
            format!("{} ({}{most})", self.diagnoses[side], time(step))
        };
        let mut text = format!("{}: {control} is {}, {test} is {}.", self.diagnosis(), side(0), side(1));
        if let Some(class) = self.classes.first().filter(|class| class.ns[0] != class.ns[1]) {
            let change = class.ns[1] - class.ns[0];
            let sign = if change < 0 { "−" } else { "+" };
            text.push_str(&format!(
                " On the critical path of a step {} changed most: {sign}{}.",
                words(class.bound_by),
                time(change.abs())
            ));
        }
        text
    }
}
