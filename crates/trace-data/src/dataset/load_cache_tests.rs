//! Tests of loading through the cache: the same trace, without reading.
#![allow(clippy::unwrap_used)]

use super::super::table_source::TableSource;
use super::*;
use crate::Cache;
use crate::Trace;
use crate::frame::tables::Tables;
use std::fmt::Write as _;
use std::fs;
use trace_base::Execution;

/// Writes a rank that is worth keeping, long enough ago to be kept.
fn write(path: &Path, rank: i64, name: &str) {
    let mut text = format!("{{\"distributedInfo\": {{\"rank\": {rank}}}, \"traceEvents\": [");
    for at in 0..50_000 {
        let _ = write!(text, "{{\"cat\": \"cpu_op\", \"name\": \"{name}\", \"ts\": {at}, \"dur\": 1}},");
    }
    fs::write(path, text.trim_end_matches(',').to_owned() + "]}").unwrap();
    let ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(path).unwrap().set_modified(ago).unwrap();
}

/// Loads and returns how many files the cache had.
fn load(path: &Path, options: &LoadOptions) -> (TraceSet, usize) {
    let mut found = 0;
    let traces = TraceSet::load_with(path, options, &mut |progress| {
        found = progress.files_from_cache;
        assert!(progress.bytes_read <= progress.bytes_total);
        ControlFlow::Continue(())
    });
    (traces.unwrap(), found)
}

#[test]
fn second_load_reads_no_file() {
    let (folder, cache_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for rank in 0..3 {
        write(&folder.path().join(format!("{rank}.json")), rank, &format!("aten::op{rank}"));
    }
    let cache = Cache::open(cache_folder.path().join("cache"), 1 << 30).unwrap();
    let options = LoadOptions { cache: Some(cache.clone()), ..LoadOptions::default() };
    let plain = TraceSet::load(folder.path()).unwrap();
    let (first, found) = load(folder.path(), &options);
    assert_eq!((found, cache.entries()[0].ranks), (0, 3), "{:?}", cache.take_problem());
    let (second, found) = load(folder.path(), &options);
    assert_eq!(found, 3);
    // However many events there are: no column is mapped before it is used.
    assert_eq!((second.memory_bytes(), second.event_count()), (0, plain.event_count()));
    let size = |rank: &Trace| fs::metadata(rank.stored_table().unwrap().path()).unwrap().len();
    assert_eq!(second.stored_bytes(), second.traces().iter().map(size).sum::<u64>());
    for traces in [&first, &second] {
        assert!(traces.stored_ranks().is_empty(), "they fit in memory, and stay mapped");
        assert!(traces.events().equals_missing(&plain.events()));
        assert_eq!((traces.info(), traces.warnings()), (plain.info(), plain.warnings()));
    }
    // Files are found whichever ranks are requested.
    let two = LoadOptions { ranks: Some(vec![2]), ..options.clone() };
    let (two, found) = load(folder.path(), &two);
    assert_eq!((two.ranks(), found), (vec![2], 3));
    // Ranks that do not fit in memory are mapped whenever they are used.
    let small = Execution::new().memory(1 << 20).run(|| load(folder.path(), &options).0);
    assert_eq!(small.stored_ranks(), [0, 1, 2]);
    for (rank, plain) in small.traces().iter().zip(plain.traces()) {
        assert!(rank.events().equals_missing(&plain.events()));
    }
    // A file that changed is read again.
    write(&folder.path().join("1.json"), 1, "aten::other");
    let (changed, found) = load(folder.path(), &options);
    assert_eq!(found, 2);
    assert!(!changed.events().equals_missing(&plain.events()));
    // So is one whose size and time of change are the old ones.
    let path = folder.path().join("2.json");
    let (text, modified) = (fs::read_to_string(&path).unwrap(), fs::metadata(&path).unwrap().modified().unwrap());
    fs::write(&path, text.replace("aten::op2", "aten::op9")).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_modified(modified).unwrap();
    let (rewritten, found) = load(folder.path(), &options);
    assert_eq!(found, 2);
    let name =
        rewritten.rank(2).unwrap().decoded().unwrap().column("name").unwrap().str().unwrap().get(0).map(str::to_owned);
    assert_eq!(name.as_deref(), Some("aten::op9"));
}

#[test]
fn cached_rank_has_its_tables_without_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.json");
    write(&path, 0, "aten::mm");
    let text = fs::read_to_string(&path).unwrap();
    let mark = r#""traceEvents": [{"ph": "i", "name": "mark", "ts": 1, "s": "g"},{"ph": "C", "name": "q", "ts": 1, "args": {"n": 4}},"#;
    fs::write(&path, text.replace("\"traceEvents\": [", mark)).unwrap();
    let ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&path).unwrap().set_modified(ago).unwrap();
    let cache = Cache::open(folder.path().join("cache"), 1 << 30).unwrap();
    let options = LoadOptions { cache: Some(cache.clone()), ..LoadOptions::default() };
    let [plain, first] = [TraceSet::load(&path).unwrap(), load(&path, &options).0];
    let (instants, counters) = (plain.instants().unwrap(), plain.counters().unwrap());
    assert_eq!((instants.height(), counters.height()), (1, 1));
    let rank = &first.traces()[0];
    let Some(TableSource::Cache(tables)) = rank.table_source() else { panic!("it was loaded with a cache") };
    assert!(tables.find(rank.info()).is_none());
    // Reading that takes no time is not worth it.
    let read = || Tables { instants: rank.instants().unwrap(), counters: rank.counters().unwrap() };
    assert!(tables.keep(rank.info(), &read(), std::time::Duration::ZERO).is_none());
    assert!(tables.keep(rank.info(), &read(), std::time::Duration::from_secs(1)).is_some());
    // Another load, with other columns, too; and another process, to which a trace was handed over.
    let minimum = LoadOptions { parser_config: Some("minimum".parse().unwrap()), ..options.clone() };
    let loads = [load(&path, &options).0, load(&path, &minimum).0];
    let handed = folder.path().join("handed");
    crate::write::arrow::hand_over(&loads[0], &handed).unwrap();
    let elsewhere = crate::write::arrow::map(&handed).unwrap();
    let saved = folder.path().join("saved");
    crate::write::arrow::save(&loads[0], &saved).unwrap();
    fs::remove_file(&path).unwrap();
    for traces in loads.iter().chain([&elsewhere]) {
        assert!(traces.instants().unwrap().equals_missing(&instants));
        assert!(traces.counters().unwrap().equals_missing(&counters));
    }
    // What is saved for good does not depend on a cache.
    assert!(crate::write::arrow::map(&saved).unwrap().instants().is_err());
}
