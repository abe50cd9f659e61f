//! The environment variables of a run, and the restoration of the user's environment.

use std::process::Command;

/// The variable that names the run's folder, set for the second start of the process and for its children.
pub(in crate::engine) const RUN_FOLDER: &str = "TRACEBOOK_RUN_FOLDER";

/// The user's search path, without our folder in front.
pub(in crate::engine) const USER_PATH: &str = "TRACEBOOK_USER_PATH";

/// Gives `command` the environment in which the user started the kernel.
pub(in crate::engine) fn restore(command: &mut Command) {
    if let Some(path) = std::env::var_os(USER_PATH) {
        command.env("PATH", path);
    }
    for name in ["EVCXR_TMPDIR", "EVCXR_CONFIG_DIR"] {
        command.env_remove(name);
    }
}
