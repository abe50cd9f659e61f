//! Modules of work that has none above it: backward operators, and the side without frames.

use crate::{Explain, TraceSet, TreeDiff, TreeKind, WaterfallLevel};
use trace_testkit::{Stream, TraceBuilder};
use trace_view::Points;

const MAIN: i64 = 1;
const AUTOGRAD: i64 = 2;

/// A training step written by hand: two layers, their backward operators on another thread, and the optimizer.
struct Step {
    trace: TraceBuilder,
    at: i64,
    launches: i64,
    has_modules: bool,
    has_numbers: bool,
}

impl Step {
    fn new(has_modules: bool, has_numbers: bool) -> Self {
        Self { trace: TraceBuilder::new(), at: 10, launches: 0, has_modules, has_numbers }
    }

    fn event(&mut self, cat: &str, name: &str, thread: i64, start: i64) {
        let trace = std::mem::take(&mut self.trace);
        self.trace = trace.complete(cat, name, 100, thread, start..self.at);
    }

    /// An operator that launches one kernel; `number` is that of autograd, and `forward` the thread of its forward operator.
    fn operator(mut self, name: &str, thread: i64, us: i64, number: Option<i64>, forward: i64) -> Self {
        let start = self.at;
        self.at += 10;
        self.launches += 1;
        let trace = std::mem::take(&mut self.trace).thread(thread);
        self.trace = trace
            .runtime("cudaLaunchKernel", self.launches, start + 2..start + 4)
            .kernel(&format!("{name}_kernel"), Stream(7), start + 5..start + 5 + us)
            .correlation(self.launches);
        self.event("cpu_op", name, thread, start);
        if let Some(number) = number.filter(|_| self.has_numbers) {
            let trace = std::mem::take(&mut self.trace);
            self.trace = trace.arg("Sequence number", &number.to_string()).arg("Fwd thread id", &forward.to_string());
        }
        self
    }

    fn module(mut self, name: &str, inside: impl FnOnce(Self) -> Self) -> Self {
        let start = self.at;
        self.at += 1;
        self = inside(self);
        self.at += 1;
        if self.has_modules {
            self.event("python_function", name, MAIN, start);
        }
        self
    }

    fn load(self, label: &str) -> TraceSet {
        let end = self.at + 50;
        TraceSet::from_bytes(self.trace.thread(MAIN).step(1, 0..end).json()).unwrap().with_label(label)
    }
}

fn training(has_modules: bool, has_numbers: bool, us: i64, has_extra: bool) -> TraceSet {
    let layer = |step: Step, number: i64| {
        step.module(&format!("nn.Module: Layer_{number}"), |step| step.operator("aten::mm", MAIN, 3, Some(number), 0))
    };
    let mut step = Step::new(has_modules, has_numbers)
        .module("nn.Module: Model_0", |step| layer(layer(step, 5), 6))
        .operator("MmBackward0", AUTOGRAD, us, Some(6), 1)
        .operator("MmBackward0", AUTOGRAD, 2, Some(5), 1)
        .operator("AccumulateGrad", AUTOGRAD, 1, None, 0);
    if has_extra {
        step = step.operator("aten::cumsum", MAIN, 4, None, 0);
    }
    step.load(if has_modules { "with" } else { "without" })
}

/// Name, depth, counts of both sides, and µs of both sides.
fn lines(tree: &TreeDiff) -> Vec<String> {
    let rows = tree.rows().into_iter().filter(|row| !matches!(row.kind, TreeKind::Idle | TreeKind::Unattributed));
    rows.map(|row| format!("{}{} {:?} {:?}", "  ".repeat(row.depth), row.name, row.count, row.us)).collect()
}

#[test]
fn backward_operators_count_in_the_module_of_their_forward_one() {
    let explained = Explain::new(training(true, true, 2, false), training(true, true, 4, false)).run().unwrap();
    assert_eq!(
        lines(&explained.tree().modules().unwrap()),
        [
            "nn.Module: Model_0 [4.0, 4.0] [10.0, 12.0]",
            "  nn.Module: Layer_5 [2.0, 2.0] [5.0, 5.0]",
            "  nn.Module: Layer_6 [2.0, 2.0] [5.0, 7.0]",
            "outside of modules [1.0, 1.0] [1.0, 1.0]",
        ]
    );
    let waterfall = explained.waterfall(WaterfallLevel::Module);
    let Points::Names(names) = &waterfall.series[0].x else { panic!("{waterfall:?}") };
    assert!(names.contains(&"Layer_6".to_owned()) && !names.contains(&"outside of modules".to_owned()), "{names:?}");
    let unnumbered = Explain::new(training(true, false, 2, false), training(true, false, 4, false)).run().unwrap();
    assert_eq!(lines(&unnumbered.tree().modules().unwrap())[3], "outside of modules [3.0, 3.0] [5.0, 7.0]");
}

#[test]
fn modules_of_one_side_hold_for_what_both_have() {
    for flipped in [false, true] {
        let (with, without) = (training(true, true, 2, true), training(false, true, 2, false));
        let sides = if flipped { (without, with) } else { (with, without) };
        let tree = Explain::new(sides.0, sides.1).run().unwrap().tree().modules().unwrap();
        let line = |name: &str, with: [f64; 2], without: [f64; 2]| {
            let both = |at: usize| if flipped { [without[at], with[at]] } else { [with[at], without[at]] };
            format!("{name} {:?} {:?}", both(0), both(1))
        };
        assert_eq!(
            lines(&tree),
            [
                line("nn.Module: Model_0", [4.0, 10.0], [4.0, 10.0]),
                line("  nn.Module: Layer_5", [2.0, 5.0], [2.0, 5.0]),
                line("  nn.Module: Layer_6", [2.0, 5.0], [2.0, 5.0]),
                line("outside of modules", [2.0, 5.0], [1.0, 1.0]),
            ]
        );
        let note =
            "only with was recorded with modules: what without does counts in the module of what it is compared with";
        assert!(tree.table().notes.iter().any(|known| known.starts_with(note)), "{:?}", tree.table().notes);
    }
}

#[test]
fn work_of_the_side_without_modules_alone_has_no_module() {
    let tree = Explain::new(training(true, true, 2, false), training(false, true, 2, true)).run().unwrap().tree();
    let found = lines(&tree.modules().unwrap());
    assert_eq!(found.len(), 5, "{found:?}");
    assert!(found.contains(&"module not recorded [0.0, 1.0] [0.0, 4.0]".to_owned()), "{found:?}");
    assert!(found.contains(&"outside of modules [1.0, 1.0] [1.0, 1.0]".to_owned()), "{found:?}");
}
