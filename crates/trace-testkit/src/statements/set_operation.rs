//! UNION, INTERSECT and EXCEPT.

use super::ColumnKind;
use super::draft::{Draft, MOST_JOINED};
use super::select::{Output, Query, named};
use super::value::Value;

impl Draft<'_> {
    /// Two or three queries with columns of the same types, joined by set operators.
    pub(super) fn set_operation(&mut self) -> Query {
        let kinds = self.kinds();
        let (mut text, _) = self.arm(&kinds, MOST_JOINED / 3, false);
        let first = self.of(&["UNION", "UNION ALL", "INTERSECT", "EXCEPT"]);
        text += &format!(" {first} {}", self.arm(&kinds, MOST_JOINED / 3, false).0);
        if self.chance(30) {
            // INTERSECT binds as tight as the others in SQLite, tighter in DuckDB.
            let second = self.of(&["UNION", "UNION ALL", "EXCEPT"]);
            text += &format!(" {second} {}", self.arm(&kinds, MOST_JOINED / 3, false).0);
        }
        Query { text, outputs: vec![Output::exact(String::new()); kinds.len()] }
    }

    /// A union whose columns have names, for FROM.
    pub(super) fn union_of_named(&mut self, most: usize) -> (String, Vec<Value>) {
        let kinds = self.kinds();
        let operator = self.of(&["UNION", "UNION ALL", "UNION ALL", "EXCEPT"]);
        let (left, mut columns) = self.arm(&kinds, most / 2, true);
        let (right, others) = self.arm(&kinds, most / 2, true);
        for (column, other) in columns.iter_mut().zip(&others) {
            let is_stored = column.is_stored && other.is_stored;
            *column = Value { is_stored, ..column.or(other, column.text.clone()) };
        }
        (format!("{left} {operator} {right}"), columns)
    }

    fn kinds(&mut self) -> Vec<ColumnKind> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.of(&[ColumnKind::Int, ColumnKind::Int, ColumnKind::Text, ColumnKind::Real])).collect()
    }

    /// A query with columns of `kinds`.
    fn arm(&mut self, kinds: &[ColumnKind], most: usize, is_named: bool) -> (String, Vec<Value>) {
        let mut source = if is_named { self.one_relation(most) } else { self.source(most) };
        self.restrict(&mut source);
        let depth = self.of(&[0, 0, 1]);
        let values: Vec<Value> = kinds.iter().map(|&kind| self.value(&source.scope, kind, depth)).collect();
        let distinct = self.of(&["", "", "", "", "DISTINCT "]);
        let tail = format!(" FROM {}{}", source.text, source.condition());
        if is_named {
            return named(distinct, &values, &tail);
        }
        let texts: Vec<&str> = values.iter().map(|value| value.text.as_str()).collect();
        (format!("SELECT {distinct}{}{tail}", texts.join(", ")), values)
    }
}
