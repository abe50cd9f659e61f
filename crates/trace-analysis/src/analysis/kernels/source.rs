//! Sources of compiled kernels: the operators that launched them, with file and configuration.

use super::columns::{self, Ints};
use crate::exec::checkpoint::cancellable;
use crate::frame::{RankEvents, TextColumn};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;

const FILE: &str = "kernel_file";
const BACKEND: &str = "kernel_backend";
const KWARGS: &str = "kernel_kwargs";
const WARPS: &str = "num_warps";
const STAGES: &str = "num_stages";

/// The arguments of operators that launch compiled kernels.
pub(super) const ARGS: [&str; 5] = [FILE, BACKEND, KWARGS, WARPS, STAGES];
/// An argument that loads read whenever an event has it.
pub(super) const ALWAYS_LOADED: &str = FILE;

/// A thread of the CPU: process and thread.
type Thread = (Option<i64>, Option<i64>);

/// The source of a kernel; texts that were not recorded are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    /// The compiler, `triton`, and the configuration: `XBLOCK=128, 4 warps`.
    pub(super) configuration: String,
    pub(super) file: String,
}

/// The operators of a rank that name the source of a kernel.
pub(super) struct Sources {
    /// Thread, begin, end and source, in order.
    operators: Vec<(Thread, i64, i64, u32)>,
    /// By the code of a name the source of the first operator.
    by_name: BTreeMap<u32, u32>,
    pub(super) found: Vec<Source>,
}

impl Sources {
    /// Finds the operators with a source.
    pub(super) fn of(events: &DataFrame, rows: &RankEvents) -> Self {
        let texts = |name: &str| TextColumn::of(events, name).ok();
        let (files, backends, kwargs) = (texts(FILE), texts(BACKEND), texts(KWARGS));
        let (warps, stages) = (Ints::of(events, WARPS), Ints::of(events, STAGES));
        let mut sources = Self { operators: Vec::new(), by_name: BTreeMap::new(), found: Vec::new() };
        if files.is_none() && backends.is_none() {
            return sources;
        }
        let mut numbers: BTreeMap<Source, u32> = BTreeMap::new();
        for row in cancellable(0..rows.len()) {
            let [file, backend, kwargs] = [&files, &backends, &kwargs].map(|texts| text(texts.as_ref(), row));
            let Some(start) = rows.ts(row).filter(|_| !file.is_empty() || !backend.is_empty()) else { continue };
            if rows.is_on_device(row) {
                continue;
            }
            let several = |ints: &Option<Ints>, noun: &str| {
                let count = ints.as_ref()?.get(row).filter(|&count| count > 0)?;
                Some(trace_view::format::counted(usize::try_from(count).unwrap_or(usize::MAX), noun))
            };
            let words =
                [Some(backend.to_owned()), Some(kwargs.to_owned()), several(&warps, "warp"), several(&stages, "stage")];
            let words: Vec<String> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
            let source = Source { configuration: words.join(", "), file: file.to_owned() };
            let next = sources.found.len() as u32;
            let number = *numbers.entry(source).or_insert_with_key(|source| {
                sources.found.push(source.clone());
                next
            });
            let end = start.saturating_add(rows.dur(row).max(0));
            sources.operators.push((rows.thread(row), start, end, number));
            sources.by_name.entry(rows.name(row)).or_insert(number);
        }
        sources.operators.sort_unstable();
        sources
    }

    /// Returns the source of a kernel: of the innermost operator around its launch, else of the first operator of its name.
    pub(super) fn of_kernel(&self, rows: &RankEvents, kernel: usize) -> Option<u32> {
        if self.operators.is_empty() {
            return None;
        }
        let around = || {
            let launch = rows.partner(kernel)?;
            let (thread, start) = (rows.thread(launch), rows.ts(launch)?);
            let next = self.operators.partition_point(|&(of, begin, ..)| (of, begin) <= (thread, start));
            let &(of, _, end, number) = self.operators.get(next.checked_sub(1)?)?;
            (of == thread && start <= end).then_some(number)
        };
        around().or_else(|| self.by_name.get(&rows.name(kernel)).copied())
    }
}

/// Returns the text of a row; empty for none.
fn text(texts: Option<&TextColumn>, row: usize) -> &str {
    columns::text(texts, texts.and_then(|texts| texts.code(row)))
}
