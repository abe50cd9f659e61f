//! Output files that the user named.

use crate::Error;
use std::io::Write;
use std::path::Path;
use trace_core::write::OutputFile;

/// Writes `path` through [`OutputFile`]: an existing file is replaced only by a complete one.
///
/// # Errors
/// [`Error::File`] with the path as typed; [`Error::Interrupted`] while waiting for the reader of a pipe.
pub fn write(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
    let attempt = || {
        let mut file = std::io::BufWriter::new(OutputFile::open(path)?);
        fill(&mut file)?;
        file.into_inner().map_err(|error| error.into_error())?.commit()
    };
    attempt().map_err(|source| match source.downcast::<trace_core::Error>() {
        Ok(error) => error.into(),
        Err(cause) => Error::File { path: path.to_owned(), cause },
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn failed_write_keeps_the_older_file() {
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
    fn error_names_path_reason_and_fix() {
        let error = write(Path::new("/no/such/folder/x.csv"), |_| Ok(())).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot write /no/such/folder/x.csv: the folder /no/such/folder does not exist; create it, or choose another"
        );
        assert_eq!(error.ename(), "FileError");
    }
}
