#![allow(clippy::unwrap_used)]

use super::*;

#[test]
fn archive_contains_only_files_of_a_toolchain() {
    for name in [
        "rustc.txt",
        "libcells.so",
        "link/libcells.so",
        "metadata/libpolars-0a1b.rmeta",
        "metadata/libserde_derive-1.so",
    ] {
        assert!(may_contain(name), "{name}");
    }
    for name in [
        "tracebook-worker",
        "/rustc.txt",
        "../rustc.txt",
        "metadata/../../x.so",
        "metadata/a/b.rmeta",
        "metadata/.so",
        "metadata/run.sh",
        "ready/1",
        "",
    ] {
        assert!(!may_contain(name), "{name}");
    }
}

#[test]
fn checksum_is_that_of_sha256sum_for_the_same_name() {
    let hash = "A".repeat(64);
    let lower = Some("a".repeat(64));
    assert_eq!(read_checksum(&format!("{hash}  x.tar.zst\n"), "x.tar.zst"), lower);
    assert_eq!(read_checksum(&format!("{hash} *x.tar.zst\n"), "x.tar.zst"), lower);
    for text in
        ["", "\n", &hash, &format!("{hash}  y.tar.zst"), "abc  x.tar.zst", &format!("{}g  x.tar.zst", "a".repeat(63))]
    {
        assert_eq!(read_checksum(text, "x.tar.zst"), None, "{text}");
    }
}

#[test]
fn archive_is_the_same_for_the_same_files() {
    let folder = tempfile::tempdir().unwrap();
    let toolchain = CellsToolchain::at(folder.path());
    std::fs::create_dir(toolchain.metadata()).unwrap();
    for file in [
        toolchain.compiler_file(),
        toolchain.sources_file(),
        toolchain.length_file(),
        toolchain.library(),
        toolchain.worker(),
    ] {
        std::fs::write(&file, file.to_string_lossy().as_bytes()).unwrap();
    }
    for name in ["b.rmeta", "a.rmeta"] {
        std::fs::write(toolchain.metadata().join(name), name).unwrap();
    }
    let files = files(&toolchain).unwrap();
    assert_eq!(
        files,
        ["rustc.txt", "sources.txt", "length.txt", "libcells.so", "metadata/a.rmeta", "metadata/b.rmeta"]
    );
    let out = tempfile::tempdir().unwrap();
    let [one, two] = ["one", "two"].map(|name| {
        let path = out.path().join(name);
        let hash = write_archive(toolchain.folder(), &files, &path, 3).unwrap();
        assert_eq!(hash, hex::encode(Sha256::digest(std::fs::read(path).unwrap())));
        hash
    });
    assert_eq!(one, two);
}
