//! What `%timeit` calls in a cell.

use crate::rt::checkpoint;
use std::error::Error;
use std::io::Write;
use trace_view::timing::Repeated;

/// Runs `code` again and again and prints how long one time takes; `None` leaves a number to the time that it takes.
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
