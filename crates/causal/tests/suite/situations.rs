//! Situations of whole jobs: clocks that do not agree, ranks that are missing, full launch queues, threads that look in.

use crate::load::Job;
use crate::program::{Shape, USUAL, run};
use causal::{
    BoundBy, Call, DeviceEvent, DeviceKind, Graph, HostEvent, HostKind, NONE, RankInput, Segment, Stream, Track, Window,
};

fn share(path: &[Segment], of: BoundBy) -> f64 {
    let sum = |path: &mut dyn Iterator<Item = &Segment>| path.map(Segment::duration).sum::<i64>() as f64;
    sum(&mut path.iter().filter(|segment| segment.bound_by == of)) * 100.0 / sum(&mut path.iter())
}

fn build(job: &Job) -> Graph {
    let graph = job.graph();
    assert_eq!(graph.replay_error_ns(), 0);
    graph
}

/// A step of the middle on the main thread of a rank.
fn step(job: &Job, rank: usize) -> Window {
    let is_step = |event: &&HostEvent| job.names[rank][event.row as usize] == "ProfilerStep#2";
    let event = job.ranks[rank].host.iter().find(is_step).unwrap();
    Window { rank: rank as u32, thread: Some(event.thread), start: event.start, end: event.end }
}

#[test]
fn clocks_of_ranks_need_not_agree() {
    let (job, _) = run(&Shape { ranks: 3, ..USUAL }, &|_, _| 1.0);
    let mut other = job.clone();
    for (rank, ahead) in [(1, 7_000_000_000_i64), (2, -3_000_000_123)] {
        for event in &mut other.ranks[rank].host {
            (event.start, event.end) = (event.start + ahead, event.end + ahead);
        }
        for event in &mut other.ranks[rank].device {
            (event.start, event.end) = (event.start + ahead, event.end + ahead);
        }
    }
    let (graph, shifted) = (build(&job), build(&other));
    // Collectives end on all ranks at once, so that the clocks can be set exactly.
    assert_eq!([0, 1, 2].map(|rank| shifted.ahead(rank)), [0, 7_000_000_000, -3_000_000_123]);
    for rank in 0..3 {
        let (one, two) = (step(&job, rank), step(&other, rank));
        let (path, moved) = (graph.path(&one), shifted.path(&two));
        let ahead = two.start - one.start;
        assert_eq!(path.len(), moved.len());
        assert!(
            path.iter().zip(&moved).all(|(one, two)| one.start + ahead == two.start && one.bound_by == two.bound_by)
        );
        let free = |graph: &Graph, window: &Window| {
            graph.replay(window, |lag| if lag.bound_by == BoundBy::Compute { 0.0 } else { 1.0 }).length()
        };
        assert_eq!(free(&graph, &one), free(&shifted, &two));
    }
}

#[test]
fn a_missing_rank_is_waited_for() {
    // Rank 1 loads data for long in other steps than rank 0, which then waits for it in its collectives.
    let shape = Shape { kernel: 15_000.0, collective: 60_000.0, steps: 8, layers: 4, ..USUAL };
    let (job, _) = run(&shape, &|_, _| 1.0);
    let whole = build(&job);
    let mut alone = job.clone();
    alone.ranks.truncate(1);
    let part = build(&alone);
    let comm = |graph: &Graph, of| share(&graph.path(&graph.whole(0).unwrap()), of);
    assert_eq!(comm(&whole, BoundBy::WaitingForRank), 0.0);
    let waited = comm(&part, BoundBy::WaitingForRank);
    assert!(waited > 1.0, "{waited}");
    // Transfers are about as long as with both ranks: not the whole kernels.
    let (both, one) = (comm(&whole, BoundBy::Communication), comm(&part, BoundBy::Communication));
    assert!(one < both + 4.0, "{one} {both}");
    // What another rank does to a collective is not sped up with it.
    let window = part.whole(0).unwrap();
    let fast = part.replay(&window, |lag| if lag.bound_by == BoundBy::Communication { 0.0 } else { 1.0 });
    assert!(window.end - window.start - fast.length() < (window.end - window.start) / 10);
}

/// A thread launches kernels of 10 µs much faster than they run; at most `room` of them are in the queue.
fn full_queue(room: usize) -> RankInput {
    let mut found = RankInput { streams: vec![Stream { device: 0, stream: 7 }], ..RankInput::default() };
    let (mut clock, mut gpu, mut starts) = (0_i64, 0_i64, Vec::new());
    for kernel in 0..3_000_usize {
        let (call, id) = (clock, kernel as u32);
        let start = (call + 6_000).max(gpu + 1_000);
        let held = kernel.checked_sub(room).map_or(0, |first: usize| starts[first] + 500);
        let end = (call + 3_000).max(held);
        let kind = HostKind::Call(Call::Other);
        found.host.push(HostEvent { start: call, end, thread: 0, row: 2 * id, correlation: id, call_name: 1, kind });
        gpu = start + 10_000;
        let (row, kind, collective) = (2 * id + 1, DeviceKind::Compute, NONE);
        let event = DeviceEvent { start, end: gpu, stream: 0, row, correlation: id, kind, collective };
        found.device.push(event);
        starts.push(start);
        clock = end + 1_000;
    }
    found
}

#[test]
fn a_full_launch_queue_is_bound_by_the_gpu() {
    let graph = Graph::build(vec![full_queue(1_022)], &mut || Ok(())).unwrap();
    assert_eq!(graph.replay_error_ns(), 0);
    let last = graph.whole(0).unwrap();
    // A window of the thread, in which the GPU is far behind.
    let window = Window { rank: 0, thread: Some(0), start: 6_000_000, end: 16_000_000 };
    let path = graph.path(&window);
    assert!(share(&path, BoundBy::Compute) > 85.0, "{}", share(&path, BoundBy::Compute));
    let half = |graph: &Graph, of: BoundBy, window: &Window| {
        window.end - window.start - graph.replay(window, |lag| if lag.bound_by == of { 0.5 } else { 1.0 }).length()
    };
    assert!(half(&graph, BoundBy::Compute, &window) > 3_000_000);
    assert!(half(&graph, BoundBy::CudaRuntime, &last) < 100_000);
    // Without a limit the thread runs ahead of the GPU, and is bound by itself.
    let free = Graph::build(vec![full_queue(100_000)], &mut || Ok(())).unwrap();
    let ahead = Window { rank: 0, thread: Some(0), start: 4_000_000, end: 11_000_000 };
    assert!(share(&free.path(&ahead), BoundBy::CudaRuntime) > 70.0);
}

#[test]
fn a_thread_that_looks_in_is_not_waited_for() {
    let (mut job, _) = run(&USUAL, &|_, _| 1.0);
    let before: Vec<Vec<Segment>> = (0..2).map(|rank| build(&job).path(&step(&job, rank))).collect();
    let end = job.ranks[0].host.iter().map(|event| event.end).max().unwrap();
    for (rank, names) in job.ranks.iter_mut().zip(&mut job.names) {
        for at in 0..end / 37_000 {
            let row = names.len() as u32;
            names.push("cudaEventQuery".to_owned());
            let (start, kind) = (37_000 * at, HostKind::Call(Call::Other));
            let event = HostEvent { start, end: start + 900, thread: 9, row, correlation: NONE, call_name: 3, kind };
            rank.host.push(event);
        }
    }
    let graph = build(&job);
    for (rank, before) in before.iter().enumerate() {
        let path = graph.path(&step(&job, rank));
        assert!(path.iter().all(|segment| segment.track != Track::Thread(9)));
        let both = [before, &path].map(|path| share(path, BoundBy::Compute));
        assert!((both[0] - both[1]).abs() < 0.1, "{both:?}");
    }
}
