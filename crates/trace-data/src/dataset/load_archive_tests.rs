//! Tests of loading from zip archives: as the same folder does, and what is damaged or foreign is named.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Warning;
use crate::{Cache, Error};
use std::fs;
use std::io::{Cursor, Write};
use trace_testkit::{Random, TraceBuilder, gzip};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

fn rank(number: i64) -> TraceBuilder {
    TraceBuilder::new().rank(number).step(1, 0..10).operator("aten::mm", number..number + 1).arg("Input Dims", "[[1]]")
}

/// Returns an archive of these entries, every second one not compressed.
fn archive(entries: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (at, (name, bytes)) in entries.iter().enumerate() {
        let method = if at % 2 == 0 { CompressionMethod::Deflated } else { CompressionMethod::Stored };
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn three_ranks(folder: &str) -> Vec<(String, Vec<u8>)> {
    vec![
        (format!("{folder}rank0.json"), rank(0).json().into_bytes()),
        (format!("{folder}rank1.json.gz"), rank(1).gzip()),
        (format!("{folder}rank2.json.zst"), zstd::encode_all(rank(2).json().as_bytes(), 3).unwrap()),
        (format!("{folder}README.md"), b"not a trace".to_vec()),
        (format!("{folder}notes.json"), b"{\"no\": 1}".to_vec()),
        ("__MACOSX/._rank0.json".to_owned(), b"\0\x05".to_vec()),
    ]
}

fn written(entries: &[(String, Vec<u8>)]) -> Vec<u8> {
    archive(&entries.iter().map(|(name, bytes)| (name.as_str(), bytes.clone())).collect::<Vec<_>>())
}

#[test]
fn archive_is_loaded_like_the_folder_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &three_ranks("")[..5] {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    let expected = TraceSet::load(folder.path()).unwrap();
    for (at, inside) in ["", "monday/", "runs/monday/"].into_iter().enumerate() {
        let zip = folder.path().join(format!("monday{at}.zip"));
        fs::write(&zip, written(&three_ranks(inside))).unwrap();
        let loaded = TraceSet::load(&zip).unwrap();
        assert_eq!((loaded.ranks(), loaded.label()), (vec![0, 1, 2], format!("monday{at}").as_str()));
        assert!(loaded.events().equals_missing(&expected.events()), "{inside}");
        let [Warning::SkippedFile { file, reason }] = loaded.warnings() else { panic!("{:?}", loaded.warnings()) };
        assert!(file.ends_with("notes.json") && reason.contains("has no `traceEvents`"), "{file}: {reason}");
        // One entry alone, a folder of the archive, and the tables that are read later.
        let one = TraceSet::load(zip.join(format!("{inside}rank1.json.gz"))).unwrap();
        assert_eq!((one.ranks(), one.label()), (vec![1], "rank1"));
        assert_eq!(one.rank(1).unwrap().instants().unwrap().height(), 0);
        assert_eq!(TraceSet::load(zip.join(inside)).unwrap().ranks(), [0, 1, 2]);
        let two = LoadOptions { ranks: Some(vec![2]), strict: true, ..LoadOptions::default() };
        let strict = TraceSet::load_with(&zip, &two, &mut |_| ControlFlow::Continue(()));
        assert_eq!(strict.unwrap().ranks(), [2]);
    }
    // Beside the archives, the folder has the same ranks as before.
    assert_eq!(TraceSet::load(folder.path()).unwrap().ranks(), [0, 1, 2]);
}

#[test]
fn archive_of_several_runs_asks_for_one() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("both.zip");
    fs::write(&zip, archive(&[("a/r.json", rank(0).gzip()), ("b/r.json", rank(0).gzip())])).unwrap();
    let error = TraceSet::load(&zip).unwrap_err();
    let Error::NoTraceFiles { folders, .. } = &error else { panic!("{error}") };
    assert_eq!(folders[..], ["a", "b"]);
    assert_eq!(TraceSet::load(zip.join("b")).unwrap().ranks(), [0]);
    assert!(matches!(TraceSet::load(zip.join("c")), Err(Error::NoTraceFiles { .. })));
    // A name that leads out of the archive is not followed.
    fs::write(&zip, archive(&[("../r.json", rank(0).gzip()), ("/etc/r.json", rank(0).gzip())])).unwrap();
    assert!(matches!(TraceSet::load(&zip), Err(Error::NoTraceFiles { .. })));
}

#[test]
fn entries_that_cannot_be_read_are_named_others_load() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("run.zip");
    let whole = archive(&[("rank0.json", rank(0).json().into_bytes()), ("rank1.json", rank(1).json().into_bytes())]);
    let flags = |bytes: &mut [u8], signature: &[u8], offset: usize| {
        let at = bytes.windows(4).position(|four| four == signature).unwrap();
        bytes[at + offset] |= 1;
    };
    let mut encrypted = whole.clone();
    flags(&mut encrypted, b"PK\x03\x04", 6);
    flags(&mut encrypted, b"PK\x01\x02", 8);
    fs::write(&zip, &encrypted).unwrap();
    let loaded = TraceSet::load(&zip).unwrap();
    let [Warning::SkippedFile { file, reason }] = loaded.warnings() else { panic!("{:?}", loaded.warnings()) };
    assert!(file.ends_with("run.zip/rank0.json") && reason.contains("an encrypted entry"), "{file}: {reason}");
    assert_eq!(loaded.ranks(), [1]);
    // The stored bytes of the second entry.
    let mut damaged = whole.clone();
    let at = damaged.windows(8).rposition(|name| name == b"aten::mm").unwrap();
    damaged[at] = b'A';
    fs::write(&zip, &damaged).unwrap();
    let loaded = TraceSet::load(&zip).unwrap();
    let warning = loaded.warnings()[0].to_string();
    assert!(warning.contains("rank1.json: the zip data is damaged (its CRC-32 differs)"), "{warning}");
    fs::write(&zip, &whole[..whole.len() - 30]).unwrap();
    let error = TraceSet::load(&zip).unwrap_err().to_string();
    assert!(error.contains("run.zip") && error.contains("a damaged or incomplete zip archive"), "{error}");
}

#[test]
fn mutated_archives_never_panic() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("run.zip");
    let (whole, mut random) = (written(&three_ranks("run/")), Random::new(7));
    for round in 0..150 {
        let mut bytes = whole.clone();
        for _ in 0..1 + round % 4 {
            let at = random.below(bytes.len());
            bytes[at] = random.below(256) as u8;
        }
        bytes.truncate(bytes.len() - if round % 3 == 0 { random.below(bytes.len() / 2) } else { 0 });
        fs::write(&zip, &bytes).unwrap();
        if let Err(error) = TraceSet::load(&zip) {
            assert!(error.to_string().contains("run.zip"), "{error}");
        }
    }
}

#[test]
fn entry_longer_than_it_says_ends_there() {
    let folder = tempfile::tempdir().unwrap();
    let zip = folder.path().join("bomb.zip");
    // 64 MB of blanks behind the events.
    let text = rank(0).json() + &" ".repeat(64 << 20);
    let mut bytes = archive(&[("rank0.json", text.into_bytes())]);
    for (signature, offset) in [(b"PK\x03\x04", 22), (b"PK\x01\x02", 24)] {
        let at = bytes.windows(4).position(|four| four == signature).unwrap() + offset;
        bytes[at..at + 4].copy_from_slice(&1000_u32.to_le_bytes());
    }
    fs::write(&zip, &bytes).unwrap();
    let loaded = TraceSet::load(&zip).unwrap();
    let warning = loaded.warnings()[0].to_string();
    assert!(warning.contains("an entry is longer than the archive says"), "{warning}");
}

#[test]
fn entries_are_kept_in_the_cache_and_found_again() {
    let (folder, cache_folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let zip = folder.path().join("run.zip");
    let text = |rank: i64| {
        let event = |at: i64| format!("{{\"cat\": \"cpu_op\", \"name\": \"op{rank}\", \"ts\": {at}, \"dur\": 1}}");
        let events: Vec<String> = (0..50_000).map(event).collect();
        gzip(
            format!("{{\"distributedInfo\": {{\"rank\": {rank}}}, \"traceEvents\": [{}]}}", events.join(","))
                .as_bytes(),
        )
    };
    fs::write(&zip, archive(&[("a.json.gz", text(0)), ("b.json.gz", text(1))])).unwrap();
    let ago = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    fs::File::options().write(true).open(&zip).unwrap().set_modified(ago).unwrap();
    let cache = Cache::open(cache_folder.path().join("cache"), 1 << 30).unwrap();
    let options = LoadOptions { cache: Some(cache), ..LoadOptions::default() };
    let load = || {
        let mut found = 0;
        let traces = TraceSet::load_with(&zip, &options, &mut |progress| {
            found = progress.files_from_cache;
            ControlFlow::Continue(())
        });
        (traces.unwrap(), found)
    };
    let ((first, none), (second, both)) = (load(), load());
    assert_eq!((none, both), (0, 2));
    assert!(first.events().equals_missing(&second.events()));
    // Another archive under this name is another trace.
    fs::write(&zip, archive(&[("a.json.gz", text(0))])).unwrap();
    assert_eq!((load().1, second.rank(0).unwrap().instants().is_err()), (0, true));
}
