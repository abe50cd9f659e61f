//! Tests of the whole reader; the fuzzer uses the oracle, too.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod generated;
pub(crate) mod oracle;

#[cfg(test)]
pub(crate) use generated::{Writer, mutated};
