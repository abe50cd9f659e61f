//! Macros that show a value before the cell ends.

/// Shows a value at once, in the middle of a cell.
///
/// In a cell it may be written as a call, `display(&table)`: the kernel adds the `!`.
///
/// # Example
/// ```no_run
/// # use cells::prelude::*;
/// for rank in 0..2 {
///     display!(&format!("rank {rank}"));
/// }
/// ```
#[macro_export]
macro_rules! display {
    ($value:expr $(,)?) => {
        $crate::rt::display($crate::bundles_of!($value))
    };
}

/// Shows a value under an id, so that [`update_display!`](crate::update_display) can replace it later.
#[macro_export]
macro_rules! display_id {
    ($id:expr, $value:expr $(,)?) => {
        $crate::rt::display_id($id, $crate::bundles_of!($value))
    };
}

/// Replaces what was shown under an id.
#[macro_export]
macro_rules! update_display {
    ($id:expr, $value:expr $(,)?) => {
        $crate::rt::update_display($id, $crate::bundles_of!($value))
    };
}
