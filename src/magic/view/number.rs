//! Numbers as people read them.

/// Digits in groups of three: `1,284`.
pub(in crate::magic) fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A size in memory: `35.2 MB`.
pub(in crate::magic) fn bytes(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    while size >= 1000.0 && unit + 1 < UNITS.len() {
        size /= 1000.0;
        unit += 1;
    }
    if unit == 0 { format!("{bytes} B") } else { format!("{size:.1} {}", UNITS[unit]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_have_commas() {
        assert_eq!(grouped(0_u64), "0");
        assert_eq!(grouped(999_u64), "999");
        assert_eq!(grouped(1_284_usize), "1,284");
        assert_eq!(grouped(1_234_567_u64), "1,234,567");
    }

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(bytes(35_200_000), "35.2 MB");
    }
}
