//! Exact distributions of rank sums, with and without ties.

/// Counts the sets of `size` of the items by their sum: the element s of the answer is the number of sets with sum s. Counts are exact
/// below 2⁵³, that is up to 25 of 50 items.
pub(crate) fn with_ties(items: &[u64], size: usize) -> Vec<f64> {
    let mut largest: Vec<u64> = items.to_vec();
    largest.sort_unstable_by(|a, b| b.cmp(a));
    let width = largest.iter().take(size).sum::<u64>() as usize + 1;
    // counts[k][s]: sets of k of the items so far with sum s.
    let mut counts = vec![vec![0.0f64; width]; size + 1];
    counts[0][0] = 1.0;
    for (seen, &item) in items.iter().enumerate() {
        let item = item as usize;
        for k in (1..=size.min(seen + 1)).rev() {
            let (before, after) = counts.split_at_mut(k);
            if item < width {
                for (sum, more) in after[0][item..].iter_mut().zip(&before[k - 1]) {
                    *sum += more;
                }
            }
        }
    }
    counts.pop().unwrap_or_default()
}

/// Counts the arrangements of m and n values without ties by U: the Gaussian binomial coefficient, multiplied out. Exact below 2⁵³.
pub(crate) fn without_ties(m: usize, n: usize) -> Vec<f64> {
    let width = m * n + 1;
    let mut counts = vec![0.0; width];
    counts[0] = 1.0;
    for i in 1..=m {
        for u in (n + i..width).rev() {
            counts[u] -= counts[u - n - i];
        }
        for u in i..width {
            counts[u] += counts[u - i];
        }
    }
    counts
}

/// The shares of a distribution of counts that are at most and at least `at`.
pub(crate) fn tails(counts: &[f64], at: usize) -> (f64, f64) {
    let all: f64 = counts.iter().sum();
    let below: f64 = counts.iter().take(at + 1).sum();
    let above: f64 = counts.iter().skip(at).sum();
    (below / all, above / all)
}
