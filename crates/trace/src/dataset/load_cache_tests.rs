//! Tests of loading through the cache: the same trace, without reading.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{Cache, Execution};
use std::fmt::Write as _;
use std::fs;

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
    let (folder, kept) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for rank in 0..3 {
        write(&folder.path().join(format!("{rank}.json")), rank, &format!("aten::op{rank}"));
    }
    let cache = Cache::open(kept.path().join("cache"), 1 << 30).unwrap();
    let options = LoadOptions { cache: Some(cache.clone()), ..LoadOptions::default() };
    let plain = TraceSet::load(folder.path()).unwrap();
    let (first, found) = load(folder.path(), &options);
    assert_eq!((found, cache.entries()[0].ranks), (0, 3), "{:?}", cache.take_problem());
    let (second, found) = load(folder.path(), &options);
    assert_eq!(found, 3);
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
    assert!(small.events().equals_missing(&plain.events()));
    // A file that changed is read again.
    write(&folder.path().join("1.json"), 1, "aten::other");
    let (changed, found) = load(folder.path(), &options);
    assert_eq!(found, 2);
    assert!(!changed.events().equals_missing(&plain.events()));
}
