//! Sixty mistakes of a new user: each message names the thing, the reason and the fix.

#![allow(clippy::unwrap_used)]
use super::fixtures::{folder, loaded};

/// A line, and three fragments of its message: thing, reason, fix.
type Mistake = (&'static str, [&'static str; 3]);

const MISTAKES: &[Mistake] = &[
    // Names.
    ("%trace_lod x", ["`%trace_lod`", "unknown magic", "did you mean %trace_load?"]),
    ("%nonsense", ["`%nonsense`", "unknown magic", "%lsmagic lists all"]),
    ("%%nonsense\n1", ["`%%nonsense`", "unknown cell magic", "%%time, %%timeit or %%opt"]),
    ("%%compare_traces control test\n", ["%%compare_traces", "a line magic", "with one %"]),
    ("%opt", ["%opt", "applies to a whole cell", "write %%opt on the first line"]),
    ("let x = 1;\n%%opt", ["%%opt", "cannot run", "the first line of a cell"]),
    ("%matplotlib inline", ["%matplotlib", "figures need no backend", "%visualize"]),
    ("%run train.py", ["%run", "cells are Rust", "`:dep`"]),
    ("%pip install numpy", ["%pip", "cells are Rust", "`:dep rand = \"0.9\"`"]),
    ("%load_ext tensorboard", ["%load_ext", "no extensions", "%lsmagic"]),
    ("%ls", ["%ls", "no shell", "%pwd"]),
    ("%hist", ["%hist", "the notebook itself", "%who"]),
    ("%debug", ["%debug", "no debugger", "`dbg!(x)`"]),
    ("%prun f()", ["%prun", "not profiled", "%timeit"]),
    ("%autoreload 2", ["%autoreload", "nothing is imported", "defines a function again"]),
    ("%env HOME", ["%env", "environment", "std::env::var"]),
    ("%%bash\nls", ["%%bash", "no shell", "terminal"]),
    ("%%writefile x.py\n1", ["%%writefile", "cells write no files", "--csv"]),
    ("%memory_analysis control", ["%memory_analysis", "here it is %memory_timeline", "%memory_timeline? for help"]),
    (
        "%get_cupti_counter_data_with_operators control",
        ["%get_cupti_counter_data_with_operators", "here it is %cupti_counters", "%cupti_counters? for help"],
    ),
    (
        "%get_temporal_breakdown control",
        ["%get_temporal_breakdown", "here it is %temporal_breakdown", "%temporal_breakdown? for help"],
    ),
    ("%load data/x.json", ["%load", "here it is %trace_load", "%trace_load? for help"]),
    // Files.
    ("%trace_load no/such.json", ["no/such.json", "no such file or folder", "looked for in"]),
    ("%trace_load https://host/run7/", ["https://host/run7/", "a web server has no listing", "name the file"]),
    ("%trace_load s3a://bucket/run", ["s3a://bucket/run", "unknown scheme `s3a`", "did you mean s3://bucket/run?"]),
    ("%trace_load s3://AKIA:secret@bucket/run", ["s3://…", "contains credentials", "set AWS_ACCESS_KEY_ID"]),
    ("%trace_load file:///data/run", ["/data/run", "no such file", "file or folder"]),
    ("%trace_load {folder}/zip.json", ["zip.json is not a trace", "incomplete zip archive", "`unzip -t FILE`"]),
    ("%trace_load {folder}/lines.json", ["lines.json", "keys of one event", "`jq -s .`"]),
    ("%trace_load {folder}/wide.json", ["wide.json", "UTF-16", "iconv"]),
    ("%trace_load {folder}/run.nsys-rep", ["run.nsys-rep", "a report of Nsight Systems", "export_chrome_trace"]),
    ("%trace_load {folder}/control.json as a", ["unexpected argument `as`", "two dashes", "--as NAME"]),
    ("%trace_load {folder}/control.json --as type", ["invalid name `type`", "Rust keyword", "try type_1"]),
    ("%trace_load ${NOT_SET_HERE}/x", ["NOT_SET_HERE", "is not set", "${NOT_SET_HERE:-DEFAULT}"]),
    ("%trace_load {folder}/control.json --rank 7", ["trace \"control\"", "no rank 7", "(has 0)"]),
    ("%cd /no/such/folder", ["cannot enter /no/such/folder", "no such file or folder", "Tab lists"]),
    ("%cd {folder}/control.json", ["cannot enter", "a file, not a folder", "%trace_load"]),
    // Traces and variables.
    ("%describe contrl", ["unknown trace `contrl`", "expected control or test", "did you mean control?"]),
    ("%show nothing", ["`nothing`", "unknown variable", "%who lists all"]),
    (
        "%show control",
        ["invalid variable `control`", "expected a data frame, not a loaded trace", "'control.events()'"],
    ),
    // Ranks, iterations, streams, columns.
    ("%compare_traces control test --control-rank 3", ["trace \"control\"", "no rank 3", "(has 0)"]),
    ("%compare_traces control test --test-iteration 9", ["trace \"test\"", "no iteration 9", "(has 1)"]),
    ("%idle_time_breakdown control --streams 99", ["trace \"control\"", "no stream 99 on rank 0", "(has 7)"]),
    (
        "%compare_traces control test --rank 0",
        ["`--rank`", "unknown flag", "did you mean --control-rank or --test-rank?"],
    ),
    ("%compare_traces control test --sort durr", ["unknown column `durr`", "expected name", "control_total_duration"]),
    (
        "%compare_traces control test --where 'duration > 100us'",
        ["`duration`", "unknown column", "did you mean `dur`?"],
    ),
    ("%what_if control 'name ~ \"gemm\"'", ["%what_if", "expected a factor", "end with `x` and a factor"]),
    ("%critical_path control --instance 7", ["rank 0 has no instance 7", "it has 1 instance", "numbered from 0"]),
    ("%compare_traces control test --where 'dur > 100'", ["`dur`", "is a time", "as in 100us"]),
    ("%compare_traces control test --where dur > 1us", ["dur", "expected a comparison", "quote the whole condition"]),
    // Values.
    ("%compare_traces control", ["missing TEST", "usage", "%compare_traces CONTROL TEST"]),
    ("%compare_traces control test --top", ["--top", "missing value", "expected a whole number"]),
    (
        "%compare_traces control test --device-type gpuu",
        ["--device-type `gpuu`", "expected all, cpu or gpu", "did you mean gpu?"],
    ),
    (
        "%compare_traces control test --control-rank first",
        ["--control-rank `first`", "expected a list of whole numbers", "0,2,4-7, or all"],
    ),
    (
        "%compare_traces control test --csv -",
        ["--csv `-`", "a notebook has no standard output", "x = %compare_traces …"],
    ),
    (
        "%compare_traces control test --csv no/such/out.csv",
        ["cannot write no/such/out.csv", "the folder no/such does not exist", "create it"],
    ),
    ("%compare_traces control test --csv {folder}", ["cannot write", "it is a folder", "name a file in it"]),
    (
        "%compare_traces control test --filter 'a('",
        ["--filter `a(`", "expected a regular expression", "unclosed group"],
    ),
    ("%compare_traces control test --filter 'a", ["`'a`", "missing", "closing '"]),
    ("x = %trace_list", ["%trace_list", "cannot bind x", "has no result"]),
    ("x = %time %pwd", ["%time", "the time of %time is not a value", "%time x = %pwd"]),
    ("%time", ["%time", "missing CODE", "usage"]),
    ("%frequent_cuda_kernel_sequences control", ["%frequent_cuda_kernel_sequences", "missing OPERATOR", "usage"]),
];

#[test]
fn every_mistake_gets_thing_reason_and_fix() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("zip.json"), b"PK\x03\x04 and more").unwrap();
    std::fs::write(path("lines.json"), "{\"ph\": \"X\", \"ts\": 1}\n{\"ph\": \"X\", \"ts\": 2}\n").unwrap();
    std::fs::write(path("wide.json"), b"\xff\xfe{\0}\0").unwrap();
    std::fs::write(path("run.nsys-rep"), "anything").unwrap();
    let mut notebook = loaded(&folder);
    assert!(MISTAKES.len() >= 60, "{}", MISTAKES.len());
    let mut missing = Vec::new();
    for (line, parts) in MISTAKES {
        let line = line.replace("{folder}", folder.path().to_str().unwrap());
        let message = notebook.error(&line);
        // With --nocapture, for reading the messages aloud.
        println!("{line}\n    {message}");
        for part in parts.iter().filter(|part| !message.contains(*part)) {
            missing.push(format!("{line}\n  lacks {part:?}: {message}"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn unknown_operator_is_answered_with_known_operators() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let text = notebook.text("%frequent_cuda_kernel_sequences control relu --min-pattern-len 1");
    assert!(text.contains("No operator on rank 0 has a name that contains \"relu\"."), "{text}");
    assert!(text.contains("Operators that launch 1 kernel or more: aten::mm (1 ×)."), "{text}");
    assert!(!text.contains("(no rows)") && !text.contains("pattern  count"), "an empty table says nothing: {text}");
}

#[test]
fn duplicates_and_all_count_once() {
    let folder = folder();
    let mut notebook = loaded(&folder);
    let plain = notebook.text("%compare_traces control test");
    for flags in [
        "--control-rank 0,0 --test-rank all",
        "--control-rank all --control-iteration 1,1",
        "--test-iteration all --control-iteration ALL",
    ] {
        assert_eq!(notebook.text(&format!("%compare_traces control test {flags}")), plain, "{flags}");
    }
    let plain = notebook.text("%idle_time_breakdown control");
    assert_eq!(notebook.text("%idle_time_breakdown control --rank 0,0 --streams 7,7"), plain);
    assert_eq!(notebook.text("%idle_time_breakdown control --rank all --streams all"), plain);
    assert!(notebook.text("%temporal_breakdown control --iteration all").contains("iteration 1"));
    notebook.text("%trace_info control --rank all");
}
