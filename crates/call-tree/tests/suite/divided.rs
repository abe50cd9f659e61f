//! Steps divided by hand.

#![allow(clippy::expect_used)]

use crate::program::{Recorder, transformer};
use call_tree::{
    Cause, Class, Correlation, Dependency, Event, Grade, Kind, Labels, Recording, Window, divide, explain, largest,
};

/// Cause, frame and ns.
type IdleOf<'s> = (Cause, &'s str, i64);

struct Step {
    labels: Labels,
    events: Vec<Event>,
}

impl Step {
    fn new() -> Self {
        Self { labels: Labels::default(), events: Vec::new() }
    }

    fn add(
        mut self,
        kind: Kind,
        name: &str,
        thread: u32,
        span: std::ops::Range<i64>,
        correlation: Option<i64>,
    ) -> Self {
        let label = self.labels.add(kind, name, "");
        let row = self.events.len() as u32;
        let correlation = correlation.and_then(Correlation::of);
        self.events.push(Event { kind, start: span.start, end: span.end, thread, label, correlation, row });
        self
    }

    fn gpu(self, class: Class, stream: u32, span: std::ops::Range<i64>, id: Option<i64>) -> Self {
        self.add(Kind::Gpu(class), "kernel", stream, span, id)
    }

    fn divided(&self, end: i64) -> (Vec<(u32, i64)>, Vec<IdleOf<'_>>) {
        let divided = divide(&self.events, &[Window { iteration: 0, start: 0, end, thread: 1 }], &self.labels);
        let [division] = &divided[..] else { panic!("one step") };
        let shares: i64 = division.shares.iter().map(|share| share.ns).sum();
        assert_eq!(shares + division.idle_ns(), division.step_ns);
        let text = |frame: Option<_>| frame.map_or("", |frame| self.labels.text(frame));
        (
            division.shares.iter().map(|share| (share.row, share.ns)).collect(),
            division.idle.iter().map(|idle| (idle.cause, text(idle.frame), idle.ns)).collect(),
        )
    }
}

#[test]
fn compute_hides_communication_and_communication_copies() {
    let step = Step::new().gpu(Class::Communication, 20, 0..60, None).gpu(Class::Compute, 7, 20..40, None).gpu(
        Class::Copy,
        21,
        50..100,
        None,
    );
    let (shares, idle) = step.divided(100);
    assert_eq!(shares, [(0, 40), (1, 20), (2, 40)]);
    assert!(idle.is_empty());
}

#[test]
fn events_of_the_winning_class_share_to_the_ns() {
    let step = Step::new().gpu(Class::Compute, 7, 0..10, None).gpu(Class::Compute, 8, 0..10, None).gpu(
        Class::Compute,
        9,
        0..10,
        None,
    );
    assert_eq!(step.divided(10).0, [(0, 4), (1, 3), (2, 3)]);
}

#[test]
fn events_are_cut_off_at_the_step() {
    let step = Step::new().gpu(Class::Compute, 7, -50..10, None).gpu(Class::Compute, 7, 90..150, None);
    let (shares, idle) = step.divided(100);
    assert_eq!(shares, [(0, 10), (1, 10)]);
    assert_eq!(idle, [(Cause::Dependency(Dependency::Unknown), "", 80)]);
}

#[test]
fn a_gap_is_divided_by_the_launch_behind_it() {
    let step = Step::new()
        .add(Kind::Operator, "loader", 1, 0..30, None)
        .add(Kind::Operator, "aten::mm", 1, 30..70, None)
        .add(Kind::Launch, "cudaLaunchKernel", 1, 50..60, Some(1))
        .gpu(Class::Compute, 7, 75..90, Some(1));
    let (shares, idle) = step.divided(100);
    assert_eq!(shares, [(3, 15)]);
    assert_eq!(
        idle,
        [
            (Cause::Host, "loader", 30),
            (Cause::Host, "aten::mm", 20),
            (Cause::LaunchCall, "", 10),
            (Cause::LaunchLatency, "", 15),
            (Cause::Drain, "", 10)
        ]
    );
}

#[test]
fn a_kernel_that_was_queued_waited_for_something_else() {
    let step = Step::new()
        .add(Kind::Launch, "cudaLaunchKernel", 1, 0..5, Some(1))
        .add(Kind::Launch, "cudaLaunchKernel", 1, 5..10, Some(2))
        .gpu(Class::Compute, 7, 10..30, Some(1))
        .gpu(Class::Compute, 8, 50..60, Some(2));
    let idle = step.divided(60).1;
    assert_eq!(
        idle,
        [(Cause::LaunchCall, "", 5), (Cause::LaunchLatency, "", 5), (Cause::Dependency(Dependency::Stream), "", 20)]
    );
}

#[test]
fn a_frame_that_outlives_the_one_around_it_is_named() {
    let step = Step::new()
        .add(Kind::Python, "enter", 1, 0..10, None)
        .add(Kind::Annotation, "span", 1, 5..90, None)
        .add(Kind::Operator, "aten::mm", 1, 20..60, None)
        .add(Kind::Launch, "cudaLaunchKernel", 1, 70..80, Some(1))
        .gpu(Class::Compute, 7, 80..100, Some(1));
    let idle = step.divided(100).1;
    assert_eq!(
        idle,
        [
            (Cause::Host, "enter", 5),
            (Cause::Host, "span", 25),
            (Cause::Host, "aten::mm", 40),
            (Cause::LaunchCall, "", 10)
        ]
    );
}

#[test]
fn a_step_without_gpu_work_is_divided_by_host_events() {
    let step = Step::new()
        .add(Kind::Operator, "aten::linear", 1, 10..60, None)
        .add(Kind::Operator, "aten::mm", 1, 20..50, None)
        .add(Kind::Operator, "backward", 2, 40..70, None);
    let (shares, idle) = step.divided(100);
    assert_eq!(shares, [(0, 20), (1, 30), (2, 10)]);
    assert_eq!(idle, [(Cause::Host, "", 40)]);
}

#[test]
fn an_explanation_adds_up_and_splits_count_and_cost() {
    let mut labels = Labels::default();
    let control = transformer(4);
    let mut test = control.clone();
    // One layer less, and the loss takes ten times as long.
    test.main.remove(3);
    let crate::program::Item::Call(loss) = &mut test.main[5] else { panic!("the loss") };
    let crate::program::Item::Call(softmax) = &mut loss.items[0] else { panic!("its softmax") };
    let crate::program::Item::Kernel(kernel) = &mut softmax.items[0] else { panic!("its kernel") };
    kernel.ns = 3_000_000;
    let mut record = |program: &_, seed| -> Recording {
        Recorder::new(&mut labels, seed).iteration(program).iteration(program).finish().0
    };
    let (a, b) = (record(&control, 5), record(&test, 6));
    let explained = explain(&[a], &[b.clone(), b], &labels);
    assert_eq!((explained.step_ns.control.samples, explained.step_ns.test.samples), (2, 4));
    let classes: i128 = explained.classes.iter().map(|(_, change)| change.numerator()).sum();
    assert_eq!(classes + explained.idle_ns.numerator(), explained.step_ns.numerator());
    let regions: i128 = explained.regions.iter().map(|region| region.attributed_ns.numerator()).sum();
    assert_eq!(regions + explained.unattributed_ns.numerator(), classes);
    for region in &explained.regions {
        let parts = region.count_part_ns() + region.cost_part_ns();
        assert!((parts - region.attributed_ns.delta()).abs() < 1e-6);
        let one_sided = matches!(region.region.grade, Grade::Added | Grade::Deleted);
        assert_eq!(
            region.cost_part_ns() == 0.0 && region.count_part_ns() != 0.0,
            one_sided && region.attributed_ns.delta() != 0.0
        );
    }
    let first = &explained.regions[largest(&explained.regions, 1)[0]];
    let path = explained.alignment.control.path(first.region.control[0], &labels);
    assert!(path.last().is_some_and(|name| name.contains("softmax")), "{path:?}");
    let [one, other] = explained.coverage;
    for coverage in [one, other] {
        assert_eq!(coverage.recorded_ns, coverage.selected_ns + coverage.left_out_ns);
    }
    let gpu: i64 = explained.regions.iter().map(|region| region.ns.test.total).sum();
    assert_eq!(gpu, other.selected_ns);
}

#[test]
fn a_step_without_gpu_work_is_all_host_time() {
    // The GPU works in the first step only; the second one is divided by its frames.
    let step = Step::new()
        .add(Kind::Launch, "cudaLaunchKernel", 1, 0..5, Some(1))
        .gpu(Class::Compute, 7, 10..90, Some(1))
        .add(Kind::Annotation, "ProfilerStep#2", 1, 100..200, None)
        .add(Kind::Python, "read", 1, 110..170, None)
        .add(Kind::Operator, "aten::stack", 1, 120..150, None)
        .add(Kind::Operator, "prefetch", 2, 160..190, None);
    let windows =
        [(1, 0, 100), (2, 100, 200)].map(|(iteration, start, end)| Window { iteration, start, end, thread: 1 });
    let divided = divide(&step.events, &windows, &step.labels);
    let idle = |at: usize| -> Vec<IdleOf<'_>> {
        let text = |frame: Option<_>| frame.map_or("", |frame| step.labels.text(frame));
        divided[at].idle.iter().map(|idle| (idle.cause, text(idle.frame), idle.ns)).collect()
    };
    assert_eq!(idle(0), [(Cause::LaunchCall, "", 5), (Cause::LaunchLatency, "", 5), (Cause::Drain, "", 10)]);
    assert!(divided[1].shares.is_empty());
    // Each thread's innermost frame, the main thread first.
    assert_eq!(
        idle(1),
        [
            (Cause::Host, "", 20),
            (Cause::Host, "read", 30),
            (Cause::Host, "aten::stack", 30),
            (Cause::Host, "prefetch", 20)
        ]
    );
}

#[test]
fn a_dependency_is_named_by_what_ended_before_the_gap() {
    let waiting = |class: Class, stream: u32, wait: &str| {
        let step = Step::new()
            .add(Kind::Launch, "cudaLaunchKernel", 1, 0..2, Some(1))
            .add(Kind::Launch, wait, 1, 2..4, None)
            .add(Kind::Launch, "cudaLaunchKernel", 1, 4..6, Some(2))
            .gpu(class, stream, 6..30, Some(1))
            .gpu(Class::Compute, 7, 40..50, Some(2));
        let idle = step.divided(50).1;
        let found = idle.iter().find_map(|&(cause, _, ns)| match cause {
            Cause::Dependency(on) => Some((on, ns)),
            _ => None,
        });
        found.expect("the second kernel was queued")
    };
    let query = "cudaStreamQuery";
    assert_eq!(waiting(Class::Communication, 20, query), (Dependency::Collective, 10));
    assert_eq!(waiting(Class::Copy, 20, query), (Dependency::Stream, 10));
    assert_eq!(waiting(Class::Compute, 7, "cudaStreamWaitEvent"), (Dependency::Event, 10));
    assert_eq!(waiting(Class::Compute, 7, query), (Dependency::Unknown, 10));
}
