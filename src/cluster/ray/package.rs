//! Packages for the cluster: zip files of equal bytes for equal content, named by their SHA-256.

use sha2::{Digest, Sha256};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Cursor, Error, Read, Result, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

/// The name of the program in its package.
pub(super) const PROGRAM: &str = "tracebook";
/// Packed programs that are kept.
const KEPT: usize = 3;

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

    /// Packs the program, which takes seconds; a packed one is kept in `folder` for the next time.
    pub(super) fn of_program(program: &Path, folder: Option<&Path>) -> Result<Self> {
        let mut source = File::open(program)?;
        let found = source.metadata()?;
        let key = format!("{}-{}-{}-{}", found.ino(), found.len(), found.mtime(), found.mtime_nsec());
        let kept = folder.map(|folder| folder.join(format!("program-{}.zip", &hex::encode(Sha256::digest(key))[..32])));
        if let Some(content) =
            kept.as_ref().and_then(|kept| std::fs::read(kept).ok()).filter(|content| is_whole(content))
        {
            return Ok(Self::of(content));
        }
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file(PROGRAM, options(0o755)).map_err(Error::other)?;
        std::io::copy(&mut source, &mut zip)?;
        let content = zip.finish().map_err(Error::other)?.into_inner();
        if let (Some(folder), Some(kept)) = (folder, kept) {
            // The next job packs it again.
            let _ = keep(folder, &kept, &content);
        }
        Ok(Self::of(content))
    }
}

/// Whether a zip file is whole: it ends with its directory.
fn is_whole(content: &[u8]) -> bool {
    zip::ZipArchive::new(Cursor::new(content))
        .is_ok_and(|mut zip| zip.by_name(PROGRAM).is_ok_and(|mut file| file.read(&mut [0; 1]).is_ok()))
}

/// Keeps a packed program, and removes older ones.
fn keep(folder: &Path, kept: &Path, content: &[u8]) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(content)?;
    file.persist(kept).map_err(|error| error.error)?;
    let mut others: Vec<(std::time::SystemTime, PathBuf)> = std::fs::read_dir(folder)?
        .flatten()
        .filter(|entry| Path::new(&entry.file_name()).extension() == Some(OsStr::new("zip")))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    others.sort();
    for (_, path) in others.iter().rev().skip(KEPT) {
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

    #[test]
    fn packed_program_is_kept_and_a_damaged_one_packed_again() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("program");
        std::fs::write(&program, vec![7_u8; 300_000]).unwrap();
        let kept = folder.path().join("kept");
        let first = Package::of_program(&program, Some(&kept)).unwrap();
        let file = std::fs::read_dir(&kept).unwrap().next().unwrap().unwrap().path();
        assert_eq!(Package::of_program(&program, Some(&kept)).unwrap(), first);
        std::fs::write(&file, &first.content[..first.content.len() / 2]).unwrap();
        assert_eq!(Package::of_program(&program, Some(&kept)).unwrap(), first);
        assert_eq!(Package::of_program(&program, None).unwrap(), first);
        let mut zip = zip::ZipArchive::new(Cursor::new(first.content)).unwrap();
        assert_eq!(zip.by_name(PROGRAM).unwrap().unix_mode().unwrap() & 0o777, 0o755);
        for number in 0..5 {
            std::fs::write(&program, [number; 10]).unwrap();
            Package::of_program(&program, Some(&kept)).unwrap();
        }
        assert_eq!(std::fs::read_dir(&kept).unwrap().count(), KEPT);
    }
}
