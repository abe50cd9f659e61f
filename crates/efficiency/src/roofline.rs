//! The roofline: the share of what a device could do that a piece of work reached.

use crate::device::peaks::Peaks;
use crate::work::call::Work;
use std::fmt;

/// The limit that binds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BoundBy {
    /// The peak of operations.
    Compute,
    /// The bandwidth of memory.
    Memory,
}

/// Limits of a device for one piece of work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Peak in TFLOP/s.
    pub tflops: f64,
    /// Bandwidth of memory in GB/s.
    pub bandwidth: f64,
}

impl Limits {
    /// Takes the limits for work from the peaks of a device.
    pub fn of(work: &Work, peaks: &Peaks) -> Result<Self, NoRoofline> {
        let tflops = peaks.peak(work.peak).map(|figure| figure.value);
        let bandwidth = peaks.bandwidth.as_ref().map(|figure| figure.value);
        match (tflops, bandwidth) {
            // Work without operations has no peak to reach.
            (None, Some(bandwidth)) if work.flops == 0 => Ok(Self { tflops: f64::INFINITY, bandwidth }),
            (None, _) => Err(NoRoofline::NoPeak),
            (_, None) => Err(NoRoofline::NoBandwidth),
            (Some(tflops), Some(bandwidth)) => Ok(Self { tflops, bandwidth }),
        }
    }
}

/// Why there is no roofline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoRoofline {
    /// The peak of this type is not known.
    NoPeak,
    /// The bandwidth of memory is not known.
    NoBandwidth,
    /// The time is not positive.
    NoTime,
    /// A limit is not positive.
    NoLimit,
}

impl fmt::Display for NoRoofline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoPeak => "no peak of this type is known for the device: write it as bf16=900",
            Self::NoBandwidth => "no bandwidth is known for the device: write it as bandwidth=3000",
            Self::NoTime => "invalid time: expected more than 0 ns",
            Self::NoLimit => "invalid limits: expected positive numbers",
        })
    }
}

impl std::error::Error for NoRoofline {}

/// Work of one or more calls against the limits of a device.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Roofline {
    /// The least time that the limits allow, divided by the time that passed. Above 1 if counted traffic came from a cache, the clock
    /// was above the one of the peak, or the work is an upper bound: it is not cut.
    pub share: f64,
    /// The limit that binds.
    pub bound_by: BoundBy,
    /// Operations for each byte; infinite without bytes, 0 without operations.
    pub intensity: f64,
    /// The intensity at which both limits bind.
    pub ridge: f64,
    /// TFLOP/s that were reached.
    pub tflops: f64,
    /// GB/s that were reached.
    pub bandwidth: f64,
    /// The least time in ns.
    pub least_ns: f64,
}

impl Roofline {
    /// Whether more was reached than the limits allow: see [`Roofline::share`].
    pub fn is_above(&self) -> bool {
        self.share > 1.0
    }
}

/// Compares work with the limits of a device, for the time that it took.
pub fn roofline(work: &Work, ns: f64, limits: Limits) -> Result<Roofline, NoRoofline> {
    if ns.is_nan() || ns <= 0.0 || ns.is_infinite() {
        return Err(NoRoofline::NoTime);
    }
    if !(limits.tflops > 0.0 && limits.bandwidth > 0.0) {
        return Err(NoRoofline::NoLimit);
    }
    let (flops, bytes) = (work.flops as f64, work.bytes as f64);
    // TFLOP/s are 1000 operations a ns, GB/s are bytes a ns.
    let (compute, memory) = (flops / (limits.tflops * 1e3), bytes / limits.bandwidth);
    let least = compute.max(memory);
    let intensity = if work.flops == 0 { 0.0 } else { flops / bytes };
    Ok(Roofline {
        share: least / ns,
        bound_by: if compute > memory { BoundBy::Compute } else { BoundBy::Memory },
        intensity,
        ridge: limits.tflops * 1e3 / limits.bandwidth,
        tflops: flops / ns / 1e3,
        bandwidth: bytes / ns,
        least_ns: least,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operand::data_type::PeakClass;
    use crate::work::call::Family;

    fn work(flops: u128, bytes: u128) -> Work {
        Work { bytes, ..Work::of(Family::Matmul, PeakClass::Bf16, flops, &[]) }
    }

    const LIMITS: Limits = Limits { tflops: 100.0, bandwidth: 1000.0 };

    #[test]
    fn the_slower_of_both_limits_binds() {
        // 100 TFLOP/s and 1 TB/s: 100 operations a byte are the ridge.
        let compute = roofline(&work(200_000_000, 1_000_000), 4000.0, LIMITS).unwrap();
        assert_eq!((compute.bound_by, compute.share, compute.ridge), (BoundBy::Compute, 0.5, 100.0));
        assert_eq!((compute.tflops, compute.bandwidth, compute.intensity), (50.0, 250.0, 200.0));
        let memory = roofline(&work(50_000_000, 1_000_000), 4000.0, LIMITS).unwrap();
        assert_eq!((memory.bound_by, memory.share, memory.least_ns), (BoundBy::Memory, 0.25, 1000.0));
    }

    #[test]
    fn a_share_above_one_is_not_cut() {
        let above = roofline(&work(0, 8_000_000), 4000.0, LIMITS).unwrap();
        assert_eq!((above.share, above.is_above(), above.intensity), (2.0, true, 0.0));
    }

    #[test]
    fn invalid_times_and_limits_have_reasons() {
        for ns in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(roofline(&work(1, 1), ns, LIMITS), Err(NoRoofline::NoTime));
        }
        let none = Limits { tflops: 0.0, ..LIMITS };
        assert_eq!(roofline(&work(1, 1), 1.0, none), Err(NoRoofline::NoLimit));
    }

    #[test]
    fn copies_need_no_peak_of_their_type() {
        let peaks = Peaks::unknown("x").overridden("bandwidth=1000").unwrap();
        let limits = Limits::of(&work(0, 1000), &peaks).unwrap();
        assert_eq!(roofline(&work(0, 1000), 2.0, limits).unwrap().share, 0.5);
        assert_eq!(Limits::of(&work(1, 1000), &peaks), Err(NoRoofline::NoPeak));
        let peaks = Peaks::unknown("x").overridden("bf16=1").unwrap();
        assert_eq!(Limits::of(&work(1, 1000), &peaks), Err(NoRoofline::NoBandwidth));
    }
}
