//! Early ends of long calls, which the caller decides on.

/// The call was ended early by its [`Check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

/// Called now and then by long calls, which end once it fails.
pub type Check<'c> = dyn FnMut() -> Result<(), Stopped> + 'c;

/// Steps between two checks, less one: a mask.
const MASK: usize = 0xffff;

/// Calls `check` at every 65,536th step.
#[inline]
pub(crate) fn at_times<E>(step: usize, check: &mut dyn FnMut() -> Result<(), E>) -> Result<(), E> {
    if step & MASK == 0 { check() } else { Ok(()) }
}
