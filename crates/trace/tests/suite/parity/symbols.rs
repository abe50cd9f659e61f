//! Names and their short forms.

use super::goldens::{TRACES, csv, either, load, say, shared};
use super::ledger::counted;
use std::collections::BTreeSet;
use trace::polars::prelude::DataType;
use trace::shorten_name;

#[test]
fn short_names_and_the_set_of_names_equal_htas() {
    let Some(shared) = shared("symbols") else { return };
    let mut total = 0;
    for name in TRACES {
        let (heads, rows) = csv(&either(shared.join("golden").join(name).join("symbols.csv")));
        assert_eq!(heads[..2], ["symbol", "short_name"], "{name}");
        for row in &rows {
            assert_eq!(shorten_name(&row[0]), row[1], "{name}: {}", row[0]);
        }
        let mut ours: BTreeSet<String> = BTreeSet::new();
        for trace in load(&shared, name).traces() {
            for column in ["name", "cat"] {
                let texts = trace.events().column(column).unwrap().unique().unwrap().cast(&DataType::String).unwrap();
                ours.extend(texts.str().unwrap().iter().flatten().map(str::to_owned));
            }
        }
        let golden: BTreeSet<String> = rows.iter().map(|row| row[0].clone()).collect();
        assert_eq!(ours, golden, "{name}");
        total += rows.len();
    }
    say(&format!("symbols: {total}/{total} short names"));
    counted("short names", [total, 0, 0]);
    assert!(total > 1700, "only {total} symbols found");
}
