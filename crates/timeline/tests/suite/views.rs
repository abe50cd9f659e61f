//! Lanes against a search through all events.

use std::collections::BTreeMap;
use timeline::{Lane, NameSum, Slices, Span, Window, side_by_side};

/// Pseudo-random numbers, the same in every run.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit.max(1)
    }
}

/// Events that overlap, some empty, some with a negative duration, one far away and one very long.
fn events(seed: u64, count: u32) -> Vec<Span> {
    let mut random = Random(seed);
    let mut spans: Vec<Span> = (0..count)
        .map(|event| {
            let dur = match random.below(10) {
                0 => 0,
                1 => -(random.below(100) as i64),
                2 => random.below(5_000) as i64,
                _ => random.below(50) as i64,
            };
            Span { start: random.below(20_000) as i64, dur, name: random.below(7) as u32, event }
        })
        .collect();
    spans.push(Span { start: 100, dur: 1 << 40, name: 9, event: count });
    spans.push(Span { start: 5_000_000_000_000, dur: i64::from(u32::MAX), name: 9, event: count + 1 });
    spans
}

fn lane(mut spans: Vec<Span>) -> Lane {
    let levels = side_by_side(&mut spans);
    Lane::new(&spans, &levels)
}

#[test]
fn no_event_is_lost_or_overlaps_another_on_its_level() {
    for seed in 0..20 {
        let spans = events(seed, 500);
        let lane = lane(spans.clone());
        let mut found: Vec<Span> = lane.spans().map(|(_, span)| span).collect();
        found.sort_by_key(|span| span.event);
        assert_eq!(found, spans);
        for level in lane.levels() {
            for position in 1..level.len() {
                assert!(
                    level.end(position - 1) <= level.start(position)
                        && level.start(position - 1) < level.start(position)
                );
            }
        }
        for (number, span) in lane.spans() {
            let (level, position) = lane.find(span.start, span.event).unwrap();
            assert_eq!((level, lane.levels().nth(level as usize).unwrap().span(position)), (number, span));
        }
    }
}

#[test]
fn overlapping_events_take_the_first_free_level() {
    let span = |start, dur, event| Span { start, dur, name: 0, event };
    let mut spans = [span(0, 10, 0), span(5, 10, 1), span(10, 5, 2), span(15, 0, 3), span(15, 9, 4), span(15, 0, 5)];
    assert_eq!(side_by_side(&mut spans), [0, 1, 0, 0, 1, 2]);
}

#[test]
fn view_has_the_longest_event_of_each_window_and_counts_all() {
    for seed in 0..20 {
        let lane = lane(events(seed, 800));
        let base = (seed as i64 - 10) * 37;
        for (start, end, columns) in [(-100, 30_000, 30), (3_000, 9_000, 100), (0, 1 << 43, 10), (4_000, 4_100, 4_000)]
        {
            let window = Window::new(base, start, end, columns);
            let mut slices = Slices::default();
            slices.add(3, &lane, &window, usize::MAX);
            let mut row = 0;
            for (level, number) in lane.levels().zip(0_u32..) {
                let mut windows: BTreeMap<i64, Vec<Span>> = BTreeMap::new();
                for span in (0..level.len()).map(|position| level.span(position)) {
                    if span.start < window.end() && (span.start >= window.start() || span.end() > window.start()) {
                        let key = (span.start - base).div_euclid(window.size());
                        let before = span.start < window.start();
                        windows.entry(if before { i64::MIN } else { key }).or_default().push(span);
                    }
                }
                if windows.is_empty() {
                    continue;
                }
                let track = slices.tracks.iter().find(|track| track[1] == number).unwrap();
                assert_eq!(*track, [3, number, windows.len() as u32]);
                for spans in windows.values() {
                    let longest = spans.iter().map(|span| span.dur.max(0)).max().unwrap();
                    let shown = spans.iter().find(|span| span.dur.max(0) == longest).unwrap();
                    assert_eq!(
                        (slices.start[row], slices.dur[row], slices.event[row], slices.count[row]),
                        (shown.start, shown.dur, shown.event, spans.len() as u32)
                    );
                    let time: i128 = spans.iter().map(|span| i128::from(span.dur.max(0))).sum();
                    assert_eq!(i128::from(slices.busy[row]), (255 * time / i128::from(window.size())).min(255));
                    row += 1;
                }
            }
            assert_eq!(row, slices.len());
        }
    }
}

#[test]
fn sums_are_those_of_all_overlapping_events() {
    for seed in 0..20 {
        let spans = events(seed, 300);
        let lane = lane(spans.clone());
        for (start, end) in [(0, 20_000), (700, 900), (5_000, 5_001), (9, 9)] {
            let mut sums = BTreeMap::new();
            lane.sum(start, end, false, &mut sums);
            let mut expected: BTreeMap<u32, NameSum> = BTreeMap::new();
            for span in &spans {
                let overlaps = span.start < end && (span.end() > start || span.start >= start);
                if overlaps {
                    let sum = expected.entry(span.name).or_default();
                    sum.count += 1;
                    sum.total += (span.end().min(end) - span.start.max(start)).max(0);
                    sum.own = sum.total;
                }
            }
            assert_eq!(sums, expected);
        }
    }
}

#[test]
fn own_time_leaves_the_calls_inside_out() {
    let span = |start, dur, name| Span { start, dur, name, event: name };
    // The last call inside the first one crosses its end.
    let spans = [span(0, 100, 0), span(10, 20, 1), span(15, 5, 2), span(90, 30, 3), span(130, 10, 4)];
    let lane = Lane::new(&spans, &[0, 1, 2, 1, 0]);
    let own = |start, end| {
        let mut sums = BTreeMap::new();
        lane.sum(start, end, true, &mut sums);
        sums.into_iter().map(|(name, sum)| (name, sum.total, sum.own)).collect::<Vec<_>>()
    };
    assert_eq!(own(0, 200), [(0, 100, 70), (1, 20, 15), (2, 5, 5), (3, 30, 30), (4, 10, 10)]);
    assert_eq!(own(20, 95), [(0, 75, 60), (1, 10, 10), (3, 5, 5)]);
}

#[test]
fn many_overlapping_events_are_placed_quickly() {
    let mut spans: Vec<Span> =
        (0..200_000).map(|event| Span { start: i64::from(event), dur: 1 << 30, name: 0, event }).collect();
    let levels = side_by_side(&mut spans);
    assert_eq!(levels.iter().max(), Some(&199_999));
    let lane = Lane::new(&spans, &levels);
    let mut slices = Slices::default();
    slices.add(0, &lane, &Window::new(0, 0, 1 << 31, 1_000), 5_000);
    assert_eq!(slices.len(), 5_001);
}

/// A million events: the times that the issue asks for, with room for a busy machine.
#[test]
fn million_events_are_built_and_shown_quickly() {
    let mut random = Random(1);
    let mut time = 0;
    let mut spans: Vec<Span> = (0..1_000_000)
        .map(|event| {
            time += random.below(2_000) as i64;
            Span { start: time, dur: random.below(1_500) as i64, name: event % 100, event }
        })
        .collect();
    let begin = std::time::Instant::now();
    let levels = side_by_side(&mut spans);
    let lane = Lane::new(&spans, &levels);
    let built = begin.elapsed();
    let begin = std::time::Instant::now();
    let mut slices = Slices::default();
    slices.add(0, &lane, &Window::new(0, 0, time, 3_000), usize::MAX);
    let shown = begin.elapsed();
    eprintln!("built in {built:?}, {} slices in {shown:?}, {} bytes an event", slices.len(), lane.bytes() / lane.len());
    assert!(built.as_secs_f64() < 3.0 && shown.as_secs_f64() < 0.05, "{built:?} {shown:?}");
    assert!(lane.bytes() < 21 * lane.len());
}

#[test]
fn moments_beyond_all_bounds_end() {
    let span = |start, dur, event| Span { start, dur, name: 0, event };
    let spans =
        vec![span(i64::MIN, i64::MAX, 0), span(i64::MAX, i64::MAX, 1), span(-1, i64::MIN, 2), span(0, i64::MAX, 3)];
    let lane = lane(spans);
    for base in [i64::MIN, 0, i64::MAX] {
        for columns in [1, u32::MAX] {
            let mut slices = Slices::default();
            slices.add(0, &lane, &Window::new(base, i64::MIN, i64::MAX, columns), usize::MAX);
            assert!(slices.len() <= lane.len());
        }
    }
}
