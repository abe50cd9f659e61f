//! The build of this program, which the notebook and every task must share.

/// Returns version, sources of the library and compiler: programs of one build compute the same digits from the same partial results.
pub(crate) fn build() -> &'static str {
    concat!(
        env!("CARGO_PKG_VERSION"),
        " (sources ",
        env!("TRACEBOOK_SOURCES"),
        ", rustc ",
        env!("TRACEBOOK_RUSTC_VERSION"),
        ")"
    )
}
