//! Large traces have the requested size, and equal seeds give equal bytes.

#![allow(clippy::unwrap_used)]

use trace_testkit::Large;

const TWELVE_MB: Large = Large { bytes: 12_000_000, seed: 7, rank: 3 };

fn written(large: Large) -> String {
    let mut out = Vec::new();
    let written = large.write(&mut out).unwrap();
    assert_eq!(written.bytes, out.len() as u64);
    assert_eq!(written.events, count(&String::from_utf8_lossy(&out), "\"ph\": "));
    String::from_utf8(out).unwrap()
}

fn count(text: &str, part: &str) -> u64 {
    text.matches(part).count() as u64
}

#[test]
fn equal_seeds_give_equal_bytes_and_different_seeds_do_not() {
    let text = written(TWELVE_MB);
    assert!(text == written(TWELVE_MB));
    let other = written(Large { seed: 8, ..TWELVE_MB });
    assert!(text != other);
}

#[test]
fn file_size_exceeds_request_by_less_than_an_event() {
    for bytes in [1_000, 100_000, 5_000_000] {
        let length = written(Large { bytes, ..TWELVE_MB }).len() as u64;
        assert!((bytes..bytes + 3_000).contains(&length), "{length} for {bytes}");
    }
}

#[test]
fn all_hta_arguments_and_five_steps_occur() {
    let text = written(TWELVE_MB);
    let args = [
        "stream",
        "correlation",
        "bytes",
        "memory bandwidth (GB/s)",
        "wait_on_stream",
        "wait_on_cuda_event_record_corr_id",
        "Input Dims",
        "Input type",
        "Input Strides",
        "External id",
        "Python id",
        "Python parent id",
        "Collective name",
        "In msg nelems",
        "Out msg nelems",
        "dtype",
        "Group size",
        "Rank",
        "In split size",
        "Out split size",
    ];
    let absent: Vec<_> = args.into_iter().filter(|key| count(&text, &format!("\"{key}\": ")) < 20).collect();
    assert_eq!(absent, Vec::<&str>::new());
    assert_eq!(count(&text, "\"name\": \"ProfilerStep#"), 5);
    assert_eq!(count(&text, "\"rank\": 3"), 1);
}
