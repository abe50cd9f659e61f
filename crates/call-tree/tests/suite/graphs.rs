//! Kernels of graphs: pairs by node, and calls that a companion lends; modules of backward operators.

#![allow(clippy::expect_used)]

use call_tree::{
    Builder, Class, Companion, Correlation, Event, Explanation, Grade, Kind, Labels, Loan, Partial, Portable,
    Recording, Reducer, Window, explain,
};

/// A recording under construction; every event begins where the last one ended.
struct Writer<'l> {
    labels: &'l mut Labels,
    recording: Recording,
    ids: i64,
    now: i64,
}

impl<'l> Writer<'l> {
    fn new(labels: &'l mut Labels) -> Self {
        Self { labels, recording: Recording::default(), ids: 0, now: 0 }
    }

    fn event(&mut self, kind: Kind, name: &str, start: i64, end: i64, thread: u32, correlation: Option<i64>) -> u32 {
        let label = self.labels.add(kind, name, "");
        let row = self.recording.events.len() as u32;
        let correlation = correlation.and_then(Correlation::of);
        self.recording.events.push(Event { kind, start, end, thread, label, correlation, row });
        row
    }

    /// A launch of a graph, and its kernels in the order in which they ran, with their nodes if these are recorded.
    fn graph(mut self, kernels: &[(&str, Option<i64>)]) -> Self {
        self.ids += 1;
        let (id, start) = (Some(self.ids), self.now);
        self.event(Kind::GraphLaunch, "cudaGraphLaunch", start, start + 5, 0, id);
        for (at, &(name, node)) in (0..).zip(kernels) {
            let begin = start + 10 * (at + 1);
            let row = self.event(Kind::Gpu(Class::Compute), name, begin, begin + 7 + at, 7, id);
            self.recording.graph_nodes.extend(node.map(|node| (row, node)));
        }
        self.now += 10 * (kernels.len() as i64 + 2);
        self
    }

    /// Operators inside one another, of which the innermost launches a kernel.
    fn operators(mut self, calls: &[(Kind, &str)], kernel: &str) -> Self {
        self.ids += 1;
        let (id, start) = (Some(self.ids), self.now);
        let depth = calls.len() as i64;
        for (at, &(kind, name)) in (0..).zip(calls) {
            self.event(kind, name, start + at, start + 40 - at, 0, None);
        }
        self.event(Kind::Launch, "cudaLaunchKernel", start + depth, start + depth + 2, 0, id);
        self.event(Kind::Gpu(Class::Compute), kernel, start + 20, start + 28, 7, id);
        self.now += 50;
        self
    }

    fn step(mut self, iteration: i64, begin: i64) -> Self {
        let (start, end) = (begin, self.now);
        self.event(Kind::Annotation, &format!("ProfilerStep#{iteration}"), start, end, 0, None);
        self.recording.windows.push(Window { iteration, start, end, thread: 0 });
        self
    }

    fn finish(self) -> Recording {
        self.recording
    }
}

const OPERATOR: Kind = Kind::Operator;

/// Names and durations of the leaves of one-to-one regions.
fn pairs(found: &Explanation, labels: &Labels) -> Vec<(String, i64, i64)> {
    let alignment = &found.alignment;
    let regions = found.regions.iter().map(|region| &region.region);
    let pairs = regions.filter_map(|region| match (&region.control[..], &region.test[..]) {
        (&[one], &[other]) => {
            let (one, other) = (alignment.control.node(one), alignment.test.node(other));
            Some((labels.text(one.chain[0]).to_owned(), one.ns(), other.ns()))
        }
        _ => None,
    });
    pairs.collect()
}

#[test]
fn kernels_of_a_graph_pair_by_node() {
    let mut labels = Labels::default();
    let nodes = |numbers: [i64; 4]| numbers.map(|number| ("k", Some((3 << 32) + number)));
    // Branches of the graph run in another order, in a process that counts graphs differently.
    let control = Writer::new(&mut labels).graph(&nodes([1, 2, 3, 4])).finish();
    let mut test = Writer::new(&mut labels).graph(&nodes([3, 4, 1, 2])).finish();
    test.graph_nodes.iter_mut().for_each(|(_, node)| *node += 5 << 32);
    let found = explain(std::slice::from_ref(&control), &[test], &labels);
    let by_node = [7, 8, 9, 10].into_iter().zip([9, 10, 7, 8]);
    assert_eq!(pairs(&found, &labels), by_node.map(|(a, b)| ("k".to_owned(), a, b)).collect::<Vec<_>>());
    // The second node did not run: without numbers it would be the last one.
    let without = Writer::new(&mut labels).graph(&nodes([1, 3, 4, 5])[..3]).finish();
    let found = explain(std::slice::from_ref(&control), std::slice::from_ref(&without), &labels);
    let expected = [(7, 7), (9, 8), (10, 9)].map(|(a, b)| ("k".to_owned(), a, b));
    assert_eq!(pairs(&found, &labels), expected);
    let gone: Vec<i64> = found
        .regions
        .iter()
        .filter(|region| region.region.grade == Grade::Deleted)
        .map(|region| found.alignment.control.node(region.region.control[0]).ns())
        .collect();
    assert_eq!(gone, [8]);
    let plain = |one: &Recording| Recording { graph_nodes: Vec::new(), ..one.clone() };
    let found = explain(&[plain(&control)], &[plain(&without)], &labels);
    assert_eq!(pairs(&found, &labels).last().map(|pair| pair.1), Some(9));
}

#[test]
fn other_kernels_under_the_same_numbers_pair_by_order() {
    let mut labels = Labels::default();
    let control = [("embed", Some(1)), ("gemm", Some(2)), ("norm", Some(3)), ("gelu", Some(4))];
    // A kernel is new, and the others have moved up by one number.
    let test = [("embed", Some(1)), ("rotary", Some(2)), ("gemm", Some(3)), ("norm", Some(4)), ("gelu", Some(5))];
    let control = Writer::new(&mut labels).graph(&control).finish();
    let test = Writer::new(&mut labels).graph(&test).finish();
    let names: Vec<String> =
        pairs(&explain(&[control], &[test], &labels), &labels).into_iter().map(|pair| pair.0).collect();
    assert_eq!(names, ["embed", "gemm", "norm", "gelu"]);
}

/// An eager decode step: two layers of two operators.
fn eager(labels: &mut Labels, iterations: i64) -> Recording {
    let mut writer = Writer::new(labels);
    for iteration in 0..iterations {
        let begin = writer.now;
        for layer in 0..2 {
            let layer = format!("nn.Module: Layer_{layer}");
            let calls = [(Kind::Module, &layer[..]), (OPERATOR, "aten::linear"), (OPERATOR, "aten::addmm")];
            writer = writer.operators(&calls, "gemm<float>");
            writer = writer.operators(&[(Kind::Module, &layer), (OPERATOR, "aten::gelu")], "gelu");
        }
        writer = writer.step(iteration, begin);
    }
    writer.finish()
}

/// A loan in which kernels of one name have no calls.
fn unmatched(name: &str, kernels: u64) -> Loan {
    Loan { unmatched: [(name.to_owned(), kernels)].into(), ..Loan::default() }
}

/// All labels above each leaf, and its own.
fn paths(recording: &Recording, labels: &Labels) -> Vec<String> {
    let (iterations, _) = Builder::default().build(recording, labels);
    let mut paths = Vec::new();
    for tree in iterations.iter().map(|iteration| &iteration.tree) {
        for leaf in tree.leaves(0) {
            let above = std::iter::successors(Some(tree.node(leaf)), |node| tree.nodes().get(node.parent as usize));
            let labels = above.flat_map(|node| node.chain.iter().rev()).map(|&label| labels.text(label));
            let mut path: Vec<&str> = labels.collect();
            path.reverse();
            paths.push(path.join(" > "));
        }
    }
    paths
}

#[test]
fn a_companion_lends_operators_by_order_and_name() {
    let mut labels = Labels::default();
    let companion = eager(&mut labels, 2);
    let graph = [("gemm<half>", None), ("gelu", None), ("gemm<half>", None), ("gelu", None)];
    let mut replays = Writer::new(&mut labels).graph(&graph).graph(&graph).finish();
    let loan = Companion::of(&companion, &labels).lend(&mut replays, &mut labels);
    assert_eq!(loan, Loan { kernels: 8, borrowed: 8, ..Loan::default() });
    let layer = |layer: usize| {
        [
            format!("cudaGraphLaunch > nn.Module: Layer_{layer} > aten::linear > aten::addmm > gemm<half>"),
            format!("cudaGraphLaunch > nn.Module: Layer_{layer} > aten::gelu > gelu"),
        ]
    };
    let replay = [layer(0), layer(1)].concat();
    assert_eq!(paths(&replays, &labels), [replay.clone(), replay].concat());
}

#[test]
fn kernels_without_a_partner_stay_below_their_graph() {
    let mut labels = Labels::default();
    let companion = eager(&mut labels, 1);
    let graph = [("gemm<float>", None), ("rotary", None), ("gelu", None), ("gemm<float>", None), ("gelu", None)];
    let mut replay = Writer::new(&mut labels).graph(&graph).finish();
    let loan = Companion::of(&companion, &labels).lend(&mut replay, &mut labels);
    assert_eq!(loan, Loan { kernels: 5, borrowed: 4, ..unmatched("rotary", 1) });
    let found = paths(&replay, &labels);
    assert!(found.contains(&"cudaGraphLaunch > rotary".to_owned()), "{found:?}");
    let mut other = Writer::new(&mut labels).graph(&[("softmax", None)]).finish();
    let before = paths(&other, &labels);
    assert_eq!(
        Companion::of(&companion, &labels).lend(&mut other, &mut labels),
        Loan { kernels: 1, ..unmatched("softmax", 1) }
    );
    assert_eq!(paths(&other, &labels), before);
}

#[test]
fn an_eager_side_meets_a_graph_with_lent_operators() {
    let mut labels = Labels::default();
    let companion = eager(&mut labels, 1);
    let control = eager(&mut labels, 1);
    let graph = [("gemm<float>", None), ("gelu", None), ("gemm<float>", None), ("gelu", None)];
    let mut test = Writer::new(&mut labels).graph(&graph).step(0, 0).finish();
    let bare = explain(std::slice::from_ref(&control), std::slice::from_ref(&test), &labels);
    Companion::of(&companion, &labels).lend(&mut test, &mut labels);
    let borrowed = explain(&[control], &[test], &labels);
    assert_eq!((pairs(&bare, &labels).len(), pairs(&borrowed, &labels).len()), (0, 4));
}

#[test]
fn marks_of_leaves_survive_as_bytes() {
    let mut labels = Labels::default();
    let layer = [(Kind::Module, "nn.Module: Layer_0"), (OPERATOR, "aten::mm")];
    let mut recording = Writer::new(&mut labels)
        .operators(&layer, "gemm")
        .operators(&[(OPERATOR, "MmBackward0")], "gemm")
        .graph(&[("k", Some(7)), ("k", Some(8))])
        .finish();
    recording.forward.push((4, 1));
    let (iterations, _) = Builder::default().build(&recording, &labels);
    let modules: Vec<bool> =
        iterations[0].tree.nodes().iter().filter(|node| node.is_leaf()).map(|leaf| leaf.modules.is_some()).collect();
    assert_eq!(modules, [false, true, false, false]);
    let partial = Reducer::default().partial(&recording, &labels, |_| false);
    let portable = Portable::of(partial.clone(), &labels);
    let bytes = postcard::to_allocvec(&portable).expect("numbers and texts");
    let received: Portable<Partial> = postcard::from_bytes(&bytes).expect("bytes of a partial result");
    assert_eq!(received.join(&mut labels), partial);
    let plain = Recording { forward: Vec::new(), graph_nodes: Vec::new(), ..recording };
    assert!(Reducer::default().partial(&plain, &labels, |_| false) != partial);
}

#[test]
fn a_companion_survives_as_bytes_and_damaged_ones_do_no_harm() {
    let mut labels = Labels::default();
    let recording = eager(&mut labels, 2);
    let companion = Companion::of(&recording, &labels);
    assert!(companion.has_stacks(&labels));
    let portable = Portable::of(companion, &labels);
    let bytes = postcard::to_allocvec(&portable).expect("numbers and texts");
    let mut others = Labels::default();
    let received: Portable<Companion> = postcard::from_bytes(&bytes).expect("whole bytes");
    assert_eq!(received, portable);
    let back = received.join(&mut others);
    let mut replay = Writer::new(&mut others).graph(&[("gemm<float>", None), ("gelu", None)]).finish();
    assert_eq!(back.lend(&mut replay, &mut others), Loan { kernels: 2, borrowed: 2, ..Loan::default() });
    let mut read = 0;
    for at in 0..bytes.len() {
        assert!(postcard::from_bytes::<Portable<Companion>>(&bytes[..at]).is_err());
        for value in [0, 1, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            let mut labels = Labels::default();
            if let Ok(companion) = postcard::from_bytes::<Portable<Companion>>(&damaged) {
                let companion = companion.join(&mut labels);
                let mut replay = Writer::new(&mut labels).graph(&[("gemm<float>", None), ("gelu", None)]).finish();
                companion.lend(&mut replay, &mut labels);
                Builder::default().build(&replay, &labels);
                read += 1;
            }
        }
    }
    assert!(read > 0);
}

#[test]
fn kernels_left_over_of_a_graph_pair_by_what_they_do() {
    let mut labels = Labels::default();
    let kernels = |names: [&'static str; 7]| names.map(|name| (name, None));
    // Between two equal kernels everything has another name; the test fills first, and ends with a matrix product for a norm.
    let control = Writer::new(&mut labels)
        .graph(&kernels(["first", "layer_norm", "gemm_a", "gelu_a", "last", "norm_c", "end"]))
        .finish();
    let test = Writer::new(&mut labels)
        .graph(&kernels(["first", "fill", "rms_norm", "nvjet_b", "last", "gemm_d", "end"]))
        .finish();
    let found = explain(&[control], &[test], &labels);
    let alignment = &found.alignment;
    let names = |leaves: &[u32], tree: &call_tree::Tree| {
        leaves.iter().map(|&leaf| labels.text(tree.node(leaf).chain[0]).to_owned()).collect::<Vec<_>>().join(" + ")
    };
    let regions = found.regions.iter().map(|region| &region.region);
    let mut sides: Vec<(String, String)> = regions
        .map(|region| (names(&region.control, &alignment.control), names(&region.test, &alignment.test)))
        .collect();
    sides.sort();
    let expected = [
        ("", "fill"),
        ("", "gemm_d"),
        ("end", "end"),
        ("first", "first"),
        ("gelu_a", ""),
        ("gemm_a", "nvjet_b"),
        ("last", "last"),
        ("layer_norm", "rms_norm"),
        ("norm_c", ""),
    ];
    assert_eq!(sides, expected.map(|(one, other)| (one.to_owned(), other.to_owned())));
}

#[test]
fn annotations_lend_by_node_where_nothing_else_does() {
    let mut labels = Labels::default();
    // Each node of the annotations was launched by itself, in an operator of its name.
    let mut annotations = Writer::new(&mut labels);
    for (node, name) in [((3 << 32) + 1, "layers.0.wq"), ((3 << 32) + 2, "layers.0.norm")] {
        annotations = annotations.operators(&[(OPERATOR, name)], "node of a graph");
        let row = annotations.recording.events.len() as u32 - 1;
        annotations.recording.graph_nodes.push((row, node));
    }
    let annotations = Companion::of(&annotations.finish(), &labels);
    let node = |name, number: i64| (name, Some((3 << 32) + number));
    let graph = [node("gemm<float>", 1), node("norm", 2), node("rotary", 7)];
    let mut replay = Writer::new(&mut labels).graph(&graph).graph(&graph).finish();
    let loan = annotations.lend(&mut replay, &mut labels);
    assert_eq!(loan, Loan { kernels: 6, borrowed: 4, ..unmatched("rotary", 2) });
    let expected = ["cudaGraphLaunch > layers.0.wq > gemm<float>", "cudaGraphLaunch > layers.0.norm > norm"];
    assert_eq!(paths(&replay, &labels)[..2], expected);
    // Operators of a recording without graphs take precedence over annotations.
    let eager = Companion::of(&eager(&mut labels, 1), &labels);
    let loan = eager.beside(annotations.clone()).lend(&mut replay, &mut labels);
    assert_eq!(loan.borrowed, 4);
    let found = paths(&replay, &labels);
    assert!(found[0].ends_with("aten::addmm > gemm<float>") && found[1].ends_with("layers.0.norm > norm"), "{found:?}");
    // Other graphs have other numbers; without numbers nothing is lent.
    for shift in [Some(1), None] {
        let mut other = Writer::new(&mut labels).graph(&graph).finish();
        match shift {
            Some(graphs) => other.graph_nodes.iter_mut().for_each(|(_, node)| *node += graphs << 32),
            None => other.graph_nodes.clear(),
        }
        assert_eq!(annotations.lend(&mut other, &mut labels).borrowed, 0);
    }
}
