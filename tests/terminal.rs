//! `tracebook diff`, `describe`, `explain`, `tree-diff` and `critical-path` as a shell and CI run them: outputs and exit codes of the binary.
#![allow(clippy::unwrap_used, missing_docs)]

mod magics;

use serde_json::{Value, json};
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

/// Returns one iteration of the only rank; `gemm` takes `duration` µs.
fn trace(duration: i64) -> TraceBuilder {
    TraceBuilder::new()
        .without_rank()
        .metadata("distributedInfo", "{\"rank\": 0, \"world_size\": 1}")
        .step(1, 0..100)
        .operator("aten::mm", 10..40)
        .runtime("cudaLaunchKernel", 17, 20..25)
        .kernel("gemm", Stream(7), 50..50 + duration)
        .correlation(17)
        .complete("cuda_sync", "Stream Wait Event", 0, 7, 100..900)
        .arg("stream", "7")
        .correlation(17)
}

/// Writes `control.json` with 40 µs and `test.json.gz` with 42 µs on the device; one operator has another name.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("control.json"), trace(40).operator("aten::add", 41..43).json()).unwrap();
    std::fs::write(folder.path().join("test.json.gz"), trace(42).operator("aten::<relu>", 41..43).gzip()).unwrap();
    folder
}

/// Runs the binary in `folder`, without compiler, Python, home folder and cache.
fn tracebook(folder: &Path, words: &[&str]) -> Output {
    with_cache(folder, words, "off")
}

/// Runs the binary with a setting of the cache.
fn with_cache(folder: &Path, words: &[&str], cache: &str) -> Output {
    command(folder, words).env("TRACEBOOK_CACHE", cache).output().unwrap()
}

/// Returns the binary with these words, without the cache.
fn command(folder: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracebook"));
    command.args(words).current_dir(folder).env_clear().env("PATH", "/nowhere").env("TRACEBOOK_CACHE", "off");
    command
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

#[test]
fn diff_prints_a_plain_table_and_exits_with_zero() {
    let folder = folder();
    let output = tracebook(folder.path(), &["diff", "control.json", "test.json.gz"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("control      control.json\ntest         test.json.gz\n"), "{text}");
    assert!(text.contains("device time  40.0 µs → 42.0 µs (+5.0 %)"), "{text}");
    assert!(text.contains("operators    added 1 · deleted 1 · increased 0 · decreased 0 · unchanged"), "{text}");
    assert!(text.contains("gemm") && text.contains("[µs]") && text.contains("aten::<relu>"), "{text}");
    assert!(!text.contains('\u{1b}') && err(&output).is_empty(), "{}", err(&output));
}

#[test]
fn flags_of_the_magics_work_and_help_lists_them() {
    let folder = folder();
    let help = tracebook(folder.path(), &["diff", "--help"]);
    assert_eq!(help.status.code(), Some(0));
    for flag in [
        "--control-rank",
        "--test-iteration",
        "--device-type",
        "--where",
        "--use-short-name",
        "--filter",
        "--category",
        "--sort",
        "--columns",
        "--top",
        "--min-us",
        "--unit",
        "--compat",
        "--no-cache",
        "--csv",
        "--json",
        "--html",
        "--fail-over",
    ] {
        assert!(out(&help).contains(flag), "{flag}");
    }
    assert!(out(&help).starts_with("Usage: tracebook diff CONTROL TEST"), "{}", out(&help));
    let words =
        ["diff", "control.json", "test.json.gz", "--category=added,deleted", "--sort", "name:asc", "--columns", "name"];
    let output = tracebook(folder.path(), &words);
    let rows: Vec<&str> = out(&output).lines().filter(|line| line.starts_with("aten")).map(str::trim_end).collect();
    assert_eq!(rows, ["aten::<relu>", "aten::add"]);
    let gpu = tracebook(
        folder.path(),
        &["diff", "control.json", "test.json.gz", "--where", "dur > 35us", "--device-type", "gpu"],
    );
    assert!(out(&gpu).contains("gemm") && !out(&gpu).contains("aten::mm"), "{}", out(&gpu));
    assert!(out(&tracebook(folder.path(), &["--help"])).contains("diff"));
}

#[test]
fn csv_dash_writes_rows_to_standard_output() {
    let folder = folder();
    let output =
        tracebook(folder.path(), &["diff", "control.json", "test.json.gz", "--device-type", "gpu", "--csv", "-"]);
    assert_eq!(
        out(&output),
        "name,control_counts,control_total_duration,test_counts,test_total_duration,diff_counts,diff_duration,counts_change_categories\n\
         Stream Wait Event,1,800.0,1,800.0,0,0.0,=\n\
         gemm,1,40.0,1,42.0,0,2.0,=\n"
    );
    assert_eq!((output.status.code(), err(&output)), (Some(0), ""));
}

#[test]
fn json_has_selection_and_result() {
    let folder = folder();
    let words =
        ["diff", "control.json", "test.json.gz", "--json", "-", "--filter", "gemm|nccl", "--where", "dur > 1us"];
    let output = tracebook(folder.path(), &words);
    let answer: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(answer["version"], 2);
    assert_eq!((&answer["filter"], &answer["where"]), (&json!("gemm|nccl"), &json!("dur > 1us")));
    assert_eq!(answer["category"], Value::Null);
    assert_eq!(answer["control"], json!({"path": "control.json", "ranks": [0], "iterations": [1]}));
    assert_eq!(answer["device_type"], "all");
    assert_eq!(answer["device_time"], json!({"control_us": 40.0, "test_us": 42.0, "change_percent": 5.0}));
    assert_eq!(answer["groups"]["added"], json!(["aten::<relu>"]));
    assert_eq!(answer["groups"]["deleted"], json!(["aten::add"]));
    assert_eq!(answer["rows"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["rows"][0]["name"], "gemm");
    assert_eq!(answer["rows"][0]["diff_duration"], 2.0);
    assert_eq!(answer["columns"][0], "name");
    assert_eq!(answer["warnings"], json!([]));
}

#[test]
fn by_gives_each_group_rows_and_says_how_they_pair() {
    let folder = folder();
    let second = trace(50).metadata("x", "1").json().replace("\"rank\": 0", "\"rank\": 4");
    std::fs::create_dir(folder.path().join("two")).unwrap();
    std::fs::write(folder.path().join("two/a.json"), trace(41).json()).unwrap();
    std::fs::write(folder.path().join("two/b.json"), second).unwrap();
    let diff = |rest: &[&str]| {
        tracebook(folder.path(), &[&["diff", "control.json", "two", "--device-type", "gpu"], rest].concat())
    };
    let output = diff(&["--by", "rank", "--filter", "gemm", "--csv", "-"]);
    assert_eq!(
        out(&output),
        "rank,name,control_counts,control_total_duration,test_counts,test_total_duration,diff_counts,diff_duration,counts_change_categories\n\
         0,gemm,1,40.0,1,41.0,0,1.0,=\n\
         4,gemm,0,0.0,1,50.0,1,50.0,+\n",
        "{}",
        err(&output)
    );
    let text = diff(&["--by", "rank"]);
    assert!(out(&text).contains("Only in test: rank 4; its operators count as added."), "{}", out(&text));
    assert!(out(&text).contains("Time of GPU work in 1 rank: 40.0 µs → 41.0 µs (+2.5 %)."), "{}", out(&text));
    let json: Value = serde_json::from_str(out(&diff(&["--by", "iteration", "--json", "-"]))).unwrap();
    assert_eq!(
        (&json["by"], &json["columns"][0], &json["rows"][0]["iteration"]),
        (&json!("iteration"), &json!("iteration"), &json!(1))
    );
    let wrong = diff(&["--by", "step"]);
    assert_eq!((wrong.status.code(), err(&wrong).contains("`step`")), (Some(2), true), "{}", err(&wrong));
}

#[test]
fn html_page_is_self_contained_and_escapes_names() {
    let folder = folder();
    let output = tracebook(folder.path(), &["diff", "control.json", "test.json.gz", "--html", "diff.html", "--quiet"]);
    assert_eq!((output.status.code(), out(&output), err(&output)), (Some(0), "", ""));
    let page = std::fs::read_to_string(folder.path().join("diff.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    assert!(page.contains("aten::&lt;relu&gt;") && !page.contains("<relu>"));
    assert!(page.contains("<svg class=\"figure\"") && !page.contains("http"), "self-contained, with a figure");
    assert!(page.len() < 500_000, "{}", page.len());
}

#[test]
fn growth_beyond_the_limit_exits_with_three() {
    let folder = folder();
    let diff = |limit: &str| tracebook(folder.path(), &["diff", "control.json", "test.json.gz", "--fail-over", limit]);
    assert_eq!(diff("5%").status.code(), Some(0));
    let failed = diff("4.9");
    assert_eq!(failed.status.code(), Some(3));
    assert_eq!(err(&failed), "tracebook diff: device time grew by more than 4.9 %: 40.0 µs → 42.0 µs (+5.0 %)\n");
    assert!(out(&failed).contains("gemm"), "the report is printed all the same");
    let faster = tracebook(folder.path(), &["diff", "test.json.gz", "control.json", "--fail-over", "0"]);
    assert_eq!(faster.status.code(), Some(0));
}

/// Growth from 100 µs to 100.7 µs is exactly 0.7 %; one more nanosecond exceeds it.
#[test]
fn fail_over_compares_whole_nanoseconds() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, nanos: i64| {
        let trace = TraceBuilder::new().nanos().step(1, 0..10_000_000).operator("aten::mm", 10..40);
        let trace = trace
            .runtime("cudaLaunchKernel", 1, 20..30)
            .kernel("gemm", Stream(7), 50_000..50_000 + nanos)
            .correlation(1);
        std::fs::write(folder.path().join(name), trace.json()).unwrap();
    };
    let code = |share: &str| {
        let words = ["diff", "a.json", "b.json", "--fail-over", share, "--quiet"];
        tracebook(folder.path(), &words).status.code()
    };
    for (control, test, share) in [
        (100_000, 100_700, "0.7%"),
        (1_000, 1_050, "5%"),
        (700_000, 700_700, "0.1"),
        (1_000, 1_290, "29 %"),
        (100_000, 99_000, "-1%"),
    ] {
        write("a.json", control);
        for (nanos, expected) in [(test - 1, 0), (test, 0), (test + 1, 3)] {
            write("b.json", nanos);
            assert_eq!(code(share), Some(expected), "{control} → {nanos} ns, {share}");
        }
        write("b.json", test);
        let output = tracebook(folder.path(), &["diff", "a.json", "b.json", "--json", "-"]);
        let answer: Value = serde_json::from_str(out(&output)).unwrap();
        let exact: f64 = share.trim_end_matches(['%', ' ']).parse().unwrap();
        assert_eq!(answer["device_time"]["change_percent"], exact, "no floating-point noise");
    }
}

#[test]
fn different_recordings_cause_warnings() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, size: i64, device: &str, flag: &str| {
        let trace = trace(40)
            .metadata("distributedInfo", &format!("{{\"rank\": 0, \"world_size\": {size}}}"))
            .metadata("deviceProperties", &format!("[{{\"name\": \"{device}\"}}]"))
            .metadata(flag, "1");
        std::fs::write(folder.path().join(name), trace.json()).unwrap();
    };
    write("a.json", 8, "H100", "with_stack");
    write("b.json", 2, "MI300X", "record_shapes");
    let output = tracebook(folder.path(), &["diff", "a.json", "b.json"]);
    for part in [
        "the jobs differ in size: \"control\" ran on 8 ranks, \"test\" on 2",
        "the devices differ",
        "stacks, \"test\" shapes",
    ] {
        assert!(err(&output).contains(part), "{part}: {}", err(&output));
    }
    let equal = tracebook(folder.path(), &["diff", "a.json", "a.json"]);
    let same = "warning: \"control\" and \"test\" are the same recording (all events are equal): nothing can differ; load the other run\n";
    assert_eq!(err(&equal), same);
}

#[test]
fn errors_have_messages_and_exit_codes() {
    let folder = folder();
    for (words, code, expected) in [
        (&["diff", "control.json"][..], 2, "tracebook diff: missing TEST; usage: "),
        (&["diff", "control.json", "test.json.gz", "--tpo", "3"], 2, "unknown flag `--tpo`; did you mean --top?"),
        (
            &["diff", "a", "b", "--json", "-", "--csv", "-"],
            2,
            "cannot write --csv and --json to standard output: it takes one file; name a file for one of them",
        ),
        (
            &["diff", "control.json", "test.json.gz", "--fail-over", "much"],
            2,
            "invalid --fail-over `much`: expected a percentage such as 5%",
        ),
        (&["diff", "control.json", "nothing.json"], 1, "tracebook diff: nothing.json: no such file or folder"),
        (&["diff", "control.json", "test.json.gz", "--control-iteration", "9"], 2, "has no iteration 9 (has 1)"),
        (
            &["diff", "control.json", "test.json.gz", "--csv", "no/such/x.csv"],
            1,
            "cannot write no/such/x.csv: the folder no/such does not exist; create it",
        ),
        (&["describe"], 2, "missing NAME; usage: tracebook describe NAME"),
        (&["describe", "nothing.json"], 1, "tracebook describe: nothing.json: no such file or folder"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", err(&output));
        assert!(err(&output).contains(expected), "{words:?}: {}", err(&output));
        assert!(!err(&output).contains('%') || words.contains(&"much"), "{}", err(&output));
    }
}

#[test]
fn warnings_go_to_standard_error_once_each() {
    let folder = folder();
    let json = trace(40).json();
    std::fs::write(folder.path().join("cut.json"), &json[..json.len() - 40]).unwrap();
    let output = tracebook(folder.path(), &["diff", "cut.json", "cut.json", "--csv", "-"]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(err(&output).matches("warning: cut.json is incomplete").count(), 1, "{}", err(&output));
    assert_eq!(err(&output).lines().count(), 2, "and that both are one recording: {}", err(&output));
}

#[test]
fn describe_prints_the_page_and_writes_files() {
    let folder = folder();
    let output = tracebook(folder.path(), &["describe", "control.json", "--json", "page.json", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("control: rank 0 · iteration 1 · 6 events · 900 µs"), "{text}");
    assert!(text.contains("no anomalies found") && text.contains("top kernels of control"), "{text}");
    assert_eq!(err(&output), "wrote page.json\nwrote page.html\n");
    let page: Value = serde_json::from_slice(&std::fs::read(folder.path().join("page.json")).unwrap()).unwrap();
    assert_eq!(page["description"]["ranks"][0]["device"]["busy_ns"], 40_000);
    assert!(std::fs::read_to_string(folder.path().join("page.html")).unwrap().contains("top operators of control"));
    let json = tracebook(folder.path(), &["describe", "control.json", "--json", "-"]);
    assert!(serde_json::from_str::<Value>(out(&json)).is_ok());
}

/// A magic and its command are one function: on standard output stands the same page.
#[test]
fn commands_print_the_pages_of_their_magics() {
    let folder = folder();
    for (command, magic) in [
        (&["explain", "control.json", "test.json.gz", "--top", "3"][..], "%explain control test --top 3"),
        (&["tree-diff", "control.json", "test.json.gz", "--depth", "2"], "%tree_diff control test --depth 2"),
        (&["critical-path", "control.json", "test.json.gz"], "%critical_path control test"),
        (&["describe", "control.json", "test.json.gz"], "%describe control test"),
        (&["operators", "control.json", "--by", "stack"], "%operators control --by stack"),
    ] {
        let output = tracebook(folder.path(), command);
        let asked = tracebook(folder.path(), &["ask", magic, "control.json", "test.json.gz"]);
        assert_eq!((output.status.code(), out(&output)), (Some(0), out(&asked)), "{magic}: {}", err(&output));
        assert!(!out(&output).is_empty(), "{magic}");
    }
}

#[test]
fn explain_prints_a_page_and_writes_files() {
    let folder = folder();
    let words =
        ["explain", "control.json", "test.json.gz", "--json", "why.json", "--html", "why.html", "--csv", "why.csv"];
    let output = tracebook(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("test is as fast as control a step, 100 µs → 100 µs"), "{text}");
    assert!(text.contains("By class: compute +2.00 µs, idle −2.00 µs."), "{text}");
    let document: Value = serde_json::from_slice(&std::fs::read(folder.path().join("why.json")).unwrap()).unwrap();
    assert_eq!(document["classes"][0]["delta_ns"], 2_000.0);
    assert!(std::fs::read_to_string(folder.path().join("why.html")).unwrap().contains("idle time by cause"));
    assert_eq!(std::fs::read_to_string(folder.path().join("why.csv")).unwrap().lines().count(), 2);
    let wrong = tracebook(folder.path(), &["explain", "control.json", "test.json.gz", "--rank", "5"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("has no rank 5 (has 0)"), "{}", err(&wrong));
    let json = tracebook(folder.path(), &["explain", "control.json", "test.json.gz", "--json", "-"]);
    assert!(serde_json::from_str::<Value>(out(&json)).is_ok());
}

#[test]
fn second_run_uses_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let events =
        (0..60_000).map(|at| format!("{{\"cat\": \"cpu_op\", \"name\": \"op {}\", \"ts\": {at}, \"dur\": 1}}", at % 9));
    let events: Vec<String> = events.collect();
    let large = folder.path().join("large.json");
    std::fs::write(&large, format!("{{\"traceEvents\": [{}]}}", events.join(","))).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    // A file that was written a moment ago is not kept.
    File::options().write(true).open(&large).unwrap().set_modified(long_ago).unwrap();
    let entries = || -> Vec<PathBuf> {
        let found = std::fs::read_dir(folder.path().join("cache")).into_iter().flatten().flatten();
        found.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "arrow")).collect()
    };
    for words in [
        ["describe", "large.json"].as_slice(),
        &["diff", "large.json", "large.json"],
        &["explain", "large.json", "large.json"],
    ] {
        let fresh = with_cache(folder.path(), words, "off");
        let run = |words: &[&str], cache: &str| {
            let output = with_cache(folder.path(), words, cache);
            assert_eq!((output.status, out(&output), err(&output)), (fresh.status, out(&fresh), err(&fresh)));
        };
        run(words, "./cache");
        let [entry] = entries().try_into().unwrap();
        // The time of the last access is set when an entry is used, whatever the file system does.
        let was_used = || std::fs::metadata(&entry).unwrap().accessed().unwrap() > long_ago + Duration::from_secs(1800);
        let age = || File::open(&entry).unwrap().set_times(FileTimes::new().set_accessed(long_ago)).unwrap();
        age();
        run(words, "./cache");
        assert!(was_used(), "{words:?}");
        age();
        run(&[words, &["--no-cache"]].concat(), "./cache");
        assert!(!was_used(), "{words:?}");
    }
    let invalid = with_cache(folder.path(), &["describe", "large.json"], "sometimes");
    assert_eq!(invalid.status.code(), Some(0));
    assert_eq!(err(&invalid).matches("invalid TRACEBOOK_CACHE").count(), 1, "{}", err(&invalid));
}

#[test]
fn explain_takes_several_runs_a_side() {
    let folder = folder();
    let words = ["explain", "--control", "control.json", "--control", "test.json.gz", "--test", "test.json.gz"];
    let output = tracebook(folder.path(), &[&words[..], &["--json", "-"]].concat());
    let document: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(
        (&document["control"]["label"], &document["test"]["label"]),
        (&json!("control1,control2"), &json!("test"))
    );
    assert_eq!(document["step"]["n"], json!([2, 1]));
    assert_eq!(document["classes"][0]["control_ns"], 41_000.0);
    let wrong = |words: &[&str]| {
        let output = tracebook(folder.path(), &[&["explain"], words].concat());
        assert_eq!(output.status.code(), Some(2));
        err(&output).to_owned()
    };
    assert!(wrong(&[]).contains("missing CONTROL: the path of a trace, or --control for each of its runs"));
    assert!(wrong(&["control.json"]).contains("missing TEST"));
    let both = wrong(&["control.json", "test.json.gz", "--test", "test.json.gz"]);
    assert!(both.contains("cannot take TEST and --test"), "{both}");
    assert!(wrong(&["control.json", "test.json.gz", "--rank", "fastest"]).contains("all or slowest"));
}

#[test]
fn explain_writes_the_region_of_every_event() {
    let folder = folder();
    let words = ["explain", "control.json", "test.json.gz", "--ranks", "slowest", "--where", "dur > 41us"];
    let output = tracebook(folder.path(), &[&words[..], &["--events", "-"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let head = "side,run,rank,iteration,ts,dur,stream,name,region,grade,attributed_ns\n";
    assert_eq!(
        out(&output),
        format!("{head}control,0,0,1,50000,40000,7,gemm,0,exact,40000\ntest,0,0,1,50000,42000,7,gemm,0,exact,42000\n")
    );
    let output = tracebook(folder.path(), &[&words[..], &["--events", "events.parquet", "--quiet"]].concat());
    assert_eq!((output.status.code(), out(&output)), (Some(0), ""));
    assert!(std::fs::read(folder.path().join("events.parquet")).unwrap().starts_with(b"PAR1"));
    let output = tracebook(folder.path(), &words);
    assert!(out(&output).contains("Chosen, where dur > 41us: 1 of 1 region with +2.00 µs"), "{}", out(&output));
}

#[test]
fn tree_diff_prints_a_tree_and_writes_files() {
    let folder = folder();
    let words = [
        "tree-diff",
        "control.json",
        "test.json.gz",
        "--json",
        "tree.json",
        "--html",
        "tree.html",
        "--csv",
        "tree.csv",
    ];
    let output = tracebook(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("test is as fast as control a step, 100 µs → 100 µs"), "{text}");
    assert!(text.contains("the aligned tree · control → test") && text.contains("▾ idle"), "{text}");
    let document: Value = serde_json::from_slice(&std::fs::read(folder.path().join("tree.json")).unwrap()).unwrap();
    assert_eq!(document["rows"][0]["delta_ns"], 2_000.0);
    assert!(std::fs::read_to_string(folder.path().join("tree.html")).unwrap().contains("<details open"));
    let rows = document["rows"].as_array().unwrap().len();
    assert_eq!(std::fs::read_to_string(folder.path().join("tree.csv")).unwrap().lines().count(), rows + 1);
    let wrong = tracebook(folder.path(), &["tree-diff", "control.json", "test.json.gz", "--modules"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(err(&wrong).contains("cannot cut the tree at modules"), "{}", err(&wrong));
}

#[test]
fn critical_path_prints_tables_and_writes_a_document() {
    let folder = folder();
    let words = ["critical-path", "control.json", "--what-if", "name ~ gemm x 0.5", "--html", "path.html"];
    let output = tracebook(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let text = out(&output);
    assert!(text.starts_with("Rank 0 of control, ProfilerStep#1 (instance 0, of 1 from 0), 100 µs, is "), "{text}");
    assert!(text.contains("what bounds the step · control") && text.contains("What if name ~ gemm x 0.5"), "{text}");
    assert!(std::fs::read_to_string(folder.path().join("path.html")).unwrap().contains("<svg class=\"figure\""));
    let output = tracebook(folder.path(), &["critical-path", "control.json", "--annotation", "", "--json", "-"]);
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&document["version"], &document["replay_error_ns"]), (&json!(1), &json!(0)));
    let window = &document["windows"][0];
    let parts = window["summary"].as_array().unwrap().iter().map(|part| part["duration_ns"].as_i64().unwrap());
    assert_eq!(Some(parts.sum::<i64>()), window["duration_ns"].as_i64());
    assert_eq!(window["instance"], Value::Null);
    let wrong = tracebook(folder.path(), &["critical-path", "control.json", "--what-if", "name ~ gemm"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("expected a factor; end with `x` and a factor"), "{}", err(&wrong));
    let missing = tracebook(folder.path(), &["critical-path", "control.json", "--instance", "4"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(
        err(&missing).contains("rank 0 has no instance 4 of `ProfilerStep`: it has 1 instance"),
        "{}",
        err(&missing)
    );
}

#[test]
fn critical_path_compares_two_traces() {
    let folder = folder();
    let words = ["critical-path", "control.json", "test.json.gz", "--json", "change.json", "--csv", "-"];
    let output = tracebook(folder.path(), &words);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).starts_with("bound_by,"), "{}", out(&output));
    assert!(std::fs::read_to_string(folder.path().join("change.json")).unwrap().contains("\"control\""));
    let page = tracebook(folder.path(), &words[..3]);
    let asked = ["ask", "%critical_path control test", "control.json", "test.json.gz"];
    let asked = tracebook(folder.path(), &asked);
    let first = |output: &Output| out(output).lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(&page), first(&asked), "{}", err(&page));
    let wrong = tracebook(folder.path(), &["critical-path", "control.json", "test.json.gz", "--edges"]);
    assert!(err(&wrong).contains("cannot use --edges with two traces"), "{}", err(&wrong));
}

#[test]
fn rows_are_sorted_by_columns_as_tables_write_them() {
    let folder = folder();
    let sorted = |column: &str| {
        let words = ["diff", "control.json", "test.json.gz", "--sort", column, "--csv", "-"];
        let output = tracebook(folder.path(), &words);
        assert_eq!(output.status.code(), Some(0), "{}", err(&output));
        out(&output).to_owned()
    };
    let rows: Vec<Vec<String>> =
        sorted("diff [%]").lines().map(|line| line.split(',').map(str::to_owned).collect()).collect();
    let index = |name: &str| rows[0].iter().position(|column| column == name).unwrap();
    let (control, diff) = (index("control_total_duration"), index("diff_duration"));
    let shares: Vec<f64> = rows[1..]
        .iter()
        .map(|row| row[diff].parse::<f64>().unwrap() / row[control].parse::<f64>().unwrap())
        .filter(|share| share.is_finite())
        .collect();
    assert!(shares.len() > 1 && shares.is_sorted_by(|one, other| one >= other), "{shares:?}");
    assert_eq!(sorted("diff_duration [µs]"), sorted("diff_duration"));
}
