//! A multiprocessor of a device: what blocks share.

/// Properties of a device that limit how many blocks run on a multiprocessor at once, as traces have them in `deviceProperties`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Multiprocessors of the device (`numSms`).
    pub count: u64,
    /// Compute capability (`computeMajor`, `computeMinor`).
    pub capability: (u32, u32),
    /// Threads of a warp (`warpSize`): 32, on AMD 64.
    pub warp: u64,
    /// Most threads (`maxThreadsPerMultiprocessor`).
    pub threads: u64,
    /// Registers (`regsPerMultiprocessor`).
    pub registers: Option<u64>,
    /// Bytes of shared memory (`sharedMemPerMultiprocessor`).
    pub shared_memory: Option<u64>,
}

/// Properties that traces lack, by compute capability. From the tables of the CUDA programming guide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Generation {
    /// Most blocks.
    pub(crate) blocks: u64,
    /// Registers are allocated to a warp in multiples of this.
    pub(crate) register_unit: u64,
    /// Warps of a block are allocated in multiples of this.
    pub(crate) warp_unit: u64,
    /// Shared memory is allocated in multiples of this.
    pub(crate) shared_unit: u64,
    /// Shared memory that the system takes of each block.
    pub(crate) shared_reserved: u64,
}

impl Multiprocessor {
    /// The properties of the generation; `None` if it is not known, and for devices of AMD, whose capability is of another kind.
    pub(crate) fn generation(&self) -> Option<Generation> {
        if self.warp != 32 {
            return None;
        }
        let (blocks, shared_unit, shared_reserved) = match self.capability {
            (7, 0 | 2) => (32, 256, 0),
            (7, 5) => (16, 256, 0),
            (8, 0) => (32, 128, 1024),
            (8, 6 | 7) => (16, 128, 1024),
            (8, 9) => (24, 128, 1024),
            (9, 0) | (10, 0 | 3) => (32, 128, 1024),
            (12, 0 | 1) => (24, 128, 1024),
            _ => return None,
        };
        Some(Generation { blocks, register_unit: 256, warp_unit: 4, shared_unit, shared_reserved })
    }
}
