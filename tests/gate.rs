//! `tracebook gate`, `baseline` and `record-loop` as a shell and CI run them: outputs, files and exit codes of the binary.
#![allow(clippy::unwrap_used, missing_docs)]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;
use trace_testkit::{Stream, TraceBuilder};

/// Ten operators in four iterations, one of them with a kernel that takes `us`; every run and kernel has noise of its own.
fn trace(seed: i64, us: i64) -> TraceBuilder {
    let mut trace = TraceBuilder::new().metadata("distributedInfo", "{\"rank\": 0, \"world_size\": 1}");
    let mut at = 0;
    for iteration in 0..4 {
        let begin = at;
        let mut busy = begin + 60;
        for operator in 0..10 {
            let id = 100 * iteration + operator + 1;
            let host = begin + 10 * operator;
            let noise = (seed * 7_919 + operator * 104_729 + iteration * 1_299_709).rem_euclid(17) - 8;
            let us = if operator == 3 { us } else { 1_000 } + noise + seed % 3;
            trace = trace
                .operator(&format!("aten::op{operator}"), host + 1..host + 9)
                .runtime("cudaLaunchKernel", id, host + 2..host + 6)
                .kernel(&format!("kernel{operator}"), Stream(7), busy..busy + us)
                .correlation(id);
            busy += us;
        }
        at = busy + 20;
        trace = trace.step(iteration, begin..at);
    }
    trace
}

/// Runs `control-1` to `control-5`, `same-…` of the same program, `slow-…` with an operator that takes half as long again.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for run in 1..=5 {
        for (side, seed, us) in [("control", run, 1_000), ("same", 17 + run, 1_000), ("slow", 20 + run, 1_500)] {
            let path = folder.path().join(format!("{side}-{run}"));
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join("rank-0.json"), trace(seed, us).json()).unwrap();
        }
    }
    folder
}

fn tracebook(folder: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tracebook"))
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/nowhere")
        .env("USER", "ada")
        .env("TRACEBOOK_CACHE", "off")
        .output()
        .unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

const SAME: [&str; 4] = ["--control", "control-*", "--test", "same-*"];
const SLOW: [&str; 4] = ["--control", "control-*", "--test", "slow-*"];

fn gate(folder: &Path, sides: &[&str], more: &[&str]) -> Output {
    tracebook(folder, &[&["gate"], sides, more].concat())
}

#[test]
fn exit_codes_tell_pass_regression_and_inconclusive() {
    let folder = folder();
    let same = gate(folder.path(), &SAME, &[]);
    assert_eq!(same.status.code(), Some(0), "{}{}", out(&same), err(&same));
    assert!(out(&same).starts_with("No regression: step "), "{}", out(&same));
    assert!(out(&same).contains("between the programs, 5 + 5 runs"), "{}", out(&same));
    let slow = gate(folder.path(), &SLOW, &["--limit", "3%", "--limit", "aten::op4=5%"]);
    assert_eq!(slow.status.code(), Some(4), "{}{}", out(&slow), err(&slow));
    assert!(err(&slow).contains("tracebook gate: Regression: step grew by "), "{}", err(&slow));
    assert!(out(&slow).contains("aten::op3 · kernel3"), "{}", out(&slow));
    let few = ["--control", "control-1", "--control", "control-2", "--test", "slow-1", "--test", "slow-2"];
    let unknown = gate(folder.path(), &few, &[]);
    assert_eq!(unknown.status.code(), Some(5), "{}", err(&unknown));
    assert!(err(&unknown).contains("too few: 2 a side, 4 needed"), "{}", err(&unknown));
    assert_eq!(gate(folder.path(), &few, &["--inconclusive", "pass"]).status.code(), Some(0));
}

#[test]
fn wrong_usage_and_errors_keep_their_codes() {
    let folder = folder();
    for (more, message) in [
        (&["--limit", "much"][..], "invalid --limit `much`: expected a percentage such as 3%"),
        (&["--limit", "class:idl=3%"], "expected a class: compute"),
        (&["--limit", "aten::none=3%"], "no call or kernel is named `aten::none`"),
        (&["--accept", "aten::op3"], "missing --reason"),
        (&["--reason", "x"], "cannot use --reason: nothing is accepted"),
        (&["--baseline", "main"], "the baseline is the control"),
    ] {
        let output = gate(folder.path(), &SAME, more);
        assert_eq!(output.status.code(), Some(2), "{more:?} {}", err(&output));
        assert!(err(&output).contains(message), "{}", err(&output));
    }
    let missing = tracebook(folder.path(), &["gate", "control-9", "same-1"]);
    assert_eq!(missing.status.code(), Some(1), "{}", err(&missing));
    assert_eq!(tracebook(folder.path(), &["gate"]).status.code(), Some(2));
}

#[test]
fn files_are_written_whatever_the_verdict() {
    let folder = folder();
    let files = ["--json", "gate.json", "--junit", "gate.xml", "--markdown", "gate.md", "--quiet"];
    let output = gate(folder.path(), &SLOW, &files);
    assert_eq!((output.status.code(), out(&output)), (Some(4), ""));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let document: Value = serde_json::from_str(&read("gate.json")).unwrap();
    assert_eq!((&document["version"], document["verdict"].as_str()), (&1.into(), Some("regression")));
    assert_eq!(document["regressions"][0]["name"], "kernel3");
    assert!(read("gate.json").contains("\n  \"verdict\": \"regression\""), "action.yml reads this line");
    assert!(
        read("gate.xml").contains("<testcase classname=\"tracebook.gate\" name=\"step=3%\">"),
        "{}",
        read("gate.xml")
    );
    assert!(read("gate.md").starts_with("❌ **Regression**: step grew by "), "{}", read("gate.md"));
    let piped = gate(folder.path(), &SLOW, &["--json", "-"]);
    assert!(serde_json::from_str::<Value>(out(&piped)).is_ok(), "{}", out(&piped));
}

#[test]
fn accepted_changes_pass_later_gates() {
    let folder = folder();
    let accept = gate(folder.path(), &SLOW, &["--accept", "aten::op3", "--reason", "more accurate"]);
    assert_eq!(accept.status.code(), Some(0), "{}", err(&accept));
    assert!(err(&accept).contains("accepted aten::op3 up to 1.6"), "{}", err(&accept));
    let file = folder.path().join(".tracebook/accepted.json");
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(
        (&stored["accepted"][0]["by"], &stored["accepted"][0]["reason"]),
        (&"ada".into(), &"more accurate".into())
    );
    let later = gate(folder.path(), &SLOW, &[]);
    assert_eq!(later.status.code(), Some(0), "{}", out(&later));
    assert!(out(&later).contains("accepted changes") && out(&later).contains("more accurate"), "{}", out(&later));
    std::fs::write(&file, "{").unwrap();
    let damaged = gate(folder.path(), &SLOW, &[]);
    assert_eq!(damaged.status.code(), Some(1));
    assert!(
        err(&damaged).contains("cannot use the accepted changes of .tracebook/accepted.json: it is damaged"),
        "{}",
        err(&damaged)
    );
}

#[test]
fn single_runs_are_judged_by_a_baseline() {
    let folder = folder();
    let added = tracebook(folder.path(), &["baseline", "add", "main", "control-*"]);
    assert_eq!(added.status.code(), Some(0), "{}", err(&added));
    assert!(err(&added).contains("added 5 runs to main in .tracebook/baselines.json: 5 in all"), "{}", err(&added));
    let listed = tracebook(folder.path(), &["baseline", "list"]);
    assert!(out(&listed).contains("main") && out(&listed).contains("spread [%]"), "{}", out(&listed));
    assert!(out(&tracebook(folder.path(), &["baseline", "show", "main"])).contains("aten::op3 · kernel3"));
    for (run, code) in [("same-2", 0), ("slow-2", 4)] {
        let check = tracebook(folder.path(), &["baseline", "check", "main", run]);
        assert_eq!(check.status.code(), Some(code), "{}{}", out(&check), err(&check));
        let gated = tracebook(folder.path(), &["gate", "--baseline", "main", run]);
        assert_eq!((gated.status.code(), out(&gated)), (Some(code), out(&check)));
    }
    let unknown = tracebook(folder.path(), &["gate", "--baseline", "mian", "same-1"]);
    assert_eq!(unknown.status.code(), Some(2), "{}", err(&unknown));
    assert!(err(&unknown).contains("unknown baseline `mian`: expected main"), "{}", err(&unknown));
    assert_eq!(tracebook(folder.path(), &["baseline", "remove", "main"]).status.code(), Some(0));
    assert_eq!(tracebook(folder.path(), &["baseline", "show", "main"]).status.code(), Some(2));
}

#[test]
fn the_loop_of_the_guide_records_runs_that_the_gate_compares() {
    let folder = folder();
    // What a program records: run N of a side, if N − 1 are complete.
    let record =
        |side: &str| format!("n=$(($(ls runs | grep -c '^{side}-') + 1)); cp {side}-$n/rank-0.json \"$RUN_DIR\"");
    let words = ["record-loop", &record("control"), &record("slow").replace("'^slow-'", "'^test-'"), "--runs", "4"];
    let script = tracebook(folder.path(), &words);
    assert_eq!(script.status.code(), Some(0), "{}", err(&script));
    let executed = Command::new("sh").arg("-c").arg(out(&script)).current_dir(folder.path()).output().unwrap();
    assert!(executed.status.success(), "{}", err(&executed));
    let compared = tracebook(folder.path(), &["gate", "--control", "runs/control-*", "--test", "runs/test-*"]);
    assert_eq!(compared.status.code(), Some(4), "{}{}", out(&compared), err(&compared));
    assert!(out(&compared).contains("4 + 4 runs"), "{}", out(&compared));
}

/// Runs git in a repository.
fn git(repository: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=ada", "-c", "user.email=ada@example.org"])
        .args(words)
        .current_dir(repository)
        .output()
        .unwrap();
    let text = format!("{}{}", out(&output), err(&output));
    assert!(output.status.success(), "{words:?} {text}");
    text
}

#[test]
fn a_bisection_finds_the_slow_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (pool, repository) = (folder.path().join("pool"), folder.path().join("repository"));
    // What a recording of either speed is: each run of the program takes the next one.
    for (speed, us) in [("fast", 1_000), ("slow", 1_500)] {
        std::fs::create_dir_all(pool.join(speed)).unwrap();
        for run in 1..=40 {
            std::fs::write(pool.join(speed).join(format!("{run}.json")), trace(run, us).json()).unwrap();
        }
    }
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "--quiet", "--initial-branch=main"]);
    let program = "cd \"$(dirname \"$0\")\"\nrun=$(($(cat \"$POOL/count\" 2>/dev/null || echo 0) + 1))\necho $run > \"$POOL/count\"\n\
                   cp \"$POOL/$(cat speed)/$run.json\" \"$RUN_DIR/rank-0.json\"\n";
    std::fs::write(repository.join("train.sh"), program).unwrap();
    // The fourth of six commits is slow, and the third leaves no recording.
    for commit in 1..=6 {
        let speed = if commit == 3 {
            "broken"
        } else if commit < 4 {
            "fast"
        } else {
            "slow"
        };
        std::fs::write(repository.join("speed"), speed).unwrap();
        std::fs::write(repository.join("count"), commit.to_string()).unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "--quiet", "--message", &format!("commit {commit}")]);
    }
    git(&repository, &["worktree", "add", "--quiet", "../good", "HEAD~5"]);
    let guide = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/gate.md")).unwrap();
    let script = guide.split("```sh\n#!/bin/sh\n").nth(1).unwrap().split("```").next().unwrap();
    // The guide's script with this program in place of Python's.
    let script = script.replace("make || exit 125\n", "").replace("python ", "sh ").replace("train.py", "train.sh");
    let script = script.replace("tracebook ", &format!("'{}' ", env!("CARGO_BIN_EXE_tracebook")));
    std::fs::write(folder.path().join("bisect.sh"), script).unwrap();
    git(&repository, &["bisect", "start", "HEAD", "HEAD~5"]);
    let bisected = Command::new("git")
        .args(["bisect", "run", "sh", "../bisect.sh"])
        .current_dir(&repository)
        .env("POOL", &pool)
        .env("TMPDIR", folder.path())
        .env("TRACEBOOK_CACHE", "off")
        .output()
        .unwrap();
    let text = format!("{}{}", out(&bisected), err(&bisected));
    // The commit that cannot be judged stands before the slow one: both are suspects.
    assert!(text.contains("the command left nothing in $RUN_DIR") || text.contains("ended with exit code"), "{text}");
    let log = git(&repository, &["bisect", "log"]);
    assert!(log.contains("# only skipped commits left to test") || log.contains("first bad commit"), "{log}");
    let suspects: Vec<&str> = log.lines().filter(|line| line.starts_with("# possible first bad commit")).collect();
    assert_eq!(suspects.len(), 2, "{log}");
    assert!(suspects[0].ends_with("commit 4") && suspects[1].ends_with("commit 3"), "{log}");
    assert!(text.contains("Regression: step grew by ") && text.contains("No regression: step "), "{text}");
}

#[test]
fn exit_codes_of_a_bisection_tell_bad_and_skipped_commits() {
    let folder = folder();
    let code =
        |sides: &[&str], more: &[&str]| gate(folder.path(), sides, &[more, &["--bisect"]].concat()).status.code();
    assert_eq!(code(&SAME, &[]), Some(0));
    assert_eq!(code(&SLOW, &[]), Some(1));
    let few = ["--control", "control-1", "--control", "control-2", "--test", "slow-1", "--test", "slow-2"];
    assert_eq!(code(&few, &[]), Some(125), "inconclusive");
    assert_eq!(code(&["control-9", "slow-1"], &[]), Some(125));
    assert_eq!(code(&SAME, &["--limit", "much"]), Some(128));
}

/// Puts copies of runs beside them: under another name, as a link, and by another spelling of the path.
fn copied(folder: &Path, name: &str, copy: &str) {
    std::fs::create_dir(folder.join(copy)).unwrap();
    std::fs::copy(folder.join(name).join("rank-0.json"), folder.join(copy).join("trace.json")).unwrap();
}

#[test]
fn copies_of_a_run_count_once() {
    let folder = folder();
    copied(folder.path(), "control-5", "control-6");
    std::os::unix::fs::symlink("control-4", folder.path().join("control-7")).unwrap();
    let output = gate(folder.path(), &SAME, &[]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    assert!(out(&output).contains("between the programs, 5 + 5 runs"), "{}", out(&output));
    for copy in ["\"control6\" and \"control5\" are the same recording", "\"control7\" and \"control4\" are the same"] {
        assert!(err(&output).contains(copy), "{}", err(&output));
    }
    let spelled = ["--control", "control-*", "--test", "same-*", "--test", "./same-1", "--test", "control-1"];
    let output = gate(folder.path(), &spelled, &[]);
    assert!(out(&output).contains("between the programs, 5 + 5 runs"), "{}", out(&output));
    assert!(err(&output).contains("\"test7\" and \"control1\" are the same recording"), "{}", err(&output));
    let stats = tracebook(folder.path(), &["diff", "control-*", "same-*", "--stats", "--json", "-"]);
    let document: Value = serde_json::from_str(out(&stats)).unwrap();
    assert_eq!(document["n"], serde_json::json!([5, 5]), "{}", err(&stats));
    assert!(err(&stats).contains("\"control6\" and \"control5\" are the same recording"), "{}", err(&stats));
}

#[test]
fn one_recording_on_both_sides_is_an_error() {
    let folder = folder();
    copied(folder.path(), "control-1", "copy");
    for sides in [
        &["gate", "control-1", "control-1"][..],
        &["gate", "control-1", "copy"],
        &["gate", "--control", "control-*", "--test", "control-2", "--test", "copy"],
        &["diff", "control-1", "copy", "--stats"],
    ] {
        let output = tracebook(folder.path(), sides);
        assert_eq!(output.status.code(), Some(1), "{sides:?} {} {}", out(&output), err(&output));
        assert!(err(&output).contains("are one recording, and test has no other run"), "{}", err(&output));
    }
    // An explanation says it first, and then that nothing differs.
    let output = tracebook(folder.path(), &["explain", "control-1", "copy", "--json", "-"]);
    assert_eq!(output.status.code(), Some(0), "{}", err(&output));
    let document: Value = serde_json::from_str(out(&output)).unwrap();
    assert_eq!(document["step"]["delta_ns"], 0.0);
    assert_eq!(document["comparability"][0]["what"], "same_recording", "{}", document["comparability"]);
    let output = tracebook(folder.path(), &["explain", "control-1", "control-1"]);
    assert!(err(&output).contains("are the same recording (all events are equal)"), "{}", err(&output));
    // Other iterations of one recording are compared.
    let iterations = ["diff", "control-1", "copy", "--stats", "--control-iteration", "0,1", "--test-iteration", "2,3"];
    assert_eq!(tracebook(folder.path(), &iterations).status.code(), Some(0));
}
