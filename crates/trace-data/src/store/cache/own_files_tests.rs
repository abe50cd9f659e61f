//! Files of other programs: neither counted, listed nor removed.
#![allow(clippy::unwrap_used)]

use super::Cache;
use super::tests::Setting;
use crate::Compat;
use crate::store::{StoredTable, TableKind};

/// Files that no cache wrote, with names as those of entries: of another program, of a key that gives another name, of no key.
fn foreign_files(setting: &Setting) -> Vec<(String, Vec<u8>)> {
    let entry = std::fs::read(setting.entries().first().unwrap()).unwrap();
    let no_entry = setting.folder.join("saved.arrow");
    let info = setting.rank.info();
    StoredTable::write(&no_entry, TableKind::Events, info, Compat::Exact, &[], &setting.frame, false).unwrap();
    let saved = std::fs::read(&no_entry).unwrap();
    let digits = |digit: &str| digit.repeat(32);
    vec![
        ("data-00000-of-00008.arrow".to_owned(), entry.clone()),
        (format!("{}.arrow", digits("a")), entry.clone()),
        (format!("{}-events.arrow", digits("a")), entry),
        (format!("{}-events.arrow", digits("b")), saved),
        (format!("{}-events.arrow", digits("c")), b"ARROW1 and no header".to_vec()),
        ("notes.in-use".to_owned(), b"x".to_vec()),
        (".tracebook-notes.txt".to_owned(), b"x".to_vec()),
    ]
}

#[test]
fn files_of_another_program_are_neither_counted_nor_removed() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let bytes = setting.insert("all").unwrap().bytes();
    let files = foreign_files(&setting);
    for (name, content) in &files {
        std::fs::write(setting.cache.folder().join(name), content).unwrap();
    }
    std::fs::create_dir(setting.cache.folder().join("folder.arrow")).unwrap();
    let setting = setting.afresh();
    assert_eq!((setting.cache.bytes(), setting.cache.entries().len(), setting.cache.foreign_files()), (bytes, 1, 5));
    // The entry fits, and is not removed for the sake of files that are not counted.
    setting.cache.set_limit(bytes).unwrap();
    assert_eq!(setting.entries().len(), 1);
    setting.cache.set_limit(1).unwrap();
    assert_eq!(setting.cache.clear(None).unwrap().files, 0);
    assert!(setting.entries().is_empty());
    for (name, content) in files {
        assert_eq!(std::fs::read(setting.cache.folder().join(&name)).unwrap(), content, "{name}");
    }
}

#[test]
fn folder_of_another_program_does_not_become_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let theirs = folder.path().join("datasets");
    std::fs::create_dir(&theirs).unwrap();
    std::fs::write(theirs.join("train.arrow"), "rows").unwrap();
    let error = Cache::open(&theirs, 1).unwrap_err().to_string();
    assert!(error.contains("it contains `train.arrow`, which is not a file of a cache"), "{error}");
    assert!(error.contains("set TRACEBOOK_CACHE to another folder"), "{error}");
    assert_eq!(std::fs::read_dir(&theirs).unwrap().count(), 1, "nothing is written to it");
    // A folder of its own below is one, and stays one whatever is put there.
    let own = theirs.join("tracebook");
    Cache::open(&own, 1).unwrap();
    std::fs::write(own.join("train.arrow"), "rows").unwrap();
    Cache::open(&own, 1).unwrap();
    assert!(Cache::is_in(&own) && !Cache::is_in(&theirs));
}

#[test]
fn entry_of_another_version_is_counted_and_removed() {
    let folder = tempfile::tempdir().unwrap();
    let setting = Setting::in_folder(folder.path());
    let path = setting.insert("all").unwrap().path().to_owned();
    let mut old = std::fs::read(&path).unwrap();
    let header = b"{\"format\":5,";
    let at = old.windows(header.len()).rposition(|bytes| bytes == header).unwrap();
    old[at + header.len() - 2] = b'4';
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, old).unwrap();
    let setting = setting.afresh();
    assert_eq!(setting.entries(), [path]);
    assert_eq!(setting.cache.clear(None).unwrap().files, 1);
}
