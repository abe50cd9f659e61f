//! Installation of a packed library for Rust cells, from a file, a folder or a web server.

use super::compiler::Compiler;
use super::packed::{checksum_file, may_contain, read_checksum};
use super::{InstallError, download, toolchain as build};
use crate::engine::{CellsToolchain, RELEASES};
use kernel_base::provenance::provenance;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// The most bytes that a packed library may extract to.
const MAX_EXTRACTED: u64 = 4 << 30;
/// The most bytes of a file that says what the library fits.
const MAX_FACT: u64 = 64 << 10;

/// Installs the packed library from `from` (a URL, a file, a folder, or nothing for the release of this program), in place of
/// an older one.
///
/// # Errors
/// If there is none, it is damaged, or it fits another compiler or another build. The older one then stays.
pub(super) fn fetch(
    toolchain: &CellsToolchain,
    from: Option<&str>,
    report: &mut dyn FnMut(&str),
) -> Result<(), InstallError> {
    let from = from.or(RELEASES).ok_or(InstallError::NoRelease)?;
    let compiler = Compiler::of_this_machine()?;
    let next = build::sibling(toolchain, "next");
    let parent = next.parent().unwrap_or(Path::new(".")).to_owned();
    std::fs::create_dir_all(&parent).map_err(|source| InstallError::Write { path: parent.clone(), source })?;
    let downloads = tempfile::Builder::new().prefix("fetch-").tempdir_in(&parent);
    let downloads = downloads.map_err(|source| InstallError::Write { path: parent.clone(), source })?;
    let packed = if is_url(from) {
        download::packed(from, || compiler.archive(), downloads.path(), report)?
    } else {
        local(Path::new(from), || compiler.archive())?
    };
    report(&format!("  Rust cells: checking and extracting {}", packed.name));
    check_sum(&packed)?;
    let _ = std::fs::remove_dir_all(&next);
    let fresh = CellsToolchain::at(&next);
    let extracted = extract(&packed, &fresh, &compiler).and_then(|()| {
        build::link_worker_of_this_program(&fresh)?;
        build::try_cells(&fresh)
    });
    if let Err(error) = extracted {
        let _ = std::fs::remove_dir_all(&next);
        return Err(error);
    }
    build::replace(toolchain, &next)
}

/// A packed library on this machine.
#[derive(Debug)]
pub(super) struct Packed {
    /// The archive.
    pub(super) path: PathBuf,
    /// Its name, as its checksum names it.
    pub(super) name: String,
    /// The text of its file `.sha256`.
    pub(super) checksum: String,
}

/// Whether a text is the address of a web server.
fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// Returns the packed library that is a file, or is in a folder under the name that fits the compiler.
fn local(from: &Path, name: impl FnOnce() -> Result<String, InstallError>) -> Result<Packed, InstallError> {
    let path = if from.is_dir() { from.join(name()?) } else { from.to_owned() };
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let failed = |path: &Path, source: &std::io::Error| InstallError::Fetch {
        from: path.display().to_string(),
        reason: source.to_string(),
    };
    std::fs::metadata(&path).map_err(|source| failed(&path, &source))?;
    let sum = checksum_file(&path);
    let checksum = std::fs::read_to_string(&sum).map_err(|source| failed(&sum, &source))?;
    Ok(Packed { path, name, checksum })
}

/// Compares an archive with its checksum.
fn check_sum(packed: &Packed) -> Result<(), InstallError> {
    let expected = read_checksum(&packed.checksum, &packed.name)
        .ok_or_else(|| InstallError::NoChecksum { name: packed.name.clone() })?;
    let mut hash = Sha256::new();
    let mut file = File::open(&packed.path).map_err(|error| unreadable(packed, &error))?;
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => hash.update(&buffer[..count]),
            Err(error) => return Err(unreadable(packed, &error)),
        }
    }
    let found = hex::encode(hash.finalize());
    if found == expected { Ok(()) } else { Err(InstallError::Checksum { name: packed.name.clone(), expected, found }) }
}

fn unreadable(packed: &Packed, error: &std::io::Error) -> InstallError {
    InstallError::Fetch { from: packed.name.clone(), reason: error.to_string() }
}

/// Extracts an archive into the folder of `fresh`, after a check of what it fits.
fn extract(packed: &Packed, fresh: &CellsToolchain, compiler: &Compiler) -> Result<(), InstallError> {
    let failed = |error: std::io::Error| unreadable(packed, &error);
    let unexpected = |what: String| InstallError::Unexpected { name: packed.name.clone(), what };
    let file = File::open(&packed.path).map_err(failed)?;
    let decoder = zstd::Decoder::new(BufReader::new(file)).map_err(failed)?;
    let mut archive = tar::Archive::new(decoder.take(MAX_EXTRACTED));
    for folder in [fresh.folder().to_owned(), fresh.metadata(), fresh.folder().join("link")] {
        std::fs::create_dir_all(&folder).map_err(|source| InstallError::Write { path: folder, source })?;
    }
    let (mut fits_compiler, mut fits_build) = (false, false);
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let name = entry.path().map_err(failed)?.to_string_lossy().into_owned();
        if !may_contain(&name) || entry.header().entry_type() != tar::EntryType::Regular {
            return Err(unexpected(format!("a file \"{}\"", name.escape_debug())));
        }
        let fact = name.ends_with(".txt");
        if !(fact || (fits_compiler && fits_build)) {
            return Err(unexpected("no rustc.txt and sources.txt before the other files".to_owned()));
        }
        let path = fresh.folder().join(&name);
        let write = |source| InstallError::Write { path: path.clone(), source };
        let mut out = File::create_new(&path).map_err(write)?;
        let limit = if fact { MAX_FACT } else { MAX_EXTRACTED };
        std::io::copy(&mut (&mut entry).take(limit), &mut out).map_err(failed)?;
        match name.as_str() {
            "rustc.txt" => {
                let built = Compiler::read(&std::fs::read_to_string(&path).map_err(failed)?);
                if built.text != compiler.text {
                    return Err(InstallError::OtherCompiler {
                        packed: built.name,
                        release: built.release,
                        found: compiler.name.clone(),
                    });
                }
                fits_compiler = true;
            }
            "sources.txt" => {
                if std::fs::read_to_string(&path).map_err(failed)?.trim() != provenance().hash {
                    return Err(InstallError::OtherBuild { name: packed.name.clone() });
                }
                fits_build = true;
            }
            _ => {}
        }
    }
    if fresh.library().is_file() { Ok(()) } else { Err(unexpected("no libcells.so".to_owned())) }
}

#[cfg(test)]
#[path = "fetched_tests.rs"]
mod tests;
