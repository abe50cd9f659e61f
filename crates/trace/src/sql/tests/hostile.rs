//! Hostile names and statements: nothing runs, nothing hangs, nothing panics.

#![allow(clippy::unwrap_used)]

use crate::error::SqlError;
use crate::store::in_own_process;
use crate::{CancellationToken, Error, Execution, SqlTables, TraceSet};
use polars::df;
use trace_testkit::{Stream, TraceBuilder};

fn refused(tables: &SqlTables, statement: &str) -> SqlError {
    match tables.query(statement) {
        Err(Error::Sql(error)) => *error,
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
    let longer = format!("SELECT * FROM events WHERE {}", vec!["id = 1"; 9000].join(" OR "));
    let list = vec!["1"; 3000].join(", ");
    assert!(tables.query(&format!("SELECT * FROM events WHERE id IN ({list})")).is_ok());
    assert!(refused(&tables, &longer).message.contains("10000 words"));
    for deep in [
        format!("SELECT {}1{}", "(".repeat(3000), ")".repeat(3000)),
        format!("SELECT * FROM {}events{}", "(SELECT * FROM ".repeat(200), ")".repeat(200)),
        format!("SELECT {}1", "NOT ".repeat(3000)),
        format!("SELECT {} AS a", vec!["1"; 3000].join(" + ")),
        format!("SELECT CASE {} END AS a", "WHEN 1 = 2 THEN 3 ".repeat(2000)),
        vec!["SELECT 1 AS a"; 2000].join(" UNION ALL "),
        "SELECT 'é".to_owned(),
        "\u{0}".to_owned(),
        "SELECT * FROM events WHERE name = '".to_owned(),
        "SELECT * FROM ancestors(".to_owned(),
        "SELECT * FROM intersect(intersect(intersect(".to_owned(),
        "((((".to_owned(),
        ")".to_owned(),
    ] {
        assert!(tables.query(&deep).is_err(), "{}", &deep[..deep.len().min(60)]);
    }
    for blank in ["", "  \n", "-- nothing", ";"] {
        assert!(tables.query(blank).is_err(), "{blank:?}");
    }
}

#[test]
fn joins_that_do_not_fit_are_refused_before_they_run() {
    in_own_process(|| {
        let set = TraceSet::load("../../notebooks/data/job").unwrap();
        let tables = SqlTables::of([&set]);
        let rows = set.event_count() as u64;
        assert!(rows * rows > 20_000_000, "{rows}");
        let run = |statement: &str| Execution::new().memory_free_share(1e-9).run(|| tables.query(statement));
        for statement in [
            "SELECT COUNT(*) AS n FROM events a CROSS JOIN events b",
            "SELECT COUNT(*) AS n FROM events a JOIN events b ON a.trace = b.trace",
        ] {
            let error = run(statement).unwrap_err();
            let is_refused = matches!(&error, Error::Sql(error) if error.message.contains("a join has"));
            assert!(is_refused || matches!(error, Error::MemoryBudget { .. }), "{error}");
        }
        for few in [
            "SELECT COUNT(*) AS n FROM events a JOIN events b ON a.rank = b.rank AND a.id = b.id",
            "SELECT COUNT(*) AS n FROM events a JOIN events b ON a.trace = b.trace WHERE a.id = 5 AND b.id < 9",
        ] {
            assert!(run(few).is_ok(), "{few}");
        }
    });
}

#[test]
fn joins_by_ranges_are_counted_before_they_run() {
    in_own_process(|| {
        let v: Vec<i64> = (0..10_000).collect();
        let w: Vec<i64> = v.iter().map(|v| 9_999 - v).collect();
        let tables = SqlTables::default().frame("t", df!("v" => v, "w" => w).unwrap());
        let run = |on: &str| {
            let statement = format!("SELECT COUNT(*) AS n FROM t a JOIN t b ON {on}");
            Execution::new().memory_free_share(1e-9).run(|| tables.query(&statement))
        };
        // Half of all pairs of different rows.
        for on in ["a.v < b.v", "b.v > a.v", "a.v < b.v AND a.w >= b.w", "a.v + 1 <= b.v AND a.w > b.w"] {
            match run(on) {
                Err(Error::Sql(error)) => {
                    assert!(error.message.contains("a join has 49,995,000 rows"), "{on}: {error}");
                    assert!(error.rewrite.contains("intersect(a, b)"), "{error}");
                }
                Err(Error::MemoryBudget { .. }) => {}
                other => panic!("{on}: {other:?}"),
            }
        }
        let count = |on: &str| run(on).unwrap().column("n").unwrap().get(0).unwrap().try_extract::<i64>().unwrap();
        assert_eq!(count("a.v < b.v AND b.v < a.v + 3"), 19_997);
        // What WHERE leaves of a side is joined.
        assert_eq!(count("a.v < b.v WHERE a.v = 9990"), 9);
        assert_eq!(count("a.v < b.v AND a.w = 3"), 3);
        assert_eq!(count("a.v < b.v WHERE b.v <= 2 AND a.w > 9000"), 3);
    });
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
    assert_eq!(error.place, Some((2, 6)));
    assert!(error.rewrite.contains("%trace_load"), "{error}");
    let frame = SqlTables::default().frame("df", df!("a" => [1, 2]).unwrap());
    assert_eq!(frame.query("SELECT a FROM df WHERE a > 1").unwrap().height(), 1);
}
