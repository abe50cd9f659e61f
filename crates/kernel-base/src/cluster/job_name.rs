//! The name of a job, by which a kernel that was started again finds it.

use sha2::{Digest, Sha256};
use std::fmt::Debug;
use trace_core::task::{Bundle, JobSpec};

/// Returns 12 characters, the same for the same question of the same user of this machine to the same files, with tasks of the same needs.
pub(super) fn job_name(plan: &JobSpec, bundles: &[Bundle], needs: &impl Debug) -> String {
    let mut digest = Sha256::new();
    digest.update(format!("{needs:?}"));
    digest.update(serde_json::to_vec(plan).unwrap_or_default());
    let mut inputs: Vec<_> = bundles.iter().flat_map(|bundle| &bundle.inputs).collect();
    inputs.sort_by_key(|input| (input.trace, input.at));
    digest.update(serde_json::to_vec(&inputs).unwrap_or_default());
    digest.update(std::fs::read("/proc/sys/kernel/hostname").unwrap_or_default());
    digest.update(rustix::process::getuid().as_raw().to_le_bytes());
    hex::encode(digest.finalize())[..12].to_owned()
}
