//! `eprint!` and `eprintln!` of cells. Two pipes have no order between them: what a cell says on standard error goes the way
//! of all that it shows, so that it stands where it was said. What other crates say there comes through the pipe.

use crate::channel::{in_kernel, send};
use std::fmt::Arguments;
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
