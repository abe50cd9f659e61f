//! One program recorded on two devices: other kernels and operators, the same work.

use crate::shared::{operands, shared, trace};
use efficiency::{Call, work};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Calls and flops by family, of the outermost operators with a model.
fn by_family(path: &Path) -> BTreeMap<&'static str, (usize, u128)> {
    let trace = trace(path);
    let span = |event: &Value| {
        let start = event["ts"].as_f64().unwrap();
        (start, start + event["dur"].as_f64().unwrap())
    };
    let mut operators: Vec<&Value> =
        trace["traceEvents"].as_array().unwrap().iter().filter(|event| event["cat"] == "cpu_op").collect();
    operators.sort_by(|a, b| {
        let ((start, end), (other, other_end)) = (span(a), span(b));
        start.total_cmp(&other).then(other_end.total_cmp(&end))
    });
    let mut found = BTreeMap::new();
    let mut counted_until = f64::MIN;
    for operator in operators {
        let operands = operands(operator);
        let is_within = span(operator).0 < counted_until;
        if let Ok(work) = work(&Call::new(operator["name"].as_str().unwrap(), &operands))
            && !is_within
        {
            counted_until = span(operator).1;
            let (calls, flops) = found.entry(work.family.word()).or_insert((0, 0));
            (*calls, *flops) = (*calls + 1, *flops + work.flops);
        }
    }
    found
}

#[test]
fn one_program_has_equal_work_on_two_devices() {
    let Some(traces) = shared("one_program_has_equal_work_on_two_devices") else { return };
    for model in ["bert_small", "qwen1.5_0.5b"] {
        let folder = traces.join("tracelens_h100_mi300").join(model);
        let [control, test] = ["control", "test"].map(|side| by_family(&folder.join(format!("{side}.json.gz"))));
        for family in ["matrix product", "attention", "norm", "elementwise", "reduction"] {
            assert_eq!(control.get(family), test.get(family), "{model}: {family}");
        }
        if model == "qwen1.5_0.5b" {
            // 24 layers of 4 products of width 1024 and 3 of 2816 for 16·559 tokens, and one product of 32 frequencies and positions.
            let layer = 2 * 16 * 559 * (4 * 1024 * 1024 + 3 * 1024 * 2816);
            assert_eq!(control["matrix product"], (24 * 7 + 1, 24 * layer + 2 * 32 * 559));
            // 16 sequences and heads of width 64, causal.
            assert_eq!(control["attention"], (24, 24 * 2 * 16 * 16 * (559 * 560 / 2) * 128));
        }
    }
}
