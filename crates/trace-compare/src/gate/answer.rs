//! The answer of a gate.

use super::accepted::Accepted;
use super::case::{Case, Outcome, needed_words, percent, signed_percent};
use super::structure::{StructuralFact, sentence};
use crate::SideSummary;
use statistics::{Comparability, Scope, Verdict};
use trace_view::format::{counted, microseconds as time};

/// What a gate found.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct GateAnswer {
    /// Control and test.
    pub sides: [SideSummary; 2],
    /// Whether the answer is about these recordings or about the programs.
    pub scope: Scope,
    /// Samples of control and of test: iterations, or runs where the answer is about programs.
    pub samples: [usize; 2],
    /// Whether a single run was judged by the interval in which a baseline predicts one more run.
    pub is_prediction: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// Whether the recordings can be compared.
    pub comparability: Comparability,
    /// How comparable they are, from 0 to 1, as of [`Certainty::comparable`](crate::Certainty::comparable).
    pub comparable: Option<f64>,
    /// Length of a step of control and of test, µs.
    pub step_us: [f64; 2],
    /// The limits, in the order given.
    pub cases: Vec<Case>,
    /// What differs by structure.
    pub facts: Vec<StructuralFact>,
    /// Regions of which a regression or an improvement is certain, the largest change first; without accepted ones.
    pub changed: Vec<ChangedRegion>,
    /// Changes that were accepted, and whether they are honoured.
    pub accepted: Vec<Honoured>,
    /// Warnings about the recordings.
    pub warnings: Vec<String>,
}

/// A region that certainly takes longer or less long.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ChangedRegion {
    /// Its number in the explanation.
    pub id: usize,
    /// Calls above the kernel, outermost first.
    pub path: Vec<String>,
    /// The kernel, or the host event of recordings without GPU work.
    pub kernel: String,
    /// Regression or improvement.
    pub verdict: Verdict,
    /// Share of the step of control and of test, µs.
    pub attributed_us: [f64; 2],
    /// 95 % interval of the difference, µs.
    pub interval_us: Option<[f64; 2]>,
    /// Growth as a share of control: estimate, and both ends of its interval.
    pub growth: Option<[f64; 3]>,
    /// p corrected for all regions.
    pub q: Option<f64>,
}

/// An accepted change, in this comparison.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Honoured {
    /// The change as it was accepted.
    pub accepted: Accepted,
    /// Time of its regions a step of control and of test, µs; absent if there is no such region.
    pub attributed_us: Option<[f64; 2]>,
    /// Whether its regions are left out of the limits. They are not once they take longer than was accepted.
    pub honoured: bool,
}

impl GateAnswer {
    /// Returns whether all limits hold: exceeded if one is, else inconclusive if one is.
    pub fn outcome(&self) -> Outcome {
        let has = |outcome: Outcome| self.cases.iter().any(|case| case.outcome == outcome);
        match () {
            () if has(Outcome::Exceeded) => Outcome::Exceeded,
            () if has(Outcome::Inconclusive) => Outcome::Inconclusive,
            () => Outcome::Passed,
        }
    }

    /// Returns `no regression`, `regression` or `inconclusive`.
    pub fn verdict(&self) -> &'static str {
        match self.outcome() {
            Outcome::Passed => "no regression",
            Outcome::Exceeded => "regression",
            Outcome::Inconclusive => "inconclusive",
        }
    }

    /// Regions that certainly got slower.
    pub fn regressions(&self) -> impl Iterator<Item = &ChangedRegion> {
        self.changed.iter().filter(|region| region.verdict == Verdict::Regression)
    }

    /// Regions that certainly got faster.
    pub fn improvements(&self) -> impl Iterator<Item = &ChangedRegion> {
        self.changed.iter().filter(|region| region.verdict == Verdict::Improvement)
    }

    /// The answer in one sentence.
    pub fn sentence(&self) -> String {
        let outcome = self.outcome();
        let of_outcome: Vec<&Case> = self.cases.iter().filter(|case| case.outcome == outcome).collect();
        let Some(first) = of_outcome.first() else { return String::from("No regression: there is no limit.") };
        let others = match of_outcome.len() - 1 {
            0 => String::new(),
            more => format!(" So {} {}.", if more == 1 { "is" } else { "are" }, counted(more, "other limit")),
        };
        let sentence = first.sentence();
        match outcome {
            Outcome::Passed if self.cases.len() > 1 => {
                format!("No regression: all {} limits hold; {sentence}.", self.cases.len())
            }
            Outcome::Passed => format!("No regression: {sentence}."),
            Outcome::Exceeded => format!("Regression: {sentence}.{others}"),
            Outcome::Inconclusive => {
                let needed = first.needed.map_or_else(String::new, |needed| format!(" {}", self.to_record(needed)));
                format!("Inconclusive: {sentence}.{needed}{others}")
            }
        }
    }

    /// Tells whether a limit is the one that the sentence is about.
    pub(super) fn is_named(&self, case: &Case) -> bool {
        let outcome = self.outcome();
        self.cases.iter().find(|case| case.outcome == outcome).is_some_and(|named| std::ptr::eq(named, case))
    }

    /// Says what to record next.
    pub(super) fn to_record(&self, needed: usize) -> String {
        match self.scope {
            Scope::Program if self.is_prediction => format!("Add runs to the baseline: {needed} are needed."),
            Scope::Program if needed > MANY => {
                format!("It would take {} runs: record on a quieter machine.", needed_words(needed))
            }
            Scope::Program => format!("Record {} fresh processes in mixed order.", needed_words(needed)),
            Scope::Recording => {
                format!("Record {} iterations, or {FEW} + {FEW} fresh processes.", needed_words(needed))
            }
        }
    }

    /// What differs by structure, in one line; empty if nothing does.
    pub fn structure(&self) -> String {
        sentence(&self.facts)
    }

    /// The question that was answered: `between the programs, 6 + 6 runs`.
    pub fn scope_words(&self) -> String {
        let [control, test] = self.samples;
        if self.is_prediction {
            return format!("{} against a baseline of {}", counted(test, "run"), counted(control, "run"));
        }
        match self.scope {
            Scope::Program => format!("between the programs, {control} + {test} runs"),
            Scope::Recording => format!("between these recordings, {control} + {test} iterations"),
        }
    }

    /// How comparable the recordings are, in words.
    pub fn comparability_words(&self) -> String {
        let score = self.comparable.map_or_else(String::new, |score| format!(" ({score:.2} of 1)"));
        match self.comparability {
            Comparability::Comparable { .. } => format!("comparable{score}"),
            Comparability::NotComparable { .. } => format!("not comparable: the recordings differ as a whole{score}"),
            Comparability::Unknown => "comparability unknown: too few unchanged regions".to_owned(),
            Comparability::MostChanged => "comparability unknown: more than half of the regions changed".to_owned(),
        }
    }
}

/// More runs a side than anybody records.
const MANY: usize = 50;
/// Fresh processes a side with which verdicts begin.
const FEW: usize = statistics::FEWEST;

impl Case {
    /// `step grew by 4.1 % (95 % +2.9 % … +5.4 %), above 3 %`
    pub fn sentence(&self) -> String {
        format!("{} {}", self.limit.of, self.finding())
    }

    /// The same without the name of the quantity.
    pub(super) fn finding(&self) -> String {
        match self.growth {
            Some([estimate, low, high]) => {
                let grew = if estimate < 0.0 { "shrank" } else { "grew" };
                let ends = format!("95 % {} … {}", signed_percent(low), signed_percent(high));
                format!("{grew} by {} ({ends}{}), {}", percent(estimate.abs()), self.of_means(low, high), self.why)
            }
            None if [self.control_us, self.test_us] == [0.0, 0.0] => self.why.clone(),
            None => format!("{} → {}, {}", time(self.control_us), time(self.test_us), self.why),
        }
    }

    /// The growth of the means, if the interval of the median growth does not hold it: `; the means +60.1 %`.
    fn of_means(&self, low: f64, high: f64) -> String {
        let growth = self.test_us / self.control_us - 1.0;
        let is_apart = growth.is_finite() && !(low..=high).contains(&growth);
        if is_apart { format!("; the means {}", signed_percent(growth)) } else { String::new() }
    }
}

impl ChangedRegion {
    /// Change of the share of the step, µs.
    pub fn change_us(&self) -> f64 {
        self.attributed_us[1] - self.attributed_us[0]
    }

    /// The innermost call above the kernel and the kernel, the latter shortened.
    pub fn called(&self) -> String {
        let kernel = trace_view::tidy(&crate::shorten_name(&self.kernel));
        match self.path.last() {
            Some(operator) if *operator != kernel => format!("{operator} · {kernel}"),
            _ => kernel,
        }
    }
}
