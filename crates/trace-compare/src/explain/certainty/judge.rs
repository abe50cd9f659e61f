//! Judging the changes of an explanation.

use super::answer::Certainty;
use super::judged::Judged;
use super::quantities::{BOTH, Quantities, Subject};
use super::sampling::Sampling;
use crate::certainty::{SampleKind, score};
use crate::explain::Explanation;
use statistics::{Answer, Comparability, Options, Scope, compare};

impl Certainty {
    /// Judges everything in an explanation.
    fn of(explanation: &Explanation) -> Self {
        let [control, test] = &explanation.sides;
        let scope = if control.runs > 1 && test.runs > 1 { Scope::Program } else { Scope::Recording };
        let options = explanation.judging.options(scope, explanation.is_paired());
        let quantities = Quantities::of(explanation);
        let answer = quantities.as_ref().ok().and_then(|quantities| compare(&quantities.values, &options).ok());
        match (quantities, answer) {
            (Ok(quantities), Some(answer)) => Self::new(explanation, &quantities, &answer),
            _ => Self::unknown(explanation, &options),
        }
    }

    fn new(explanation: &Explanation, quantities: &Quantities, answer: &Answer) -> Self {
        let mut certainty = Self {
            samples: answer.samples,
            effective: answer.changes.first().map_or([0.0; 2], |step| step.effective),
            comparability: answer.comparability,
            score: score(answer.comparability, &explanation.warnings),
            gpu: answer.gpu,
            host: answer.host,
            ..Self::unknown(
                explanation,
                &Options { seed: answer.seed, paired: answer.paired, ..Options::new(answer.scope) },
            )
        };
        certainty.classes.clear();
        for (subject, change) in quantities.subjects.iter().zip(&answer.changes) {
            let judged = Judged::of(change, answer);
            match subject {
                Subject::Step => certainty.step = judged,
                Subject::Class(class) => certainty.classes.push((class, judged)),
                Subject::Idle(cause) => certainty.idle.push((cause, judged)),
                Subject::Group { group, regions } => {
                    certainty.groups[*group] = judged;
                    // A group of one region is that region.
                    if let [region] = regions[..] {
                        certainty.regions[region] = Some(judged);
                    }
                }
                Subject::Region(region) => certainty.regions[*region] = Some(judged),
            }
        }
        certainty
    }

    /// Without samples nothing can be judged.
    fn unknown(explanation: &Explanation, options: &Options) -> Self {
        let judged = Judged::unknown();
        Self {
            scope: options.scope,
            kind: match options.scope {
                _ if options.paired => SampleKind::Ranks,
                Scope::Recording => SampleKind::Iterations,
                Scope::Program => SampleKind::Runs,
            },
            samples: [0, 0],
            iterations: BOTH.map(|side| Sampling::by_iteration(explanation, side).iterations.len()),
            effective: [0.0; 2],
            seed: options.seed,
            comparability: Comparability::Unknown,
            score: None,
            gpu: None,
            host: None,
            step: judged,
            classes: explanation.classes.iter().map(|class| (class.class, judged)).collect(),
            idle: Vec::new(),
            regions: vec![None; explanation.region_count()],
            groups: vec![judged; explanation.groups().len()],
        }
    }
}

impl Explanation {
    /// Returns how certain the changes are. Computed once, when it is first asked for.
    pub fn certainty(&self) -> &Certainty {
        self.certainty.get_or_init(|| Certainty::of(self))
    }

    /// Judges changes of other sets of regions, such as all calls of an operator; `sets` names regions by their ids. Each set is one
    /// more quantity beside those of [`Self::certainty`], judged by the same unchanged regions; q corrects for the sets alone.
    pub fn judge(&self, sets: &[Vec<usize>]) -> Vec<Judged> {
        let intervals = 1 + sets.len();
        let options = Options { intervals, ..self.judging.options(self.certainty().scope, self.is_paired()) };
        let judged = Quantities::of_sets(self, sets).and_then(|quantities| compare(&quantities, &options));
        match judged {
            Ok(answer) => {
                let sets = answer.changes.iter().skip(1).take(sets.len());
                sets.map(|change| Judged::of(change, &answer)).collect()
            }
            Err(_) => vec![Judged::unknown(); sets.len()],
        }
    }
}
