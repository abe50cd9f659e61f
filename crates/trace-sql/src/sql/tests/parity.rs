//! Statements equal the same query written in polars, on every trace at hand.

#![allow(clippy::unwrap_used)]

use crate::QuerySql;
use crate::sql::views::sql_type;
use crate::{SqlTables, TraceSet};
use polars::prelude::*;
use std::path::{Path, PathBuf};

/// The events of a trace as a query in polars sees them: all ranks, texts as strings, integers of 64 bits, times from the start of the
/// recording.
fn events(set: &TraceSet) -> LazyFrame {
    let all = set.events();
    let casts = all.columns().iter().map(|column| col(column.name().clone()).cast(sql_type(column.dtype())));
    let first = all.column("ts").unwrap().i64().unwrap().min().unwrap_or(0);
    let events = all.clone().lazy().select(casts.collect::<Vec<_>>());
    events.with_columns([col("ts") - lit(first), col("end") - lit(first)])
}

type InPolars = fn(LazyFrame) -> LazyFrame;

fn sorted(frame: LazyFrame, by: &[&str]) -> LazyFrame {
    let by: Vec<PlSmallStr> = by.iter().map(|&name| name.into()).collect();
    frame.sort(by, SortMultipleOptions::default())
}

const QUERIES: &[(&str, InPolars)] = &[
    ("SELECT rank, COUNT(*) AS n, SUM(dur) AS dur FROM events GROUP BY rank ORDER BY rank", |events| {
        let sums = events.group_by([col("rank")]).agg([len().cast(DataType::Int64).alias("n"), col("dur").sum()]);
        sorted(sums, &["rank"])
    }),
    (
        "SELECT name, MAX(dur) AS longest, MIN(ts) AS first FROM events WHERE name LIKE 'aten::%m' GROUP BY name ORDER BY name",
        |events| {
            let name = || col("name").str();
            let found = events.filter(name().starts_with(lit("aten::")).and(name().ends_with(lit("m"))));
            let found =
                found.group_by([col("name")]).agg([col("dur").max().alias("longest"), col("ts").min().alias("first")]);
            sorted(found, &["name"])
        },
    ),
    (
        "SELECT rank, id, end_ts - ts AS took, stream FROM events WHERE stream IS NOT NULL AND dur > 10000 ORDER BY rank, id",
        |events| {
            let found = events.filter(col("stream").is_not_null().and(col("dur").gt(lit(10_000))));
            let took = (col("end") - col("ts")).alias("took");
            sorted(found.select([col("rank"), col("index").alias("id"), took, col("stream")]), &["rank", "id"])
        },
    ),
    (
        "SELECT rank, id, name FROM events WHERE name REGEXP '(?i)gemm|nccl|conv' AND rank >= 1 ORDER BY rank, id LIMIT 20",
        |events| {
            let found = events.filter(col("name").str().contains(lit("(?i)gemm|nccl|conv"), true));
            let found = found.filter(col("rank").gt_eq(lit(1)));
            sorted(found.select([col("rank"), col("index").alias("id"), col("name")]), &["rank", "id"]).limit(20)
        },
    ),
    (
        "SELECT l.rank, l.id, k.dur FROM events l JOIN events k ON l.index_correlation = k.id AND l.rank = k.rank \
         WHERE l.stream IS NULL ORDER BY l.rank, l.id",
        |events| {
            let launches = events.clone().filter(col("stream").is_null());
            let kernels = events.select([col("rank"), col("index").alias("partner"), col("dur").alias("kernel_dur")]);
            let on = [col("rank"), col("index_correlation")];
            let joined = launches.join(kernels, on, [col("rank"), col("partner")], JoinArgs::new(JoinType::Inner));
            let found = joined.select([col("rank"), col("index").alias("id"), col("kernel_dur").alias("dur")]);
            sorted(found, &["rank", "id"])
        },
    ),
    (
        "SELECT cat, COUNT(DISTINCT name) AS names, COUNT(*) FILTER (WHERE dur > 1000) AS long FROM events GROUP BY cat ORDER BY cat",
        |events| {
            let long = col("dur").gt(lit(1000)).sum().cast(DataType::Int64).alias("long");
            let names = col("name").n_unique().cast(DataType::Int64).alias("names");
            sorted(events.group_by([col("cat")]).agg([names, long]), &["cat"])
        },
    ),
    (
        "SELECT rank, id, ts - LAG(end_ts) OVER (PARTITION BY rank ORDER BY id) AS after FROM events ORDER BY rank, id LIMIT 500",
        |events| {
            let sorted = sorted(events, &["rank", "index"]);
            let after = (col("ts") - col("end").shift(lit(1)).over([col("rank")]).unwrap()).alias("after");
            sorted.select([col("rank"), col("index").alias("id"), after]).limit(500)
        },
    ),
];

/// Returns the rows with the integers of one type: counts have others.
fn plain(frame: DataFrame) -> DataFrame {
    let casts: Vec<Expr> = frame
        .columns()
        .iter()
        .map(|column| match column.dtype() {
            dtype if dtype.is_integer() => col(column.name().clone()).cast(DataType::Int64),
            _ => col(column.name().clone()),
        })
        .collect();
    frame.lazy().select(casts).collect().unwrap()
}

/// Returns the folders below `folder` that contain trace files.
fn traces_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in &entries {
        if path.is_dir() {
            traces_below(path, found);
        }
    }
    let is_trace = |path: &&PathBuf| {
        let name = path.to_string_lossy();
        path.is_file() && (name.ends_with(".json") || name.ends_with(".json.gz"))
    };
    found.extend(entries.iter().filter(is_trace).cloned());
}

#[test]
fn statements_equal_polars_on_every_trace() {
    let mut paths = Vec::new();
    traces_below(Path::new("../../notebooks/data"), &mut paths);
    let Some(shared) = std::env::var_os("TRACEBOOK_SHARED") else {
        println!("skipped the shared traces: TRACEBOOK_SHARED is not set");
        return compare(&paths, 10);
    };
    traces_below(&Path::new(&shared).join("traces"), &mut paths);
    compare(&paths, 40);
}

fn compare(paths: &[PathBuf], least: usize) {
    let (mut compared, mut rows) = (0, 0);
    for path in paths {
        let Ok(set) = TraceSet::load(path) else { continue };
        compared += 1;
        let events = events(&set);
        let tables = SqlTables::of([&set]);
        for (statement, in_polars) in QUERIES {
            let found =
                tables.query(statement).unwrap_or_else(|error| panic!("{}: {statement}: {error}", path.display()));
            let expected = in_polars(events.clone()).collect().unwrap();
            let (found, expected) = (plain(found), plain(expected));
            assert_eq!(found.get_column_names(), expected.get_column_names(), "{statement}");
            assert!(found.equals_missing(&expected), "{}: {statement}: {found} {expected}", path.display());
            rows += found.height();
        }
    }
    println!("{compared} traces, {} statements each, {rows} rows", QUERIES.len());
    assert!(compared >= least, "{compared} of {} files loaded", paths.len());
}

#[test]
fn several_traces_are_told_apart_by_their_label() {
    let control = TraceSet::load("../../notebooks/data/control").unwrap().with_label("control");
    let test = TraceSet::load("../../notebooks/data/test").unwrap().with_label("test");
    let counts = [control.event_count() as i64, test.event_count() as i64];
    let tables = SqlTables::of([&control, &test]);
    let found = tables.query("SELECT trace, COUNT(*) AS n FROM events GROUP BY trace ORDER BY trace").unwrap();
    assert_eq!(plain(found).column("n").unwrap().i64().unwrap().to_vec(), counts.map(Some));
    let ranks = tables.query("SELECT trace, rank, events FROM ranks WHERE trace = 'test'").unwrap();
    assert_eq!(ranks.column("events").unwrap().i64().unwrap().to_vec(), [Some(counts[1])]);
}

#[test]
fn views_equal_their_definition_in_polars() {
    for name in ["job", "control", "synchronized/control"] {
        let set = TraceSet::load(Path::new("../../notebooks/data").join(name)).unwrap();
        let events = events(&set);
        let work =
            col("cat").is_in(lit(Series::new("".into(), ["kernel", "gpu_memcpy", "gpu_memset"])).implode(false), false);
        let kernels = events.clone().filter(col("stream").is_not_null().and(work));
        let kernels = sorted(
            kernels.select([col("rank"), col("index").alias("id"), col("index_correlation").alias("launch_id")]),
            &["rank", "id"],
        );
        let found = set.sql("SELECT rank, id, launch_id FROM kernels ORDER BY rank, id").unwrap();
        assert!(found.equals_missing(&kernels.collect().unwrap()), "{name}");
        let launches =
            set.sql("SELECT rank, id, kernel_id, kernel_ts - end_ts AS apart, kernel_delay FROM launches").unwrap();
        let partners = events.clone().filter(col("stream").is_null().and(col("index_correlation").is_not_null()));
        assert_eq!(launches.height(), partners.collect().unwrap().height(), "{name}");
        let apart = launches.column("apart").unwrap().i64().unwrap().clone();
        let delay = launches.column("kernel_delay").unwrap().i64().unwrap().clone();
        assert!(
            launches.height() > 0
                && apart.iter().zip(delay.iter()).all(|(apart, delay)| apart.map(|apart| apart.max(0)) == delay)
        );
        let steps = set.sql("SELECT rank, iteration, dur FROM iterations ORDER BY rank, iteration").unwrap();
        let expected: usize = set.info().iter().map(|info| info.iterations.len()).sum();
        assert_eq!(steps.height(), expected, "{name}");
        let types = set.sql("SELECT DISTINCT kernel_type FROM kernels ORDER BY kernel_type").unwrap();
        assert!(types.height() > 0);
    }
}
