//! A program as a tree of host events and kernels, and its recording.

use call_tree::{Class, Correlation, Event, Kind, Labels, Recording, Window};
use std::collections::HashMap;

/// A kernel that is launched.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    /// The same kernel of an edited program has the same number; a fused one has several.
    pub(crate) ids: Vec<u32>,
    pub(crate) name: String,
    pub(crate) class: Class,
    pub(crate) stream: u32,
    pub(crate) ns: i64,
}

/// A host event, and what it does.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) inputs: String,
    pub(crate) items: Vec<Item>,
}

#[derive(Debug, Clone)]
pub(crate) enum Item {
    Call(Call),
    Kernel(Kernel),
}

/// One iteration: what its main thread does, and what the backward thread does.
#[derive(Debug, Clone, Default)]
pub(crate) struct Program {
    pub(crate) main: Vec<Item>,
    pub(crate) backward: Vec<Item>,
}

/// Numbers that look random and are the same everywhere (SplitMix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((x ^ (x >> 31)) % bound as u64) as usize
    }
}

pub(crate) fn call(kind: Kind, name: &str, inputs: &str, items: Vec<Item>) -> Item {
    Item::Call(Call { kind, name: name.to_owned(), inputs: inputs.to_owned(), items })
}

pub(crate) fn operator(name: &str, inputs: &str, items: Vec<Item>) -> Item {
    call(Kind::Operator, name, inputs, items)
}

/// Numbers kernels as they are made.
#[derive(Default)]
pub(crate) struct Kernels(u32);

impl Kernels {
    pub(crate) fn kernel(&mut self, name: &str, ns: i64) -> Item {
        let class = match name {
            name if name.starts_with("nccl") => Class::Communication,
            name if name.starts_with("Mem") => Class::Copy,
            _ => Class::Compute,
        };
        let stream = if class == Class::Communication { 20 } else { 7 };
        self.0 += 1;
        Item::Kernel(Kernel { ids: vec![self.0], name: name.to_owned(), class, stream, ns })
    }
}

/// A training step of a transformer with so many layers.
pub(crate) fn transformer(layers: usize) -> Program {
    let mut k = Kernels::default();
    let gemm = "void cutlass::Kernel2<cutlass_80_tensorop_f16_s16816gemm_f16_256x128_32x3_nt_align8>(Params)";
    let elementwise = "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float> >(int)";
    let norm = "void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<c10::Half, float>(int, float)";
    let mut main = vec![operator("aten::to", "[[8,128]]", vec![k.kernel("Memcpy HtoD (Pinned -> Device)", 40_000)])];
    let embedding = k.kernel("void at::native::(anonymous namespace)::indexSelectLargeIndex<float>(int)", 30_000);
    main.push(operator("aten::embedding", "[[50000,512],[8,128]]", vec![embedding]));
    let mut backward = Vec::new();
    for layer in 0..layers {
        let linear = |k: &mut Kernels, number: usize, shape: &str, ns: i64| {
            let addmm = operator("aten::addmm", shape, vec![k.kernel(gemm, ns)]);
            let view = operator("aten::view", shape, vec![]);
            let items = vec![operator("aten::t", shape, vec![]), operator("aten::linear", shape, vec![view, addmm])];
            call(Kind::Module, &format!("nn.Module: Linear_{number}"), "", items)
        };
        let norm = operator(
            "aten::layer_norm",
            "[[8,128,512]]",
            vec![operator("aten::native_layer_norm", "[[8,128,512]]", vec![k.kernel(norm, 20_000)])],
        );
        let attention = operator(
            "aten::scaled_dot_product_attention",
            "[[8,8,128,64]]",
            vec![operator(
                "aten::_flash_attention_forward",
                "[[8,8,128,64]]",
                vec![k.kernel("pytorch_flash::flash_fwd_kernel", 90_000)],
            )],
        );
        let gelu = operator(
            "aten::gelu",
            "[[8,128,2048]]",
            vec![k.kernel("void at::native::vectorized_elementwise_kernel<4, GeluFunctor>(int)", 25_000)],
        );
        let add = operator("aten::add", "[[8,128,512],[8,128,512]]", vec![k.kernel(elementwise, 15_000)]);
        let items = vec![
            norm,
            linear(&mut k, 4 * layer, "[[8,128,512],[512,1536]]", 120_000),
            attention,
            linear(&mut k, 4 * layer + 1, "[[8,128,512],[512,512]]", 50_000),
            add,
            linear(&mut k, 4 * layer + 2, "[[8,128,512],[512,2048]]", 160_000),
            gelu,
            linear(&mut k, 4 * layer + 3, "[[8,128,2048],[2048,512]]", 165_000),
        ];
        main.push(call(
            Kind::Module,
            &format!("nn.Module: Block_{layer}"),
            "",
            vec![call(Kind::Python, "model/block.py(57): forward", "", items)],
        ));
    }
    let softmax = k.kernel(
        "void (anonymous namespace)::softmax_warp_forward<float, float, float, 8, false, false>(float*)",
        35_000,
    );
    main.push(operator(
        "aten::cross_entropy_loss",
        "[[1024,50000]]",
        vec![operator("aten::log_softmax", "[[1024,50000]]", vec![softmax])],
    ));
    for _ in 0..layers {
        for (name, shape, ns) in
            [("AddmmBackward0", "[[8,128,512]]", 230_000), ("GeluBackward0", "[[8,128,2048]]", 30_000)]
        {
            let (one, other) = (k.kernel(gemm, ns), k.kernel("ampere_sgemm_128x64_nt", ns / 2));
            let mm = operator("aten::mm", shape, vec![one]);
            let items = vec![operator(name, shape, vec![mm, operator("aten::sum", shape, vec![other])])];
            backward.push(operator(&format!("autograd::engine::evaluate_function: {name}"), "", items));
        }
        let reduce = k.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 180_000);
        backward.push(operator("nccl:all_reduce", "", vec![reduce]));
    }
    let adam = k.kernel("void at::native::(anonymous namespace)::multi_tensor_apply_kernel<AdamFunctor>(int)", 60_000);
    main.push(call(
        Kind::Annotation,
        "Optimizer.step#AdamW.step",
        "",
        vec![operator("aten::_fused_adamw_", "", vec![adam])],
    ));
    Program { main, backward }
}

const MAIN: u32 = 1;
const BACKWARD: u32 = 2;
const CALL_NS: i64 = 4_000;
const LAUNCH_NS: i64 = 6_000;

/// Renders programs as recordings, one iteration behind the other.
pub(crate) struct Recorder<'l> {
    labels: &'l mut Labels,
    recording: Recording,
    /// Numbers of the kernels of each row.
    pub(crate) kernels: HashMap<u32, Vec<u32>>,
    clock: i64,
    free: HashMap<u32, i64>,
    correlation: i64,
    noise: Random,
}

impl<'l> Recorder<'l> {
    /// `seed` moves times and durations by up to 2 %, and renumbers.
    pub(crate) fn new(labels: &'l mut Labels, seed: u64) -> Self {
        Self {
            labels,
            recording: Recording::default(),
            kernels: HashMap::new(),
            clock: 1_000_000 + seed as i64 * 77_777,
            free: HashMap::new(),
            correlation: seed as i64 * 1_000_000,
            noise: Random(seed),
        }
    }

    pub(crate) fn iteration(mut self, program: &Program) -> Self {
        let iteration = self.recording.windows.len() as i64;
        let start = self.clock;
        let at = self.push(Kind::Annotation, &format!("ProfilerStep#{iteration}"), "", MAIN, start);
        self.items(&program.main, MAIN);
        self.items(&program.backward, BACKWARD);
        self.clock += CALL_NS;
        self.recording.events[at].end = self.clock;
        self.recording.windows.push(Window { iteration, start, end: self.clock, thread: MAIN });
        self
    }

    pub(crate) fn finish(self) -> (Recording, HashMap<u32, Vec<u32>>) {
        (self.recording, self.kernels)
    }

    fn push(&mut self, kind: Kind, name: &str, inputs: &str, thread: u32, start: i64) -> usize {
        let label = self.labels.add(kind, name, inputs);
        let row = self.recording.events.len();
        self.recording.events.push(Event {
            kind,
            start,
            end: start,
            thread,
            label,
            correlation: None,
            row: row as u32,
        });
        row
    }

    fn items(&mut self, items: &[Item], thread: u32) {
        for item in items {
            match item {
                Item::Call(call) => {
                    let at = self.push(call.kind, &call.name, &call.inputs, thread, self.clock);
                    self.clock += CALL_NS;
                    self.items(&call.items, thread);
                    self.clock += CALL_NS;
                    self.recording.events[at].end = self.clock;
                    self.clock += CALL_NS / 4;
                }
                Item::Kernel(kernel) => self.launch(kernel, thread),
            }
        }
    }

    fn launch(&mut self, kernel: &Kernel, thread: u32) {
        self.correlation += 1;
        let launch = self.push(Kind::Launch, "cudaLaunchKernel", "", thread, self.clock);
        self.clock += LAUNCH_NS;
        let free = self.free.entry(kernel.stream).or_insert(0);
        let start = (self.clock + 3_000).max(*free);
        let ns = kernel.ns + kernel.ns * (self.noise.below(41) as i64 - 20) / 1000;
        *free = start + ns;
        let gpu = self.push(Kind::Gpu(kernel.class), &kernel.name, "", kernel.stream, start);
        let events = &mut self.recording.events;
        events[launch].end = self.clock;
        events[launch].correlation = Correlation::of(self.correlation);
        events[gpu].end = start + ns;
        events[gpu].correlation = Correlation::of(self.correlation);
        self.kernels.insert(gpu as u32, kernel.ids.clone());
    }
}
