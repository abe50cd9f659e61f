//! The reader on any bytes: it neither panics nor hangs, reads alike in windows of every size, and reads valid JSON as
//! serde_json does.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| reader::agrees(bytes));
