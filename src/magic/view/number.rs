//! Sizes as people read them.

/// A size in memory: `35.2 MB`.
pub(crate) fn bytes(bytes: usize) -> String {
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
    fn sizes_have_a_unit() {
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(1_500), "1.5 kB");
        assert_eq!(bytes(35_200_000), "35.2 MB");
    }
}
