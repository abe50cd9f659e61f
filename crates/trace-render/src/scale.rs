//! The mapping of values to pixels, and the ticks of an axis.

use trace_view::format::number;

/// The largest magnitude of an axis: the difference of larger values could overflow.
const FAR: f64 = 1e300;

/// An axis from `low` (at pixel `from`) to `high` (at pixel `to`).
#[derive(Debug, Clone, Copy)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    log: bool,
    whole: bool,
    from: f64,
    to: f64,
}

/// The range of the values of an axis, before its pixels are known.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    low: f64,
    high: f64,
    log: bool,
    whole: bool,
}

impl Span {
    /// Returns the span of `values`; `None` if no value can be drawn. A linear axis `with_zero` includes zero.
    pub(super) fn of(values: impl Iterator<Item = f64>, log: bool, with_zero: bool) -> Option<Self> {
        let drawable = values.filter(|value| value.is_finite() && (!log || *value > 0.0));
        let (low, high) = drawable.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
        if low > high {
            return None;
        }
        if log {
            let (low, high) = (low.log10(), high.log10());
            // A logarithmic axis has no zero: its bars begin at the decade below the least value.
            let low = if with_zero { (low - 0.1).floor() } else { low };
            return Some(Self::padded(low, high, log, with_zero));
        }
        let (low, high) = (low.max(-FAR), high.min(FAR));
        let (low, high) = if with_zero { (low.min(0.0), high.max(0.0)) } else { (low, high) };
        Some(Self::padded(low, high, log, with_zero))
    }

    fn padded(low: f64, high: f64, log: bool, with_zero: bool) -> Self {
        let pad = if high > low { (high - low) * 0.05 } else { low.abs().max(1.0) * 0.5 };
        let keeps = |end: f64| with_zero && (log || end == 0.0);
        let low_pad = if keeps(low) && (high > low || log) { 0.0 } else { pad };
        let high_pad = if with_zero && !log && high == 0.0 && low < 0.0 { 0.0 } else { pad };
        Self { low: low - low_pad, high: high + high_pad, log, whole: false }
    }

    /// Sets whether the axis has whole numbers only.
    pub(super) fn whole(self, whole: bool) -> Self {
        Self { whole, ..self }
    }

    /// Places the span between two pixels.
    pub(super) fn at(self, from: f64, to: f64) -> Scale {
        Scale { low: self.low, high: self.high, log: self.log, whole: self.whole, from, to }
    }
}

impl Scale {
    /// Creates a linear axis that begins and ends with the given values.
    pub(super) fn exact(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self { low: low.clamp(-FAR, FAR), high: high.clamp(-FAR, FAR), log: false, whole: false, from, to }
    }

    /// Returns the pixel of `value`; `None` if it cannot be drawn.
    pub(super) fn pixel(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        let value = if self.log { value.log10() } else { value.clamp(-FAR, FAR) };
        let share = (value - self.low) / (self.high - self.low);
        Some(self.from + share.clamp(0.0, 1.0) * (self.to - self.from))
    }

    /// Returns the pixel at which bars begin.
    pub(super) fn base(&self) -> f64 {
        if self.log { self.from } else { self.pixel(0.0).unwrap_or(self.from) }
    }

    /// Returns round numbers along the axis, about `distance` pixels from each other, with their texts.
    pub(super) fn ticks(&self, distance: f64) -> Vec<(f64, String)> {
        let wanted = ((self.to - self.from).abs() / distance).clamp(2.0, 12.0);
        if self.log { self.decades(wanted) } else { self.rounds(wanted) }
    }

    fn rounds(&self, wanted: f64) -> Vec<(f64, String)> {
        let step = round_step((self.high - self.low) / wanted);
        let step = if self.whole { step.max(1.0) } else { step };
        let decimals = if step < 1.0 { (-step.log10().floor()).clamp(0.0, 12.0) as usize } else { 0 };
        let first = (self.low / step).ceil();
        (0..=20)
            .map(|n| (first + f64::from(n)) * step)
            .take_while(|value| *value <= self.high)
            .map(|value| (value, number::float(value, decimals)))
            .collect()
    }

    fn decades(&self, wanted: f64) -> Vec<(f64, String)> {
        let every = ((self.high - self.low) / wanted).ceil().max(1.0);
        // An axis of few decades has ticks at 2 and 5, too.
        let parts: &[f64] = if self.high - self.low < wanted / 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let first = self.low.floor();
        (0..=20)
            .map(|n| first + f64::from(n) * every)
            .flat_map(|decade| parts.iter().map(move |part| (part.log10() + decade, decade)))
            .filter(|(log, _)| *log >= self.low - 1e-9 && *log <= self.high)
            .map(|(log, decade)| {
                let value = 10_f64.powf(log);
                (value, number::float(value, (-decade).clamp(0.0, 12.0) as usize))
            })
            .collect()
    }
}

/// Rounds `step` up to the next of …, 0.5, 1, 2, 5, 10, 20, …
pub fn round_step(step: f64) -> f64 {
    let decade = 10_f64.powf(step.log10().floor());
    [1.0, 2.0, 5.0].into_iter().map(|part| part * decade).find(|round| *round >= step).unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale) -> Vec<String> {
        scale.ticks(45.0).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_numbers() {
        let Some(span) = Span::of([0.0, 2500.0].into_iter(), false, true) else { panic!() };
        assert_eq!(texts(span.at(360.0, 0.0)), ["0", "500", "1,000", "1,500", "2,000", "2,500"]);
        let Some(span) = Span::of([-0.03, 0.05].into_iter(), false, true) else { panic!() };
        assert_eq!(texts(span.at(240.0, 0.0)), ["−0.02", "0.00", "0.02", "0.04"]);
    }

    #[test]
    fn whole_number_axis_has_whole_ticks() {
        let Some(span) = Span::of([0.0, 3.0].into_iter(), false, false) else { panic!() };
        assert_eq!(texts(span.at(360.0, 0.0))[..2], ["0.0", "0.5"]);
        assert_eq!(texts(span.whole(true).at(360.0, 0.0)), ["0", "1", "2", "3"]);
        let Some(many) = Span::of([0.0, 63.0].into_iter(), false, false) else { panic!() };
        assert_eq!(texts(many.whole(true).at(360.0, 0.0)), ["0", "10", "20", "30", "40", "50", "60"]);
    }

    #[test]
    fn log_axis_ticks_decades_and_skips_negative_values() {
        let Some(span) = Span::of([3.0, 20_000.0, 0.0, -5.0].into_iter(), true, true) else { panic!() };
        let scale = span.at(360.0, 0.0);
        assert_eq!(texts(scale), ["1", "10", "100", "1,000", "10,000"]);
        assert_eq!(scale.pixel(-5.0), None);
        assert_eq!(scale.base(), 360.0);
    }

    #[test]
    fn span_needs_one_finite_value() {
        assert!(Span::of([f64::NAN, f64::INFINITY].into_iter(), false, true).is_none());
        assert!(Span::of([0.0].into_iter(), true, true).is_none());
        for value in [0.0, 7.0, -7.0, 1e300, -1e308, 5e-324] {
            for with_zero in [true, false] {
                let Some(span) = Span::of([value].into_iter(), false, with_zero) else { panic!() };
                let scale = span.at(300.0, 0.0);
                assert!(scale.pixel(value).is_some_and(f64::is_finite), "{value}");
                assert!(scale.ticks(45.0).len() <= 21, "{value}");
            }
        }
    }

    #[test]
    fn extreme_values_do_not_overflow_axis() {
        let Some(span) = Span::of([f64::MIN, f64::MAX].into_iter(), false, true) else { panic!() };
        let scale = span.at(300.0, 0.0);
        assert!(scale.pixel(f64::MAX).is_some_and(f64::is_finite) && !scale.ticks(45.0).is_empty());
    }
}
