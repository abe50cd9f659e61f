//! Structural differences: operators that only one side has, or that run another number of times. Facts, not measurements.

use crate::CountChange;

/// How a fact reads, in the order in which facts are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Structural {
    /// Only test has it.
    Added,
    /// Only control has it.
    Deleted,
    /// It runs another number of times a step.
    Count,
}

impl Structural {
    /// `added`, `deleted`, `other count`.
    pub fn word(self) -> &'static str {
        match self {
            Structural::Added => "added",
            Structural::Deleted => "deleted",
            Structural::Count => "other count",
        }
    }
}

/// An operator that differs by structure.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StructuralFact {
    /// How it differs.
    pub what: Structural,
    /// The innermost call above the kernels; of host work the call itself.
    pub operator: String,
    /// Kernels, or calls of the host, a step: of control and of test.
    pub count: [f64; 2],
    /// Change of the share of the step, µs.
    pub delta_us: f64,
}

impl StructuralFact {
    pub(crate) fn of(change: &CountChange) -> Self {
        Self::new(&change.operator, [change.control, change.test], change.delta_us)
    }

    pub(crate) fn new(operator: &str, count: [f64; 2], delta_us: f64) -> Self {
        let what = match count {
            [0.0, _] => Structural::Added,
            [_, 0.0] => Structural::Deleted,
            _ => Structural::Count,
        };
        Self { what, operator: operator.to_owned(), count, delta_us }
    }
}

/// Names of facts of one kind in a sentence.
const NAMED: usize = 3;

/// Says the facts in one line: `added: a, b and 2 more; deleted: c`; empty without any.
pub(super) fn sentence(facts: &[StructuralFact]) -> String {
    let of_kind = |kind: Structural| {
        let facts: Vec<&StructuralFact> = facts.iter().filter(|fact| fact.what == kind).collect();
        let name = |fact: &&StructuralFact| match fact.what {
            Structural::Count => {
                format!("{} {} → {} a step", fact.operator, number(fact.count[0]), number(fact.count[1]))
            }
            _ => fact.operator.clone(),
        };
        let names: Vec<String> = facts.iter().take(NAMED).map(name).collect();
        let more = if facts.len() > NAMED { format!(" and {} more", facts.len() - NAMED) } else { String::new() };
        (!facts.is_empty()).then(|| format!("{}: {}{more}", kind.word(), names.join(", ")))
    };
    let kinds = [Structural::Added, Structural::Deleted, Structural::Count];
    kinds.into_iter().filter_map(of_kind).collect::<Vec<_>>().join("; ")
}

/// A count a step: `3`, `2.5`.
pub(super) fn number(count: f64) -> String {
    let text = format!("{count:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_told_by_kind() {
        let facts = [
            StructuralFact::new("aten::a", [0.0, 2.0], 5.0),
            StructuralFact::new("aten::b", [1.0, 1.5], 4.0),
            StructuralFact::new("aten::c", [3.0, 0.0], -3.0),
            StructuralFact::new("aten::d", [0.0, 2.0], 2.0),
            StructuralFact::new("aten::e", [0.0, 2.0], 2.0),
            StructuralFact::new("aten::f", [0.0, 2.0], 2.0),
        ];
        assert_eq!(
            sentence(&facts),
            "added: aten::a, aten::d, aten::e and 1 more; deleted: aten::c; other count: aten::b 1 → 1.5 a step"
        );
        assert_eq!(sentence(&[]), "");
    }
}
