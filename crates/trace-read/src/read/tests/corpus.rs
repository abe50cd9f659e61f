//! The corpus of the fuzzer: every kind of anomaly, and inputs that once failed.
#![allow(clippy::unwrap_used)]

use super::oracle::agrees;
use std::path::Path;

#[test]
fn fuzz_corpus_agrees_with_buffers_of_every_size() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "{} contains {} files", folder.display(), files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let limit = bytes.len().min(2000) + 2;
        agrees(&bytes, (1..limit).chain([4096, 65_535, 65_536]));
    }
}
