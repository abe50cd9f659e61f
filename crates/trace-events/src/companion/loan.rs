//! Counts of the kernels of graphs that got operators of a companion, and their sentence.

use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Deref;
use trace_view::format::counted;
use trace_view::grouped;

/// Names of kernels without operators that a sentence lists.
const MOST_NAMES: usize = 3;

/// What a companion lent to one rank or more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanCount {
    /// Kernels of graphs in the selected iterations.
    pub kernels: u64,
    /// Those that got the operators of a kernel of the companion.
    pub with_operators: u64,
    /// Kernels with operators but without shapes: several captures, which differ in shapes only, fit their graph.
    pub without_shapes: u64,
    /// Those without operators since their graph fits several captures of the companion that differ.
    pub ambiguous: u64,
    /// Numbers of the others without operators, by name without template arguments, parameters and digits.
    pub unmatched: BTreeMap<String, u64>,
}

impl LoanCount {
    /// Adds what it lent to another rank; a sum that is too large stays at the largest number.
    pub fn add(&mut self, other: Self) {
        self.kernels = self.kernels.saturating_add(other.kernels);
        self.with_operators = self.with_operators.saturating_add(other.with_operators);
        self.without_shapes = self.without_shapes.saturating_add(other.without_shapes);
        self.ambiguous = self.ambiguous.saturating_add(other.ambiguous);
        for (name, kernels) in other.unmatched {
            let sum = self.unmatched.entry(name).or_default();
            *sum = sum.saturating_add(kernels);
        }
    }

    /// Returns the names of kernels without operators, the most frequent first: `topk (4), fill (2) and 3 other names`; `None` if all have
    /// some.
    fn unmatched_in_words(&self) -> Option<String> {
        let mut names: Vec<(&String, u64)> = self.unmatched.iter().map(|(name, kernels)| (name, *kernels)).collect();
        names.sort_by_key(|&(name, kernels)| (Reverse(kernels), name));
        let named = |&(name, kernels): &(&String, u64)| format!("{name} ({})", grouped(kernels as usize));
        let listed = names.iter().take(MOST_NAMES).map(named).collect::<Vec<_>>().join(", ");
        match names.len() {
            0 => None,
            number if number <= MOST_NAMES => Some(listed),
            number => Some(format!("{listed} and {}", counted(number - MOST_NAMES, "other name"))),
        }
    }
}

/// What a companion lent to one side, or to a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lending {
    /// Label of the companion, of several separated by commas.
    pub companion: String,
    /// What it lent.
    pub count: LoanCount,
}

impl Lending {
    /// Names the companion of a count.
    pub fn of(companion: &str, count: LoanCount) -> Self {
        Self { companion: companion.to_owned(), count }
    }
}

impl Deref for Lending {
    type Target = LoanCount;

    fn deref(&self) -> &LoanCount {
        &self.count
    }
}

/// Adds what was lent to another rank.
pub fn merge_lending(one: &mut Option<Lending>, other: Option<Lending>) {
    let Some(other) = other else { return };
    match one {
        Some(one) => one.count.add(other.count),
        None => *one = Some(other),
    }
}

/// Says how many kernels of graphs got operators of a companion: of the two sides of a comparison, with their labels, or of one trace.
pub fn borrowed_in_words(of: &[(&Lending, &str)]) -> String {
    let mut all = LoanCount::default();
    of.iter().for_each(|(lending, _)| all.add(lending.count.clone()));
    let companion = of.first().map_or("", |(lending, _)| &lending.companion);
    if all.kernels == 0 {
        let reason = if of.len() > 1 {
            "neither side has kernels that a graph launched"
        } else {
            "there are no kernels that a graph launched"
        };
        return format!("No operators from {companion}: {reason}.");
    }
    let part = |(lending, label): &(&Lending, &str)| {
        let count = format!("{} of {}", grouped(lending.with_operators as usize), grouped(lending.kernels as usize));
        let of_side = if of.len() > 1 { format!("{count} in {label}") } else { count };
        (lending.kernels > 0).then_some(of_side)
    };
    let parts: Vec<String> = of.iter().filter_map(part).collect();
    let kernels = |number: u64| counted(number as usize, "kernel");
    let mut more = String::new();
    if all.without_shapes > 0 {
        let kernels = kernels(all.without_shapes);
        more.push_str(&format!(
            "; graphs with {kernels} fit several captures that differ in shapes alone, and get operators without shapes"
        ));
    }
    if all.ambiguous > 0 {
        more.push_str(&format!(
            "; graphs with {} fit several captures that differ, and get none",
            kernels(all.ambiguous)
        ));
    }
    more.extend(all.unmatched_in_words().map(|names| format!("; without: {names}")));
    format!("Kernels of graphs with operators from {companion}: {}{more}.", parts.join(", "))
}
