//! The gate: limits and accepted changes, and an explanation judged by them.

use super::accepted::{Accepted, names};
use super::answer::{ChangedRegion, GateAnswer, Honoured};
use super::case::{Case, Measured, judge};
use super::limit::{Limit, Limited};
use super::structure::StructuralFact;
use crate::explain::{JudgedShare, StepShare};
use crate::{Error, Explanation, Judged, RegionRow, Result};

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

    /// Leaves regions out of all limits, as long as they take no longer than was accepted. Idle time is not left out.
    #[must_use]
    pub fn accepting(mut self, accepted: Vec<Accepted>) -> Self {
        self.accepted = accepted;
        self
    }

    /// Judges an explanation.
    ///
    /// # Errors
    /// [`Error::UnknownRegion`] if neither side has work of the name of a limit; if a side has no sample.
    pub fn judge(&self, explanation: &Explanation) -> Result<GateAnswer> {
        let rows = explanation.rows();
        let accepted = self.honoured(&rows);
        let is_left_out = |row: &RegionRow| accepted.iter().any(|one| one.honoured && one.accepted.is_of(row));
        let left_out: Vec<usize> = rows.iter().filter(|row| is_left_out(row)).map(|row| row.id).collect();
        let parts = self.limits.iter().map(|limit| part(limit, &rows, explanation)).collect::<Result<Vec<_>>>()?;
        let judged = explanation.judge_shares(&parts, &left_out)?;
        let certainty = explanation.certainty();
        let cases = self.limits.iter().zip(&judged).map(|(limit, part)| case(limit, part, certainty.samples));
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
            step_us: [explanation.step.control_us, explanation.step.test_us],
            cases: cases.collect(),
            facts: explanation.structure().iter().map(StructuralFact::of).collect(),
            changed,
            accepted,
            warnings: explanation.warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// The limits.
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Says of each accepted change whether it is honoured.
    pub(crate) fn honoured(&self, rows: &[RegionRow]) -> Vec<Honoured> {
        let of = |accepted: &Accepted| {
            let attributed_us = time(rows, &accepted.region);
            let honoured = attributed_us.is_some_and(|[_, test]| test <= accepted.up_to_us);
            Honoured { accepted: accepted.clone(), attributed_us, honoured }
        };
        self.accepted.iter().map(of).collect()
    }
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
    /// Accepts what the regions of a name cost in test, with a tenth more for noise.
    ///
    /// # Errors
    /// [`Error::UnknownRegion`] if neither side has work of this name.
    pub fn of(explanation: &Explanation, name: &str, reason: &str, by: &str) -> Result<Accepted> {
        let Some([_, test]) = time(&explanation.rows(), name) else { return Err(unknown(name, explanation)) };
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

fn case(limit: &Limit, part: &JudgedShare, samples: [usize; 2]) -> Case {
    let [control_us, test_us] = part.us;
    let one_sided = matches!(limit.of, Limited::Name(_)) && (control_us == 0.0 || test_us == 0.0);
    let Judged { ratio, relevance, verdict, .. } = part.judged;
    judge(limit.clone(), &Measured { control_us, test_us, ratio, relevance, verdict, samples, one_sided })
}
