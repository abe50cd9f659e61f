//! Tests of the statements: they are repeatable, and cover what SELECT can say.

use super::{ColumnKind, RandomStatement, RandomStatements, StatementColumn, StatementTable};
use std::collections::BTreeSet;

/// What a statement may contain, by a text that shows it.
const FEATURES: &[&str] = &[
    " + ",
    " - ",
    " * ",
    " % ",
    " / ",
    " / NULLIF(",
    " * 1.0)",
    " = ",
    " <> ",
    " < ",
    " >= ",
    " AND ",
    " OR ",
    "NOT (",
    " IS NULL",
    " IS NOT NULL",
    " IS TRUE",
    " IS NOT TRUE",
    " IS NOT FALSE",
    " IS DISTINCT FROM ",
    " IS NOT DISTINCT FROM ",
    " BETWEEN ",
    " NOT BETWEEN ",
    " IN (",
    " NOT IN (",
    ", NULL",
    " IN (SELECT ",
    " NOT IN (SELECT ",
    "EXISTS (SELECT ",
    "NOT EXISTS (",
    "(SELECT MAX(",
    "(SELECT COUNT(*)",
    "(SELECT SUM(",
    "CASE WHEN ",
    "CASE t",
    " AS BIGINT)",
    " AS INTEGER)",
    " AS DOUBLE)",
    " AS VARCHAR)",
    "COALESCE(",
    "NULLIF(",
    "ABS(",
    "LENGTH(",
    "UPPER(",
    "LOWER(",
    "SUBSTR(",
    "REPLACE(",
    "TRIM(",
    " || ",
    " LIKE ",
    " NOT LIKE ",
    " ESCAPE ",
    "GREATEST(",
    "LEAST(",
    "COUNT(*)",
    "COUNT(t",
    "COUNT(DISTINCT ",
    "SUM(",
    "SUM(DISTINCT ",
    "AVG(",
    "MIN(",
    "MAX(",
    " FILTER (WHERE ",
    " GROUP BY ",
    " GROUP BY 1",
    " GROUP BY g0",
    " HAVING ",
    " INNER JOIN ",
    " LEFT JOIN ",
    " RIGHT JOIN ",
    " FULL JOIN ",
    " CROSS JOIN ",
    " USING (",
    "WITH w0 AS (",
    " AS MATERIALIZED (",
    "WITH RECURSIVE ",
    "(VALUES ",
    " UNION ",
    " UNION ALL ",
    " INTERSECT ",
    " EXCEPT ",
    "SELECT DISTINCT ",
    "SELECT *",
    "ROW_NUMBER()",
    "RANK()",
    "DENSE_RANK()",
    "NTILE(",
    "LAG(",
    "LEAD(",
    "FIRST_VALUE(",
    "LAST_VALUE(",
    "PARTITION BY ",
    " NULLS LAST",
    " ROWS BETWEEN ",
    " ROWS UNBOUNDED PRECEDING",
    " RANGE BETWEEN ",
    " GROUPS BETWEEN ",
    "SUM(SUM(",
    " WINDOW w AS (",
    " LIMIT ",
    " OFFSET ",
    ".n <= ",
];

fn column(name: &str, kind: ColumnKind, samples: impl Fn(usize) -> String) -> StatementColumn {
    let samples = (0..120).map(|at| (at % 9 != 4).then(|| samples(at))).collect();
    StatementColumn { name: name.into(), kind, samples }
}

fn tables() -> Vec<StatementTable> {
    let events = vec![
        column("id", ColumnKind::Int, |at| (at * 17).to_string()),
        column("name", ColumnKind::Text, |at| format!("'it''s {}%'", at % 12)),
        column("start", ColumnKind::Int, |at| (7_204_118_000_000_000 + at * 1_000_003).to_string()),
        column("share", ColumnKind::Real, |at| format!("{}.25", at as i64 - 60)),
    ];
    let names = vec![
        column("id", ColumnKind::Int, |at| (at * 2).to_string()),
        column("name", ColumnKind::Text, |at| format!("'it''s {}%'", at % 12)),
        column("rank", ColumnKind::Int, |at| (at % 8).to_string()),
    ];
    [("events", events), ("names", names)].map(|(name, columns)| StatementTable { name: name.into(), columns }).into()
}

fn statements(seed: u64, count: usize) -> Vec<RandomStatement> {
    RandomStatements::new(seed, tables()).take(count).collect()
}

#[test]
fn equal_seeds_give_equal_statements() {
    assert_eq!(statements(1, 200), statements(1, 200));
    assert_ne!(statements(1, 200), statements(2, 200));
}

#[test]
fn every_feature_occurs_among_2000_statements() {
    let statements = statements(3, 2000);
    let is_missing = |feature: &&&str| !statements.iter().any(|statement| statement.text.contains(**feature));
    let missing: Vec<&&str> = FEATURES.iter().filter(is_missing).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn few_of_2000_statements_are_equal() {
    let distinct: BTreeSet<String> = statements(4, 2000).into_iter().map(|statement| statement.text).collect();
    assert!(distinct.len() > 1900, "{}", distinct.len());
}

#[test]
fn limit_of_a_statement_follows_a_total_order() {
    for statement in statements(5, 2000) {
        let order = statement.text.rfind(" ORDER BY 1").map_or("", |at| &statement.text[at..]);
        let ends_with_limit = !statement.text.rfind(" LIMIT ").is_some_and(|at| statement.text[at..].contains(')'));
        if statement.is_ordered {
            assert!(order.contains(" NULLS FIRST"), "{}", statement.text);
        } else if statement.text.contains(" LIMIT ") {
            assert!(!ends_with_limit, "{}", statement.text);
        }
    }
}

#[test]
fn only_integer_division_differs_from_duckdb() {
    let reasons: BTreeSet<&str> = statements(6, 2000).iter().filter_map(|each| each.differs_from_duckdb).collect();
    assert_eq!(reasons, BTreeSet::from(["integer division"]));
}

#[test]
fn tables_without_numbers_or_samples_have_statements() {
    let columns =
        ["a", "b"].map(|name| StatementColumn { name: name.into(), kind: ColumnKind::Text, samples: Vec::new() });
    let table = StatementTable { name: "texts".into(), columns: columns.into() };
    assert_eq!(RandomStatements::new(7, vec![table]).take(500).count(), 500);
    assert_eq!(RandomStatements::new(7, Vec::new()).next(), None);
}
