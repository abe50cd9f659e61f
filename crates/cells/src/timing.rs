//! `%timeit` of Rust code.

use crate::rt::checkpoint;
use std::error::Error;
use std::io::Write;
use trace_view::timing::Repeated;

/// Measures `code` in `runs` runs of `loops` loops and prints the time of one loop; `None` chooses a number by that time.
///
/// # Errors
/// The first one of `code`.
pub fn repeat(
    loops: Option<u64>,
    runs: Option<u64>,
    mut code: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let repeated = Repeated::measure(loops, runs, || {
        checkpoint();
        code()
    })?;
    Ok(writeln!(std::io::stdout(), "{repeated}")?)
}
