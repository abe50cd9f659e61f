//! Correlation of consecutive iterations, of each quantity and of all together.

use super::quantity::{Domain, Quantity};
use crate::numbers::moments::{mean, variance};
use crate::series::autocorrelation::{signed_correlation, usable};

/// Fewest quantities that say how correlated the others are.
const FEWEST: usize = 8;

/// Correlation of consecutive iterations of a quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Correlation {
    /// At lag 1, from 0 to 0.98.
    pub(crate) value: f64,
    /// Values that it is estimated from.
    pub(crate) values: f64,
}

impl Correlation {
    /// No correlation: the values are independent by design.
    pub(crate) const NONE: Self = Self { value: 0.0, values: f64::INFINITY };
}

/// Returns the correlation at lag 1 of each quantity. That of ten or twenty iterations is uncertain by a fifth and more, so each is drawn
/// towards the mean of its domain, as far as all differ no more than chance makes them (empirical Bayes; Efron and Morris, 1975).
pub(crate) fn correlations(quantities: &[Quantity]) -> Vec<Correlation> {
    let series = |quantity: &Quantity| {
        let series: Vec<&[f64]> = quantity.control.each().chain(quantity.test.each()).collect();
        signed_correlation(&series)
    };
    let length = |quantity: &Quantity| (quantity.control.values().len() + quantity.test.values().len()) as f64;
    let mut found: Vec<(Option<f64>, f64)> =
        quantities.iter().map(|quantity| (series(quantity), length(quantity))).collect();
    for domain in [Domain::Gpu, Domain::Host] {
        let of_domain = |at: &usize| quantities[*at].domain == domain && found[*at].0.is_some();
        let members: Vec<usize> = (0..quantities.len()).filter(of_domain).collect();
        if members.len() < FEWEST {
            continue;
        }
        let own: Vec<f64> = members.iter().filter_map(|&at| found[at].0).collect();
        let lengths: Vec<f64> = members.iter().map(|&at| found[at].1).collect();
        let centre = mean(&own);
        // The correction for short series makes their correlations differ more.
        let series =
            |at: &usize| (quantities[*at].control.lengths().len() + quantities[*at].test.lengths().len()) as f64;
        let of_each =
            members.iter().zip(&lengths).map(|(at, length)| (1.0 + 4.0 * series(at) / length).powi(2) / length);
        let chance = (1.0 - centre * centre).max(0.0) * of_each.sum::<f64>() / own.len() as f64;
        let spread = variance(&own);
        // The variance of so many correlations is itself uncertain: what is within two of its standard errors is chance.
        let chance = chance * (1.0 + 2.0 * (2.0 / (own.len() as f64 - 1.0)).sqrt());
        let weight = if spread > 0.0 { (1.0 - chance / spread).max(0.0) } else { 0.0 };
        let all: f64 = lengths.iter().sum();
        for ((at, own), length) in members.into_iter().zip(own).zip(lengths) {
            found[at] = (Some(centre + weight * (own - centre)), length + (1.0 - weight) * (all - length));
        }
    }
    found.into_iter().map(|(found, values)| Correlation { value: usable(found.unwrap_or(0.0)), values }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::quantity::Runs;
    use crate::numbers::distribution::normal_quantile;
    use crate::numbers::random::Random;

    /// A quantity with so much correlation in both sides, and so many iterations each.
    fn quantity(correlation: f64, iterations: usize, random: &mut Random) -> Quantity {
        let mut side = || {
            let mut state = 0.0;
            let mut next = || {
                state = correlation * state
                    + (1.0 - correlation * correlation).sqrt() * normal_quantile(random.uniform().max(1e-16));
                100.0 + state
            };
            Runs::new(&[(0..iterations).map(|_| next()).collect()]).unwrap()
        };
        Quantity { parent: None, domain: Domain::Gpu, unchanged: true, control: side(), test: side() }
    }

    #[test]
    fn equal_correlations_are_drawn_together() {
        let mut random = Random::new(3);
        let independent: Vec<Quantity> = (0..40).map(|_| quantity(0.0, 10, &mut random)).collect();
        let found = correlations(&independent);
        assert!(found.iter().all(|found| found.value < 0.15 && found.values > 400.0), "{found:?}");
        assert!(independent.iter().any(|one| correlations(std::slice::from_ref(one))[0].value > 0.3));
    }

    #[test]
    fn unequal_correlations_stay_apart() {
        let mut random = Random::new(4);
        let mixed: Vec<Quantity> =
            (0..40).map(|at| quantity(if at < 20 { 0.0 } else { 0.9 }, 30, &mut random)).collect();
        let found: Vec<f64> = correlations(&mixed).iter().map(|found| found.value).collect();
        assert!(mean(&found[20..]) > mean(&found[..20]) + 0.3, "{found:?}");
    }

    #[test]
    fn constant_quantities_have_none() {
        let constant = Runs::new(&[vec![1.0; 10]]).unwrap();
        let one =
            Quantity { parent: None, domain: Domain::Host, unchanged: true, control: constant.clone(), test: constant };
        assert!(correlations(&vec![one; 9]).iter().all(|found| found.value == 0.0));
    }
}
