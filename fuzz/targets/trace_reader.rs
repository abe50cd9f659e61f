//! The reader on any bytes: it neither panics nor hangs, gives the same result for buffers of every size, and the values of
//! serde_json for valid JSON.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::agrees(bytes));
