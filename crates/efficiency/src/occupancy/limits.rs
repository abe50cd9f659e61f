//! Blocks that run on a multiprocessor at once, and what limits them.

use super::launch::Launch;
use super::multiprocessor::Multiprocessor;
use std::fmt;

/// What limits the blocks on a multiprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LimitedBy {
    /// Registers.
    Registers,
    /// Shared memory.
    SharedMemory,
    /// Warps, that is threads.
    Warps,
    /// Blocks.
    Blocks,
    /// Barriers.
    Barriers,
}

impl LimitedBy {
    /// Returns the word for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Warps => "warps",
            Self::Blocks => "blocks",
            Self::Barriers => "barriers",
        }
    }
}

/// The most blocks on a multiprocessor by each limit; `None` where a limit is not known or does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BlockLimits {
    /// By registers (`blockLimitRegs`).
    pub registers: Option<u64>,
    /// By shared memory (`blockLimitSharedMem`).
    pub shared_memory: Option<u64>,
    /// By warps (`blockLimitWarps`).
    pub warps: Option<u64>,
    /// By blocks (`blockLimitBlocks`).
    pub blocks: Option<u64>,
    /// By barriers (`blockLimitBarriers`).
    pub barriers: Option<u64>,
}

/// Why blocks cannot be computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoOccupancy {
    /// The launch has no threads, or more than a multiprocessor runs.
    Block,
    /// Registers or shared memory were not recorded.
    NotRecorded,
    /// Nothing is known of this generation of devices.
    Generation,
    /// A resource is too small for one block.
    NoRoom(LimitedBy),
}

impl fmt::Display for NoOccupancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block => {
                write!(f, "invalid block: expected at least a thread, and no more than a multiprocessor runs")
            }
            Self::NotRecorded => write!(f, "registers and shared memory of the kernel were not recorded"),
            Self::Generation => write!(f, "no limits are known for this generation of devices"),
            Self::NoRoom(limit) => {
                write!(f, "invalid launch: expected room for a block, but {} are too few", limit.word())
            }
        }
    }
}

impl std::error::Error for NoOccupancy {}

impl BlockLimits {
    /// Computes the limits from registers, shared memory and threads of a launch. Shared memory counts as if all of it that blocks can
    /// have were set apart for them.
    pub fn of(launch: &Launch, device: &Multiprocessor) -> Result<Self, NoOccupancy> {
        let generation = device.generation().ok_or(NoOccupancy::Generation)?;
        let threads = launch.threads();
        if threads == 0 || threads > device.threads {
            return Err(NoOccupancy::Block);
        }
        let (Some(registers), Some(shared)) = (launch.registers, launch.shared_memory) else {
            return Err(NoOccupancy::NotRecorded);
        };
        let warps = threads.div_ceil(device.warp);
        let by_registers = match (registers, device.registers) {
            (0, _) | (_, None) => None,
            (registers, Some(all)) => {
                let of_warp = registers.saturating_mul(device.warp);
                let of_warp = of_warp.checked_next_multiple_of(generation.register_unit).unwrap_or(u64::MAX);
                // Each of the four schedulers has a quarter of the registers.
                let all_warps = all / of_warp / generation.warp_unit * generation.warp_unit;
                Some(all_warps / warps)
            }
        };
        let of_block = shared.saturating_add(generation.shared_reserved);
        let of_block = of_block.checked_next_multiple_of(generation.shared_unit).unwrap_or(u64::MAX);
        let by_memory = device.shared_memory.filter(|_| of_block > 0).map(|all| all / of_block);
        let limits = Self {
            registers: by_registers,
            shared_memory: by_memory,
            warps: Some(device.threads / device.warp / warps),
            blocks: Some(generation.blocks),
            barriers: None,
        };
        match limits.limiting().first() {
            Some(&(limit, 0)) => Err(NoOccupancy::NoRoom(limit)),
            _ => Ok(limits),
        }
    }

    /// Returns the smallest limits: each that allows as few blocks as any other, with that number.
    pub fn limiting(&self) -> Vec<(LimitedBy, u64)> {
        let all = [
            (LimitedBy::Registers, self.registers),
            (LimitedBy::SharedMemory, self.shared_memory),
            (LimitedBy::Warps, self.warps),
            (LimitedBy::Blocks, self.blocks),
            (LimitedBy::Barriers, self.barriers),
        ];
        let known = all.iter().filter_map(|&(limit, blocks)| Some((limit, blocks?)));
        let least = known.clone().map(|(_, blocks)| blocks).min();
        known.filter(|(_, blocks)| Some(*blocks) == least).collect()
    }

    /// Returns the blocks that run on a multiprocessor at once; 0 if no limit is known.
    pub fn active_blocks(&self) -> u64 {
        self.limiting().first().map_or(0, |(_, blocks)| *blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const H100: Multiprocessor = Multiprocessor {
        count: 132,
        capability: (9, 0),
        warp: 32,
        threads: 2048,
        registers: Some(65_536),
        shared_memory: Some(233_472),
    };

    fn launch(threads: u64, registers: u64, shared: u64) -> Launch {
        Launch { grid: [1; 3], block: [threads, 1, 1], registers: Some(registers), shared_memory: Some(shared) }
    }

    fn limited(threads: u64, registers: u64, shared: u64) -> (Vec<LimitedBy>, u64) {
        let limits = BlockLimits::of(&launch(threads, registers, shared), &H100).unwrap();
        (limits.limiting().iter().map(|(limit, _)| *limit).collect(), limits.active_blocks())
    }

    #[test]
    fn each_resource_can_be_the_limit() {
        assert_eq!(limited(128, 32, 0), (vec![LimitedBy::Registers, LimitedBy::Warps], 16));
        assert_eq!(limited(128, 16, 0), (vec![LimitedBy::Warps], 16));
        assert_eq!(limited(32, 16, 0), (vec![LimitedBy::Blocks], 32));
        // 168 registers · 32 threads are 5376, 21 units of 256: 12 warps of 65536 registers, 3 blocks of 4.
        assert_eq!(limited(128, 168, 0), (vec![LimitedBy::Registers], 3));
        // 227 KB and one that the system takes are all there is.
        assert_eq!(limited(384, 168, 232_448), (vec![LimitedBy::Registers, LimitedBy::SharedMemory], 1));
        assert_eq!(limited(128, 32, 48 * 1024), (vec![LimitedBy::SharedMemory], 4));
    }

    #[test]
    fn impossible_and_unknown_launches_have_reasons() {
        let of = |launch: Launch, device: Multiprocessor| BlockLimits::of(&launch, &device).unwrap_err();
        assert_eq!(of(launch(0, 1, 0), H100), NoOccupancy::Block);
        assert_eq!(of(launch(4096, 1, 0), H100), NoOccupancy::Block);
        assert_eq!(of(launch(1024, 255, 0), H100), NoOccupancy::NoRoom(LimitedBy::Registers));
        assert_eq!(of(launch(32, 8, u64::MAX), H100), NoOccupancy::NoRoom(LimitedBy::SharedMemory));
        assert_eq!(of(Launch { registers: None, ..launch(32, 8, 0) }, H100), NoOccupancy::NotRecorded);
        assert_eq!(of(launch(64, 8, 0), Multiprocessor { warp: 64, ..H100 }), NoOccupancy::Generation);
    }
}
