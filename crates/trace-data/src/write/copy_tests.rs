#![allow(clippy::unwrap_used)]
use super::*;
use crate::TraceSet;
use std::io::Read;
use trace_testkit::{Stream, TraceBuilder};

/// Renames the event at one position, and adds two.
#[derive(Debug)]
struct Example;

impl TraceEdit for Example {
    fn event(&self, index: i64, _: &[u8]) -> Option<Vec<u8>> {
        (index == 1).then(|| br#"{"name": "other"}"#.to_vec())
    }

    fn added(&self, write: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        write(br#"{"name": "one"}"#)?;
        write(br#"{"name": "two"}"#)
    }
}

#[derive(Debug)]
struct Nothing;

impl TraceEdit for Nothing {}

fn copy(folder: &Path, text: &[u8], target: &str, edit: impl TraceEdit + 'static) -> (TraceCopy, Result<Copied>) {
    let source = folder.join("source.json");
    std::fs::write(&source, text).unwrap();
    let traces = TraceSet::load(&source).unwrap();
    let events = traces.info()[0].events_in_file;
    let copy = TraceCopy { rank: 0, source, target: folder.join(target), events, edit: Arc::new(edit) };
    let copied = copy.save();
    (copy, copied)
}

fn read(path: &Path) -> Value {
    let bytes = std::fs::read(path).unwrap();
    let mut text = Vec::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut text).unwrap();
    } else {
        text = bytes;
    }
    serde_json::from_slice(&text).unwrap()
}

fn trace() -> TraceBuilder {
    TraceBuilder::new().metadata("big", "123456789012345678901").operator("a", 0..5).kernel("b", Stream(7), 1..9)
}

#[test]
fn copy_without_changes_equals_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let json = trace().json();
    for target in ["copy.json", "copy.json.gz"] {
        let (copy, copied) = copy(folder.path(), json.as_bytes(), target, Nothing);
        assert_eq!(copied.unwrap(), Copied { events: 2, added: 0 });
        assert_eq!(read(&copy.target), serde_json::from_str::<Value>(&json).unwrap());
    }
    let plain = std::fs::read_to_string(folder.path().join("copy.json")).unwrap();
    assert!(plain.contains("123456789012345678901"), "whole numbers of any size stay whole");
    assert!(std::fs::read(folder.path().join("copy.json.gz")).unwrap().starts_with(&[0x1f, 0x8b]));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else is left behind");
}

#[test]
fn events_are_replaced_by_position_and_appended() {
    let folder = tempfile::tempdir().unwrap();
    let json = trace().json().replace("\n  ]\n}", "\n  ],\n \"after\": [1]}");
    let (copy, copied) = copy(folder.path(), json.as_bytes(), "copy.json", Example);
    assert_eq!(copied.unwrap(), Copied { events: 4, added: 2 });
    let copied = read(&copy.target);
    let names: Vec<&str> =
        copied["traceEvents"].as_array().unwrap().iter().map(|e| e["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["a", "other", "one", "two"]);
    assert_eq!(copied["after"], serde_json::json!([1]));
}

#[test]
fn broken_source_yields_a_valid_copy() {
    let folder = tempfile::tempdir().unwrap();
    let json = trace().json();
    let cut = json.len() - 5;
    let mut bytes = json.into_bytes();
    bytes.truncate(cut);
    let (cut, copied) = copy(folder.path(), &bytes, "cut.json", Example);
    assert_eq!(copied.unwrap().added, 2);
    assert_eq!(read(&cut.target)["traceEvents"].as_array().unwrap().len(), 4);
    let bare =
        [&br#"[{"ph":"X","cat":"cpu_op","name":"a","ts":1,"dur":2,"pid":1,"tid":1}, 5, {"name": "x"#[..], b"\xff\"}]"];
    let (bare, copied) = copy(folder.path(), &bare.concat(), "bare.json", Example);
    assert_eq!(copied.unwrap(), Copied { events: 4, added: 2 });
    assert_eq!(read(&bare.target)["traceEvents"][1]["name"], "x\u{fffd}", "place 1 is the number");
}

#[test]
fn source_is_never_overwritten_and_must_be_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let json = trace().json();
    let (mut own, copied) = copy(folder.path(), json.as_bytes(), "source.json", Nothing);
    assert!(copied.unwrap_err().to_string().contains("is the source of the trace"));
    assert_eq!(std::fs::read_to_string(&own.source).unwrap(), json);
    own.target = folder.path().join("copy.json");
    std::fs::write(&own.source, TraceBuilder::new().operator("a", 0..5).json()).unwrap();
    assert!(own.save().unwrap_err().to_string().contains("2 events when it was loaded"));
    std::fs::remove_file(&own.source).unwrap();
    assert!(own.save().unwrap_err().to_string().contains("cannot copy rank 0: its source "));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Adds events that each carry their number.
#[derive(Debug)]
struct Endless(std::sync::atomic::AtomicUsize);

impl TraceEdit for Endless {
    fn added(&self, write: &mut dyn FnMut(&[u8]) -> std::io::Result<()>) -> std::io::Result<()> {
        for _ in 0..1_000_000 {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            write(b"{}")?;
        }
        Ok(())
    }
}

#[test]
fn cancellation_stops_the_new_events_of_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("source.json");
    std::fs::write(&source, trace().json()).unwrap();
    let edit = std::sync::Arc::new(Endless(0.into()));
    let (target, events) = (folder.path().join("copy.json"), 0);
    let copy = TraceCopy { rank: 0, source, target, events, edit: edit.clone() };
    let mut asked = 0;
    let mut go_on = || {
        asked += 1;
        asked < 20
    };
    assert!(matches!(copy.save_while(&mut go_on), Err(Error::Interrupted)));
    assert!(edit.0.load(std::sync::atomic::Ordering::Relaxed) < 100_000);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn cancelled_copy_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let (copy, _) = copy(folder.path(), trace().json().as_bytes(), "copy.json", Nothing);
    std::fs::remove_file(&copy.target).unwrap();
    let many = (0..40_000).fold(TraceBuilder::new(), |builder, at| builder.operator("aten::a_long_name", at..at + 1));
    std::fs::write(&copy.source, many.json()).unwrap();
    assert!(matches!(copy.save_while(&mut || false), Err(Error::Interrupted)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn source_that_is_a_pipe_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (folder.path().join("pipe"), folder.path().join("copy.json"));
    assert!(std::process::Command::new("mkfifo").arg(&source).status().unwrap().success());
    let copy = TraceCopy { rank: 0, source, target, events: 1, edit: Arc::new(Nothing) };
    let error = copy.save().unwrap_err().to_string();
    assert!(error.contains("it is not a regular file, and a copy reads it again"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside the pipe");
}
