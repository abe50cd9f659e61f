//! Occupancy and waves of launches: as recorded, else computed from registers, shared memory and threads.

use super::recorded::{Configuration, State, Sums};
use crate::domain::is_collective;
use efficiency::{BlockLimits, GridUnit, Launch, LimitedBy, NoOccupancy, Occupancy, grid_unit, occupancy};
use serde_json::Value;
use std::collections::BTreeMap;

/// A kernel and its configuration, with how its launches fill the device.
pub(super) struct Row<'s> {
    pub(super) of: &'s Configuration,
    pub(super) sums: Sums,
    /// The launch, its grid in blocks; `None` if grid and block were not recorded.
    pub(super) launch: Option<Launch>,
    pub(super) filled: Result<Filled, Missing>,
}

/// How launches fill the device.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Filled {
    /// Blocks that run on a multiprocessor at once.
    pub(super) active_blocks: u64,
    pub(super) limited_by: Vec<LimitedBy>,
    /// Share of the threads of a multiprocessor that the active blocks have, from 0 to 1; `None` for an unknown device.
    pub(super) theoretical: Option<f64>,
    /// The share that the grid reaches on the average of multiprocessors.
    pub(super) achieved: Option<f64>,
    /// Waves of blocks; `None` for an unknown device, for persistent kernels and for collectives.
    pub(super) waves: Option<f64>,
    pub(super) tail_efficiency: Option<f64>,
    pub(super) grid: Grid,
    /// Whether the profiler recorded what limits the blocks.
    pub(super) is_recorded: bool,
}

/// What the size of a grid tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grid {
    /// One block for each piece of work, as far as the trace tells.
    Usual,
    /// A multiple of the multiprocessors that fits into one wave, so that the kernel may be persistent; its name does not say so.
    Candidate,
    /// Such a grid, and a name that says that the kernel is persistent: its blocks take work until there is none left.
    Persistent,
    /// Of a collective: a block for each channel.
    Channels,
}

/// Why it is not known how a launch fills the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Missing {
    /// No grid and block were recorded.
    Launch,
    /// No properties of the device were recorded.
    Device,
    /// No occupancy can be computed.
    Occupancy(NoOccupancy),
}

impl Missing {
    /// Says what is missing.
    pub(super) fn sentence(self) -> String {
        match self {
            Self::Launch => "grid and block were not recorded".to_owned(),
            Self::Device => "the trace has no deviceProperties with multiprocessors and their threads".to_owned(),
            Self::Occupancy(reason) => reason.to_string(),
        }
    }
}

/// Returns the kernels that take longest first.
pub(super) fn rows(state: &State) -> Vec<Row<'_>> {
    let units = units(state);
    let mut rows: Vec<Row<'_>> = state
        .kernels
        .iter()
        .map(|(of, sums)| {
            let unit = units.get(of.device.name.as_str()).copied().unwrap_or(GridUnit::Blocks);
            let unit = if of.in_threads { GridUnit::Threads } else { unit };
            let launch = launch(of).map(|launch| launch.in_blocks(unit));
            let filled = launch.ok_or(Missing::Launch).and_then(|launch| filled(of, &launch));
            Row { of, sums: *sums, launch, filled }
        })
        .collect();
    rows.sort_by(|one, other| other.sums.own.cmp(&one.sums.own).then_with(|| one.of.cmp(other.of)));
    rows
}

/// Returns by the name of a device of AMD in which unit its grids are counted, but for calls that always count threads.
fn units(state: &State) -> BTreeMap<&str, GridUnit> {
    let mut launches: BTreeMap<&str, Vec<Launch>> = BTreeMap::new();
    for (of, _) in state.kernels.iter().filter(|(of, _)| of.device.is_amd() && !of.in_threads) {
        launches.entry(of.device.name.as_str()).or_default().extend(launch(of));
    }
    launches.into_iter().map(|(device, launches)| (device, grid_unit(&launches))).collect()
}

/// Returns the launch as recorded.
fn launch(of: &Configuration) -> Option<Launch> {
    let sizes = |json: &str| serde_json::from_str::<[u64; 3]>(json).ok();
    let (grid, block) = (sizes(&of.grid)?, sizes(&of.block)?);
    Some(Launch { grid, block, registers: of.registers, shared_memory: of.shared_memory })
}

fn filled(of: &Configuration, launch: &Launch) -> Result<Filled, Missing> {
    let device = of.device.multiprocessor();
    let recorded = Recorded::parse(&of.occupancy);
    let limits = match (&recorded, &device) {
        (Some(recorded), _) => recorded.limits(),
        (None, None) => return Err(Missing::Device),
        (None, Some(device)) => BlockLimits::of(launch, device).map_err(Missing::Occupancy)?,
    };
    let grid = |is_candidate: bool| match is_candidate {
        _ if is_collective(&of.name) => Grid::Channels,
        true if is_persistent(&of.name) => Grid::Persistent,
        true => Grid::Candidate,
        false => Grid::Usual,
    };
    let limited_by = match &recorded {
        Some(recorded) if !recorded.limited_by.is_empty() => recorded.limited_by.clone(),
        _ => limits.limiting().into_iter().map(|(limit, _)| limit).collect(),
    };
    let is_recorded = recorded.is_some();
    let Some(device) = device else {
        let active_blocks = limits.active_blocks();
        let (theoretical, achieved) = (None, None);
        let (waves, tail_efficiency, grid) = (None, None, grid(false));
        return Ok(Filled {
            active_blocks,
            limited_by,
            theoretical,
            achieved,
            waves,
            tail_efficiency,
            grid,
            is_recorded,
        });
    };
    let Occupancy { active_blocks, theoretical, achieved, is_persistent, .. } = occupancy(launch, &device, &limits);
    let grid = grid(is_persistent);
    let at_once = device.count as f64 * active_blocks as f64;
    let has_waves = matches!(grid, Grid::Usual | Grid::Candidate) && at_once > 0.0 && launch.blocks() > 0;
    let waves = has_waves.then(|| launch.blocks() as f64 / at_once);
    Ok(Filled {
        active_blocks,
        limited_by,
        theoretical: Some(theoretical),
        achieved: Some(achieved),
        waves,
        tail_efficiency: waves.map(|waves| waves / waves.ceil()),
        grid,
        is_recorded,
    })
}

/// Tells whether the name of a kernel says that it is persistent. `triton_per_…` is a reduction within a block.
fn is_persistent(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["persistent", "streamk", "stream_k"].iter().any(|word| name.contains(word))
}

/// What the profiler recorded of the occupancy of a kernel.
struct Recorded {
    active_blocks: u64,
    blocks: BlockLimits,
    limited_by: Vec<LimitedBy>,
}

impl Recorded {
    /// Reads the object; `None` if it does not have the active blocks.
    fn parse(json: &str) -> Option<Self> {
        let object: Value = serde_json::from_str(json).ok()?;
        let number = |key: &str| object.get(key).and_then(Value::as_u64);
        let blocks = BlockLimits {
            registers: number("blockLimitRegs"),
            shared_memory: number("blockLimitSharedMem"),
            warps: number("blockLimitWarps"),
            blocks: number("blockLimitBlocks"),
            barriers: number("blockLimitBarriers"),
        };
        let limited_by = object.get("limitingFactors").map(factors).unwrap_or_default();
        Some(Self { active_blocks: number("activeBlocksPerMultiprocessor")?, blocks, limited_by })
    }

    /// Returns limits of which the smallest are the active blocks.
    fn limits(&self) -> BlockLimits {
        if self.blocks.active_blocks() == self.active_blocks {
            return self.blocks;
        }
        BlockLimits { blocks: Some(self.active_blocks), ..BlockLimits::default() }
    }
}

/// Reads limiting factors: words, a list of them, or the bits of CUDA's occupancy calculator.
fn factors(value: &Value) -> Vec<LimitedBy> {
    let bits = [
        (1, LimitedBy::Warps),
        (2, LimitedBy::Registers),
        (4, LimitedBy::SharedMemory),
        (8, LimitedBy::Blocks),
        (16, LimitedBy::Barriers),
    ];
    let mut found: Vec<LimitedBy> = match value {
        Value::Number(number) => {
            let number = number.as_u64().unwrap_or(0);
            bits.into_iter().filter(|(bit, _)| number & bit != 0).map(|(_, limit)| limit).collect()
        }
        Value::String(words) => words.split([',', '|', ';', '+']).filter_map(factor).collect(),
        Value::Array(words) => words.iter().filter_map(Value::as_str).filter_map(factor).collect(),
        _ => Vec::new(),
    };
    found.sort_unstable();
    found.dedup();
    found
}

fn factor(word: &str) -> Option<LimitedBy> {
    let word = word.to_ascii_lowercase();
    let words = [
        ("reg", LimitedBy::Registers),
        ("shared", LimitedBy::SharedMemory),
        ("smem", LimitedBy::SharedMemory),
        ("barrier", LimitedBy::Barriers),
        ("warp", LimitedBy::Warps),
        ("thread", LimitedBy::Warps),
        ("block", LimitedBy::Blocks),
    ];
    words.into_iter().find(|(part, _)| word.contains(part)).map(|(_, limit)| limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limiting_factors_are_words_lists_or_bits() {
        use LimitedBy::{Barriers, Blocks, Registers, SharedMemory, Warps};
        for (json, expected) in [
            ("\"registers\"", vec![Registers]),
            ("\"Shared Memory, Registers\"", vec![Registers, SharedMemory]),
            ("[\"WARPS\", \"blocks\"]", vec![Warps, Blocks]),
            ("20", vec![SharedMemory, Barriers]),
            ("0", vec![]),
            ("null", vec![]),
            ("\"?\"", vec![]),
        ] {
            assert_eq!(serde_json::from_str::<Value>(json).map(|value| factors(&value)).ok(), Some(expected), "{json}");
        }
    }

    #[test]
    fn only_names_that_say_so_are_persistent() {
        assert!(is_persistent("matmul_kernel_persistent") && is_persistent("cutlass::gemm::StreamK"));
        assert!(!is_persistent("triton_per_fused_add_0") && !is_persistent("gemm"));
    }
}
