//! Queries of one SELECT.

use super::aggregate::Aggregate;
use super::draft::{Draft, MOST_JOINED, Source};
use super::value::Value;

/// A column of an answer.
#[derive(Debug, Clone)]
pub(super) struct Output {
    pub(super) text: String,
    /// Whether engines agree on all its digits.
    pub(super) is_exact: bool,
}

/// A query without an order.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) text: String,
    pub(super) outputs: Vec<Output>,
}

impl Output {
    pub(super) fn exact(text: String) -> Self {
        Self { text, is_exact: true }
    }

    pub(super) fn of(aggregate: &Aggregate) -> Self {
        Self { text: aggregate.value.text.clone(), is_exact: aggregate.is_exact }
    }
}

impl Draft<'_> {
    /// A query of any form.
    pub(super) fn select(&mut self) -> Query {
        match self.random.below(100) {
            0..=33 => {
                let source = self.source(MOST_JOINED);
                self.rows(source)
            }
            34..=45 => {
                let source = self.source(MOST_JOINED);
                self.totals(source)
            }
            46..=72 => {
                let source = self.source(MOST_JOINED);
                self.groups(source)
            }
            form => {
                // Windows sort rows by all their columns.
                const MOST_SORTED: usize = 20_000;
                let source = self.source(MOST_SORTED);
                match form {
                    73..=87 => self.windows(source),
                    88..=94 => self.windows_over_groups(source),
                    _ => self.first_of_each(source),
                }
            }
        }
    }

    /// A FROM clause of at most `most` rows, of few rows if subqueries follow.
    pub(super) fn source(&mut self, most: usize) -> Source {
        let most = if self.subqueries > 0 { most.min(self.of(&[200, 1500, MOST_JOINED])) } else { most };
        match self.random.below(100) {
            0..=44 => self.one_relation(most),
            45..=87 => self.join(most),
            _ => self.derived(most),
        }
    }

    /// Adds a condition to most sources.
    pub(super) fn restrict(&mut self, source: &mut Source) {
        if self.chance(60) {
            let depth = self.of(&[0, 1, 1, 2]);
            source.filters.push(self.condition(&source.scope, depth));
        }
    }

    /// Expressions of rows.
    fn rows(&mut self, mut source: Source) -> Query {
        self.restrict(&mut source);
        let tail = format!(" FROM {}{}", source.text, source.condition());
        if self.chance(10) {
            let outputs = vec![Output::exact(String::new()); source.width];
            return Query { text: format!("SELECT *{tail}"), outputs };
        }
        let mut outputs = Vec::new();
        for _ in 0..=self.random.below(4) {
            outputs.push(match self.random.below(10) {
                0 => Output::exact(self.condition(&source.scope, 1)),
                1..=6 => {
                    let depth = 1 + self.random.below(2);
                    Output::exact(self.any(&source.scope, depth).text)
                }
                _ => Output::exact(self.column(&source.scope).text),
            });
        }
        let distinct = if self.chance(18) { "DISTINCT " } else { "" };
        self.selected(distinct, outputs, &tail)
    }

    /// The query that selects `outputs`; `tail` is FROM and what follows.
    pub(super) fn selected(&mut self, distinct: &str, outputs: Vec<Output>, tail: &str) -> Query {
        let is_named = !tail.contains("GROUP BY g0") && self.chance(15);
        let texts: Vec<String> = outputs
            .iter()
            .enumerate()
            .map(|(at, output)| if is_named { format!("{} AS o{at}", output.text) } else { output.text.clone() })
            .collect();
        Query { text: format!("SELECT {distinct}{}{tail}", texts.join(", ")), outputs }
    }

    /// A query in FROM.
    fn derived(&mut self, most: usize) -> Source {
        let (text, columns) = self.projection(most);
        let relation = super::relation::Relation { name: format!("({text})"), columns, rows: most.min(self.most_rows) };
        let alias = self.alias();
        let table = super::relation::Aliased::new(relation, alias);
        Source {
            text: format!("{} AS {}", table.relation.name, table.alias),
            scope: table.scope(),
            filters: Vec::new(),
            width: table.columns.len(),
        }
    }

    /// A query whose columns are `c0`, `c1` and so on, and these columns. It has at most about `most` rows.
    pub(super) fn projection(&mut self, most: usize) -> (String, Vec<Value>) {
        let saved = std::mem::take(&mut self.subqueries);
        let made = match self.random.below(10) {
            0 | 1 => self.union_of_named(most),
            2..=4 => {
                let source = if self.chance(60) { self.one_relation(most) } else { self.join(most) };
                let grouping = self.grouping(source, false);
                named("", &grouping.scope.columns, &grouping.tail)
            }
            _ => {
                let mut source = if self.chance(70) { self.one_relation(most) } else { self.join(most) };
                self.restrict(&mut source);
                let tail = format!(" FROM {}{}", source.text, source.condition());
                // Columns as they are, by which the query can be joined.
                let mut values = vec![self.column(&source.scope), self.column(&source.scope)];
                for _ in 0..self.random.below(3) {
                    values.push(self.any(&source.scope, 2));
                }
                named(self.of(&["", "", "", "DISTINCT "]), &values, &tail)
            }
        };
        self.subqueries = saved;
        made
    }
}

/// The query that selects `values` under names, and its columns.
pub(super) fn named(distinct: &str, values: &[Value], tail: &str) -> (String, Vec<Value>) {
    let texts: Vec<String> = values.iter().enumerate().map(|(at, value)| format!("{} AS c{at}", value.text)).collect();
    let columns = values.iter().enumerate().map(|(at, value)| value.renamed(format!("c{at}")));
    (format!("SELECT {distinct}{}{tail}", texts.join(", ")), columns.collect())
}
