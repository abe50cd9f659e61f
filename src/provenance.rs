//! The provenance of this program, as its build script found it.

use kernel_base::provenance::{Provenance, set_provenance};

/// Names what this program was built from: the first call of a program.
pub fn start() {
    set_provenance(Provenance {
        hash: env!("TRACEBOOK_SOURCES"),
        sources: crate::install::carried(),
        compiler: env!("TRACEBOOK_RUSTC_VERSION"),
        compiler_commit: env!("TRACEBOOK_RUSTC_COMMIT"),
    });
}
