//! Names of files that are traces.

/// Endings of the names of files with one rank.
pub(super) const ENDINGS: [&str; 5] = [".json", ".gz", ".zst", ".pftrace", ".perfetto-trace"];

/// Ending of the names of archives, which hold a file per rank.
const ARCHIVE: &str = ".zip";

/// Begin of the names of files with annotations of graphs, which are beside traces; the number of the rank follows.
pub const ANNOTATIONS: &str = "kernel_annotations_rank";

/// Returns whether a file's name is that of a trace: it ends with `.json`, `.pftrace`, `.gz`, `.zst` or `.zip`.
pub fn is_trace_name(name: &str) -> bool {
    is_rank_name(name) || name.ends_with(ARCHIVE)
}

/// Returns whether the name of a file, of a folder or of an archive, is that of one rank.
pub(super) fn is_rank_name(name: &str) -> bool {
    ENDINGS.iter().any(|ending| name.ends_with(ending)) && !name.starts_with(ANNOTATIONS)
}
