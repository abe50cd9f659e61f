//! Random SELECT statements, whose answers by several SQL engines are compared.
//!
//! A statement has one answer: windows that depend on the order of rows are ordered by all columns of the row, LIMIT follows a total order,
//! columns beside aggregates are groups. It means the same to SQLite and to DuckDB, or [`RandomStatement::differs_from_duckdb`] says what
//! does not. Three settings are assumed: `PRAGMA case_sensitive_like = ON` of SQLite, functions `greatest` and `least`, which SQLite lacks,
//! and `SET error_on_division_by_zero = false` of DuckDB.

mod aggregate;
mod condition;
mod draft;
mod expression;
mod join;
mod relation;
mod select;
mod set_operation;
mod subquery;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod window;
mod with;

use crate::Random;
use draft::Draft;
use relation::Relation;

/// A table that statements may name.
#[derive(Debug, Clone)]
pub struct StatementTable {
    /// Its name, without quotes.
    pub name: String,
    /// Its columns, in their order.
    pub columns: Vec<StatementColumn>,
}

/// A column of a [`StatementTable`].
#[derive(Debug, Clone)]
pub struct StatementColumn {
    /// Its name, without quotes.
    pub name: String,
    /// The type of all its values.
    pub kind: ColumnKind,
    /// Values of rows drawn at random, as SQL writes them (`12`, `1.5`, `'it''s'`), or [`None`] for NULL. Literals are taken from them, and
    /// the number of rows of a join is estimated by them: 100 or more are best.
    pub samples: Vec<Option<String>>,
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// 64-bit integers.
    Int,
    /// 64-bit floating-point numbers.
    Real,
    /// Texts.
    Text,
}

/// A SELECT statement, and how its answers can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RandomStatement {
    /// The statement.
    pub text: String,
    /// Whether it ends with an order of all its columns, so that rows are compared in order. Otherwise they are compared as multisets.
    pub is_ordered: bool,
    /// Why DuckDB answers differently, if it does.
    pub differs_from_duckdb: Option<&'static str>,
}

/// An endless sequence of random statements.
pub struct RandomStatements {
    random: Random,
    relations: Vec<Relation>,
    most_rows: usize,
}

impl RandomStatements {
    /// Creates the sequence of statements over `tables`, of which there must be one or more. Equal seeds and tables give equal statements.
    pub fn new(seed: u64, tables: Vec<StatementTable>) -> Self {
        const MOST_ROWS: usize = 20_000;
        let relations = tables.into_iter().map(Relation::of).collect();
        Self { random: Random::new(seed), relations, most_rows: MOST_ROWS }.with_most_rows(MOST_ROWS)
    }

    /// Says that no table has more rows than `rows`, 20,000 unless told. Fewer rows allow for more rows per statement.
    #[must_use]
    pub fn with_most_rows(mut self, rows: usize) -> Self {
        self.most_rows = rows;
        for relation in &mut self.relations {
            relation.rows = rows;
        }
        self
    }
}

impl Iterator for RandomStatements {
    type Item = RandomStatement;

    fn next(&mut self) -> Option<RandomStatement> {
        if self.relations.is_empty() {
            return None;
        }
        Some(Draft::new(&mut self.random, &self.relations, self.most_rows).statement())
    }
}
