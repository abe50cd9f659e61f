//! The packed library for Rust cells: a tar archive, compressed by zstd, and its checksum.
//!
//! It contains what the folder of the cells toolchain contains, without the worker program: the loader finds the compiler's own
//! libraries by that program, so it is linked where the library is used.

use super::InstallError;
use super::compiler::Compiler;
use crate::engine::CellsToolchain;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// What releases are packed with: it takes some minutes. Level 3 takes seconds, and the archive is a third larger.
pub const PACK_LEVEL: i32 = 19;
/// Matches up to 128 MiB apart, the most that every decoder accepts: the stub repeats the metadata in the library.
const WINDOW_LOG: u32 = 27;

/// The files that say what the library fits; they come first, so that another library is refused before it is extracted.
const FACTS: [&str; 3] = ["rustc.txt", "sources.txt", "length.txt"];
const LIBRARIES: [&str; 2] = ["libcells.so", "link/libcells.so"];

/// Whether a packed library may contain a file of this name.
pub(super) fn may_contain(name: &str) -> bool {
    let is_metadata = |file: &str| {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        !file.starts_with('.') && file.chars().all(is_plain) && (file.ends_with(".rmeta") || file.ends_with(".so"))
    };
    FACTS.contains(&name) || LIBRARIES.contains(&name) || name.strip_prefix("metadata/").is_some_and(is_metadata)
}

/// Packs the cells toolchain into `folder`, at a level of zstd (1 to 19), with the file of its checksum beside it; returns the archive.
///
/// # Errors
/// If there is no toolchain that fits this program and the compiler, or a file cannot be written.
pub(super) fn pack(
    toolchain: &CellsToolchain,
    folder: &Path,
    level: i32,
    report: &mut dyn FnMut(&str),
) -> Result<PathBuf, InstallError> {
    let name = Compiler::of_this_machine()?.archive()?;
    toolchain.check().map_err(|error| InstallError::NothingToPack { reason: error.to_string() })?;
    let written = |path: &Path| {
        let path = path.to_owned();
        move |source| InstallError::Write { path, source }
    };
    std::fs::create_dir_all(folder).map_err(written(folder))?;
    let path = folder.join(&name);
    report(&format!("packing {} into {} (some minutes)", toolchain.folder().display(), path.display()));
    let files = files(toolchain).map_err(written(toolchain.folder()))?;
    let hash = write_archive(toolchain.folder(), &files, &path, level).map_err(written(&path))?;
    let sum = checksum_file(&path);
    std::fs::write(&sum, format!("{hash}  {name}\n")).map_err(written(&sum))?;
    let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    let extracted: u64 = files.iter().map(|file| length(&toolchain.folder().join(file))).sum();
    let size = trace_view::format::bytes;
    report(&format!("packed {} into {}: {}", size(extracted), size(length(&path)), path.display()));
    Ok(path)
}

/// Returns the path of the file with the checksum of an archive.
pub(super) fn checksum_file(archive: &Path) -> PathBuf {
    let mut path = archive.as_os_str().to_owned();
    path.push(".sha256");
    path.into()
}

/// Returns the checksum in a file of `sha256sum`, for the archive of a name.
pub(super) fn read_checksum(text: &str, name: &str) -> Option<String> {
    let (hash, of) = text.lines().next()?.split_once(char::is_whitespace)?;
    let is_hash = hash.len() == 64 && hash.chars().all(|c| c.is_ascii_hexdigit());
    // `*` marks binary mode.
    (is_hash && of.trim().trim_start_matches('*') == name).then(|| hash.to_ascii_lowercase())
}

/// Returns the files to pack, relative to the folder, in the order of the archive.
fn files(toolchain: &CellsToolchain) -> std::io::Result<Vec<String>> {
    let mut metadata = Vec::new();
    for entry in std::fs::read_dir(toolchain.metadata())? {
        metadata.push(format!("metadata/{}", entry?.file_name().to_string_lossy()));
    }
    // Sorted, so that the same files give the same archive.
    metadata.sort();
    let rest = LIBRARIES.iter().filter(|file| toolchain.folder().join(file).is_file()).map(|file| (*file).to_owned());
    Ok(FACTS.iter().map(|file| (*file).to_owned()).chain(rest).chain(metadata).collect())
}

/// Writes an archive of files below `folder`; returns its SHA-256 in hexadecimal digits.
fn write_archive(folder: &Path, files: &[String], path: &Path, level: i32) -> std::io::Result<String> {
    let out = Hashing { inner: BufWriter::new(File::create(path)?), hash: Sha256::new() };
    let mut encoder = zstd::Encoder::new(out, level)?;
    encoder.window_log(WINDOW_LOG)?;
    encoder.long_distance_matching(true)?;
    encoder.include_checksum(true)?;
    let mut archive = tar::Builder::new(encoder);
    for file in files {
        let source = File::open(folder.join(file))?;
        let length = source.metadata()?.len();
        let mut header = tar::Header::new_gnu();
        header.set_size(length);
        header.set_mode(0o644);
        archive.append_data(&mut header, file, source.take(length))?;
    }
    let mut out = archive.into_inner()?.finish()?;
    out.flush()?;
    Ok(hex::encode(out.hash.finalize()))
}

/// A writer that computes the checksum of what it writes.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hash.update(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
#[path = "packed_tests.rs"]
mod tests;
