//! `tracebook task list|map|reduce`: one step of an engine's job, from standard input to standard output (`docs/task.md`).

use super::Exit;
use crate::cluster::{FAN_IN, read_frames};
use crate::session::CacheSetting;
use kernel_base::provenance::build;
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::PathBuf;
use trace::task::{EXIT_LATER, EXIT_PLAN, Input, JobSpec, Worker, exit_code};
use trace::{CACHE_VARIABLE, Cache};

/// Environment variable with the node of a cluster on which the task runs.
const NODE: &str = "TRACEBOOK_NODE";
/// The most that the cache of a node takes unless its environment says otherwise, in bytes.
const MOST: u64 = 10 << 30;

/// The first frame.
#[derive(Deserialize)]
struct Head {
    #[serde(rename = "given")]
    plan: JobSpec,
    inputs: Value,
}

/// Runs a step. `reduce` merges the partial results in these files, too.
pub fn task(step: &str, files: &[PathBuf]) -> Exit {
    end_with_parent();
    let execution = crate::execution::from_environment();
    let answer = execution.run(|| run(step, &mut std::io::stdin().lock(), files));
    let written = answer.and_then(|bytes| {
        let mut out = std::io::stdout().lock();
        let written = out.write_all(&bytes).and_then(|()| out.flush());
        written.map_err(|error| (EXIT_LATER, format!("cannot write the answer: {error}")))
    });
    match written {
        Ok(()) => Exit { code: 0, message: String::new() },
        Err((code, message)) => Exit { code, message: format!("{}: {message}", host()) },
    }
}

/// Asks the system to kill this process when its parent ends: nothing runs on.
fn end_with_parent() {
    #[cfg(target_os = "linux")]
    if rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL)).is_err() {
        // The engine kills it, too.
    }
}

/// Exit code and message of a step that failed.
type Failed = (u8, String);

fn run(step: &str, input: &mut dyn Read, files: &[PathBuf]) -> Result<Vec<u8>, Failed> {
    let wrong = |message: String| (EXIT_PLAN, message);
    let frames = read_frames(input).map_err(|error| wrong(error.to_string()))?;
    let Some((first, states)) = frames.split_first() else {
        return Err(wrong("nothing on standard input: expected frames, see docs/task.md".to_owned()));
    };
    let head: Result<Head, serde_json::Error> = serde_json::from_slice(first);
    let Head { plan, inputs } = head.map_err(|error| wrong(format!("the plan cannot be read: {error}")))?;
    let worker = Worker::new(build()).cache(cache()).node(std::env::var(NODE).ok());
    let failed = |error: trace::Error| (exit_code(&error), error.to_string());
    let unreadable = |error: serde_json::Error| wrong(format!("the inputs cannot be read: {error}"));
    match step {
        "list" => {
            let slots: usize = serde_json::from_value(inputs).map_err(unreadable)?;
            let bundles = worker.list(&plan, slots).map_err(failed)?;
            serde_json::to_vec(&bundles).map_err(unreadable)
        }
        "map" => {
            let inputs: Vec<Input> = serde_json::from_value(inputs).map_err(unreadable)?;
            let mut report = |file: &str, error: &trace::Error| {
                let line = json!({"file": file, "error": error.to_string(), "host": host()});
                // The file is named in the partial result, too.
                let _ = writeln!(std::io::stderr(), "{line}");
            };
            worker.map(&plan, &inputs, &mut report).map_err(failed)
        }
        "reduce" => reduced(&worker, &plan, states, files),
        _ => Err(wrong(format!("unknown step `{step}`: expected list, map or reduce"))),
    }
}

/// Merges partial results of standard input and of files, some at a time.
fn reduced(worker: &Worker, plan: &JobSpec, states: &[Vec<u8>], files: &[PathBuf]) -> Result<Vec<u8>, Failed> {
    let reduce =
        |states: &[Vec<u8>]| worker.reduce(plan, states).map_err(|error| (exit_code(&error), error.to_string()));
    let mut merged = if states.is_empty() && !files.is_empty() { None } else { Some(reduce(states)?) };
    for group in files.chunks(FAN_IN) {
        // Files of a shared folder may come late.
        let read = |file: &PathBuf| {
            std::fs::read(file).map_err(|error| (EXIT_LATER, format!("cannot read {}: {error}", file.display())))
        };
        let group: Vec<Vec<u8>> =
            merged.take().map(Ok).into_iter().chain(group.iter().map(read)).collect::<Result<_, _>>()?;
        merged = Some(reduce(&group)?);
    }
    Ok(merged.unwrap_or_default())
}

/// Returns the cache of this node: what the environment says, else a private folder among temporary files.
fn cache() -> Option<Cache> {
    if std::env::var_os(CACHE_VARIABLE).is_some_and(|text| !text.is_empty()) {
        return CacheSetting::from_environment().get().ok().flatten();
    }
    let private = trace::private_folder(dirs::runtime_dir().as_deref(), &std::env::temp_dir()).ok()?;
    Cache::open(private.join("traces"), MOST).ok()
}

fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "this node".to_owned() } else { name.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cluster::write_frame;

    #[test]
    fn what_is_no_plan_ends_with_two() {
        let run = |step: &str, frames: &[&[u8]]| {
            let mut bytes = Vec::new();
            frames.iter().for_each(|frame| write_frame(&mut bytes, frame).unwrap());
            run(step, &mut &bytes[..], &[]).unwrap_err()
        };
        let plan = json!({"build": build(), "question": {"load": {"uri": "/none", "ranks": null}}, "traces": [], "most_bytes": 9});
        let head = |inputs: Value| json!({"given": plan, "inputs": inputs}).to_string().into_bytes();
        for (step, frames, expected) in [
            ("map", vec![], "nothing on standard input"),
            ("map", vec![b"{}".to_vec()], "the plan cannot be read"),
            ("map", vec![head(json!(3))], "the inputs cannot be read"),
            ("mop", vec![head(json!(3))], "unknown step `mop`: expected list, map or reduce"),
            ("reduce", vec![head(Value::Null), b"state".to_vec()], "no partial result"),
        ] {
            let frames: Vec<&[u8]> = frames.iter().map(Vec::as_slice).collect();
            let (code, message) = run(step, &frames);
            assert!(code == EXIT_PLAN && message.contains(expected), "{step}: {code} {message}");
        }
        assert_eq!(run("list", &[&head(json!(2))]).0, 1);
    }
}
