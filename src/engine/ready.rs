//! What the engine compiles while it starts is the same at every start: it is kept beside the library for cells.

use super::toolchain::CellsKit;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};

/// Is in the run's folder while the engine starts.
const STARTING: &str = "starting";

/// Until the guard is dropped, what is compiled is taken from what earlier starts compiled, or kept for later ones.
pub(super) struct Starting(PathBuf);

impl Starting {
    /// Marks the run in `run_folder` as starting.
    pub(super) fn enter(run_folder: &Path) -> Self {
        let file = run_folder.join(STARTING);
        // Without the mark everything is compiled, as ever.
        let _ = std::fs::write(&file, "");
        Self(file)
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Where the outcome of a compilation is kept.
pub(super) struct Kept {
    library: PathBuf,
    messages: PathBuf,
}

/// The outcome of a compilation.
pub(super) enum Outcome {
    /// The compiled cell.
    Library(PathBuf),
    /// What the compiler said against it.
    Messages(String),
}

impl Kept {
    /// The place for a source, if the run in `run_folder` is starting.
    pub(super) fn of(kit: &CellsKit, run_folder: Option<&Path>, source: &str, level: &str) -> Option<Self> {
        run_folder.filter(|folder| folder.join(STARTING).exists())?;
        let mut hash = DefaultHasher::new();
        (source, level, env!("CARGO_PKG_VERSION")).hash(&mut hash);
        let stem = kit.folder().join("ready").join(format!("{:016x}", hash.finish()));
        Some(Self { library: stem.with_extension("so"), messages: stem.with_extension("json") })
    }

    /// What an earlier start kept.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        if self.library.is_file() {
            return Some(Outcome::Library(self.library.clone()));
        }
        std::fs::read_to_string(&self.messages).ok().map(Outcome::Messages)
    }

    /// Keeps the outcome for later starts. Where it cannot be written, they compile again.
    pub(super) fn keep(&self, outcome: &Outcome) {
        let place = |file: &PathBuf, write: &dyn Fn(&Path) -> std::io::Result<()>| {
            let next = file.with_extension(format!("{}.next", std::process::id()));
            let folder = file.parent().map_or(Ok(()), std::fs::create_dir_all);
            // Two kernels may start at once: each writes a file of its own, and the last one stays.
            if folder.and_then(|()| write(&next)).and_then(|()| std::fs::rename(&next, file)).is_err() {
                let _ = std::fs::remove_file(next);
            }
        };
        match outcome {
            Outcome::Library(compiled) => place(&self.library, &|next| std::fs::copy(compiled, next).map(drop)),
            Outcome::Messages(text) => place(&self.messages, &|next| std::fs::write(next, text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_compiled_at_the_start_is_kept() {
        let (folder, run) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let kit = CellsKit::at(folder.path());
        assert!(Kept::of(&kit, Some(run.path()), "a", "0").is_none());
        let starting = Starting::enter(run.path());
        let kept = |source, level| Kept::of(&kit, Some(run.path()), source, level).unwrap();
        assert!(kept("a", "0").outcome().is_none());
        kept("a", "0").keep(&Outcome::Messages("no".to_owned()));
        assert!(matches!(kept("a", "0").outcome(), Some(Outcome::Messages(text)) if text == "no"));
        assert!(kept("a", "2").outcome().is_none() && kept("b", "0").outcome().is_none());
        std::fs::write(run.path().join("cell.so"), "compiled").unwrap();
        kept("b", "0").keep(&Outcome::Library(run.path().join("cell.so")));
        assert!(
            matches!(kept("b", "0").outcome(), Some(Outcome::Library(file)) if std::fs::read(&file).unwrap() == b"compiled")
        );
        drop(starting);
        assert!(Kept::of(&kit, Some(run.path()), "a", "0").is_none());
    }
}
