//! The comparability of two sides, as one number.

use crate::{Unlike, Warning};
use statistics::Comparability;

/// Returns how comparable the sides are, from 0 to 1: 1 ÷ (1 + (spread ÷ limit)²) of unchanged regions, below 0.5 if the recordings
/// differ too much for verdicts, times a factor for each condition in which the sides differ. Nothing if too few regions are unchanged to
/// know the spread.
pub fn score(comparability: Comparability, warnings: &[Warning]) -> Option<f64> {
    let (Comparability::Comparable { score } | Comparability::NotComparable { score }) = comparability else {
        return None;
    };
    let mut known = Vec::new();
    for warning in warnings {
        if let Warning::UnlikeRecording { what, .. } = warning
            && !known.contains(what)
        {
            known.push(*what);
        }
    }
    Some(known.into_iter().map(factor).fold(score, |score, factor| score * factor))
}

/// How much a difference takes away: little for what slows both sides alike, more for what changes the work itself.
fn factor(what: Unlike) -> f64 {
    match what {
        Unlike::Nothing => 1.0,
        Unlike::Machines | Unlike::Software => 0.95,
        Unlike::ProfilerFlags | Unlike::EventMix | Unlike::Clocks => 0.9,
        Unlike::WorldSize | Unlike::InputShapes => 0.8,
        Unlike::Devices => 0.7,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_difference_counts_once() {
        let unlike = |what| Warning::UnlikeRecording {
            what,
            control: "a".to_owned(),
            of_control: String::new(),
            test: "b".to_owned(),
            of_test: String::new(),
        };
        let comparable = Comparability::Comparable { score: 0.9 };
        assert_eq!(score(comparable, &[]), Some(0.9));
        let warnings = [unlike(Unlike::Devices), unlike(Unlike::Devices), unlike(Unlike::Machines)];
        assert!(score(comparable, &warnings).is_some_and(|score| (score - 0.9 * 0.7 * 0.95).abs() < 1e-12));
        assert_eq!(score(Comparability::Unknown, &warnings), None);
    }
}
