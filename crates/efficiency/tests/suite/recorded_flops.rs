//! Answers of torch's `FlopCounterMode` for recorded operators, and each difference from them.

use crate::shared::{operands, shared, trace};
use efficiency::{Call, NoModel, work};
use serde_json::Value;
use std::collections::BTreeMap;

/// Where our answer is another one, and why.
fn expected(case: &str, torch: u128) -> u128 {
    match case {
        // Adding the bias is an operation for each element of the result: 3·16·24·24.
        "conv2d dilated bias" => torch + 3 * 16 * 24 * 24,
        // torch counts causal attention as if it were not: N² pairs in place of (N² + N)/2.
        "sdpa causal" => torch / (33 * 33) * ((33 * 33 + 33) / 2),
        // torch counts products only. Layer norm 5n + 6·128, gelu n, softmax 5n, for n = 3·17·128.
        "layer_norm gelu softmax" => 11 * (3 * 17 * 128) + 6 * 128,
        _ => torch,
    }
}

/// The flops of products, convolutions and attention that were called within a case, by the rule that counts nothing twice; of
/// other families only in the case that has nothing else.
fn flops(events: &[Value], case: &Value) -> u128 {
    let span = |event: &Value| {
        let start = event["ts"].as_f64().unwrap();
        (start, start + event["dur"].as_f64().unwrap())
    };
    let (from, until) = span(case);
    let mut found = 0;
    let mut counted_until = f64::MIN;
    let mut operators: Vec<&Value> = events
        .iter()
        .filter(|event| event["cat"] == "cpu_op" && span(event).0 >= from && span(event).1 <= until)
        .collect();
    operators.sort_by(|a, b| {
        let ((start, end), (other, other_end)) = (span(a), span(b));
        start.total_cmp(&other).then(other_end.total_cmp(&end))
    });
    for operator in operators {
        // Within an operator that is counted already.
        if span(operator).0 < counted_until {
            continue;
        }
        let name = operator["name"].as_str().unwrap();
        let operands = operands(operator);
        match work(&Call::new(name, &operands)) {
            Ok(work) => {
                counted_until = span(operator).1;
                let is_product = work.peak == operands.data_type(0).unwrap().matrix_peak();
                let families = ["matrix product", "convolution", "attention"];
                if is_product
                    && (case["name"] == "case: layer_norm gelu softmax" || families.contains(&work.family.word()))
                {
                    found += work.flops;
                }
            }
            Err(NoModel::UnknownName | NoModel::Composite) => {}
            // Within the gradient of a sum: a tensor without elements to fill.
            Err(reason) => panic!("{name} {operands:?}: {reason}"),
        }
    }
    found
}

#[test]
fn flops_of_all_recorded_cases_are_those_of_torch() {
    let Some(traces) = shared("flops_of_all_recorded_cases_are_those_of_torch") else { return };
    let folder = traces.join("recorded_flops");
    let answers: BTreeMap<String, Value> =
        serde_json::from_str(&std::fs::read_to_string(folder.join("flops.json")).unwrap()).unwrap();
    let trace = trace(&folder.join("rank-0.json.gz"));
    let events = trace["traceEvents"].as_array().unwrap();
    let mut seen = 0;
    for case in events.iter().filter(|event| event["cat"] == "user_annotation") {
        let Some(name) = case["name"].as_str().unwrap().strip_prefix("case: ") else { continue };
        let torch = answers[name]["total"].as_u64().unwrap();
        assert_eq!(flops(events, case), expected(name, torch.into()), "{name}");
        seen += 1;
    }
    assert_eq!(seen, 19);
    assert_eq!(seen, answers.len());
}
