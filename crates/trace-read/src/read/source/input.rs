//! Inputs of a load: the files of a path, or the objects of an address, each with what identifies its content.

use super::archive::stored_size;
use super::files::trace_files;
use crate::Result;
use crate::read::Meter;
use crate::read::remote::{self, Location};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A file of a trace: on this machine, in object storage, or on a web server.
///
/// It travels as `{"uri": …, "size": …, "etag": …, "modified": …}`, and is loaded by
/// `TraceSet::load_inputs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Input {
    /// The path, or the address with its scheme.
    #[serde(rename = "uri")]
    pub path: PathBuf,
    /// The size as it is stored, in bytes; 0 of a pipe.
    pub size: u64,
    /// The tag of its content, if it is remote and the server gives one.
    pub etag: Option<String>,
    /// The time of its last change in nanoseconds since 1970, if it is remote and the server tells.
    pub modified: Option<i64>,
}

/// The inputs of a path or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Inputs {
    /// The files, by name.
    pub files: Vec<Input>,
    /// Whether they are those of a folder or an archive, in which other files may be, too.
    pub in_folder: bool,
}

impl Inputs {
    /// Finds the trace files of a path or an address: the file itself, or those of a folder, by name. In object storage a
    /// folder is all objects whose names begin with its own and a `/`, without further `/`.
    ///
    /// # Errors
    /// If the address is invalid, nothing is there, or no trace file is among it; [`Error::Storage`](crate::Error::Storage) if
    /// storage refuses.
    ///
    /// # Example
    /// ```
    /// let inputs = trace::read::Inputs::of("../../notebooks/data/job")?;
    /// assert_eq!(inputs.files.len(), 4);
    /// # Ok::<(), trace::Error>(())
    /// ```
    pub fn of(path: impl AsRef<Path>) -> Result<Self> {
        Self::find(&Location::of(path.as_ref())?, &Meter::default())
    }

    /// Finds the runs that a pattern in an address names, as local patterns do: `*` stands for any text, `?` for a character,
    /// `[a-c]` for one of them, none of them for a `/`. Other addresses and paths name themselves. In no order.
    ///
    /// # Errors
    /// As [`Inputs::of`].
    pub fn matches(path: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
        match Location::of(path.as_ref())? {
            Location::Remote(uri) => remote::matches(&uri, &Meter::default()),
            Location::Local(_) => Ok(vec![path.as_ref().to_owned()]),
        }
    }

    /// Returns files that were found before, as those of a folder.
    #[doc(hidden)]
    pub fn all(files: Vec<Input>) -> Self {
        Self { files, in_folder: true }
    }

    /// Finds the files of a location.
    #[doc(hidden)]
    pub fn find(location: &Location, meter: &Meter) -> Result<Self> {
        match location {
            Location::Local(path) => {
                let files: Vec<Input> = trace_files(path)?.into_iter().map(Input::local).collect();
                // An archive holds other files, too, as a folder does.
                let in_folder = files.first().is_none_or(|first| first.path != **path);
                Ok(Self { files, in_folder })
            }
            Location::Remote(uri) => remote::inputs(uri, meter),
        }
    }
}

impl Input {
    /// Describes a file of this machine as it is now.
    #[doc(hidden)]
    pub fn local(path: PathBuf) -> Self {
        let size = std::fs::metadata(&path).map_or_else(|_| stored_size(&path).unwrap_or(0), |file| file.len());
        Self { path, size, etag: None, modified: None }
    }

    /// Describes what was loaded before.
    #[doc(hidden)]
    pub fn of_source(path: PathBuf, size: u64, etag: Option<String>, modified: Option<i64>) -> Self {
        Self { path, size, etag, modified }
    }

    /// Returns the path or address as text.
    pub fn uri(&self) -> String {
        self.path.display().to_string()
    }

    /// Whether it is a file of this machine.
    pub fn is_local(&self) -> bool {
        !matches!(Location::of(&self.path), Ok(Location::Remote(_)))
    }
}
