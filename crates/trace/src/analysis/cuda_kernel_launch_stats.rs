//! Launches: the runtime call, its kernel, and the delay between them.

use super::{Analysis, Answer, AnswerTable, ByRank, Parameter, ParameterKind, RankView, TableSchema, nothing_on};
use crate::exec::checkpoint::cancellable;
use crate::frame::EventRows;
use crate::present::{MOST_RANKS, RankMap};
use crate::stats::{histogram, micros, quantile};
use crate::{Compat, Result};
use hashbrown::HashMap;
use polars::df;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::{Axis, BarMode, Column, Figure, Unit};

/// The duration of each launch on the CPU, of its kernel on the GPU, and the delay between them.
///
/// ```text
/// CPU   |-- cudaLaunchKernel --|
/// GPU                                |---- gemm ----|
///       |<--- cpu_duration --->|<--->|<gpu_duration>|
///                           launch_delay, 0 if the kernel starts earlier
/// ```
///
/// # Columns
/// One table per rank, with a row per call and kernel of one correlation id in the order of the calls: `COLUMNS`.
///
/// # Source
/// HTA `TraceAnalysis.get_cuda_kernel_launch_stats`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CudaKernelLaunchStats {
    /// The ranks; `None` for the first.
    pub ranks: Option<Vec<i64>>,
    /// Duration of a call above which it is drawn as an outlier, in µs.
    pub runtime_cutoff: f64,
    /// Delay above which a launch is drawn as an outlier, in µs.
    pub launch_delay_cutoff: f64,
    /// Whether to include launches of copies and fills.
    pub include_memory_events: bool,
}

impl Default for CudaKernelLaunchStats {
    fn default() -> Self {
        Self { ranks: None, runtime_cutoff: 50.0, launch_delay_cutoff: 100.0, include_memory_events: true }
    }
}

/// The answer's columns.
const COLUMNS: &[Column] = &[
    Column::new("correlation", Unit::None, "id that the call shares with its kernel"),
    Column::new("cpu_duration", Unit::Micros, "duration of the runtime call"),
    Column::new("gpu_duration", Unit::Micros, "duration of its kernel"),
    Column::new("launch_delay", Unit::Micros, "from the end of the call to the start on the GPU; 0 if that is earlier"),
];

/// Calls that launch kernels.
const LAUNCHES: &[&str] =
    &["cudaLaunchKernel", "cudaLaunchKernelExC", "runFunction - job_prep_and_submit_for_execution"];
/// Calls that launch copies and fills.
const MEMORY: &[&str] = &["cudaMemsetAsync", "cudaMemcpyAsync"];
/// Calls of the driver and of ROCm that launch kernels, which HTA does not know.
const MORE_LAUNCHES: &[&str] =
    &["cuLaunchKernel", "cuLaunchKernelEx", "hipLaunchKernel", "hipExtModuleLaunchKernel", "hipModuleLaunchKernel"];
/// Calls of ROCm that launch copies and fills, which HTA does not know.
const MORE_MEMORY: &[&str] = &["hipMemsetAsync", "hipMemcpyAsync", "hipMemcpyWithStream"];

/// Upper bound on the bars of a histogram, as in HTA.
const BARS: usize = 300;

/// A launch; times in ns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    correlation: i64,
    cpu: i64,
    gpu: i64,
    delay: i64,
}

impl Analysis for CudaKernelLaunchStats {
    const NAME: &'static str = "cuda_kernel_launch_stats";
    const SUMMARY: &'static str = "List launches: durations of call and kernel, and the delay between them.";
    const PARAMETERS: &'static [Parameter] = &[
        Parameter::new("runtime_cutoff", ParameterKind::Number, "longer calls, in µs, are drawn as outliers"),
        Parameter::new("launch_delay_cutoff", ParameterKind::Number, "longer delays, in µs, are drawn as outliers"),
        Parameter::new("include_memory_events", ParameterKind::Switch, "include launches of copies and fills"),
    ];
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", COLUMNS).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // A row per launch.
    const KEEPS_EVENTS: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<Vec<Launch>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let rows = EventRows::of(rank.all_events(), rank.compat())?;
        let hta = rank.compat() == Compat::Hta;
        let memory = self.include_memory_events;
        // Differs from HTA: it ignores the calls of the driver and of ROCm.
        let mut is_launch = rows.per_text(|name| {
            let known = LAUNCHES.contains(&name) || (memory && MEMORY.contains(&name));
            known || (!hta && (MORE_LAUNCHES.contains(&name) || (memory && MORE_MEMORY.contains(&name))))
        });
        let seen = || cancellable(rank.rows()).map(|&row| row as usize);
        let calls: Vec<(i64, usize)> = seen()
            .filter(|&row| rows.stream(row).is_none())
            .filter_map(|row| Some((rows.correlation(row)?, row)))
            .collect();
        let mut kernels = KernelsByCorrelation::default();
        for row in seen().filter(|&row| is_launch(rows.name(row))) {
            rows.correlation(row).into_iter().for_each(|id| kernels.add_launch(id));
        }
        for row in seen().filter(|&row| rows.stream(row).is_some()) {
            rows.correlation(row).into_iter().for_each(|id| kernels.add_kernel(id, row));
        }
        let mut launches = Vec::with_capacity(kernels.rows.len());
        for (id, call) in cancellable(calls) {
            for kernel in kernels.of(id) {
                let (Some(call_ts), Some(kernel_ts)) = (rows.ts(call), rows.ts(kernel)) else { continue };
                let (cpu, gpu) = (rows.dur(call), rows.dur(kernel));
                let delay = kernel_ts.saturating_sub(call_ts).saturating_sub(cpu).max(0);
                launches.push(Launch { correlation: id, cpu, gpu, delay });
            }
        }
        Ok(ByRank::of(rank.rank(), launches))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let without = state.ranks_where(Vec::is_empty);
        let mut tables = Vec::new();
        for (&rank, launches) in &state.0 {
            tables.push(AnswerTable::new(&Self::TABLES[0], frame(launches)?).of_rank(rank));
        }
        let note = nothing_on(&without, "No launches that started work on the GPU");
        let figures = self.figures(&state);
        let kept = figures.len();
        let answer = Answer { tables, figures, notes: note.into_iter().collect(), ..Answer::default() };
        let draw = |map: &RankMap| map.deviations("Launches on each rank");
        Ok(if without.len() == state.0.len() { answer } else { answer.with_map(&by_rank(&state), draw, kept) })
    }

    fn ranks(&self) -> Option<&[i64]> {
        self.ranks.as_deref()
    }
}

/// The kernels of each correlation id that a launch has: a linked list per id, in the order of the rows.
#[derive(Default)]
struct KernelsByCorrelation {
    /// Index in `rows` of the first and last kernel of each id; [`NONE`] if it has none yet.
    ids: HashMap<i64, (u32, u32), foldhash::fast::FixedState>,
    /// Each kernel's row, and the index of the next kernel of its id.
    rows: Vec<(u32, u32)>,
}

/// The index of no kernel.
const NONE: u32 = u32::MAX;

impl KernelsByCorrelation {
    /// Adds an id, that of a launch.
    fn add_launch(&mut self, id: i64) {
        self.ids.entry(id).or_insert((NONE, NONE));
    }

    /// Adds a kernel, unless no launch has its id.
    fn add_kernel(&mut self, id: i64, row: usize) {
        let Some((first, last)) = self.ids.get_mut(&id) else { return };
        let index = self.rows.len() as u32;
        match self.rows.get_mut(*last as usize) {
            Some(previous) => previous.1 = index,
            None => *first = index,
        }
        *last = index;
        self.rows.push((row as u32, NONE));
    }

    /// Returns the rows of the kernels with this id.
    fn of(&self, id: i64) -> impl Iterator<Item = usize> {
        let mut next = self.ids.get(&id).map_or(NONE, |kernels| kernels.0);
        std::iter::from_fn(move || {
            let &(row, after) = self.rows.get(next as usize)?;
            next = after;
            Some(row as usize)
        })
    }
}

impl CudaKernelLaunchStats {
    /// Draws three histograms with a series per rank; empty ones are left out.
    fn figures(&self, state: &ByRank<Vec<Launch>>) -> Vec<Figure> {
        let (runtime, delay) = (self.runtime_cutoff * 1e3, self.launch_delay_cutoff * 1e3);
        let figure = |title: String, x: &str, of: &dyn Fn(&Launch) -> Option<i64>| {
            let drawn = |name: &str, values: Vec<i64>| (!values.is_empty()).then(|| histogram(name, &values, BARS));
            let series: Vec<_> = if state.0.len() > MOST_RANKS {
                drawn("all ranks", state.0.values().flatten().filter_map(of).collect()).into_iter().collect()
            } else {
                let of_rank = |(rank, launches): (&i64, &Vec<Launch>)| {
                    drawn(&format!("rank {rank}"), launches.iter().filter_map(of).collect())
                };
                state.0.iter().filter_map(of_rank).collect()
            };
            (!series.is_empty()).then(|| Figure {
                title,
                x: Axis { title: x.to_owned(), unit: Unit::Micros, ..Axis::default() },
                y: Axis { title: "Launches".to_owned(), unit: Unit::Count, whole: true, ..Axis::default() },
                bars: BarMode::Stack,
                series,
                ..Figure::default()
            })
        };
        let calls = "Cuda Runtime Event Duration";
        let short = |of: &Launch| (of.cpu as f64 <= runtime && of.gpu < of.cpu).then_some(of.cpu);
        let long = |of: &Launch| (of.cpu as f64 > runtime).then_some(of.cpu);
        let delayed = |of: &Launch| (of.delay as f64 > delay).then_some(of.delay);
        let outliers = |what: &str, cutoff: f64| format!("{what} Outliers (duration > {cutoff} us)");
        [
            figure("Short GPU kernels (gpu op duration < cpu op duration)".to_owned(), calls, &short),
            figure(outliers("Runtime Event Duration", self.runtime_cutoff), calls, &long),
            figure(outliers("Launch Delay", self.launch_delay_cutoff), "Launch Delay Duration", &delayed),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}

/// Returns what describes the launches of each rank.
fn by_rank(state: &ByRank<Vec<Launch>>) -> RankMap {
    let mut map = RankMap::of(state.0.keys().copied());
    if !map.is_large() {
        return map;
    }
    for (&rank, launches) in &state.0 {
        let median = |of: fn(&Launch) -> i64| {
            let mut values: Vec<f64> = launches.iter().map(|launch| micros(of(launch))).collect();
            values.sort_by(f64::total_cmp);
            quantile(&values, 0.5).unwrap_or(f64::NAN)
        };
        map.set("launches", Unit::Count, rank, launches.len() as f64);
        map.set("median of cpu_duration", Unit::Micros, rank, median(|of| of.cpu));
        map.set("median of gpu_duration", Unit::Micros, rank, median(|of| of.gpu));
        map.set("median of launch_delay", Unit::Micros, rank, median(|of| of.delay));
        let longest = launches.iter().map(|launch| micros(launch.delay)).fold(f64::NAN, f64::max);
        map.set("longest launch_delay", Unit::Micros, rank, longest);
    }
    map
}

fn frame(launches: &[Launch]) -> Result<DataFrame> {
    let time = |of: fn(&Launch) -> i64| launches.iter().map(|launch| micros(of(launch))).collect::<Vec<f64>>();
    Ok(df!(
        "correlation" => launches.iter().map(|launch| launch.correlation).collect::<Vec<_>>(),
        "cpu_duration" => time(|launch| launch.cpu),
        "gpu_duration" => time(|launch| launch.gpu),
        "launch_delay" => time(|launch| launch.delay),
    )?)
}
