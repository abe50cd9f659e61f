//! Pages of memory: those of a mapped file, and zeros in place of one.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::{Error, Result};
use std::os::fd::AsRawFd;

const PROT_READ: c_int = 1;
const MAP_SHARED: c_int = 1;
#[cfg(target_os = "linux")]
const MAP_PRIVATE: c_int = 0x02;
#[cfg(target_os = "linux")]
const MAP_FIXED: c_int = 0x10;
#[cfg(target_os = "linux")]
const MAP_ANONYMOUS: c_int = 0x20;
#[cfg(target_os = "linux")]
const MADV_DONTNEED: c_int = 4;

// SAFETY: the declarations are those of POSIX on systems with 64 bits.
unsafe extern "C" {
    fn mmap(at: *const c_void, length: usize, protection: c_int, flags: c_int, file: c_int, from: i64)
    -> *const c_void;
    fn munmap(start: *const c_void, length: usize) -> c_int;
    #[cfg(target_os = "linux")]
    fn madvise(start: *const c_void, length: usize, advice: c_int) -> c_int;
    #[cfg(target_os = "linux")]
    safe fn getpagesize() -> c_int;
}

/// Pages of a file, unmapped on drop.
#[derive(Debug)]
pub(super) struct Pages {
    start: *const c_void,
    length: usize,
}

// SAFETY: the pages are only read, and belong to no thread.
unsafe impl Send for Pages {}
// SAFETY: as above.
unsafe impl Sync for Pages {}

impl Pages {
    /// Maps the first `length` bytes of a file for reading.
    pub(super) fn map(file: &File, length: usize) -> Result<Self> {
        // SAFETY: the system chooses an address where nothing is mapped; it refuses invalid arguments, such as no length.
        let start = unsafe { mmap(std::ptr::null(), length, PROT_READ, MAP_SHARED, file.as_raw_fd(), 0) };
        // MAP_FAILED is -1.
        if start.addr() == usize::MAX { Err(Error::last_os_error()) } else { Ok(Self { start, length }) }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        // SAFETY: `start` and `length` are those of a mapping that lives as long as `self`. Another program may write to the
        // file nevertheless: what that can cause is described in docs/unsafe.md.
        unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
    }

    /// Gives the pages in memory back; they are read again when they are used. Nothing happens on systems other than Linux.
    pub(super) fn give_back(&self) {
        // SAFETY: the mapping is this value's own, shared with its file and never written to.
        #[cfg(target_os = "linux")]
        unsafe {
            madvise(self.start, self.length, MADV_DONTNEED)
        };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and every slice of it borrows the value.
        unsafe { munmap(self.start, self.length) };
    }
}

/// Returns the size of a page.
#[cfg(target_os = "linux")]
pub(super) fn page_size() -> usize {
    usize::try_from(getpagesize()).unwrap_or(4096)
}

/// Puts a page of zeros where the page of a file with this address was, until the file is unmapped; returns whether that worked.
/// Only system calls, so that a handler of signals may call it.
///
/// # Safety
/// The address is in [`Pages`], and its page has no content any more.
#[cfg(target_os = "linux")]
pub(super) unsafe fn put_zeros(address: usize, page: usize) -> bool {
    let start = std::ptr::without_provenance(address - address % page);
    // SAFETY: the page belongs to pages of a file, which are only read; unmapping all of them unmaps this one, too.
    let mapped = unsafe { mmap(start, page, PROT_READ, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0) };
    mapped == start
}
