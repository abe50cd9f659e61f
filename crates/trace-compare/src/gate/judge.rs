//! The gate: limits and accepted changes, and an explanation judged by them.

use super::accepted::{Accepted, class_of, names};
use super::answer::{ChangedRegion, GateAnswer, Honoured};
use super::case::{Measured, judge};
use super::limit::{Limit, Limited};
use super::structure::StructuralFact;
use crate::error::ExplainReason;
use crate::explain::{LeftOut, StepShare};
use crate::{Error, Explanation, Judged, RegionRow, Result, Warning};

/// Names that an error offers instead of an unknown one.
const OFFERED: usize = 5;

/// Limits of a comparison, and the changes that were accepted.
#[derive(Debug, Clone)]
pub struct Gate {
    limits: Vec<Limit>,
    accepted: Vec<Accepted>,
}

impl Gate {
    /// A gate with these limits; with none, [`Limit::DEFAULT`].
    pub fn new(limits: Vec<Limit>) -> Self {
        let limits = if limits.is_empty() { vec![Limit::DEFAULT] } else { limits };
        Self { limits, accepted: Vec::new() }
    }

    /// Leaves regions and classes out of all limits, as long as they take no longer than was accepted. Idle time that a slower region
    /// causes is a class of its own: `class:idle`.
    #[must_use]
    pub fn accepting(mut self, accepted: Vec<Accepted>) -> Self {
        self.accepted = accepted;
        self
    }

    /// Judges an explanation.
    ///
    /// # Errors
    /// [`Error::UnknownRegion`] if neither side has work of the name of a limit; [`ExplainReason::NothingChosen`] if the condition of the
    /// explanation chooses no region; if a side has no sample.
    pub fn judge(&self, explanation: &Explanation) -> Result<GateAnswer> {
        if let Some(condition) = explanation.chooses_nothing() {
            return Err(ExplainReason::NothingChosen { condition: condition.to_owned() }.into());
        }
        let rows = explanation.rows();
        let of_class = |class: &str| {
            let found = explanation.classes.iter().find(|known| known.class == class);
            found.map(|class| [class.control_us, class.test_us])
        };
        let accepted = self.honoured(&rows, &of_class);
        let classes: Vec<&str> = left_out_classes(&accepted).collect();
        let is_left_out = |row: &RegionRow| {
            accepted.iter().any(|one| one.honoured && one.accepted.is_of(row))
                || explanation.region_class(row.id).is_some_and(|class| classes.contains(&class))
        };
        let regions = rows.iter().filter(|row| is_left_out(row)).map(|row| row.id).collect();
        let left_out = LeftOut { regions, classes: classes.clone() };
        let parts = self.limits.iter().map(|limit| part(limit, &rows, explanation)).collect::<Result<Vec<_>>>()?;
        let judged = explanation.judge_shares(&parts, &left_out)?;
        let certainty = explanation.certainty();
        let (unjudged, steps_us) = (certainty.no_verdict(), [explanation.step.control_us, explanation.step.test_us]);
        let cases = self.limits.iter().zip(&judged).map(|(limit, part)| {
            let [control_us, test_us] = part.us;
            let one_sided = matches!(limit.of, Limited::Name(_)) && (control_us == 0.0 || test_us == 0.0);
            let accepted = match &limit.of {
                Limited::Step => false,
                Limited::Class(class) => classes.contains(class),
                Limited::Name(name) => rows.iter().filter(|row| names(name, row)).all(is_left_out),
            };
            let Judged { ratio, relevance, verdict, q, .. } = part.judged;
            let samples = certainty.samples;
            let step_us = steps_us[0];
            let measured = Measured {
                control_us,
                test_us,
                ratio,
                relevance,
                verdict,
                samples,
                one_sided,
                accepted,
                q,
                unjudged,
                step_us,
            };
            judge(limit.clone(), &measured)
        });
        let of_row = |row: &RegionRow| certainty.regions.get(row.id).copied().flatten();
        let changed = rows.iter().filter(|row| !is_left_out(row)).filter_map(|row| changed(row, of_row(row)?));
        let mut changed: Vec<ChangedRegion> = changed.collect();
        changed.sort_by(|one, other| other.change_us().abs().total_cmp(&one.change_us().abs()));
        Ok(GateAnswer {
            sides: explanation.sides.clone(),
            scope: certainty.scope,
            samples: certainty.samples,
            is_prediction: false,
            seed: certainty.seed,
            comparability: certainty.comparability,
            comparable: certainty.comparable(),
            step_us: steps_us,
            cases: cases.collect(),
            facts: explanation.structure().iter().map(StructuralFact::of).collect(),
            changed,
            accepted,
            warnings: Warning::sentences(&explanation.warnings),
        })
    }

    /// The limits.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Says of each accepted change whether it is honoured.
    /// `of_class` returns the time of a class a step, of control and of test.
    pub(crate) fn honoured(&self, rows: &[RegionRow], of_class: &dyn Fn(&str) -> Option<[f64; 2]>) -> Vec<Honoured> {
        let of = |accepted: &Accepted| {
            let attributed_us = match accepted.class() {
                Some(class) => of_class(class),
                None => time(rows, &accepted.region),
            };
            let honoured = attributed_us.is_some_and(|[_, test]| test <= accepted.up_to_us);
            Honoured { accepted: accepted.clone(), attributed_us, honoured }
        };
        self.accepted.iter().map(of).collect()
    }
}

/// The classes that are left out of all limits.
pub(crate) fn left_out_classes(accepted: &[Honoured]) -> impl Iterator<Item = &'static str> {
    accepted.iter().filter(|one| one.honoured).filter_map(|one| one.accepted.class())
}

/// The part of the step that a limit is about.
fn part(limit: &Limit, rows: &[RegionRow], explanation: &Explanation) -> Result<StepShare> {
    Ok(match &limit.of {
        Limited::Step => StepShare::Step,
        Limited::Class(class) => StepShare::Class(class),
        Limited::Name(name) => {
            let regions: Vec<usize> = rows.iter().filter(|row| names(name, row)).map(|row| row.id).collect();
            if regions.is_empty() {
                return Err(unknown(name, explanation));
            }
            StepShare::Regions(regions)
        }
    })
}

/// Returns the time of all regions of a name a step, of control and of test, µs; nothing if there is none.
fn time(rows: &[RegionRow], name: &str) -> Option<[f64; 2]> {
    let of_name = rows.iter().filter(|row| names(name, row)).map(|row| row.attributed_us);
    of_name.reduce(|sum, time| [sum[0] + time[0], sum[1] + time[1]])
}

impl Accepted {
    /// Accepts what the regions of a name, or a class (`class:idle`), cost in test, with a tenth more for noise.
    ///
    /// # Errors
    /// [`Error::UnknownRegion`] if neither side has work of this name.
    pub fn of(explanation: &Explanation, name: &str, reason: &str, by: &str) -> Result<Accepted> {
        let of_class = class_of(name).and_then(|name| explanation.classes.iter().find(|class| class.class == name));
        let test = match of_class {
            Some(class) => Some(class.test_us),
            None => time(&explanation.rows(), name).map(|[_, test]| test),
        };
        let Some(test) = test else { return Err(unknown(name, explanation)) };
        Ok(Accepted::now(name, reason, by, test * 1.1))
    }
}

fn unknown(name: &str, explanation: &Explanation) -> Error {
    let mut regions: Vec<String> = Vec::new();
    for row in explanation.largest(10 * OFFERED) {
        let called = row.path.last().filter(|call| call.contains("::")).unwrap_or(&row.kernel);
        if !regions.contains(called) {
            regions.push(called.clone());
        }
    }
    regions.truncate(OFFERED);
    Error::UnknownRegion { name: name.to_owned(), regions }
}

/// A region whose change is certain.
fn changed(row: &RegionRow, judged: Judged) -> Option<ChangedRegion> {
    judged.verdict.is_change().then(|| ChangedRegion {
        id: row.id,
        path: row.path.clone(),
        kernel: row.kernel.clone(),
        verdict: judged.verdict,
        attributed_us: row.attributed_us,
        interval_us: judged.interval_us,
        growth: judged.ratio.map(|ratio| ratio.map(|end| end - 1.0)),
        q: judged.q,
    })
}
