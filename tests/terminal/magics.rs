//! Magics of the notebook as commands.

use super::{command, err, folder, out, tracebook};
use trace_testkit::{Stream, TraceBuilder};

#[test]
fn ask_runs_magics_over_files() {
    let folder = folder();
    let asked = |words: &[&str]| {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", err(&output));
        out(&output).to_owned()
    };
    assert!(asked(&["lsmagic"]).contains("%operators"), "a magic without a trace needs none");
    let operators = asked(&["ask", "%operators control --top 1", "control.json"]);
    assert!(operators.contains("operators · control") && operators.contains("1 of "), "{operators}");
    assert!(!operators.contains("Operators by"), "no figure besides a table: {operators}");
    // Names of one's own, several lines, and a magic without its sigil.
    let several = asked(&["ask", "trace_info a\n%trace_info b", "a=control.json", "b=test.json.gz"]);
    assert!(several.contains("trace a") && several.contains("trace b"), "{several}");
    assert!(asked(&["ask", "%operators?", "control.json"]).contains("Usage: %operators NAME"));
    for (words, code, message) in [
        (&["ask", "%operators nope", "control.json"][..], 2, "unknown trace `nope`"),
        (&["ask", "let x = 5;", "control.json"], 2, "Rust cells need a notebook"),
        (&["ask", "%operators control"], 2, "missing TRACE"),
        (&["ask", "%operators control", "missing.json"], 1, "missing.json: no such file"),
        (&["ask", "%trace_sql SELECT nme FROM events", "control.json"], 1, "did you mean name?"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(code), "{words:?}");
        assert!(err(&output).contains(message), "{words:?}: {}", err(&output));
    }
}

#[test]
fn a_trace_that_is_a_dash_is_standard_input() {
    let folder = folder();
    for words in [
        &["operators", "-"][..],
        &["ask", "%operators stdin", "-"],
        &["ask", "%operators a", "a=-"],
        &["describe", "-"],
    ] {
        let input = std::fs::File::open(folder.path().join("control.json")).unwrap();
        let output = command(folder.path(), words).stdin(input).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", err(&output));
        assert!(out(&output).contains("aten::mm"), "{words:?}: {}", out(&output));
    }
}

#[test]
fn warnings_go_to_standard_error_and_stay_with_quiet() {
    let folder = folder();
    for words in [&["explain", "control.json", "control.json"][..], &["tree-diff", "control.json", "control.json"]] {
        let shown = tracebook(folder.path(), words);
        let quiet = tracebook(folder.path(), &[words, &["--quiet"]].concat());
        let warning = "are the same recording (all events are equal)";
        assert!(!out(&shown).contains(warning) && !out(&shown).is_empty(), "{words:?}: {}", out(&shown));
        assert!(err(&shown).contains(warning) && err(&quiet).contains(warning), "{words:?}: {}", err(&quiet));
        assert_eq!(out(&quiet), "");
    }
    let asked = tracebook(folder.path(), &["ask", "%explain a b", "a=control.json", "b=control.json"]);
    assert!(err(&asked).contains("warning: ") && !out(&asked).contains("Warning: "), "{}", out(&asked));
}

#[test]
fn a_file_that_is_a_dash_is_standard_output() {
    let folder = folder();
    let (control, test) = ("control.json", "test.json.gz");
    for (words, start) in [
        (&["report", control, test, "--html", "-"][..], "<!doctype html>"),
        (&["timeline", control, "--html", "-"], "<!doctype html>"),
        (&["timeline", control, "--html=-"], "<!doctype html>"),
        (&["operators", control, "--csv", "-"], "name,count,"),
        (&["events", control, "--csv", "-", "--top", "3"], "rank,"),
        (&["sql", "SELECT COUNT(*) AS n FROM events", control, "--csv", "-"], "n\n"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", err(&output));
        let text = out(&output);
        assert!(text.to_lowercase().starts_with(start), "{words:?}: {:?}", text.chars().take(200).collect::<String>());
        assert!(!text.contains("wrote "), "{words:?}");
    }
    assert!(!folder.path().join("-").exists());
    let output = tracebook(folder.path(), &["timeline", control, "--html", "-", "--png", "-"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("to standard output: it takes one file"), "{}", err(&output));
    let output = tracebook(folder.path(), &["gpu-kernel-breakdown", control, "--csv", "-"]);
    assert_eq!(output.status.code(), Some(2));
    let message =
        "gpu-kernel-breakdown: cannot write --csv to standard output: the answer has several tables, each a file";
    assert!(err(&output).contains(message), "{}", err(&output));
}

#[test]
fn magics_are_commands() {
    let folder = folder();
    let control = "control.json";
    for (words, expected) in [
        (&["operators", control, "--top", "1", "--no-figure"][..], "operators · control"),
        (&["serving", control], "No server annotates its steps"),
        (&["serving", control, "test.json.gz"], "serving · control → test"),
        (&["what-if", control, "gemm", "x", "0.5"], "What if name ~ \"gemm\" x 0.5"),
        (&["events", control, "--where", "dur > 1us", "--top", "2"], "events · control"),
        (&["sql", "SELECT trace, COUNT(*) AS n FROM events GROUP BY trace", control, "test.json.gz"], "test "),
        (&["compare-traces", control, "test.json.gz", "--top", "1"], "compare_traces · control → test"),
        (&["trace-diff", control], ""),
        (&["timeline", control, "--html", "timeline.html"], "Timeline of control"),
        (&["gpu-kernel-breakdown", control, "--no-figure"], "gpu_kernel_breakdown · control"),
        (&["operators", "--help"], "Usage: tracebook operators NAME"),
        (&["help", "operators"], "\n  tracebook operators control"),
        (&["help", "explain"], "--control PATH"),
        (&["help", "what-if"], "Usage: tracebook what-if NAME [CHANGE]"),
        (&["sql", "--help"], "Usage: tracebook sql [STATEMENT] [TRACE] [TRACE …]"),
        (&["help", "diff"], "Usage: tracebook diff CONTROL TEST"),
        (&["help"], "Usage: tracebook <COMMAND>"),
    ] {
        let output = tracebook(folder.path(), words);
        if expected.is_empty() {
            assert_eq!(output.status.code(), Some(2), "{words:?}");
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", err(&output));
        assert!(out(&output).contains(expected), "{words:?}: {}", out(&output));
    }
    assert!(folder.path().join("timeline.html").exists());
    for (words, message) in [
        (&["operatrs", control][..], "unknown command `operatrs`; did you mean operators?"),
        (&["operators"], "tracebook operators: missing NAME; usage: tracebook operators NAME"),
        (&["timeit", control], "cannot run timeit: %timeit is for notebooks"),
        (&["load", control], "cannot run load: %trace_load is for notebooks"),
        (&["get_trace_df", control], "unknown command `get_trace_df`; here it is tracebook events"),
        (&["stragglers", control], "here it is tracebook potential-stragglers"),
        (
            &["diff", "*.json*", control],
            "cannot load *.json*: it names 2 runs: control.json, test.json.gz; name one of them",
        ),
        (&["operators", control, "--tpo", "5"], "unknown flag `--tpo`"),
        (&["diff", control, "test.json.gz", control], "if a pattern named it, quote that"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(err(&output).contains(message), "{words:?}: {}", err(&output));
    }
}

/// A replay of a graph of two kernels and its capture, as files.
fn graphs(folder: &std::path::Path) {
    let replay = TraceBuilder::new().runtime("hipGraphLaunch", 1, 10..15);
    let replay =
        replay.kernel("gemm", Stream(7), 20..30).correlation(1).kernel("gelu", Stream(7), 30..60).correlation(1);
    let mut capture = TraceBuilder::new().runtime("hipStreamBeginCapture", 8, 1..2);
    for (at, operator, kernel) in [(10, "aten::mm", "gemm"), (20, "aten::gelu", "gelu")] {
        capture = capture.runtime("hipLaunchKernel", at, at + 2..at + 3).arg("kernel", &format!("\"{kernel}\""));
        capture = capture.operator(operator, at..at + 8);
    }
    let capture = capture.runtime("hipStreamEndCapture", 9, 40..41);
    for (name, trace) in [("replay.json", &replay), ("again.json", &replay), ("capture.json", &capture)] {
        std::fs::write(folder.join(name), trace.json()).unwrap();
    }
}

#[test]
fn companions_of_commands_are_paths() {
    let folder = folder();
    graphs(folder.path());
    let sentence = "Kernels of graphs with operators from capture: 2 of 2";
    let sql = "SELECT name, operator FROM kernels WHERE trace = 'replay' AND operator = 'aten::gelu'";
    for (words, expected) in [
        (&["operators", "replay.json", "--companion", "capture.json"][..], sentence),
        (&["operators", "--companion=capture.json", "replay.json"], sentence),
        (&["roofline", "replay.json", "--companion", "./capture.json"], sentence),
        (&["operators", "replay.json", "--companion", "lender=capture.json"], "with operators from lender: 2 of 2"),
        (
            &["operators", "replay.json", "--companion", "capture.json", "--companion", "again.json"],
            "with operators from capture, again: 2 of 2",
        ),
        (&["operators", "replay.json", "--companion", "capture.json,again.json"], "from capture, again: 2 of 2"),
        (&["events", "replay.json", "--device-type", "gpu", "--companion", "capture.json"], "borrowed from capture"),
        (&["sql", sql, "replay.json", "--companion", "capture.json"], "aten::gelu"),
        (&["ask", "%operators r --companion c", "r=replay.json", "c=capture.json"], "with operators from c: 2 of 2"),
        (&["explain", "replay.json", "again.json", "--companion", "capture.json"], "2 of 2 in control, 2 of 2 in test"),
        (&["tree-diff", "replay.json", "again.json", "--companion", "capture.json", "--json", "-"], "aten::gelu"),
        (&["critical-path", "replay.json", "--companion", "capture.json"], "aten::gelu"),
        (&["critical-path", "replay.json", "again.json", "--companion", "capture.json"], "2 of 2 in again"),
        (&["operators", "replay.json", "--companion", "none"], "operators · replay"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_eq!(output.status.code(), Some(0), "{words:?}: {}", err(&output));
        assert!(out(&output).contains(expected), "{words:?}: {}", out(&output));
    }
    for (words, message) in [
        (&["operators", "replay.json", "--companion", "nothing.json"][..], "nothing.json: no such file"),
        (&["operators", "replay.json", "--companion", "captur"], "captur: no such file"),
        (&["operators", "replay.json", "--companion"], "--companion"),
    ] {
        let output = tracebook(folder.path(), words);
        assert_ne!(output.status.code(), Some(0), "{words:?}");
        assert!(err(&output).contains(message), "{words:?}: {}", err(&output));
    }
}
