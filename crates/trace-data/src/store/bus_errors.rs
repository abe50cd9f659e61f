//! Faults of mapped files: a page that its file no longer has becomes a page of zeros, and the mapping is marked, instead
//! of SIGBUS ending the process.
//!
//! The handler is installed when the first file is mapped. A fault outside of mapped files is left to the handler that
//! was there before. On systems other than Linux with 64 bits there is no handler.

use std::ops::Range;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Files mapped at a time, at most; Linux allows as many mappings by default.
const MOST: usize = 1 << 16;

/// A range of addresses that is mapped from a file.
struct Mapped {
    /// Whether a [`Guard`] owns it.
    taken: AtomicBool,
    start: AtomicUsize,
    /// 0 unless it is taken.
    end: AtomicUsize,
    /// Whether a page of zeros was put into it.
    damaged: AtomicBool,
}

/// All ranges, which the handler may look at at any time.
static RANGES: [Mapped; MOST] = [const {
    Mapped {
        taken: AtomicBool::new(false),
        start: AtomicUsize::new(0),
        end: AtomicUsize::new(0),
        damaged: AtomicBool::new(false),
    }
}; MOST];

/// The ranges that were ever taken are the first ones.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Protects the process from faults in one mapped file.
#[derive(Debug)]
pub(super) struct Guard(usize);

impl Guard {
    /// Protects a range of addresses until the guard is dropped; `None` if too many are.
    pub(super) fn new(bytes: &Range<*const u8>) -> Option<Self> {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(handler::install);
        let index = RANGES.iter().position(|range| !range.taken.swap(true, SeqCst))?;
        USED.fetch_max(index + 1, SeqCst);
        let range = &RANGES[index];
        range.damaged.store(false, SeqCst);
        range.start.store(bytes.start.addr(), SeqCst);
        range.end.store(bytes.end.addr(), SeqCst);
        Some(Self(index))
    }

    /// Whether a page of the file was missing.
    pub(super) fn is_damaged(&self) -> bool {
        RANGES[self.0].damaged.load(SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let range = &RANGES[self.0];
        range.end.store(0, SeqCst);
        range.taken.store(false, SeqCst);
    }
}

/// Returns the range that contains an address.
fn range_of(address: usize) -> Option<&'static Mapped> {
    RANGES.iter().take(USED.load(SeqCst)).find(|range| {
        // The end before and after, since another thread may give the range to another file meanwhile.
        let end = range.end.load(SeqCst);
        let start = range.start.load(SeqCst);
        (start..end).contains(&address) && range.end.load(SeqCst) == end
    })
}

#[cfg(not(all(
    target_os = "linux",
    target_pointer_width = "64",
    any(target_arch = "x86_64", target_arch = "aarch64")
)))]
mod handler {
    pub(super) fn install() {}
}

#[cfg(all(target_os = "linux", target_pointer_width = "64", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod handler {
    #![allow(unsafe_code)]
    use super::range_of;
    use crate::store::pages::{page_size, put_zeros};
    use std::ffi::{c_int, c_void};
    use std::mem::transmute;
    use std::ptr::{null, null_mut};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

    const SIGBUS: c_int = 7;
    const SIG_DFL: usize = 0;
    const SIG_IGN: usize = 1;
    const SA_SIGINFO: c_int = 4;
    const SA_ONSTACK: c_int = 0x0800_0000;

    /// `struct sigaction` of glibc and musl on systems with 64 bits.
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Action {
        handler: usize,
        mask: [u64; 16],
        flags: c_int,
        restorer: usize,
    }

    /// The beginning of `siginfo_t` for a fault.
    #[repr(C)]
    struct Info {
        signal: c_int,
        error: c_int,
        code: c_int,
        address: *const c_void,
    }

    // SAFETY: the declarations are those of glibc and musl on systems with 64 bits.
    unsafe extern "C" {
        fn sigaction(signal: c_int, action: *const Action, old: *mut Action) -> c_int;
        safe fn raise(signal: c_int) -> c_int;
    }

    /// What was installed before.
    static PREVIOUS: OnceLock<Action> = OnceLock::new();
    static PAGE: AtomicUsize = AtomicUsize::new(4096);

    /// Installs the handler.
    pub(super) fn install() {
        PAGE.store(page_size(), SeqCst);
        let mut previous = Action { handler: SIG_DFL, mask: [0; 16], flags: 0, restorer: 0 };
        // SAFETY: both pointers are to valid values, or null.
        if unsafe { sigaction(SIGBUS, null(), &raw mut previous) } != 0 {
            return;
        }
        // Before the handler can run, which reads it.
        let _ = PREVIOUS.set(previous);
        let ours: extern "C" fn(c_int, *const Info, *const c_void) = on_bus_error;
        let action = Action { handler: ours as usize, mask: [0; 16], flags: SA_SIGINFO | SA_ONSTACK, restorer: 0 };
        // SAFETY: the handler has the signature that SA_SIGINFO demands, and calls only what is allowed in a handler:
        // atomic loads and stores, and system calls.
        unsafe { sigaction(SIGBUS, &raw const action, null_mut()) };
    }

    extern "C" fn on_bus_error(signal: c_int, info: *const Info, context: *const c_void) {
        // SAFETY: the system passes a valid `siginfo_t`. A positive code means a fault, whose information has an address.
        let address = unsafe { if (*info).code > 0 { (*info).address.addr() } else { 0 } };
        if let Some(range) = range_of(address) {
            // SAFETY: the page belongs to a mapping of ours, which only readers of the file's columns use; it had no
            // content, and now reads as zeros.
            if unsafe { put_zeros(address, PAGE.load(SeqCst)) } {
                range.damaged.store(true, SeqCst);
                return;
            }
        }
        let previous = PREVIOUS.get();
        match previous.map_or(SIG_DFL, |previous| previous.handler) {
            SIG_DFL | SIG_IGN => {
                let default = Action { handler: SIG_DFL, mask: [0; 16], flags: 0, restorer: 0 };
                // SAFETY: both pointers are to valid values, or null.
                unsafe { sigaction(signal, &raw const default, null_mut()) };
                // Delivered when this handler returns.
                raise(signal);
            }
            handler if previous.is_some_and(|previous| previous.flags & SA_SIGINFO != 0) => {
                // SAFETY: it was installed with SA_SIGINFO, hence has this signature.
                let handler: extern "C" fn(c_int, *const Info, *const c_void) = unsafe { transmute(handler) };
                handler(signal, info, context);
            }
            handler => {
                // SAFETY: it was installed without SA_SIGINFO, hence has this signature.
                let handler: extern "C" fn(c_int) = unsafe { transmute(handler) };
                handler(signal);
            }
        }
    }
}
