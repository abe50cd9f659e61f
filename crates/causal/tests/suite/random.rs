//! Random events, also absurd ones: what holds for any input.

use causal::{
    BoundBy, Call, Collective, DeviceEvent, DeviceKind, Graph, HostEvent, HostKind, Lag, NONE, RankInput, Savings,
    Segment, Stream, SyncKind, SyncRow, Window,
};

/// Numbers, and whether times are in whole µs, without absurd ones.
struct Random(u64, bool);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) % bound
    }

    /// A time: mostly near, with many equal ones; sometimes absurd.
    fn time(&mut self, span: u64) -> i64 {
        if self.1 {
            return self.below(span) as i64 * 1000;
        }
        match self.below(200) {
            0 => i64::MAX,
            1 => i64::MIN,
            2 => -(self.below(1 << 40) as i64),
            _ => self.below(span) as i64,
        }
    }

    fn id(&mut self, bound: u64) -> u32 {
        if self.below(5) == 0 { NONE } else { self.below(bound) as u32 }
    }
}

const KINDS: [HostKind; 15] = [
    HostKind::Collective,
    HostKind::Operator,
    HostKind::Operator,
    HostKind::Loading,
    HostKind::Python,
    HostKind::Annotation,
    HostKind::Call(Call::Other),
    HostKind::Call(Call::GraphLaunch),
    HostKind::Call(Call::Copy),
    HostKind::Call(Call::StreamSync),
    HostKind::Call(Call::DeviceSync),
    HostKind::Call(Call::EventSync),
    HostKind::Call(Call::EventRecord),
    HostKind::Call(Call::StreamWait),
    HostKind::Call(Call::MayWait),
];

fn rank(random: &mut Random, number: i64) -> RankInput {
    let span = [20, 1_000, 1_000_000, 1 << 40][random.below(4) as usize];
    let count = if random.1 { 200 + random.below(50) } else { random.below(80) };
    let ids = random.below(60) + 1;
    let threads = random.below(4) + 1;
    let streams = random.below(4) + 1;
    let mut found = RankInput { rank: number, ..RankInput::default() };
    found.streams = (0..streams).map(|at| Stream { device: (at / 2) as i64, stream: at as i64 }).collect();
    for row in 0..count {
        let start = random.time(span);
        let end =
            if random.below(10) == 0 { random.time(span) } else { start.saturating_add(random.time(span / 4 + 1)) };
        found.host.push(HostEvent {
            start,
            end,
            thread: random.below(threads) as u32,
            row: row as u32,
            correlation: random.id(ids),
            call_name: random.below(5) as u16,
            kind: KINDS[random.below(KINDS.len() as u64) as usize],
        });
    }
    for row in count..count + random.below(60) {
        let start = random.time(span);
        let is_declared = random.below(30) > 0;
        let collective = if random.below(3) == 0 { found.collectives.len() as u32 } else { NONE };
        found.collectives.push(Collective {
            group: random.below(2),
            number: random.below(10),
            size: random.below(4) as u32,
            amount: random.below(2),
        });
        found.device.push(DeviceEvent {
            start,
            end: start.saturating_add(random.time(span / 4 + 1)),
            stream: if is_declared { random.below(streams) as u32 } else { random.below(streams + 3) as u32 },
            row: row as u32,
            correlation: random.id(ids),
            kind: [DeviceKind::Compute, DeviceKind::Memory, DeviceKind::Communication][random.below(3) as usize],
            collective: if collective == NONE { NONE } else { found.collectives.len() as u32 - 1 },
        });
    }
    for _ in 0..random.below(20) {
        let kinds = [SyncKind::Stream, SyncKind::Device, SyncKind::Event, SyncKind::StreamWait];
        found.syncs.push(SyncRow {
            kind: kinds[random.below(4) as usize],
            correlation: random.id(ids),
            stream: random.id(streams + 2),
            device: random.below(2) as i64,
            on_stream: random.id(streams + 2),
            record: random.id(ids),
        });
    }
    found
}

/// Segments follow each other, and cover what they should.
fn check_path(path: &[Segment], length: i64) {
    let mut sum = 0_i64;
    for two in path.windows(2) {
        assert_eq!(two[0].end, two[1].start);
    }
    for segment in path {
        assert!(segment.start < segment.end);
        sum = sum.saturating_add(segment.duration());
    }
    assert_eq!(sum, length.max(0));
}

#[test]
fn any_events_are_replayed_exactly() {
    for seed in 1..=800_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, seed.is_multiple_of(5));
        let ranks: Vec<RankInput> = (0..=random.below(3)).map(|number| rank(&mut random, number as i64)).collect();
        let count = ranks.len() as u32;
        let graph = Graph::build(ranks, &mut || Ok(())).unwrap();
        assert_eq!(graph.replay_error_ns(), 0, "{seed}");
        let some = |lag: &Lag| [0.0, 0.5, 1.0, 1.7, f64::NAN, -3.0][(lag.ns % 6).unsigned_abs() as usize];
        let scaled = |of: BoundBy, scale: f64| move |lag: &Lag| if lag.bound_by == of { scale } else { 1.0 };
        for at in 0..=count {
            let whole = graph.whole(at);
            let (start, end) = (random.time(1_000), random.time(1_000_000));
            let thread = if random.below(2) == 0 { None } else { Some(random.below(4) as u32) };
            let windows = [whole, Some(Window { rank: at, thread, start, end: end.max(start) })];
            for window in windows.into_iter().flatten() {
                check_path(&graph.path(&window), graph.replay(&window, |_| 1.0).length());
                let changed = graph.replay(&window, some);
                check_path(&changed.path(), changed.length());
                // A smaller factor never lengthens a window.
                for of in BoundBy::ALL {
                    let mut before = graph.replay(&window, |_| 1.0).length();
                    for scale in [0.9, 0.5, 0.1, 0.0] {
                        let faster = graph.replay(&window, scaled(of, scale));
                        check_path(&faster.path(), faster.length());
                        assert!(faster.length() <= before, "{seed} {window:?} {of:?} {scale}");
                        before = faster.length();
                    }
                }
            }
        }
        let edges = graph.edges().count();
        assert_eq!(edges, graph.causes_of_all());
    }
}

#[test]
fn a_graph_for_windows_replays_them_as_the_whole() {
    let mut fewer = 0;
    for seed in 1..=2_000_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1, seed.is_multiple_of(3));
        let ranks: Vec<RankInput> = (0..=random.below(3)).map(|number| rank(&mut random, number as i64)).collect();
        let count = ranks.len() as u64;
        let span = [20, 1_000, 100_000, 1_000_000][random.below(4) as usize];
        let mut window = || {
            let (start, end) = (random.time(span), random.time(span));
            let (rank, thread) = (random.below(count) as u32, random.below(4) as u32);
            Window { rank, thread: Some(thread), start: start.min(end), end: end.max(start) }
        };
        let windows = [window(), window()];
        let whole = Graph::build(ranks.clone(), &mut || Ok(())).unwrap();
        let part = Graph::build_for(ranks, &windows, &mut || Ok(())).unwrap();
        assert!(part.points() <= whole.points() && part.causes_of_all() <= whole.causes_of_all());
        fewer += usize::from(part.points() < whole.points());
        let factors: [&dyn Fn(&Lag) -> f64; 3] =
            [&|_| 1.0, &|_| 0.0, &|lag| [0.0, 0.5, 1.0, 1.7][(lag.ns % 4).unsigned_abs() as usize]];
        for (factor, window) in factors.iter().flat_map(|factor| windows.map(|window| (factor, window))) {
            let (one, other) = (whole.replay(&window, factor), part.replay(&window, factor));
            assert_eq!((one.length(), one.path()), (other.length(), other.path()), "{seed} {window:?}");
        }
        assert_eq!(windows.map(|window| whole.path(&window)), windows.map(|window| part.path(&window)), "{seed}");
        let lengths = |graph: &Graph| Savings::of(graph).windows(&windows, |_| 0.5, &mut || Ok(())).unwrap();
        assert_eq!(lengths(&whole), lengths(&part), "{seed}");
    }
    assert!(fewer > 500, "{fewer} of 2,000 graphs were built in part");
}

#[test]
fn a_build_ends_early_when_it_should() {
    let mut random = Random(77, false);
    let mut calls = 0;
    let mut check = || {
        calls += 1;
        if calls > 2 { Err(causal::Stopped) } else { Ok(()) }
    };
    let found = Graph::build(vec![rank(&mut random, 0), rank(&mut random, 1)], &mut check);
    assert_eq!(found.err(), Some(causal::Stopped));
}
