//! What is repeated: a run of the simulated job as text with gaps, and the events that the demo has none of.

use super::stencil::{Gap, Stencil};
use crate::demo::{Event, Phase, Run, events};

/// Arguments that are ids: each repetition has others.
const IDS: [&str; 6] = [
    "External id",
    "correlation",
    "Record function id",
    "Ev Idx",
    "Sequence number",
    "wait_on_cuda_event_record_corr_id",
];
/// From one repetition to the next, in nanoseconds; no multiple of a microsecond.
const PAUSE: u64 = 41_777;

/// The run as process `process`, which is `rank`.
///
/// Its profiler steps are left out (a long recording has longer ones). Every fourth operator lies in a Python function,
/// every wait for the GPU has the event of CUPTI that says for what, collectives say their rank: with these all of HTA's
/// 20 default arguments occur.
pub(super) fn pattern(run: Run, process: u64, rank: u64) -> Stencil {
    let events = events(run);
    let first = events.iter().map(|event| event.start).min().unwrap_or(0);
    let end = events.iter().map(|event| event.start + event.duration).max().unwrap_or(first);
    let mut pattern = Stencil::of(end - first + PAUSE);
    let (mut operators, mut functions) = (0, 0);
    for event in &events {
        if event.name.starts_with("ProfilerStep") {
            continue;
        }
        // The demo's GPUs are numbered as its ranks are.
        let on_gpu = event.process == run.rank();
        let event = Event { process: if on_gpu { 0 } else { process }, start: event.start - first, ..event.clone() };
        if event.category == "cpu_op" {
            operators += 1;
            if operators % 4 == 0 {
                functions += 1;
                python(&mut pattern, &event, functions);
            }
        }
        write(&mut pattern, &event, rank);
        if event.category == "cuda_runtime" && event.name.ends_with("Synchronize") {
            wait(&mut pattern, &event);
        }
    }
    // Ids of Python functions are one sequence, too.
    pattern.ids = pattern.ids.max(functions + 1);
    pattern
}

fn write(pattern: &mut Stencil, event: &Event, rank: u64) {
    let Event { category, process, thread, .. } = event;
    let name = escaped(&event.name);
    match event.phase {
        Phase::Complete => {
            head(pattern, category, &name, event);
            args(pattern, &event.args);
            if event.args.contains("\"Collective name\"") {
                pattern.text(&format!(", \"Rank\": {rank}"));
            }
            pattern.text("\n    }\n  },\n").end_event();
        }
        Phase::FlowStart(id) | Phase::FlowEnd(id) => {
            let (phase, bind) = match event.phase {
                Phase::FlowStart(_) => ("s", ""),
                _ => ("f", ", \"bp\": \"e\""),
            };
            pattern.text(&format!("  {{\n    \"ph\": \"{phase}\", \"id\": ")).gap(Gap::Id(id));
            pattern.text(&format!(", \"pid\": {process}, \"tid\": {thread}, \"ts\": ")).gap(Gap::Time(event.start));
            let rest = format!(",\n    \"cat\": \"{category}\", \"name\": \"{name}\"{bind}\n  }},\n");
            pattern.text(&rest).end_event();
        }
    }
}

/// Up to the first argument.
fn head(pattern: &mut Stencil, category: &str, name: &str, event: &Event) {
    let Event { process, thread, .. } = event;
    let head = format!(
        "  {{\n    \"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"pid\": {process}, \"tid\": {thread},\n    \"ts\": "
    );
    pattern.text(&head).gap(Gap::Time(event.start));
    pattern.text(", \"dur\": ").gap(Gap::Length(event.duration));
    pattern.text(",\n    \"args\": {\n      ");
}

/// The arguments, the ids among them as gaps.
fn args(pattern: &mut Stencil, mut args: &str) {
    let next = |args: &str| {
        let starts = IDS.iter().filter_map(|key| args.find(&format!("\"{key}\": ")).map(|at| at + key.len() + 4));
        starts.min()
    };
    while let Some(start) = next(args) {
        let (before, rest) = args.split_at(start);
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        match rest[..digits].parse() {
            Ok(id) => pattern.text(before).gap(Gap::Id(id)),
            Err(_) => pattern.text(before),
        };
        args = &rest[digits..];
    }
    pattern.text(args);
}

/// A Python function around an operator.
fn python(pattern: &mut Stencil, operator: &Event, function: u64) {
    let name =
        format!("model.py({}): {}", 20 + 7 * (function % 60), operator.name.rsplit(':').next().unwrap_or("forward"));
    head(pattern, "python_function", &escaped(&name), operator);
    pattern.text("\"Python parent id\": ").gap(Gap::Id(function - 1));
    pattern.text(", \"Python id\": ").gap(Gap::Id(function));
    pattern.text("\n    }\n  },\n").end_event();
}

/// What a call that waits for the GPU waits for.
fn wait(pattern: &mut Stencil, call: &Event) {
    let Some(correlation) = call.correlation else { return };
    let on_gpu = Event { process: 0, thread: 7, ..call.clone() };
    head(pattern, "cuda_sync", "Stream Sync", &on_gpu);
    pattern.text("\"cuda_sync_kind\": \"Stream Sync\", \"stream\": 7, \"correlation\": ").gap(Gap::Id(correlation));
    pattern.text(", \"wait_on_stream\": 7, \"wait_on_cuda_event_record_corr_id\": -1, \"device\": 0, \"context\": 1");
    pattern.text("\n    }\n  },\n").end_event();
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
