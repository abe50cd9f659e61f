//! What is saved is what is mapped.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{LoadOptions, TraceDiff};
use polars::df;
use polars::prelude::{IntoLazy, NamedFrom, Series, col, lit};
use trace_testkit::{Stream, TraceBuilder};

fn two_ranks(folder: &Path) -> TraceSet {
    let first = TraceBuilder::new()
        .metadata("traceName", "\"x\"")
        .step(1, 0..100)
        .operator("aten::mm", 10..20)
        .arg("Input Dims", "[[2, 3]]")
        .runtime("cudaLaunchKernel", 4, 12..14)
        .kernel("void gemm<float>(int)", Stream(7), 30..50)
        .correlation(4);
    let second = TraceBuilder::new().rank(1).without_rank().step(1, 0..100).operator("aten::add", 10..20);
    std::fs::write(folder.join("0.json"), first.json()).unwrap();
    std::fs::write(folder.join("1.json"), second.metadata("distributedInfo", "{\"rank\": 1}").json()).unwrap();
    let options = LoadOptions { compat: Compat::Hta, label: Some("monday".into()), ..LoadOptions::default() };
    TraceSet::load_with(folder, &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap()
}

fn assert_same(ours: &TraceSet, mapped: &TraceSet) {
    assert_eq!((mapped.label(), mapped.compat(), mapped.ranks()), (ours.label(), ours.compat(), ours.ranks()));
    assert_eq!(mapped.warnings(), ours.warnings());
    for (ours, mapped) in ours.traces().iter().zip(mapped.traces()) {
        assert_eq!(ours.info(), mapped.info());
        assert!(ours.events().equals_missing(&mapped.events()), "{:?}\n{:?}", ours.events(), mapped.events());
        assert_eq!(ours.events().schema(), mapped.events().schema());
    }
}

#[test]
fn a_mapped_trace_is_the_saved_one() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let file = folder.path().join("monday.arrow");
    save(&traces, &file).unwrap();
    let mapped = map(&file).unwrap();
    assert_same(&traces, &mapped);
    // Deleting the file takes nothing from whoever has mapped it.
    std::fs::remove_file(&file).unwrap();
    let df = TraceDiff::new(&traces, &mapped).control_rank([0, 1]).test_rank([0, 1]).compare_traces().unwrap();
    let differences: f64 = df.column("diff_duration").unwrap().f64().unwrap().iter().flatten().map(f64::abs).sum();
    assert_eq!((df.height(), differences), (5, 0.0));
    let kernels = mapped.events().lazy().filter(col("name").eq(lit("aten::add"))).collect().unwrap();
    assert_eq!(kernels.height(), 1);
}

#[test]
fn numbers_of_another_process_are_translated() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let file = folder.path().join("monday.arrow");
    save(&traces, &file).unwrap();
    // As if the file came from a process that had numbered its texts differently.
    let (mut frame, text) = open(&file).unwrap();
    let mut manifest: Manifest = serde_json::from_str(&text.unwrap()).unwrap();
    let shift = 1_000_000;
    manifest.texts = manifest.texts.into_iter().map(|(code, text)| (code + shift, text)).collect();
    for name in &manifest.categorical {
        let shifted = frame.column(name).unwrap().u32().unwrap().apply_values(|code| code + shift);
        frame.with_column(shifted.into_column()).unwrap();
    }
    let other = folder.path().join("other.arrow");
    write(&mut frame, &other, Some(serde_json::to_string(&manifest).unwrap())).unwrap();
    assert_same(&traces, &map(&other).unwrap());
}

#[test]
fn a_file_tells_all_texts_up_to_its_highest_number() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    // Another trace, whose texts have higher numbers.
    std::fs::create_dir(folder.path().join("late")).unwrap();
    let late = TraceBuilder::new().operator("a name that no other trace has", 0..10);
    std::fs::write(folder.path().join("late/0.json"), late.json()).unwrap();
    let late = TraceSet::load(folder.path().join("late")).unwrap();
    let texts_of = |traces: &TraceSet| {
        let file = folder.path().join("saved.arrow");
        save(traces, &file).unwrap();
        let manifest: Manifest = serde_json::from_str(&open(&file).unwrap().1.unwrap()).unwrap();
        manifest.texts
    };
    let (early, late) = (texts_of(&traces), texts_of(&late));
    for texts in [&early, &late] {
        let numbers: Vec<u32> = texts.keys().copied().collect();
        assert_eq!(numbers, (0..numbers.len() as u32).collect::<Vec<_>>());
    }
    assert!(early.iter().all(|(number, text)| late.get(number).is_none_or(|other| other == text)));
    assert!(late.values().any(|text| text == "aten::mm"), "also those that the other trace brought");
}

#[test]
fn frames_of_all_kinds_of_columns_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.arrow");
    let traces = two_ranks(folder.path());
    let lists = df!("list" => [Series::new("".into(), [1i64, 2])], "text" => [Some("é, \"x\"")]).unwrap();
    let answer = TraceDiff::new(&traces, &traces).compare_traces().unwrap();
    for frame in [answer.clone(), answer.clear(), traces.events(), lists, DataFrame::default()] {
        save_frame(&frame, &file).unwrap();
        let mapped = map_frame(&file).unwrap();
        assert!(frame.equals_missing(&mapped), "{frame:?}\n{mapped:?}");
        assert_eq!(frame.schema(), mapped.schema());
    }
}

#[test]
fn foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.arrow");
    assert!(matches!(map(&file).unwrap_err(), Error::Io { .. }));
    save_frame(&df!("a" => [1]).unwrap(), &file).unwrap();
    let error = map(&file).unwrap_err().to_string();
    assert!(error.contains("it was not written by this library"), "{error}");
    std::fs::write(&file, "no arrow").unwrap();
    assert!(map(&file).is_err());
}

#[test]
fn columns_of_arguments_that_were_asked_for_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let first =
        TraceBuilder::new().operator("a", 0..10).arg("x", "1").arg("warps per SM", "1.5").arg("list", "[1, {}]");
    let second = TraceBuilder::new().rank(1).operator("b", 0..10).arg("x", "\"one\"").arg("Trace name", "\"t\"");
    std::fs::write(folder.path().join("0.json"), first.json()).unwrap();
    std::fs::write(folder.path().join("1.json"), second.json()).unwrap();
    let options = LoadOptions { parser_config: Some("all".parse().unwrap()), ..LoadOptions::default() };
    let traces = TraceSet::load_with(folder.path(), &options, &mut |_| std::ops::ControlFlow::Continue(())).unwrap();
    let file = folder.path().join("all.arrow");
    save(&traces, &file).unwrap();
    let mapped = map(&file).unwrap();
    assert_same(&traces, &mapped);
    let names = mapped.events().get_column_names_owned();
    for name in ["x", "warps_per_sm", "list", "trace_name"] {
        assert!(names.iter().any(|known| known == name), "{name} in {names:?}");
    }
}
