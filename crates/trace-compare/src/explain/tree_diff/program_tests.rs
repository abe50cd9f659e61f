//! Programs written by hand, and the traces that they leave.

use crate::TraceSet;
use trace_testkit::{Stream, TraceBuilder};

/// A call: its kernels and their µs, and what it calls.
pub(super) struct Call {
    pub(super) name: String,
    pub(super) kernels: Vec<(&'static str, i64)>,
    pub(super) calls: Vec<Call>,
}

pub(super) fn op(name: &str, kernels: &[(&'static str, i64)]) -> Call {
    Call { name: name.to_owned(), kernels: kernels.to_vec(), calls: Vec::new() }
}

pub(super) fn call(name: impl Into<String>, calls: Vec<Call>) -> Call {
    Call { name: name.into(), kernels: Vec::new(), calls }
}

/// A layer of the model: three operators.
pub(super) fn layer(number: usize, gemm_us: i64) -> Call {
    let calls = vec![
        op("aten::layer_norm", &[("layer_norm_kernel", 3)]),
        op("aten::addmm", &[("sm80_gemm", gemm_us)]),
        op("aten::gelu", &[("gelu_kernel", 4)]),
    ];
    call(format!("nn.Module: Layer_{number}"), calls)
}

pub(super) fn model(layers: Vec<Call>) -> Vec<Call> {
    vec![
        op("aten::embedding", &[("gather_kernel", 5)]),
        call("nn.Module: Model_0", layers),
        op("aten::sum", &[("reduce_kernel", 2)]),
    ]
}

/// Host and GPU as far as they are written.
struct Writer {
    trace: TraceBuilder,
    host: i64,
    gpu: i64,
    launches: i64,
}

impl Writer {
    fn write(&mut self, call: &Call) {
        let start = self.host;
        self.host += 1;
        for &(kernel, us) in &call.kernels {
            self.launches += 1;
            let begin = self.gpu.max(self.host + 2);
            self.gpu = begin + us;
            let trace = std::mem::take(&mut self.trace);
            self.trace = trace
                .runtime("cudaLaunchKernel", self.launches, self.host..self.host + 1)
                .kernel(kernel, Stream(7), begin..self.gpu)
                .correlation(self.launches);
            self.host += 2;
        }
        for called in &call.calls {
            self.write(called);
        }
        self.host += 1;
        let cat = if call.name.starts_with("aten::") { "cpu_op" } else { "python_function" };
        self.trace = std::mem::take(&mut self.trace).complete(cat, &call.name, 100, 1, start..self.host);
    }
}

pub(super) fn trace(label: &str, calls: Vec<Call>) -> TraceSet {
    let mut writer = Writer { trace: TraceBuilder::new(), host: 1, gpu: 0, launches: 0 };
    for call in &calls {
        writer.write(call);
    }
    let end = writer.host.max(writer.gpu) + 5;
    TraceSet::from_bytes(writer.trace.step(1, 0..end).json()).unwrap().with_label(label)
}
