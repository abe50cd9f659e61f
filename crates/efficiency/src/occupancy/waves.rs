//! Waves of blocks over a device, their last one, and the occupancy that results.

use super::launch::Launch;
use super::limits::{BlockLimits, LimitedBy};
use super::multiprocessor::Multiprocessor;

/// How a launch fills a device.
#[derive(Debug, Clone, PartialEq)]
pub struct Occupancy {
    /// Blocks that run on a multiprocessor at once.
    pub active_blocks: u64,
    /// Everything that limits them.
    pub limited_by: Vec<LimitedBy>,
    /// Share of the threads of a multiprocessor that the active blocks have.
    pub theoretical: f64,
    /// Share that the launch can have on the average of multiprocessors: less if there are fewer blocks.
    pub achieved: f64,
    /// Waves of blocks: 2.25 are two full ones and a quarter; `None` for persistent kernels.
    pub waves: Option<f64>,
    /// Share of the time of all waves that is used, if each takes as long; `None` for persistent kernels.
    pub tail_efficiency: Option<f64>,
    /// Whether the grid is a multiple of the multiprocessors that fits into one wave: such kernels take their work by themselves.
    pub is_persistent: bool,
}

/// Computes how a launch fills a device, from computed or recorded limits.
pub fn occupancy(launch: &Launch, device: &Multiprocessor, limits: &BlockLimits) -> Occupancy {
    let limiting = limits.limiting();
    let active_blocks = limits.active_blocks();
    let (blocks, count) = (launch.blocks(), u128::from(device.count));
    let at_once = count.saturating_mul(active_blocks.into());
    let is_persistent = count > 0 && blocks > 0 && blocks % count == 0 && blocks <= at_once;
    let waves = (!is_persistent && at_once > 0 && blocks > 0).then(|| blocks as f64 / at_once as f64);
    let share = |blocks: f64| {
        let all = device.threads.max(1) as f64;
        (blocks * launch.threads() as f64 / all).min(1.0)
    };
    let on_average = if count == 0 { 0.0 } else { blocks as f64 / count as f64 };
    Occupancy {
        active_blocks,
        limited_by: limiting.iter().map(|(limit, _)| *limit).collect(),
        theoretical: share(active_blocks as f64),
        achieved: share((active_blocks as f64).min(on_average)),
        waves,
        tail_efficiency: waves.map(|waves| waves / waves.ceil()),
        is_persistent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEVICE: Multiprocessor = Multiprocessor {
        count: 100,
        capability: (9, 0),
        warp: 32,
        threads: 2048,
        registers: Some(65_536),
        shared_memory: Some(233_472),
    };

    fn of(blocks: u64) -> Occupancy {
        let launch = Launch { grid: [blocks, 1, 1], block: [256, 1, 1], registers: None, shared_memory: None };
        occupancy(&launch, &DEVICE, &BlockLimits { warps: Some(8), registers: Some(4), ..BlockLimits::default() })
    }

    #[test]
    fn the_last_wave_lowers_the_efficiency() {
        let found = of(900);
        assert_eq!((found.waves, found.tail_efficiency), (Some(2.25), Some(0.75)));
        assert_eq!((found.theoretical, found.achieved), (0.5, 0.5));
        assert_eq!(found.limited_by, [LimitedBy::Registers]);
        assert_eq!(of(50).achieved, 0.0625);
    }

    #[test]
    fn persistent_kernels_have_no_waves() {
        assert!(of(100).is_persistent && of(400).is_persistent);
        assert_eq!(of(200).waves, None);
        // Two full waves, since they do not fit into one.
        assert!(!of(800).is_persistent);
        assert_eq!(of(800).tail_efficiency, Some(1.0));
        assert_eq!(of(0).waves, None);
    }
}
