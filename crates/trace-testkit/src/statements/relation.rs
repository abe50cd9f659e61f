//! A relation of FROM: a table or a common table, whole or some of its rows.

use super::draft::{Draft, Scope, Source};
use super::value::{Samples, Value, as_double, bits_of};
use super::{ColumnKind, StatementTable};
use std::sync::Arc;

/// A table or a common table.
#[derive(Debug, Clone)]
pub(super) struct Relation {
    /// Its name, quoted.
    pub(super) name: String,
    /// Its columns by their quoted names.
    pub(super) columns: Vec<Value>,
    pub(super) rows: usize,
}

/// A relation under an alias.
#[derive(Debug, Clone)]
pub(super) struct Aliased {
    pub(super) relation: Relation,
    pub(super) alias: String,
    /// Its columns by alias and name.
    pub(super) columns: Vec<Value>,
}

impl Relation {
    pub(super) fn of(table: StatementTable) -> Self {
        /// More samples would tell little more.
        const MOST_SAMPLES: usize = 256;
        let columns = table.columns.into_iter().map(|column| {
            let step = column.samples.len().div_ceil(MOST_SAMPLES).max(1);
            let count = column.samples.len().div_ceil(step);
            let literals: Vec<String> = column.samples.into_iter().step_by(step).flatten().collect();
            let samples = Samples { literals, count };
            Value {
                text: quoted(&column.name),
                kind: column.kind,
                bits: bits_of(&samples),
                is_ascii: samples.literals.iter().all(|literal| literal.is_ascii()),
                is_nonnegative: !samples.literals.iter().any(|literal| literal.starts_with('-')),
                samples: Arc::new(samples),
                is_stored: true,
            }
        });
        Self { name: quoted(&table.name), columns: columns.collect(), rows: 0 }
    }
}

impl Aliased {
    pub(super) fn new(relation: Relation, alias: String) -> Self {
        let columns = relation.columns.iter().map(|column| column.renamed(format!("{alias}.{}", column.text)));
        Self { columns: columns.collect(), relation, alias }
    }

    pub(super) fn scope(&self) -> Scope {
        Scope {
            columns: self.columns.clone(),
            order: self.columns.iter().map(|column| column.text.clone()).collect(),
            rows: self.relation.rows,
            is_grouped: false,
        }
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Draft<'_> {
    /// A relation; a common table more often than a table.
    pub(super) fn pick(&mut self) -> Aliased {
        let common = self.relations.len() - self.tables;
        let at = if common > 0 && self.chance(60) {
            self.tables + self.random.below(common)
        } else {
            self.random.below(self.tables)
        };
        let alias = self.alias();
        Aliased::new(self.relations[at].clone(), alias)
    }

    /// All rows of `table` if there are at most `most`, else so many of them.
    pub(super) fn rows_of(&mut self, table: &Aliased, most: usize) -> Source {
        let Aliased { relation, alias, columns } = table;
        let scope = table.scope();
        let width = columns.len();
        let whole = format!("{} AS {alias}", relation.name);
        if relation.rows <= most {
            return Source { text: whole, scope, filters: Vec::new(), width };
        }
        let wanted = most as f64 / relation.rows as f64;
        if self.chance(65)
            && let Some(filter) = self.selective(&relation.columns, wanted)
        {
            let text = format!("(SELECT * FROM {} WHERE {filter}) AS {alias}", relation.name);
            return Source { text, scope: Scope { rows: most, ..scope }, filters: Vec::new(), width };
        }
        let positions: Vec<String> = (1..=columns.len()).map(|at| format!("{at} NULLS FIRST")).collect();
        let offset = self.of(&["", "", " OFFSET 5", " OFFSET 60"]);
        let order = positions.join(", ");
        let text = format!("(SELECT * FROM {} ORDER BY {order} LIMIT {most}{offset}) AS {alias}", relation.name);
        Source { text, scope: Scope { rows: most, ..scope }, filters: Vec::new(), width }
    }

    /// A relation with at most `most` rows, by a condition of WHERE if samples tell one.
    pub(super) fn one_relation(&mut self, most: usize) -> Source {
        let table = self.pick();
        if table.relation.rows > most && self.chance(70) {
            let wanted = most as f64 / table.relation.rows as f64;
            if let Some(filter) = self.selective(&table.columns, wanted) {
                let mut source = self.rows_of(&table, usize::MAX);
                source.filters.push(filter);
                source.scope.rows = most;
                return source;
            }
        }
        self.rows_of(&table, most)
    }

    /// A condition that at most `share` of the rows meet, by the samples of `columns`.
    fn selective(&mut self, columns: &[Value], share: f64) -> Option<String> {
        const TRIES: usize = 12;
        for _ in 0..TRIES {
            let column = self.random.of(columns).clone();
            if column.samples.literals.is_empty() {
                continue;
            }
            let (text, selectivity) = match self.random.below(3) {
                0 => {
                    let literal = self.random.of(&column.samples.literals).clone();
                    let selectivity = column.samples.share(|sample| sample == literal);
                    (format!("{} = {}", column.text, comparable(&column, &literal)), selectivity)
                }
                1 => {
                    let (first, second) = (
                        self.random.of(&column.samples.literals).clone(),
                        self.random.of(&column.samples.literals).clone(),
                    );
                    let selectivity = column.samples.share(|sample| sample == first || sample == second);
                    let (first, second) = (comparable(&column, &first), comparable(&column, &second));
                    (format!("{} IN ({first}, {second})", column.text), selectivity)
                }
                _ if column.kind != ColumnKind::Text => {
                    let mut numbers: Vec<(f64, &String)> =
                        column.samples.literals.iter().filter_map(|text| Some((text.parse().ok()?, text))).collect();
                    numbers.sort_by(|left, right| left.0.total_cmp(&right.0));
                    let span = ((numbers.len() as f64 * share) as usize).min(numbers.len());
                    if span < 2 {
                        continue;
                    }
                    let at = self.random.below(numbers.len() + 1 - span);
                    let (least, most) = (numbers[at], numbers[at + span - 1]);
                    let selectivity = column
                        .samples
                        .share(|sample| sample.parse().is_ok_and(|number: f64| (least.0..=most.0).contains(&number)));
                    let (least, most) = (comparable(&column, least.1), comparable(&column, most.1));
                    (format!("{} BETWEEN {least} AND {most}", column.text), selectivity)
                }
                _ => continue,
            };
            if selectivity <= share {
                return Some(text);
            }
        }
        None
    }
}

/// A literal to compare with the values of `column`.
fn comparable(column: &Value, literal: &str) -> String {
    if column.kind == ColumnKind::Real { as_double(literal) } else { literal.into() }
}
