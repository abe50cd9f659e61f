//! Sizes of memory and files as text, in binary units.

/// Formats a number of bytes: `12 B`, `1.5 KiB`, `35.2 MiB`, `300 MiB`, `2 GiB`. One decimal below 100, none if it is 0.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut size = bytes as f64;
    let mut unit = 0;
    // 1023.95 KiB would be rounded to 1024 KiB.
    while size >= 1023.5 && unit + 1 < UNITS.len() {
        size /= 1024.0;
        unit += 1;
    }
    let tenths = (size * 10.0).round();
    let decimals = usize::from(tenths < 1000.0 && tenths % 10.0 != 0.0);
    format!("{size:.decimals$} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        for (size, text) in [
            (0, "0 B"),
            (1, "1 B"),
            (1_023, "1023 B"),
            (1_024, "1 KiB"),
            (1_536, "1.5 KiB"),
            ((1 << 20) - 1, "1 MiB"),
            (36_909_875, "35.2 MiB"),
            (99 << 20, "99 MiB"),
            (300 << 20, "300 MiB"),
            ((300 << 20) + (400 << 10), "300 MiB"),
            (3 << 29, "1.5 GiB"),
            (2 << 30, "2 GiB"),
            (u64::MAX, "16777216 TiB"),
        ] {
            assert_eq!(bytes(size), text, "{size}");
        }
    }
}
