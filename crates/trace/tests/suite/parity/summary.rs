//! Ranks, iterations, devices, counts.

use super::goldens::{TRACES, json, load, say, shared};
use super::ledger::counted;
use serde_json::Value;
use trace::LabeledTrace;

#[test]
fn ranks_iterations_and_devices_equal_htas() {
    let Some(shared) = shared("summary") else { return };
    let numbers = |value: &Value| -> Vec<i64> { serde_json::from_value(value.clone()).unwrap() };
    let mut total = 0;
    for name in TRACES {
        let summary = json(&shared.join("golden").join(name).join("summary.json"));
        let set = load(&shared, name);
        let labeled = LabeledTrace::from(&set);
        assert_eq!(labeled.ranks(), numbers(&summary["labeled_trace"]["ranks"]), "{name}");
        assert_eq!(labeled.iterations(), numbers(&summary["labeled_trace"]["iterations"]), "{name}");
        for info in set.info() {
            let golden = &summary["parsed"]["per_rank"][info.rank.to_string()];
            let label = format!("{name} rank {}", info.rank);
            assert_eq!(golden["events"], info.events, "{label}");
            assert_eq!(golden["device_type"], info.device_type.as_str(), "{label}");
            let keys: Vec<&str> =
                golden["metadata_keys"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let mut ours: Vec<&str> = info.metadata.keys().map(String::as_str).collect();
            ours.sort_unstable();
            let derived = ["device_type"];
            let golden_keys: Vec<&str> = keys.into_iter().filter(|key| !derived.contains(key)).collect();
            assert_eq!(ours, golden_keys, "{label}");
            let streams = golden["by_stream"].as_object().unwrap().keys().filter(|stream| *stream != "-1").count();
            assert_eq!(streams, info.streams.len(), "{label}");
            assert_eq!(golden["min_ts"].as_f64().unwrap() as i64 * 1000, info.first_ts, "{label}");
            total += 1;
        }
    }
    say(&format!("summary: {total}/{total} ranks"));
    counted("summaries of ranks", [total, 0, 0]);
    assert!(total >= 15);
}
