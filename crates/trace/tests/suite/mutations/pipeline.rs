//! Everything that can be done with a trace.

use serde_json::{Map, Value};
use std::ops::ControlFlow;
use std::path::Path;
use trace::analysis::{CATALOG, TraceAnalysis};
use trace::filter::Where;
use trace::write::arrow;
use trace::{Answer, Compat, LabeledTrace, LoadOptions, ParserConfig, TraceDiff, TraceSet};
use trace_testkit::Random;
use trace_view::Present;

/// Result of a load.
pub(crate) struct Done {
    pub(crate) loaded: bool,
    pub(crate) answers: usize,
}

/// Loads the text and asks all there is to ask, telling `at` what comes next.
pub(crate) fn run(text: &[u8], random: &mut Random, folder: &Path, at: &dyn Fn(&str)) -> Done {
    let file = folder.join("broken.json");
    std::fs::write(&file, text).unwrap();
    let mut done = Done { loaded: false, answers: 0 };
    let all = random.below(3) == 0;
    for compat in [Compat::Exact, Compat::Hta] {
        at(&format!("load {compat}"));
        let config = ParserConfig::get_default_cfg().set_parse_all_args(all);
        let strict = random.below(8) == 0;
        let options = LoadOptions { compat, strict, parser_config: Some(config), ..LoadOptions::default() };
        let traces = match TraceSet::load_with(&file, &options, &mut |_| ControlFlow::Continue(())) {
            Ok(traces) => traces,
            Err(error) => {
                assert!(!error.to_string().is_empty());
                continue;
            }
        };
        done.loaded = true;
        at("show the trace");
        shown(&traces);
        done.answers += questions(&traces, random, folder, at);
        done.answers += differences(&traces, folder, at);
        at("save and map");
        let saved = folder.join("saved");
        arrow::save(&traces, &saved).unwrap();
        let mapped = arrow::map(&saved).unwrap();
        assert!(mapped.events().equals_missing(&traces.events()), "saved and mapped it is another");
    }
    done
}

fn shown(what: &dyn Present) {
    for part in what.present().parts {
        let _ = format!("{part:?}");
    }
}

fn questions(traces: &TraceSet, random: &mut Random, folder: &Path, at: &dyn Fn(&str)) -> usize {
    at("rows in whole steps");
    let Ok(analysis) = TraceAnalysis::new(traces) else { return 0 };
    let narrowed = match random.below(4) {
        0 => analysis.in_iterations(traces.iterations().into_iter().take(1).collect::<Vec<i64>>()),
        1 => "dur > 5 us and not name ~ \"^cuda\"".parse::<Where>().and_then(|filter| analysis.filter(filter)),
        _ => Ok(analysis.clone()),
    };
    let analysis = narrowed.unwrap_or(analysis);
    let mut answers = 0;
    for entry in CATALOG {
        at(entry.name);
        let positional = entry.parameters.iter().filter(|parameter| parameter.placeholder.is_some());
        let arguments: Map<String, Value> =
            positional.map(|parameter| (parameter.name.to_owned(), Value::from("aten::"))).collect();
        match entry.ask(&analysis, arguments, None) {
            Ok(answer) => {
                shown(&answer);
                at(&format!("{}: copies", entry.name));
                copied(&answer, folder);
                answers += 1;
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    answers
}

/// Writes the copies that an answer offers, and loads them.
fn copied(answer: &Answer, folder: &Path) {
    for (index, copy) in answer.copies.iter().enumerate() {
        let mut copy = copy.clone();
        copy.target = folder.join(format!("copy{index}.json"));
        if copy.save().is_ok() {
            let text = std::fs::read(&copy.target).unwrap();
            let _ = TraceSet::from_bytes(text);
        }
    }
}

fn differences(traces: &TraceSet, folder: &Path, at: &dyn Fn(&str)) -> usize {
    at("compare");
    let good = folder.join("good.json");
    if !good.exists() {
        std::fs::write(&good, super::sources::good()).unwrap();
    }
    let control = TraceSet::load(&good).unwrap();
    let mut answers = 0;
    for short in [false, true] {
        let sides = [("control", &control), ("test", traces)].map(|(label, set)| LabeledTrace::new(label, set.clone()));
        let [control, test] = sides;
        let diff = TraceDiff::new(control, test).use_short_name(short);
        let Ok(compared) = diff.compare_traces() else { continue };
        at("compare: figures");
        let _ = (TraceDiff::visualize_counts_diff(&compared), TraceDiff::visualize_duration_diff(&compared));
        at("compare: operators");
        let _ = (diff.ops_diff().map(|ops| shown(&ops)), diff.warnings(), diff.selection());
        answers += 1;
    }
    answers
}
