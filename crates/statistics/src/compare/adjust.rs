//! q of all quantities: Benjamini–Hochberg or max-T, inside of a descent.

use super::estimate::Estimate;
use super::quantity::{Options, Quantity, Scope, TestKind};
use crate::many::benjamini_hochberg::{benjamini_hochberg, simes};
use crate::many::descent::{Descent, descend};
use crate::many::max_t::{Matrix, max_t};
use crate::numbers::error::Error;
use crate::two_sample::mann_whitney::smallest_p;

/// Where the smallest p that runs can reach, times the number of quantities, is above this share of α, Benjamini and Hochberg keep a
/// quantity only if its runs do not overlap at all. With 6 + 6 runs and a change of three standard deviations that is 86 in 100 times.
const SHARE: f64 = 0.1;

/// The q of each quantity, and whether it is from max-T.
pub(crate) fn adjusted(
    quantities: &[Quantity],
    estimates: &[Estimate],
    p: &[f64],
    options: &Options,
) -> Result<(Descent, bool), Error> {
    let parents: Vec<Option<usize>> = quantities.iter().map(|quantity| quantity.parent).collect();
    let [control, test] = estimates.first().map_or([0, 0], |first| [first.samples[0].len(), first.samples[1].len()]);
    let is_by_rank = matches!(options.test, TestKind::MannWhitney | TestKind::Permutation);
    let too_few = smallest_p(control, test) * quantities.len() as f64 > SHARE * options.alpha;
    if options.scope == Scope::Program && is_by_rank && too_few && control.min(test) >= 2 {
        let rows: Vec<Vec<f64>> = estimates.iter().map(|estimate| estimate.samples.concat()).collect();
        let max_t = max_t(&Matrix { rows: &rows, control }, options.seed)?;
        return Ok((descend(&parents, options.alpha, &|groups| max_t.adjusted(groups))?, true));
    }
    let by_rate = |groups: &[Vec<usize>]| {
        let of_group = |group: &Vec<usize>| match group[..] {
            [only] => p[only],
            _ => simes(&group.iter().map(|&at| p[at]).collect::<Vec<f64>>()),
        };
        Ok(benjamini_hochberg(&groups.iter().map(of_group).collect::<Vec<f64>>()))
    };
    Ok((descend(&parents, options.alpha, &by_rate)?, false))
}
