//! HTA's rounding of times.

/// Times as HTA's floats hold them, in µs.
#[derive(Debug, Default)]
pub(super) struct FloatTimes {
    pub(super) ts: Vec<f64>,
    pub(super) dur: Vec<f64>,
}

/// Rounds starts up and ends down to whole µs, in doubles as HTA does; writes nanoseconds. An event shorter than 1 µs
/// that crosses no whole µs lasts −1 µs.
///
/// Applies only to files in which any event has a fractional start or none (HTA's column is then of floats).
pub(super) fn round_like_hta(float: &FloatTimes, ts: &mut [i64], dur: &mut [i64]) {
    let floats = float.ts.iter().zip(&float.dur);
    for ((ts, dur), (&start, &length)) in ts.iter_mut().zip(dur).zip(floats) {
        let (up, down) = (start.ceil(), (start + length).floor());
        *ts = (up as i64).saturating_mul(1000);
        *dur = ((down - up) as i64).saturating_mul(1000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starts_round_up_and_ends_down() {
        // 10.2 .. 12.9 → 11 .. 12;  10.2 .. 10.6 → 11 .. 10;  10 .. 10.6 → 10 .. 10
        let float = FloatTimes { ts: vec![10.2, 10.2, 10.0], dur: vec![2.7, 0.4, 0.6] };
        let (mut ts, mut dur) = (vec![0; 3], vec![0; 3]);
        round_like_hta(&float, &mut ts, &mut dur);
        assert_eq!(ts, [11_000, 11_000, 10_000]);
        assert_eq!(dur, [1_000, -1_000, 0]);
    }
}
