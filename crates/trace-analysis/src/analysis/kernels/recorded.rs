//! Kernels of one rank as they were recorded: by launch configuration, with times that count each moment of a stream once.

use super::device::{Device, devices};
use super::replay::Replay;
use super::short::ShortKernels;
use super::source::{FILE, Sources};
use crate::analysis::{ByRank, Merge, RankView};
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::exec::context::Inherited;
use crate::exec::fork_join::join;
use crate::frame::columns::LAUNCH_CONFIGURATION;
use crate::frame::{LaunchConfiguration, TextColumn, TrackNumbers};
use crate::{Error, Result};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::DataFrame;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use trace_bounds::critical_path::SHORT_KERNEL_NS;

/// A launch call of HIP that counts work items in grids.
const COUNTS_THREADS: &str = "hipExtModuleLaunchKernel";

/// The upper bounds of classes of durations, in ns; a last class has none.
pub(super) const CLASSES: [i64; 13] = [
    1_000,
    2_000,
    5_000,
    SHORT_KERNEL_NS,
    20_000,
    50_000,
    100_000,
    200_000,
    500_000,
    1_000_000,
    2_000_000,
    5_000_000,
    10_000_000,
];

/// A kernel and its launch configuration; texts that were not recorded are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Configuration {
    pub(super) device: Device,
    pub(super) name: String,
    /// As recorded: `[128, 1, 1]`.
    pub(super) grid: String,
    pub(super) block: String,
    /// Whether the launch counts threads in grids.
    pub(super) in_threads: bool,
    pub(super) registers: Option<u64>,
    pub(super) shared_memory: Option<u64>,
    /// The object that says what limits the occupancy, as JSON.
    pub(super) occupancy: String,
    /// The profiler's estimate of the achieved occupancy, in percent.
    pub(super) estimate: Option<u64>,
    /// Compiler and configuration of a compiled kernel.
    pub(super) compiled: String,
    /// The file of its source.
    pub(super) file: String,
}

/// Number and times of equal kernels, in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) count: u64,
    /// Time during which no kernel or copy that began earlier runs on the stream.
    pub(super) own: i64,
    /// Sum of durations.
    pub(super) durations: i64,
}

impl Sums {
    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.own = self.own.saturating_add(other.own);
        self.durations = self.durations.saturating_add(other.durations);
    }
}

/// Number and time of kernels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Class {
    pub(super) count: u64,
    pub(super) own: i64,
}

/// What is known of a rank as a whole; times in ns.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OnRank {
    /// Time during which its streams are busy, each by itself.
    pub(super) on_streams: i64,
    /// Those below 10 µs; `None` without kernels.
    pub(super) short: Option<ShortKernels>,
    /// Kernels by class of duration.
    pub(super) classes: Vec<Class>,
    /// What one launch in place of short kernels would save.
    pub(super) replay: Replay,
}

/// The partial result: kernels by configuration, and ranks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    pub(super) kernels: Vec<(Configuration, Sums)>,
    pub(super) ranks: ByRank<OnRank>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        let mut kernels: BTreeMap<Configuration, Sums> = std::mem::take(&mut self.kernels).into_iter().collect();
        for (configuration, sums) in other.kernels {
            kernels.entry(configuration).or_default().add(&sums);
        }
        self.kernels = kernels.into_iter().collect();
        self.ranks.merge(other.ranks);
    }
}

impl State {
    /// Collects the kernels of one rank.
    ///
    /// # Errors
    /// If the events cannot be read any more, or memory does not suffice.
    pub(super) fn of(view: &RankView) -> Result<Self> {
        let mut rank = OnRank::default();
        let kernels = || {
            rank.short = ShortKernels::of(view);
            if rank.short.is_none() {
                return Ok::<_, Error>(Vec::new());
            }
            let own;
            (own, rank.on_streams) = own_times(view);
            let events = view.all_events_with(&[LAUNCH_CONFIGURATION, FILE])?;
            Ok(collect(view, &events, &own, &mut rank))
        };
        let concurrently = Inherited::here().threads() > 1;
        let (kernels, replay) = join(concurrently, kernels, || Replay::of(view, ShortKernels::any(view)));
        let kernels = kernels?;
        rank.replay = replay?;
        Ok(Self { kernels, ranks: ByRank::of(view.rank(), rank) })
    }
}

/// Returns the kernels in order of time, each with the time during which nothing that began earlier runs on its stream, and the time during
/// which streams are busy, in ns.
///
/// ```text
/// one      |--------|
/// other         |--------|
/// own      |--------|----|
/// ```
fn own_times(view: &RankView) -> (Vec<(u32, i64)>, i64) {
    let rows = view.rank_events();
    let kinds = rows.kinds();
    let mut work: Vec<_> = view.gpu().iter().filter(|event| event.is_work).collect();
    // Recorded rows are mostly in order of time, which the sort makes use of.
    work.sort_by_key(|event| (event.ts, event.row));
    let mut own = Vec::with_capacity(work.len());
    let mut streams = TrackNumbers::default();
    // By stream the latest end.
    let mut latest: Vec<i64> = Vec::new();
    let mut busy = 0_i64;
    for event in cancellable(work) {
        let (start, row, end) = (event.ts, event.row as usize, event.end());
        let stream = streams.number(rows.device_and_stream(row)) as usize;
        if stream == latest.len() {
            latest.push(i64::MIN);
        }
        let latest = &mut latest[stream];
        let ns = end.saturating_sub(start.max(*latest)).max(0);
        busy = busy.saturating_add(ns);
        if kinds[row] == EventKind::Kernel {
            own.push((event.row, ns));
        }
        *latest = end.max(*latest);
    }
    (own, busy)
}

/// Key of a launch configuration, as codes: the name, the device, the text of the configuration, the source, and whether the launch
/// counts threads in grids.
type Codes = (u32, Option<i64>, Option<u32>, Option<u32>, bool);

/// Adds kernels up by their configuration and by classes of their durations.
fn collect(view: &RankView, events: &DataFrame, own: &[(u32, i64)], rank: &mut OnRank) -> Vec<(Configuration, Sums)> {
    let rows = view.rank_events();
    let devices = devices(view.info());
    let launches = TextColumn::of(events, LAUNCH_CONFIGURATION).ok();
    let sources = Sources::of(events, rows);
    let mut counts_threads = rows.per_text(|name| name == COUNTS_THREADS);
    let mut numbers_of: HashMap<Codes, u32, FixedState> = HashMap::default();
    let mut sums: Vec<(Codes, Sums)> = Vec::new();
    rank.classes = vec![Class::default(); CLASSES.len() + 1];
    for &(row, ns) in cancellable(own) {
        let at = row as usize;
        let launched = launches.as_ref().and_then(|launches| launches.code(at));
        let device = rows.device_and_stream(at).0;
        let in_threads = rows.partner(at).is_some_and(|launch| counts_threads(rows.name(launch)));
        let key = (rows.name(at), device, launched, sources.of_kernel(rows, at), in_threads);
        let number = *numbers_of.entry(key).or_insert_with(|| {
            sums.push((key, Sums::default()));
            sums.len() as u32 - 1
        });
        let dur = rows.dur(at);
        sums[number as usize].1.add(&Sums { count: 1, own: ns, durations: dur });
        let class = &mut rank.classes[CLASSES.partition_point(|&bound| bound <= dur)];
        *class = Class { count: class.count + 1, own: class.own.saturating_add(ns) };
    }
    let mut kernels: BTreeMap<Configuration, Sums> = BTreeMap::new();
    for ((name, device, launched, source, in_threads), found) in sums {
        let launched = launches.as_ref().map(|launches| LaunchConfiguration::parse(launches.text(launched)));
        let launched = launched.unwrap_or_default();
        // All devices of a machine are of one kind.
        let known = devices.iter().find(|(id, _)| Some(*id) == device).or(devices.first());
        let source = source.and_then(|number| sources.found.get(number as usize)).cloned().unwrap_or_default();
        let configuration = Configuration {
            device: known.map(|(_, device)| device.clone()).unwrap_or_default(),
            name: view.name(name).to_owned(),
            grid: launched.grid,
            block: launched.block,
            in_threads,
            occupancy: launched.occupancy,
            registers: launched.registers,
            shared_memory: launched.shared_memory,
            estimate: launched.estimate,
            compiled: source.configuration,
            file: source.file,
        };
        kernels.entry(configuration).or_default().add(&found);
    }
    kernels.into_iter().collect()
}
