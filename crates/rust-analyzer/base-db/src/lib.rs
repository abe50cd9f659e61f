//! The part of `ra_ap_base_db` that evcxr uses: the texts of files.

use std::collections::HashMap;

pub use ra_ap_edition::Edition;
pub use ra_ap_vfs::FileId;
use ra_ap_vfs::file_set::FileSet;

/// The texts of all files, by their id.
#[derive(Debug, Default)]
pub struct RootDatabase {
    texts: HashMap<FileId, String>,
}

impl RootDatabase {
    /// Replaces the text of a file; `None` removes the file.
    pub fn set_text(&mut self, file: FileId, text: Option<String>) {
        match text {
            Some(text) => self.texts.insert(file, text),
            None => self.texts.remove(&file),
        };
    }

    /// Returns the text of a file, empty if there is none.
    #[must_use]
    pub fn text(&self, file: FileId) -> &str {
        self.texts.get(&file).map_or("", String::as_str)
    }
}

/// A file and the edition that its text is parsed by.
#[derive(Debug, Clone, Copy)]
pub struct EditionedFileId {
    /// The file.
    pub file: FileId,
    /// The edition.
    pub edition: Edition,
}

impl EditionedFileId {
    /// Returns a file with an edition.
    #[must_use]
    pub fn new(_: &RootDatabase, file: FileId, edition: Edition) -> Self {
        Self { file, edition }
    }
}

/// A folder of sources.
#[derive(Debug)]
pub struct SourceRoot;

impl SourceRoot {
    /// Returns a folder of sources; its files are not kept.
    #[must_use]
    pub fn new_local(_: FileSet) -> Self {
        Self
    }
}
