//! Generated traces: the parser against serde_json with buffers of many sizes; and numbers written in several ways.

use super::oracle::{Collector, agrees, oracle};
use crate::read::json::read_buffered;
use crate::read::{AnomalyCounts, Token};
use trace_testkit::{Random, mutated, random_json};

#[test]
fn generated_traces_equal_serde_json_with_every_buffer_size() {
    let mut seen = 0;
    for seed in 0..600 {
        let json = random_json(seed);
        let (events, metadata) = oracle(&serde_json::from_str(&json).unwrap()).unwrap();
        seen += events.len();
        for size in [1, 2, 3, 5, 7, 16, 61, 256, 1021, 4096, 65_536] {
            let mut sink = Collector::default();
            let outcome = read_buffered(json.as_bytes(), size, "test", &mut sink).unwrap();
            assert_eq!(sink.0, events, "seed {seed} by {size}: {json}");
            assert_eq!(outcome.metadata, metadata, "seed {seed} by {size}: {json}");
            assert_eq!((outcome.cut, outcome.skipped), (None, None), "seed {seed} by {size}: {json}");
            assert_eq!(outcome.anomalies, AnomalyCounts::default(), "seed {seed} by {size}: {json}");
        }
    }
    assert!(seen > 1000, "{seen} events");
}

#[test]
fn nanoseconds_survive_every_notation() {
    let mut random = Random::new(1);
    for _ in 0..20_000 {
        let expected = random.next() as i64 >> random.below(63);
        let (sign, all) = (if expected < 0 { "-" } else { "" }, expected.unsigned_abs());
        let (micros, rest) = (all / 1000, all % 1000);
        for text in [
            format!("{sign}{micros}.{rest:03}"),
            format!("{sign}{micros}.{rest:03}000"),
            format!("{sign}{all}e-3"),
            format!("{sign}{all}000E-6"),
            format!("{sign}0.{all:020}e17"),
        ] {
            assert_eq!(Token::of(text.as_bytes()).nanos(), Ok(expected), "{text}");
        }
    }
}

#[test]
fn mutated_traces_agree_with_buffers_of_every_size() {
    let mut random = Random::new(2);
    for seed in 0..400 {
        let json = random_json(seed);
        for _ in 0..5 {
            let bytes = mutated(&mut random, json.as_bytes());
            agrees(&bytes, [1, 3, 64, 1000]);
        }
    }
}
