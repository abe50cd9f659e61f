//! Hostile names and statements: nothing runs, nothing hangs, nothing panics.

#![allow(clippy::unwrap_used)]

use crate::QuerySql;
use crate::{CancellationToken, Error, SqlTables, TraceSet};
use polars::df;
use sql_engine::StatementError as SqlError;
use trace_testkit::{Stream, TraceBuilder};

fn refused(tables: &SqlTables, statement: &str) -> SqlError {
    match tables.query(statement) {
        Err(Error::Sql(error)) => *error.downcast::<SqlError>().unwrap(),
        other => panic!("{statement}: {other:?}"),
    }
}

const HOSTILE: &str = "'; DROP TABLE events; -- \" ` \\ <script>alert(1)</script> %_ \u{1b}[2J \u{202e}";

#[test]
fn hostile_names_are_only_text() {
    let builder = TraceBuilder::new().operator(HOSTILE, 0..9).kernel(HOSTILE, Stream(7), 1..5);
    let set = TraceSet::from_bytes(builder.json()).unwrap().with_label("a' OR 1 = 1 --");
    let tables = SqlTables::of([&set]).frame("some \"name\"", df!("a b" => [1], "c'd" => ["x"]).unwrap());
    let quoted = HOSTILE.replace('\'', "''");
    let found = tables.query(&format!("SELECT trace, name FROM events WHERE name = '{quoted}'")).unwrap();
    assert_eq!(found.height(), 2);
    assert_eq!(found.column("name").unwrap().str().unwrap().get(0), Some(HOSTILE));
    assert_eq!(tables.query("SELECT name FROM gaps(7)").unwrap_err().to_string().lines().count(), 4);
    assert_eq!(tables.query("SELECT \"a b\", \"c'd\" FROM \"some \"\"name\"\"\"").unwrap().height(), 1);
    assert_eq!(
        tables.query("SELECT name FROM overlap(\"some \"\"name\"\"\")").unwrap_err().to_string().lines().count(),
        4
    );
}

#[test]
fn statements_of_any_size_are_refused_or_answered() {
    let set = TraceSet::from_bytes(TraceBuilder::new().operator("a", 0..9).json()).unwrap();
    let tables = SqlTables::of([&set]);
    let many = format!("SELECT * FROM events WHERE {}", vec!["id = 1"; 100].join(" OR "));
    assert!(tables.query(&many).is_ok_and(|found| found.height() <= 1));
    let list = vec!["1"; 3000].join(", ");
    assert!(tables.query(&format!("SELECT * FROM events WHERE id IN ({list})")).is_ok());
    for deep in [
        format!("SELECT {}1{}", "(".repeat(3000), ")".repeat(3000)),
        format!("SELECT * FROM {}events{}", "(SELECT * FROM ".repeat(200), ")".repeat(200)),
        format!("SELECT {}1", "NOT ".repeat(3000)),
        format!("SELECT {} AS a", vec!["1"; 3000].join(" + ")),
        format!("SELECT CASE {} END AS a", "WHEN 1 = 2 THEN 3 ".repeat(2000)),
        vec!["SELECT 1 AS a"; 2000].join(" UNION ALL "),
    ] {
        match tables.query(&deep) {
            Ok(rows) => assert!(rows.height() <= 1, "{}", &deep[..60]),
            Err(error) => assert!(matches!(error, Error::Sql(_)), "{error:?}"),
        }
    }
    for broken in [
        "SELECT 'é".to_owned(),
        "\u{0}".to_owned(),
        "SELECT * FROM events WHERE name = '".to_owned(),
        "SELECT * FROM ancestors(".to_owned(),
        "SELECT * FROM intersect(intersect(intersect(".to_owned(),
        "((((".to_owned(),
        ")".to_owned(),
    ] {
        assert!(tables.query(&broken).is_err(), "{broken}");
    }
    for blank in ["", "  \n", "-- nothing", ";"] {
        assert!(tables.query(blank).is_err(), "{blank:?}");
    }
}

#[test]
fn cancelled_statements_end() {
    let set = TraceSet::load("../../notebooks/data/job").unwrap();
    for statement in
        ["SELECT COUNT(*) FROM events", "SELECT * FROM self_time", "SELECT * FROM gaps", "SELECT * FROM overlap"]
    {
        let error = CancellationToken::new(|| true).run(|| set.sql(statement)).unwrap_err();
        assert!(matches!(error, Error::Interrupted), "{statement}: {error:?}");
    }
}

#[test]
fn nothing_loaded_says_how_to_load() {
    let error = refused(&SqlTables::default(), "SELECT *\nFROM events");
    assert_eq!(error.position, Some((2, 6)));
    assert!(error.rewrite.contains("%trace_load"), "{error}");
    let frame = SqlTables::default().frame("df", df!("a" => [1, 2]).unwrap());
    assert_eq!(frame.query("SELECT a FROM df WHERE a > 1").unwrap().height(), 1);
}
