//! Any bytes from a client of the publisher: handshake, subscriptions and pings, in packets of any size.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| wire::serves(bytes));
