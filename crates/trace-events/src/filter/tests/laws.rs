//! Laws of every expression: it prints as it was written, and means what its operands mean.

use crate::filter::Where;
use polars::df;
use polars::prelude::{DataFrame, Expr, IntoLazy};
use trace_testkit::Random;

/// An expression, written with all its brackets, and what it means for a row.
type Meant = Box<dyn Fn(&Row) -> bool>;

#[derive(Debug, Clone, Copy)]
struct Row {
    stream: Option<i64>,
    dur: i64,
    name: Option<&'static str>,
}

const NAMES: [&str; 4] = ["gemm", "nccl x", "a\"b", "it's"];

fn rows(random: &mut Random) -> Vec<Row> {
    let row = |random: &mut Random| Row {
        stream: (random.below(3) > 0).then(|| random.below(5) as i64 - 1),
        dur: random.below(4) as i64 * 500,
        name: (random.below(5) > 0).then(|| NAMES[random.below(4)]),
    };
    (0..40).map(|_| row(random)).collect()
}

fn frame(rows: &[Row]) -> DataFrame {
    df!(
        "stream" => rows.iter().map(|row| row.stream).collect::<Vec<_>>(),
        "dur" => rows.iter().map(|row| row.dur).collect::<Vec<_>>(),
        "name" => rows.iter().map(|row| row.name).collect::<Vec<_>>(),
    )
    .unwrap()
}

/// A random expression: as it is written, and what it means.
fn expression(random: &mut Random, depth: u32) -> (String, Meant) {
    if depth > 0 && random.below(4) > 0 {
        let (a, mean_a) = expression(random, depth - 1);
        let (b, mean_b) = expression(random, depth - 1);
        return match random.below(3) {
            0 => (
                format!("({a}) {} ({b})", random.of(&["and", "&", "&&", "AND"])),
                Box::new(move |row| mean_a(row) && mean_b(row)),
            ),
            1 => (
                format!("({a}) {} ({b})", random.of(&["or", "|", "||"])),
                Box::new(move |row| mean_a(row) || mean_b(row)),
            ),
            _ => (format!("{} ({a})", random.of(&["not", "!"])), Box::new(move |row| !mean_a(row))),
        };
    }
    let number = random.below(5) as i64 - 1;
    match random.below(9) {
        0 => (format!("stream == {number}"), Box::new(move |row| row.stream == Some(number))),
        1 => (format!("stream != {number}"), Box::new(move |row| row.stream != Some(number))),
        2 => (format!("stream<{number}"), Box::new(move |row| row.stream.is_some_and(|stream| stream < number))),
        3 => (
            format!("stream >= {number}.5"),
            Box::new(move |row| {
                row.stream.is_some_and(|stream| stream as f64 >= number as f64 + if number < 0 { -0.5 } else { 0.5 })
            }),
        ),
        4 => (
            format!("stream in {number}, 0-2"),
            Box::new(move |row| row.stream.is_some_and(|stream| stream == number || (0..=2).contains(&stream))),
        ),
        5 => ("stream is null".to_owned(), Box::new(|row| row.stream.is_none())),
        6 => (format!("dur > {}us", number.abs() as f64 / 2.0), Box::new(move |row| row.dur > number.abs() * 500)),
        7 => {
            let wanted = NAMES[random.below(4)];
            let quoted = if wanted.contains('"') { format!("'{wanted}'") } else { format!("\"{wanted}\"") };
            (format!("name == {quoted}"), Box::new(move |row| row.name == Some(wanted)))
        }
        _ => ("name ~ '^[gn]'".to_owned(), Box::new(|row| row.name.is_some_and(|name| name.starts_with(['g', 'n'])))),
    }
}

fn mask(df: &DataFrame, expr: Expr) -> Vec<Option<bool>> {
    let marked = df.clone().lazy().with_column(expr.alias("keep")).collect().unwrap();
    marked.column("keep").unwrap().bool().unwrap().iter().collect()
}

#[test]
fn expressions_mean_what_their_operands_mean() {
    let mut random = Random::new(0x9E37_79B9_7F4A_7C15);
    for round in 0..400 {
        let rows = rows(&mut random);
        let (text, means) = expression(&mut random, round % 5);
        let where_: Where = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let df = frame(&rows);
        where_.check(&df).unwrap();
        let expected: Vec<Option<bool>> = rows.iter().map(|row| Some(means(row))).collect();
        assert_eq!(mask(&df, where_.expr()), expected, "{text}\n{rows:?}");
        assert_eq!(where_.to_string(), text);
    }
}

#[test]
fn parser_never_panics_and_marks_are_within_the_text() {
    const WORDS: [&str; 40] = [
        "name", "dur", "`a b`", "stream", "and", "or", "not", "in", "is", "null", "==", "!=", "<=", ">", "~", "!~",
        "(", ")", "[", "]", ",", "-", "7", "1.5", "1e3", "100us", "0", "'x'", "\"(\"", "'", "é", "µs", "!", "&", "|",
        "\\", "\u{0}", "::", ".", "_",
    ];
    let mut random = Random::new(7);
    let mut read = 0;
    for _ in 0..20_000 {
        let count = random.below(9);
        let joint = *random.of(&["", " "]);
        let text = (0..count).map(|_| *random.of(&WORDS)).collect::<Vec<_>>().join(joint);
        match text.parse::<Where>() {
            Ok(where_) => {
                read += 1;
                assert_eq!(text.parse::<Where>().unwrap(), where_);
                let _ = where_.expr();
            }
            Err(crate::Error::BadWhere { at, .. }) => {
                assert!(text.get(at.clone()).is_some() && at.end <= text.len(), "{text:?} {at:?}");
            }
            Err(other) => panic!("{text:?}: {other}"),
        }
    }
    assert!(read > 20, "only {read} of the texts were expressions");
}
