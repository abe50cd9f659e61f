//! Time of a device by the type of its kernels, where several run concurrently.

use crate::domain::KernelType;
use crate::interval::{Span, overlaps};

/// Kernel types by precedence: concurrent work counts for the first of them.
const KINDS: [KernelType; 4] =
    [KernelType::Computation, KernelType::Communication, KernelType::Memory, KernelType::Other];

/// Returns the position of a type by precedence.
pub(crate) fn precedence(kind: KernelType) -> usize {
    KINDS.iter().position(|other| *other == kind).unwrap_or(KINDS.len() - 1)
}

/// Returns how long each type ran while none of higher precedence did, of the merged intervals of each type.
pub(crate) fn exclusive_times(kinds: &[Vec<Span>; 4]) -> [i64; 4] {
    let mut times = [0; 4];
    for (running, time) in overlaps(kinds, 1) {
        // The lowest bit is the running type of highest precedence.
        let of_kind: &mut i64 = &mut times[running.trailing_zeros() as usize];
        *of_kind = of_kind.saturating_add(time);
    }
    times
}
