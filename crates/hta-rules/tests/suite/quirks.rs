//! Cases beyond the goldens: inputs that HTA fails at, and sizes that it does not bear.

use hta_rules::critical_path::{Frame, Graph, Options, Row, Share, Window};
use std::time::{Duration, Instant};

const TEXTS: [&str; 8] =
    ["cpu_op", "cuda_runtime", "kernel", "cuda_sync", "python_function", "cudaLaunchKernel", "Stream Sync", "k"];

/// Events by their index, which is their place.
struct Made(Vec<Row>);

impl Frame for Made {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn row(&self, position: usize) -> Row {
        self.0[position]
    }

    fn position(&self, index: i64) -> Option<usize> {
        usize::try_from(index).ok().filter(|&position| position < self.0.len())
    }

    fn text(&self, code: u32) -> &str {
        TEXTS[code as usize]
    }

    fn short_name(&self, code: u32) -> String {
        self.text(code).to_owned()
    }
}

fn code(text: &str) -> u32 {
    TEXTS.iter().position(|known| *known == text).unwrap() as u32
}

/// An event of the CPU at these µs.
fn call(index: usize, cat: &str, name: &str, micros: std::ops::Range<i64>) -> Row {
    Row {
        index: index as i64,
        name: code(name),
        cat: code(cat),
        ts: micros.start * 1000,
        dur: (micros.end - micros.start) * 1000,
        pid: 1,
        tid: 1,
        stream: -1,
        correlation: -1,
        partner: -1,
        wait_on_stream: -1,
        wait_on_record: -1,
    }
}

/// An event of the GPU, tied to the call at another index.
fn on_gpu(row: Row, stream: i64, partner: usize) -> Row {
    Row { pid: 0, tid: stream, stream, correlation: partner as i64, partner: partner as i64, ..row }
}

fn tied(row: Row, partner: usize) -> Row {
    Row { correlation: row.index, partner: partner as i64, ..row }
}

fn graph(rows: Vec<Row>) -> (Made, Graph) {
    let made = Made(rows);
    let graph = Graph::of(&made, &Options::of(Window::Whole)).unwrap();
    (made, graph)
}

#[test]
fn recording_without_launches_is_answered_on_the_cpu() {
    let (made, graph) = graph(vec![call(0, "cpu_op", "k", 0..10), call(1, "cpu_op", "k", 20..50)]);
    let path = graph.path();
    assert_eq!((path.nodes.len(), path.length), (4, 40_000.0));
    assert_eq!(Share::of(&graph.breakdown(&made, &path))[1].percent, 100.0);
}

#[test]
fn empty_recording_has_no_path() {
    let (_, graph) = graph(Vec::new());
    assert!(graph.path().nodes.is_empty());
    let window = Window::Instances { annotation: "Step".to_owned(), first: 2, last: 2 };
    let error = Graph::of(&Made(Vec::new()), &Options::of(window)).unwrap_err();
    assert_eq!(error.to_string(), "unknown instance 2 of the annotation `Step`: no event's name contains it");
}

#[test]
fn edges_that_close_a_cycle_are_left_out() {
    // The kernel ends after the call that waits for it has returned and launched it: HTA has no answer.
    let rows = vec![
        call(0, "cpu_op", "k", 0..5),
        tied(call(1, "cuda_runtime", "k", 10..20), 4),
        tied(call(2, "cuda_runtime", "cudaLaunchKernel", 30..40), 3),
        on_gpu(call(3, "kernel", "k", 45..60), 7, 2),
        on_gpu(call(4, "cuda_sync", "Stream Sync", 62..65), 7, 1),
    ];
    let (_, graph) = graph(rows);
    assert_eq!(graph.left_out.edges_of_cycles, 1);
    let path = graph.path();
    assert_eq!(path.length, 45_000.0, "5 and 10 µs of calls, 15 until the kernel starts, 15 of the kernel");
}

#[test]
fn unknown_synchronisations_are_counted() {
    let rows = vec![
        tied(call(0, "cuda_runtime", "cudaLaunchKernel", 0..5), 1),
        on_gpu(call(1, "kernel", "k", 7..9), 7, 0),
        on_gpu(call(2, "cuda_sync", "k", 9..12), 7, 3),
        tied(call(3, "cuda_runtime", "k", 8..13), 2),
    ];
    let (_, graph) = graph(rows);
    assert_eq!(graph.left_out.unknown_synchronisations, 1);
}

#[test]
fn deep_and_wide_recordings_take_linear_time() {
    // HTA recurses into calls, and takes 0.17 ms for an event.
    let deep = (0..100_000).map(|at| call(at, "python_function", "k", at as i64..1_000_000 - at as i64));
    let wide = |at: usize| call(at, "cpu_op", "k", at as i64 * 10..at as i64 * 10 + 5);
    for rows in [deep.collect::<Vec<Row>>(), (0..100_000).map(wide).collect()] {
        let from = Instant::now();
        let (_, graph) = graph(rows);
        graph.path();
        assert!(from.elapsed() < Duration::from_secs(2), "{:?} for 100,000 events", from.elapsed());
    }
}
