//! Execution context of this program, from its environment.

use trace::{Execution, MEMORY_VARIABLE};

/// Returns the context of the magics or of a command. An invalid variable is an error of the calls that need its value.
pub(crate) fn from_environment() -> Execution {
    let memory = std::env::var_os(MEMORY_VARIABLE).unwrap_or_default();
    Execution::new().memory_setting(&memory.to_string_lossy())
}
