//! The examples of the library, run on the demo data.
#![allow(clippy::unwrap_used, missing_docs)]

#[allow(dead_code)]
#[path = "../../examples/compare.rs"]
mod compare;
#[allow(dead_code)]
#[path = "../../examples/overview.rs"]
mod overview;

/// Tests run in the folder of their package.
const DATA: &str = "../../notebooks/data";

fn text(run: impl FnOnce(&mut dyn std::io::Write) -> Result<(), Box<dyn std::error::Error>>) -> String {
    let mut out = Vec::new();
    run(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn compare_tells_what_takes_longer() {
    let text = text(|out| compare::compare(&format!("{DATA}/control"), &format!("{DATA}/test"), out));
    assert!(text.starts_with("4 kernels are new, 4 are gone\n"), "{text}");
    assert!(text.contains("what takes longer") && text.contains("embedding_backward_feature_kernel"), "{text}");
}

#[test]
fn overview_tells_of_ranks_questions_and_waits() {
    let text = text(|out| overview::overview(&format!("{DATA}/job"), out));
    assert!(text.starts_with("rank 0: 7931 events, device busy for 95.1 % of its time\n"), "{text}");
    for expected in ["COMPUTATION", "stragglers: [", "the iteration that waits longest", "waited_ns"] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn a_path_that_is_wrong_is_named() {
    let error = overview::overview("no-such-trace", &mut Vec::new()).unwrap_err().to_string();
    assert!(error.starts_with("no-such-trace: no such file or folder"), "{error}");
}
