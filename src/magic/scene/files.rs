//! Files that the user named, written whole or not at all.

use crate::Error;
use std::io::Write;
use std::path::Path;

/// Writes `path` by way of a new file beside it, so that an older one is replaced only by a whole one.
///
/// # Errors
/// [`Error::File`], with the path as the user wrote it.
pub(in crate::magic) fn write(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<(), Error> {
    let attempt = || -> std::io::Result<()> {
        if path.is_dir() {
            return Err(std::io::ErrorKind::IsADirectory.into());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::metadata(folder)?;
        let mut file = tempfile::Builder::new().prefix(".tracebook-").tempfile_in(folder)?;
        {
            let mut buffered = std::io::BufWriter::new(file.as_file_mut());
            fill(&mut buffered)?;
            buffered.flush()?;
        }
        readable(file.as_file())?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    attempt().map_err(|source| Error::File { path: path.to_owned(), source: plain(source) })
}

/// Without the name of the temporary file, which means nothing to the user.
fn plain(error: std::io::Error) -> std::io::Error {
    if error.raw_os_error().is_some() { error } else { error.kind().into() }
}

/// A temporary file is for its owner only; what a user asked for is an ordinary file.
#[cfg(unix)]
fn readable(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_file_is_replaced_only_by_a_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write(&path, |out| out.write_all(b"old")).unwrap();
        let broken = write(&path, |out| {
            out.write_all(b"ne")?;
            Err(std::io::ErrorKind::StorageFull.into())
        });
        assert!(broken.unwrap_err().to_string().contains("out.csv"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_path_and_the_reason() {
        let error = write(Path::new("/no/such/folder/x.csv"), |_| Ok(())).unwrap_err();
        assert_eq!(error.to_string(), "/no/such/folder/x.csv: No such file or directory (os error 2)");
        assert_eq!(error.ename(), "FileError");
    }
}
