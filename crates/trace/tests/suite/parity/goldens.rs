//! Locations of traces and goldens, and their readers.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use trace::{Compat, LoadOptions, ParserConfig, TraceSet};

/// The shared folder, or `None` after saying that the test is skipped.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("TRACEBOOK_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    if folder.join("golden").is_dir() {
        return Some(folder);
    }
    say(&format!("skipped {test}: no goldens in {} (set TRACEBOOK_SHARED)", folder.display()));
    None
}

/// Writes a line past the test harness, which hides what passing tests print.
pub(crate) fn say(line: &str) {
    // In one piece: tests run side by side.
    let _ = std::io::stderr().write_all(format!("parity: {line}\n").as_bytes());
}

/// Traces of which every row was recorded: golden folder and trace folder have the same name.
pub(crate) const TRACES: [&str; 12] = [
    "trace_diff/control",
    "trace_diff/test",
    "trace_compare/base",
    "trace_compare/test",
    "trace_filter",
    "critical_path/alexnet",
    "nccl_parser_config",
    "amd_trace",
    "cpu_only",
    "triton_example",
    "recorded_cpu/control",
    "recorded_cpu/test",
];

/// Comparisons: golden folder, control, test.
pub(crate) const DIFFS: [(&str, &str, &str); 9] = [
    ("trace_diff/diff", "trace_diff/control", "trace_diff/test"),
    ("trace_compare/diff", "trace_compare/base", "trace_compare/test"),
    ("trace_filter/diff_self", "trace_filter", "trace_filter"),
    ("critical_path/alexnet/diff_self", "critical_path/alexnet", "critical_path/alexnet"),
    ("nccl_parser_config/diff_self", "nccl_parser_config", "nccl_parser_config"),
    ("amd_trace/diff_self", "amd_trace", "amd_trace"),
    ("cpu_only/diff_self", "cpu_only", "cpu_only"),
    ("triton_example/diff_vs_amd", "triton_example", "amd_trace"),
    ("recorded_cpu/diff", "recorded_cpu/control", "recorded_cpu/test"),
];

/// A trace as HTA reads it.
pub(crate) fn load(shared: &Path, trace: &str) -> TraceSet {
    let options = LoadOptions { compat: Compat::Hta, ..LoadOptions::default() };
    let folder = shared.join("traces").join(trace);
    TraceSet::load_with(&folder, &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

/// A trace as HTA reads it when other arguments are asked for.
pub(crate) fn load_asking(shared: &Path, trace: &str, config: ParserConfig) -> TraceSet {
    let options = LoadOptions { compat: Compat::Hta, parser_config: Some(config), ..LoadOptions::default() };
    let folder = shared.join("traces").join(trace);
    TraceSet::load_with(&folder, &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

/// A trace as it is.
pub(crate) fn load_exact(shared: &Path, trace: &str) -> TraceSet {
    TraceSet::load(shared.join("traces").join(trace)).unwrap()
}

/// The text of a golden, gzip'ed or not.
pub(crate) fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return String::from_utf8(bytes).unwrap();
    }
    let mut text = String::new();
    flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    text
}

/// A golden that may be gzip'ed.
pub(crate) fn either(path: PathBuf) -> PathBuf {
    if path.exists() { path } else { PathBuf::from(format!("{}.gz", path.display())) }
}

/// A golden of JSON.
pub(crate) fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&text(path)).unwrap()
}

/// A golden table: heads and rows.
pub(crate) fn csv(path: &Path) -> (Vec<String>, Vec<Vec<String>>) {
    let text = text(path);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let heads = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows = reader.records().map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    (heads, rows)
}

/// The files of a folder whose name starts with `start`, without `.gz`, sorted.
pub(crate) fn files(folder: &Path, start: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_string_lossy().starts_with(start))
        .collect();
    files.sort();
    files
}

/// The parts of a golden's name: `compare_traces.default.CPU.long.csv.gz` → `default`, `CPU`, `long`.
pub(crate) fn parts(path: &Path) -> Vec<String> {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let stem = name.trim_end_matches(".gz").trim_end_matches(".csv").trim_end_matches(".json");
    stem.split('.').skip(1).map(str::to_owned).collect()
}

/// Equal to a relative 1e-9.
pub(crate) fn close(ours: f64, golden: f64) -> bool {
    (ours - golden).abs() <= 1e-9 * ours.abs().max(golden.abs())
}
