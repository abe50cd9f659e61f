//! Durations as text, with three significant digits.

/// Formats a duration in seconds: `7.31 ms`, `214 ns`, `1min 12s`; `−5.00 s` if it is negative.
pub fn seconds(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "" };
    let seconds = seconds.abs();
    if seconds >= 60.0 {
        let whole = seconds.round() as u64;
        return format!("{sign}{}min {}s", whole / 60, whole % 60);
    }
    let (value, unit) = match seconds {
        seconds if seconds >= 0.9995 => (seconds, "s"),
        seconds if seconds >= 0.999_5e-3 => (seconds * 1e3, "ms"),
        seconds if seconds >= 0.999_5e-6 => (seconds * 1e6, "µs"),
        _ => (seconds * 1e9, "ns"),
    };
    let decimals = match value {
        value if value >= 99.95 => 0,
        value if value >= 9.995 => 1,
        _ => 2,
    };
    format!("{sign}{value:.decimals$} {unit}")
}

/// Formats a duration in nanoseconds, as [`seconds`] does: `100 µs`, `1.20 s`.
pub fn nanoseconds(nanos: impl Into<i128>) -> String {
    seconds(nanos.into() as f64 / 1e9)
}

/// Formats a duration in microseconds, rounded to whole nanoseconds, as [`seconds`] does.
pub fn microseconds(micros: f64) -> String {
    nanoseconds((micros * 1e3).round() as i64)
}

/// Formats a change in microseconds, as [`microseconds`] does, always with its sign: `+214 ns`, `−1.20 ms`.
pub fn microseconds_changed(micros: f64) -> String {
    format!("{}{}", if micros < 0.0 { "−" } else { "+" }, microseconds(micros.abs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        for (value, text) in [
            (7.312e-3, "7.31 ms"),
            (0.214, "214 ms"),
            (1.0, "1.00 s"),
            (0.999_96, "1.00 s"),
            (12.345, "12.3 s"),
            (72.4, "1min 12s"),
            (214e-9, "214 ns"),
            (9.999e-6, "10.0 µs"),
            (0.0, "0.00 ns"),
            (-0.0, "0.00 ns"),
            (-5.0, "−5.00 s"),
            (-90.0, "−1min 30s"),
        ] {
            assert_eq!(seconds(value), text, "{value}");
        }
    }

    #[test]
    fn microseconds_are_whole_nanoseconds() {
        assert_eq!((microseconds(1_234.0), microseconds(0.000_4)), ("1.23 ms".to_owned(), "0.00 ns".to_owned()));
        let changes = [0.214, -1_200.0, 0.0].map(microseconds_changed);
        assert_eq!(changes, ["+214 ns", "−1.20 ms", "+0.00 ns"]);
    }

    #[test]
    fn nanoseconds_are_durations() {
        assert_eq!(nanoseconds(100_000_i64), "100 µs");
        assert_eq!(nanoseconds(1_200_000_000_i128), "1.20 s");
        assert_eq!(nanoseconds(i64::MIN), "−153722867min 17s");
    }
}
