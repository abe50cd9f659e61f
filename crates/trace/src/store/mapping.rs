//! A file mapped into memory.

use super::bus_errors::Guard;
use super::changes;
use super::identity::Identity;
use std::fs::File;
use std::io::{Error, Result};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A whole file, mapped for reading until this is dropped. Keeps the file open, so that it can tell whether it changed.
#[derive(Debug)]
pub(super) struct Mapping {
    // Dropped before the pages.
    guard: Guard,
    pages: pages::Pages,
    file: Arc<File>,
    identity: Identity,
    path: Arc<Path>,
    /// Set when the file is found changed.
    changed: Arc<AtomicBool>,
}

impl Mapping {
    /// Maps an open file; sets `changed` when it is found changed, at the latest in the end.
    ///
    /// # Errors
    /// If it is empty, or the system refuses.
    pub(super) fn new(file: Arc<File>, path: &Arc<Path>, changed: &Arc<AtomicBool>) -> Result<Self> {
        let identity = Identity::of(&file)?;
        let length = usize::try_from(identity.size).map_err(Error::other)?;
        let pages = pages::Pages::map(&file, length)?;
        let guard =
            Guard::new(&pages.bytes().as_ptr_range()).ok_or_else(|| Error::other("too many files are mapped"))?;
        Ok(Self { guard, pages, file, identity, path: Arc::clone(path), changed: Arc::clone(changed) })
    }

    /// Returns the identity of the file when it was mapped.
    pub(super) fn identity(&self) -> Identity {
        self.identity
    }

    /// Marks the file if it was written to, or became shorter, since it was mapped.
    pub(super) fn mark_if_changed(&self) {
        let is_changed = self.guard.is_damaged() || Identity::of(&self.file).ok() != Some(self.identity);
        if is_changed && !self.changed.swap(true, Ordering::AcqRel) {
            changes::report(&self.path);
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        self.mark_if_changed();
    }
}

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        self.pages.bytes()
    }
}

mod pages {
    #![allow(unsafe_code)]
    use std::ffi::{c_int, c_void};
    use std::fs::File;
    use std::io::{Error, Result};
    use std::os::fd::AsRawFd;

    const PROT_READ: c_int = 1;
    const MAP_SHARED: c_int = 1;

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

    // SAFETY: the declarations are those of POSIX on systems with 64 bits.
    unsafe extern "C" {
        fn mmap(
            at: *const c_void,
            length: usize,
            protection: c_int,
            flags: c_int,
            file: c_int,
            from: i64,
        ) -> *const c_void;
        fn munmap(start: *const c_void, length: usize) -> c_int;
    }

    impl Pages {
        /// Maps the first `length` bytes of a file for reading.
        pub(super) fn map(file: &File, length: usize) -> Result<Self> {
            // SAFETY: the system chooses an address where nothing is mapped; it refuses invalid arguments, such as no length.
            let start = unsafe { mmap(std::ptr::null(), length, PROT_READ, MAP_SHARED, file.as_raw_fd(), 0) };
            // MAP_FAILED is -1.
            if start.addr() == usize::MAX { Err(Error::last_os_error()) } else { Ok(Self { start, length }) }
        }

        pub(super) fn bytes(&self) -> &[u8] {
            // SAFETY: `start` and `length` are those of a mapping that lives as long as `self`. Another program may write
            // to the file nevertheless: what that can cause is described in docs/unsafe.md.
            unsafe { std::slice::from_raw_parts(self.start.cast(), self.length) }
        }
    }

    impl Drop for Pages {
        fn drop(&mut self) {
            // SAFETY: the mapping is this value's own, and every slice of it borrows the value.
            unsafe { munmap(self.start, self.length) };
        }
    }
}
