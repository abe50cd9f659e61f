//! Operators that a companion lends to the kernels of graphs, in both analyses that show them.

use crate::TraceSet;
use crate::analysis::{Answer, Operators, OperatorsBy, Roofline, TraceAnalysis};
use polars::prelude::DataType;
use std::collections::BTreeMap;
use std::path::PathBuf;
use trace_compare::Explain;
use trace_testkit::{Stream, TraceBuilder};

const MI300: &str = r#"[{"id": 0, "name": "AMD Instinct MI300X", "totalGlobalMem": 206141652992}]"#;

/// A captured layer: module, operators, one inside of the other, shapes, and the kernel that its launch adds to the graph.
type Layer = (&'static str, &'static [&'static str], &'static str, &'static str);

/// A product of 64×32 and 32×16 matrices and an activation.
const LAYERS: [Layer; 2] = [
    ("nn.Module: Linear_0", &["aten::linear", "aten::mm"], "[[64, 32], [32, 16]]", "gemm"),
    ("nn.Module: GELU_0", &["aten::gelu"], "[[64, 16]]", "gelu_kernel"),
];

/// Adds the capture of a graph of these layers, as ROCm records it.
fn captured(mut trace: TraceBuilder, begin: i64, layers: &[Layer]) -> TraceBuilder {
    let mut at = begin + 10;
    for (module, operators, shapes, kernel) in layers {
        trace = trace.complete("python_function", module, 100, 1, at..at + 30);
        for (depth, operator) in (1..).zip(*operators) {
            trace = trace.operator(operator, at + depth..at + 30 - depth);
            trace = trace
                .arg("Input Dims", shapes)
                .arg("Input type", if shapes.contains("], [") { r#"["float", "float"]"# } else { r#"["float"]"# });
        }
        trace = trace.runtime("hipLaunchKernel", at, at + 10..at + 12).arg("kernel", &format!("\"{kernel}\""));
        at += 40;
    }
    let trace = trace.runtime("hipStreamBeginCapture", begin, begin + 1..begin + 2);
    trace.runtime("hipStreamEndCapture", begin + 1, at..at + 1)
}

fn capture() -> TraceSet {
    companion(captured(TraceBuilder::new(), 0, &LAYERS))
}

fn companion(trace: TraceBuilder) -> TraceSet {
    TraceSet::from_bytes(trace.json()).unwrap().with_label("capture")
}

/// Launches of a graph inside of `decode`, 100 µs apart: kernels of 20 µs and 5 µs on these streams, and a kernel of 10 µs without a graph.
fn replays(times: i64, streams: [i64; 2]) -> TraceBuilder {
    let mut trace = TraceBuilder::new().metadata("deviceProperties", MI300);
    for number in 0..times {
        let at = 100 * number;
        trace = trace
            .operator("decode", at..at + 40)
            .runtime("hipGraphLaunch", 1 + number, at + 5..at + 15)
            .kernel("gemm", Stream(streams[0]), at + 20..at + 40)
            .correlation(1 + number)
            .kernel("gelu_kernel", Stream(streams[1]), at + 42..at + 47)
            .correlation(1 + number);
    }
    let at = 100 * times;
    trace
        .operator("aten::add", at..at + 20)
        .runtime("hipLaunchKernel", 1000, at + 5..at + 15)
        .kernel("add", Stream(7), at + 30..at + 40)
        .correlation(1000)
}

fn loaded(trace: &TraceBuilder) -> TraceSet {
    TraceSet::from_bytes(trace.json()).unwrap().with_label("replay")
}

fn borrowing(trace: &TraceSet, companion: &TraceSet) -> TraceAnalysis {
    TraceAnalysis::new(trace).unwrap().companion(companion).unwrap()
}

fn by(by: OperatorsBy) -> Operators {
    Operators { by, ..Operators::default() }
}

/// Values of a column by name.
fn values(answer: &Answer, column: &str) -> BTreeMap<String, f64> {
    let frame = &answer.tables[0].frame;
    let names = frame.column("name").unwrap().str().unwrap();
    let found = frame.column(column).unwrap().cast(&DataType::Float64).unwrap();
    let found = found.f64().unwrap();
    let mut sums = BTreeMap::new();
    for (name, value) in names.iter().zip(found.iter()) {
        *sums.entry(name.unwrap().to_owned()).or_insert(0.0) += value.unwrap_or(0.0);
    }
    sums
}

fn sum(answer: &Answer, column: &str) -> f64 {
    values(answer, column).values().sum()
}

fn named(rows: &[(&str, f64)]) -> BTreeMap<String, f64> {
    rows.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect()
}

#[test]
fn replayed_kernels_count_for_their_captured_operators() {
    let trace = loaded(&replays(10, [7, 7]));
    let answer = borrowing(&trace, &capture()).ask(&by(OperatorsBy::Name)).unwrap();
    assert_eq!(answer.notes[0], "Kernels of graphs with operators from capture: 20 of 20.");
    let rows = [("aten::add", 1.0), ("aten::gelu", 10.0), ("aten::linear", 10.0), ("aten::mm", 10.0), ("decode", 10.0)];
    assert_eq!(values(&answer, "count"), named(&rows));
    let own = [("aten::add", 10.0), ("aten::gelu", 50.0), ("aten::linear", 0.0), ("aten::mm", 200.0), ("decode", 0.0)];
    assert_eq!(values(&answer, "kernel_self (us)"), named(&own));
    let total =
        [("aten::add", 10.0), ("aten::gelu", 50.0), ("aten::linear", 200.0), ("aten::mm", 200.0), ("decode", 250.0)];
    assert_eq!(values(&answer, "kernel_total (us)"), named(&total));
    let span =
        [("aten::add", 10.0), ("aten::gelu", 50.0), ("aten::linear", 200.0), ("aten::mm", 200.0), ("decode", 270.0)];
    assert_eq!(values(&answer, "kernel_span (us)"), named(&span));
    let borrowed =
        [("aten::add", 0.0), ("aten::gelu", 50.0), ("aten::linear", 0.0), ("aten::mm", 200.0), ("decode", 0.0)];
    assert_eq!(values(&answer, "borrowed (us)"), named(&borrowed));
    // Borrowed calls take no time, and the launch of a graph stays one.
    let cpu = [("aten::add", 20.0), ("aten::gelu", 0.0), ("aten::linear", 0.0), ("aten::mm", 0.0), ("decode", 400.0)];
    assert_eq!(values(&answer, "cpu_total (us)"), named(&cpu));
    assert_eq!(values(&answer, "launch_share")["decode"], 25.0);
}

#[test]
fn gpu_time_is_the_same_with_and_without_a_companion() {
    let trace = loaded(&replays(3, [7, 8]));
    let bare = TraceAnalysis::new(&trace).unwrap();
    let found = borrowing(&trace, &capture());
    for kind in [OperatorsBy::Name, OperatorsBy::Stack, OperatorsBy::Shape] {
        let [bare, found] = [&bare, &found].map(|analysis| analysis.ask(&by(kind)).unwrap());
        assert_eq!((sum(&bare, "kernel_self (us)"), sum(&found, "kernel_self (us)")), (85.0, 85.0), "{kind:?}");
        assert_eq!(sum(&bare, "cpu_self (us)"), sum(&found, "cpu_self (us)"), "{kind:?}");
        assert!(bare.tables[0].frame.column("borrowed (us)").is_err());
        assert!(!bare.notes.iter().any(|note| note.contains("graphs")), "{:?}", bare.notes);
    }
    let [bare, found] = [&bare, &found].map(|analysis| analysis.ask(&Roofline::default()).unwrap());
    assert_eq!((sum(&bare, "time (us)"), sum(&found, "time (us)")), (0.0, 75.0));
    assert!(bare.notes[0].starts_with("No operator with recorded shapes"), "{:?}", bare.notes);
}

#[test]
fn modules_stacks_and_shapes_are_borrowed() {
    let analysis = borrowing(&loaded(&replays(2, [7, 8])), &capture());
    let modules = analysis.ask(&by(OperatorsBy::Module)).unwrap();
    let expected = [("nn.Module: GELU_0", 10.0), ("nn.Module: Linear_0", 40.0)];
    for column in ["kernel_self (us)", "borrowed (us)", "forward_kernel (us)"] {
        assert_eq!(values(&modules, column), named(&expected), "{column}");
    }
    let stacks = analysis.ask(&by(OperatorsBy::Stack)).unwrap();
    assert_eq!(values(&stacks, "kernel_self (us)")["decode › aten::linear › aten::mm"], 40.0);
    let shapes = analysis.ask(&by(OperatorsBy::Shape)).unwrap();
    assert_eq!(values(&shapes, "count")["aten::mm [[64, 32], [32, 16]] fp32"], 2.0);
    assert!(!shapes.notes.iter().any(|note| note.contains("No shapes")), "{:?}", shapes.notes);
}

#[test]
fn shapes_of_a_capture_feed_the_roofline() {
    let analysis = borrowing(&loaded(&replays(4, [7, 8])), &capture());
    let roofline = analysis.ask(&Roofline::default()).unwrap();
    let frame = &roofline.tables[0].frame;
    // 2 · 64 · 32 · 16 operations in 20 µs.
    let gflop = values(&roofline, "gflop")["aten::mm"];
    assert!((gflop * 1e9 - 65_536.0).abs() < 1e-3 && values(&roofline, "count")["aten::mm"] == 4.0, "{frame}");
    assert!((values(&roofline, "TFLOP/s")["aten::mm"] - 65_536.0 / 20e-6 / 1e12).abs() < 1e-9, "{frame}");
    assert_eq!(frame.column("shapes").unwrap().str().unwrap().get(0), Some("64×32, 32×16"));
    assert_eq!(values(&roofline, "borrowed (us)"), named(&[("aten::gelu", 20.0), ("aten::mm", 80.0)]));
    assert!(roofline.notes.iter().any(|note| note.ends_with("from capture: 8 of 8.")), "{:?}", roofline.notes);
    // The same work by operator.
    let work = analysis.ask(&Operators { work: true, ..Operators::default() }).unwrap();
    assert!((values(&work, "gflop")["aten::mm"] - 4.0 * gflop).abs() < 1e-12);
    assert_eq!(values(&work, "counted (us)")["aten::mm"], values(&roofline, "time (us)")["aten::mm"]);
}

#[test]
fn a_capture_of_other_kernels_lends_nothing() {
    let other: Vec<Layer> =
        LAYERS.iter().map(|&(module, operators, shapes, _)| (module, operators, shapes, "relu")).collect();
    let trace = loaded(&replays(2, [7, 7]));
    let bare = TraceAnalysis::new(&trace).unwrap().ask(&Operators::default()).unwrap();
    for lender in
        [companion(captured(TraceBuilder::new(), 0, &other)), companion(TraceBuilder::new().operator("a", 0..5))]
    {
        let answer = borrowing(&trace, &lender).ask(&Operators::default()).unwrap();
        assert_eq!(
            answer.notes[0],
            "Kernels of graphs with operators from capture: 0 of 4; without: gelu_kernel (2), gemm (2)."
        );
        assert_eq!(values(&answer, "kernel_self (us)"), values(&bare, "kernel_self (us)"));
        assert_eq!(sum(&answer, "borrowed (us)"), 0.0);
    }
    let eager = loaded(&TraceBuilder::new().operator("aten::mm", 0..10));
    let answer = borrowing(&eager, &capture()).ask(&Operators::default()).unwrap();
    assert_eq!(answer.notes[0], "No operators from capture: there are no kernels that a graph launched.");
}

#[test]
fn kernels_without_operators_are_named_by_their_number() {
    let mut trace = TraceBuilder::new().runtime("hipGraphLaunch", 1, 0..5);
    for (at, kernel) in (0..).zip(["a<2>", "b", "c", "d", "b", "gemm", "e", "a<4>"]) {
        trace = trace.kernel(kernel, Stream(7), 10 * at..10 * at + 5).correlation(1);
    }
    let eager = TraceBuilder::new().operator("aten::mm", 0..10).runtime("hipLaunchKernel", 1, 1..2);
    let eager = companion(eager.kernel("gemm", Stream(7), 5..9).correlation(1));
    let answer = borrowing(&loaded(&trace), &eager).ask(&Operators::default()).unwrap();
    let expected =
        "Kernels of graphs with operators from capture: 1 of 8; without: a (2), b (2), c (1) and 2 other names.";
    assert_eq!(answer.notes[0], expected);
}

#[test]
fn captures_that_differ_are_stated_and_not_guessed() {
    let trace = loaded(&replays(1, [7, 7]));
    let [(module, _, shapes, kernel), gelu] = LAYERS;
    let operators: Layer = (module, &["aten::linear", "aten::bmm"], shapes, kernel);
    let both = captured(captured(TraceBuilder::new(), 0, &LAYERS), 500, &[operators, gelu]);
    let answer = borrowing(&trace, &companion(both)).ask(&Operators::default()).unwrap();
    let expected = "Kernels of graphs with operators from capture: 0 of 2; graphs with 2 kernels fit several captures that differ, and get none.";
    assert_eq!(answer.notes[0], expected);
    // Names that agree are lent, shapes that differ are not.
    let wide: Layer = (module, LAYERS[0].1, "[[128, 32], [32, 16]]", kernel);
    let both = captured(captured(TraceBuilder::new(), 0, &LAYERS), 500, &[wide, gelu]);
    let analysis = borrowing(&trace, &companion(both));
    let answer = analysis.ask(&by(OperatorsBy::Shape)).unwrap();
    let expected = "Kernels of graphs with operators from capture: 2 of 2; graphs with 2 kernels fit several captures that differ in \
                    shapes alone, and get operators without shapes.";
    assert_eq!(answer.notes[0], expected);
    assert_eq!(values(&answer, "kernel_self (us)")["aten::mm"], 20.0);
    let roofline = analysis.ask(&Roofline::default()).unwrap();
    assert_eq!(roofline.tables[0].frame.height(), 0);
    assert!(
        roofline.notes.iter().any(|note| note.starts_with("No operator with recorded shapes")),
        "{:?}",
        roofline.notes
    );
}

/// Captures for 64 and for 128 requests, and a step that says which of them it runs, or not.
#[test]
fn annotated_batches_decide_among_captures() {
    let annotated =
        |trace: TraceBuilder, name: &str, at: i64| trace.complete("user_annotation", name, 100, 1, at..at + 300);
    let [(module, operators, narrow, kernel), gelu] = LAYERS;
    let wide: Layer = (module, operators, "[[128, 32], [32, 16]]", kernel);
    let both =
        captured(captured(TraceBuilder::new(), 0, &[(module, operators, narrow, kernel), gelu]), 500, &[wide, gelu]);
    let both = companion(annotated(annotated(both, "capture_64_DECODE", 0), "capture_128_DECODE", 500));
    let asked = |annotation: &str| {
        let trace = loaded(&annotated(replays(1, [7, 7]), annotation, 0));
        let analysis = borrowing(&trace, &both);
        let note = analysis.ask(&Operators::default()).unwrap().notes[0].clone();
        let roofline = analysis.ask(&Roofline::default()).unwrap();
        let has_work = roofline.tables[0].frame.height() > 0;
        let flop = if has_work { (values(&roofline, "gflop")["aten::mm"] * 1e9).round() } else { 0.0 };
        (note.replace("Kernels of graphs with operators from capture: ", ""), flop)
    };
    // 2 × 64 × 32 × 16, twice as many, and as many with a padded batch.
    assert_eq!(asked("step[DECODE bs=64]"), ("2 of 2.".to_owned(), 65_536.0));
    assert_eq!(asked("step[DECODE bs=128]"), ("2 of 2.".to_owned(), 131_072.0));
    assert_eq!(asked("decode[bs=117/128 tok=117 d=117]"), ("2 of 2.".to_owned(), 131_072.0));
    for unknown in ["step[DECODE bs=100]", "step[EXTEND bs=128 toks=128]", "step"] {
        let (note, flop) = asked(unknown);
        assert!(note.contains("differ in shapes alone") && flop == 0.0, "{unknown}: {note}");
    }
}

#[test]
fn calls_around_a_graph_are_not_borrowed_again() {
    let module = |trace: TraceBuilder| trace.complete("python_function", "nn.Module: Linear_0", 100, 1, 0..300);
    let trace = loaded(&module(replays(2, [7, 7])));
    let answer = borrowing(&trace, &capture()).ask(&by(OperatorsBy::Module)).unwrap();
    assert_eq!(values(&answer, "count"), named(&[("nn.Module: GELU_0", 2.0), ("nn.Module: Linear_0", 1.0)]));
    assert_eq!(values(&answer, "kernel_total (us)")["nn.Module: Linear_0"], 60.0);
    assert_eq!(values(&answer, "borrowed (us)"), named(&[("nn.Module: GELU_0", 10.0), ("nn.Module: Linear_0", 0.0)]));
}

#[test]
fn ranks_in_files_and_filters_borrow_as_well() {
    let trace = loaded(&replays(10, [7, 8]));
    let folder = tempfile::tempdir().unwrap();
    let stored = trace.stored_in(folder.path().join("replay")).unwrap();
    let lender = capture().stored_in(folder.path().join("capture")).unwrap();
    for by in [OperatorsBy::Name, OperatorsBy::Module, OperatorsBy::Shape] {
        let query = Operators { by, work: true, peak: None };
        let [one, other] = [(&trace, &capture()), (&stored, &lender)].map(|(trace, lender)| {
            let answer = borrowing(trace, lender).ask(&query).unwrap();
            (answer.main(), answer.notes)
        });
        assert!(one.0.equals_missing(&other.0) && one.1 == other.1, "{} {}", one.0, other.0);
    }
    let narrow = "ts < 250us or stream == 8".parse::<crate::filter::Where>().unwrap();
    let answer = borrowing(&trace, &capture()).filter(narrow).unwrap().ask(&Operators::default()).unwrap();
    // Of the products those whose launches pass, too; of the activations their launches do not pass.
    assert_eq!(answer.notes[0], "Kernels of graphs with operators from capture: 13 of 13.");
    assert_eq!(
        values(&answer, "kernel_self (us)"),
        named(&[("aten::gelu", 15.0), ("aten::linear", 0.0), ("aten::mm", 60.0), ("decode", 0.0)])
    );
}

/// The tree of an explanation and the operators of an analysis show the same numbers.
#[test]
fn an_explanation_borrows_what_operators_borrow() {
    let trace = loaded(&replays(5, [7, 7]));
    let operators = borrowing(&trace, &capture()).ask(&Operators::default()).unwrap();
    let explained = Explain::new(&trace, trace.clone().with_label("again")).companion(capture()).run().unwrap();
    let mut found: BTreeMap<String, f64> = BTreeMap::new();
    for row in explained.rows() {
        *found.entry(row.path.last().cloned().unwrap_or_default()).or_default() += row.total_us[0];
    }
    let mut own = values(&operators, "kernel_self (us)");
    own.retain(|_, us| *us > 0.0);
    assert_eq!(found, own);
    let lending = explained.sides[0].lending.as_ref().unwrap();
    assert_eq!((lending.kernels, lending.with_operators), (10, 10));
}

fn recorded() -> Option<[TraceSet; 2]> {
    let folder = std::env::var_os("TRACEBOOK_SHARED").map_or_else(|| "../../../shared".into(), PathBuf::from);
    let folder = folder.join("traces/capture");
    let load =
        |name: &str| TraceSet::load(folder.join(format!("sglang_decode.{name}.json.gz"))).unwrap().with_label(name);
    folder.exists().then(|| ["replay", "capture"].map(load))
}

/// A server's graph of 544 kernels. Times and operations of its products are those that TraceLens finds in the same files.
#[test]
fn a_recorded_capture_lends_to_all_kernels_of_its_replay() {
    let Some([replay, capture]) = recorded() else { return };
    let bare = TraceAnalysis::new(&replay).unwrap();
    let found = borrowing(&replay, &capture);
    let [without, with] = [&bare, &found].map(|analysis| analysis.ask(&Operators::default()).unwrap());
    assert_eq!(with.notes[0], "Kernels of graphs with operators from capture: 544 of 544.");
    let count = values(&with, "count");
    assert_eq!(
        (count["aten::mm"], count["aiter::gemm_a16w16"], count["sgl_kernel::silu_and_mul"]),
        (145.0, 144.0, 36.0)
    );
    // No operator is around the launch of the graph, whose kernels take 9656.404 µs.
    let added = sum(&with, "kernel_self (us)") - sum(&without, "kernel_self (us)");
    assert!((added - 9656.404).abs() < 0.01 && (added - sum(&with, "borrowed (us)")).abs() < 1e-6, "{added}");
    let roofline = found.ask(&Roofline::default()).unwrap();
    let frame = &roofline.tables[0].frame;
    let products = [
        ("32×4096, 24576×4096", 36, 6.442450944, 2417.659),
        ("32×12288, 4096×12288", 36, 3.221225472, 1461.903),
        ("32×4096, 6144×4096", 36, 1.610612736, 903.519),
        ("32×4096, 4096×4096", 36, 1.073741824, 602.341),
        ("32×4096, 4096×151936", 1, 39.829110784, 396.832),
    ];
    for (shapes, count, gflop, us) in products {
        let texts = frame.column("shapes").unwrap().str().unwrap();
        let row = texts.iter().position(|found| found == Some(shapes)).unwrap();
        let value = |column: &str| frame.column(column).unwrap().get(row).unwrap().try_extract::<f64>().unwrap();
        assert_eq!(value("count"), f64::from(count), "{shapes}");
        assert!((value("gflop") - gflop).abs() < 1e-9 && (value("time (us)") - us).abs() < 0.01, "{shapes}: {frame}");
        assert_eq!(value("borrowed (us)"), value("time (us)"), "{shapes}");
    }
}
