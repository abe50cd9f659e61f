//! Collectives of several ranks: waiting until the last one arrives, then transfer.

#![allow(clippy::expect_used)]

use call_tree::{
    Cause, Class, Correlation, Doing, Event, Explanation, Kind, LabelId, Labels, Late, Meeting, Part, Recording,
    Window, explain,
};

/// A rank that is written event by event.
struct Rank<'l> {
    labels: &'l mut Labels,
    recording: Recording,
}

impl<'l> Rank<'l> {
    fn new(rank: i64, end: i64, labels: &'l mut Labels) -> Self {
        let windows = vec![Window { iteration: 1, start: 0, end, thread: 1 }];
        let recording = Recording { rank, windows, ..Recording::default() };
        Self { labels, recording }.host(Kind::Annotation, "ProfilerStep#1", 0..end, None)
    }

    fn host(mut self, kind: Kind, name: &str, span: std::ops::Range<i64>, id: Option<i64>) -> Self {
        let label = self.labels.add(kind, name, "");
        self.push(kind, 1, label, span, id);
        self
    }

    fn push(&mut self, kind: Kind, thread: u32, label: LabelId, span: std::ops::Range<i64>, id: Option<i64>) {
        let row = self.recording.events.len() as u32;
        self.recording.events.push(Event {
            kind,
            start: span.start,
            end: span.end,
            thread,
            label,
            correlation: id.and_then(Correlation::of),
            row,
        });
    }

    /// An operator of 2 ns, its launch, and its kernel.
    fn work(mut self, class: Class, name: &str, at: i64, gpu: std::ops::Range<i64>) -> Self {
        let id = Some(self.recording.events.len() as i64);
        self = self.host(Kind::Operator, name, at..at + 2, None);
        self = self.host(Kind::Launch, "cudaLaunchKernel", at..at + 1, id);
        let label = self.labels.add(Kind::Gpu(class), &format!("{name} kernel"), "");
        self.push(Kind::Gpu(class), 100 + class as u32, label, gpu, id);
        self
    }

    fn collective(mut self, number: u32, at: i64, gpu: std::ops::Range<i64>) -> Self {
        self = self.work(Class::Communication, "all_reduce", at, gpu);
        let row = self.recording.events.len() as u32 - 1;
        self.recording.meetings.push(Meeting { row, collective: number });
        self
    }

    fn done(self) -> Recording {
        self.recording
    }
}

/// Three ranks; `slow` of them needs `more` ns longer for its matrix product.
pub(crate) fn job(slow: i64, more: i64, labels: &mut Labels) -> Vec<Recording> {
    let end = 70 + more;
    let rank = |rank: i64| {
        let mm = 40 + if rank == slow { more } else { 0 };
        Rank::new(rank, 100 + more, labels)
            .work(Class::Compute, "aten::relu", 1, 5..10)
            .work(Class::Compute, "aten::mm", 4, 10..10 + mm)
            .collective(0, 8, 10 + mm..end)
            .work(Class::Compute, "aten::add", 12, end..end + 10)
            .done()
    };
    [0, 1, 2].map(rank).into()
}

fn part(explained: &Explanation, part: Part) -> [i64; 2] {
    let (_, change) = explained.communication.iter().find(|(one, _)| *one == part).expect("each part is there");
    [change.control.total, change.test.total]
}

#[test]
fn waiting_is_charged_to_what_made_the_late_rank_late() {
    let mut labels = Labels::default();
    let (control, test) = (job(1, 0, &mut labels), job(1, 30, &mut labels));
    let explained = explain(&control, &test, &labels);
    assert_eq!(part(&explained, Part::Waiting), [0, 60]);
    assert_eq!(part(&explained, Part::Transfer), [60, 60]);
    assert_eq!(part(&explained, Part::Undivided), [0, 0]);
    let class = explained.classes[1].1;
    assert_eq!([class.control.total, class.test.total], [60, 120]);
    let [(late, change)] = explained.waiting[..] else { panic!("{:?}", explained.waiting) };
    let Late { rank: 1, doing: Doing::Class(Class::Compute, Some(name)) } = late else { panic!("{late:?}") };
    assert_eq!((labels.text_of(name), change.control.total, change.test.total), ("aten::mm", 0, 60));
}

#[test]
fn a_late_host_is_named_with_its_frame() {
    let mut labels = Labels::default();
    let mut rank = |rank: i64, copy: i64| {
        Rank::new(rank, 100, &mut labels)
            .host(Kind::Operator, "aten::item", 2..2 + copy, None)
            .work(Class::Compute, "aten::mm", 2 + copy, 5 + copy..15 + copy)
            .collective(4, 10 + copy, 20 + copy..80)
            .done()
    };
    let (control, test) = ([rank(0, 1), rank(3, 1)], [rank(0, 1), rank(3, 41)]);
    let explained = explain(&control, &test, &labels);
    assert_eq!(part(&explained, Part::Waiting), [0, 40]);
    let waiting: i64 = explained.waiting.iter().map(|(_, change)| change.test.total).sum();
    assert_eq!(waiting, 40);
    let (late, change) = explained.waiting.iter().max_by_key(|(_, change)| change.test.total).expect("one is late");
    let Late { rank: 3, doing: Doing::Idle(Cause::Host, Some(name)) } = *late else { panic!("{late:?}") };
    assert_eq!((labels.text_of(name), change.test.total), ("aten::item", 40));
}

#[test]
fn hidden_waiting_and_lone_collectives_are_no_waiting() {
    let mut labels = Labels::default();
    let mut rank = |number: i64, start: i64, collective: u32| {
        Rank::new(number, 100, &mut labels)
            .work(Class::Compute, "aten::mm", 1, 10..60)
            .collective(collective, 5, start..80)
            .done()
    };
    // Rank 0 waits from 20 to 50, but computes until 60.
    let hidden = [rank(0, 20, 0), rank(1, 50, 0)];
    let lone = [rank(0, 20, 0), rank(1, 50, 1)];
    let explained = explain(&hidden, &lone, &labels);
    assert_eq!(part(&explained, Part::Waiting), [0, 0]);
    assert_eq!(part(&explained, Part::Transfer), [40, 0]);
    assert_eq!(part(&explained, Part::Undivided), [0, 40]);
    assert!(explained.waiting.is_empty());
}

#[test]
fn parts_add_up_for_any_job() {
    let mut labels = Labels::default();
    for seed in 0..60_i64 {
        let mut below = {
            let mut state = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
            move |limit: i64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33).rem_euclid(limit)
            }
        };
        let mut job = || -> Vec<Recording> {
            (0..4)
                .map(|number| {
                    let mut rank = Rank::new(number, 1_000, &mut labels);
                    let mut at = below(40);
                    for collective in 0..6 {
                        let name = ["aten::mm", "aten::add", "aten::item"][below(3) as usize];
                        let work = at + below(30)..at + 30 + below(60);
                        at = work.end;
                        rank = rank.work(Class::Compute, name, work.start - below(9), work.clone());
                        let end = at + 20 + below(60);
                        let gpu = at - below(10)..end;
                        rank = if below(8) > 0 {
                            rank.collective(collective, gpu.start - below(30), gpu)
                        } else {
                            rank.work(Class::Communication, "broadcast", gpu.start, gpu)
                        };
                        at = end;
                    }
                    rank.done()
                })
                .collect()
        };
        let (control, test) = (job(), job());
        let explained = explain(&control, &test, &labels);
        let sum =
            |parts: &[(Part, call_tree::Change)]| -> i128 { parts.iter().map(|(_, part)| part.numerator()).sum() };
        assert_eq!(sum(&explained.communication), explained.classes[1].1.numerator(), "seed {seed}");
        for (side, total) in part(&explained, Part::Waiting).into_iter().enumerate() {
            let of = |change: &call_tree::Change| if side == 0 { change.control.total } else { change.test.total };
            assert_eq!(explained.waiting.iter().map(|(_, change)| of(change)).sum::<i64>(), total, "seed {seed}");
            assert!(explained.communication.iter().all(|(_, change)| of(change) >= 0));
        }
        let parts: i128 = explained.classes.iter().map(|(_, change)| change.numerator()).sum();
        assert_eq!(parts + explained.idle_ns.numerator(), explained.step_ns.numerator());
    }
}
