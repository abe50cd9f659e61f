//! Memory that was freed and that glibc's allocator keeps. Other allocators return it to the system by themselves.

/// Returns memory that was freed, and that the allocator keeps, to the system. After the columns of a large trace are freed, that can be
/// much. Calls that the memory budget would refuse do it themselves, and look again.
///
/// ```
/// trace::return_free_memory();
/// ```
pub fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        // The result says only whether there was any.
        let _ = glibc::malloc_trim(0);
    }
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    #![allow(unsafe_code)]
    use std::ffi::c_int;

    // SAFETY: the declaration is that of glibc; any thread may call the function at any time; it changes only free memory.
    unsafe extern "C" {
        pub(super) safe fn malloc_trim(pad: usize) -> c_int;
    }
}
