//! Moments as trace files have them.

/// Formats nanoseconds as the µs of a trace file, exactly.
pub fn micros_text(nanos: i64) -> String {
    let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
    match nanos % 1000 {
        0 => format!("{sign}{}", nanos / 1000),
        rest => format!("{sign}{}.{rest:03}", nanos / 1000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_to_the_nanosecond() {
        assert_eq!([7_000, 7_050, -1_001, 0].map(micros_text), ["7", "7.050", "-1.001", "0"]);
    }
}
