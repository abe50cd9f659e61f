//! `eprint!`, `eprintln!` and `dbg!` of cells. Two pipes have no order between them: what a cell says on standard error goes the way
//! of all that it shows, so that it stands where it was said. What other crates say there comes through the pipe.

use crate::channel::{in_kernel, send};
use std::fmt::{Arguments, Debug};
use std::io::Write;
use trace_view::envelope::Envelope;

/// Text for standard error.
#[doc(hidden)]
pub fn to_stderr(text: Arguments<'_>, end: &str) {
    let text = format!("{text}{end}");
    if in_kernel() {
        send(&Envelope::Stderr { text });
    } else {
        // Unlike std we do not panic over a reader that is gone.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }
}

/// As std's, in order with what the cell prints and shows.
#[macro_export]
macro_rules! eprint {
    ($($text:tt)*) => {
        $crate::print::to_stderr(::std::format_args!($($text)*), "")
    };
}

/// As std's, in order with what the cell prints and shows.
#[macro_export]
macro_rules! eprintln {
    () => {
        $crate::print::to_stderr(::std::format_args!(""), "\n")
    };
    ($($text:tt)*) => {
        $crate::print::to_stderr(::std::format_args!($($text)*), "\n")
    };
}

/// As std's, in order with what the cell prints and shows. It names the expression and not the line: the line that is
/// compiled is not the one that was typed.
#[macro_export]
macro_rules! dbg {
    () => {
        $crate::print::to_stderr(::std::format_args!("[cell]"), "\n")
    };
    ($value:expr $(,)?) => {
        // A `match`, so that temporaries of the expression live as long as the value.
        match $value {
            value => {
                $crate::print::debug(::std::stringify!($value), &&value);
                value
            }
        }
    };
    ($($value:expr),+ $(,)?) => {
        ($($crate::dbg!($value)),+,)
    };
}

/// A value and where it came from, for standard error.
#[doc(hidden)]
pub fn debug(expression: &str, value: &dyn Debug) {
    to_stderr(format_args!("[cell] {expression} = {value:#?}"), "\n");
}
