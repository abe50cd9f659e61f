//! The statement that is being made.

use super::relation::Relation;
use super::select::Query;
use super::value::{Samples, Value};
use super::{ColumnKind, RandomStatement};
use crate::Random;
use std::sync::Arc;

/// Most rows that a join of a statement gives, and that a statement returns.
pub(super) const MOST_JOINED: usize = 150_000;
/// Most pairs of rows that an engine without indexes looks at.
pub(super) const MOST_PAIRS: usize = 2_000_000;

/// What an expression may name.
#[derive(Debug, Clone)]
pub(super) struct Scope {
    pub(super) columns: Vec<Value>,
    /// Expressions that differ for any two rows that differ.
    pub(super) order: Vec<String>,
    /// An estimate from above.
    pub(super) rows: usize,
    /// Whether its columns are groups and aggregates.
    pub(super) is_grouped: bool,
}

/// A FROM clause.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) text: String,
    pub(super) scope: Scope,
    /// Conditions of WHERE without which there would be too many rows.
    pub(super) filters: Vec<String>,
    /// Columns of `*`.
    pub(super) width: usize,
}

impl Source {
    /// The WHERE clause, if there are conditions.
    pub(super) fn condition(&self) -> String {
        if self.filters.is_empty() { String::new() } else { format!(" WHERE {}", self.filters.join(" AND ")) }
    }
}

/// The statement that is being made.
pub(super) struct Draft<'a> {
    pub(super) random: &'a mut Random,
    /// What FROM may name: tables, and common tables behind them.
    pub(super) relations: Vec<Relation>,
    /// Tables among the relations.
    pub(super) tables: usize,
    pub(super) most_rows: usize,
    /// Definitions of common tables.
    pub(super) with: Vec<String>,
    pub(super) is_recursive: bool,
    /// Subqueries that may still be written.
    pub(super) subqueries: usize,
    pub(super) small: Arc<Samples>,
    differs: Option<&'static str>,
    aliases: usize,
}

impl<'a> Draft<'a> {
    pub(super) fn new(random: &'a mut Random, relations: &[Relation], most_rows: usize) -> Self {
        Self {
            random,
            relations: relations.to_vec(),
            tables: relations.len(),
            most_rows,
            with: Vec::new(),
            is_recursive: false,
            subqueries: 0,
            small: Samples::of(&["0", "1", "2", "3", "4", "5", "7", "10", "20"]),
            differs: None,
            aliases: 0,
        }
    }

    pub(super) fn statement(mut self) -> RandomStatement {
        if self.chance(24) {
            self.common_table();
        }
        if self.chance(28) {
            self.subqueries = 1 + self.random.below(2);
        }
        let query = if self.chance(11) { self.set_operation() } else { self.select() };
        self.finished(query)
    }

    /// Adds the common tables and an order.
    fn finished(&mut self, query: Query) -> RandomStatement {
        let mut text = String::new();
        if !self.with.is_empty() {
            let recursive = if self.is_recursive { "RECURSIVE " } else { "" };
            text = format!("WITH {recursive}{} ", self.with.join(", "));
        }
        text += &query.text;
        let is_ordered = query.outputs.iter().all(|output| output.is_exact) && self.chance(45);
        if is_ordered {
            text += " ORDER BY ";
            let terms: Vec<String> = (1..=query.outputs.len())
                .map(|position| format!("{position}{} NULLS FIRST", self.of(&["", "", " ASC", " DESC"])))
                .collect();
            text += &terms.join(", ");
            if self.chance(45) {
                text += &format!(" LIMIT {}", self.of(&[1, 3, 10, 50, 1000]));
                if self.chance(40) {
                    text += &format!(" OFFSET {}", self.of(&[0, 1, 2, 7, 40]));
                }
            }
        } else if self.chance(15) {
            let at = self.random.below(query.outputs.len());
            let output = &query.outputs[at].text;
            let is_named = output.is_empty() || [" AS g", " OVER w"].iter().any(|name| output.contains(name));
            let term = if is_named || self.chance(40) { (at + 1).to_string() } else { output.clone() };
            text += &format!(" ORDER BY {term}{}", self.of(&["", " ASC", " DESC"]));
        }
        RandomStatement { text, is_ordered, differs_from_duckdb: self.differs }
    }

    /// Whether an event of `percent` percent happens.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.random.below(100) < percent
    }

    /// One of `choices`.
    pub(super) fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        *self.random.of(choices)
    }

    /// `NOT ` for one of four.
    pub(super) fn maybe_not(&mut self) -> &'static str {
        self.of(&["", "", "", "NOT "])
    }

    pub(super) fn alias(&mut self) -> String {
        self.aliases += 1;
        format!("t{}", self.aliases - 1)
    }

    /// Says why DuckDB answers the statement differently.
    pub(super) fn differs(&mut self, reason: &'static str) {
        self.differs = Some(reason);
    }

    /// What `make` gives without subqueries.
    pub(super) fn without_subqueries<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::take(&mut self.subqueries);
        let made = make(self);
        self.subqueries = saved;
        made
    }

    /// A small integer computed as `text`.
    pub(super) fn small_int(&self, text: String, bits: u32) -> Value {
        Value {
            text,
            kind: ColumnKind::Int,
            bits,
            is_ascii: true,
            is_nonnegative: true,
            samples: Arc::clone(&self.small),
            is_stored: false,
        }
    }
}
