//! Operators lent to the kernels of graphs, in traces written by hand.

use crate::companion::{Lending, LoanCount};
use crate::{DiffSide, Explain, ExplainPlan, Explanation, LabeledTrace, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

const GRAPH: [&str; 4] = ["gemm", "gelu_kernel", "gemm", "gelu_kernel"];

/// A decode step recorded eagerly: two layers of two operators, whose kernels take `us` each.
fn eager(label: &str, us: i64) -> TraceSet {
    let mut trace = TraceBuilder::new();
    let mut at = 10;
    for (launch, kernel) in (1..).zip(GRAPH) {
        let start = at;
        let name = if kernel == "gemm" { "aten::addmm" } else { "aten::gelu" };
        trace = trace
            .runtime("cudaLaunchKernel", launch, at + 2..at + 3)
            .kernel(kernel, Stream(7), at + 5..at + 5 + us)
            .correlation(launch)
            .operator(name, at + 1..at + 8);
        at += 10 + us;
        let layer = format!("nn.Module: Layer_{}", (launch - 1) / 2);
        trace = trace.complete("python_function", &layer, 100, 1, start..at - 1);
    }
    TraceSet::from_bytes(trace.step(1, 0..at + 10).json()).unwrap().with_label(label)
}

/// The same step as two replays of one graph, with `more` kernels behind.
fn replayed(label: &str, us: i64, more: &[&str]) -> TraceSet {
    let mut trace = TraceBuilder::new();
    let mut at = 10;
    for replay in 1..=2 {
        trace = trace.runtime("cudaGraphLaunch", replay, at..at + 5);
        for kernel in GRAPH.iter().chain(more) {
            at += us + 5;
            trace = trace.kernel(kernel, Stream(7), at..at + us).correlation(replay);
        }
        at += us + 10;
    }
    TraceSet::from_bytes(trace.step(1, 0..at + 10).json()).unwrap().with_label(label)
}

fn paths(found: &Explanation) -> Vec<String> {
    found.rows().iter().map(|row| format!("{} {}", row.path.last().map_or("", String::as_str), row.grade)).collect()
}

#[test]
fn kernels_of_a_replay_get_the_operators_of_a_companion() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &["rotary"]));
    let bare = Explain::new(&control, &test).run().unwrap();
    assert!(paths(&bare).iter().all(|path| path.starts_with("cudaGraphLaunch")), "{:?}", paths(&bare));
    assert!(bare.sides[0].lending.is_none() && !bare.sentences().contains("graphs"));

    let found = Explain::new(&control, &test).companion(eager("eager", 3)).run().unwrap();
    let operators = ["aten::addmm exact", "aten::gelu exact", "aten::addmm exact", "aten::gelu exact"];
    let mut expected: Vec<&str> = operators.to_vec();
    expected.extend(operators);
    expected.extend(["cudaGraphLaunch added"; 2]);
    let mut sorted = paths(&found);
    sorted.sort_by_key(|path| path.starts_with("cudaGraphLaunch"));
    assert_eq!(sorted, expected);
    let of = |kernels, unmatched: &[(&str, u64)]| {
        let unmatched = unmatched.iter().map(|&(name, kernels)| (name.to_owned(), kernels)).collect();
        Some(Lending::of("eager", LoanCount { kernels, with_operators: 8, unmatched, ..LoanCount::default() }))
    };
    assert_eq!([&found.sides[0].lending, &found.sides[1].lending], [&of(8, &[]), &of(10, &[("rotary", 2)])]);
    let sentence = "Kernels of graphs with operators from eager: 8 of 8 in old, 8 of 10 in new; without: rotary (2).";
    assert!(found.sentences().contains(sentence), "{}", found.sentences());
    // Nothing is counted twice or lost.
    for (one, other) in bare.coverage().iter().zip(found.coverage()) {
        assert_eq!((one.selected_ns, one.selected), (other.selected_ns, other.selected));
    }
    let sum = |found: &Explanation, side: usize| found.rows().iter().map(|row| row.total_us[side]).sum::<f64>();
    assert_eq!((sum(&bare, 0), sum(&bare, 1)), (sum(&found, 0), sum(&found, 1)));
    assert_eq!(found.step, bare.step);
    // Modules are lent, too.
    let modules = found.tree().modules().unwrap();
    let counts: Vec<(String, [f64; 2])> = modules
        .rows()
        .into_iter()
        .filter(|row| row.name.starts_with("nn.Module"))
        .map(|row| (row.name, row.count))
        .collect();
    let layers = counts.iter().filter(|(name, _)| name == "nn.Module: Layer_0").map(|(_, count)| count[1]).sum::<f64>();
    assert_eq!(layers, 4.0, "{counts:?}");
}

#[test]
fn a_companion_without_graphs_to_lend_to_says_so() {
    let (control, test) = (eager("old", 3), eager("new", 5));
    let found = Explain::new(&control, &test).companion(eager("eager", 3)).run().unwrap();
    let sentence = "No operators from eager: neither side has kernels that a graph launched.";
    assert!(found.sentences().contains(sentence), "{}", found.sentences());
}

#[test]
fn a_graph_is_compared_with_eager_code_by_its_companion() {
    let (control, test) = (eager("old", 3), replayed("new", 3, &[]));
    let two_sided =
        |found: &Explanation| found.rows().iter().filter(|row| row.count[0] > 0.0 && row.count[1] > 0.0).count();
    let bare = Explain::new(&control, &test).run().unwrap();
    let found = Explain::new(&control, &test).companion(&control).run().unwrap();
    assert!(two_sided(&found) == 4 && two_sided(&bare) < 4, "{:#?}", paths(&found));
}

#[test]
fn ranks_get_operators_where_the_companion_is_not() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &["rotary"]));
    let explain = Explain::new(&control, &test).companion(eager("eager", 3));
    let sent = serde_json::to_string(&explain.plan().unwrap()).unwrap();
    let plan: ExplainPlan = serde_json::from_str(&sent).unwrap();
    let states: Vec<Vec<u8>> = [(DiffSide::Test, &test), (DiffSide::Control, &control)]
        .into_iter()
        .map(|(side, trace)| plan.map(side, 0, &trace.rank(0).unwrap()).unwrap())
        .collect();
    let found = plan.finish(&plan.merge(&states).unwrap()).unwrap();
    let whole = explain.run().unwrap();
    assert_eq!((found.to_json(), found.sentences()), (whole.to_json(), whole.sentences()));
    assert_eq!(found.sides[1].lending.as_ref().map(|lending| lending.with_operators), Some(8));
}

/// A step with one graph of these kernels and their lengths in µs.
fn graph(label: &str, kernels: &[(&str, i64)]) -> TraceSet {
    let mut trace = TraceBuilder::new().runtime("cudaGraphLaunch", 1, 10..15);
    let mut at = 20;
    for &(name, us) in kernels {
        trace = trace.kernel(name, Stream(7), at..at + us).correlation(1);
        at += us + 5;
    }
    TraceSet::from_bytes(trace.step(1, 0..at + 10).json()).unwrap().with_label(label)
}

#[test]
fn rows_of_graphs_name_both_sides_and_count_kernels() {
    let control = graph("old", &[("first", 4), ("gemm_a", 40), ("tail", 3), ("last", 4)]);
    let test = graph("new", &[("first", 4), ("nvjet_b", 60), ("last", 4)]);
    let found = Explain::new(&control, &test).run().unwrap();
    let names: Vec<String> = found.rows().into_iter().map(|row| row.name).collect();
    assert!(names.contains(&"gemm_a → nvjet_b".to_owned()), "{names:?}");
    let [change] = &found.structure()[..] else { panic!("{:?}", found.structure()) };
    assert_eq!((change.operator.as_str(), change.control, change.test), ("kernels of cudaGraphLaunch", 4.0, 3.0));
}

#[test]
fn the_longest_kernel_names_a_row_of_several() {
    let side = |label: &str, kernels: &[(&str, i64)]| {
        let (mut trace, mut at) = (TraceBuilder::new().operator("aten::mm", 5..20), 20);
        for (launch, &(name, us)) in (1..).zip(kernels) {
            trace = trace.runtime("cudaLaunchKernel", launch, 5 + launch..6 + launch);
            trace = trace.kernel(name, Stream(7), at..at + us).correlation(launch);
            at += us;
        }
        TraceSet::from_bytes(trace.step(1, 0..at + 10).json()).unwrap().with_label(label)
    };
    let found =
        Explain::new(side("old", &[("fill", 2), ("gemm_a", 40)]), side("new", &[("nvjet_b", 30)])).run().unwrap();
    let names: Vec<(String, String)> = found.rows().into_iter().map(|row| (row.kernel, row.name)).collect();
    assert_eq!(names, [("gemm_a".to_owned(), "gemm_a → nvjet_b and 1 more".to_owned())]);
}

/// The capture of a graph: calls launch nothing, and ROCm writes which kernel each adds.
fn captured(trace: TraceBuilder, operators: &[(&str, &str)], begin: i64, is_rocm: bool) -> TraceBuilder {
    let (mut trace, mut at) = (trace, begin + 10);
    for (operator, kernel) in operators {
        let call = if is_rocm { "hipLaunchKernel" } else { "cudaLaunchKernel" };
        trace = trace.runtime(call, at, at + 2..at + 3);
        if is_rocm {
            trace = trace.arg("kernel", &format!("\"{kernel}\""));
        }
        trace = trace.operator(operator, at + 1..at + 8);
        at += 10;
    }
    let vendor = if is_rocm { "hip" } else { "cuda" };
    trace.runtime(&format!("{vendor}StreamBeginCapture"), begin, begin + 1..begin + 2).runtime(
        &format!("{vendor}StreamEndCapture"),
        begin + 1,
        at..at + 1,
    )
}

const OPERATORS: [(&str, &str); 4] =
    [("aten::addmm", "gemm"), ("aten::gelu", "gelu_kernel"), ("aten::mm", "gemm"), ("aten::silu", "gelu_kernel")];

#[test]
fn kernels_of_a_replay_get_the_operators_of_its_capture() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &[]));
    for is_rocm in [true, false] {
        let other = [("aten::relu", "relu"), ("aten::add", "add")];
        let trace = captured(captured(TraceBuilder::new(), &OPERATORS, 0, is_rocm), &other, 100, is_rocm);
        let capture = TraceSet::from_bytes(trace.json()).unwrap().with_label("capture");
        let found = Explain::new(&control, &test).companion(capture).run().unwrap();
        let expected = ["aten::addmm exact", "aten::gelu exact", "aten::mm exact", "aten::silu exact"];
        assert_eq!(paths(&found), [expected, expected].concat());
        let sentence = "Kernels of graphs with operators from capture: 8 of 8 in old, 8 of 8 in new.";
        assert!(found.sentences().contains(sentence), "{}", found.sentences());
    }
}

#[test]
fn several_companions_lend_together() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &[]));
    let capture = |operators: &[(&str, &str)], label: &str| {
        let trace = captured(TraceBuilder::new(), operators, 0, true);
        TraceSet::from_bytes(trace.json()).unwrap().with_label(label)
    };
    let other = capture(&[("aten::relu", "relu"), ("aten::add", "add")], "other");
    for companions in [[other.clone(), capture(&OPERATORS, "capture")], [capture(&OPERATORS, "capture"), other]] {
        let [first, second] = companions.map(LabeledTrace::from);
        let labels = format!("{}, {}", first.label(), second.label());
        let found = Explain::new(&control, &test).companion(first).companion(second).run().unwrap();
        assert!(paths(&found)[2] == "aten::mm exact", "{:?}", paths(&found));
        let sentence = format!("Kernels of graphs with operators from {labels}: 8 of 8 in old, 8 of 8 in new.");
        assert!(found.sentences().contains(&sentence), "{}", found.sentences());
    }
}

#[test]
fn a_graph_that_fits_captures_that_differ_gets_no_operators() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &[]));
    let other =
        OPERATORS.map(|(operator, kernel)| (if operator == "aten::mm" { "aten::bmm" } else { operator }, kernel));
    let trace = captured(captured(TraceBuilder::new(), &OPERATORS, 0, true), &other, 100, true);
    let capture = TraceSet::from_bytes(trace.json()).unwrap().with_label("capture");
    let found = Explain::new(&control, &test).companion(capture).run().unwrap();
    let sentence =
        "0 of 8 in old, 0 of 8 in new; graphs with 16 kernels fit several captures that differ, and get none.";
    assert!(found.sentences().contains(sentence), "{}", found.sentences());
}

#[test]
fn a_capture_of_as_many_other_kernels_lends_nothing() {
    let (control, test) = (replayed("old", 4, &[]), replayed("new", 6, &[]));
    let other = OPERATORS.map(|(operator, _)| (operator, "relu"));
    let capture = TraceSet::from_bytes(captured(TraceBuilder::new(), &other, 0, true).json()).unwrap();
    let found = Explain::new(&control, &test).companion(capture.with_label("capture")).run().unwrap();
    let sentence = "Kernels of graphs with operators from capture: 0 of 8 in old, 0 of 8 in new; without: ";
    assert!(found.sentences().contains(sentence), "{}", found.sentences());
}

/// Kernels of the graph of a server get the operators of its capture: 544 of 544.
#[test]
fn a_recorded_capture_names_all_kernels_of_its_replay() {
    let folder =
        std::env::var_os("TRACEBOOK_SHARED").map_or_else(|| "../../../shared".into(), std::path::PathBuf::from);
    let folder = folder.join("traces/capture");
    if !folder.exists() {
        return;
    }
    let load = |name: &str| TraceSet::load(folder.join(name)).unwrap();
    let (capture, replay) = (load("sglang_decode.capture.json.gz"), load("sglang_decode.replay.json.gz"));
    let found = Explain::new(&replay, replay.clone().with_label("again")).companion(capture).run().unwrap();
    for side in &found.sides {
        let lending = side.lending.as_ref().unwrap();
        assert_eq!((lending.kernels, lending.with_operators, lending.ambiguous), (544, 544, 0));
    }
}
