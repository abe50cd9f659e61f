//! Memory that was let go, given back to the system. Other allocators than glibc's give back by themselves.

/// Pieces of this size come from the system itself, and go back to it at once.
const LARGE: i32 = 1 << 20;

/// So much may each of the allocator's heaps keep at its end for later.
const KEPT: i32 = 8 << 20;

/// Bounds what the allocator keeps for later; to be called once, before there is much. Left to itself it raises both bounds
/// as soon as a large piece is let go, and a thread that ended leaves a heap behind whose end nothing gives back: after
/// three loads of 70 MiB and a few questions 240 MiB were kept, with these bounds 40, and questions took as long.
pub fn keep_little() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // What it tells, whether the bound was taken, is of no use.
        let _ = glibc::mallopt(glibc::M_MMAP_THRESHOLD, LARGE);
        let _ = glibc::mallopt(glibc::M_TRIM_THRESHOLD, KEPT);
    }
}

/// Gives back what the allocator keeps for later: after the columns of a large trace were let go that can be much.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // What it tells, whether there was anything to give back, is of no use.
        let _ = glibc::malloc_trim(0);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    #![allow(unsafe_code)]
    use std::ffi::c_int;

    pub(super) const M_TRIM_THRESHOLD: c_int = -1;
    pub(super) const M_MMAP_THRESHOLD: c_int = -3;

    // SAFETY: both are declared as glibc declares them, may be called at any time by any thread, and touch free memory and
    // the allocator's own settings alone.
    unsafe extern "C" {
        pub(super) safe fn malloc_trim(pad: usize) -> c_int;
        pub(super) safe fn mallopt(setting: c_int, value: c_int) -> c_int;
    }
}
