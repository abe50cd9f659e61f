//! Round trips of saved traces and frames, and files that are refused.
#![allow(clippy::unwrap_used)]

use super::manifest::Manifest;
use super::save::write;
use super::{map, map_frame, save, save_frame};
use crate::error::SavedFileReason;
use crate::store::{FileKind, HEADER, MANIFEST, Metadata, metadata};
use crate::{Compat, Error, LoadOptions, TraceDiff, TraceSet};
use polars::df;
use polars::prelude::{ChunkApply, DataFrame, IntoColumn, IntoLazy, NamedFrom, PlSmallStr, Series, col, lit};
use polars_io::prelude::{IpcReader, IpcWriter, SerReader, SerWriter};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
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
fn mapped_trace_equals_the_saved_one() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let file = folder.path().join("monday.arrow");
    save(&traces, &file).unwrap();
    let mapped = map(&file).unwrap();
    assert_same(&traces, &mapped);
    // A mapped file may be deleted.
    std::fs::remove_file(&file).unwrap();
    let df = TraceDiff::new(&traces, &mapped).control_rank([0, 1]).test_rank([0, 1]).compare_traces().unwrap();
    let differences: f64 = df.column("diff_duration").unwrap().f64().unwrap().iter().flatten().map(f64::abs).sum();
    assert_eq!((df.height(), differences), (5, 0.0));
    let kernels = mapped.events().lazy().filter(col("name").eq(lit("aten::add"))).collect().unwrap();
    assert_eq!(kernels.height(), 1);
}

/// Returns the frame and the manifest of a saved trace, read without mapping.
fn contents(file: &Path) -> (DataFrame, Manifest) {
    let mut reader = IpcReader::new(File::open(file).unwrap());
    let metadata = reader.custom_metadata().unwrap().unwrap();
    let manifest = serde_json::from_str(metadata.get(MANIFEST).unwrap()).unwrap();
    (reader.finish().unwrap(), manifest)
}

#[test]
fn codes_of_another_process_are_translated() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let file = folder.path().join("monday.arrow");
    save(&traces, &file).unwrap();
    // A process that numbered its texts the other way round.
    let (mut frame, mut manifest) = contents(&file);
    manifest.texts.reverse();
    let last = manifest.texts.len() as u32 - 1;
    for name in &manifest.categorical {
        let codes = frame.column(name).unwrap().u32().unwrap().apply_values(|code| last.saturating_sub(code));
        frame.with_column(codes.into_column()).unwrap();
    }
    let other = folder.path().join("other.arrow");
    write(&mut frame, &other, Some(&manifest)).unwrap();
    assert_same(&traces, &map(&other).unwrap());
}

#[test]
fn manifest_lists_all_texts_up_to_the_highest_code() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    // Another trace, whose texts have higher codes.
    std::fs::create_dir(folder.path().join("late")).unwrap();
    let late = TraceBuilder::new().operator("a name that no other trace has", 0..10);
    std::fs::write(folder.path().join("late/0.json"), late.json()).unwrap();
    let late = TraceSet::load(folder.path().join("late")).unwrap();
    let texts_of = |traces: &TraceSet| {
        let file = folder.path().join("saved.arrow");
        save(traces, &file).unwrap();
        contents(&file).1.texts
    };
    let (early, late) = (texts_of(&traces), texts_of(&late));
    assert!(early.iter().zip(&late).all(|(early, late)| early == late));
    assert!(late.iter().any(|text| text == "aten::mm"), "also texts of the other trace");
}

#[test]
fn frames_with_all_types_of_columns_round_trip() {
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

/// Why a file is refused.
fn refusal<T>(mapped: crate::Result<T>) -> SavedFileReason {
    match mapped.err().unwrap() {
        Error::NotASavedFile { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

/// Writes a frame with any metadata.
fn write_with(frame: &DataFrame, file: &Path, metadata: Metadata) {
    let mut writer = IpcWriter::new(File::create(file).unwrap());
    writer.set_custom_schema_metadata(Arc::new(metadata));
    writer.finish(&mut frame.clone()).unwrap();
}

#[test]
fn foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.arrow");
    assert!(matches!(map(&file).unwrap_err(), Error::Io { .. }));
    std::fs::write(&file, "not an Arrow file").unwrap();
    assert_eq!(refusal(map(&file)), SavedFileReason::Foreign);
    assert_eq!(refusal(map_frame(&file)), SavedFileReason::Foreign);
    // An Arrow file of another program.
    IpcWriter::new(File::create(&file).unwrap()).finish(&mut df!("a" => [1]).unwrap()).unwrap();
    assert_eq!(refusal(map(&file)), SavedFileReason::Foreign);
    assert_eq!(refusal(map_frame(&file)), SavedFileReason::Foreign);
    // A frame where a trace is expected.
    save_frame(&df!("a" => [1]).unwrap(), &file).unwrap();
    let error = map(&file).unwrap_err().to_string();
    assert!(error.contains("it holds a frame, expected a trace"), "{error}");
}

#[test]
fn other_versions_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.arrow");
    save(&two_ranks(folder.path()), &file).unwrap();
    let (frame, manifest) = contents(&file);
    let mut header = metadata(FileKind::Trace, Some(serde_json::to_string(&manifest).unwrap())).unwrap();
    header.insert(HEADER.into(), PlSmallStr::from_static("{\"format\": 9, \"new\": true}"));
    write_with(&frame, &file, header.clone());
    assert_eq!(refusal(map(&file)), SavedFileReason::Version { found: 9, expected: 3 });
    // Version 1 had no header.
    let manifest = header.remove(MANIFEST).unwrap();
    header.remove(HEADER);
    header.insert("tracebook.trace".into(), manifest);
    write_with(&frame, &file, header);
    assert_eq!(refusal(map(&file)), SavedFileReason::Version { found: 1, expected: 3 });
}

#[test]
fn damaged_manifests_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("damaged.arrow");
    save(&two_ranks(folder.path()), &file).unwrap();
    let (frame, mut manifest) = contents(&file);
    let mut changed = metadata(FileKind::Trace, Some(serde_json::to_string(&manifest).unwrap())).unwrap();
    let text = changed[MANIFEST].replace("aten::mm", "aten::mn");
    changed.insert(MANIFEST.into(), text.as_str().into());
    write_with(&frame, &file, changed);
    assert_eq!(refusal(map(&file)), SavedFileReason::Checksum);
    // Fewer rows than the ranks have.
    write(&mut frame.head(Some(3)), &file, Some(&manifest)).unwrap();
    assert_eq!(refusal(map(&file)), SavedFileReason::Rows { found: 3, expected: frame.height() });
    // A column that is not one of codes.
    manifest.categorical.insert("ts".to_owned());
    write(&mut frame.clone(), &file, Some(&manifest)).unwrap();
    assert_eq!(refusal(map(&file)), SavedFileReason::Column { column: "ts".to_owned() });
}

#[test]
fn codes_without_a_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("codes.arrow");
    save(&two_ranks(folder.path()), &file).unwrap();
    let (frame, manifest) = contents(&file);
    let texts = manifest.texts.len();
    for code in [texts as u32, u32::MAX] {
        let mut frame = frame.clone();
        let codes = frame.column("name").unwrap().u32().unwrap().apply_values(|_| code);
        frame.with_column(codes.into_column()).unwrap();
        write(&mut frame, &file, Some(&manifest)).unwrap();
        let expected = SavedFileReason::Code { column: "name".to_owned(), code, texts };
        assert_eq!(refusal(map(&file)), expected);
    }
    // Fewer texts than codes, also if the texts have other codes here.
    let mut fewer = contents(&file).1;
    fewer.texts = vec!["a text".to_owned(), "another text".to_owned()];
    write(&mut frame.clone(), &file, Some(&fewer)).unwrap();
    assert!(matches!(refusal(map(&file)), SavedFileReason::Code { texts: 2, .. }));
}

#[test]
fn truncated_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("whole.arrow");
    save(&two_ranks(folder.path()), &file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&file, &whole[..length]).unwrap();
        assert_eq!(refusal(map(&file)), SavedFileReason::Foreign, "{length} bytes");
    }
    // A part of the columns is missing, but the footer is there.
    let footer = whole.len() - 10 - u32::from_le_bytes(whole[whole.len() - 10..][..4].try_into().unwrap()) as usize;
    for kept in [footer / 4, footer / 2] {
        std::fs::write(&file, [&whole[..kept], &whole[footer..]].concat()).unwrap();
        let reason = refusal(map(&file));
        assert!(matches!(reason, SavedFileReason::Bounds | SavedFileReason::Code { .. }), "{reason}");
    }
}

/// Changes single bytes of a file all over: it is refused, or mapped with values that can be read.
#[test]
fn changed_bytes_never_map_invalid_columns() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("changed.arrow");
    save(&two_ranks(folder.path()), &file).unwrap();
    let whole = std::fs::read(&file).unwrap();
    let mut refused = 0;
    for at in (8..whole.len()).step_by(5) {
        let mut changed = whole.clone();
        changed[at] ^= 0xff;
        std::fs::write(&file, &changed).unwrap();
        match std::panic::catch_unwind(|| map(&file)) {
            Ok(Ok(mapped)) => {
                for rank in mapped.traces() {
                    assert_eq!(rank.decoded().unwrap().height(), rank.info().events);
                }
            }
            _ => refused += 1,
        }
    }
    assert!(refused > 0);
}
