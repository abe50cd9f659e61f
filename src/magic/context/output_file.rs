//! Files that the user named.

use crate::Error;
use std::io::Write;
use std::path::Path;
use trace::write::OutputFile;

/// Writes `path` as [`OutputFile`] does: an older file is replaced only by a whole one.
///
/// # Errors
/// [`Error::File`], with the path as the user wrote it; [`Error::Interrupted`] if it is a pipe that nobody reads, and the
/// cell was interrupted.
pub(crate) fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
    let attempt = || {
        let mut file = std::io::BufWriter::new(OutputFile::open(path)?);
        fill(&mut file)?;
        file.into_inner().map_err(|error| error.into_error())?.commit()
    };
    attempt().map_err(|source| match source.downcast::<trace::Error>() {
        Ok(error) => error.into(),
        Err(source) => Error::File { path: path.to_owned(), source },
    })
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
        assert_eq!(
            error.to_string(),
            "/no/such/folder/x.csv: the folder /no/such/folder does not exist; make it first, or name another"
        );
        assert_eq!(error.ename(), "FileError");
    }
}
