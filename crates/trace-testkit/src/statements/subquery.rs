//! Subqueries within expressions: IN, EXISTS, and those of one value.

use super::ColumnKind;
use super::draft::{Draft, MOST_PAIRS, Scope, Source};
use super::join::Pair;
use super::relation::Aliased;
use super::value::Value;

/// Fewer rows of a correlated subquery are not worth it.
const FEWEST_ROWS: usize = 20;

impl Draft<'_> {
    /// A condition with a subquery, if `scope` allows for one.
    pub(super) fn subquery_condition(&mut self, scope: &Scope) -> Option<String> {
        self.subqueries -= 1;
        match self.random.below(10) {
            0..=3 => Some(self.in_subquery(scope)),
            4..=6 => self.exists(scope),
            _ => {
                let kind = self.of(&[ColumnKind::Int, ColumnKind::Int, ColumnKind::Text, ColumnKind::Real]);
                let a = self.value(scope, kind, 1);
                self.subqueries += 1;
                let b = self.scalar_subquery(scope, kind)?;
                Some(format!("{} {} {}", a.text, self.of(&["<", ">=", "=", "<>"]), b.text))
            }
        }
    }

    fn in_subquery(&mut self, scope: &Scope) -> String {
        let not = self.of(&["", "", "NOT "]);
        let table = self.pick();
        let (a, b) = match self.pair(&scope.columns, &table.columns) {
            Some(pair) if self.chance(70) => (pair.left, pair.right),
            _ => {
                let a = self.any(scope, 1);
                let b = self.without_subqueries(|draft| draft.value(&table.scope(), a.kind, 1));
                (a, b)
            }
        };
        let mut source = self.rows_of(&table, usize::MAX);
        source.filters.extend(self.filters_of(&table, 60));
        if not == "NOT " && self.chance(60) {
            source.filters.push(format!("{} IS NOT NULL", b.text));
        }
        let distinct = self.of(&["", "", "", "DISTINCT "]);
        let condition = source.condition();
        format!("{} {not}IN (SELECT {distinct}{} FROM {}{condition})", a.text, b.text, source.text)
    }

    fn exists(&mut self, scope: &Scope) -> Option<String> {
        let mut source = self.correlated(scope)?;
        let output = self.of(&["1", "*", "NULL"]);
        let not = self.of(&["", "NOT "]);
        if self.chance(30) {
            // Another condition on rows of both.
            let (outer, inner) = (self.column(scope), self.random.of(&source.scope.columns).clone());
            if outer.kind == inner.kind {
                let operator = self.of(&["<", ">=", "<>", "IS DISTINCT FROM"]);
                source.filters.push(format!("{} {operator} {}", inner.text, outer.text));
            }
        }
        Some(format!("{not}EXISTS (SELECT {output} FROM {}{})", source.text, source.condition()))
    }

    /// An aggregate of another table's rows, correlated or not, if a subquery may be written.
    pub(super) fn scalar_subquery(&mut self, scope: &Scope, kind: ColumnKind) -> Option<Value> {
        self.subqueries = self.subqueries.checked_sub(1)?;
        let source = if self.chance(60) { self.correlated(scope) } else { None };
        let source = match source {
            Some(source) => source,
            None => {
                let table = self.pick();
                let mut source = self.rows_of(&table, usize::MAX);
                source.filters.extend(self.filters_of(&table, 70));
                source
            }
        };
        let inner = &source.scope;
        let value = self.without_subqueries(|draft| match kind {
            ColumnKind::Int if draft.chance(40) => {
                let counted = if draft.chance(50) { "*".into() } else { draft.column(inner).text };
                draft.small_int(format!("COUNT({counted})"), 18)
            }
            ColumnKind::Int if draft.chance(40) => {
                let value = draft.value(inner, kind, 1).within(44);
                Value { bits: value.bits + 18, ..value.computed(format!("SUM({})", value.text)) }
            }
            kind => {
                let value = draft.value(inner, kind, 1);
                let function = draft.of(&["MIN", "MAX"]);
                value.computed(format!("{function}({})", value.text))
            }
        });
        let text = format!("(SELECT {} FROM {}{})", value.text, source.text, source.condition());
        Some(value.computed(text))
    }

    /// Rows of a table with the value of a column of `scope`, by a condition among the filters.
    fn correlated(&mut self, scope: &Scope) -> Option<Source> {
        let most = MOST_PAIRS / scope.rows.max(1);
        if scope.is_grouped || most < FEWEST_ROWS {
            return None;
        }
        let table = self.pick();
        let Pair { left: outer, right: inner } = self.pair(&scope.columns, &table.columns)?;
        let mut source = self.rows_of(&table, most);
        let operator = if self.chance(90) { "=" } else { "IS NOT DISTINCT FROM" };
        source.filters.push(format!("{} {operator} {}", inner.text, outer.text));
        source.filters.extend(self.filters_of(&table, 40));
        Some(source)
    }

    /// A condition on `table`, with `percent` percent.
    fn filters_of(&mut self, table: &Aliased, percent: usize) -> Option<String> {
        self.chance(percent).then(|| self.without_subqueries(|draft| draft.condition(&table.scope(), 1)))
    }
}
