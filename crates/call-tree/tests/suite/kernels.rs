//! Kernels of one operator, and calls that wait, whatever their inputs.

use call_tree::{Class, Correlation, Event, Grade, Kind, Labels, Recording, explain};

/// One operator that launches these kernels, one after the other.
fn operator(labels: &mut Labels, kernels: &[&str]) -> Recording {
    let mut events = Vec::new();
    let mut add = |kind: Kind, name: &str, inputs: &str, span: std::ops::Range<i64>, thread: u32, id: Option<i64>| {
        let label = labels.add(kind, name, inputs);
        let row = events.len() as u32;
        let correlation = id.and_then(Correlation::of);
        events.push(Event { kind, start: span.start, end: span.end, thread, label, correlation, row });
    };
    let end = 100 * (kernels.len() as i64 + 1);
    add(Kind::Operator, "aten::step", "[[8]]", 0..end, 0, None);
    for (at, &kernel) in (1..).zip(kernels) {
        let start = 100 * at;
        add(Kind::Launch, "cudaLaunchKernel", "", start..start + 5, 0, Some(at));
        add(Kind::Gpu(Class::Compute), kernel, "", start + 10..start + 60, 7, Some(at));
    }
    Recording { events, ..Recording::default() }
}

/// Numbers of leaves of the regions that are neither exact nor of one name.
fn changed(control: &[&str], test: &[&str]) -> Vec<(usize, usize)> {
    let mut labels = Labels::default();
    let sides = [operator(&mut labels, control), operator(&mut labels, test)];
    let found = explain(&sides[..1], &sides[1..], &labels);
    let regions = found.regions.iter().map(|region| &region.region);
    assert!(regions.clone().all(|region| region.grade != Grade::Deleted && region.grade != Grade::Added));
    regions
        .filter(|region| !matches!(region.grade, Grade::Exact | Grade::Name))
        .map(|region| (region.control.len(), region.test.len()))
        .collect()
}

#[test]
fn two_fused_kernels_of_many_are_a_region_of_two() {
    let control = ["norm", "gemm<1>", "bias", "softmax", "dropout", "copy"];
    for at in 0..5 {
        let mut test = control.to_vec();
        test.splice(at..at + 2, ["fused_kernel"]);
        assert_eq!(changed(&control, &test), [(2, 1)], "{at}");
        assert_eq!(changed(&test, &control), [(1, 2)], "{at}");
    }
}

#[test]
fn a_missing_kernel_of_an_operator_is_no_deleted_one() {
    assert_eq!(changed(&["Memset (Device)", "splitk", "reduce"], &["splitk", "reduce"]), [(3, 2)]);
}

#[test]
fn waiting_calls_of_one_caller_are_one_row_whatever_its_inputs() {
    let mut labels = Labels::default();
    let mut events = Vec::new();
    for (at, inputs) in (0..).zip(["[[8]]", "[[16]]", "[[8]]"]) {
        let start = 100 * at;
        for (kind, name, inputs, end) in [
            (Kind::Operator, "aten::item", inputs, start + 90),
            (Kind::Launch, "cudaStreamSynchronize", "", start + 50),
        ] {
            let label = labels.add(kind, name, inputs);
            let row = events.len() as u32;
            events.push(Event { kind, start, end, thread: 0, label, correlation: None, row });
        }
    }
    let side = [Recording { events, ..Recording::default() }];
    let found = explain(&side, &side, &labels);
    let [wait] = &found.waits[..] else { panic!("{:?}", found.waits) };
    assert_eq!((wait.calls.control.total, wait.ns.test.total), (3, 150));
    assert_eq!(wait.wait.caller.map(|caller| labels.text_of(caller)), Some("aten::item"));
}
