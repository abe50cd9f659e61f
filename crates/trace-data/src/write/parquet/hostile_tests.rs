//! Exports that are damaged, foreign or forged: each is refused with a message that names the file and the fix.
#![allow(clippy::unwrap_used)]

use super::export;
use super::tests::two_ranks;
use crate::error::ImportReason;
use crate::parquet::manifest::{self, Manifest};
use crate::parquet::names::part_file;
use crate::store::crc32;
use crate::{Error, TraceSet};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn lake() -> (TempDir, PathBuf) {
    let (folder, traces) = two_ranks();
    let lake = folder.path().join("lake");
    export(&traces, &lake).unwrap();
    (folder, lake)
}

/// Returns the reason for which the export is refused, and the name of the file that the message names.
fn refused(lake: &Path) -> (ImportReason, String) {
    match TraceSet::load(lake).unwrap_err() {
        Error::NotAnExport { path, reason } => {
            let name = path.strip_prefix(lake).unwrap_or(&path).display().to_string();
            let text = reason.to_string();
            assert!(["export the trace again", "load ", "copy "].iter().any(|fix| text.contains(fix)), "{text}");
            (reason, name)
        }
        error => panic!("{error}"),
    }
}

/// Writes other bytes of a part, with the checksum that fits them.
fn forge(lake: &Path, bytes: &[u8]) {
    fs::write(lake.join(part_file(0, 0)), bytes).unwrap();
    rewrite(lake, |manifest| {
        let part = &mut manifest.ranks[0].parts[0];
        (part.bytes, part.crc32) = (bytes.len() as u64, crc32(bytes));
    });
}

fn rewrite(lake: &Path, change: impl FnOnce(&mut Manifest)) {
    let file = lake.join(manifest::FILE);
    let mut manifest = Manifest::parse(&fs::read(&file).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(file, manifest.text().unwrap()).unwrap();
}

#[test]
fn damaged_parts_are_named() {
    let (_folder, lake) = lake();
    let file = part_file(1, 0);
    let whole = fs::read(lake.join(&file)).unwrap();
    for length in [0, 3, 12, whole.len() / 2, whole.len() - 1] {
        fs::write(lake.join(&file), &whole[..length]).unwrap();
        let expected = ImportReason::Size { found: length as u64, expected: whole.len() as u64 };
        assert_eq!(refused(&lake), (expected, file.clone()));
    }
    for at in (0..whole.len()).step_by(97) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(lake.join(&file), bytes).unwrap();
        assert_eq!(refused(&lake), (ImportReason::Checksum, file.clone()));
    }
    fs::remove_file(lake.join(&file)).unwrap();
    assert_eq!(refused(&lake), (ImportReason::Missing, file.clone()));
    rustix::fs::mknodat(rustix::fs::CWD, lake.join(&file), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert_eq!(refused(&lake), (ImportReason::NotAFile, file.clone()));
    fs::remove_file(lake.join(&file)).unwrap();
    fs::create_dir(lake.join(&file)).unwrap();
    assert_eq!(refused(&lake), (ImportReason::NotAFile, file));
}

#[test]
fn damaged_manifests_are_named() {
    let (_folder, lake) = lake();
    let file = lake.join(manifest::FILE);
    let whole = fs::read(&file).unwrap();
    for at in (0..whole.len()).step_by(53) {
        for changed in [whole[..at].to_vec(), [&whole[..at], b"7", &whole[at + 1..]].concat()] {
            fs::write(&file, &changed).unwrap();
            if changed != whole {
                assert_eq!(refused(&lake).1, manifest::FILE);
            }
        }
    }
    let text = String::from_utf8(whole).unwrap();
    fs::write(&file, text.replace("\"tracebook_export\":2", "\"tracebook_export\":9")).unwrap();
    assert_eq!(refused(&lake).0, ImportReason::Version { found: 9, expected: 2 });
    fs::write(&file, serde_json::to_vec(&serde_json::from_str::<serde_json::Value>(&text).unwrap()).unwrap()).unwrap();
    assert_eq!(refused(&lake).0, ImportReason::Edited);
    for foreign in ["", "{}", "[]", "{\"traceEvents\": []}", "\0"] {
        fs::write(&file, foreign).unwrap();
        assert_eq!(refused(&lake).0, ImportReason::Foreign, "{foreign:?}");
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(refused(&lake), (ImportReason::NoManifest, String::new()));
    assert_eq!(refused(&lake.join("rank=0")).0, ImportReason::NoManifest);
    let error = TraceSet::load(lake.join(part_file(0, 0))).unwrap_err().to_string();
    assert!(error.contains("a Parquet file") && error.contains("tracebook.json"), "{error}");
}

#[test]
fn manifests_that_contradict_their_parts_are_refused() {
    let changes: [fn(&mut Manifest); 7] = [
        |manifest| manifest.ranks[0].info.events += 1,
        |manifest| manifest.ranks[0].parts[0].rows = usize::MAX,
        |manifest| {
            manifest.ranks[0].parts[0].rows += 1;
            manifest.ranks[0].info.events += 1;
        },
        |manifest| {
            manifest.ranks[0].columns.pop();
        },
        |manifest| manifest.ranks[0].columns.clear(),
        |manifest| manifest.ranks[0].columns.swap(0, 3),
        |manifest| manifest.ranks.swap(0, 1),
    ];
    for change in changes {
        let (_folder, lake) = lake();
        rewrite(&lake, change);
        refused(&lake);
    }
    // A rank that cannot fit is refused before anything is allocated.
    let (_folder, lake) = lake();
    rewrite(&lake, |manifest| {
        manifest.ranks[0].parts[0].rows = 1 << 45;
        manifest.ranks[0].info.events = 1 << 45;
    });
    assert!(matches!(TraceSet::load(&lake), Err(Error::MemoryBudget { .. })));
}

#[test]
fn forged_parts_are_errors_and_never_panics() {
    let (_folder, lake) = lake();
    let whole = fs::read(lake.join(part_file(0, 0))).unwrap();
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let mut outcomes = [0, 0];
    for round in 0..600 {
        let mut bytes = whole.clone();
        // Most of them in the footer, which states positions and lengths.
        let from = if round % 3 == 0 { 4 } else { whole.len() * 2 / 3 };
        for _ in 0..1 + random(3) {
            let at = from + random(bytes.len() - from);
            bytes[at] = match random(3) {
                0 => 0xff,
                1 => bytes[at].wrapping_add(1),
                _ => random(256) as u8,
            };
        }
        if round % 10 == 0 {
            bytes.truncate(random(bytes.len()));
        }
        forge(&lake, &bytes);
        match TraceSet::load(&lake) {
            Ok(_) => outcomes[0] += 1,
            Err(Error::NotAnExport { .. }) => outcomes[1] += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(outcomes[1] > 100, "{outcomes:?}");
    forge(&lake, b"PAR1");
    assert!(matches!(refused(&lake).0, ImportReason::Content(_)));
}
