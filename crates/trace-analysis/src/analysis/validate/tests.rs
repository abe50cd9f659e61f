//! Rules on timelines written by hand: each is kept, and broken.

#![allow(clippy::unwrap_used)]
use super::*;
use crate::analysis::tests::{column, main_table, ranks, texts};
use trace_testkit::{Stream, TraceBuilder};

/// Asks about one rank.
fn ask(trace: TraceBuilder) -> Answer {
    TraceAnalysis::new(&ranks(&[trace])).unwrap().ask(&Validate::default()).unwrap()
}

/// What was checked, what breaks the rule, and the first example.
fn of(answer: &Answer, rule: RuleName) -> (f64, f64, Option<String>) {
    let df = main_table(answer);
    let at = texts(df, "rule").iter().position(|name| name == rule.word()).unwrap();
    let example = df.column("example").unwrap().str().unwrap().get(at).map(str::to_owned);
    (column(df, "checked")[at], column(df, "violations")[at], example)
}

/// A launch at `at`, with its kernel 10 µs later.
fn launched(trace: TraceBuilder, at: i64) -> TraceBuilder {
    trace.runtime("cudaLaunchKernel", at, at..at + 5).kernel("gemm", Stream(7), at + 10..at + 20).correlation(at)
}

#[test]
fn a_sound_recording_keeps_all_rules() {
    let trace = launched(launched(TraceBuilder::new().operator("aten::mm", 0..100), 10), 40);
    let answer = ask(trace);
    let df = main_table(&answer);
    assert_eq!(column(df, "violations").iter().sum::<f64>(), 0.0, "{df}");
    assert_eq!(of(&answer, RuleName::LaunchesAtStart), (2.0, 0.0, None));
    assert_eq!(of(&answer, RuleName::KernelAfterLaunch).0, 2.0);
    assert_eq!(answer.notes[0], "The recording keeps 6 rules; of 7 more there is nothing to check.");
    assert!(!answer.tables[1].shown);
}

#[test]
fn dropped_launches_are_told_by_their_position() {
    let lonely = |trace: TraceBuilder, at: i64| trace.runtime("cudaLaunchKernel", at, at..at + 5);
    // At the start two, in between one, at the end three.
    let trace = launched(lonely(lonely(TraceBuilder::new(), 1), 10), 20);
    let trace = launched(lonely(trace, 50), 60);
    let answer = ask(lonely(lonely(lonely(trace, 100), 110), 120));
    let found = [RuleName::LaunchesAtStart, RuleName::LaunchesHaveKernels, RuleName::LaunchesAtEnd];
    let found = found.map(|rule| of(&answer, rule));
    assert_eq!(found.clone().map(|(.., example)| example.is_some()), [true; 3]);
    assert_eq!(found.map(|(checked, violations, _)| (checked, violations)), [(8.0, 2.0), (3.0, 1.0), (8.0, 3.0)]);
    assert_eq!(texts(main_table(&answer), "rule")[0], "launches_at_start", "broken rules come first");
    assert!(answer.notes[0].starts_with("3 of 6 rules broken: launches_at_start, "), "{:?}", answer.notes);
    let dropped = "The first 2 of 8 launches of kernels have no kernel: the profiler dropped these while it started.";
    assert_eq!(answer.notes[1], dropped);
}

#[test]
fn graphs_and_their_captures_are_told() {
    let trace = launched(TraceBuilder::new(), 0)
        .runtime("cudaStreamBeginCapture", -1, 30..31)
        .runtime("cudaLaunchKernel", 33, 33..34)
        .runtime("cudaStreamEndCapture", -1, 40..41)
        .runtime("cudaGraphLaunch", 70, 70..75);
    let graph =
        (0..3).fold(trace, |trace, at| trace.kernel("gemm", Stream(7), 80 + 5 * at..84 + 5 * at).correlation(70));
    let set = ranks(&[graph]);
    let expected = [
        "Graphs are captured within the recording (1 capture): no kernel runs for these launches, and the steps around them take longer",
        "3 of 4 kernels (75.0 %) run in graphs, one launch for all of a graph: summaries by operator do not tell them apart",
    ];
    let notes = TraceAnalysis::new(&set).unwrap().ask(&Validate::default()).unwrap().notes;
    assert_eq!(notes[1..3], expected.map(|sentence| format!("{sentence}.")));
    // The same in a description.
    let lines = crate::Questions::describe(&set).unwrap().headlines.lines("job");
    assert!(lines.ends_with(&expected.map(|sentence| format!("{sentence} (%validate job)"))), "{lines:?}");
}

#[test]
fn launches_into_a_graph_need_no_kernels() {
    let trace = launched(TraceBuilder::new(), 0)
        .runtime("cudaStreamBeginCapture", -1, 30..31)
        .runtime("cudaLaunchKernel", 33, 33..34)
        .runtime("cudaStreamEndCapture", -1, 40..41);
    let answer = ask(launched(trace, 50));
    assert_eq!(of(&answer, RuleName::LaunchesHaveKernels), (2.0, 0.0, None));
}

#[test]
fn kernels_without_and_before_their_launch_are_found() {
    let trace = launched(TraceBuilder::new(), 0)
        .runtime("cudaLaunchKernel", 50, 50..55)
        .kernel("early", Stream(7), 47..60)
        .correlation(50)
        .kernel("orphan", Stream(7), 70..80)
        .correlation(99);
    let answer = ask(trace);
    let orphan = Some("orphan without a launch".to_owned());
    assert_eq!(of(&answer, RuleName::KernelsHaveLaunches), (3.0, 1.0, orphan));
    let early = Some("early starts 3.00 µs before its call".to_owned());
    assert_eq!(of(&answer, RuleName::KernelAfterLaunch), (2.0, 1.0, early));
}

#[test]
fn waits_for_events_name_an_earlier_record() {
    let wait = |trace: TraceBuilder, name: &str, at: i64, record: i64| {
        trace
            .complete("cuda_sync", name, 0, 7, at..at + 1)
            .arg("stream", "7")
            .arg("wait_on_cuda_event_record_corr_id", &record.to_string())
    };
    let trace = launched(TraceBuilder::new(), 0).runtime("cudaEventRecord", 3, 30..31).runtime(
        "cudaEventRecordWithFlags",
        4,
        60..61,
    );
    let trace = wait(wait(trace, "Stream Wait Event", 40, 3), "Stream Wait Event", 45, 4);
    let answer = ask(wait(wait(trace, "Stream Wait Event", 50, 77), "Event Sync", 55, -1));
    let none = Some("Event Sync of no recorded event".to_owned());
    assert_eq!(of(&answer, RuleName::WaitNamesRecord), (4.0, 1.0, none));
    let later = Some("Stream Wait Event for call 4 (correlation), which begins 15.0 µs later".to_owned());
    assert_eq!(of(&answer, RuleName::RecordBeforeWait), (3.0, 2.0, later));
}

#[test]
fn a_stream_is_drained_when_the_wait_ends() {
    let sync = |trace: TraceBuilder, at: i64, until: i64| {
        trace
            .runtime("cudaStreamSynchronize", 1_000 + at, at..until)
            .complete("cuda_sync", "Stream Sync", 0, 7, at..until)
            .arg("stream", "7")
            .correlation(1_000 + at)
    };
    // The kernel runs 10–20: a wait from 12 to 21 is right, though PyTorch's rule calls it broken; one that ends at 18 is wrong.
    let right = ask(sync(launched(TraceBuilder::new(), 0), 12, 21));
    assert_eq!(of(&right, RuleName::StreamIsDrained), (1.0, 0.0, None));
    let wrong = ask(sync(launched(TraceBuilder::new(), 0), 12, 18));
    let example = Some("gemm ends 2.00 µs after Stream Sync".to_owned());
    assert_eq!(of(&wrong, RuleName::StreamIsDrained), (1.0, 1.0, example));
    // What another thread launched meanwhile need not be done.
    let other = sync(launched(TraceBuilder::new(), 0), 2, 25).thread(2);
    let other = other.runtime("cudaLaunchKernel", 5, 5..6).kernel("other", Stream(7), 21..40).correlation(5);
    assert_eq!(of(&ask(other), RuleName::StreamIsDrained).1, 0.0);
}

#[test]
fn collectives_have_their_fields() {
    let full = |trace: TraceBuilder, at: i64| {
        trace
            .operator("record_param_comms", at..at + 1)
            .arg("Collective name", "\"allreduce\"")
            .arg("dtype", "\"Float\"")
            .arg("In msg nelems", "8")
            .arg("Out msg nelems", "8")
    };
    let trace = full(full(TraceBuilder::new(), 0).arg("Group size", "2"), 5);
    let lacks = Some("record_param_comms without Group size".to_owned());
    assert_eq!(of(&ask(trace), RuleName::CollectiveIsDescribed), (2.0, 1.0, lacks));
}

#[test]
fn a_sequence_number_has_one_backward_function() {
    let folder = tempfile::tempdir().unwrap();
    let backward = |trace: TraceBuilder, name: &str, at: i64, number: i64, thread: i64| {
        trace
            .operator(&format!("autograd::engine::evaluate_function: {name}"), at..at + 1)
            .arg("Sequence number", &number.to_string())
            .arg("Fwd thread id", &thread.to_string())
    };
    let trace = backward(backward(TraceBuilder::new(), "MmBackward0", 0, 5, 1), "AddBackward0", 2, 6, 1);
    // Number 5 of another thread is another number; number 6 has two functions.
    let trace = backward(backward(trace, "MulBackward0", 4, 5, 2), "DivBackward0", 6, 6, 1);
    let path = folder.path().join("0.json");
    std::fs::write(&path, trace.json()).unwrap();
    let answer = TraceAnalysis::new(&crate::TraceSet::load(&path).unwrap()).unwrap().ask(&Validate::default()).unwrap();
    let two = Some("number 6 of DivBackward0 and AddBackward0".to_owned());
    assert_eq!(of(&answer, RuleName::OneBackwardPerNumber), (3.0, 1.0, two));
}

#[test]
fn sizes_of_one_collective_agree_over_ranks() {
    let rank = |rank: i64, elements: i64| {
        let trace = TraceBuilder::new().rank(rank).operator("aten::mm", 0..5);
        let trace = trace.runtime("cudaLaunchKernel", 1, 5..6);
        trace
            .kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", Stream(20), 10..20 + rank)
            .correlation(1)
            .arg("Collective name", "\"allreduce\"")
            .arg("dtype", "\"Float\"")
            .arg("In msg nelems", &elements.to_string())
            .arg("Out msg nelems", &elements.to_string())
            .arg("Group size", "2")
            .arg("Process Group Name", "\"0\"")
            .arg("Process Group Ranks", "[0, 1]")
            .arg("Seq", "3")
    };
    for (elements, violations) in [(8, 0.0), (16, 1.0)] {
        let analysis = TraceAnalysis::new(&ranks(&[rank(0, 8), rank(1, elements)])).unwrap();
        let answer = analysis.ask(&Validate::default()).unwrap();
        let (checked, found, example) = of(&answer, RuleName::SizesAgree);
        assert_eq!((checked, found), (1.0, violations));
        let theirs = analysis.ask(&super::super::Collectives::default()).unwrap().notes;
        assert!(example.is_none_or(|example| theirs.contains(&example)), "{theirs:?}");
    }
}

#[test]
fn arguments_of_other_types_have_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("0.json");
    std::fs::write(&path, launched(TraceBuilder::new(), 0).arg("bytes", "\"many\"").json()).unwrap();
    let analysis = TraceAnalysis::new(&crate::TraceSet::load(&path).unwrap()).unwrap();
    let answer = analysis.ask(&Validate::default()).unwrap();
    assert_eq!(of(&answer, RuleName::ArgumentTypes).1, 1.0);
    let table = &answer.tables[1];
    assert!(table.shown);
    assert_eq!(
        (texts(&table.frame, "argument"), texts(&table.frame, "value")),
        (vec!["bytes".into()], vec!["\"many\"".into()])
    );
    let without = analysis.ask(&Validate { level: "none".to_owned() }).unwrap();
    assert_eq!(of(&without, RuleName::ArgumentTypes), (0.0, 0.0, None));
    std::fs::remove_file(&path).unwrap();
    let answer = analysis.ask(&Validate::default()).unwrap();
    let note = "Types of arguments are not checked on rank 0: the trace file has changed, or is gone.";
    assert_eq!(answer.notes.last().map(String::as_str), Some(note));
    let error = analysis.ask(&Validate { level: "all".to_owned() }).unwrap_err().to_string();
    assert!(error.contains("none, minimal, standard, complete"), "{error}");
}
