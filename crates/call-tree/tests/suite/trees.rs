//! Tree and parent node of a GPU event.

use call_tree::{
    Builder, Class, Correlation, Event, Iteration, Kind, LabelId, Labels, Reason, Recording, Role, Window,
};

struct Timeline {
    labels: Labels,
    events: Vec<Event>,
    windows: Vec<Window>,
}

impl Timeline {
    fn new() -> Self {
        Self { labels: Labels::default(), events: Vec::new(), windows: Vec::new() }
    }

    fn label(&mut self, kind: Kind, name: &str) -> LabelId {
        self.labels.add(kind, name, "")
    }

    fn host(mut self, kind: Kind, name: &str, thread: u32, span: std::ops::Range<i64>) -> Self {
        let label = self.label(kind, name);
        let row = self.events.len() as u32;
        self.events.push(Event { kind, start: span.start, end: span.end, thread, label, correlation: None, row });
        self
    }

    fn step(mut self, iteration: i64, thread: u32, span: std::ops::Range<i64>) -> Self {
        self.windows.push(Window { iteration, start: span.start, end: span.end, thread });
        self.host(Kind::Annotation, &format!("ProfilerStep#{iteration}"), thread, span)
    }

    fn launch(mut self, id: i64, thread: u32, span: std::ops::Range<i64>) -> Self {
        self = self.host(Kind::Launch, "cudaLaunchKernel", thread, span);
        if let Some(event) = self.events.last_mut() {
            event.correlation = Correlation::of(id);
        }
        self
    }

    fn kernel(mut self, name: &str, id: Option<i64>, span: std::ops::Range<i64>) -> Self {
        self = self.host(Kind::Gpu(Class::Compute), name, 7, span);
        if let Some(event) = self.events.last_mut() {
            event.correlation = id.and_then(Correlation::of);
        }
        self
    }

    fn build(&self) -> (Vec<Iteration>, Vec<u32>) {
        let (iterations, left_out) = Builder::default().build(&self.recording(), &self.labels);
        (iterations, left_out.iter().map(|out| out.row).collect())
    }

    fn recording(&self) -> Recording {
        Recording { events: self.events.clone(), windows: self.windows.clone(), ..Recording::default() }
    }

    /// Paths of the leaves of an iteration.
    fn paths(&self, iteration: &Iteration) -> Vec<String> {
        iteration.tree.leaves(0).into_iter().map(|leaf| iteration.tree.path(leaf, &self.labels).join(" > ")).collect()
    }
}

#[test]
fn a_kernel_belongs_to_the_iteration_of_its_launch() {
    let timeline = Timeline::new()
        .step(1, 1, 0..100)
        .host(Kind::Operator, "aten::mm", 1, 80..95)
        .launch(5, 1, 85..90)
        .step(2, 1, 100..200)
        .kernel("gemm", Some(5), 150..190);
    let (iterations, left_out) = timeline.build();
    assert_eq!(timeline.paths(&iterations[0]), ["aten::mm > gemm"]);
    assert!(timeline.paths(&iterations[1]).is_empty() && left_out.is_empty());
}

#[test]
fn a_kernel_without_a_launch_was_launched_before() {
    let timeline = Timeline::new()
        .step(1, 1, 0..100)
        .kernel("early", Some(9), 10..20)
        .kernel("no id", None, 30..40)
        .kernel("late", None, 150..160);
    let (iterations, left_out) = timeline.build();
    let before = "launched before the recording";
    assert_eq!(timeline.paths(&iterations[0]), [format!("{before} > early"), format!("{before} > no id")]);
    assert_eq!(left_out, [3]);
}

#[test]
fn a_left_out_kernel_has_its_reason() {
    let timeline = Timeline::new()
        .step(1, 1, 0..100)
        .launch(1, 1, 40..45)
        .step(2, 1, 100..200)
        .launch(2, 1, 140..145)
        .step(3, 1, 200..300)
        .launch(3, 1, 240..245)
        .launch(4, 1, 340..345)
        .kernel("warm-up", Some(1), 50..60)
        .kernel("warm-up, without a launch", None, 70..80)
        .kernel("runs in a selected step", Some(2), 250..260)
        .kernel("selected, and runs behind it", Some(3), 310..320)
        .kernel("outside", Some(4), 350..360)
        .kernel("before", None, 400..410);
    let mut recording = timeline.recording();
    let selected = recording.windows.split_off(2);
    let reasons = [Reason::WarmUp, Reason::AnotherIteration];
    recording.others = std::mem::replace(&mut recording.windows, selected).into_iter().zip(reasons).collect();
    let (iterations, left_out) = Builder::default().build(&recording, &timeline.labels);
    assert_eq!(timeline.paths(&iterations[0]), ["selected, and runs behind it"]);
    let words: Vec<&str> = left_out.iter().map(|out| out.reason.word()).collect();
    let expected = ["warm-up", "warm-up", "another iteration", "outside of the steps", "launched before the recording"];
    assert_eq!(words, expected);
    // Without a selected iteration no tree takes the rest.
    recording.others.extend(recording.windows.drain(..).map(|window| (window, Reason::AnotherIteration)));
    let (iterations, left_out) = Builder::default().build(&recording, &timeline.labels);
    assert_eq!((iterations.len(), left_out.len()), (0, 6));
}

#[test]
fn a_launch_outside_of_all_iterations_is_left_out() {
    let timeline = Timeline::new().launch(1, 1, 0..5).step(1, 1, 10..100).kernel("k", Some(1), 20..30);
    let (iterations, left_out) = timeline.build();
    assert!(timeline.paths(&iterations[0]).is_empty());
    assert_eq!(left_out, [3 - 1]);
}

#[test]
fn chains_become_one_node_and_idle_calls_vanish() {
    let timeline = Timeline::new()
        .step(1, 1, 0..100)
        .host(Kind::Module, "nn.Module: Linear_0", 1, 10..60)
        .host(Kind::Operator, "aten::linear", 1, 11..59)
        .host(Kind::Operator, "aten::view", 1, 12..14)
        .host(Kind::Operator, "aten::addmm", 1, 15..50)
        .launch(1, 1, 20..25)
        .kernel("gemm", Some(1), 30..80);
    let (iterations, _) = timeline.build();
    let tree = &iterations[0].tree;
    let [chain] = tree.node(0).children[..] else { panic!("one chain") };
    let names: Vec<&str> = tree.node(chain).chain.iter().map(|&id| timeline.labels.text(id)).collect();
    assert_eq!(names, ["nn.Module: Linear_0", "aten::linear", "aten::addmm"]);
    assert_eq!(timeline.paths(&iterations[0]), ["aten::addmm > gemm"]);
}

#[test]
fn other_threads_have_nodes_of_their_own() {
    let timeline = Timeline::new()
        .step(1, 1, 0..100)
        .host(Kind::Operator, "AddmmBackward0", 2, 40..60)
        .launch(1, 2, 45..50)
        .kernel("gemm", Some(1), 55..80);
    let (iterations, _) = timeline.build();
    let tree = &iterations[0].tree;
    assert_eq!(tree.node(tree.node(0).children[0]).role, Role::Thread);
    assert_eq!(timeline.paths(&iterations[0]), ["other thread > AddmmBackward0 > gemm"]);
}

#[test]
fn a_graph_launch_is_a_node_with_its_kernels() {
    let mut timeline = Timeline::new().step(1, 1, 0..100).host(Kind::GraphLaunch, "cudaGraphLaunch", 1, 10..20);
    if let Some(event) = timeline.events.last_mut() {
        event.correlation = Correlation::of(3);
    }
    let timeline = timeline.kernel("b", Some(3), 50..60).kernel("a", Some(3), 30..40);
    let (iterations, _) = timeline.build();
    assert_eq!(timeline.paths(&iterations[0]), ["cudaGraphLaunch > a", "cudaGraphLaunch > b"]);
}

#[test]
fn a_frame_around_the_step_is_not_in_its_tree() {
    let timeline = Timeline::new()
        .host(Kind::Python, "train.py(1): main", 1, 0..300)
        .step(1, 1, 10..100)
        .host(Kind::Operator, "aten::mm", 1, 20..60)
        .launch(1, 1, 30..35)
        .kernel("gemm", Some(1), 40..80);
    let (iterations, _) = timeline.build();
    assert_eq!(timeline.paths(&iterations[0]), ["aten::mm > gemm"]);
}

#[test]
fn without_iterations_the_recording_is_one() {
    let timeline = Timeline::new()
        .host(Kind::Operator, "aten::mm", 1, 20..60)
        .launch(1, 1, 30..35)
        .kernel("gemm", Some(1), 40..80)
        .kernel("x", None, 0..5);
    let (iterations, left_out) = timeline.build();
    assert_eq!((iterations.len(), iterations[0].iteration, left_out.len()), (1, 0, 0));
    assert_eq!(timeline.paths(&iterations[0]).len(), 2);
}

#[test]
fn a_recording_without_gpu_work_keeps_its_calls() {
    let timeline = Timeline::new().step(1, 1, 0..100).host(Kind::Operator, "aten::mm", 1, 20..60).host(
        Kind::Operator,
        "aten::add",
        1,
        70..80,
    );
    let (iterations, _) = timeline.build();
    assert_eq!(timeline.paths(&iterations[0]), ["aten::mm > aten::mm", "aten::add > aten::add"]);
    assert_eq!(iterations[0].tree.nodes().iter().map(|node| node.ns()).sum::<i64>(), 50);
}
