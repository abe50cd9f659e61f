//! The noise between recordings, from the unchanged quantities of a comparison.

use super::answer::Comparability;
use super::estimate::Estimate;
use super::quantity::{Domain, Quantity, leaves};
use crate::many::controls::{Controls, Measured, controls};
use std::collections::HashMap;

/// Largest spread of unchanged quantities of comparable recordings.
const GPU_LIMIT: f64 = 0.10;
const HOST_LIMIT: f64 = 0.20;

/// Controls of both domains, and what follows from them.
pub(crate) struct Noise {
    pub(crate) gpu: Option<Controls>,
    pub(crate) host: Option<Controls>,
    pub(crate) comparability: Comparability,
    /// The controls without a quantity that lies beyond their noise, by its position.
    without: HashMap<usize, Controls>,
}

impl Noise {
    pub(crate) fn of(quantities: &[Quantity], estimates: &[Estimate]) -> Noise {
        let mut without = HashMap::new();
        let mut of_domain = |domain: Domain| {
            let (mut measured, mut positions) = (Measured::default(), Vec::new());
            for (at, (quantity, estimate)) in quantities.iter().zip(estimates).enumerate() {
                let Some(ratio) = estimate.ratio.filter(|_| quantity.unchanged && quantity.domain == domain) else {
                    continue;
                };
                if estimate.log_error.is_finite() {
                    measured.push(ratio.estimate.ln(), estimate.log_error, (estimate.control + estimate.test) / 2.0);
                    positions.push(at);
                }
            }
            let all = controls(&measured.ratios, &measured.errors, &measured.sizes).ok()?;
            let beyond =
                positions.iter().enumerate().filter_map(|(slot, &at)| Some((at, measured.without(slot, &all)?)));
            without.extend(beyond);
            Some(all)
        };
        let (gpu, host) = (of_domain(Domain::Gpu), of_domain(Domain::Host));
        let comparability = comparability(quantities, gpu.as_ref(), host.as_ref());
        Noise { gpu, host, comparability, without }
    }

    /// The controls that a quantity is judged by: those of its domain, without itself.
    pub(crate) fn of_quantity(&self, at: usize, domain: Domain) -> Option<&Controls> {
        let all = self.of_domain(domain)?;
        Some(self.without.get(&at).unwrap_or(all))
    }

    /// The controls that a domain is judged by: its own, else those of the other one. None if they are no measure of the recording.
    pub(crate) fn of_domain(&self, domain: Domain) -> Option<&Controls> {
        if matches!(self.comparability, Comparability::MostChanged | Comparability::Unknown) {
            return None;
        }
        match domain {
            Domain::Gpu => self.gpu.as_ref().or(self.host.as_ref()),
            Domain::Host => self.host.as_ref().or(self.gpu.as_ref()),
        }
    }
}

fn comparability(quantities: &[Quantity], gpu: Option<&Controls>, host: Option<&Controls>) -> Comparability {
    let is_leaf = leaves(quantities);
    let (domain, excess, limit) = match (gpu, host) {
        (Some(gpu), _) => (Domain::Gpu, gpu.excess, GPU_LIMIT),
        (None, Some(host)) => (Domain::Host, host.excess, HOST_LIMIT),
        (None, None) => return Comparability::Unknown,
    };
    let of_domain = quantities.iter().zip(&is_leaf).filter(|(quantity, leaf)| **leaf && quantity.domain == domain);
    let leaves = of_domain.clone().count();
    let unchanged = of_domain.filter(|(quantity, _)| quantity.unchanged).count();
    if 2 * unchanged < leaves {
        return Comparability::MostChanged;
    }
    let score = 1.0 / (1.0 + (excess / limit).powi(2));
    if excess > limit { Comparability::NotComparable { score } } else { Comparability::Comparable { score } }
}
