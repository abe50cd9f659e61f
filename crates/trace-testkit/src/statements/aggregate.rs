//! Aggregates, groups and HAVING.

use super::ColumnKind;
use super::draft::{Draft, Scope, Source};
use super::select::{Output, Query};
use super::value::Value;

/// Bits that a sum has more than its terms.
const BITS_OF_COUNT: u32 = 18;
/// Most bits of the terms of a sum.
pub(super) const MOST_BITS: u32 = 62 - BITS_OF_COUNT;

/// An aggregate, and whether engines agree on all its digits.
#[derive(Debug, Clone)]
pub(super) struct Aggregate {
    pub(super) value: Value,
    pub(super) is_exact: bool,
}

/// A query with groups, up to what it selects.
pub(super) struct Grouping {
    pub(super) keys: Vec<Value>,
    /// FROM and what follows.
    pub(super) tail: String,
    /// The keys and some aggregates.
    pub(super) scope: Scope,
    form: Form,
}

/// How GROUP BY names a key.
#[derive(Clone, Copy)]
enum Form {
    Expression,
    Position,
    Alias,
}

impl Draft<'_> {
    /// An aggregate of the rows of `scope`, perhaps of some of them.
    pub(super) fn aggregate(&mut self, scope: &Scope) -> Aggregate {
        let mut aggregate = self.without_subqueries(|draft| draft.aggregate_of_all(scope, true));
        if self.chance(20) {
            let condition = self.without_subqueries(|draft| draft.condition(scope, 1));
            aggregate.value.text += &format!(" FILTER (WHERE {condition})");
        }
        aggregate
    }

    /// An aggregate without FILTER, that a window function can be if not `is_distinct`.
    pub(super) fn aggregate_of_all(&mut self, scope: &Scope, is_distinct: bool) -> Aggregate {
        let exact = |value| Aggregate { value, is_exact: true };
        match self.random.below(13) {
            0 | 1 => exact(self.small_int("COUNT(*)".into(), BITS_OF_COUNT)),
            2 => {
                let value = self.any(scope, 1);
                exact(self.small_int(format!("COUNT({})", value.text), BITS_OF_COUNT))
            }
            3 if is_distinct => {
                let value = self.any(scope, 1);
                exact(self.small_int(format!("COUNT(DISTINCT {})", value.text), BITS_OF_COUNT))
            }
            4 if is_distinct => exact(self.sum_of_integers(scope, "DISTINCT ")),
            3..=6 => exact(self.sum_of_integers(scope, "")),
            7 => Aggregate { value: self.of_reals(scope, "SUM"), is_exact: false },
            8 => Aggregate { value: self.of_reals(scope, "AVG"), is_exact: false },
            9 => {
                let value = self.value(scope, ColumnKind::Int, 1);
                let text = format!("AVG({})", value.text);
                Aggregate { value: Value { kind: ColumnKind::Real, ..value.computed(text) }, is_exact: false }
            }
            _ => {
                let (value, function) = (self.any(scope, 1), self.of(&["MIN", "MAX"]));
                exact(value.computed(format!("{function}({})", value.text)))
            }
        }
    }

    fn sum_of_integers(&mut self, scope: &Scope, distinct: &str) -> Value {
        let value = self.value(scope, ColumnKind::Int, 1).within(MOST_BITS);
        Value { bits: value.bits + BITS_OF_COUNT, ..value.computed(format!("SUM({distinct}{})", value.text)) }
    }

    /// `function` of real numbers without negative ones, since what is left where numbers cancel out is the error of the order.
    fn of_reals(&mut self, scope: &Scope, function: &str) -> Value {
        let value = self.value(scope, ColumnKind::Real, 1);
        let of = if value.is_nonnegative { value.text.clone() } else { format!("ABS({})", value.text) };
        Value { is_nonnegative: true, ..value.computed(format!("{function}({of})")) }
    }

    /// Aggregates of all rows, in one row.
    pub(super) fn totals(&mut self, mut source: Source) -> Query {
        self.restrict(&mut source);
        let first = self.aggregate(&source.scope);
        let known = self.aggregates(&source.scope, 2);
        let scope = Scope { is_grouped: true, columns: known, order: Vec::new(), rows: 1 };
        let mut outputs = vec![Output::of(&first)];
        for _ in 0..self.random.below(4) {
            outputs.push(self.aggregate_output(&source.scope, &scope));
        }
        let mut tail = format!(" FROM {}{}", source.text, source.condition());
        if self.chance(8) {
            tail += &format!(" HAVING {}", self.without_subqueries(|draft| draft.condition(&scope, 1)));
        }
        self.selected("", outputs, &tail)
    }

    /// `count` aggregates on which engines agree, and [`Draft::totals`] of which expressions are made.
    fn aggregates(&mut self, scope: &Scope, count: usize) -> Vec<Value> {
        let mut known = Vec::new();
        while known.len() < count {
            let aggregate = self.aggregate(scope);
            if aggregate.is_exact {
                known.push(aggregate.value);
            }
        }
        known
    }

    /// An aggregate of `rows`, or an expression of `groups`.
    fn aggregate_output(&mut self, rows: &Scope, groups: &Scope) -> Output {
        if self.chance(65) {
            return Output::of(&self.aggregate(rows));
        }
        Output::exact(self.any(groups, 2).text)
    }

    /// Groups of the rows of `source`.
    pub(super) fn grouping(&mut self, mut source: Source, may_name: bool) -> Grouping {
        self.restrict(&mut source);
        let count = self.of(&[1, 1, 2, 2, 3]);
        let mut keys: Vec<Value> = Vec::new();
        for _ in 0..count {
            let depth = self.of(&[0, 0, 1]);
            let key = self.without_subqueries(|draft| draft.any(&source.scope, depth));
            if keys.iter().all(|known| known.text != key.text) {
                keys.push(key);
            }
        }
        let form = if may_name {
            self.of(&[Form::Expression, Form::Expression, Form::Position, Form::Alias])
        } else {
            Form::Expression
        };
        let names: Vec<String> = keys.iter().enumerate().map(|(at, key)| form.name(at, key)).collect();
        let mut tail = format!(" FROM {}{} GROUP BY {}", source.text, source.condition(), names.join(", "));
        let count = 1 + self.random.below(2);
        let aggregates = self.aggregates(&source.scope, count);
        let scope = Scope {
            columns: keys.iter().map(|key| key.computed(key.text.clone())).chain(aggregates).collect(),
            order: keys.iter().map(|key| key.text.clone()).collect(),
            rows: source.scope.rows,
            is_grouped: true,
        };
        if self.chance(30) {
            tail += &format!(" HAVING {}", self.condition(&scope, 1));
        }
        Grouping { keys, tail, scope, form }
    }

    /// A query with groups and aggregates.
    pub(super) fn groups(&mut self, source: Source) -> Query {
        let rows = source.scope.clone();
        let grouping = self.grouping(source, true);
        let mut outputs: Vec<Output> = match grouping.form {
            Form::Expression if self.chance(15) => Vec::new(),
            Form::Alias => {
                let keys = grouping.keys.iter().enumerate();
                keys.map(|(at, key)| Output::exact(format!("{} AS g{at}", key.text))).collect()
            }
            _ => grouping.keys.iter().map(|key| Output::exact(key.text.clone())).collect(),
        };
        for _ in 0..=self.random.below(3) {
            outputs.push(self.aggregate_output(&rows, &grouping.scope));
        }
        self.selected("", outputs, &grouping.tail)
    }
}

impl Form {
    fn name(self, at: usize, key: &Value) -> String {
        match self {
            Self::Expression => key.text.clone(),
            Self::Position => (at + 1).to_string(),
            Self::Alias => format!("g{at}"),
        }
    }
}
