//! `sql FILE [NAME]`: runs statements of SQL on a trace, or those whose name contains NAME. Prints seconds, the best of three, beside what
//! is allowed for 10 million events. The first line is the first statement of the process.
#![allow(clippy::print_stdout)]

use std::time::Instant;
use trace::{SqlTables, TraceSet};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Names, seconds allowed for 10 million events, statements.
const STATEMENTS: &[(&str, f64, &str)] = &[
    ("count and sum", 0.6, "SELECT COUNT(*) AS n, SUM(dur) AS dur FROM events"),
    ("group by name", 2.0, "SELECT name, COUNT(*) AS n, SUM(dur) AS dur FROM events GROUP BY name"),
    (
        "group by stream",
        2.0,
        "SELECT stream, COUNT(*) AS n, SUM(dur) AS dur FROM events WHERE stream IS NOT NULL GROUP BY stream",
    ),
    ("ten longest", 1.0, "SELECT name, ts, dur FROM events ORDER BY dur DESC LIMIT 10"),
    (
        "running sum",
        f64::NAN,
        "SELECT MAX(so_far) AS last FROM (SELECT SUM(dur) OVER (PARTITION BY stream ORDER BY ts) AS so_far FROM kernels)",
    ),
    (
        "join on correlation",
        f64::NAN,
        "SELECT COUNT(*) AS n, SUM(k.ts - l.ts) AS apart FROM kernels k JOIN events l ON l.correlation = k.correlation \
         WHERE l.stream IS NULL",
    ),
    (
        "join by ranges of time",
        f64::NAN,
        "SELECT COUNT(*) AS n, SUM(k.dur) AS dur FROM iterations i JOIN kernels k ON k.ts >= i.ts AND k.ts < i.end_ts",
    ),
    (
        "names by pattern",
        f64::NAN,
        "SELECT COUNT(*) AS n FROM events WHERE name LIKE 'aten::%' AND name REGEXP 'add|mul'",
    ),
    ("distinct names", f64::NAN, "SELECT COUNT(DISTINCT name) AS n FROM events"),
];

fn main() -> Outcome<()> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: sql FILE [NAME]")?;
    let only = args.next().unwrap_or_default();
    let traces = TraceSet::load(&path)?;
    let tables = SqlTables::of([&traces]);
    let events = traces.event_count();
    let start = Instant::now();
    tables.query("SELECT COUNT(*) AS n FROM ranks")?;
    println!("| statement | events | seconds | allowed for 10M events | rows |\n| --- | --- | --- | --- | --- |");
    println!("| first of the process | {events} | {:.3} | 0.1 | 1 |", start.elapsed().as_secs_f64());
    for (name, allowed, statement) in STATEMENTS.iter().filter(|(name, ..)| name.contains(&only)) {
        let (mut best, mut rows) = (f64::INFINITY, 0);
        for _ in 0..3 {
            let start = Instant::now();
            rows = tables.query(statement)?.height();
            best = best.min(start.elapsed().as_secs_f64());
        }
        let allowed = if allowed.is_nan() { "–".to_owned() } else { allowed.to_string() };
        println!("| {name} | {events} | {best:.3} | {allowed} | {rows} |");
    }
    Ok(())
}
