//! A run of rustc: its messages, and the types of variables, which some messages carry and which the kernel reads from a file.

use crate::engine::patching::placeholders;
use crate::engine::values::transient::Unstorable;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The file with the types that the last analysis found, `name → type`, in the run's folder.
const TYPES_FILE: &str = "types.json";

/// The file with the variables that made the last compilation fail, in the run's folder.
const UNSTORABLE_FILE: &str = "not-kept.json";

/// Returns the types that the last analysis found.
pub(in crate::engine) fn found_types(run_folder: &Path) -> BTreeMap<String, String> {
    std::fs::read(run_folder.join(TYPES_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Removes the types of an earlier analysis.
pub(in crate::engine) fn forget_types(run_folder: &Path) {
    let _ = std::fs::remove_file(run_folder.join(TYPES_FILE));
}

/// Returns, once, the variables that made the last compilation fail because they cannot be kept.
pub(in crate::engine) fn take_unstorable(run_folder: &Path) -> Unstorable {
    let file = run_folder.join(UNSTORABLE_FILE);
    let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let _ = std::fs::remove_file(file);
    read.unwrap_or_default()
}

/// Stores what the messages of a failed compilation say of variables that cannot be kept.
pub(super) fn store_unstorable(run_folder: &Path, messages: &str) {
    let unstorable = serde_json::to_vec(&Unstorable::from_messages(messages)).unwrap_or_default();
    let _ = std::fs::write(run_folder.join(UNSTORABLE_FILE), unstorable);
}

/// The flags of an analysis: whole paths, so that a type can be written in the cell whatever the user imported. They are unstable;
/// an analysis generates no code that runs.
const ANALYSIS_FLAGS: &[&str] = &["-Ztrim-diagnostic-paths=no", "--diagnostic-width=100000"];

/// Adds the flags with which the compiler names types: in an analysis, or (`name_types`) while it compiles.
pub(super) fn add_type_flags(rustc: &mut Command, analyse: bool, name_types: bool) {
    if analyse {
        rustc.args(ANALYSIS_FLAGS).env("RUSTC_BOOTSTRAP", "1");
    } else if name_types {
        rustc.args(placeholders::FLAGS).env("RUSTC_BOOTSTRAP", "1");
    }
    // evcxr treats a warning of an analysis as an error, and shows no warning of a compilation.
    rustc.arg("-Awarnings");
}

/// Puts the compiler's temporary files, which hold names from the cell, into the run's private folder.
pub(super) fn keep_private(rustc: &mut Command, run_folder: &Path) {
    rustc.env("TMPDIR", run_folder);
}

/// Starts the compiler; `alone` gives it a process group of its own.
///
/// # Errors
/// If it cannot be started.
pub(in crate::engine) fn start(mut rustc: Command, alone: bool) -> std::io::Result<Child> {
    if alone {
        rustc.process_group(0);
    }
    rustc.stderr(Stdio::piped()).spawn()
}

/// Waits for the compiler; returns its status, and the types that it named while it compiled. Passes its messages to `message`, line
/// by line. `analysis` is the run's folder if only the types are wanted; they are stored there.
pub(in crate::engine) fn finish(
    mut rustc: Child,
    analysis: Option<&Path>,
    message: &mut dyn FnMut(&str),
) -> (i32, BTreeMap<String, String>) {
    let (errors, types) =
        rustc.stderr.take().map(|output| read(output, analysis.is_some(), message)).unwrap_or_default();
    let status = rustc.wait().ok().and_then(|status| status.code()).unwrap_or(1);
    let Some(run_folder) = analysis else { return (status, types) };
    let _ = std::fs::write(run_folder.join(TYPES_FILE), serde_json::to_vec(&types).unwrap_or_default());
    // The compiler's status counts our probes, too.
    (i32::from(errors > 0), types)
}

/// Reads the compiler's messages; returns the number of errors, and the types of variables.
fn read(output: impl Read, analyse: bool, message: &mut dyn FnMut(&str)) -> (usize, BTreeMap<String, String>) {
    let (mut errors, mut types) = (0, BTreeMap::new());
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let found = if analyse { probed_type(&line) } else { placeholders::named_type(&line) };
        if let Some((name, type_name)) = found {
            types.insert(name, type_name);
            continue;
        }
        if line.contains("\"level\":\"failure-note\"") {
            continue;
        }
        errors += usize::from(line.contains("\"level\":\"error\""));
        message(&line);
    }
    (errors, types)
}

/// Returns whether a message says that linking starts (`true`) or has ended (`false`); `None` for any other message.
pub(super) fn linking(line: &str) -> Option<bool> {
    let line = line.strip_prefix("{\"$message_type\":\"section_timing\"")?;
    line.contains("\"link\"").then(|| line.contains("\"start\""))
}

const PROBE_START: &str = "PROBE<";
const PROBE_END: &str = ">EBORP";

/// Returns the variable and the type that a message of an analysis carries.
fn probed_type(line: &str) -> Option<(String, String)> {
    if !line.contains(PROBE_START) {
        return None;
    }
    let message: Value = serde_json::from_str(line).ok()?;
    let message = if message["message"].is_object() { &message["message"] } else { &message };
    let text = message["message"].as_str()?;
    let start = text.find(PROBE_START)? + PROBE_START.len();
    // Types that the cell leaves open; these are Rust's defaults.
    let type_name = text.get(start..text.rfind(PROBE_END)?)?.replace("{integer}", "i32").replace("{float}", "f64");
    let span = message["spans"].as_array()?.iter().find(|span| span["is_primary"] == true)?;
    let source = span["text"].as_array()?.first()?;
    let (from, to) = (source["highlight_start"].as_u64()?, source["highlight_end"].as_u64()?);
    let letters = source["text"].as_str()?.chars();
    let name = letters.skip(usize::try_from(from).ok()? - 1).take(usize::try_from(to - from).ok()?).collect();
    Some((name, type_name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probe_message_has_variable_and_type() {
        let line = serde_json::json!({
            "message": "PROBE<std::vec::Vec<{integer}>>EBORP",
            "spans": [{"is_primary": true, "text": [{"text": "evcxr_variable_store(größe);", "highlight_start": 22, "highlight_end": 27}]}],
        });
        assert_eq!(probed_type(&line.to_string()), Some(("größe".to_owned(), "std::vec::Vec<i32>".to_owned())));
        assert_eq!(probed_type("{\"message\":\"mismatched types\"}"), None);
    }

    #[test]
    fn timing_message_shows_when_linker_runs() {
        let line = |name: &str, event: &str| {
            format!(
                "{{\"$message_type\":\"section_timing\",\"name\":\"{name}\",\"event\":\"{event}\",\"timestamp\":5}}"
            )
        };
        assert_eq!(linking(&line("link", "start")), Some(true));
        assert_eq!(linking(&line("link", "end")), Some(false));
        assert_eq!(linking(&line("codegen", "start")), None);
        assert_eq!(linking("{\"message\":\"link\"}"), None);
    }
}
