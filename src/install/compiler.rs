//! The compiler of this machine, and the name of the packed library that fits it.

use super::InstallError;
use crate::engine::compiler_version;

/// What `rustc -vV` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Compiler {
    /// The whole text.
    pub(super) text: String,
    /// The first line: `rustc 1.95.0 (59807616e 2026-04-14)`.
    pub(super) name: String,
    /// `1.95.0`.
    pub(super) release: String,
    /// The target that it compiles for: `x86_64-unknown-linux-gnu`.
    host: String,
    /// The commit that it was built from; compilers of a distribution may have none.
    commit: Option<String>,
}

/// How much of the commit is in a name, as in `rustc --version`.
const COMMIT_LENGTH: usize = 9;

impl Compiler {
    /// Asks the compiler of this machine.
    ///
    /// # Errors
    /// [`InstallError::NoCompiler`].
    pub(super) fn of_this_machine() -> Result<Self, InstallError> {
        compiler_version().as_deref().map(Self::read).ok_or(InstallError::NoCompiler)
    }

    /// Reads the output of `rustc -vV`.
    pub(super) fn read(text: &str) -> Self {
        let field =
            |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": ")).map(str::trim);
        let commit = field("commit-hash")
            .filter(|hash| hash.len() >= COMMIT_LENGTH && hash.chars().all(|c| c.is_ascii_hexdigit()));
        Self {
            text: text.trim().to_owned(),
            name: text.lines().next().unwrap_or("an unknown compiler").trim().to_owned(),
            release: field("release").unwrap_or_default().to_owned(),
            host: field("host").unwrap_or_default().to_owned(),
            commit: commit.map(str::to_owned),
        }
    }

    /// Returns the name of the packed library for this version of Tracebook, this target and this compiler.
    ///
    /// # Errors
    /// [`InstallError::NoCommit`], since a library fits one commit of the compiler only.
    pub(super) fn archive(&self) -> Result<String, InstallError> {
        let commit = self.commit.as_deref().and_then(|hash| hash.get(..COMMIT_LENGTH));
        let commit = commit.ok_or_else(|| InstallError::NoCommit { compiler: self.name.clone() })?;
        Ok(format!("tracebook-cells-{}-{}-rustc-{commit}.tar.zst", env!("CARGO_PKG_VERSION"), self.host))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const TEXT: &str = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\ncommit-hash: 59807616e53f0a1b2c3d4e5f60718293a4b5c6d7\n\
                        commit-date: 2026-04-14\nhost: x86_64-unknown-linux-gnu\nrelease: 1.95.0\nLLVM version: 22.1.0\n";

    #[test]
    fn packed_library_is_named_by_version_target_and_commit() {
        let compiler = Compiler::read(TEXT);
        assert_eq!(compiler.name, "rustc 1.95.0 (59807616e 2026-04-14)");
        assert_eq!(compiler.release, "1.95.0");
        let version = env!("CARGO_PKG_VERSION");
        let name = format!("tracebook-cells-{version}-x86_64-unknown-linux-gnu-rustc-59807616e.tar.zst");
        assert_eq!(compiler.archive().unwrap(), name);
    }

    #[test]
    fn compiler_without_commit_has_no_packed_library() {
        let text = TEXT.replace("commit-hash: 59807616e53f0a1b2c3d4e5f60718293a4b5c6d7", "commit-hash: unknown");
        let error = Compiler::read(&text).archive().unwrap_err().to_string();
        assert!(error.contains("rustc 1.95.0") && error.contains("--build-cells"), "{error}");
    }

    #[test]
    fn compiler_of_this_machine_has_a_name() {
        let compiler = Compiler::of_this_machine().unwrap();
        assert!(compiler.name.starts_with("rustc ") && !compiler.host.is_empty(), "{compiler:?}");
    }
}
