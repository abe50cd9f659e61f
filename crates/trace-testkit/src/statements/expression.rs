//! Expressions of a type.

use super::ColumnKind;
use super::draft::{Draft, Scope};
use super::value::{Samples, Value, as_double};

/// Bits of integers that a real number represents exactly, with room for a factor of ten.
const EXACT_BITS: u32 = 49;

impl Draft<'_> {
    /// An expression of any type that columns of `scope` have.
    pub(super) fn any(&mut self, scope: &Scope, depth: usize) -> Value {
        let kind = self.random.of(&scope.columns).kind;
        self.value(scope, kind, depth)
    }

    /// A column of `scope` as it is.
    pub(super) fn column(&mut self, scope: &Scope) -> Value {
        self.random.of(&scope.columns).clone()
    }

    /// An expression of type `kind`, of at most `depth` levels above columns.
    pub(super) fn value(&mut self, scope: &Scope, kind: ColumnKind, depth: usize) -> Value {
        if depth == 0 || self.chance(35) {
            return self.leaf(scope, kind);
        }
        if self.chance(35) {
            return self.of_any_kind(scope, kind, depth - 1);
        }
        match kind {
            ColumnKind::Int => self.int(scope, depth - 1),
            ColumnKind::Real => self.real(scope, depth - 1),
            ColumnKind::Text => self.text(scope, depth - 1),
        }
    }

    /// A column of type `kind`, or a conversion if `scope` has none.
    fn leaf(&mut self, scope: &Scope, kind: ColumnKind) -> Value {
        let of_kind: Vec<&Value> = scope.columns.iter().filter(|column| column.kind == kind).collect();
        if !of_kind.is_empty() {
            return (*self.random.of(&of_kind)).clone();
        }
        let other = self.column(scope);
        match (kind, other.kind) {
            (ColumnKind::Int, ColumnKind::Text) => self.small_int(format!("LENGTH({})", other.text), 10),
            (ColumnKind::Real, ColumnKind::Int) => self.cast_to_real(&other),
            (ColumnKind::Text, ColumnKind::Int) => cast_to_text(&other),
            (ColumnKind::Text, _) => {
                let condition = self.comparison_with_literal(&other);
                let text = format!("CASE WHEN {condition} THEN 'yes' ELSE 'no' END");
                Value { kind, is_ascii: true, samples: Samples::of(&["'yes'", "'no'"]), ..other.computed(text) }
            }
            _ => {
                let condition = self.comparison_with_literal(&other);
                let int = self.small_int(format!("CAST(CASE WHEN {condition} THEN 1 ELSE 0 END AS BIGINT)"), 1);
                if kind == ColumnKind::Int { int } else { self.cast_to_real(&int) }
            }
        }
    }

    /// A literal in the range of `value`.
    pub(super) fn literal(&mut self, value: &Value) -> String {
        let literals = &value.samples.literals;
        let literal = if literals.is_empty() { None } else { Some(self.random.of(literals).clone()) };
        match value.kind {
            ColumnKind::Int => literal.unwrap_or_else(|| "1".into()),
            ColumnKind::Real => {
                let literal = literal.unwrap_or_else(|| "1.5".into());
                // DuckDB reads it as a decimal, whose conversion is exact if it is short.
                let is_short = literal.contains('.') && literal.len() < 16;
                if is_short && self.chance(50) { literal } else { as_double(&literal) }
            }
            ColumnKind::Text => literal.unwrap_or_else(|| "'a'".into()),
        }
    }

    fn int(&mut self, scope: &Scope, depth: usize) -> Value {
        let a = self.value(scope, ColumnKind::Int, depth).within(60);
        match self.random.below(15) {
            0 | 1 => {
                let b = self.value(scope, ColumnKind::Int, depth).within(60);
                let operator = self.of(&["+", "-"]);
                let bits = a.bits.max(b.bits) + 1;
                let is_nonnegative = a.is_nonnegative && b.is_nonnegative && operator == "+";
                Value { bits, is_nonnegative, ..a.computed(format!("({} {operator} {})", a.text, b.text)) }
            }
            2 => {
                let literal = self.literal(&a);
                let operator = self.of(&["+", "-"]);
                let text = format!("({} {operator} {literal})", a.text);
                Value { bits: a.bits + 1, is_nonnegative: false, ..a.computed(text) }
            }
            3 => {
                let a = a.within(56);
                let factor = self.of(&[2, 3, -1, 7, 10]);
                let text = format!("({} * {factor})", a.text);
                Value { bits: a.bits + 4, is_nonnegative: a.is_nonnegative && factor > 0, ..a.computed(text) }
            }
            4 => {
                let b = self.value(scope, ColumnKind::Int, depth).within(60);
                let text = format!("(({} % 1000) * ({} % 1000))", a.text, b.text);
                Value { bits: 20, is_nonnegative: a.is_nonnegative && b.is_nonnegative, ..a.computed(text) }
            }
            5 | 6 => {
                let divisor = self.of(&["2", "3", "7", "10", "100", "-3"]);
                let is_nonnegative = a.is_nonnegative;
                Value { is_nonnegative, ..self.small_int(format!("({} % {divisor})", a.text), 7) }
            }
            7 => {
                let b = self.leaf(scope, ColumnKind::Int);
                let divisor = if self.chance(50) { format!("NULLIF({}, 0)", b.text) } else { b.text };
                a.computed(format!("({} % {divisor})", a.text))
            }
            8 => Value { is_nonnegative: true, ..a.computed(format!("ABS({})", a.text)) },
            9 => Value { is_nonnegative: false, ..a.computed(format!("(-{})", a.text)) },
            10 => {
                let text = self.value(scope, ColumnKind::Text, depth);
                self.small_int(format!("LENGTH({})", text.text), 10)
            }
            11 => a.computed(format!("CAST({} AS BIGINT)", a.text)),
            12 if a.bits <= 20 => a.computed(format!("CAST({} AS INTEGER)", a.text)),
            12 => a.computed(format!("CAST(CAST({} AS VARCHAR) AS BIGINT)", a.text)),
            13 if self.chance(25) => {
                self.differs("integer division");
                let divisor = self.of(&["2", "3", "10", "-4", "NULLIF(2, 2)"]);
                a.computed(format!("({} / {divisor})", a.text))
            }
            _ => a,
        }
    }

    fn real(&mut self, scope: &Scope, depth: usize) -> Value {
        let a = self.value(scope, ColumnKind::Real, depth);
        match self.random.below(9) {
            0 | 1 => {
                let kind = self.of(&[ColumnKind::Real, ColumnKind::Int]);
                let b = self.value(scope, kind, depth).within(EXACT_BITS);
                let operator = self.of(&["+", "-"]);
                let is_nonnegative = a.is_nonnegative && b.is_nonnegative && operator == "+";
                Value { is_nonnegative, ..a.computed(format!("({} {operator} {})", a.text, b.text)) }
            }
            2 => {
                let (literal, operator) = (self.literal(&a), self.of(&["+", "-"]));
                Value { is_nonnegative: false, ..a.computed(format!("({} {operator} {literal})", a.text)) }
            }
            3 => {
                let factor = self.of(&["2", "0.5e0", "-1.5e0", "10"]);
                let is_nonnegative = a.is_nonnegative && !factor.starts_with('-');
                Value { is_nonnegative, ..a.computed(format!("({} * {factor})", a.text)) }
            }
            4 => {
                let b = self.leaf(scope, ColumnKind::Real);
                let is_nonnegative = a.is_nonnegative && b.is_nonnegative;
                Value { is_nonnegative, ..a.computed(format!("({} / NULLIF({}, 0))", a.text, b.text)) }
            }
            5 => {
                // Both operands are real by the factors.
                let a = self.value(scope, ColumnKind::Int, depth).within(EXACT_BITS);
                let b = self.value(scope, ColumnKind::Int, 0).within(EXACT_BITS);
                let text = format!("(({} * 1.0) / (NULLIF({}, 0) * 1.0))", a.text, b.text);
                Value { is_nonnegative: a.is_nonnegative && b.is_nonnegative, ..self.cast_to_real(&a).computed(text) }
            }
            6 => {
                let a = self.value(scope, ColumnKind::Int, depth);
                self.cast_to_real(&a)
            }
            7 => Value { is_nonnegative: true, ..a.computed(format!("ABS({})", a.text)) },
            _ => Value { is_nonnegative: false, ..a.computed(format!("(-{})", a.text)) },
        }
    }

    fn cast_to_real(&self, int: &Value) -> Value {
        Value { kind: ColumnKind::Real, ..int.computed(format!("CAST({} AS DOUBLE)", int.text)) }
    }

    /// An expression whose type is that of its operands.
    fn of_any_kind(&mut self, scope: &Scope, kind: ColumnKind, depth: usize) -> Value {
        let a = self.value(scope, kind, depth);
        match self.random.below(12) {
            0 | 1 => {
                let condition = self.condition(scope, depth);
                let b = self.value(scope, kind, depth);
                let literal = self.literal(&a);
                let more = self.condition(scope, 0);
                let text = match self.random.below(4) {
                    0 => format!("CASE WHEN {condition} THEN {} END", a.text),
                    1 => format!("CASE WHEN {condition} THEN {} ELSE {literal} END", a.text),
                    2 => {
                        format!("CASE WHEN {condition} THEN {} WHEN {more} THEN {literal} ELSE {} END", a.text, b.text)
                    }
                    _ => format!("CASE WHEN {condition} THEN {} ELSE {} END", a.text, b.text),
                };
                a.or(&b, text)
            }
            2 | 3 => {
                let of = self.column(scope);
                let (first, second) = (self.literal(&of), self.literal(&of));
                let b = self.value(scope, kind, depth);
                let (other, end) = (self.literal(&a), self.of(&["", "", " ELSE NULL"]));
                let text = match self.random.below(2) {
                    0 => format!("CASE {} WHEN {first} THEN {} WHEN {second} THEN {other}{end} END", of.text, a.text),
                    _ => format!("CASE {} WHEN {first} THEN {} ELSE {} END", of.text, a.text, b.text),
                };
                a.or(&b, text)
            }
            4 | 5 => {
                let b = self.value(scope, kind, depth);
                let literal = self.literal(&a);
                let text = match self.random.below(3) {
                    0 => format!("COALESCE({}, {literal})", a.text),
                    1 => format!("COALESCE({}, {}, {literal})", a.text, b.text),
                    _ => format!("COALESCE({}, {})", a.text, b.text),
                };
                a.or(&b, text)
            }
            6 | 7 => {
                let other = if self.chance(60) { self.literal(&a) } else { self.value(scope, kind, 0).text };
                a.computed(format!("NULLIF({}, {other})", a.text))
            }
            8 if self.chance(40) => {
                // Engines differ in what NULL among the arguments gives.
                let b = self.value(scope, kind, depth);
                let (one, other) = (self.literal(&a), self.literal(&b));
                let function = self.of(&["GREATEST", "LEAST"]);
                a.or(&b, format!("{function}(COALESCE({}, {one}), COALESCE({}, {other}))", a.text, b.text))
            }
            9..=11 => self.scalar_subquery(scope, kind).unwrap_or(a),
            _ => a,
        }
    }
}

/// An integer as text.
pub(super) fn cast_to_text(int: &Value) -> Value {
    let literals: Vec<String> = int.samples.literals.iter().map(|literal| format!("'{literal}'")).collect();
    let samples = Samples { literals, count: int.samples.count };
    Value {
        kind: ColumnKind::Text,
        is_ascii: true,
        samples: samples.into(),
        ..int.computed(format!("CAST({} AS VARCHAR)", int.text))
    }
}
