//! Events whose stream does not say where they ran: an operator of `torch.compile` that names the stream it launches on, and a kernel
//! without one. All questions have one answer to that.
#![allow(clippy::unwrap_used)]

use crate::timeline::{event, lane, load};
use trace::TimelineQuery;
use trace::prelude::*;
use trace_testkit::{Stream, TraceBuilder};

const FUSED: &str = "triton_poi_fused_add_0";

/// A step of 100 µs with 50 µs of GPU work, 20 of them without a stream.
fn compiled(kernels: i64) -> TraceBuilder {
    TraceBuilder::new()
        .step(1, 0..100)
        .operator(FUSED, 5..40)
        .arg("stream", "7")
        .runtime("cuLaunchKernel", 4, 10..15)
        .kernel(FUSED, Stream(7), 20..20 + kernels)
        .correlation(4)
        .complete("kernel", "without a stream", 0, 3, 60..80)
}

#[test]
fn an_operator_with_a_stream_is_on_its_thread_everywhere() {
    let trace = load(&compiled(30), "control");
    let timeline = TimelineQuery::new(&trace).run().unwrap();
    let lanes: Vec<&str> = timeline.lanes().map(|(_, label)| label).collect();
    assert_eq!(lanes, ["annotations of thread 1", "thread 1", "stream 3", "stream 7", "queue of stream 7"]);
    event(&timeline, lane(&timeline, "thread 1"), FUSED);
    // Step, operator, launch, kernel.
    let tree = trace.rank(0).unwrap().call_tree().unwrap();
    let depths: Vec<u32> = tree.column("depth").unwrap().u32().unwrap().iter().flatten().collect();
    assert_eq!(depths, [0, 1, 2, 3]);
}

#[test]
fn a_kernel_without_a_stream_is_gpu_work_everywhere() {
    let (control, test) = (load(&compiled(30), "control"), load(&compiled(35), "test"));
    let answer = TraceAnalysis::new(&control).unwrap().ask(&GpuKernelBreakdown::default()).unwrap();
    let sums = answer.tables[0].frame.column("sum").unwrap().cast(&DataType::Float64).unwrap();
    assert_eq!(sums.f64().unwrap().iter().flatten().sum::<f64>(), 50.0, "{}", answer.tables[0].frame);
    let explained = Explain::new(&control, &test).run().unwrap();
    let regions = explained.regions().unwrap();
    let total = regions.column("control_total_us").unwrap().f64().unwrap().iter().flatten().sum::<f64>();
    assert_eq!(total, 50.0, "{regions}");
}
