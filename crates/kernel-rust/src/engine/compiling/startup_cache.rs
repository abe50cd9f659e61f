//! A cache of what the engine compiles while it starts, which is the same at every start. It is in the folder of the cells toolchain.

use super::toolchain::CellsToolchain;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// The file in the run's folder that exists while the engine starts.
const MARK_FILE: &str = "starting";

/// A guard: while it lives, compilations use the cache.
pub(in crate::engine) struct StartupMark(PathBuf);

impl StartupMark {
    /// Marks the run in `run_folder` as starting.
    pub(in crate::engine) fn set(run_folder: &Path) -> Self {
        let file = run_folder.join(MARK_FILE);
        // Without the mark everything is compiled.
        let _ = std::fs::write(&file, "");
        Self(file)
    }
}

impl Drop for StartupMark {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The place of one compilation in the cache.
pub(super) struct CacheEntry {
    library: PathBuf,
    messages: PathBuf,
}

/// The result of a compilation.
pub(super) enum CachedResult {
    /// The compiled cell.
    Library(PathBuf),
    /// The messages of a compiler that refused it.
    Messages(String),
}

impl CacheEntry {
    /// Returns the entry for a source and an optimisation level, if the run in `run_folder` is starting.
    pub(in crate::engine) fn of(
        toolchain: &CellsToolchain,
        run_folder: Option<&Path>,
        source: &str,
        level: &str,
    ) -> Option<Self> {
        run_folder.filter(|folder| folder.join(MARK_FILE).exists())?;
        let mut hash = DefaultHasher::new();
        (source, level, env!("CARGO_PKG_VERSION")).hash(&mut hash);
        let stem = toolchain.folder().join("ready").join(format!("{:016x}", hash.finish()));
        Some(Self { library: stem.with_extension("so"), messages: stem.with_extension("json") })
    }

    /// Returns the result that an earlier start stored.
    pub(in crate::engine) fn load(&self) -> Option<CachedResult> {
        if self.library.is_file() {
            return Some(CachedResult::Library(self.library.clone()));
        }
        let messages = std::fs::read_to_string(&self.messages).ok();
        messages.filter(|text| !text.trim().is_empty()).map(CachedResult::Messages)
    }

    /// Stores the result for later starts. If it cannot be written, they compile again.
    pub(in crate::engine) fn store(&self, result: &CachedResult) {
        let write_atomically = |file: &PathBuf, write: &dyn Fn(&Path) -> std::io::Result<()>| {
            let next = file.with_extension(format!("{}.next", std::process::id()));
            let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            // Two kernels may start concurrently: each writes a file of its own, and the last rename wins.
            if folder.and_then(|()| write(&next)).and_then(|()| std::fs::rename(&next, file)).is_err() {
                let _ = std::fs::remove_file(next);
            }
        };
        match result {
            // A compiler that was killed says nothing: the next start compiles again.
            CachedResult::Messages(text) if text.trim().is_empty() => {}
            CachedResult::Library(compiled) => {
                write_atomically(&self.library, &|next| std::fs::copy(compiled, next).map(drop))
            }
            CachedResult::Messages(text) => write_atomically(&self.messages, &|next| std::fs::write(next, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_startup_compilations_are_cached() {
        let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let toolchain = CellsToolchain::at(folder.path());
        assert!(CacheEntry::of(&toolchain, Some(run.path()), "a", "0").is_none());
        let mark = StartupMark::set(run.path());
        let entry = |source, level| CacheEntry::of(&toolchain, Some(run.path()), source, level).unwrap();
        assert!(entry("a", "0").load().is_none());
        entry("a", "0").store(&CachedResult::Messages("\n".to_owned()));
        assert!(entry("a", "0").load().is_none(), "a killed compiler says nothing");
        entry("a", "0").store(&CachedResult::Messages("no".to_owned()));
        assert!(matches!(entry("a", "0").load(), Some(CachedResult::Messages(text)) if text == "no"));
        assert!(entry("a", "2").load().is_none() && entry("b", "0").load().is_none());
        std::fs::write(run.path().join("cell.so"), "compiled").unwrap();
        entry("b", "0").store(&CachedResult::Library(run.path().join("cell.so")));
        assert!(
            matches!(entry("b", "0").load(), Some(CachedResult::Library(file)) if std::fs::read(&file).unwrap() == b"compiled")
        );
        drop(mark);
        assert!(CacheEntry::of(&toolchain, Some(run.path()), "a", "0").is_none());
    }
}
