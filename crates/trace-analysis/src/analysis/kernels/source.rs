//! Sources of compiled kernels: the operators that launched them, with file and configuration.

use crate::exec::checkpoint::cancellable;
use crate::frame::columns::LAUNCH_CONFIGURATION;
use crate::frame::{LaunchConfiguration, RankEvents, TextColumn};
use polars::prelude::DataFrame;
use std::collections::BTreeMap;
use trace_view::format::counted;

/// The file of the source of a compiled kernel, an argument of the operator that launches it.
pub(super) const FILE: &str = "kernel_file";

/// A thread of the CPU: process and thread.
type Thread = (Option<i64>, Option<i64>);

/// The source of a kernel; texts that were not recorded are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Source {
    /// The compiler, `triton`, and the configuration: `XBLOCK=128, 4 warps`.
    pub(super) configuration: String,
    pub(super) file: String,
}

impl Source {
    /// Returns the source that an operator names; `None` if it names neither a file nor a compiler.
    fn of(file: String, launch: LaunchConfiguration) -> Option<Self> {
        let file = if matches!(file.as_str(), "[]" | "-1") { String::new() } else { file };
        if file.is_empty() && launch.backend.is_empty() {
            return None;
        }
        let several = |count: Option<u64>, noun: &str| {
            let count = count.filter(|&count| count > 0)?;
            Some(counted(usize::try_from(count).unwrap_or(usize::MAX), noun))
        };
        let (warps, stages) = (several(launch.warps, "warp"), several(launch.stages, "stage"));
        let words = [Some(launch.backend), Some(launch.kwargs), warps, stages];
        let words: Vec<String> = words.into_iter().flatten().filter(|word| !word.is_empty()).collect();
        Some(Self { configuration: words.join(", "), file })
    }
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
        let mut sources = Self { operators: Vec::new(), by_name: BTreeMap::new(), found: Vec::new() };
        let [files, launches] = [FILE, LAUNCH_CONFIGURATION].map(|name| TextColumn::of(events, name).ok());
        if files.is_none() && launches.is_none() {
            return sources;
        }
        let mut numbers: BTreeMap<[Option<u32>; 2], Option<u32>> = BTreeMap::new();
        for row in cancellable(0..rows.len()) {
            let codes = [&files, &launches].map(|texts| texts.as_ref()?.code(row));
            if codes == [None; 2] || rows.is_on_device(row) {
                continue;
            }
            let number = *numbers.entry(codes).or_insert_with(|| {
                let text =
                    |texts: &Option<TextColumn>, code| texts.as_ref().map_or("", |texts| texts.text(code)).to_owned();
                let launch = LaunchConfiguration::parse(&text(&launches, codes[1]));
                sources.found.push(Source::of(text(&files, codes[0]), launch)?);
                Some(sources.found.len() as u32 - 1)
            });
            let (Some(number), Some(start)) = (number, rows.ts(row)) else { continue };
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
