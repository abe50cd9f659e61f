//! Tests of loading in chunks: the frame and its warnings are those of one thread, wherever the chunks begin.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::frame::Builder;
use crate::read::{Boundaries, FragmentSink, Plan, read_planned};
use crate::{Compat, ParserConfig};
use polars::prelude::DataFrame;
use std::fmt::Write as _;
use std::fs;
use trace_testkit::{Random, mutated, random_json};

/// Result of a load.
struct Loading {
    summary: String,
    frame: Option<DataFrame>,
}

/// Loads a text by a plan with so many workers, or on one thread.
fn load(text: &[u8], plan: Option<(Plan<'_>, usize)>, options: &LoadOptions) -> Loading {
    let meter = Meter::default();
    let wanted = options.wanted().unwrap();
    let placement = Placement::here().unwrap();
    let loader = FileLoader { options, wanted: &wanted, meter: &meter, placement: &placement };
    let workers = plan.map_or(0, |(_, workers)| workers);
    let loaded = run_jobs(1 + workers, vec![()], |pool: &Pool<'_, '_>, ()| {
        loader.load(
            "x",
            None,
            |sink, _| match plan {
                Some((plan, _)) => read_planned(text, plan, pool, "x", sink),
                None => read_events(text, "x", sink),
            },
            || workers,
        )
    });
    match loaded.into_iter().next().unwrap() {
        Ok(Content::Requested(loaded)) => {
            let summary = format!("{:?} {:?} {:?}", loaded.trace.info(), loaded.warnings, meter.events);
            Loading { summary, frame: Some(loaded.trace.events()) }
        }
        Ok(Content::OtherRank(_)) => Loading { summary: "other rank".to_owned(), frame: None },
        Err(error) => Loading { summary: error.to_string(), frame: None },
    }
}

/// Asserts that loading in chunks gives what loading on one thread gave.
fn agrees(text: &[u8], plan: (Plan<'_>, usize), options: &LoadOptions, expected: &Loading) {
    let loaded = load(text, Some(plan), options);
    let shown = || format!("{plan:?}, {options:?}: {}", String::from_utf8_lossy(text));
    assert_eq!(loaded.summary, expected.summary, "{}", shown());
    match (&loaded.frame, &expected.frame) {
        (Some(frame), Some(expected)) => {
            assert_eq!(frame.schema(), expected.schema(), "{}", shown());
            assert!(frame.equals_missing(expected), "{frame} {expected} {}", shown());
        }
        (frame, expected) => assert_eq!(frame.is_some(), expected.is_some(), "{}", shown()),
    }
}

/// Returns the offsets at which an entry of the array may begin: a brace after a comma.
fn entry_starts(text: &[u8]) -> Vec<u64> {
    let offsets = 1..text.len();
    let before = |offset: usize| text[..offset].iter().rev().find(|byte| !byte.is_ascii_whitespace());
    offsets
        .filter(|&offset| text[offset] == b'{' && before(offset) == Some(&b','))
        .map(|offset| offset as u64)
        .collect()
}

fn all_options() -> [LoadOptions; 3] {
    let all = ParserConfig::get_default_cfg().set_parse_all_args(true);
    [
        LoadOptions::default(),
        LoadOptions { parser_config: Some(all), ..LoadOptions::default() },
        LoadOptions { compat: Compat::Hta, ..LoadOptions::default() },
    ]
}

/// Asserts that chunks give the frame of one thread: with a boundary at single entries, at several entries, and in chunks of several sizes on several threads, with all
/// options.
fn agrees_in_all_chunks(text: &[u8], max_starts: usize) {
    let starts = entry_starts(text);
    // Every chunk but the first becomes a fragment.
    fn all_fragments(boundaries: Boundaries<'_>) -> (Plan<'_>, usize) {
        (Plan { boundaries, buffer_size: 64 * 1024, coordinator_parses: false }, 0)
    }
    for options in all_options() {
        let expected = load(text, None, &options);
        for start in starts.iter().step_by(starts.len() / max_starts + 1) {
            agrees(text, all_fragments(Boundaries::At(&[*start])), &options, &expected);
        }
        for step in [1, 2, 3, 7] {
            let some: Vec<u64> = starts.iter().copied().step_by(step.max(starts.len() / 16)).collect();
            agrees(text, all_fragments(Boundaries::At(&some)), &options, &expected);
        }
        for (workers, chunks) in [5, 9, 17, 33].into_iter().enumerate() {
            let boundaries = Boundaries::Guessed(text.len() / chunks + 1);
            for coordinator_parses in [false, true] {
                let plan = Plan { boundaries, buffer_size: 64, coordinator_parses };
                agrees(text, (plan, workers), &options, &expected);
            }
        }
    }
}

#[test]
fn fuzz_corpus_gives_the_same_frame_in_any_chunks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    for file in fs::read_dir(folder).unwrap() {
        agrees_in_all_chunks(&fs::read(file.unwrap().path()).unwrap(), 12);
    }
}

#[test]
fn generated_and_mutated_traces_give_the_same_frame() {
    let mut random = Random::new(4);
    for seed in 0..40 {
        // Most generated events lack a duration or a category.
        let json = random_json(seed).replace("\"ph\"", "\"cat\": \"a\", \"dur\": 1, \"ph\"");
        agrees_in_all_chunks(json.as_bytes(), 6);
        agrees_in_all_chunks(&mutated(&mut random, json.as_bytes()), 3);
    }
}

/// Returns a trace whose events have these categories and args.
fn trace(events: &[(&str, &str)]) -> String {
    let mut text = String::from(r#"{"distributedInfo": {"rank": 1}, "traceEvents": [{"ph": "M"}"#);
    for (at, (cat, args)) in events.iter().enumerate() {
        let _ = write!(text, r#", {{"cat": "{cat}", "name": "n{at}", "ts": {at}, "dur": 1, "args": {{{args}}}}}"#);
    }
    text + "]}"
}

#[test]
fn order_dependent_values_do_not_depend_on_chunks() {
    let any = |values: &[&str]| -> String {
        let args: Vec<String> =
            values.iter().map(|value| format!(r#""Input Dims": {value}, "mine": {value}"#)).collect();
        trace(&args.iter().map(|args| ("cpu_op", args.as_str())).collect::<Vec<_>>())
    };
    let texts = [
        any(&["1", "2.5", "7", "\"a\"", "3", "NaN", "[1, 2]", "4"]),
        any(&["NaN", "\"a\"", "NaN", "1", "\"a\"", "2"]),
        any(&["\"a\"", "1", "null", "2.5", "\"b\"", "1e999"]),
        any(&["9007199254740993", "0.5", "9007199254740993", "true"]),
        any(&["9007199254740993", "\"x\"", "9007199254740993", "123456789012345678901234567890", "\"x\""]),
        any(&[r#""bad \x""#, r#""b""#, r#""bad \x""#, r#""\u0062""#, r#""bad \y""#]),
        // Ids beyond 32 bits from some event on.
        trace(
            &[1_i64, 2, 1 << 33, 3]
                .map(|id| format!(r#""correlation": {id}, "External id": {id}"#))
                .each_ref()
                .map(|args| ("cpu_op", args.as_str())),
        ),
        // A counter is a column from the first event of its kind on, for events of every kind.
        trace(&[
            ("cpu_op", r#""smsp__x": 1"#),
            ("cuda_profiler_range", r#""smsp__x": 2, "smsp__y": 3"#),
            ("cpu_op", r#""smsp__x": 4, "smsp__y": 5"#),
            ("cuda_profiler_range", r#""smsp__z": 6, "smsp__x": 7"#),
            ("cpu_op", r#""smsp__z": 8"#),
        ]),
    ];
    for text in texts {
        agrees_in_all_chunks(text.as_bytes(), usize::MAX);
        let twice = format!(
            "{},\"traceEvents\": [{{\"cat\": \"c\", \"dur\": 2, \"args\": {{\"late\": 1, \"smsp__y\": 2}}}}, {{\"cat\": \"d\", \"dur\": 3, \"args\": {{\"mine\": \"t\"}}}}]}}",
            text.strip_suffix('}').unwrap()
        );
        agrees_in_all_chunks(twice.as_bytes(), usize::MAX);
    }
    // More args unknown to HTA than may have columns.
    let many: Vec<String> = (0..300).map(|at| format!(r#""arg {at}": {at}, "arg {}": 0"#, at / 2)).collect();
    let many = trace(&many.iter().map(|args| ("cpu_op", args.as_str())).collect::<Vec<_>>());
    agrees_in_all_chunks(many.as_bytes(), 12);
}

#[test]
fn fragments_with_the_same_schema_merge() {
    let text = trace(&[("cpu_op", r#""Input Dims": [1]"#); 9]);
    let starts = entry_starts(text.as_bytes());
    let wanted = LoadOptions::default().wanted().unwrap();
    let meter = Meter::default();
    let builder = |from: usize, to: usize| {
        let mut builder = Builder::new(Compat::Exact, None, &wanted, &meter);
        read_events(
            &[b"[", &text.as_bytes()[starts[from] as usize..starts[to] as usize]].concat()[..],
            "x",
            &mut builder,
        )
        .unwrap();
        builder
    };
    let mut whole = builder(0, 3);
    for mut fragment in [builder(3, 5), builder(5, 8)] {
        assert!(whole.can_merge(&fragment));
        whole.merge(&mut fragment, 3);
        // Now it is empty.
        assert!(whole.can_merge(&fragment));
        whole.merge(&mut fragment, 3);
    }
    assert_eq!(whole.finish(2).unwrap().events.height(), 8);
}

#[test]
fn fragment_without_the_counters_merges_once_seeded() {
    let text = trace(&[("cuda_profiler_range", r#""smsp__x": 1"#), ("cpu_op", r#""smsp__x": 2"#), ("cpu_op", "")]);
    let starts = entry_starts(text.as_bytes());
    let wanted = LoadOptions::default().wanted().unwrap();
    let meter = Meter::default();
    let read = |builder: &mut Builder<'_>, from: usize, to: usize| {
        let events = [b"[", &text.as_bytes()[starts[from] as usize..starts[to] as usize]].concat();
        read_events(&events[..], "x", builder).unwrap();
    };
    let mut whole = Builder::new(Compat::Exact, None, &wanted, &meter);
    let mut fragment = whole.fragment();
    read(&mut whole, 0, 1);
    read(&mut fragment, 1, 2);
    assert!(!whole.can_merge(&fragment));
    fragment.reset();
    whole.seed(&mut fragment);
    read(&mut fragment, 1, 2);
    assert!(whole.can_merge(&fragment));
    whole.merge(&mut fragment, 1);
    let events = whole.finish(0).unwrap().events;
    assert_eq!(events.column("smsp__x").unwrap().i64().unwrap().to_vec(), [Some(1), Some(2)]);
}

#[test]
fn several_files_give_the_same_set_on_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..3 {
        let file = fs::File::create(folder.path().join(format!("rank-{rank}.json"))).unwrap();
        trace_testkit::Large { bytes: 4_000_000 * (1 + rank), seed: rank, rank }.write(file).unwrap();
    }
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| from_path(folder.path(), &LoadOptions::default(), &mut |_| ControlFlow::Continue(()))).unwrap()
    };
    let one = on(1);
    for threads in [2, 3, 7] {
        let other = on(threads);
        assert_eq!((other.info(), other.warnings()), (one.info(), one.warnings()));
        for (other, one) in other.traces().iter().zip(one.traces()) {
            assert!(other.events().equals_missing(&one.events()));
        }
    }
}

#[test]
fn large_file_gives_the_same_frame_on_any_threads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.json");
    trace_testkit::Large { bytes: 50_000_000, seed: 3, rank: 2 }.write(fs::File::create(&path).unwrap()).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut last = LoadProgress::default();
        let traces = pool.install(|| {
            from_path(&path, &LoadOptions::default(), &mut |progress| {
                last = progress.clone();
                ControlFlow::Continue(())
            })
        });
        assert_eq!(last.bytes_read, last.bytes_total);
        (traces.unwrap(), last.events)
    };
    let (one, events) = on(1);
    for threads in [2, 8] {
        let (other, seen) = on(threads);
        assert_eq!((other.info(), other.warnings(), seen), (one.info(), one.warnings(), events));
        let (other, one) = (&other.traces()[0], &one.traces()[0]);
        assert_eq!(other.events().schema(), one.events().schema());
        assert!(other.events().equals_missing(&one.events()));
    }
    // The load is cancelled while chunks are parsed.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let stopped = pool.install(|| from_path(&path, &LoadOptions::default(), &mut |_| ControlFlow::Break(())));
    assert!(matches!(stopped.unwrap_err(), Error::Interrupted));
}
