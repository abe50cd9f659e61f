//! Packages for the cluster: zip files of equal bytes for equal content, named by their SHA-256.

use crate::cluster::own_files::{open_own, sha256};
use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::{Cursor, Error, Read, Result, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The name of the program in its package.
pub(super) const PROGRAM: &str = "tracebook";
/// Packed programs that are kept.
const MOST_PROGRAMS: usize = 3;

/// A package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    /// `_ray_pkg_1f…2c.zip`
    pub(super) name: String,
    pub(super) content: Vec<u8>,
}

impl Package {
    fn of(content: Vec<u8>) -> Self {
        let digest = hex::encode(Sha256::digest(&content));
        Self { name: format!("_ray_pkg_{}.zip", &digest[..32]), content }
    }

    /// Packs small files.
    pub(super) fn of_files(files: &[(&str, &[u8])]) -> Result<Self> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, content) in files {
            zip.start_file(*name, options(0o644)).map_err(Error::other)?;
            zip.write_all(content)?;
        }
        Ok(Self::of(zip.finish().map_err(Error::other)?.into_inner()))
    }
}

/// A program, packed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PackedProgram {
    pub(super) package: Package,
    /// The SHA-256 of the program itself, in hexadecimal digits: nodes run no other.
    pub(super) sha256: String,
}

impl PackedProgram {
    /// Packs the program, which takes seconds; a packed one is kept in `folder` for the next time. A kept one is sent only if no other
    /// user may write it and it holds this program.
    pub(super) fn of(program: &Path, folder: Option<&Path>) -> Result<Self> {
        let mut source = File::open(program)?;
        let sha256 = sha256(&source)?;
        let cached = folder.map(|folder| folder.join(format!("program-{sha256}.zip")));
        if let Some(content) = cached.as_ref().and_then(|path| cached_content(path, &sha256).ok()) {
            return Ok(Self { package: Package::of(content), sha256 });
        }
        source.rewind()?;
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file(PROGRAM, options(0o755)).map_err(Error::other)?;
        std::io::copy(&mut source, &mut zip)?;
        let content = zip.finish().map_err(Error::other)?.into_inner();
        if let (Some(folder), Some(cached)) = (folder, cached) {
            // The next job packs it again.
            let _ = keep(folder, &cached, &content);
        }
        Ok(Self { package: Package::of(content), sha256 })
    }
}

/// Reads a package that holds the program of this SHA-256, and nothing else: Python on the cluster would import other files of it.
///
/// # Errors
/// If there is none, or another one.
fn cached_content(path: &Path, program: &str) -> Result<Vec<u8>> {
    let mut content = Vec::new();
    open_own(path)?.read_to_end(&mut content)?;
    let mut zip = zip::ZipArchive::new(Cursor::new(&content)).map_err(Error::other)?;
    let is_alone = zip.len() == 1;
    let found = sha256(zip.by_name(PROGRAM).map_err(Error::other)?)?;
    if is_alone && found == program { Ok(content) } else { Err(Error::other("it holds another program")) }
}

/// Keeps a packed program, and removes older ones.
fn keep(folder: &Path, target: &Path, content: &[u8]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    // Only the owner can set it: in the folder of another user nothing is kept.
    std::fs::set_permissions(folder, Permissions::from_mode(0o700))?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.persist(target).map_err(|error| error.error)?;
    let mut others: Vec<(std::time::SystemTime, PathBuf)> = std::fs::read_dir(folder)?
        .flatten()
        .filter(|entry| Path::new(&entry.file_name()).extension() == Some(OsStr::new("zip")))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort();
    for (_, path) in others.iter().rev().skip(MOST_PROGRAMS) {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// Fixed times: equal content has an equal name.
fn options(mode: u32) -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default())
        .unix_permissions(mode)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn equal_content_has_an_equal_name() {
        let of = |text: &str| Package::of_files(&[("plan.json", text.as_bytes()), ("driver.py", b"pass")]).unwrap();
        let (one, other) = (of("{}"), of("{\"a\": 1}"));
        assert_eq!(one, of("{}"));
        assert_ne!(one.name, other.name);
        assert!(one.name.starts_with("_ray_pkg_") && one.name.len() == "_ray_pkg_.zip".len() + 32, "{}", one.name);
    }

    /// The only kept package.
    fn cached_file(folder: &Path) -> PathBuf {
        std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
    }

    #[test]
    fn packed_program_is_kept_and_a_damaged_one_packed_again() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, vec![7_u8; 300_000]).unwrap();
        let cache = folder.path().join("kept");
        let first = PackedProgram::of(&program, Some(&cache)).unwrap();
        let file = cached_file(&cache);
        assert_eq!(PackedProgram::of(&program, Some(&cache)).unwrap(), first);
        let content = &first.package.content;
        std::fs::write(&file, &content[..content.len() / 2]).unwrap();
        assert_eq!(PackedProgram::of(&program, Some(&cache)).unwrap(), first);
        assert_eq!(PackedProgram::of(&program, None).unwrap(), first);
        let mut zip = zip::ZipArchive::new(Cursor::new(first.package.content)).unwrap();
        assert_eq!(zip.by_name(PROGRAM).unwrap().unix_mode().unwrap() & 0o777, 0o755);
        for number in 0..5 {
            std::fs::write(&program, [number; 10]).unwrap();
            PackedProgram::of(&program, Some(&cache)).unwrap();
        }
        assert_eq!(std::fs::read_dir(&cache).unwrap().count(), MOST_PROGRAMS);
    }

    #[test]
    fn planted_package_is_packed_again() {
        let folder = tempfile::tempdir().unwrap();
        let (program, cache) = (folder.path().join("program"), folder.path().join("kept"));
        std::fs::write(&program, "the program").unwrap();
        let first = PackedProgram::of(&program, Some(&cache)).unwrap();
        let file = cached_file(&cache);
        let other = Package::of_files(&[(PROGRAM, b"an attacker")]).unwrap();
        let with_more = Package::of_files(&[(PROGRAM, b"the program"), ("ray.py", b"attack()")]).unwrap();
        for planted in [other, with_more] {
            std::fs::write(&file, planted.content).unwrap();
            assert_eq!(PackedProgram::of(&program, Some(&cache)).unwrap(), first);
        }
        std::fs::set_permissions(&file, Permissions::from_mode(0o666)).unwrap();
        assert_eq!(PackedProgram::of(&program, Some(&cache)).unwrap(), first);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o022, 0, "written anew");
        assert_eq!(cache.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}
