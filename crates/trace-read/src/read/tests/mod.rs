//! Tests of the whole reader; the fuzzer uses the oracle, too.

#[cfg(test)]
mod corpus;
#[cfg(test)]
mod generated;
pub mod oracle;
