//! Sides that do not fit together: an answer, or a message that says what is missing.

use crate::{Error, Explain, Explanation, SelectEvents, TraceSet, Warning};
use regex::Regex;
use trace_testkit::{Stream, TraceBuilder};
use trace_view::{Part, Present};

/// A rank of so many iterations of 100 µs, each with a product of 20 µs that a frame `decode` is around.
fn rank(number: i64, iterations: std::ops::Range<i64>) -> TraceBuilder {
    iterations.fold(TraceBuilder::new().rank(number), |trace, iteration| {
        let at = 100 * iteration;
        trace
            .step(iteration, at..at + 100)
            .annotation("decode", at + 2..at + 60)
            .operator("aten::mm", at + 5..at + 30)
            .runtime("cudaLaunchKernel", iteration, at + 10..at + 20)
            .kernel("gemm", Stream(7), at + 30..at + 50)
            .correlation(iteration)
    })
}

fn trace(label: &str, ranks: &[TraceBuilder]) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (number, rank) in ranks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("rank-{number}.json")), rank.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(label)
}

fn marked(control: &TraceSet, test: &TraceSet, marker: &str) -> Explain {
    Explain::new(control, test).marker(Regex::new(marker).unwrap())
}

/// The sentences of the page, below the tables, too.
fn text(explained: &Explanation) -> String {
    let parts = explained.present().parts;
    let texts = parts.into_iter().filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn sides_without_gpu_work_are_divided_by_the_host_and_named() {
    let gpu = trace("gpu", &[rank(0, 1..3)]);
    let host = trace("host", &[TraceBuilder::new().rank(0).step(1, 0..100).operator("aten::mm", 10..60)]);
    for (control, test) in [(&gpu, &host), (&host, &gpu), (&host, &host)] {
        let explained = Explain::new(control, test).run().unwrap();
        let page = text(&explained);
        assert!(page.contains("host: the recording has no GPU work"), "{page}");
        let json = explained.to_json();
        let side = |side: &str| json["coverage"][side]["recorded_gpu_events"].as_i64().unwrap();
        let of = |trace: &TraceSet| if trace.label() == "gpu" { 2 } else { 0 };
        assert_eq!((side("control"), side("test")), (of(control), of(test)));
        let class =
            |name: &str| json["classes"].as_array().unwrap().iter().find(|class| class["class"] == name).cloned();
        let host_ns = class("host").unwrap();
        let of = |trace: &TraceSet| if trace.label() == "gpu" { 0.0 } else { 50_000.0 };
        assert_eq!(host_ns["control_ns"].as_f64(), Some(of(control)));
        assert_eq!(host_ns["test_ns"].as_f64(), Some(of(test)));
    }
}

#[test]
fn one_iteration_against_many_compares_means() {
    let (one, many) = (trace("one", &[rank(0, 5..6)]), trace("many", &[rank(0, 1..9)]));
    let explained = Explain::new(&one, &many).run().unwrap();
    assert_eq!((explained.sides[0].samples, explained.sides[1].samples), (1, 8));
    assert_eq!((explained.step.delta_us, explained.rows()[0].grade), (0.0, "exact"));
    assert_eq!(explained.rows()[0].count, [1.0, 1.0]);
    assert!(
        explained.sentences().contains("Between these recordings (1 + 8 iterations): "),
        "{}",
        explained.sentences()
    );
}

#[test]
fn other_numbers_of_ranks_compare_means() {
    let two = trace("two", &[rank(0, 1..3), rank(1, 1..3)]);
    let four = trace("four", &(0..4).map(|number| rank(number, 1..3)).collect::<Vec<_>>());
    let explained = Explain::new(&two, &four).run().unwrap();
    assert_eq!((explained.sides[0].ranks.as_slice(), explained.sides[1].ranks.len()), (&[0, 1][..], 4));
    assert_eq!((explained.step.delta_us, explained.rows().len()), (0.0, 1));
    assert_eq!(explained.to_json()["step"]["n"], serde_json::json!([2, 2]));
    let error = Explain::new(&two, &four).control_rank(3).run().unwrap_err();
    assert_eq!(error.to_string(), "trace \"two\" has no rank 3 (has 0, 1)");
}

#[test]
fn annotations_that_never_occur_are_named_with_their_side() {
    let with = trace("with", &[rank(0, 1..3)]);
    let without = trace("without", &[TraceBuilder::new().rank(0).step(1, 0..100).operator("aten::mm", 10..60)]);
    assert_eq!(marked(&with, &with, "^decode$").run().unwrap().step.control_us, 58.0);
    for (control, test) in [(&with, &without), (&without, &with)] {
        let error = marked(control, test, "^decode$").run().unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::NoMarker { .. }), "{text}");
        assert!(text.starts_with("trace \"without\" has no annotation") && text.contains("`^decode$`"), "{text}");
    }
    let text = marked(&with, &with, "never").run().unwrap_err().to_string();
    assert!(text.starts_with("trace \"with\" has no annotation"), "{text}");
}

#[test]
fn a_side_without_steps_is_one_iteration_and_this_is_said() {
    let with = trace("with", &[rank(0, 1..3)]);
    let plain = TraceBuilder::new().rank(0).operator("aten::mm", 5..30).kernel("gemm", Stream(7), 30..50);
    let without = trace("without", &[plain]);
    let explained = Explain::new(&with, &without).run().unwrap();
    assert_eq!((explained.sides[1].samples, explained.sides[1].iterations.len()), (1, 0));
    let says = |warning: &Warning| matches!(warning, Warning::NoProfilerStep { label } if label == "without");
    assert!(explained.warnings.iter().any(says), "{:?}", explained.warnings);
    let text = Explain::new(&with, &without).test_iteration(1).run().unwrap_err().to_string();
    assert!(text.contains("trace \"without\" has no iteration 1"), "{text}");
}

#[test]
fn a_side_without_events_is_refused_or_said() {
    let with = trace("with", &[rank(0, 1..3)]);
    let Ok(empty) = TraceSet::from_bytes("{\"traceEvents\": []}") else { return };
    let explained = Explain::new(&with, empty.with_label("empty")).run();
    match explained {
        Ok(explained) => {
            let page = text(&explained);
            assert!(page.contains("empty: the recording has no"), "{page}");
        }
        Err(error) => assert!(error.to_string().contains("empty"), "{error}"),
    }
}
