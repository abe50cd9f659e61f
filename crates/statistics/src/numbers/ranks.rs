//! Ranks of values, the mean rank for equal values.

/// Midranks of two samples taken together.
pub(crate) struct Ranks {
    /// Twice the midrank of each value, control first: whole numbers, so that sums are exact.
    pub(crate) doubled: Vec<u64>,
    /// Σ (t³ − t) over groups of t equal values.
    pub(crate) ties: f64,
}

/// The midranks of `control` and `test` taken together.
pub(crate) fn ranks(control: &[f64], test: &[f64]) -> Ranks {
    let values: Vec<f64> = control.iter().chain(test).copied().collect();
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut doubled = vec![0; values.len()];
    let mut ties = 0.0;
    let mut start = 0;
    while start < order.len() {
        // Not `total_cmp`: −0 and 0 are equal.
        let equal = order[start..].iter().take_while(|&&at| values[at] == values[order[start]]).count().max(1);
        for &at in &order[start..start + equal] {
            doubled[at] = (2 * start + equal + 1) as u64;
        }
        let group = equal as f64;
        ties += group * group * group - group;
        start += equal;
    }
    Ranks { doubled, ties }
}
