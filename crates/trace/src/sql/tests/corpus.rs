//! Statements of the kind that trace people write: each is answered, or refused with its rewrite.

#![allow(clippy::unwrap_used)]

use crate::{Error, SqlTables, TraceSet};
use polars::df;

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
                if error.to_string().contains(message) && !error.rewrite.is_empty() =>
            {
                refused += 1;
                let noise = ["Resolved plan", "Ident {", "SQLInterface", "SQL interface error", "Some("];
                assert!(!noise.iter().any(|noise| error.to_string().contains(noise)), "{error}");
            }
            (_, Ok(rows)) => failures.push(format!("expected {expected}, found {} rows: {statement}", rows.height())),
            (_, Err(error)) => failures.push(format!("expected {expected}: {statement}\n{error}")),
        }
    }
    println!("{answered} answered, {refused} refused");
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(answered + refused >= 50 && answered >= 30, "{answered} answered, {refused} refused");
}

/// Each rewrite that is a whole statement runs.
#[test]
fn rewrites_run() {
    let tables = tables();
    for rewrite in [
        "SELECT rank, SUM(dur) AS dur FROM kernels GROUP BY rank UNION ALL SELECT NULL, SUM(dur) FROM kernels",
        "WITH a AS (SELECT * FROM kernels WHERE trace = 'control'), b AS (SELECT * FROM launches WHERE trace = 'control') SELECT * FROM \
         (SELECT a.id, b.id AS before, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.ts DESC) AS n FROM a JOIN b ON b.ts <= a.ts) AS p \
         WHERE n = 1",
        "SELECT s.name, k.name AS kernel FROM kernels k JOIN self_time s ON s.id = k.launch_id AND s.rank = k.rank",
        "SELECT trace, SUM(dur) FILTER (WHERE rank = 0) AS rank_0, SUM(dur) FILTER (WHERE rank = 1) AS rank_1 FROM kernels GROUP BY trace",
        "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY rank ORDER BY dur DESC) AS n FROM kernels) AS k WHERE n = 1",
        "SELECT FLOOR(ts / 1000000) AS ms, COUNT(*) AS n FROM kernels GROUP BY ms ORDER BY ms",
        "SELECT name, STRING_AGG(CAST(stream AS VARCHAR), ',') AS streams FROM kernels GROUP BY name",
        "SELECT quantile_cont(dur, 0.95) AS p95, quantile_disc(dur, 0.5) AS p50 FROM kernels",
        "SELECT id, s - LAG(s, 10) OVER (ORDER BY id) AS last_ten FROM (SELECT id, SUM(dur) OVER (ORDER BY id) AS s FROM kernels) AS r",
        "SELECT ROW_NUMBER() OVER (ORDER BY dur) / COUNT(*) OVER (PARTITION BY trace) AS share FROM kernels",
        "SELECT name, dur, SUM(dur) OVER (PARTITION BY trace) AS whole FROM kernels",
        "SELECT *, SUM(dur) OVER (PARTITION BY trace) AS whole FROM (SELECT trace, name, SUM(dur) AS dur FROM kernels GROUP BY trace, name) AS g",
        "SELECT MAX(end_ts) AS last FROM ranks",
        "SELECT * FROM events WHERE MOD(id, 100) = 0",
        "WITH x AS (SELECT AVG(dur) AS mean FROM kernels) SELECT k.name FROM kernels k CROSS JOIN x WHERE k.dur > x.mean",
    ] {
        let found = tables.query(rewrite);
        assert!(found.as_ref().is_ok_and(|rows| rows.height() > 0), "{rewrite}: {found:?}");
    }
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
        ("SELECT * FROM ancestors(12)", "name one: ancestors(12, trace => 'control')"),
        ("SELECT * FROM ancestors(12, trace => 'job')", "name one: ancestors(12, rank => 0)"),
        ("SELECT * FROM ancestors(123456789, trace => 'control')", "has no event with id 123456789"),
        ("SELECT * FROM ancestors(12, trace => 'jb')", "there is no trace 'jb'; there are control, job"),
        ("SELECT * FROM kernels k, ancestors(k.id)", "an event is named by its id, a number"),
        ("SELECT * FROM intersect(kernels)", "expected intersect(a, b)"),
        ("SELECT * FROM intersect(kernels, wanted)", "one has no ts"),
        ("SELECT * FROM gaps('seven')", "a stream is named by its number"),
        ("WITH kernels AS (SELECT 1 AS a) SELECT * FROM kernels", "`kernels` is the name of a table already"),
        ("SELECT name, SUM(dur) FROM kernels", "`name` stands beside an aggregate without GROUP BY; add GROUP BY name"),
        ("SELECT 1 +", "invalid SQL"),
        (
            "SELECT k.dur, l.dur FROM kernels k JOIN launches l ON k.launch_id = l.id",
            "two selected columns are called `dur`",
        ),
    ] {
        let error = tables.query(statement).map(|rows| rows.height()).unwrap_err().to_string();
        assert!(error.contains(message), "{statement}\n{error}");
    }
}
