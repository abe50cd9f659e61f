//! The launch of a kernel, as recorded.

/// The configuration of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid; see [`grid_unit`].
    pub grid: [u64; 3],
    /// Threads of a block.
    pub block: [u64; 3],
    /// Registers of a thread (`registers per thread`).
    pub registers: Option<u64>,
    /// Bytes of shared memory of a block, static and dynamic (`shared memory`).
    pub shared_memory: Option<u64>,
}

/// The unit in which a recording counts grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GridUnit {
    /// Blocks.
    Blocks,
    /// Threads, as some versions of ROCm do.
    Threads,
}

/// The fewest launches that say in which unit grids are counted.
const FEWEST: usize = 8;

/// Guesses the unit of grids of a recording of ROCm from its launches: if all grids are multiples of their blocks, and of several
/// shapes, they count threads. A grid of blocks is one by chance only.
pub fn grid_unit(launches: &[Launch]) -> GridUnit {
    let mut seen: Vec<([u64; 3], [u64; 3])> = Vec::new();
    for launch in launches.iter().filter(|launch| launch.threads() > 1) {
        let is_multiple = launch.grid.iter().zip(launch.block).all(|(grid, block)| block > 0 && grid % block == 0);
        if !is_multiple {
            return GridUnit::Blocks;
        }
        let shape = (launch.grid, launch.block);
        if seen.len() < FEWEST && !seen.contains(&shape) {
            seen.push(shape);
        }
    }
    if seen.len() < FEWEST { GridUnit::Blocks } else { GridUnit::Threads }
}

impl Launch {
    /// Returns the launch with its grid in blocks.
    pub fn in_blocks(self, unit: GridUnit) -> Self {
        match unit {
            GridUnit::Blocks => self,
            GridUnit::Threads => {
                let [x, y, z] = self.grid;
                let [of_x, of_y, of_z] = self.block.map(|block| block.max(1));
                Self { grid: [x.div_ceil(of_x), y.div_ceil(of_y), z.div_ceil(of_z)], ..self }
            }
        }
    }

    /// Returns the number of blocks.
    pub fn blocks(&self) -> u128 {
        self.grid.iter().fold(1, |product: u128, &size| product.saturating_mul(size.into()))
    }

    /// Returns the number of threads of a block.
    pub fn threads(&self) -> u64 {
        self.block.iter().fold(1, |product: u64, &size| product.saturating_mul(size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(grid: u64, block: u64) -> Launch {
        Launch { grid: [grid, 1, 1], block: [block, 1, 1], registers: None, shared_memory: None }
    }

    #[test]
    fn grids_of_threads_are_recognised_by_many_launches() {
        let threads: Vec<Launch> = (1..=8).map(|blocks| launch(blocks * 256, 256)).collect();
        assert_eq!(grid_unit(&threads), GridUnit::Threads);
        assert_eq!(grid_unit(&threads[1..]), GridUnit::Blocks);
        let mut mixed = threads.clone();
        mixed.push(launch(3, 256));
        assert_eq!(grid_unit(&mixed), GridUnit::Blocks);
        assert_eq!(threads[2].in_blocks(GridUnit::Threads).blocks(), 3);
        assert_eq!(threads[2].in_blocks(GridUnit::Blocks).blocks(), 768);
    }
}
