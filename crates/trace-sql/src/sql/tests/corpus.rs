//! Statements of the kind that trace people write: each is answered, or refused with its rewrite.

#![allow(clippy::unwrap_used)]

use crate::{Error, SqlTables, TraceSet};
use polars::df;
use sql_engine::StatementError as SqlError;

/// Statements, each below a line `-- rows`, `-- none` (answered without a row) or `-- refused: PART OF THE MESSAGE`.
const STATEMENTS: &str = include_str!("statements.sql");

fn tables() -> SqlTables {
    let control = TraceSet::load("../../notebooks/data/control").unwrap().with_label("control");
    let job = TraceSet::load("../../notebooks/data/job").unwrap().with_label("job");
    let wanted = df!("name" => ["aten::mm", "aten::linear", "aten::addmm"], "weight" => [2, 3, 1]).unwrap();
    SqlTables::of([&control, &job])
        .frame("wanted", wanted)
        .statement("copies", "SELECT * FROM kernels WHERE name LIKE 'Mem%'")
}

#[test]
fn statements_are_answered_or_refused_with_a_rewrite() {
    let tables = tables();
    let (mut answered, mut refused) = (0, 0);
    let mut failures = Vec::new();
    for part in STATEMENTS.split("\n-- ").skip(1) {
        let (expected, statement) = part.split_once('\n').unwrap();
        let result = tables.query(statement);
        match (expected.strip_prefix("refused: "), result) {
            (None, Ok(rows)) if (rows.height() > 0) == (expected == "rows") => answered += 1,
            (Some(message), Err(Error::Sql(error)))
                if error.to_string().contains(message)
                    && !error.downcast_ref::<SqlError>().unwrap().rewrite.is_empty() =>
            {
                refused += 1;
            }
            (_, Ok(rows)) => failures.push(format!("expected {expected}, found {} rows: {statement}", rows.height())),
            (_, Err(error)) => failures.push(format!("expected {expected}: {statement}\n{error}")),
        }
    }
    println!("{answered} answered, {refused} refused");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(answered >= 60 && refused >= 15, "{answered} answered, {refused} refused");
}

#[test]
fn mistakes_have_a_caret_and_a_near_name() {
    let tables = tables();
    for (statement, message) in [
        (
            "SELECT nme FROM events",
            "unknown column `nme`; did you mean name?\nat line 1, column 8:\n  SELECT nme FROM events\n         ^^^",
        ),
        (
            "SELECT *\nFROM evnts",
            "unknown table `evnts`; did you mean events?\nat line 2, column 6:\n  FROM evnts\n       ^^^^^",
        ),
        ("SELECT summ(dur) FROM events", "unknown function `summ`; did you mean sum?"),
        ("SELECT gaps(7)", "unknown function `gaps`; it is a table: write FROM gaps(…)"),
        ("SELECT end FROM events", "end_ts"),
        ("SELECT k.durr FROM kernels k", "unknown column `durr`; did you mean dur?"),
        ("SELEC * FROM events", "did you mean SELECT?"),
        ("SELECT * FORM events", "did you mean FROM?"),
        ("SELECT * FROM events WHERE name = \"aten::mm\"", "a text has single quotes: 'aten::mm'"),
        ("SELECT * FROM ancestors(12, rank => 0)", "arguments have no names; write WHERE: FROM gaps(7) WHERE rank = 0"),
        ("SELECT * FROM ancestors(12, 3)", "invalid arguments of ancestors: expected at most 1"),
        ("SELECT * FROM intersect(kernels)", "expected intersect(a, b)"),
        ("SELECT * FROM intersect(kernels, wanted)", "one has no ts"),
        ("SELECT * FROM gaps('seven')", "expected the number of a stream"),
        ("SELECT name, SUM(dur) FROM kernels", "`name` stands beside an aggregate without GROUP BY; add GROUP BY name"),
        ("SELECT 1 +", "invalid SQL"),
        (
            "SELECT name, stream, SUM(dur) FROM kernels GROUP BY name",
            "`stream` is neither in GROUP BY nor in an aggregate",
        ),
        ("SELECT SUM(9223372036854775807 - dur) FROM kernels", "a sum passes 64 bits; write TOTAL(x)"),
    ] {
        let error = tables.query(statement).map(|rows| rows.height()).unwrap_err().to_string();
        assert!(error.contains(message), "{statement}\n{error}");
    }
}
