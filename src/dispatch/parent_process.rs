//! The parent: a kernel whose Jupyter died ends too.

use rustix::process::{Pid, getppid, test_kill_process};

/// Watches the process that started us, if that was Jupyter: then JPY_PARENT_PID names it.
pub(super) struct Parent {
    /// Jupyter, which need not be our direct parent.
    jupyter: Option<Pid>,
    direct: Option<Pid>,
}

impl Parent {
    /// The parent as it is now.
    pub(super) fn now() -> Self {
        let named = std::env::var("JPY_PARENT_PID").ok().and_then(|text| text.trim().parse().ok());
        // A process that we cannot see, as from inside a container, cannot be watched.
        let jupyter = named.and_then(Pid::from_raw).filter(|pid| is_alive(*pid));
        Self { jupyter, direct: jupyter.and_then(|_| getppid()) }
    }

    /// Whether Jupyter is gone: it does not exist any more, or we have been given to another parent.
    pub(super) fn is_gone(&self) -> bool {
        self.jupyter.is_some_and(|jupyter| !is_alive(jupyter)) || (self.direct.is_some() && self.direct != getppid())
    }
}

/// A process that we may not signal is alive, too.
fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}
