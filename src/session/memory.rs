//! Memory that was let go, given back to the system.

/// Gives back what the allocator keeps for later: after the columns of a large trace were let go that can be as much as they
/// took. Other allocators than glibc's give back by themselves.
pub(super) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        #![allow(unsafe_code)]
        // SAFETY: it is declared as glibc declares it, may be called at any time by any thread, and touches free memory alone.
        unsafe extern "C" {
            safe fn malloc_trim(pad: usize) -> std::ffi::c_int;
        }
        // What it tells, whether there was anything to give back, is of no use.
        let _ = malloc_trim(0);
    }
}
