#![allow(clippy::unwrap_used, clippy::print_stdout)]
use super::*;
use crate::TraceSet;
use trace_testkit::{Stream, TraceBuilder};

const H100: &str = r#"[{"id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 85017493504}]"#;

/// A product of 4,096 × 4,096 bf16 matrices on an H100: 137.4 GFLOP, 100.7 MB.
fn product(us: i64) -> TraceBuilder {
    TraceBuilder::new()
        .metadata("deviceProperties", H100)
        .operator("aten::mm", 0..20)
        .arg("Input Dims", "[[4096, 4096], [4096, 4096]]")
        .arg("Input type", r#"["c10::BFloat16", "c10::BFloat16"]"#)
        .runtime("cudaLaunchKernel", 1, 5..10)
        .kernel("gemm", Stream(7), 30..30 + us)
        .correlation(1)
}

fn answer(trace: &TraceBuilder, peak: Option<&str>) -> Result<Answer> {
    let set = TraceSet::from_bytes(trace.json()).unwrap();
    TraceAnalysis::new(&set).unwrap().ask(&Roofline { peak: peak.map(str::to_owned) })
}

fn value(answer: &Answer, column: &str) -> f64 {
    let value = answer.tables[0].frame.column(column).unwrap().get(0).unwrap();
    value.try_extract().unwrap_or(f64::NAN)
}

fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

#[test]
fn a_product_is_compared_with_the_peak_of_its_type() {
    let answer = answer(&product(200), None).unwrap();
    close(value(&answer, "TFLOP/s"), 687.2);
    close(value(&answer, "GB/s"), 503.3);
    close(value(&answer, "intensity"), 4096.0 / 3.0);
    // 137.4 GFLOP take 139 µs at 989 TFLOP/s.
    close(value(&answer, "roofline"), 69.48);
    let frame = &answer.tables[0].frame;
    assert_eq!(frame.column("bound_by").unwrap().str().unwrap().get(0), Some("compute"));
    assert_eq!(frame.column("device").unwrap().str().unwrap().get(0), Some("NVIDIA H100 SXM"));
    let expected = "Operators with a model: 100.0 % of 200 µs GPU time, which reaches 69.5 % of the roofline.";
    assert_eq!(answer.notes[0], expected);
    assert_eq!(answer.tables[1].frame.height(), 2, "bf16 and bandwidth");
    let figure = &answer.figures[0];
    assert_eq!((figure.series.len(), figure.series[0].name.as_str()), (2, "NVIDIA H100 SXM bf16"));
}

#[test]
fn more_than_the_peak_is_stated_and_not_cut() {
    let answer = answer(&product(100), None).unwrap();
    close(value(&answer, "roofline"), 138.96);
    assert!(answer.notes[1].starts_with("1 of 1 rows are above 100 %: "), "{:?}", answer.notes);
}

#[test]
fn limits_of_the_user_replace_those_of_the_device() {
    close(value(&answer(&product(200), Some("bf16=1374.4")).unwrap(), "roofline"), 50.0);
    close(value(&answer(&product(200), Some("h100-pcie")).unwrap(), "roofline"), 69.48 * 989.0 / 756.0);
    let refused = answer(&product(200), Some("bf15=3")).unwrap_err().to_string();
    assert!(refused.contains("invalid peak `bf15=3`: expected limits such as bf16=900"), "{refused}");
}

#[test]
fn an_unknown_device_has_rates_and_no_share() {
    let unknown = TraceBuilder::new()
        .metadata("deviceProperties", r#"[{"id": 0, "name": "NVIDIA H150"}]"#)
        .operator("aten::mm", 0..20)
        .arg("Input Dims", "[[64, 64], [64, 64]]")
        .arg("Input type", r#"["float", "float"]"#)
        .runtime("cudaLaunchKernel", 1, 5..10)
        .kernel("gemm", Stream(7), 30..40)
        .correlation(1)
        .operator("foreign", 50..60)
        .runtime("cudaLaunchKernel", 2, 51..52)
        .kernel("other", Stream(7), 60..70)
        .correlation(2);
    let answer = answer(&unknown, None).unwrap();
    assert!(value(&answer, "roofline").is_nan() && value(&answer, "TFLOP/s") > 0.0);
    assert_eq!(answer.notes[0], "Operators with a model: 50.0 % of 20.0 µs GPU time.");
    assert_eq!(answer.notes[1], "Not counted: 50.0 % in operators without a model: foreign (50.0 %).");
    assert!(answer.notes[2].starts_with("No roofline: no peaks of `NVIDIA H150`: choose h100"), "{:?}", answer.notes);
}

#[test]
fn recorded_operators_have_the_operations_of_torch() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    let set = TraceSet::load(format!("{shared}/traces/recorded_flops")).unwrap();
    let answer = TraceAnalysis::new(&set).unwrap().ask(&Roofline::default()).unwrap();
    let frame = &answer.tables[0].frame;
    let column = |name: &str| frame.column(name).unwrap();
    let row = (0..frame.height()).find(|&row| {
        column("name").str().unwrap().get(row) == Some("aten::bmm")
            && column("shapes").str().unwrap().get(row).unwrap().starts_with("3×")
    });
    let gflop = column("gflop").f64().unwrap().get(row.unwrap()).unwrap();
    assert_eq!(gflop * 1e9, 313_344.0, "{frame}");
    assert!(answer.notes[0].starts_with("No GPU work: the time of the calls counts, "), "{:?}", answer.notes);
}
