//! Round trips of stored tables, and files that are refused.
#![allow(clippy::unwrap_used)]

use super::{StoredTable, TableKind};
use crate::error::{SavedFileReason, UnusableReason};
use crate::frame::{Categories, categorical};
use crate::{Compat, Error, Trace, TraceSet};
use polars::prelude::{DataFrame, IntoColumn, NamedFrom, Series, UInt32Chunked};
use polars_io::prelude::{IpcReader, SerReader};
use std::fs::{FileTimes, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;
use trace_testkit::{Stream, TraceBuilder, in_own_process};

fn loaded(operator: &str) -> Trace {
    let json = TraceBuilder::new()
        .metadata("traceName", "\"x\"")
        .step(1, 0..100)
        .operator(operator, 10..20)
        .arg("Input Dims", "[[2, 3]]")
        .runtime("cudaLaunchKernel", 4, 12..14)
        .kernel("void gemm<float>(int)", Stream(7), 30..50)
        .correlation(4)
        .json();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("0.json"), json).unwrap();
    TraceSet::load(folder.path()).unwrap().traces()[0].clone()
}

fn write(path: &Path, rank: &Trace) -> crate::Result<StoredTable> {
    StoredTable::write(path, TableKind::Events, rank.info(), Compat::Exact, &[], &rank.frame().unwrap(), false)
}

/// Columns of all kinds, with every value in `few` rows of many, and in the others none.
fn sparse(rows: usize, few: usize) -> DataFrame {
    let categories = Categories::shared();
    let is_there = |row: usize| row * few / rows != (row + 1) * few / rows;
    let code = |text: String| categories.codes(std::iter::once(text.as_str())).unwrap()[0];
    let texts = |name: &str, of: &dyn Fn(usize) -> Option<String>| {
        let codes: UInt32Chunked = (0..rows).map(|row| of(row).map(code)).collect();
        categorical(codes.with_name(name.into()), &categories).into_column()
    };
    let some = |row: usize| is_there(row).then_some(row as i64 - 7);
    let frame = polars::df!(
        "whole" => (0..rows as i64).collect::<Vec<_>>(),
        "few" => (0..rows).map(some).collect::<Vec<_>>(),
        "short" => (0..rows).map(|row| some(row).map(|value| value as i32)).collect::<Vec<_>>(),
        "float" => (0..rows).map(|row| some(row).map(|value| value as f64 / 3.0)).collect::<Vec<_>>(),
        "flag" => (0..rows).map(|row| some(row).map(|value| value % 2 == 0)).collect::<Vec<_>>(),
        "none" => vec![None::<i64>; rows],
    );
    let mut frame = frame.unwrap();
    frame.with_column(texts("name", &|row| Some(format!("name {}", row % 300)))).unwrap();
    frame.with_column(texts("cat", &|row| (row % 3 > 0).then(|| "kernel".to_owned()))).unwrap();
    frame.with_column(texts("rare", &|row| is_there(row).then(|| format!("rare {row}")))).unwrap();
    frame.with_column(texts("never", &|_| None)).unwrap();
    frame
}

#[test]
fn small_file_has_the_same_columns_in_fewer_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let info = loaded("aten::mm").info().clone();
    let write = |name: &str, frame: &DataFrame, is_small| {
        let path = folder.path().join(name);
        StoredTable::write(&path, TableKind::Events, &info, Compat::Exact, &[], frame, is_small).unwrap()
    };
    for (rows, few) in [(20_000, 2_000), (20_000, 0), (1_000, 999), (70, 1), (1, 1), (1, 0)] {
        let frame = sparse(rows, few);
        let (small, large) = (write("small", &frame, true), write("large", &frame, false));
        for table in [&small, &large] {
            assert_same(&frame, &table.frame().unwrap());
            for column in frame.columns() {
                let one = table.frame_of(std::slice::from_ref(column.name())).unwrap();
                assert_same(&frame.select([column.name().clone()]).unwrap(), &one);
            }
        }
        // Describing what was left out takes bytes, too: of a few rows more than it saves.
        assert!(rows < 1_000 || small.bytes() <= large.bytes(), "{} of {}", small.bytes(), large.bytes());
        assert!(rows < 20_000 || small.bytes() * 2 < large.bytes(), "{} of {}", small.bytes(), large.bytes());
        // What is mapped makes the same file again.
        let again = write("again", &small.frame().unwrap(), true);
        assert_eq!(std::fs::read(small.path()).unwrap(), std::fs::read(again.path()).unwrap());
        // Other programs read the columns of the batch.
        for (table, columns) in [(&small, None), (&large, Some(frame.width()))] {
            let read = IpcReader::new(std::fs::File::open(table.path()).unwrap()).finish().unwrap();
            assert_eq!(read.height(), rows);
            assert_eq!(read.column("whole").unwrap(), frame.column("whole").unwrap());
            assert!(columns.is_none_or(|columns| columns == read.width()));
        }
    }
}

#[test]
fn small_file_that_was_cut_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank.arrow");
    let info = loaded("aten::mm").info().clone();
    StoredTable::write(&path, TableKind::Events, &info, Compat::Exact, &[], &sparse(100, 3), true).unwrap();
    let content = std::fs::read(&path).unwrap();
    // Bytes are not changed here: a changed file fails the calls of other tests that run meanwhile.
    for length in (0..content.len()).step_by(7) {
        let cut = folder.path().join("cut.arrow");
        std::fs::write(&cut, &content[..length]).unwrap();
        assert!(StoredTable::open(&cut).is_err(), "{length}");
    }
}

fn assert_same(ours: &DataFrame, stored: &DataFrame) {
    assert!(ours.equals_missing(stored), "{ours:?}\n{stored:?}");
    assert_eq!(ours.schema(), stored.schema());
}

#[test]
fn stored_rank_equals_the_loaded_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank.arrow");
    let rank = loaded("aten::mm");
    let written = write(&path, &rank).unwrap();
    let opened = StoredTable::open(&path).unwrap();
    for table in [&written, &opened] {
        assert_eq!(
            (&**table.info(), table.compat(), table.info().events),
            (rank.info(), Compat::Exact, rank.info().events)
        );
        assert_eq!(table.columns(), rank.columns());
        assert_eq!((table.table(), table.bytes()), (TableKind::Events, path.metadata().unwrap().len()));
        assert_same(&rank.frame().unwrap(), &table.frame().unwrap());
        assert_same(&rank.frame().unwrap(), &table.frame().unwrap());
        table.check().unwrap();
    }
    // A table without rows.
    let empty = rank.frame().unwrap().clear();
    let path = folder.path().join("empty.arrow");
    let table = StoredTable::write(&path, TableKind::Instants, rank.info(), Compat::Hta, &[], &empty, false).unwrap();
    assert_same(&empty, &table.frame().unwrap());
}

#[test]
fn symbols_are_numbered_by_first_appearance() {
    let folder = tempfile::tempdir().unwrap();
    let _other = loaded("an operator of another trace");
    let rank = loaded("aten::mm");
    let path = folder.path().join("rank.arrow");
    let table = write(&path, &rank).unwrap();
    let frame = rank.decoded().unwrap();
    let mut texts: Vec<String> = Vec::new();
    for (name, _) in rank.columns().iter().filter(|(_, dtype)| dtype.is_categorical()) {
        let column = frame.column(name).unwrap();
        for text in column.str().unwrap().iter().flatten().filter(|&text| !text.is_empty()) {
            if !texts.iter().any(|known| known == text) {
                texts.push(text.to_owned());
            }
        }
    }
    let stored: Vec<&String> = table.texts().iter().filter(|text| !text.is_empty()).collect();
    assert_eq!(stored, texts.iter().collect::<Vec<_>>());
    // What a mapped table writes is the same file.
    let again = folder.path().join("again.arrow");
    let mapped = rank.with_events(table.frame().unwrap());
    write(&again, &mapped).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), std::fs::read(&again).unwrap());
}

#[test]
fn columns_of_variable_width_are_not_stored() {
    let folder = tempfile::tempdir().unwrap();
    let rank = loaded("aten::mm");
    let texts = DataFrame::new(1, vec![Series::new("text".into(), ["é"]).into()]).unwrap();
    let error = write(&folder.path().join("rank.arrow"), &rank.with_events(texts)).unwrap_err().to_string();
    assert!(error.contains("cannot store the column `text` of type str"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

fn refusal<T>(result: crate::Result<T>) -> SavedFileReason {
    match result.err().unwrap() {
        Error::NotASavedFile { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

fn reason<T>(result: crate::Result<T>) -> UnusableReason {
    match result.err().unwrap() {
        Error::Unusable { reason, .. } => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn replaced_and_removed_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank.arrow");
    let rank = loaded("aten::mm");
    let open = write(&path, &rank).unwrap();
    let table = StoredTable::open(&path).unwrap().closed();
    let frame = table.frame().unwrap();
    write(&path, &loaded("aten::add")).unwrap();
    // What is mapped stays what it was, and what is open can be mapped.
    assert_same(&rank.frame().unwrap(), &frame);
    assert_same(&rank.frame().unwrap(), &open.frame().unwrap());
    table.check().unwrap();
    open.check().unwrap();
    assert_eq!(reason(table.frame()), UnusableReason::Changed);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(reason(table.frame()), UnusableReason::Changed, "it stays unusable");
    let table = write(&path, &rank).unwrap().closed();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(reason(table.frame()), UnusableReason::Gone);
    assert_same(&rank.frame().unwrap(), &open.frame().unwrap());
    assert_eq!(
        refusal(StoredTable::open(&{
            std::fs::write(&path, "not an Arrow file").unwrap();
            path
        })),
        SavedFileReason::Foreign
    );
}

#[test]
fn file_that_changes_while_it_is_mapped_is_found() {
    in_own_process(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank.arrow");
        let rank = loaded("aten::mm");
        for dropped_first in [false, true] {
            let table = write(&path, &rank).unwrap();
            let frame = table.frame().unwrap();
            std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(20));
            let length = path.metadata().unwrap().len();
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(0).unwrap();
            // Without the handler of faults, this would end the process.
            let sum = frame.column("ts").unwrap().i64().unwrap().iter().flatten().sum::<i64>();
            assert_eq!(sum, 0, "pages of zeros");
            std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
            if dropped_first {
                drop(frame);
            }
            assert_eq!(reason(table.check()), UnusableReason::Changed);
            assert_eq!(reason(table.frame()), UnusableReason::Changed);
        }
    });
}

/// Writes other starts of events into a file, in place, and sets its time of change back.
fn overwrite_starts(path: &Path, frame: &DataFrame) {
    // Later than the file was written, by the clock of the file system.
    std::thread::sleep(Duration::from_millis(20));
    let modified = path.metadata().unwrap().modified().unwrap();
    let starts: Vec<u8> =
        frame.column("ts").unwrap().i64().unwrap().iter().flatten().flat_map(i64::to_le_bytes).collect();
    let content = std::fs::read(path).unwrap();
    let at = content.windows(starts.len()).position(|bytes| bytes == starts).unwrap();
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.write_all_at(&7_i64.to_le_bytes(), at as u64).unwrap();
    file.set_times(FileTimes::new().set_modified(modified)).unwrap();
    assert_eq!(path.metadata().unwrap().modified().unwrap(), modified);
}

#[test]
fn file_rewritten_in_place_is_found_though_its_time_is_old() {
    in_own_process(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rank.arrow");
        let rank = loaded("aten::mm");
        let events = rank.frame().unwrap();
        // While it is mapped.
        let table = write(&path, &rank).unwrap();
        let mapped = table.frame().unwrap();
        overwrite_starts(&path, &events);
        assert_eq!(reason(table.check()), UnusableReason::Changed);
        assert_eq!(reason(table.frame()), UnusableReason::Changed);
        drop(mapped);
        // Between two uses, and before the first.
        for is_used in [true, false] {
            let table = write(&path, &rank).unwrap();
            if is_used {
                assert_same(&events, &table.frame().unwrap());
            }
            overwrite_starts(&path, &events);
            // The other columns are those that were written.
            assert!(table.frame_of(&["name".into()]).is_ok());
            assert_eq!(reason(table.frame_of(&["ts".into()])), UnusableReason::Changed);
            assert_eq!(reason(table.frame()), UnusableReason::Changed);
        }
        // Before it is opened.
        write(&path, &rank).unwrap();
        overwrite_starts(&path, &events);
        assert_eq!(reason(StoredTable::open(&path).unwrap().frame()), UnusableReason::Changed);
    });
}

#[test]
fn other_names_modes_and_times_of_use_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rank.arrow");
    let rank = loaded("aten::mm");
    let table = write(&path, &rank).unwrap();
    let mapped = table.frame().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    std::fs::hard_link(&path, folder.path().join("other")).unwrap();
    table.check().unwrap();
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let used = std::time::SystemTime::now();
    OpenOptions::new().write(true).open(&path).unwrap().set_times(FileTimes::new().set_accessed(used)).unwrap();
    table.check().unwrap();
    assert_same(&rank.frame().unwrap(), &mapped);
    assert_same(&mapped, &table.frame().unwrap());
}
