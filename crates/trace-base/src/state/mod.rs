//! Partial results as bytes: made by any process on any machine, merged and finished by any other.
//!
//! ```text
//! "TBSTATE" | version | question | parameters | length of the result | the result | checksum
//! ```
//!
//! The values are in the format of postcard, exactly: integers of variable length, floats bit by bit. Names of fields are not
//! written, so that both sides need the same version of the format.

mod envelope;

pub use envelope::{opened, sealed};
