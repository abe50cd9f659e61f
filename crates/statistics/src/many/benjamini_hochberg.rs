//! Corrections of p for many tests: Benjamini–Hochberg, Simes.

/// Returns the q value of each p (Benjamini and Hochberg, 1995): the smallest share of false discoveries at which it is kept,
/// min over k ≥ rank of m · p₍ₖ₎ / k, at most 1. NaN stays NaN and counts as no test.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&at| !p[at].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut q = vec![f64::NAN; p.len()];
    let mut least = 1.0f64;
    for (rank, &at) in order.iter().enumerate().rev() {
        least = least.min(order.len() as f64 * p[at] / (rank + 1) as f64);
        q[at] = least;
    }
    q
}

/// Returns the p that nothing of a group has changed (Simes, 1986): min over k of m · p₍ₖ₎ / k. NaN counts as no test; 1 of nothing.
pub fn simes(p: &[f64]) -> f64 {
    benjamini_hochberg(p).into_iter().fold(1.0, f64::min)
}
