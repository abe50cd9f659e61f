//! Names of the folders and files of an export.

use crate::store::TableKind;
use std::path::Path;

/// Prefix of the folders of ranks, as Hive names partitions.
pub const RANK: &str = "rank=";

/// Returns the name of the folder of a rank.
pub(crate) fn rank_folder(rank: i64) -> String {
    format!("{RANK}{rank}")
}

/// Returns the path of a part of events within the folder.
#[cfg(test)]
pub(crate) fn part_file(rank: i64, part: usize) -> String {
    file_of(rank, TableKind::Events, part)
}

/// Returns the path of a part of a table within the folder. Patterns such as `*/part-*.parquet` select one table.
pub(crate) fn file_of(rank: i64, table: TableKind, part: usize) -> String {
    let name = match table {
        TableKind::Events => "part",
        further => further.name(),
    };
    format!("{}/{name}-{part:05}.parquet", rank_folder(rank))
}

/// Whether a folder holds partitions by rank with Parquet files in them.
pub(crate) fn has_parts(folder: &Path) -> bool {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_part = |entry: &std::fs::DirEntry| entry.path().extension().is_some_and(|ending| ending == "parquet");
    entries(folder)
        .any(|entry| is_part(&entry) || (is_partition(&entry) && entries(&entry.path()).any(|e| is_part(&e))))
}

fn is_partition(entry: &std::fs::DirEntry) -> bool {
    entry.file_name().to_string_lossy().contains('=')
}
