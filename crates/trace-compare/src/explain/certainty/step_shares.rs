//! Parts of the step that are judged for themselves: the step, a class or some regions, all without regions that are left out.

use super::judged::Judged;
use super::quantities::{BOTH, Quantities, Source};
use crate::explain::Explanation;
use crate::explain::explanation::word;
use call_tree::Sample;
use statistics::{Domain, Options, Quantity, compare};

/// A part of the step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepShare {
    /// All of it.
    Step,
    /// A class, by its word.
    Class(&'static str),
    /// Regions, by their ids.
    Regions(Vec<usize>),
}

/// What is left out of parts.
pub struct LeftOut<'c> {
    /// Regions, by their ids: also those of the classes.
    pub regions: Vec<usize>,
    /// Classes, by their words.
    pub classes: Vec<&'c str>,
}

/// A part, what it takes, and how certain the change of its ratio is.
pub(crate) struct JudgedShare {
    /// Mean of control and of test, each run with the same weight, µs a step.
    pub us: [f64; 2],
    pub(crate) judged: Judged,
}

impl Explanation {
    /// Judges parts of the step, without what is `left_out`, by the same unchanged regions as [`Self::certainty`]. q corrects for
    /// these parts and the step.
    ///
    /// # Errors
    /// If a side has no sample.
    pub(crate) fn judge_shares(
        &self,
        parts: &[StepShare],
        left_out: &LeftOut<'_>,
    ) -> Result<Vec<JudgedShare>, statistics::Error> {
        let mut quantities = Quantities::of(self)?.values;
        let before = quantities.len();
        let source = Source::of(self);
        for part in parts {
            quantities.push(source.part(part, left_out)?);
        }
        // Parts are judged by ratios, whose intervals need no resamples.
        let options = Options { intervals: 0, ..self.judging.options(self.certainty().scope, self.is_paired()) };
        let answer = compare(&quantities, &options)?;
        let of_parts = answer.changes.iter().skip(before);
        Ok(of_parts
            .map(|change| JudgedShare {
                us: [change.control / 1e3, change.test / 1e3],
                judged: Judged::of(change, &answer),
            })
            .collect())
    }
}

impl Source<'_> {
    fn part(&self, part: &StepShare, left_out: &LeftOut<'_>) -> Result<Quantity, statistics::Error> {
        let explanation = self.explanation;
        let of_class = |sample: &Sample, name: &str| match name {
            "idle" => sample.idle_ns,
            name => {
                let class = Sample::CLASSES.into_iter().find(|class| word(*class) == name);
                class.map_or(0, |class| sample.classes_ns[class as usize])
            }
        };
        let LeftOut { regions: left_out, classes } = left_out;
        let of_sample = |sample: &Sample| match part {
            StepShare::Step => sample.step_ns - classes.iter().map(|class| of_class(sample, class)).sum::<i64>(),
            StepShare::Class(name) if classes.contains(name) => 0,
            StepShare::Class(name) => of_class(sample, name),
            StepShare::Regions(_) => 0,
        };
        // What a class contains is left out with it.
        let is_alone = |id: &&usize| explanation.region_class(**id).is_none_or(|class| !classes.contains(&class));
        // Region by region with its sign: those that are left out are subtracted from the whole.
        let signed: Vec<(usize, i64)> = match part {
            StepShare::Step => left_out.iter().filter(is_alone).map(|&id| (id, -1)).collect(),
            StepShare::Class(class) => {
                let is_in = |id: &&usize| explanation.region_class(**id) == Some(class);
                left_out.iter().filter(is_in).filter(is_alone).map(|&id| (id, -1)).collect()
            }
            StepShare::Regions(ids) => ids.iter().filter(|id| !left_out.contains(id)).map(|&id| (id, 1)).collect(),
        };
        let [control, test] = BOTH.map(|side| {
            let whole = explanation.found.samples[side].iter().map(of_sample).enumerate();
            let of_regions = signed
                .iter()
                .flat_map(|&(id, sign)| explanation.shares(id, side).map(move |(sample, ns)| (sample, sign * ns)));
            self.sampling[side].runs(whole.chain(of_regions))
        });
        let is_host = matches!(part, StepShare::Step | StepShare::Class("idle")) || !self.has_gpu;
        let domain = if is_host { Domain::Host } else { Domain::Gpu };
        Ok(Quantity { parent: None, domain, unchanged: false, control: control?, test: test? })
    }
}
