//! The runs of two sides without copies: a recording counts once, whatever its paths.

use super::labeled_trace::LabeledTrace;
use crate::dataset::{RunIdentity, earlier_copies};
use crate::error::ExplainReason;
use crate::{Result, TraceSet, Warning};

/// The runs of two sides, each recording once.
#[derive(Debug)]
pub(crate) struct DistinctRuns {
    /// The runs of control and of test. If all runs of test are recordings of control, it keeps them.
    pub sides: [Vec<LabeledTrace>; 2],
    /// A warning for each run that is left out as a copy.
    pub warnings: Vec<Warning>,
    /// The run of control and that of test which are one recording, if test has no other.
    pub only: Option<[String; 2]>,
}

impl DistinctRuns {
    /// Finds copies within each side and, unless the sides select other ranks or iterations, between the sides.
    ///
    /// # Errors
    /// If the events of a run cannot be read any more.
    pub(crate) fn of(sides: [&[LabeledTrace]; 2], same_selection: bool) -> Result<Self> {
        let [control, test] = sides;
        let all: Vec<&LabeledTrace> = control.iter().chain(test).collect();
        let copies = earlier_copies(&all.iter().map(|run| run.trace()).collect::<Vec<&TraceSet>>())?;
        let mut distinct = Self { sides: [Vec::new(), Vec::new()], warnings: Vec::new(), only: None };
        // Runs of test that are recordings of control: place of the recording, the run, the run of control.
        let mut between: Vec<(usize, &LabeledTrace, &LabeledTrace)> = Vec::new();
        for (index, (run, copy)) in all.iter().zip(copies).enumerate() {
            let side = usize::from(index >= control.len());
            let of_side = |earlier: &usize| usize::from(*earlier >= control.len()) == side;
            match copy.and_then(|earlier| Some((earlier, *all.get(earlier)?))) {
                Some((earlier, first)) if of_side(&earlier) => distinct.leave_out(run, first),
                Some((earlier, first)) => {
                    let in_test = between.iter().find(|(recording, ..)| *recording == earlier).map(|(_, run, _)| *run);
                    match in_test {
                        Some(in_test) => distinct.leave_out(run, in_test),
                        None => between.push((earlier, run, first)),
                    }
                }
                None => distinct.sides[side].push((*run).clone()),
            }
        }
        if !same_selection {
            distinct.sides[1].extend(between.drain(..).map(|(_, run, _)| run.clone()));
        }
        if distinct.sides[1].is_empty()
            && let Some(&(_, run, first)) = between.first()
        {
            distinct.only = Some([first.label().to_owned(), run.label().to_owned()]);
            distinct.sides[1].extend(between.iter().map(|(_, run, _)| (*run).clone()));
        } else {
            between.into_iter().for_each(|(_, run, first)| distinct.leave_out(run, first));
        }
        Ok(distinct)
    }

    /// Returns an error if test has no recording of its own.
    ///
    /// # Errors
    /// [`ExplainReason::OneRecording`].
    pub(crate) fn required(self) -> Result<Self> {
        match self.only {
            Some([control, test]) => Err(ExplainReason::OneRecording { control, test }.into()),
            None => Ok(self),
        }
    }

    fn leave_out(&mut self, run: &LabeledTrace, first: &LabeledTrace) {
        let (run, first) = (run.label().to_owned(), first.label().to_owned());
        self.warnings.push(Warning::CountedOnce { run, first });
    }
}

/// Runs that come one after the other, each recording once.
#[derive(Debug, Default)]
pub struct RecordingsOnce {
    known: Vec<(RunIdentity, String)>,
}

impl RecordingsOnce {
    /// Takes a run into account. Returns a warning if it is the recording of an earlier run, and should be left out.
    ///
    /// # Errors
    /// If its events cannot be read any more.
    pub fn copy_of_earlier(&mut self, run: &LabeledTrace) -> Result<Option<Warning>> {
        let identity = RunIdentity::of(run.trace())?;
        if let Some((_, first)) = self.known.iter().find(|(known, _)| *known == identity) {
            return Ok(Some(Warning::CountedOnce { run: run.label().to_owned(), first: first.clone() }));
        }
        self.known.push((identity, run.label().to_owned()));
        Ok(None)
    }
}
