//! Runs rustc and reads what it says. Messages that carry types are taken out and kept for the kernel.

use super::named;
use super::transient::Unkept;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The types found by the last analysis, `name → type`, in the run's folder.
const TYPES_FILE: &str = "types.json";

/// What the last compilation that failed says of variables, in the run's folder.
const UNKEPT_FILE: &str = "unkept.json";

/// The types that the last analysis found.
pub(super) fn found_types(run_folder: &Path) -> BTreeMap<String, String> {
    std::fs::read(run_folder.join(TYPES_FILE))
        .ok()
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default()
}

/// Forgets those of an earlier analysis.
pub(super) fn forget_types(run_folder: &Path) {
    let _ = std::fs::remove_file(run_folder.join(TYPES_FILE));
}

/// What the last compilation that failed says of variables that cannot be kept; it is forgotten then.
pub(super) fn take_unkept(run_folder: &Path) -> Unkept {
    let file = run_folder.join(UNKEPT_FILE);
    let read = std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let _ = std::fs::remove_file(file);
    read.unwrap_or_default()
}

/// Takes note of what a compilation that failed says of variables.
pub(super) fn keep_unkept(run_folder: &Path, messages: &str) {
    let unkept = serde_json::to_vec(&Unkept::of_messages(messages)).unwrap_or_default();
    let _ = std::fs::write(run_folder.join(UNKEPT_FILE), unkept);
}

/// Whole paths, so that a type can be written in the cell whatever the user imported. The flags are unstable; the analysis makes
/// no code that runs.
const ANALYSIS: &[&str] = &["-Ztrim-diagnostic-paths=no", "--diagnostic-width=100000"];

/// Adds what makes the compiler tell types: in an analysis, or (`name`) while it compiles.
pub(super) fn prepare(rustc: &mut Command, analyse: bool, name: bool) {
    if analyse {
        rustc.args(ANALYSIS).env("RUSTC_BOOTSTRAP", "1");
    } else if name {
        rustc.args(named::FLAGS).env("RUSTC_BOOTSTRAP", "1");
    }
    // evcxr takes a warning of an analysis for an error, and shows none of a compilation.
    rustc.arg("-Awarnings");
}

/// What the compiler puts aside holds names of the cell's, and is nobody else's business.
pub(super) fn keep_private(rustc: &mut Command, run_folder: &Path) {
    rustc.env("TMPDIR", run_folder);
}

/// Starts the compiler; `alone` in a process group of its own.
///
/// # Errors
/// If it cannot be started.
pub(super) fn start(mut rustc: Command, alone: bool) -> std::io::Result<Child> {
    if alone {
        rustc.process_group(0);
    }
    rustc.stderr(Stdio::piped()).spawn()
}

/// Waits for the compiler; returns its status, and the types it told while it compiled. What it says goes to `say`, line by line.
/// `analysis` is the run's folder if only the types are wanted.
pub(super) fn finish(
    mut rustc: Child,
    analysis: Option<&Path>,
    say: &mut dyn FnMut(&str),
) -> (i32, BTreeMap<String, String>) {
    let (errors, types) = rustc.stderr.take().map(|output| read(output, analysis.is_some(), say)).unwrap_or_default();
    let status = rustc.wait().ok().and_then(|status| status.code()).unwrap_or(1);
    let Some(run_folder) = analysis else { return (status, types) };
    let _ = std::fs::write(run_folder.join(TYPES_FILE), serde_json::to_vec(&types).unwrap_or_default());
    // The compiler counts the messages we took out; only others are the user's.
    (i32::from(errors > 0), types)
}

/// Reads what the compiler says: how many errors, and the types of variables.
fn read(output: impl Read, analyse: bool, say: &mut dyn FnMut(&str)) -> (usize, BTreeMap<String, String>) {
    let (mut errors, mut types) = (0, BTreeMap::new());
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let found = if analyse { probed(&line) } else { named::named(&line) };
        if let Some((name, type_name)) = found {
            types.insert(name, type_name);
            continue;
        }
        if line.contains("\"level\":\"failure-note\"") {
            continue;
        }
        errors += usize::from(line.contains("\"level\":\"error\""));
        say(&line);
    }
    (errors, types)
}

/// Whether the compiler says that it starts (`true`) or has ended (`false`) to link.
pub(super) fn linking(line: &str) -> Option<bool> {
    let line = line.strip_prefix("{\"$message_type\":\"section_timing\"")?;
    line.contains("\"link\"").then(|| line.contains("\"start\""))
}

const PROBE_START: &str = "PROBE<";
const PROBE_END: &str = ">EBORP";

/// The variable and type that a compiler message carries.
fn probed(line: &str) -> Option<(String, String)> {
    if !line.contains(PROBE_START) {
        return None;
    }
    let message: Value = serde_json::from_str(line).ok()?;
    let message = if message["message"].is_object() { &message["message"] } else { &message };
    let text = message["message"].as_str()?;
    let start = text.find(PROBE_START)? + PROBE_START.len();
    // What the cell leaves open, Rust decides in this way.
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
    fn a_probe_message_tells_variable_and_type() {
        let line = serde_json::json!({
            "message": "PROBE<std::vec::Vec<{integer}>>EBORP",
            "spans": [{"is_primary": true, "text": [{"text": "evcxr_variable_store(größe);", "highlight_start": 22, "highlight_end": 27}]}],
        });
        assert_eq!(probed(&line.to_string()), Some(("größe".to_owned(), "std::vec::Vec<i32>".to_owned())));
        assert_eq!(probed("{\"message\":\"mismatched types\"}"), None);
    }

    #[test]
    fn a_timing_message_tells_when_the_linker_runs() {
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
