//! Round trips of saved traces and frames, and files that are refused.
#![allow(clippy::unwrap_used)]

use super::{hand_over, map, map_frame, save, save_frame};
use crate::error::SavedFileReason;
use crate::{Compat, Error, LoadOptions, TraceSet};
use polars::df;
use polars::prelude::{DataFrame, IntoLazy, NamedFrom, Series, all, col, lit};
use polars_io::prelude::{IpcWriter, SerWriter};
use std::fs::File;
use std::path::Path;
use trace_base::Execution;
use trace_testkit::{Stream, TraceBuilder, in_own_process};

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
    let saved = folder.path().join("monday");
    save(&traces, &saved).unwrap();
    let mapped = map(&saved).unwrap();
    assert_same(&traces, &mapped);
    // The files of a mapped trace may be deleted once its columns were used.
    std::fs::remove_dir_all(&saved).unwrap();
    assert_same(&traces, &mapped);
    let kernels = mapped.events().lazy().filter(col("name").eq(lit("aten::add"))).collect().unwrap();
    assert_eq!(kernels.height(), 1);
}

#[test]
fn saved_trace_is_the_same_wherever_it_is_saved_from() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    save(&traces, &one).unwrap();
    // A set whose ranks are in files gets links to them.
    save(&map(&one).unwrap(), &two).unwrap();
    for name in ["trace.json", "rank-0000.arrow", "rank-0001.arrow"] {
        assert_eq!(std::fs::read(one.join(name)).unwrap(), std::fs::read(two.join(name)).unwrap(), "{name}");
    }
    std::fs::remove_dir_all(&one).unwrap();
    assert_same(&traces, &map(&two).unwrap());
    // Onto itself.
    save(&map(&two).unwrap(), &two).unwrap();
    assert_same(&traces, &map(&two).unwrap());
    // One rank alone.
    let rank = map(two.join("rank-0001.arrow")).unwrap();
    assert_eq!((rank.label(), rank.ranks()), ("rank-0001", vec![1]));
    assert!(
        rank.events().equals_missing(
            &traces
                .rank(1)
                .unwrap()
                .events()
                .lazy()
                .with_column(lit(1_i64).alias("rank"))
                .select([col("rank"), all().exclude_cols(["rank"]).as_expr()])
                .collect()
                .unwrap()
        )
    );
}

#[test]
fn handed_over_columns_are_mapped_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    let traces = two_ranks(folder.path());
    let own = folder.path().join("own");
    let ours = hand_over(&traces, &own).unwrap();
    assert_same(&traces, &ours);
    assert!(ours.memory_bytes() > 0 && ours.stored_ranks().is_empty(), "the columns stay mapped");
    let theirs = map(&own).unwrap();
    assert_same(&traces, &theirs);
    std::fs::remove_dir_all(&own).unwrap();
    assert_same(&traces, &ours);
    assert_same(&traces, &theirs);
    // A rank in a file is not written again, and not copied to another disk.
    let stored = traces.stored_in(folder.path().join("stored")).unwrap();
    let reused = hand_over(&stored, &own).unwrap();
    assert_eq!(reused.stored_ranks(), [0, 1]);
    assert_same(&traces, &map(&own).unwrap());
}

#[test]
fn columns_beyond_the_budget_do_not_stay_mapped() {
    let folder = tempfile::tempdir().unwrap();
    save(&two_ranks(folder.path()), folder.path().join("saved")).unwrap();
    let opened = |bytes| Execution::new().memory(bytes).run(|| map(folder.path().join("saved")).unwrap());
    assert_eq!(opened(1).stored_ranks(), [0, 1]);
    let all = opened(1 << 40);
    assert_eq!((all.stored_ranks(), all.memory_bytes()), (vec![], 0), "nothing is mapped before it is used");
    assert!(all.events().height() > 0 && all.memory_bytes() > 0);
}

#[test]
fn frames_with_all_types_of_columns_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.arrow");
    let traces = two_ranks(folder.path());
    let lists = df!("list" => [Series::new("".into(), [1i64, 2])], "text" => [Some("é, \"x\"")]).unwrap();
    let answer = df!("short_name" => ["a"], "diff_counts" => [-1_i64], "diff_duration" => [Some(0.5)]).unwrap();
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

#[test]
fn foreign_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("frame.arrow");
    assert!(matches!(map(&file).unwrap_err(), Error::Io { .. }));
    assert!(matches!(map(folder.path()).unwrap_err(), Error::Io { .. }), "a folder without trace.json");
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
    assert!(error.contains("it holds a frame, expected a table of a rank"), "{error}");
}

#[test]
fn damaged_and_other_listings_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    save(&two_ranks(folder.path()), &saved).unwrap();
    let listing = saved.join("trace.json");
    let text = std::fs::read_to_string(&listing).unwrap();
    std::fs::write(&listing, text.replace("\"format\":4", "\"format\":5,\"new\":1")).unwrap();
    assert_eq!(refusal(map(&saved)), SavedFileReason::Version { found: 5, expected: 4 });
    for length in (0..text.len()).step_by(7) {
        std::fs::write(&listing, &text[..length]).unwrap();
        assert!(matches!(refusal(map(&saved)), SavedFileReason::Manifest(_)));
    }
    std::fs::write(&listing, &text).unwrap();
    std::fs::remove_file(saved.join("rank-0001.arrow")).unwrap();
    let error = map(&saved).unwrap_err();
    assert!(matches!(&error, Error::Io { path, .. } if path.ends_with("rank-0001.arrow")), "{error}");
}

#[test]
fn truncated_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    save(&two_ranks(folder.path()), folder.path().join("saved")).unwrap();
    let whole = std::fs::read(folder.path().join("saved/rank-0000.arrow")).unwrap();
    let file = folder.path().join("truncated.arrow");
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&file, &whole[..length]).unwrap();
        assert_eq!(refusal(map(&file)), SavedFileReason::Foreign, "{length} bytes");
    }
}

/// Changes single bytes of a file all over: it is refused, or mapped with values that can be read.
#[test]
fn changed_bytes_never_map_invalid_columns() {
    in_own_process(|| {
        let folder = tempfile::tempdir().unwrap();
        save(&two_ranks(folder.path()), folder.path().join("saved")).unwrap();
        let whole = std::fs::read(folder.path().join("saved/rank-0000.arrow")).unwrap();
        let mut refused = 0;
        for at in (8..whole.len()).step_by(5) {
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            let file = folder.path().join(format!("changed-{at}.arrow"));
            std::fs::write(&file, &changed).unwrap();
            let decoded = std::panic::catch_unwind(|| {
                let mapped = map(&file)?;
                let rank = mapped.traces().first().cloned().ok_or(Error::Interrupted)?;
                Ok::<_, Error>((rank.decoded()?.height(), rank.info().events))
            });
            match decoded {
                Ok(Ok((rows, events))) => assert!(rows == events || at > 0),
                _ => refused += 1,
            }
            std::fs::remove_file(&file).unwrap();
        }
        assert!(refused > 0);
    });
}
