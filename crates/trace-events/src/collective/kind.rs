//! The kind of a collective, as recorded with its kernel or around its launch.

use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, recorded_text};
use foldhash::HashMap;
use polars::prelude::{DataFrame, DataType, StringChunked};
use std::cell::OnceCell;

/// The column that holds the kind of the collective of a kernel.
pub(super) const COLLECTIVE_NAME: &str = "collective_name";
/// How annotations around the launches of collectives begin: `nccl:all_to_all`.
const ANNOTATION: &str = "nccl:";
/// Annotations that are looked at for one launch; they are hardly ever nested.
const DEEPEST: usize = 4;

/// The kinds of the collectives of a rank.
pub(crate) struct RecordedKinds {
    column: Option<StringChunked>,
    annotations: OnceCell<Annotations>,
}

/// Start, end and code of the name of annotations by thread, in the order of their starts.
type Annotations = HashMap<(Option<i64>, Option<i64>), Vec<(i64, i64, u32)>>;

impl RecordedKinds {
    /// Prepares to look up those of a frame of events.
    pub(super) fn of(events: &DataFrame) -> Self {
        Self { column: texts(events, COLLECTIVE_NAME), annotations: OnceCell::new() }
    }

    /// Returns the kind that was recorded with a kernel.
    pub(super) fn recorded(&self, row: usize) -> Option<&str> {
        known(self.column.as_ref()?, row)
    }

    /// Tells whether the kernel of a row ends only after all ranks have begun. Without a recorded kind its name decides; one of
    /// sends and receives is an all-to-all where the annotation around its launch says so.
    pub(super) fn waits_for_all(&self, rows: &RankEvents, row: usize) -> bool {
        if let Some(kind) = self.recorded(row) {
            return waits_for_all(kind);
        }
        waits_for_all(rows.text(rows.name(row))) || self.is_launched_for_all(rows, row)
    }

    /// Returns the kind that was recorded with a kernel, else the name of the annotation around its launch.
    pub(super) fn kind<'k>(&'k self, rows: &'k RankEvents, row: usize) -> Option<&'k str> {
        self.recorded(row).or_else(|| self.annotation_around(rows, row).map(|name| rows.text(name)))
    }

    /// Tells whether the launch of a kernel is in an annotation of a collective that waits for all ranks.
    fn is_launched_for_all(&self, rows: &RankEvents, row: usize) -> bool {
        self.annotation_around(rows, row).is_some_and(|name| names_all(rows.text(name)))
    }

    /// Returns the code of the name of the innermost annotation of a collective around the launch of a kernel.
    fn annotation_around(&self, rows: &RankEvents, row: usize) -> Option<u32> {
        let launch = rows.partner(row)?;
        let ts = rows.ts(launch)?;
        let of_thread = self.annotations.get_or_init(|| annotations(rows)).get(&rows.thread(launch))?;
        let before = of_thread.partition_point(|&(start, ..)| start <= ts);
        let around = of_thread[..before].iter().rev().take(DEEPEST).find(|&&(_, end, _)| end >= ts);
        around.map(|&(_, _, name)| name)
    }
}

/// Returns a column as texts; `None` if there is no such column.
pub(super) fn texts(events: &DataFrame, name: &str) -> Option<StringChunked> {
    events.column(name).ok()?.cast(&DataType::String).ok()?.str().ok().cloned()
}

/// Returns the text of a row, unless it says that nothing is known.
pub(super) fn known(column: &StringChunked, row: usize) -> Option<&str> {
    column.get(row).and_then(recorded_text).filter(|text| *text != "[]")
}

fn annotations(rows: &RankEvents) -> Annotations {
    let mut is_annotation = rows.per_text(|name| name.starts_with(ANNOTATION));
    let mut found = Annotations::default();
    for row in cancellable(0..rows.len()) {
        if !is_annotation(rows.name(row)) || rows.is_on_device(row) {
            continue;
        }
        let Some(start) = rows.ts(row) else { continue };
        let annotation = (start, start.saturating_add(rows.dur(row)), rows.name(row));
        found.entry(rows.thread(row)).or_default().push(annotation);
    }
    found.values_mut().for_each(|annotations| annotations.sort_unstable());
    found
}

/// Returns true for collectives, by name, that end only after all ranks have begun: all-reduce, but not broadcast.
pub(super) fn waits_for_all(name: &str) -> bool {
    let some = ["broadcast", "send", "recv", "_reduce_", "gather", "scatter"];
    let name = name.to_ascii_lowercase();
    names_all(&name) || !some.iter().any(|word| name.contains(word))
}

/// Tells whether a name, in lower case, names a collective of all ranks.
fn names_all(name: &str) -> bool {
    let all = [
        "allreduce",
        "all_reduce",
        "allgather",
        "all_gather",
        "reducescatter",
        "reduce_scatter",
        "alltoall",
        "all_to_all",
        // The custom all-reduce of vLLM and SGLang.
        "cross_device_reduce",
    ];
    all.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collectives_that_wait_for_all_ranks_are_known_by_name() {
        for name in [
            "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            "ncclKernel_ReduceScatter",
            "_allgather_base",
            "all_to_allv",
            "ncclKernel",
            "void vllm::cross_device_reduce_2stage<__nv_bfloat16, 8>(vllm::RankData*, int)",
        ] {
            assert!(waits_for_all(name), "{name}");
        }
        for name in ["ncclKernel_Broadcast_RING_LL", "ncclDevKernel_SendRecv", "ncclDevKernel_Reduce_Sum_f32", "gather"]
        {
            assert!(!waits_for_all(name), "{name}");
        }
    }
}
