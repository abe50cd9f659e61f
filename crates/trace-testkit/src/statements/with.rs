//! Common tables: queries, recursive counters, and values.

use super::draft::Draft;
use super::relation::Relation;
use super::value::{Samples, Value, as_double};
use super::{ColumnKind, draft::MOST_JOINED};

impl Draft<'_> {
    /// Defines one or two common tables.
    pub(super) fn common_table(&mut self) {
        for _ in 0..self.of(&[1, 1, 1, 2]) {
            let name = format!("w{}", self.with.len());
            let relation = match self.random.below(10) {
                0..=5 => self.common_query(name),
                6..=8 => self.counter(name),
                _ => self.listed(name),
            };
            self.relations.push(relation);
        }
    }

    fn common_query(&mut self, name: String) -> Relation {
        let most = MOST_JOINED.min(self.most_rows);
        let (text, columns) = self.projection(most);
        let hint = self.of(&["", "", "", "MATERIALIZED ", "NOT MATERIALIZED "]);
        self.with.push(format!("{name} AS {hint}({text})"));
        Relation { name, columns, rows: most }
    }

    /// Rows counted by recursion.
    fn counter(&mut self, name: String) -> Relation {
        self.is_recursive = true;
        let end = self.of(&[1, 5, 12, 20]);
        let union = self.of(&["UNION ALL", "UNION"]);
        // DuckDB gives the unions of all common tables the types of their first query if one of the tables is recursive.
        let first = self.of(&["CAST(0 AS BIGINT)", "CAST(1 AS BIGINT)"]);
        let definition = if self.chance(50) {
            format!("{name}(c0) AS (SELECT {first} {union} SELECT c0 + 1 FROM {name} WHERE c0 < {end})")
        } else {
            let step = self.of(&["c1 + c0", "c1 * 2", "c1 + 3"]);
            format!(
                "{name}(c0, c1) AS (SELECT {first}, CAST(1 AS BIGINT) {union} SELECT c0 + 1, {step} FROM {name} WHERE c0 < {end})"
            )
        };
        let mut columns = vec![self.small_int("c0".into(), 5)];
        if definition.contains("c1") {
            columns.push(self.small_int("c1".into(), 20));
        }
        for column in &mut columns {
            column.is_stored = true;
        }
        self.with.push(definition);
        Relation { name, columns, rows: 21 }
    }

    /// Rows of VALUES, from the samples of columns of a table.
    fn listed(&mut self, name: String) -> Relation {
        let at = self.random.below(self.tables);
        let of = self.relations[at].columns.clone();
        let width = (1 + self.random.below(2)).min(of.len());
        let chosen: Vec<Value> = (0..width).map(|_| self.random.of(&of).clone()).collect();
        let count = 1 + self.random.below(5);
        let mut literals = vec![Vec::new(); width];
        let mut rows = Vec::new();
        for row in 0..count {
            let mut cells = Vec::new();
            for (column, literals) in chosen.iter().zip(&mut literals) {
                let literal = self.literal(column);
                let is_first = row == 0;
                cells.push(match column.kind {
                    // The first row says the type of the column.
                    ColumnKind::Int if is_first => format!("CAST({literal} AS BIGINT)"),
                    ColumnKind::Real => as_double(&literal),
                    _ if !is_first && self.chance(15) => "NULL".into(),
                    _ => literal.clone(),
                });
                literals.push(literal);
            }
            rows.push(format!("({})", cells.join(", ")));
        }
        let names: Vec<String> = (0..width).map(|at| format!("c{at}")).collect();
        self.with.push(format!("{name}({}) AS (VALUES {})", names.join(", "), rows.join(", ")));
        let columns = chosen.iter().zip(literals).zip(&names).map(|((column, literals), name)| Value {
            samples: Samples { count: literals.len(), literals }.into(),
            ..column.renamed(name.clone())
        });
        Relation { name, columns: columns.collect(), rows: count }
    }
}
