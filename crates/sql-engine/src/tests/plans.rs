//! Rows that a statement reads, and its end.

use super::tables::{Collected, Rows, answer, run, virtual_tables};
use crate::{Failure, Kind, OwnedValue, Receiver, StatementFailure, Value};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Two parts of three rows: rank, name, dur.
fn events() -> Arc<Rows> {
    let row = |rank: i64, name: &str, dur: i64| {
        vec![OwnedValue::Int(rank), OwnedValue::Text(name.to_owned()), OwnedValue::Int(dur)]
    };
    let rows = vec![
        vec![row(0, "a", 5), row(0, "b", 1), row(0, "a", 3)],
        vec![row(1, "c", 9), row(1, "a", 2), row(1, "b", 4)],
    ];
    let columns = [("rank", Kind::Int), ("name", Kind::Text), ("dur", Kind::Int)];
    Arc::new(Rows::of("events", &columns, rows).with_fixed(&[0]).with_codes(&[1]))
}

fn ints(rows: Vec<Vec<OwnedValue>>) -> Vec<Vec<i64>> {
    let int = |value: OwnedValue| match value {
        OwnedValue::Int(value) => value,
        other => panic!("{other:?}"),
    };
    rows.into_iter().map(|row| row.into_iter().map(int).collect()).collect()
}

#[test]
fn only_parts_and_columns_of_a_statement_are_read() {
    let table = events();
    let reads = Arc::clone(&table.reads);
    let (mut database, _) = virtual_tables(vec![table]);
    let mut reads_of = |statement: &str| {
        reads.lock().unwrap().clear();
        answer(&mut database, statement).unwrap();
        reads.lock().unwrap().clone()
    };
    assert_eq!(reads_of("SELECT COUNT(*) FROM events WHERE rank = 2"), []);
    assert_eq!(reads_of("SELECT COUNT(*) FROM events WHERE rank IN (1, 3)"), [(1, vec![0])]);
    assert_eq!(reads_of("SELECT SUM(dur) FROM events WHERE rank = 1"), [(1, vec![2])], "rank was read before");
    assert_eq!(reads_of("SELECT name FROM events WHERE rank < 1"), [(0, vec![0, 1])]);
    assert_eq!(reads_of("SELECT name, dur FROM events WHERE rank > 5"), []);
    assert_eq!(reads_of("SELECT name, dur FROM events WHERE rank IS NULL"), []);
}

#[test]
fn row_limit_ends_a_scan_before_further_parts() {
    let table = events();
    let reads = Arc::clone(&table.reads);
    let (mut database, _) = virtual_tables(vec![table]);
    assert_eq!(ints(answer(&mut database, "SELECT dur FROM events LIMIT 2").unwrap()), [[5], [1]]);
    assert_eq!(reads.lock().unwrap().len(), 1);
    let ordered = "SELECT dur FROM events ORDER BY dur DESC LIMIT 2 OFFSET 1";
    assert_eq!(ints(answer(&mut database, ordered).unwrap()), [[5], [4]]);
}

#[test]
fn failing_part_ends_the_statement_with_its_error() {
    let table = events();
    table.failing.store(1, Ordering::Relaxed);
    let failing = Arc::clone(&table.failing);
    let (mut database, _) = virtual_tables(vec![table]);
    let statement = "SELECT SUM(dur) FROM events";
    match run(&mut database, statement) {
        Err(StatementFailure::Failed(failure)) => assert_eq!(failure.to_string(), "the part is broken"),
        other => panic!("{:?}", other.map(|collected| collected.rows)),
    }
    failing.store(usize::MAX, Ordering::Relaxed);
    assert_eq!(ints(answer(&mut database, statement).unwrap()), [[24]]);
}

#[test]
fn interrupt_ends_scans_and_recursions() {
    let (mut database, host) = virtual_tables(vec![events()]);
    host.is_interrupted.store(true, Ordering::Relaxed);
    let endless = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT SUM(i) FROM n";
    for statement in ["SELECT SUM(dur) FROM events", endless] {
        assert!(matches!(run(&mut database, statement), Err(StatementFailure::Interrupted)), "{statement}");
    }
    host.is_interrupted.store(false, Ordering::Relaxed);
    assert_eq!(ints(answer(&mut database, "SELECT SUM(dur) FROM events").unwrap()), [[24]]);
}

#[test]
fn statements_only_read() {
    let (mut database, _) = virtual_tables(vec![events()]);
    for statement in [
        "DELETE FROM events",
        "CREATE TABLE t (x)",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE events",
        "ATTACH 'file.db' AS other",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('x')",
        "VACUUM INTO 'file.db'",
        "BEGIN",
        "SELECT readfile('/etc/hostname')",
    ] {
        assert!(matches!(run(&mut database, statement), Err(StatementFailure::Refused(_))), "{statement}");
    }
}

#[test]
fn equal_names_of_columns_are_numbered() {
    let (mut database, _) = virtual_tables(vec![events()]);
    let statement = "SELECT a.dur, b.dur, 1 AS dur_2, a.name FROM events a JOIN events b ON a.rank = b.rank LIMIT 1";
    let columns = run(&mut database, statement).unwrap().columns;
    let names: Vec<(&str, Option<Kind>)> = columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    let int = Some(Kind::Int);
    assert_eq!(names, [("dur", int), ("dur_3", int), ("dur_2", None), ("name", Some(Kind::Text))]);
}

#[test]
fn units_follow_columns_and_their_sums() {
    let rows = vec![vec![vec![OwnedValue::Text("a".to_owned()), OwnedValue::Int(5), OwnedValue::Int(7)]]];
    let mut table = Rows::of("t", &[("name", Kind::Text), ("ts", Kind::Int), ("dur", Kind::Int)], rows);
    for column in &mut table.columns[1..] {
        column.unit = Some("ns");
    }
    let (mut database, _) = virtual_tables(vec![Arc::new(table)]);
    database.add_view("saved", "SELECT dur AS d FROM t").unwrap();
    for (statement, expected) in [
        ("SELECT * FROM t", &[None, Some("ns"), Some("ns")] as &[_]),
        (
            "SELECT name, SUM(dur) AS total, COUNT(*), AVG(ts) - MIN(ts) FROM t GROUP BY name ORDER BY total",
            &[None, Some("ns"), None, Some("ns")],
        ),
        (
            "WITH x AS (SELECT dur AS d, dur / 1000 AS dur FROM t) SELECT MAX(d), SUM(dur), d, dur FROM x",
            &[Some("ns"), None, Some("ns"), None],
        ),
        (
            "SELECT ts + dur, ts * 2, SUM(dur) OVER (ORDER BY ts), dur FROM t",
            &[Some("ns"), None, Some("ns"), Some("ns")],
        ),
        ("SELECT SUM(d) FROM saved HAVING COUNT(*) > 0", &[None]),
        ("SELECT SUM(d), d FROM saved GROUP BY d", &[Some("ns"), Some("ns")]),
        ("SELECT LENGTH(name) - dur, 7 AS dur FROM t", &[None, None]),
    ] {
        let columns = run(&mut database, statement).unwrap().columns;
        let units: Vec<Option<&str>> = columns.iter().map(|column| column.unit.as_deref()).collect();
        assert_eq!(units, expected, "{statement}");
    }
}

/// Refuses the second row.
struct Full(Collected);

impl Receiver for Full {
    fn columns(&mut self, _: Vec<crate::ResultColumn>) {}

    fn value(&mut self, column: usize, value: Value<'_>) {
        self.0.value(column, value);
    }

    fn end_row(&mut self) -> Result<(), Failure> {
        self.0.end_row()?;
        if self.0.rows.len() < 2 { Ok(()) } else { Err("the answer is too large".into()) }
    }
}

#[test]
fn receiver_ends_a_statement_with_its_error() {
    let (mut database, _) = virtual_tables(vec![events()]);
    let mut receiver = Full(Collected::default());
    let failure = database.run("SELECT dur FROM events", usize::MAX, &mut receiver);
    assert!(
        matches!(failure, Err(StatementFailure::Failed(failure)) if failure.to_string() == "the answer is too large")
    );
}

#[test]
fn sorts_beyond_the_memory_of_a_statement_end_it() {
    let (mut database, _) = virtual_tables(vec![events()]);
    let texts = "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 300) \
                 SELECT LENGTH(STRING_AGG(HEX(ZEROBLOB(500000)), '')) FROM n";
    let failure = database.run(texts, 40 << 20, &mut Collected::default());
    assert!(matches!(failure, Err(StatementFailure::OutOfMemory | StatementFailure::Refused(_))), "{failure:?}");
    assert_eq!(ints(answer(&mut database, "SELECT SUM(dur) FROM events").unwrap()), [[24]]);
}

#[test]
fn saved_statements_are_tables_also_of_each_other() {
    let (mut database, _) = virtual_tables(vec![events()]);
    database.add_view("second", "SELECT dur FROM \"fir'st\" WHERE dur > 2;").unwrap();
    database.add_view("fir'st", "SELECT dur FROM events -- all of them").unwrap();
    assert_eq!(ints(answer(&mut database, "SELECT COUNT(*) FROM second").unwrap()), [[4]]);
}

#[test]
fn text_that_is_a_pattern_of_null_matches_nothing() {
    let (mut database, _) = virtual_tables(vec![events()]);
    for condition in ["name LIKE NULL", "name REGEXP NULL", "name = NULL", "dur IN (NULL)", "dur > NULL"] {
        let statement = format!("SELECT COUNT(*) FROM events WHERE {condition}");
        assert_eq!(ints(answer(&mut database, &statement).unwrap()), [[0]], "{condition}");
    }
    let blob = "SELECT COUNT(*) FROM events WHERE name IN (x'61', 'a') OR dur = x'05'";
    assert_eq!(ints(answer(&mut database, blob).unwrap()), [[3]]);
}
