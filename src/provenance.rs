//! The provenance of this program, as its build script found it.

use kernel_base::provenance::{Provenance, set_provenance};

/// Sets the sources and the compiler of this program: the first call of `main`.
pub fn start() {
    set_provenance(Provenance {
        hash: env!("TRACEBOOK_SOURCES"),
        sources: crate::install::carried(),
        compiler: env!("TRACEBOOK_RUSTC_VERSION"),
        compiler_commit: env!("TRACEBOOK_RUSTC_COMMIT"),
    });
}
