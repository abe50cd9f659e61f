//! The provenance of this program: the sources of its library and its compiler.
//!
//! Only the program itself knows them, and names them when it starts. If these crates held the sources, each change of the library would
//! compile them again.

use std::sync::{LazyLock, OnceLock};

/// The sources and the compiler of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Provenance {
    /// A hash of the sources of the library for cells.
    pub hash: &'static str,
    /// The sources of the library for cells: path and text.
    pub sources: &'static [(&'static str, &'static str)],
    /// The version of the compiler: `1.95.0`.
    pub compiler: &'static str,
    /// The commit of the compiler; empty if it is unknown.
    pub compiler_commit: &'static str,
}

static PROVENANCE: OnceLock<Provenance> = OnceLock::new();

/// Sets the sources and the compiler of this program. The first call counts.
pub fn set_provenance(provenance: Provenance) {
    let _ = PROVENANCE.set(provenance);
}

/// Returns the sources and the compiler of this program; empty ones in the tests of crates below it.
pub fn provenance() -> &'static Provenance {
    PROVENANCE.get_or_init(Provenance::default)
}

/// Returns version, sources of the library and compiler: programs of one build compute the same digits from the same partial results.
pub fn build() -> &'static str {
    static BUILD: LazyLock<String> = LazyLock::new(|| {
        let Provenance { hash, compiler, .. } = provenance();
        format!("{} (sources {hash}, rustc {compiler})", env!("CARGO_PKG_VERSION"))
    });
    &BUILD
}
