//! Watch on the Jupyter process: the kernel ends when Jupyter has died.

use rustix::process::{Pid, getppid, test_kill_process};

/// The Jupyter process that started the kernel, as `JPY_PARENT_PID` names it.
pub(super) struct ParentProcess {
    /// Jupyter, which need not be the direct parent.
    jupyter: Option<Pid>,
    direct: Option<Pid>,
}

impl ParentProcess {
    /// Finds the current parent; without `JPY_PARENT_PID`, none is watched.
    pub(super) fn current() -> Self {
        let named = std::env::var("JPY_PARENT_PID").ok().and_then(|text| text.trim().parse().ok());
        // A process of another PID namespace, as seen from a container, cannot be watched.
        let jupyter = named.and_then(Pid::from_raw).filter(|pid| is_alive(*pid));
        Self { jupyter, direct: jupyter.and_then(|_| getppid()) }
    }

    /// Whether Jupyter has died: its process does not exist, or this process was given another parent.
    pub(super) fn is_gone(&self) -> bool {
        self.jupyter.is_some_and(|jupyter| !is_alive(jupyter)) || (self.direct.is_some() && self.direct != getppid())
    }
}

/// Whether a process exists; one that may not be signalled does, too.
fn is_alive(pid: Pid) -> bool {
    test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}
