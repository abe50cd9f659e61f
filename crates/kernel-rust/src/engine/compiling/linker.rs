//! The linker of cells: the `rust-lld` that comes with the compiler, called by rustc directly, since `cc` is a chain of four programs.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// The libraries that rustc asks the linker for on behalf of std, without a path.
const SYSTEM_LIBRARIES: &[&str] = &["gcc_s", "util", "rt", "pthread", "m", "dl", "c"];

/// An empty archive.
const EMPTY_ARCHIVE: &str = "!<arch>\n";

/// How cells are linked: by `cc` (the default), or by `rust-lld` directly.
#[derive(Default)]
pub(in crate::engine) struct Linker {
    direct: Option<Direct>,
    /// Whether `rust-lld` failed where `cc` did not.
    has_failed: AtomicBool,
}

struct Direct {
    program: PathBuf,
    /// A folder with [`SYSTEM_LIBRARIES`].
    libraries: PathBuf,
}

impl Linker {
    /// Finds the linker that came with `rustc`; writes the libraries that it needs into `folder`.
    pub(in crate::engine) fn find(rustc: &Path, folder: &Path) -> Self {
        let direct = bundled(rustc).and_then(|program| {
            let libraries = folder.join("system-libraries");
            let mapped = std::fs::read_to_string("/proc/self/maps").ok()?;
            write_libraries(&libraries, &mapped).ok()?;
            Some(Direct { program, libraries })
        });
        Self { direct, has_failed: AtomicBool::new(false) }
    }

    /// Makes rustc call `rust-lld` directly, where that is possible; returns whether it is.
    pub(in crate::engine) fn apply(&self, rustc: &mut Command) -> bool {
        let direct = self.direct.as_ref().filter(|_| !self.has_failed.load(Ordering::Relaxed));
        let Some(Direct { program, libraries }) = direct else { return false };
        let option = |name: &str, path: &Path| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        rustc.arg("-C").arg(option("linker=", program)).args(["-C", "linker-flavor=ld.lld"]);
        rustc.arg("-C").arg(option("link-arg=-L", libraries));
        true
    }

    /// Whether the compiler failed because the linker did.
    pub(in crate::engine) fn failed(messages: &str) -> bool {
        messages.contains("\"message\":\"linking with `")
            || messages.contains("\"message\":\"could not exec the linker")
    }

    /// Uses `cc` from now on: it could link what `rust-lld` could not.
    pub(super) fn give_up(&self, messages: &str) {
        if !self.has_failed.swap(true, Ordering::Relaxed) {
            tracing::warn!("cells are linked by cc from now on, since the compiler's own linker failed: {messages}");
        }
    }
}

/// Returns `lib/rustlib/TARGET/bin/rust-lld` of the toolchain that `bin/rustc` belongs to.
fn bundled(rustc: &Path) -> Option<PathBuf> {
    let targets = rustc.parent()?.parent()?.join("lib").join("rustlib");
    let programs = std::fs::read_dir(targets).ok()?.flatten().map(|target| target.path().join("bin").join("rust-lld"));
    let mut found: Vec<PathBuf> = programs.filter(|program| program.is_file()).collect();
    found.pop().filter(|_| found.is_empty())
}

/// Fills a folder with [`SYSTEM_LIBRARIES`]: links to those that this process has mapped (`mapped` is its `/proc/self/maps`), and
/// empty archives for the rest, which glibc 2.34 merged into libc.
fn write_libraries(folder: &Path, mapped: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for name in SYSTEM_LIBRARIES {
        match library(name, mapped) {
            Some(path) => std::os::unix::fs::symlink(path, folder.join(format!("lib{name}.so")))?,
            None => std::fs::write(folder.join(format!("lib{name}.a")), EMPTY_ARCHIVE)?,
        }
    }
    Ok(())
}

/// Returns the file of a mapped library: `/lib/x86_64-linux-gnu/libm.so.6`.
fn library<'maps>(name: &str, mapped: &'maps str) -> Option<&'maps Path> {
    let paths = mapped.lines().filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])));
    let start = format!("lib{name}.so.");
    paths
        .into_iter()
        .find(|path| path.file_name().and_then(|file| file.to_str()).is_some_and(|file| file.starts_with(&start)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn system_libraries_are_links_or_empty() {
        let folder = tempfile::tempdir().unwrap();
        let mapped = "7f-80 r-xp 0 08:01 42    /lib/x y/libm.so.6\n80-81 rw-p 0 00:00 0 [heap]\n81-82 r--p 0 08:01 7 /lib/libmvec.so.1\n";
        write_libraries(folder.path(), mapped).unwrap();
        assert_eq!(std::fs::read_link(folder.path().join("libm.so")).unwrap(), Path::new("/lib/x y/libm.so.6"));
        assert_eq!(std::fs::read(folder.path().join("libdl.a")).unwrap(), EMPTY_ARCHIVE.as_bytes());
    }

    #[test]
    fn linker_beside_compiler_is_found() {
        let toolchain = tempfile::tempdir().unwrap();
        let rustc = toolchain.path().join("bin/rustc");
        assert_eq!(bundled(&rustc), None);
        let bin = toolchain.path().join("lib/rustlib/x86_64-unknown-linux-gnu/bin");
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::write(bin.join("rust-lld"), "").unwrap();
        assert_eq!(bundled(&rustc), Some(bin.join("rust-lld")));
    }

    #[test]
    fn cc_is_used_after_direct_linking_failed() {
        let direct = Direct { program: "rust-lld".into(), libraries: "libraries".into() };
        let linker = Linker { direct: Some(direct), has_failed: AtomicBool::new(false) };
        let applied = || linker.apply(&mut Command::new("rustc"));
        assert!(applied());
        assert!(Linker::failed("{\"$message_type\":\"diagnostic\",\"message\":\"linking with `rust-lld` failed\"}"));
        assert!(!Linker::failed("{\"message\":\"mismatched types\"}"));
        linker.give_up("no such library");
        assert!(!applied() && !Linker::default().apply(&mut Command::new("rustc")));
    }
}
