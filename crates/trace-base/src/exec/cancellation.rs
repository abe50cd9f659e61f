//! Cancellation of the calls of a thread.

use std::fmt;
use std::sync::Arc;

/// Cancels the calls that run under it.
#[derive(Clone)]
pub struct CancellationToken(Arc<dyn Fn() -> bool + Send + Sync>);

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancellationToken").field(&self.is_cancelled()).finish()
    }
}

impl CancellationToken {
    /// Creates a token that is cancelled once `cancelled` returns `true`. It must be fast, and is called from any thread.
    pub fn new(cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(cancelled))
    }

    pub(super) fn is_cancelled(&self) -> bool {
        (self.0)()
    }

    /// Whether both are clones of one token.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
