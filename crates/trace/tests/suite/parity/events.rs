//! Every row of every trace, as HTA parses it.

use super::goldens::{TRACES, csv, files, load, parts, say, shared};
use super::ledger::counted;
use trace::polars::prelude::{DataFrame, DataType, Int64Chunked};

#[test]
fn every_row_equals_htas() {
    let Some(shared) = shared("events") else { return };
    let (mut tables, mut total) = (0, 0);
    for name in TRACES {
        let set = load(&shared, name);
        let paths = files(&shared.join("golden").join(name), "events.rank");
        assert_eq!(paths.len(), set.ranks().len(), "{name}");
        for path in paths {
            let rank: i64 = parts(&path)[0].trim_start_matches("rank").parse().unwrap();
            let rows = compare(&set.rank(rank).unwrap().events(), &path);
            say(&format!("events {name} rank {rank}: {rows}/{rows} rows"));
            (tables, total) = (tables + 1, total + rows);
        }
    }
    say(&format!("events: {total} rows in {tables} tables"));
    counted("events, as parsed", [total, 0, 0]);
    assert!(tables >= 15, "only {tables} goldens found");
}

fn compare(events: &DataFrame, golden: &std::path::Path) -> usize {
    let (heads, rows) = csv(golden);
    let file = golden.display();
    let expected =
        ["index", "cat", "name", "pid", "tid", "ts", "dur", "stream", "correlation", "index_correlation", "iteration"];
    assert_eq!(heads, expected, "{file}");
    assert_eq!(rows.len(), events.height(), "{file}");
    let int = |name: &str| -> Int64Chunked {
        events.column(name).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().clone()
    };
    let text = |name: &str| events.column(name).unwrap().as_materialized_series().cast(&DataType::String).unwrap();
    let (cat, name) = (text("cat"), text("name"));
    let (cat, name) = (cat.str().unwrap(), name.str().unwrap());
    let [index, pid, tid, ts, dur, end] = ["index", "pid", "tid", "ts", "dur", "end"].map(int);
    let [stream, correlation, partner, iteration] =
        ["stream", "correlation", "index_correlation", "iteration"].map(int);
    for (row, golden) in rows.iter().enumerate() {
        let fail = |what: &str, ours: String| panic!("{file} row {row}: {what} is {ours}, golden {golden:?}");
        let number = |column: usize| golden[column].parse::<f64>().ok();
        let same = |what: &str, ours: Option<i64>, column: usize| {
            if ours.map(|value| value as f64) != number(column) {
                fail(what, format!("{ours:?}"));
            }
        };
        // HTA's sentinel, or NaN, is our null.
        let or_none = |what: &str, ours: Option<i64>, column: usize| {
            if ours.map_or(-1.0, |value| value as f64) != number(column).unwrap_or(-1.0) {
                fail(what, format!("{ours:?}"));
            }
        };
        same("index", index.get(row), 0);
        if cat.get(row) != Some(golden[1].as_str()) || name.get(row) != Some(golden[2].as_str()) {
            fail("cat, name", format!("{:?}, {:?}", cat.get(row), name.get(row)));
        }
        same("pid", pid.get(row), 3);
        same("tid", tid.get(row), 4);
        let micros = |what: &str, ours: Option<i64>, column: usize| {
            if ours != Some(nanos(&golden[column])) {
                fail(what, format!("{ours:?} ns"));
            }
        };
        micros("ts", ts.get(row), 5);
        micros("dur", dur.get(row), 6);
        assert_eq!(end.get(row).unwrap(), ts.get(row).unwrap() + dur.get(row).unwrap(), "{file} row {row}");
        or_none("stream", stream.get(row), 7);
        or_none("correlation", correlation.get(row), 8);
        // HTA: −1 without a correlation, 0 with one whose partner is not in the trace (or stands at position 0).
        let tied = match (partner.get(row), correlation.get(row)) {
            (Some(partner), _) => partner,
            (None, Some(_)) => 0,
            (None, None) => -1,
        };
        same("index_correlation", Some(tied), 9);
        or_none("iteration", iteration.get(row), 10);
    }
    rows.len()
}

/// Decimal µs as whole nanoseconds. Starts are beyond what a double holds to the nanosecond, so digits are moved.
pub(crate) fn nanos(micros: &str) -> i64 {
    let (whole, fraction) = micros.split_once('.').unwrap_or((micros, "0"));
    let whole: i64 = whole.parse().unwrap();
    let fraction = (format!("0.{fraction}").parse::<f64>().unwrap() * 1000.0).round() as i64;
    whole * 1000 + if micros.starts_with('-') { -fraction } else { fraction }
}
