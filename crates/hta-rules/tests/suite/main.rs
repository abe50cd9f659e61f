//! HTA's critical paths: compared with HTA's own answers to every case of the shared goldens, and its quirks by hand.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod compressed;
mod csv;
mod goldens;
mod loaded;
mod quirks;
