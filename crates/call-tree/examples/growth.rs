//! Time and memory of an explanation for growing recordings.
//!
//! `growth EVENTS alike|half|unlike stacks|flat steps|one` compares two generated recordings of about EVENTS events each, and
//! prints one row: events, nodes, regions, seconds, peak memory, and the same per event. As in the library, the events of only one
//! recording are in memory at a time: memory is all that the explanation needs, its events (48 bytes each) included, beyond the
//! labels. *half* removes every second layer from test; *unlike* does that where no layer is like another. *flat* has no frames of
//! modules and Python, so all operators are children of the root; *one* puts all layers into one step.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use call_tree::{
    Class, Correlation, Event, Kind, Labels, Partial, Portable, Recording, Reducer, Window, explain_partials,
};
use std::time::Instant;

/// Layers of a step, unless all are in one.
const LAYERS: usize = 150;
/// Operators of a layer; each has a kernel, and six host events.
const OPERATORS: usize = 8;

struct Recorder<'l> {
    labels: &'l mut Labels,
    recording: Recording,
    clock: i64,
    gpu: i64,
    correlation: i64,
}

impl Recorder<'_> {
    fn push(&mut self, kind: Kind, name: &str, inputs: &str, start: i64, end: i64) -> usize {
        let label = self.labels.add(kind, name, inputs);
        let row = self.recording.events.len();
        let correlation = Correlation::of(self.correlation).filter(|_| matches!(kind, Kind::Launch | Kind::Gpu(_)));
        let event = Event { kind, start, end, thread: u32::from(kind.is_gpu()), label, correlation, row: row as u32 };
        self.recording.events.push(event);
        row
    }

    fn close(&mut self, at: usize) {
        self.clock += 500;
        self.recording.events[at].end = self.clock;
    }

    fn operator(&mut self, number: usize) {
        let (name, shape) = (format!("aten::op_{}", number % 30), format!("[[{},512]]", number % 7));
        let outer = self.push(Kind::Operator, &name, &shape, self.clock, 0);
        for empty in ["aten::view", "aten::t", "aten::empty"] {
            self.push(Kind::Operator, empty, &shape, self.clock, self.clock + 300);
            self.clock += 500;
        }
        let inner = self.push(Kind::Operator, &format!("{name}_impl"), &shape, self.clock, 0);
        self.correlation += 1;
        self.push(Kind::Launch, "cudaLaunchKernel", "", self.clock, self.clock + 4_000);
        self.clock += 4_000;
        self.gpu = self.gpu.max(self.clock) + 2_000;
        let ns = 5_000 + (number as i64 * 7_919 + self.correlation) % 20_000;
        let kernel =
            format!("void at::native::kernel_{}<float, {}>(int)", ["a", "b", "c", "d"][number % 4], number % 30);
        self.push(Kind::Gpu(Class::Compute), &kernel, "", self.gpu, self.gpu + ns);
        self.gpu += ns;
        self.close(inner);
        self.close(outer);
    }

    fn step(&mut self, layers: impl Iterator<Item = usize>, stacks: bool, unlike: bool) {
        let iteration = self.recording.windows.len() as i64;
        let start = self.clock;
        let step = self.push(Kind::Annotation, &format!("ProfilerStep#{iteration}"), "", start, 0);
        for layer in layers {
            let frames: Vec<usize> = if stacks {
                let module = self.push(Kind::Module, &format!("nn.Module: Block_{layer}"), "", self.clock, 0);
                vec![module, self.push(Kind::Python, "model/block.py(12): forward", "", self.clock, 0)]
            } else {
                Vec::new()
            };
            for operator in 0..OPERATORS {
                let mut number = operator;
                if unlike {
                    // A hash: each layer has its own operators.
                    let mixed = ((layer * OPERATORS + operator) as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
                    number = ((mixed ^ (mixed >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 40) as usize;
                }
                self.operator(number);
            }
            frames.into_iter().rev().for_each(|frame| self.close(frame));
        }
        self.close(step);
        self.recording.windows.push(Window { iteration, start, end: self.clock, thread: 0 });
        self.clock += 1_000;
    }
}

/// Shape of a generated recording.
struct Plan {
    layers: usize,
    in_step: usize,
    stacks: bool,
    unlike: bool,
}

impl Plan {
    /// Records one side, from a moment on.
    fn record(&self, half: bool, clock: i64, labels: &mut Labels) -> Recording {
        let recording = Recording::default();
        let mut recorder = Recorder { labels, recording, clock, gpu: clock, correlation: clock };
        recorder.recording.events.reserve_exact(self.layers * (OPERATORS * 8 + 3));
        for _ in 0..self.layers / self.in_step {
            let layers = (0..self.in_step).filter(|layer| !half || layer % 2 == 0);
            recorder.step(layers, self.stacks, self.unlike);
        }
        recorder.recording
    }
}

/// A field of `/proc/self/status` in bytes.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field)).unwrap_or("");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) * 1024
}

/// Begins to measure the peak anew.
fn forget_peak() {
    if let Err(error) = std::fs::write("/proc/self/clear_refs", "5") {
        eprintln!("the peak includes the making of the labels: {error}");
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let is = |word: &str| words.iter().any(|argument| argument == word);
    let Some(events) = words.first().and_then(|events| events.parse::<usize>().ok()) else {
        eprintln!("usage: growth EVENTS alike|half|unlike stacks|flat steps|one");
        std::process::exit(2);
    };
    let layers = (events / (OPERATORS * 8 + 2)).max(2);
    let half = is("half") || is("unlike");
    let in_step = if is("one") { layers } else { LAYERS.min(layers) };
    let plan = Plan { layers, in_step, stacks: is("stacks"), unlike: is("unlike") };
    let sides = [(false, 0), (half, 77_777)];
    let mut labels = Labels::default();
    for (half, clock) in sides {
        // Afterwards all labels are there.
        drop(plan.record(half, clock, &mut labels));
    }
    let before = memory("VmRSS");
    forget_peak();
    let (mut both, mut seconds, mut parts) = (0, 0.0, Vec::new());
    for (half, clock) in sides {
        let recording = plan.record(half, clock, &mut labels);
        both += recording.events.len();
        let start = Instant::now();
        parts.push(Portable::of(Reducer::default().partial(&recording, &labels, |_| false), &labels));
        seconds += start.elapsed().as_secs_f64();
    }
    let start = Instant::now();
    let mut labels = Labels::default();
    let mut partials: Vec<Partial> = parts.into_iter().map(|part| part.join(&mut labels)).collect();
    let test: Vec<Partial> = partials.pop().into_iter().collect();
    let found = explain_partials(partials, test, &labels);
    seconds += start.elapsed().as_secs_f64();
    let peak = memory("VmHWM").saturating_sub(before);
    println!(
        "| {} | {} | {} | {} | {:.3} s | {:.2} µs | {:.1} MiB | {:.0} B |",
        words[1..].join(", "),
        both,
        found.alignment.control.nodes().len() + found.alignment.test.nodes().len(),
        found.regions.len(),
        seconds,
        seconds * 1e6 / both as f64,
        peak as f64 / 1024.0 / 1024.0,
        peak as f64 / both as f64,
    );
}
