//! Launches: the runtime call, its kernel, and the delay between them.

use super::listed::{AnswerFiles, Finished, Listed};
use super::{Analysis, Answer, ByRank, Parameter, ParameterKind, RankView, TableSchema, nothing_on};
use crate::exec::checkpoint::cancellable;
use crate::present::{Field, MOST_RANKS, RankMap, answer_frame, declared};
use crate::stats::{histogram, nanos, quantile};
use crate::{Compat, Result};
use hashbrown::HashMap;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use trace_view::{Axis, BarMode, Figure, Unit};

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
const COLUMNS: [Field<Launch>; 4] = [
    Field::id("correlation", "id that the call shares with its kernel", |launch| Some(launch.correlation)),
    Field::time("cpu_duration", "duration of the runtime call", |launch| Some(launch.cpu)),
    Field::time("gpu_duration", "duration of its kernel", |launch| Some(launch.gpu)),
    Field::time("launch_delay", "from the end of the call to the start on the GPU; 0 if that is earlier", |launch| {
        Some(launch.delay)
    }),
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
    const TABLES: &'static [TableSchema] = &[TableSchema::new("", &declared(&COLUMNS)).per_rank()];
    const FIRST_RANK_ONLY: bool = true;
    // A row per launch.
    const KEEPS_EVENTS: bool = true;
    const LAUNCHES: bool = true;
    type State = ByRank<Listed<Vec<Launch>>>;

    fn map(&self, rank: &RankView) -> Result<Self::State> {
        let rows = rank.rank_events();
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
        Ok(ByRank::of(rank.rank(), Listed::Found(launches)))
    }

    fn move_to_files(&self, state: Self::State, files: &AnswerFiles) -> Result<Self::State> {
        state.try_map(|rank, launches| launches.moved(rank, files, |launches| answer_frame(&launches, &COLUMNS)))
    }

    fn finish(&self, state: Self::State) -> Result<Answer> {
        let ranks = state.try_map(|_, launches| launches.finished(|launches| answer_frame(&launches, &COLUMNS)))?;
        let without = ranks.ranks_where(|rows| rows.len() == 0);
        let note = nothing_on(&without, "No launches that started work on the GPU");
        let figures = self.figures(&ranks)?;
        let count = figures.len();
        let mut answer = Answer { figures, notes: note.into_iter().collect(), ..Answer::default() };
        let draw = |map: &RankMap| map.deviations("Launches on each rank");
        if without.len() < ranks.0.len() {
            answer = answer.with_map(&by_rank(&ranks)?, draw, count);
        }
        Ok(Answer { tables: ranks.into_tables(&Self::TABLES[0]), ..answer })
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

/// The name and the values of a series.
type Drawn = (String, Vec<i64>);

impl CudaKernelLaunchStats {
    /// Draws three histograms with a series per rank, or one of many ranks; empty ones are left out.
    fn figures(&self, ranks: &ByRank<Finished>) -> Result<Vec<Figure>> {
        let together = ranks.0.len() > MOST_RANKS;
        // The names and values of the series of each histogram.
        let mut drawn: [Vec<Drawn>; 3] = Default::default();
        for (rank, rows) in &ranks.0 {
            for (drawn, values) in drawn.iter_mut().zip(rows.read(|frame| self.outliers(frame))?) {
                match drawn.last_mut() {
                    Some((_, all)) if together => all.extend(values),
                    _ if together => drawn.push(("all ranks".to_owned(), values)),
                    _ => drawn.push((format!("rank {rank}"), values)),
                }
            }
        }
        let calls = "Cuda Runtime Event Duration";
        let outliers = |what: &str, cutoff: f64| format!("{what} Outliers (duration > {cutoff} us)");
        let titles = [
            ("Short GPU kernels (gpu op duration < cpu op duration)".to_owned(), calls),
            (outliers("Runtime Event Duration", self.runtime_cutoff), calls),
            (outliers("Launch Delay", self.launch_delay_cutoff), "Launch Delay Duration"),
        ];
        let figure = |((title, x), drawn): ((String, &str), Vec<Drawn>)| {
            let series = drawn.iter().filter(|(_, values)| !values.is_empty());
            let series: Vec<_> = series.map(|(name, values)| histogram(name, values, BARS)).collect();
            (!series.is_empty()).then(|| Figure {
                title,
                x: Axis { title: x.to_owned(), unit: Unit::Micros, ..Axis::default() },
                y: Axis { title: "Launches".to_owned(), unit: Unit::Count, whole: true, ..Axis::default() },
                bars: BarMode::Stack,
                series,
                ..Figure::default()
            })
        };
        Ok(titles.into_iter().zip(drawn).filter_map(figure).collect())
    }

    /// Returns the values of each histogram, in ns: calls longer than their kernels, long calls, and long delays.
    fn outliers(&self, launches: &DataFrame) -> Result<[Vec<i64>; 3]> {
        let (runtime, delay) = (self.runtime_cutoff * 1e3, self.launch_delay_cutoff * 1e3);
        let time = |name: &str| -> Result<_> {
            let times = launches.column(name)?.f64()?;
            Ok(times.iter().map(|time| nanos(time.unwrap_or_default())))
        };
        let (cpu, gpu, delays) = (time("cpu_duration")?, time("gpu_duration")?, time("launch_delay")?);
        let mut values: [Vec<i64>; 3] = Default::default();
        for ((cpu, gpu), delayed) in cpu.zip(gpu).zip(delays) {
            if cpu as f64 <= runtime && gpu < cpu {
                values[0].push(cpu);
            }
            if cpu as f64 > runtime {
                values[1].push(cpu);
            }
            if delayed as f64 > delay {
                values[2].push(delayed);
            }
        }
        Ok(values)
    }
}

/// Returns what describes the launches of each rank.
fn by_rank(ranks: &ByRank<Finished>) -> Result<RankMap> {
    let mut map = RankMap::of(ranks.0.keys().copied());
    if !map.is_large() {
        return Ok(map);
    }
    for (&rank, rows) in &ranks.0 {
        let sorted = |frame: &DataFrame, name: &str| -> Result<Vec<f64>> {
            let mut values: Vec<f64> = frame.column(name)?.f64()?.iter().flatten().collect();
            values.sort_by(f64::total_cmp);
            Ok(values)
        };
        map.set("launches", Unit::Count, rank, rows.len() as f64);
        let median = |values: &[f64]| quantile(values, 0.5).unwrap_or(f64::NAN);
        for name in ["cpu_duration", "gpu_duration", "launch_delay"] {
            let values = rows.read(|frame| sorted(frame, name))?;
            map.set(&format!("median of {}", name.replace('_', " ")), Unit::Micros, rank, median(&values));
            if name == "launch_delay" {
                map.set("longest launch delay", Unit::Micros, rank, values.last().copied().unwrap_or(f64::NAN));
            }
        }
    }
    Ok(map)
}
