//! What the fuzzer found, and every kind of odd input, read again: see `fuzz/` at the top of the repository.
#![allow(clippy::unwrap_used)]

use super::oracle::agrees;
use std::path::Path;

#[test]
fn the_corpus_of_the_fuzzer_is_read_alike_in_windows_of_every_size() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "{} holds {} files", folder.display(), files.len());
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let most = bytes.len().min(2000) + 2;
        agrees(&bytes, (1..most).chain([4096, 65_535, 65_536]));
    }
}
