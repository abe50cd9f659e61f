//! Comparability of the work of both sides: shapes of inputs, and the mix of events.

use super::words::percent;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::columns::CAT;
use crate::{Result, Trace, Unlike, Warning};
use polars::prelude::{Categorical32Type, PlSmallStr};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Share of the operators with other shapes from which the inputs of the step differ, not its code.
const OTHER_SHAPES: f64 = 0.5;
/// Share of all events that is of another kind from which the mix differs.
const OTHER_MIX: f64 = 0.1;
/// Kinds that a line names.
const NAMED: usize = 4;
/// Longest text of shapes in a line.
const LONGEST: usize = 60;

/// The inputs of the operators of a side: for each name the texts of shapes that occur.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputShapes(BTreeMap<String, BTreeSet<String>>);

impl InputShapes {
    /// Adds a call; one without recorded inputs says nothing.
    pub(crate) fn add(&mut self, operator: &str, inputs: &str) {
        if inputs.is_empty() {
            return;
        }
        match self.0.get_mut(operator) {
            Some(known) if known.contains(inputs) => {}
            Some(known) => drop(known.insert(inputs.to_owned())),
            None => drop(self.0.insert(operator.to_owned(), [inputs.to_owned()].into())),
        }
    }

    /// Adds the calls of another rank.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (operator, inputs) in &other.0 {
            inputs.iter().for_each(|inputs| self.add(operator, inputs));
        }
    }

    /// Returns a warning if most operators of both sides have other inputs.
    pub(crate) fn unlike(&self, other: &Self, labels: [&str; 2]) -> Option<Warning> {
        let both = || self.0.iter().filter_map(|(name, one)| Some((name, one, other.0.get(name)?)));
        let differ: Vec<_> = both().filter(|(_, one, other)| one != other).collect();
        let all = both().count();
        if all == 0 || differ.len() as f64 <= OTHER_SHAPES * all as f64 {
            return None;
        }
        // The fewer shapes an operator has, the plainer it shows the change.
        let (name, one, other) = differ.iter().min_by_key(|(_, one, other)| one.len() + other.len())?;
        let side = |of: &BTreeSet<String>, not: &BTreeSet<String>| {
            let text = of.difference(not).next().or(of.first()).map_or("", String::as_str);
            let short: String = text.chars().take(LONGEST).collect();
            format!("{name} {short}{}", if text.chars().count() > LONGEST { "…" } else { "" })
        };
        Some(Warning::UnlikeRecording {
            what: Unlike::InputShapes,
            control: labels[0].to_owned(),
            of_control: side(one, other),
            test: labels[1].to_owned(),
            of_test: side(other, one),
        })
    }
}

/// Numbers of events of a side by kind; of an unknown kind by category. Profilers of several years and vendors name the categories of
/// one kind differently, which is no difference of the recordings.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventMix(BTreeMap<String, u64>);

impl EventMix {
    /// Counts the events of a rank.
    pub(crate) fn of(rank: &Trace) -> Result<Self> {
        let events = rank.frame_of(&[PlSmallStr::from_static(CAT)])?;
        let cats = events.column(CAT)?.as_materialized_series().cat::<Categorical32Type>()?;
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        let mut last: Option<(u32, u64)> = None;
        // Events of a category often follow each other.
        for cat in cancellable(cats.physical().iter()) {
            let Some(cat) = cat else { continue };
            match &mut last {
                Some((known, count)) if *known == cat => *count += 1,
                _ => {
                    if let Some((known, count)) = last.replace((cat, 1)) {
                        *counts.entry(known).or_default() += count;
                    }
                }
            }
        }
        if let Some((known, count)) = last {
            *counts.entry(known).or_default() += count;
        }
        let mapping = cats.get_mapping();
        let mut mix = Self::default();
        for (code, count) in counts {
            let cat = mapping.cat_to_str(code).unwrap_or_default();
            let kind = EventKind::of_category(cat).plural().unwrap_or(cat);
            *mix.0.entry(kind.to_owned()).or_default() += count;
        }
        Ok(mix)
    }

    /// Adds the events of another rank.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (kind, count) in &other.0 {
            *self.0.entry(kind.clone()).or_default() += count;
        }
    }

    fn share(&self, kind: &str) -> f64 {
        let all: u64 = self.0.values().sum();
        self.0.get(kind).map_or(0.0, |&count| count as f64 / all.max(1) as f64)
    }

    /// Returns a warning if a tenth of the events of a side is of another kind than on the other side.
    pub(crate) fn unlike(&self, other: &Self, labels: [&str; 2]) -> Option<Warning> {
        if self.0.is_empty() || other.0.is_empty() {
            return None;
        }
        let kinds: BTreeSet<&String> = self.0.keys().chain(other.0.keys()).collect();
        let mut moved: Vec<(&String, f64)> =
            kinds.into_iter().map(|kind| (kind, (other.share(kind) - self.share(kind)).abs())).collect();
        if moved.iter().map(|(_, share)| share).sum::<f64>() / 2.0 < OTHER_MIX {
            return None;
        }
        moved.sort_by(|one, other| other.1.total_cmp(&one.1));
        let side = |of: &Self| {
            let parts = moved.iter().take(NAMED).filter(|(_, share)| *share >= 0.01);
            parts.map(|(kind, _)| format!("{} {kind}", percent(of.share(kind)))).collect::<Vec<_>>().join(", ")
        };
        Some(Warning::UnlikeRecording {
            what: Unlike::EventMix,
            control: labels[0].to_owned(),
            of_control: side(self),
            test: labels[1].to_owned(),
            of_test: side(other),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes(calls: &[(&str, &str)]) -> InputShapes {
        let mut shapes = InputShapes::default();
        calls.iter().for_each(|(operator, inputs)| shapes.add(operator, inputs));
        shapes
    }

    #[test]
    fn another_batch_is_a_difference_and_one_other_operator_is_not() {
        let control = shapes(&[("mm", "[[8, 64]]"), ("add", "[[8, 64]]"), ("add", "[[64]]"), ("relu", "[[8]]")]);
        let batch = shapes(&[("mm", "[[16, 64]]"), ("add", "[[16, 64]]"), ("add", "[[64]]"), ("relu", "[[16]]")]);
        let Some(Warning::UnlikeRecording { what, of_control, of_test, .. }) = control.unlike(&batch, ["a", "b"])
        else {
            panic!("no warning")
        };
        assert_eq!(
            (what, of_control.as_str(), of_test.as_str()),
            (Unlike::InputShapes, "mm [[8, 64]]", "mm [[16, 64]]")
        );
        let code =
            shapes(&[("mm", "[[8, 64]]"), ("add", "[[8, 64]]"), ("add", "[[64]]"), ("relu", "[[9]]"), ("new", "[]")]);
        assert_eq!(control.unlike(&code, ["a", "b"]), None);
        assert_eq!(control.unlike(&shapes(&[]), ["a", "b"]), None, "not recorded");
    }

    #[test]
    fn a_tenth_of_other_events_is_another_mix() {
        let mix =
            |kinds: &[(&str, u64)]| EventMix(kinds.iter().map(|(kind, count)| ((*kind).to_owned(), *count)).collect());
        let control = mix(&[("operators", 80), ("kernels", 20)]);
        assert_eq!(control.unlike(&mix(&[("operators", 850), ("kernels", 150)]), ["a", "b"]), None);
        let Some(Warning::UnlikeRecording { of_control, of_test, .. }) =
            control.unlike(&mix(&[("operators", 40), ("kernels", 10), ("Python functions", 50)]), ["a", "b"])
        else {
            panic!("no warning")
        };
        assert_eq!(of_control, "0.00 % Python functions, 80.0 % operators, 20.0 % kernels");
        assert_eq!(of_test, "50.0 % Python functions, 40.0 % operators, 10.0 % kernels");
        assert_eq!(control.unlike(&mix(&[]), ["a", "b"]), None, "an empty recording is said elsewhere");
    }
}
