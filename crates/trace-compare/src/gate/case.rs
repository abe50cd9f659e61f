//! One limit against what was measured.

use super::limit::Limit;
use crate::certainty::ALPHA;
use statistics::{Inconclusive, Verdict, needed, student_quantile};
use trace_view::format::{grouped, microseconds as time};

/// Whether a limit holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The growth is within the limit.
    Passed,
    /// The growth is above the limit.
    Exceeded,
    /// The recordings cannot tell.
    Inconclusive,
}

impl Outcome {
    /// `passed`, `exceeded` or `inconclusive`.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Passed => "passed",
            Outcome::Exceeded => "exceeded",
            Outcome::Inconclusive => "inconclusive",
        }
    }
}

/// A limit, what was measured, and whether the limit holds.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Case {
    /// The limit.
    pub limit: Limit,
    /// Control, µs a step.
    #[doc(hidden)]
    pub control_us: f64,
    /// Test, µs a step.
    #[doc(hidden)]
    pub test_us: f64,
    /// Growth as a share of control: estimate, and both ends of its interval. Absent if it cannot be estimated.
    pub growth: Option<[f64; 3]>,
    /// Whether the limit holds.
    pub outcome: Outcome,
    /// Why, in words.
    pub why: String,
    /// Samples a side that would tell, if these cannot and the number is known.
    pub needed: Option<usize>,
}

/// What was measured of the quantity of a limit.
#[derive(Debug, Clone, Copy)]
pub struct Measured {
    pub(crate) control_us: f64,
    pub(crate) test_us: f64,
    /// Ratio test ÷ control: estimate, low, high.
    pub ratio: Option<[f64; 3]>,
    pub(crate) relevance: f64,
    /// Verdict on the limit.
    pub verdict: Verdict,
    /// Samples of control and of test.
    pub samples: [usize; 2],
    /// Only one side has work of this name: a fact, not a measurement.
    pub one_sided: bool,
    /// All of it was accepted, so nothing is left to judge.
    pub(crate) accepted: bool,
    /// p of the difference, corrected for all limits; absent if it was not tested.
    pub q: Option<f64>,
    /// Why no time at all can be judged, if so.
    pub(crate) unjudged: Option<Inconclusive>,
    /// A step of control, µs.
    pub(crate) step_us: f64,
}

/// Share of the step below which a class that control lacks does not matter.
const SMALLEST_SHARE: f64 = 0.001;

/// Judges a limit by the interval of the growth: it is exceeded only if the whole interval is above the limit and the growth is certain,
/// and passed if the interval is below it; else the samples cannot tell.
pub fn judge(limit: Limit, measured: &Measured) -> Case {
    let Measured { control_us, test_us, ratio, .. } = *measured;
    let growth = ratio.map(|ends| ends.map(|end| end - 1.0)).filter(|ends| ends.iter().all(|end| end.is_finite()));
    let (outcome, why, needed) = decide(&limit, measured, growth);
    Case { limit, control_us, test_us, growth, outcome, why, needed }
}

fn decide(limit: &Limit, measured: &Measured, growth: Option<[f64; 3]>) -> (Outcome, String, Option<usize>) {
    if measured.accepted {
        return (Outcome::Passed, "accepted, so it is left out".to_owned(), None);
    }
    if measured.one_sided {
        return match (measured.control_us > 0.0, measured.test_us > 0.0) {
            (false, false) => (Outcome::Passed, "no time on either side".to_owned(), None),
            (true, false) => (Outcome::Passed, "not in test".to_owned(), None),
            (false, true) => (Outcome::Exceeded, "new in test".to_owned(), None),
            (true, true) => (Outcome::Inconclusive, "nothing to compare".to_owned(), None),
        };
    }
    let needed = samples_needed(limit, measured, growth);
    let cannot = |why: String| (Outcome::Inconclusive, why, needed);
    // Reasons for which no time can be judged.
    if let Verdict::Inconclusive(why) = measured.verdict {
        if measured.test_us == 0.0 && matches!(why, Inconclusive::NoRatio | Inconclusive::Absent(_)) {
            let why = if measured.control_us == 0.0 { "no time on either side" } else { "not in test" };
            return (Outcome::Passed, why.to_owned(), None);
        }
        if measured.control_us == 0.0 && matches!(why, Inconclusive::NoRatio | Inconclusive::Absent(_)) {
            return new_class(measured);
        }
        if !matches!(why, Inconclusive::Noise { .. }) {
            return cannot(why.to_string());
        }
    }
    let Some([_, low, high]) = growth else { return cannot(Inconclusive::NoRatio.to_string()) };
    let within = format!("within {}", percent(limit.share));
    let above = format!("above {}", percent(limit.share));
    match measured.verdict {
        Verdict::Regression if low > limit.share => (Outcome::Exceeded, above, None),
        Verdict::Improvement => (Outcome::Passed, "faster".to_owned(), None),
        // Its interval without the common factor of both recordings.
        Verdict::NoRelevantChange if measured.relevance <= limit.share => (Outcome::Passed, within, None),
        _ if high <= limit.share => (Outcome::Passed, within, None),
        // More samples would not make recordings differ less.
        _ if low > limit.share => (Outcome::Inconclusive, "not beyond the noise between recordings".to_owned(), None),
        _ => cannot(format!("the interval contains {}", percent(limit.share))),
    }
}

/// Judges a class that control has no time of: there is no growth as a share of nothing. What is certain and matters exceeds any limit.
fn new_class(measured: &Measured) -> (Outcome, String, Option<usize>) {
    let share = measured.test_us / measured.step_us.max(f64::MIN_POSITIVE);
    if share < SMALLEST_SHARE {
        let why = format!("control has none, test {} of the step, which does not matter", percent(share));
        return (Outcome::Passed, why, None);
    }
    let of_step = format!("control has none, test {} of the step", percent(share));
    let cannot = |why: String, needed| (Outcome::Inconclusive, format!("{of_step}, but {why}"), needed);
    match (measured.unjudged, measured.q) {
        (Some(why @ Inconclusive::TooFew { needed, .. }), _) => cannot(why.to_string(), Some(needed)),
        (Some(why @ (Inconclusive::OneRecording | Inconclusive::NoiseUnknown)), _) => {
            cannot(why.to_string(), Some(statistics::FEWEST))
        }
        (Some(why), _) => cannot(why.to_string(), None),
        (None, Some(q)) if q <= ALPHA => (Outcome::Exceeded, of_step, None),
        (None, _) => cannot("too few samples of test have any to be certain".to_owned(), None),
    }
}

/// Samples a side that would show a growth of the limit, or if there are as many already, the distance of the estimate from the limit.
fn samples_needed(limit: &Limit, measured: &Measured, growth: Option<[f64; 3]>) -> Option<usize> {
    let have = measured.samples[0].min(measured.samples[1]);
    match measured.verdict {
        Verdict::Inconclusive(Inconclusive::TooFew { needed, .. }) => return Some(needed),
        Verdict::Inconclusive(Inconclusive::OneRecording | Inconclusive::NoiseUnknown) => {
            return Some(statistics::FEWEST);
        }
        // More iterations of recordings that differ as a whole tell nothing.
        Verdict::Inconclusive(
            Inconclusive::NotComparable | Inconclusive::NoControls | Inconclusive::NoRatio | Inconclusive::Absent(_),
        ) => {
            return None;
        }
        _ => {}
    }
    let [estimate, low, high] = growth?;
    let half = (high.ln_1p() - low.ln_1p()) / 2.0;
    let [m, n] = measured.samples.map(|samples| samples as f64);
    if have < 2 || !half.is_finite() {
        return None;
    }
    let spread = half / student_quantile(1.0 - ALPHA / 2.0, m + n - 2.0) / (1.0 / m + 1.0 / n).sqrt();
    let bound = limit.share.ln_1p();
    [bound, (bound - estimate.ln_1p()).abs()]
        .into_iter()
        .filter_map(|change| needed(spread, change, ALPHA))
        .find(|&needed| needed > have)
}

/// Samples a side in words, the same everywhere: `12 + 12`.
pub(super) fn needed_words(needed: usize) -> String {
    let needed = grouped(needed);
    format!("{needed} + {needed}")
}

/// Header of times: means over the iterations.
pub(super) const MEANS: &str = "mean a step";
/// Header of growths, which a few slow iterations do not move: so it may differ from that of the means.
pub(super) const MEDIAN: &str = "median growth (95 %)";

/// Means of both sides with their own growth: `77.5 ms → 124 ms (+60.1 %)`.
pub(super) fn means(control_us: f64, test_us: f64) -> String {
    let both = format!("{} → {}", time(control_us), time(test_us));
    if control_us > 0.0 { format!("{both} ({})", signed_percent(test_us / control_us - 1.0)) } else { both }
}

/// A growth with its interval: `+4.1 % (+2.9 … +5.4)`.
pub(super) fn interval([estimate, low, high]: [f64; 3]) -> String {
    let short = |share: f64| signed_percent(share).trim_end_matches(" %").to_owned();
    format!("{} ({} … {})", signed_percent(estimate), short(low), short(high))
}

/// A share in percent: `3 %`, `0.25 %`, `−1.2 %`.
pub(super) fn percent(share: f64) -> String {
    let number = 100.0 * share;
    let digits = match number.abs() {
        size if size >= 99.95 => format!("{size:.0}"),
        size if (0.005..0.095).contains(&size) => format!("{size:.2}"),
        size => format!("{size:.1}"),
    };
    let digits = digits.strip_suffix(".0").unwrap_or(&digits);
    format!("{}{digits} %", if number < 0.0 && digits != "0" { "−" } else { "" })
}

/// A growth with its sign: `+3 %`.
pub(super) fn signed_percent(share: f64) -> String {
    let text = percent(share);
    if share > 0.0 && text != "0 %" { format!("+{text}") } else { text }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn measured(ratio: [f64; 3], verdict: Verdict) -> Measured {
        Measured {
            control_us: 100.0,
            test_us: 100.0 * ratio[0],
            ratio: Some(ratio),
            relevance: 0.01,
            verdict,
            samples: [6, 6],
            one_sided: false,
            accepted: false,
            q: None,
            unjudged: None,
            step_us: 1000.0,
        }
    }

    fn case(limit: &str, measured: &Measured) -> Case {
        judge(Limit::parse(limit).unwrap(), measured)
    }

    #[test]
    fn limits_are_judged_by_the_interval() {
        let noise = Verdict::Inconclusive(Inconclusive::Noise { smallest: 0.05 });
        for (ratio, verdict, outcome, why) in [
            ([1.10, 1.05, 1.15], Verdict::Regression, Outcome::Exceeded, "above 3 %"),
            ([1.10, 1.02, 1.18], Verdict::Regression, Outcome::Inconclusive, "interval contains 3 %"),
            ([1.02, 1.015, 1.025], Verdict::Regression, Outcome::Passed, "within 3 %"),
            ([1.00, 0.98, 1.02], noise, Outcome::Passed, "within 3 %"),
            ([1.00, 0.94, 1.06], noise, Outcome::Inconclusive, "interval contains 3 %"),
            ([1.10, 1.05, 1.15], noise, Outcome::Inconclusive, "beyond the noise"),
            ([1.04, 1.035, 1.045], Verdict::NoRelevantChange, Outcome::Passed, "within 3 %"),
            ([0.90, 0.85, 0.95], Verdict::Improvement, Outcome::Passed, "faster"),
            ([1.06, 1.05, 1.07], Verdict::Improvement, Outcome::Passed, "faster"),
        ] {
            let case = case("3%", &measured(ratio, verdict));
            assert_eq!(case.outcome, outcome, "{ratio:?} {verdict:?}");
            assert!(case.why.contains(why), "{}", case.why);
            assert_eq!(case.growth.unwrap()[0], ratio[0] - 1.0);
        }
    }

    #[test]
    fn limits_below_the_noise_floor_are_inconclusive() {
        let wide = Measured { relevance: 0.2, ..measured([1.05, 1.035, 1.065], Verdict::NoRelevantChange) };
        assert_eq!(case("3%", &wide).outcome, Outcome::Inconclusive);
        assert_eq!(case("25%", &wide).outcome, Outcome::Passed);
    }

    #[test]
    fn reasons_and_samples_needed_stand_where_a_verdict_would() {
        let without = |why| measured([1.5, 1.4, 1.6], Verdict::Inconclusive(why));
        let few = case("3%", &without(Inconclusive::TooFew { needed: 4, have: 2 }));
        assert_eq!((few.outcome, few.needed), (Outcome::Inconclusive, Some(4)));
        assert!(few.why.contains("too few"), "{}", few.why);
        let one = case("3%", &without(Inconclusive::OneRecording));
        assert_eq!((one.outcome, one.needed), (Outcome::Inconclusive, Some(4)));
        let unlike = case("3%", &without(Inconclusive::NotComparable));
        assert_eq!((unlike.outcome, unlike.needed), (Outcome::Inconclusive, None));
        assert!(unlike.why.contains("not comparable"), "{}", unlike.why);
    }

    #[test]
    fn more_samples_are_named_where_the_interval_is_too_wide() {
        let noise = Verdict::Inconclusive(Inconclusive::Noise { smallest: 0.1 });
        let wide = case("3%", &measured([1.0, 0.92, 1.087], noise));
        assert!(wide.needed.unwrap() > 6, "{wide:?}");
        let wider = case("3%", &measured([1.0, 0.8, 1.25], noise));
        assert!(wider.needed > wide.needed, "{wider:?}");
        // Close to the limit, as many as tell the estimate from it.
        let close = case("3%", &measured([1.025, 1.015, 1.035], noise));
        assert!(close.needed.unwrap() > 6, "{close:?}");
        assert_eq!(case("3%", &measured([1.0, 1.0, 1.0], noise)).needed, None, "passes");
    }

    #[test]
    fn work_of_one_side_is_a_fact() {
        let of = |control_us, test_us| Measured {
            control_us,
            test_us,
            ratio: None,
            one_sided: true,
            ..measured([1.0; 3], Verdict::Inconclusive(Inconclusive::NoRatio))
        };
        assert_eq!(case("aten::x=5%", &of(0.0, 3.0)).outcome, Outcome::Exceeded);
        assert_eq!(case("aten::x=5%", &of(3.0, 0.0)).outcome, Outcome::Passed);
        let accepted = case("aten::x=5%", &Measured { accepted: true, ..of(0.0, 3.0) });
        assert_eq!((accepted.outcome, accepted.why.as_str()), (Outcome::Passed, "accepted, so it is left out"));
        let none = Measured { one_sided: false, ..of(0.0, 0.0) };
        assert_eq!(case("class:idle=5%", &none).outcome, Outcome::Passed);
    }

    #[test]
    fn class_that_control_lacks_is_judged_by_its_share_of_the_step() {
        let verdict = Verdict::Inconclusive(Inconclusive::Absent([false, true]));
        let of = |test_us, q, unjudged| {
            let of = measured([1.0; 3], verdict);
            case("class:idle=5%", &Measured { control_us: 0.0, test_us, ratio: None, q, unjudged, ..of })
        };
        let too_few = Some(Inconclusive::TooFew { needed: 4, have: 2 });
        for (test_us, q, unjudged, outcome, why) in [
            (20.0, Some(0.002), None, Outcome::Exceeded, "control has none, test 2 % of the step"),
            (20.0, Some(0.3), None, Outcome::Inconclusive, "too few samples of test have any"),
            (20.0, Some(0.002), too_few, Outcome::Inconclusive, "too few"),
            (20.0, Some(0.002), Some(Inconclusive::NotComparable), Outcome::Inconclusive, "not comparable"),
            (0.5, Some(0.002), None, Outcome::Passed, "test 0.05 % of the step, which does not matter"),
        ] {
            let case = of(test_us, q, unjudged);
            assert_eq!(case.outcome, outcome, "{case:?}");
            assert!(case.why.contains(why), "{}", case.why);
        }
        assert_eq!(of(20.0, None, too_few).needed, Some(4));
    }

    #[test]
    fn percentages_have_few_digits() {
        for (share, text) in [
            (0.03, "3 %"),
            (0.123_4, "12.3 %"),
            (-0.012, "−1.2 %"),
            (0.000_5, "0.05 %"),
            (0.0, "0 %"),
            (-0.000_001, "0 %"),
            (12.0, "1200 %"),
        ] {
            assert_eq!(percent(share), text);
        }
        assert_eq!(signed_percent(0.03), "+3 %");
        assert_eq!(signed_percent(-0.03), "−3 %");
    }
}
