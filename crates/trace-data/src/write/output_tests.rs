//! Output files: links, several names, pipes, missing commits.
#![allow(clippy::unwrap_used)]

use super::*;
use std::os::unix::fs::symlink;

fn write(path: &Path, text: &str) -> Result<()> {
    let mut file = OutputFile::open(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn nothing_changes_without_commit() {
    let folder = tempfile::tempdir().unwrap();
    let (old, twin) = (folder.path().join("old"), folder.path().join("twin"));
    std::fs::write(&old, "old").unwrap();
    for step in 0..2 {
        let mut file = OutputFile::open(&old).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
        assert_eq!(names(folder.path()).len(), 1 + step, "nothing is left behind");
        if step == 0 {
            std::fs::hard_link(&old, &twin).unwrap();
        }
    }
    drop(OutputFile::open(&folder.path().join("new")).unwrap());
    assert_eq!(names(folder.path()), ["old", "twin"]);
}

#[test]
fn file_with_two_names_keeps_both() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    std::fs::write(&one, "a long text from before").unwrap();
    std::fs::hard_link(&one, &other).unwrap();
    for text in ["short", "a text that is longer than the one from before", ""] {
        write(&other, text).unwrap();
        assert_eq!(std::fs::read_to_string(&one).unwrap(), text);
    }
    assert_eq!(names(folder.path()), ["one", "other"]);
}

#[test]
fn links_are_followed_and_cycles_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    symlink("b", at("a")).unwrap();
    symlink(at("c"), at("b")).unwrap();
    write(&at("a"), "text").unwrap();
    assert_eq!(std::fs::read_to_string(at("c")).unwrap(), "text");
    assert!(at("a").is_symlink() && at("b").is_symlink() && !at("c").is_symlink());
    symlink("y", at("x")).unwrap();
    symlink("x", at("y")).unwrap();
    symlink("/no/such/folder/file", at("nowhere")).unwrap();
    for (path, part) in
        [(at("x"), "symbolic link"), (at("nowhere"), "No such file"), (folder.path().into(), "directory")]
    {
        let error = OutputFile::open(&path).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn cancelled_wait_for_a_reader_is_an_interrupt() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let token = crate::CancellationToken::new(|| true);
    let error = token.run(|| OutputFile::open(&pipe)).unwrap_err();
    assert!(matches!(error.downcast::<crate::Error>(), Ok(crate::Error::Interrupted)));
}

#[test]
fn address_is_refused() {
    for address in ["s3://bucket/out.csv", "file:///out.csv", "x3://a/b"] {
        let error = OutputFile::open(Path::new(address)).unwrap_err();
        assert!(error.to_string().contains("nothing is written to an address"), "{error}");
    }
}
