//! Random statements over virtual tables, against SQLite's own tables.

use super::tables::{Rows, answer, plain_answer, plain_tables, sorted, virtual_tables};
use crate::{Kind, OwnedValue};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use trace_testkit::Random;
use trace_testkit::statements::{ColumnKind, RandomStatements, StatementColumn, StatementTable};

const COLUMNS: &[(&str, Kind)] = &[
    ("trace", Kind::Text),
    ("rank", Kind::Int),
    ("id", Kind::Int),
    ("name", Kind::Text),
    ("cat", Kind::Text),
    ("ts", Kind::Int),
    ("dur", Kind::Int),
    ("stream", Kind::Int),
    ("correlation", Kind::Int),
    ("share", Kind::Real),
    ("note", Kind::Text),
];

/// Returns tables of three parts and of one, with NULL in most columns. Real numbers are quarters, so that sums do not depend on an order.
fn tables() -> Vec<Arc<Rows>> {
    let mut random = Random::new(11);
    let mut events = Vec::new();
    for (part, trace) in ["control", "control", "test"].into_iter().enumerate() {
        let mut ts = 7_204_118_000_000_000;
        let rows = (0..70).map(|row| {
            ts += random.below(900) as i64;
            let mut of = |count: usize, value: &dyn Fn(usize) -> OwnedValue| {
                let drawn = random.below(count + 1);
                if drawn == count { OwnedValue::Null } else { value(drawn) }
            };
            let text =
                |texts: &'static [&'static str]| move |at: usize| OwnedValue::Text(texts[at % texts.len()].to_owned());
            vec![
                OwnedValue::Text(trace.to_owned()),
                OwnedValue::Int(part as i64),
                OwnedValue::Int(row),
                of(14, &text(&["aten::mm", "aten::add", "it's 5%", "Memcpy DtoH", "é", "", "aten::_mm"])),
                of(3, &text(&["cpu_op", "kernel", "cuda_runtime"])),
                OwnedValue::Int(ts),
                of(60, &|at| OwnedValue::Int(at as i64 - 3)),
                of(5, &|at| OwnedValue::Int([7, 20, -1, 24, 7][at])),
                of(40, &|at| OwnedValue::Int(at as i64 * 1_000_003)),
                of(30, &|at| OwnedValue::Real((at as f64 - 12.0) / 4.0)),
                of(9, &text(&["b", "a", "B", "1", "2.5", "-3", "a b", "%", "_"])),
            ]
        });
        events.push(rows.collect());
    }
    let name = |at: i64, name: &str| {
        vec![OwnedValue::Int(at), OwnedValue::Text(name.to_owned()), OwnedValue::Real(at as f64 / 2.0)]
    };
    let mut names =
        vec![name(0, "aten::mm"), name(7, "aten::add"), name(20, "é"), name(20, "other"), name(3, "cpu_op")];
    names.push(vec![OwnedValue::Null, OwnedValue::Null, OwnedValue::Real(1.0)]);
    vec![
        Arc::new(Rows::of("events", COLUMNS, events).with_fixed(&[0, 1]).with_codes(&[0, 3, 4])),
        Arc::new(Rows::of("names", &[("id", Kind::Int), ("name", Kind::Text), ("weight", Kind::Real)], vec![names])),
    ]
}

fn described(table: &Rows) -> StatementTable {
    let column = |at: usize| {
        let spec = &table.columns[at];
        let literal = |value: &OwnedValue| match value {
            OwnedValue::Null => None,
            OwnedValue::Int(value) => Some(value.to_string()),
            OwnedValue::Real(value) => Some(format!("{value:?}")),
            OwnedValue::Text(text) => Some(format!("'{}'", text.replace('\'', "''"))),
        };
        let kind = match spec.kind {
            Kind::Int => ColumnKind::Int,
            Kind::Real => ColumnKind::Real,
            Kind::Text => ColumnKind::Text,
        };
        let samples = table.rows.iter().flatten().map(|row| literal(&row[at])).collect();
        StatementColumn { name: spec.name.clone(), kind, samples }
    };
    StatementTable { name: table.name.to_owned(), columns: (0..table.columns.len()).map(column).collect() }
}

/// Compares answers to random statements; `TRACEBOOK_STATEMENTS` sets their number, and `TRACEBOOK_SEED` the first seed.
fn compare(is_full: bool, seed: u64, count: usize) {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let count = number("TRACEBOOK_STATEMENTS").map_or(count, |count| count as usize);
    let seed = seed + number("TRACEBOOK_SEED").unwrap_or(0);
    let tables = tables();
    let plain = plain_tables(&tables);
    let described = tables.iter().map(|table| described(table)).collect();
    let (mut database, host) = virtual_tables(tables);
    host.is_full.store(is_full, Ordering::Relaxed);
    let (mut different, mut refused) = (Vec::new(), 0);
    for statement in RandomStatements::new(seed, described).with_most_rows(210).take(count) {
        let expected = plain_answer(&plain, &statement.text);
        let found = answer(&mut database, &statement.text);
        refused += usize::from(expected.is_err());
        let is_equal = match (&expected, &found) {
            (Ok(expected), Ok(found)) if statement.is_ordered => expected == found,
            (Ok(expected), Ok(found)) => sorted(expected.clone()) == sorted(found.clone()),
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if !is_equal {
            let shown = |answer: &Result<Vec<Vec<OwnedValue>>, String>| {
                answer
                    .as_ref()
                    .map(|rows| (rows.len(), sorted(rows.clone()).into_iter().take(3).collect::<Vec<_>>()))
                    .map_err(Clone::clone)
            };
            different.push(format!("{}\n  plain {:?}\n  found {:?}", statement.text, shown(&expected), shown(&found)));
        }
    }
    assert!(
        different.is_empty(),
        "{} of {count}:\n{}",
        different.len(),
        different[..different.len().min(12)].join("\n")
    );
    assert!(refused * 20 < count, "{refused} of {count} statements are refused");
}

#[test]
fn random_statements_answer_as_over_plain_tables() {
    compare(false, 1, 3_000);
}

#[test]
fn answers_are_the_same_without_memory_for_indexes() {
    compare(true, 1_000_001, 500);
}
