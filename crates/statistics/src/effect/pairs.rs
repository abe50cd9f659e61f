//! Order statistics of all differences of two samples, without forming them.

/// Returns the difference `test − control` with `rank` smaller ones (0 is the smallest), of two ascending samples: by halving the range
/// of floating-point numbers and counting, in time m + n and no memory.
pub(crate) fn kth_difference(control: &[f64], test: &[f64], rank: usize) -> f64 {
    kth(rank as u64, |x| {
        // As test grows, fewer of the smallest control values give a difference above x.
        let mut above = 0;
        let mut count = 0u64;
        for &value in test {
            while above < control.len() && value - control[above] > x {
                above += 1;
            }
            count += (control.len() - above) as u64;
        }
        count
    })
}

/// Returns the mean of two values of one ascending sample with `rank` smaller means; each value is paired with itself, too.
pub(crate) fn kth_mean(sample: &[f64], rank: usize) -> f64 {
    kth(rank as u64, |x| {
        let mut count = 0u64;
        let mut below = sample.len();
        for (at, &value) in sample.iter().enumerate() {
            while below > 0 && (value + sample[below - 1]) / 2.0 > x {
                below -= 1;
            }
            count += below as u64 + u64::from(at < below);
        }
        count / 2
    })
}

/// The smallest number with more than `rank` values at or below it, by a count that grows with the number.
fn kth(rank: u64, count: impl Fn(f64) -> u64) -> f64 {
    let (mut low, mut high) = (key(f64::NEG_INFINITY), key(f64::INFINITY));
    while low < high {
        let middle = low + (high - low) / 2;
        if count(number(middle)) > rank { high = middle } else { low = middle + 1 }
    }
    number(low)
}

/// Bits in the order of the numbers.
fn key(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn number(key: u64) -> f64 {
    f64::from_bits(if key >> 63 == 1 { key & !(1 << 63) } else { !key })
}
