//! The corpus of the fuzzer as arguments of every magic, with the cursor at every offset.

#![allow(clippy::unwrap_used)]
use crate::magic::{MAGICS, complete, inspect};
use crate::session::View;
use std::path::Path;

#[test]
fn fuzzed_lines_complete_and_inspect_without_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/magic_line");
    let view = View { labels: vec!["control".to_owned()], ..View::default() };
    let mut seen = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let line = std::fs::read(file.unwrap().path()).unwrap();
        let line = String::from_utf8_lossy(&line);
        for magic in MAGICS.iter() {
            let code = format!("{} {line}", magic.spelled());
            for (at, _) in code.char_indices() {
                if let Some(completion) = complete(&code, at, &view) {
                    assert!(completion.start <= at && at <= completion.end, "{code:?} at {at}");
                    assert!(code.get(completion.start..completion.end).is_some(), "{code:?} at {at}");
                }
                assert!(inspect(&code, at, &view).is_some() || code.contains('\n'), "{code:?} at {at}");
                seen += 1;
            }
        }
    }
    assert!(seen > 1000);
}
