#![allow(clippy::unwrap_used)]

use super::*;
use crate::install::InstallError;

/// An archive of these files, and a folder to extract it to.
struct Case {
    folder: tempfile::TempDir,
    packed: Packed,
}

fn compiler() -> Compiler {
    Compiler::of_this_machine().unwrap()
}

fn facts() -> Vec<(&'static str, String)> {
    vec![("rustc.txt", compiler().text), ("sources.txt", kernel_base::provenance::provenance().hash.to_owned())]
}

impl Case {
    fn of(files: &[(&str, String)]) -> Self {
        Self::written(|archive| {
            for (name, text) in files {
                let mut header = tar::Header::new_gnu();
                header.set_size(text.len() as u64);
                // `append_data` refuses what a hostile archive contains.
                header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
                header.set_cksum();
                archive.append(&header, text.as_bytes()).unwrap();
            }
        })
    }

    fn written(write: impl FnOnce(&mut tar::Builder<zstd::Encoder<'static, File>>)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.tar.zst");
        let mut archive = tar::Builder::new(zstd::Encoder::new(File::create(&path).unwrap(), 1).unwrap());
        write(&mut archive);
        archive.into_inner().unwrap().finish().unwrap();
        Self { folder, packed: Packed { path, name: "x.tar.zst".to_owned(), checksum: String::new() } }
    }

    fn fresh(&self) -> CellsToolchain {
        CellsToolchain::at(self.folder.path().join("fresh"))
    }

    fn extracted(&self) -> Result<(), InstallError> {
        extract(&self.packed, &self.fresh(), &compiler())
    }

    fn error(&self) -> String {
        self.extracted().unwrap_err().to_string()
    }
}

#[test]
fn library_that_fits_is_extracted() {
    let mut files = facts();
    files.extend([("libcells.so", "library".to_owned()), ("metadata/liba.rmeta", "metadata".to_owned())]);
    let case = Case::of(&files);
    case.extracted().unwrap();
    assert_eq!(std::fs::read_to_string(case.fresh().library()).unwrap(), "library");
    assert_eq!(std::fs::read_to_string(case.fresh().metadata().join("liba.rmeta")).unwrap(), "metadata");
}

#[test]
fn other_compiler_or_build_is_refused_before_the_library() {
    let other = compiler().text.replace("rustc ", "rustc 9.").replace("release: ", "release: 9.");
    let case = Case::of(&[("rustc.txt", other), ("libcells.so", "library".to_owned())]);
    let error = case.error();
    assert!(
        error.contains("rustc 9.") && error.contains(&compiler().name) && error.contains("--build-cells"),
        "{error}"
    );
    assert!(!case.fresh().library().exists());
    let case = Case::of(&[("rustc.txt", compiler().text), ("sources.txt", "0".to_owned())]);
    assert!(matches!(case.extracted(), Err(InstallError::OtherBuild { .. })));
    let case = Case::of(&[("libcells.so", "library".to_owned())]);
    assert!(case.error().contains("before the other files"), "{}", case.error());
}

#[test]
fn files_outside_of_the_folder_and_links_are_refused() {
    for name in ["../escaped.so", "/tmp/escaped.so", "metadata/../../escaped.so", "tracebook-worker"] {
        let mut files = facts();
        files.push((name, "x".to_owned()));
        let case = Case::of(&files);
        assert!(case.error().contains("it has a file"), "{name}: {}", case.error());
        assert!(!case.folder.path().join("escaped.so").exists());
    }
    let case = Case::written(|archive| {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Symlink);
        header.set_size(0);
        archive.append_link(&mut header, "metadata/liba.rmeta", "/etc/passwd").unwrap();
    });
    assert!(case.error().contains("it has a file"), "{}", case.error());
}

#[test]
fn damaged_and_incomplete_archives_are_refused() {
    let case = Case::of(&facts());
    assert!(case.error().contains("no libcells.so"), "{}", case.error());
    let mut bytes = std::fs::read(&case.packed.path).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&case.packed.path, bytes).unwrap();
    std::fs::remove_dir_all(case.fresh().folder()).unwrap();
    assert!(matches!(case.extracted(), Err(InstallError::Fetch { .. })));
}

#[test]
fn checksum_must_be_there_and_fit() {
    let mut case = Case::of(&facts());
    assert!(matches!(check_sum(&case.packed), Err(InstallError::NoChecksum { .. })));
    case.packed.checksum = format!("{}  x.tar.zst\n", "0".repeat(64));
    let error = check_sum(&case.packed).unwrap_err().to_string();
    assert!(error.contains("is damaged") && error.contains(&"0".repeat(64)), "{error}");
    let hash = hex::encode(Sha256::digest(std::fs::read(&case.packed.path).unwrap()));
    case.packed.checksum = format!("{hash}  x.tar.zst\n");
    check_sum(&case.packed).unwrap();
}

#[test]
fn library_of_a_folder_is_the_one_of_this_compiler() {
    let folder = tempfile::tempdir().unwrap();
    let name = compiler().archive().unwrap();
    let found = || local(folder.path(), || compiler().archive());
    let error = found().unwrap_err().to_string();
    assert!(error.contains(&name) && error.contains("--build-cells"), "{error}");
    std::fs::write(folder.path().join(&name), "x").unwrap();
    assert!(found().unwrap_err().to_string().contains(".sha256"));
    std::fs::write(folder.path().join(format!("{name}.sha256")), "sum").unwrap();
    assert_eq!(found().unwrap().name, name);
}

#[test]
fn without_a_release_the_message_names_what_to_give() {
    let folder = tempfile::tempdir().unwrap();
    let toolchain = CellsToolchain::at(folder.path().join("cells"));
    if RELEASES.is_none() {
        let error = fetch(&toolchain, None, &mut |_| {}).unwrap_err().to_string();
        assert!(error.contains("--fetch-cells URL|FILE|FOLDER"), "{error}");
    }
}
