//! Recordings with the categories that Kineto wrote in 2021 answer as those of today.

#![allow(clippy::unwrap_used)]
use super::Notebook;
use serde_json::Value;
use std::io::{Read, Write};
use std::path::Path;
use tempfile::TempDir;

/// Categories of today, and those of 2021.
const OLD: [(&str, &str); 5] = [
    ("cpu_op", "Operator"),
    ("cuda_runtime", "Runtime"),
    ("kernel", "Kernel"),
    ("gpu_memcpy", "Memcpy"),
    ("gpu_memset", "Memset"),
];

/// Writes a trace of the demo with the categories of 2021: steps are operators, too.
fn write_old(from: &Path, folder: &Path) {
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(from).unwrap()).read_to_string(&mut text).unwrap();
    let mut trace: Value = serde_json::from_str(&text).unwrap();
    for event in trace["traceEvents"].as_array_mut().unwrap() {
        let is_step = event["name"].as_str().is_some_and(|name| name.starts_with("ProfilerStep"));
        let old = OLD.iter().find(|(new, _)| event["cat"] == **new).map(|(_, old)| *old);
        let old = if is_step && event["cat"] == "user_annotation" { Some("Operator") } else { old };
        if let Some(old) = old {
            event["cat"] = old.into();
        }
    }
    std::fs::create_dir_all(folder).unwrap();
    let file = std::fs::File::create(folder.join(from.file_name().unwrap())).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packed.write_all(trace.to_string().as_bytes()).unwrap();
    packed.finish().unwrap();
}

/// Returns a notebook with control and test of a folder.
fn notebook(folder: &Path) -> Notebook {
    let mut notebook = Notebook::default();
    for label in ["control", "test"] {
        notebook.text(&format!("%trace_load '{}' --as {label} --no-cache --quiet", folder.join(label).display()));
    }
    notebook
}

/// Returns a text without the width of its columns, which categories change.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || c == '─').filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn categories_of_2021_answer_as_those_of_today() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("notebooks/data");
    let folder = TempDir::new().unwrap();
    for (label, file) in [("control", "rank-3.json.gz"), ("test", "rank-1.json.gz")] {
        write_old(&data.join(label).join(file), &folder.path().join(label));
    }
    let (mut new, mut old) = (notebook(&data), notebook(folder.path()));
    let mut differences = Vec::new();
    for question in [
        "%describe control",
        "%describe control test",
        "%compare_traces control test",
        "%compare_traces control test --stats",
        "%compare_traces control test --device-type gpu --top 0",
        "%ops_diff control test",
        "%explain control test",
        "%tree_diff control test",
        "%waterfall control test",
        "%noise control test",
        "%critical_path control",
        "%critical_path control test",
        "%what_if control",
        "%what_if control aten::mm x 0.5",
        "%operators control",
        "%operators control --by stack",
        "%profiler_steps control",
        "%temporal_breakdown control",
        "%idle_time_breakdown control",
        "%gpu_kernel_breakdown control",
        "%cuda_kernel_launch_stats control",
        "%aten_op_kernels_and_delay control",
        "%frequent_cuda_kernel_sequences control",
        "%gpu_user_annotation_breakdown control",
        "%gpu_user_annotation_breakdown control --use-gpu-annotation false",
        "%memory_bw_summary control",
        "%queue_length_summary control",
        "%time_blocked_on_full_queue control",
        "%comm_comp_overlap control",
        "%potential_stragglers control",
        "%compare_ranks control",
        "%call_graph control --top 0",
        "%call_stack control --where 'name == \"aten::mm\"'",
        "%flame control test",
        "%timeline control test",
        "%trace_sql SELECT name, ts, dur, stream, iteration FROM kernels ORDER BY id",
        "%trace_sql SELECT name, ts, kernel, kernel_dur, iteration FROM launches ORDER BY id",
        "%trace_sql SELECT iteration, ts, dur FROM iterations ORDER BY iteration",
        "%trace_sql SELECT * FROM gaps(7)",
    ] {
        let today = match new.outputs(question) {
            Ok(_) => new.text(question),
            Err(failure) => failure.evalue,
        };
        let of_2021 = match old.outputs(question) {
            Ok(_) => old.text(question),
            Err(failure) => failure.evalue,
        };
        let (mut today, mut of_2021) = (words(&today), words(&of_2021));
        for words in [&mut today, &mut of_2021] {
            for word in words.iter_mut() {
                if let Some((new, _)) = OLD.iter().find(|(_, old)| old == word) {
                    *word = (*new).to_owned();
                }
            }
        }
        let apart = today.iter().zip(&of_2021).position(|(new, old)| new != old);
        let near = |words: &[String]| {
            let at = apart.unwrap_or(words.len().saturating_sub(8));
            words[at.saturating_sub(12)..(at + 12).min(words.len())].join(" ")
        };
        if today != of_2021 {
            differences.push(format!("{question}\n{}\n{}", near(&today), near(&of_2021)));
        }
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));

    // A recording of 2021 beside one of today; its name is as long, for tables of the same width.
    let old_test = folder.path().join("test");
    new.text(&format!("%trace_load '{}' --as prev --no-cache --quiet", old_test.display()));
    let today = new.text("%explain control test");
    assert!(!today.contains("mix of events"), "{today}");
    assert_eq!(words(&new.text("%explain control prev").replace("prev", "test")), words(&today));

    // Of rows with categories and long names, texts would be shortened at other places.
    let kernels = |notebook: &mut Notebook| {
        notebook.text("asked = %gpu_kernels_with_user_annotations control");
        notebook.frame("asked").drop("s_cat").unwrap()
    };
    assert!(kernels(&mut new).equals_missing(&kernels(&mut old)));
}
