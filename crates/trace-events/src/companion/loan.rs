//! Counts of the kernels of graphs that got operators of a companion, and their sentence.

use serde::{Deserialize, Serialize};
use trace_view::format::counted;
use trace_view::grouped;

/// What a companion lent to one rank or more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoanCount {
    /// Kernels of graphs in the selected iterations.
    pub kernels: u64,
    /// Those that got operators.
    pub with_operators: u64,
    /// Kernels with operators but without shapes: several captures, which differ in shapes only, fit their graph.
    pub without_shapes: u64,
    /// Those whose graph fits several captures that differ.
    pub ambiguous: u64,
}

impl LoanCount {
    /// Adds what it lent to another rank; a sum that is too large stays at the largest number.
    pub fn add(&mut self, other: Self) {
        self.kernels = self.kernels.saturating_add(other.kernels);
        self.with_operators = self.with_operators.saturating_add(other.with_operators);
        self.without_shapes = self.without_shapes.saturating_add(other.without_shapes);
        self.ambiguous = self.ambiguous.saturating_add(other.ambiguous);
    }
}

/// What a companion lent to one side, or to a trace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Lending {
    /// Label of the companion, of several separated by commas.
    pub companion: String,
    /// Kernels of graphs in the selected iterations.
    pub kernels: u64,
    /// Those that got the operators of a kernel of the companion.
    pub with_operators: u64,
    /// Kernels with operators but without shapes: several captures, which differ in shapes only, fit their graph.
    pub without_shapes: u64,
    /// Those without operators since their graph fits several captures of the companion that differ.
    pub ambiguous: u64,
}

impl Lending {
    /// Names the companion of a count.
    pub fn of(companion: &str, count: LoanCount) -> Self {
        let LoanCount { kernels, with_operators, without_shapes, ambiguous } = count;
        Self { companion: companion.to_owned(), kernels, with_operators, without_shapes, ambiguous }
    }

    fn count(&self) -> LoanCount {
        let Self { kernels, with_operators, without_shapes, ambiguous, .. } = *self;
        LoanCount { kernels, with_operators, without_shapes, ambiguous }
    }
}

/// Adds what was lent to another rank.
pub fn merge_lending(one: &mut Option<Lending>, other: Option<Lending>) {
    let Some(other) = other else { return };
    let mut count = one.as_ref().map_or_else(LoanCount::default, Lending::count);
    count.add(other.count());
    *one = Some(Lending::of(&other.companion, count));
}

/// Says how many kernels of graphs got operators of a companion: of the two sides of a comparison, with their labels, or of one trace.
pub fn borrowed_in_words(of: &[(&Lending, &str)]) -> String {
    let mut all = LoanCount::default();
    of.iter().for_each(|(lending, _)| all.add(lending.count()));
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
    format!("Kernels of graphs with operators from {companion}: {}{more}.", parts.join(", "))
}
