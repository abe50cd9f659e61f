//! Tests of column names inside quotes.

use super::{offered, shown, view};
use crate::introspect::complete;

#[test]
fn columns_of_the_indexed_frame_are_offered() {
    for (code, names) in [
        ("df.select([col(\"di|", &["diff_counts"][..]),
        ("df.column(\"na|\")", &["name"]),
        ("df[\"diff_|", &["diff_counts"]),
        ("df.select([\"name\", \"diff_c|", &["diff_counts"]),
        ("df.select(vec![\"name\", \"|", &["diff_counts", "name"]),
        ("other.clone().collect()?[\"|", &["difference", "name", "key"]),
        ("control.events().column(\"corr|", &["correlation"]),
        ("control.events()[\"|", &["rank", "name", "dur", "correlation"]),
        ("control.rank(0)?.events()[\"|", &["name", "dur", "correlation"]),
        ("f(\"di|", &[]),
        ("println!(\"di|", &[]),
        // A list of strings has no columns.
        ("names.join(\"di|", &[]),
    ] {
        assert_eq!(offered(code), names, "{code}");
    }
}

#[test]
fn columns_follow_the_chain_of_the_frame() {
    for (code, names) in [
        ("ev.lazy().group_by([col(\"|", &["name", "dur", "ts", "stream"][..]),
        ("ev.lazy().filter(col(\"name\").eq(lit(1)).and(col(\"|", &["name", "dur", "ts", "stream"]),
        ("ev.clone().lazy().group_by([col(\"name\")]).agg([len(), col(\"|", &["name", "dur", "ts", "stream"]),
        (
            "ev.lazy().group_by([col(\"name\")]).agg([col(\"dur\").sum().alias(\"total\"), len()]).sort([\"|",
            &["name", "total", "len"],
        ),
        (
            "ev.lazy().with_columns([(col(\"ts\") + col(\"dur\")).alias(\"end\")]).select([col(\"|",
            &["name", "dur", "ts", "stream", "end"],
        ),
        ("ev.lazy().select([col(\"dur\").max().over([col(\"name\")]), lit(1)]).collect()?[\"|", &["dur", "literal"]),
        (
            "ev.lazy().rename([\"dur\", \"ts\"], [\"length\", \"start\"], true).filter(col(\"|",
            &["name", "length", "start", "stream"],
        ),
        ("ev.drop(\"dur\")?[\"|", &["name", "ts", "stream"]),
        ("ev.lazy().with_row_index(\"row\", None).filter(col(\"|", &["row", "name", "dur", "ts", "stream"]),
        (
            "ev.lazy().join(other.clone(), [col(\"stream\")], [col(\"key\")], JoinArgs::default()).filter(col(\"|",
            &["name", "dur", "ts", "stream", "difference", "name_right"],
        ),
        ("ev.lazy().join(other.clone(), [col(\"|", &["name", "dur", "ts", "stream"]),
        ("ev.lazy().join(other.clone(), [col(\"stream\")], [col(\"|", &["difference", "name", "key"]),
        ("ev.lazy().left_join(other.clone(), col(\"stream\"), col(\"|", &["difference", "name", "key"]),
        ("ev.lazy().semi_join(other, col(\"stream\"), col(\"key\")).filter(col(\"|", &["name", "dur", "ts", "stream"]),
        ("let totals = ev.lazy().select([col(\"dur\").sum()]);\ntotals.filter(col(\"|", &["dur"]),
        ("let n: DataFrame = ev.head(Some(3));\nn[\"st|", &["stream"]),
        (
            "let df = df.lazy().select([col(\"name\")]);\nlet df = df.with_column(lit(1).alias(\"one\"));\ndf.filter(col(\"|",
            &["name", "one"],
        ),
        ("let made = df![\"a\" => [1], \"b\" => [2]]?;\nmade[\"|", &["a", "b"]),
        ("let keys = [col(\"name\")];\nev.lazy().group_by(keys).agg([]).filter(col(\"|", &["name"]),
        ("concat([ev.clone().lazy(), ev.lazy()], UnionArgs::default())?.filter(col(\"str|", &["stream"]),
        ("if let Ok(all) = other.collect() { all.column(\"|", &["difference", "name", "key"]),
        (
            "control.events().lazy().filter(col(\"dur\").gt(lit(1))).group_by([col(\"|",
            &["rank", "name", "dur", "correlation"],
        ),
        ("ev.lazy().select([col(\"dur\").name().suffix(\"_ns\")]).filter(col(\"|", &["dur_ns"]),
        ("ev.lazy().select([when(col(\"dur\").gt(1)).then(col(\"ts\")).otherwise(lit(0))]).filter(col(\"|", &["ts"]),
        ("ev.lazy().select([all()]).filter(col(\"|", &["name", "dur", "ts", "stream"]),
    ] {
        assert_eq!(offered(code), names, "{code}");
    }
}

#[test]
fn unknown_method_offers_the_known_columns_first() {
    for code in [
        "ev.lazy().select([some_function()]).filter(col(\"|",
        "ev.lazy().unpivot(args).filter(col(\"|",
        "ev.lazy().join(undefined, [col(\"name\")], [col(\"name\")], JoinArgs::default()).filter(col(\"|",
    ] {
        let found = offered(code);
        assert!(found.contains(&"diff_counts".to_owned()), "{code}: {found:?}");
        let own = ["name", "dur", "ts", "stream"];
        let first: Vec<&str> = found.iter().map(String::as_str).take(own.len()).collect();
        assert!(code.contains("select") || first == own, "{code}: {found:?}");
    }
    let found = offered("let expr = col(\"|");
    assert!(found.contains(&"difference".to_owned()) && found.contains(&"correlation".to_owned()), "{found:?}");
    // Frames that the cell mentions come first.
    assert_eq!(offered("df.height();\nlet expr = col(\"|")[0], "diff_counts");
}

#[test]
fn column_has_its_type() {
    let code = "ev.select([\"du";
    let found = complete(code, code.len(), &view()).items;
    assert_eq!((found[0].text.as_str(), found[0].signature.as_str(), found[0].kind), ("dur", "i64", "column"));
    assert_eq!(shown("ev.lazy().filter(col(\"du|r\").gt(lit(1)))"), "dur: i64\n\nin events: duration [ns]");
    assert_eq!(shown("df.column(\"diff_count|s\")"), "diff_counts: i64");
    assert!(shown("df.column(\"nothing|\")").contains("fn column("));
}

#[test]
fn frame_variable_shows_its_schema() {
    let text = shown("e|v.height()");
    assert!(text.starts_with("ev: DataFrame\n1,234 × 4\nname    cat\ndur     i64\n"), "{text}");
    assert!(shown("control|").contains("1,234 × 4\nrank         i64\n"));
    let text = shown("let t = ev.lazy().select([col(\"dur\"), len()]);\nt|");
    assert!(text.starts_with("t: LazyFrame\n2 columns\ndur  i64\nlen  u32\n"), "{text}");
    assert!(!shown("let n = ev.height();\nn|").contains("columns"));
}

#[test]
fn events_of_a_loaded_trace_show_its_columns_first() {
    let text = shown("control.eve|nts().height()");
    let at = |part: &str| text.find(part).unwrap_or_else(|| panic!("no {part}: {text}"));
    assert!(text.starts_with("fn events(&self) -> DataFrame\n1,234 × 4\nrank         i64\n"), "{text}");
    assert!(at("correlation  i64") < at("Returns the events") && at("Columns") < at("Panics"), "{text}");
    assert!(!shown("unknown.eve|nts()").contains("1,234"));
}
