//! q of all quantities: Benjamini–Hochberg or max-T, inside of a descent.

use super::estimate::Estimate;
use super::quantity::{Options, Quantity, Scope, TestKind};
use super::run::PValues;
use crate::many::benjamini_hochberg::{benjamini_hochberg, simes};
use crate::many::descent::{Descent, Opens, descend};
use crate::many::max_t::{Matrix, max_t, max_t_pairs};
use crate::numbers::error::Error;
use crate::two_sample::mann_whitney::smallest_p;

/// Where the smallest p that runs can reach, times the number of quantities, is above this share of α, Benjamini and Hochberg keep a
/// quantity only if its runs do not overlap at all. With 6 + 6 runs and a change of three standard deviations that is 86 in 100 times.
const SHARE: f64 = 0.1;

/// The q of each quantity, and whether it is from max-T.
pub(crate) fn adjusted(
    quantities: &[Quantity],
    estimates: &[Estimate],
    p: &[PValues],
    options: &Options,
) -> Result<(Descent, bool), Error> {
    let parents: Vec<Option<usize>> = quantities.iter().map(|quantity| quantity.parent).collect();
    let [control, test] = estimates.first().map_or([0, 0], |first| [first.samples[0].len(), first.samples[1].len()]);
    // Between recordings the internal controls keep false alarms far below α; between programs, two tests of the step would exceed it.
    let opens = if options.scope == Scope::Program { Opens::Subtree } else { Opens::Either };
    let is_by_rank = matches!(options.test, TestKind::MannWhitney | TestKind::Permutation);
    let too_few = smallest_p(control, test) * quantities.len() as f64 > SHARE * options.alpha;
    if options.paired && control >= 2 {
        let rows: Vec<Vec<f64>> = estimates.iter().map(|estimate| estimate.samples.concat()).collect();
        let max_t = max_t_pairs(&Matrix { rows: &rows, control }, options.seed)?;
        let controls: Vec<f64> = p.iter().map(|p| p.controls).collect();
        let adjust = |groups: &[Vec<usize>]| {
            let of_pairs = max_t.adjusted(groups)?;
            Ok(of_pairs.into_iter().zip(by_rate(&controls, groups)).map(|(one, other)| one.max(other)).collect())
        };
        return Ok((descend(&parents, options.alpha, opens, &adjust)?, true));
    }
    if options.scope == Scope::Program && is_by_rank && too_few && control.min(test) >= 2 {
        let rows: Vec<Vec<f64>> = estimates.iter().map(|estimate| estimate.samples.concat()).collect();
        let max_t = max_t(&Matrix { rows: &rows, control }, options.seed)?;
        return Ok((descend(&parents, options.alpha, opens, &|groups| max_t.adjusted(groups))?, true));
    }
    let p: Vec<f64> = p.iter().map(|p| p.corrected(options.alpha)).collect();
    Ok((descend(&parents, options.alpha, opens, &|groups| Ok(by_rate(&p, groups)))?, false))
}

/// Benjamini–Hochberg over groups, each by the p that nothing in it has changed.
fn by_rate(p: &[f64], groups: &[Vec<usize>]) -> Vec<f64> {
    let of_group = |group: &Vec<usize>| match group[..] {
        [only] => p[only],
        _ => simes(&group.iter().map(|&at| p[at]).collect::<Vec<f64>>()),
    };
    benjamini_hochberg(&groups.iter().map(of_group).collect::<Vec<f64>>())
}
