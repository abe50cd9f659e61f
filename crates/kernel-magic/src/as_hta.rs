//! `%critical_path --compat hta`: HTA's critical path.

use super::argument::Call;
use crate::Error;
use trace_core::{HtaCriticalPath, Instance};

/// Returns the question of a call, with HTA's default: the first instance.
///
/// # Errors
/// If a flag is given that HTA's path has no answer to.
pub(super) fn query(call: &Call<'_>) -> Result<HtaCriticalPath, Error> {
    for flag in ["what-if", "json", "top"] {
        if call.has(flag) {
            let error = call.cannot(format!("use --{flag} with --compat hta"), "HTA's tables have no such thing");
            return Err(error.hint(format!("leave --{flag} or --compat out")).into());
        }
    }
    let text = call.text("instance").unwrap_or("0");
    let expected = "a number from 0 on in HTA's order, or a range such as 1-3";
    let instances = match text.parse::<Instance>() {
        Ok(Instance::One(number)) => (number, number),
        Ok(Instance::Range(first, last)) => (first, last),
        _ => return Err(call.invalid("--instance", text, expected).into()),
    };
    Ok(HtaCriticalPath {
        annotation: call.text("annotation").unwrap_or("ProfilerStep").to_owned(),
        instances,
        data_load_events: call.regex("data-loading").map(|pattern| pattern.as_str().to_owned()).into_iter().collect(),
        ..HtaCriticalPath::default()
    })
}
