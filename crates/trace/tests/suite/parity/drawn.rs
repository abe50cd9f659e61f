//! The figures of launches and of kernel sequences.

use super::goldens::{TRACES, either, json, load, say, shared};
use super::ledger::counted;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use trace::analysis::CATALOG;
use trace::{Answer, TraceAnalysis};

/// Checks the answer of each recorded call against the figures that HTA drew.
fn each(analysis: &str, mut check: impl FnMut(&str, Answer, &[Value])) {
    let Some(shared) = shared(analysis) else { return };
    let entry = CATALOG.iter().find(|entry| entry.name == analysis).unwrap();
    for name in TRACES {
        let folder = shared.join("golden").join(name);
        let calls = json(&folder.join("index.json"));
        let traces = TraceAnalysis::new(&load(&shared, name)).unwrap();
        for (call, recorded) in calls.as_object().unwrap().iter().filter(|(call, _)| call.starts_with(analysis)) {
            let path = either(folder.join(format!("figures/{call}.json")));
            if recorded["figures"].as_u64().unwrap_or(0) == 0 || !path.exists() {
                continue;
            }
            let params = recorded["params"].as_object().unwrap();
            let known = |name: &String| entry.parameters.iter().any(|parameter| parameter.name == name);
            let arguments: Map<String, Value> = params
                .iter()
                .filter(|(name, _)| known(name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let ranks: Vec<i64> = match &params.get("ranks") {
                Some(ranks) => serde_json::from_value((*ranks).clone()).unwrap(),
                None => vec![params["rank"].as_i64().unwrap()],
            };
            let answer = entry.ask(&traces, arguments, Some(&ranks)).unwrap();
            check(&format!("{name} {call}"), answer, json(&path).as_array().unwrap());
        }
    }
}

#[test]
fn histograms_count_as_many_launches_as_htas() {
    let mut figures = 0;
    each("cuda_kernel_launch_stats", |call, answer, golden| {
        // HTA draws a figure for each rank, also of nothing.
        let mut ours: BTreeMap<(String, String), f64> = BTreeMap::new();
        for figure in &answer.figures {
            for series in &figure.series {
                let title = format!("{} on {}", figure.title, series.name);
                ours.insert((title, figure.x.title.clone()), series.y.iter().sum());
            }
        }
        let mut theirs = BTreeMap::new();
        for figure in golden {
            let title = figure["layout"]["title"]["text"].as_str().unwrap().replace("  ", " ");
            let x = if title.starts_with("Launch") { "Launch Delay Duration" } else { "Cuda Runtime Event Duration" };
            for drawn in figure["data"].as_array().unwrap() {
                theirs.insert((title.clone(), x.to_owned()), drawn["x"].as_array().unwrap().len() as f64);
            }
            figures += 1;
        }
        assert_eq!(ours, theirs, "{call}");
    });
    report("figures of cuda_kernel_launch_stats", figures);
}

#[test]
fn bars_of_sequences_are_htas() {
    let mut figures = 0;
    each("frequent_cuda_kernel_sequences", |call, answer, golden| {
        let (ours, golden) = (&answer.figures[0], &golden[0]);
        assert_eq!(golden["layout"]["title"]["text"], ours.title.as_str(), "{call}");
        let theirs: Vec<f64> = serde_json::from_value(golden["data"][0]["y"].clone()).unwrap();
        assert_eq!(ours.series[0].y, theirs, "{call}");
        figures += 1;
    });
    report("figures of frequent_cuda_kernel_sequences", figures);
}

/// Reports and counts the figures, if there are any.
fn report(what: &str, figures: usize) {
    if figures > 0 {
        say(&format!("{what}: {figures}/{figures}"));
        counted(what, [figures, 0, 0]);
    }
}
