//! The repeated part of a large trace: a simulated run as text with gaps, and kinds of events that the demo lacks.

use super::stencil::{Gap, Stencil};
use crate::demo::{Event, Phase, Run, events};

/// Arguments that are ids, which differ in each repetition.
const IDS: [&str; 6] = [
    "External id",
    "correlation",
    "Record function id",
    "Ev Idx",
    "Sequence number",
    "wait_on_cuda_event_record_corr_id",
];
/// The time between two repetitions, in nanoseconds; not a multiple of a microsecond.
const PAUSE: u64 = 41_777;

/// Returns the run of `rank` as process `process`.
///
/// Its profiler steps are omitted (a large trace has longer ones). Every fourth operator is called by a Python function, every
/// synchronisation has its `cuda_sync` event, and collectives have their rank: so all of HTA's 20 default arguments occur.
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
        // In the demo, the process of a GPU event is the rank.
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
    // The ids of Python functions are another sequence.
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

/// Writes a complete event up to its first argument.
fn head(pattern: &mut Stencil, category: &str, name: &str, event: &Event) {
    let Event { process, thread, .. } = event;
    let head = format!(
        "  {{\n    \"ph\": \"X\", \"cat\": \"{category}\", \"name\": \"{name}\", \"pid\": {process}, \"tid\": {thread},\n    \"ts\": "
    );
    pattern.text(&head).gap(Gap::Time(event.start));
    pattern.text(", \"dur\": ").gap(Gap::Length(event.duration));
    pattern.text(",\n    \"args\": {\n      ");
}

/// Writes arguments, with gaps for ids.
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

/// Writes a Python function that calls an operator.
fn python(pattern: &mut Stencil, operator: &Event, function: u64) {
    let name =
        format!("model.py({}): {}", 20 + 7 * (function % 60), operator.name.rsplit(':').next().unwrap_or("forward"));
    head(pattern, "python_function", &escaped(&name), operator);
    pattern.text("\"Python parent id\": ").gap(Gap::Id(function - 1));
    pattern.text(", \"Python id\": ").gap(Gap::Id(function));
    pattern.text("\n    }\n  },\n").end_event();
}

/// Writes the `cuda_sync` event of a synchronisation.
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
