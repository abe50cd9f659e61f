//! Conditions: of WHERE, HAVING, ON, FILTER and CASE.

use super::ColumnKind;
use super::draft::{Draft, Scope};
use super::value::Value;

impl Draft<'_> {
    /// A condition on a row of `scope`, of at most `depth` levels.
    pub(super) fn condition(&mut self, scope: &Scope, depth: usize) -> String {
        if depth > 0 && self.chance(50) {
            let a = self.condition(scope, depth - 1);
            return match self.random.below(10) {
                0..=3 => format!("({a} AND {})", self.condition(scope, depth - 1)),
                4..=7 => format!("({a} OR {})", self.condition(scope, depth - 1)),
                8 => format!("NOT ({a})"),
                _ => format!("({a}) {}", self.of(&["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"])),
            };
        }
        if self.subqueries > 0
            && self.chance(50)
            && let Some(condition) = self.subquery_condition(scope)
        {
            return condition;
        }
        let a = self.any(scope, depth);
        match self.random.below(20) {
            0..=4 => self.comparison_with_literal(&a),
            5 | 6 => self.comparison(scope, &a, depth),
            7 | 8 => format!("{} IS {}NULL", a.text, self.of(&["", "NOT "])),
            9 => {
                let not = self.of(&["", "NOT "]);
                let b = if self.chance(70) { self.value(scope, a.kind, 0).text } else { self.literal(&a) };
                format!("{} IS {not}DISTINCT FROM {b}", a.text)
            }
            10 | 11 => self.between(scope, &a),
            12..=14 => self.in_list(&a),
            15 => format!("({}) IS NOT TRUE", self.comparison_with_literal(&a)),
            _ => {
                let text = self.value(scope, ColumnKind::Text, depth);
                self.like(&text)
            }
        }
    }

    /// `value` compared with a literal in its range.
    pub(super) fn comparison_with_literal(&mut self, value: &Value) -> String {
        let operator = self.of(&["=", "<", "<=", ">", ">=", "<>", "<", ">="]);
        let literal = self.literal(value);
        if self.chance(12) {
            format!("{literal} {operator} {}", value.text)
        } else {
            format!("{} {operator} {literal}", value.text)
        }
    }

    /// `a` compared with another expression of `scope`.
    fn comparison(&mut self, scope: &Scope, a: &Value, depth: usize) -> String {
        let operator = self.of(&["=", "<", "<=", ">", ">=", "<>"]);
        let kind = match a.kind {
            ColumnKind::Real if self.chance(40) => ColumnKind::Int,
            kind => kind,
        };
        let mut b = self.value(scope, kind, depth);
        if a.kind == ColumnKind::Real {
            // Larger integers are not exact as real numbers.
            b = b.within(50);
        }
        format!("{} {operator} {}", a.text, b.text)
    }

    fn between(&mut self, scope: &Scope, a: &Value) -> String {
        let (not, first, second) = (self.maybe_not(), self.literal(a), self.literal(a));
        // Bounds in order have rows between them.
        let is_in_order = match (first.parse::<f64>(), second.parse::<f64>()) {
            (Ok(first), Ok(second)) => first <= second,
            _ => first <= second,
        };
        let (least, most) = if is_in_order || self.chance(5) { (first, second) } else { (second, first) };
        if self.chance(20) {
            let b = self.value(scope, a.kind, 0);
            return format!("{} {not}BETWEEN {} AND {most}", a.text, b.text);
        }
        format!("{} {not}BETWEEN {least} AND {most}", a.text)
    }

    fn in_list(&mut self, a: &Value) -> String {
        let not = self.maybe_not();
        let count = 1 + self.random.below(5);
        let mut list: Vec<String> = (0..count).map(|_| self.literal(a)).collect();
        if self.chance(20) {
            let at = self.random.below(list.len());
            list.insert(at, "NULL".into());
        }
        format!("{} {not}IN ({})", a.text, list.join(", "))
    }
}
