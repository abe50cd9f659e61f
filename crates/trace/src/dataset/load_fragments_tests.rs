//! A file that several threads read gives the frame that one gives, wherever the parts begin: row by row, type by type, with
//! the same warnings.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::read::{PartSink, Plan, Seams, Writer, mutated, read_planned};
use std::fmt::Write as _;
use std::fs;
use trace_testkit::Random;

/// What a load comes to.
struct Came {
    said: String,
    frame: Option<DataFrame>,
}

/// Loads a text in parts by this plan with so many others, or in one go.
fn load(text: &[u8], plan: Option<(Plan<'_>, usize)>, options: &LoadOptions) -> Came {
    let meter = Meter::default();
    let wanted = options.wanted().unwrap();
    let loaded =
        load_one("x", options, &wanted, &meter, &|| plan.map_or(0, |(_, others)| others), |sink, _| match plan {
            Some((plan, others)) => read_planned(text, plan, &|| others, "x", sink),
            None => read_events(text, "x", sink),
        });
    match loaded {
        Ok(Content::Wanted(loaded)) => {
            let said = format!("{:?} {:?} {:?}", loaded.trace.info(), loaded.warnings, meter.events);
            Came { said, frame: Some(loaded.trace.events) }
        }
        Ok(Content::OtherRank(_)) => Came { said: "not wanted".to_owned(), frame: None },
        Err(error) => Came { said: error.to_string(), frame: None },
    }
}

/// Parts come to the same as one reading.
fn alike(text: &[u8], plan: (Plan<'_>, usize), options: &LoadOptions, whole: &Came) {
    let parts = load(text, Some(plan), options);
    let shown = || format!("{plan:?}, {options:?}: {}", String::from_utf8_lossy(text));
    assert_eq!(parts.said, whole.said, "{}", shown());
    match (&parts.frame, &whole.frame) {
        (Some(parts), Some(whole)) => {
            assert_eq!(parts.schema(), whole.schema(), "{}", shown());
            assert!(parts.equals_missing(whole), "{parts} {whole} {}", shown());
        }
        (parts, whole) => assert_eq!(parts.is_some(), whole.is_some(), "{}", shown()),
    }
}

/// The places where an entry of the list may begin: behind a comma, at a brace.
fn braces(text: &[u8]) -> Vec<u64> {
    let places = 1..text.len();
    let before = |place: usize| text[..place].iter().rev().find(|byte| !byte.is_ascii_whitespace());
    places.filter(|&place| text[place] == b'{' && before(place) == Some(&b',')).map(|place| place as u64).collect()
}

fn ways() -> [LoadOptions; 3] {
    let all = ParserConfig::get_default_cfg().set_parse_all_args(true);
    [
        LoadOptions::default(),
        LoadOptions { parser_config: Some(all), ..LoadOptions::default() },
        LoadOptions { compat: Compat::Hta, ..LoadOptions::default() },
    ]
}

/// Every place alone, then several together, then stretches of several sizes on several threads, in all ways of loading.
fn in_all_parts(text: &[u8], most: usize) {
    let places = braces(text);
    // Everything but the first stretch in a part.
    fn all(seams: Seams<'_>) -> (Plan<'_>, usize) {
        (Plan { seams, chunk: 64 * 1024, direct: false }, 0)
    }
    for options in ways() {
        let whole = load(text, None, &options);
        for place in places.iter().step_by(places.len() / most + 1) {
            alike(text, all(Seams::At(&[*place])), &options, &whole);
        }
        for step in [1, 2, 3, 7] {
            let some: Vec<u64> = places.iter().copied().step_by(step.max(places.len() / 16)).collect();
            alike(text, all(Seams::At(&some)), &options, &whole);
        }
        for (others, stretches) in [5, 9, 17, 33].into_iter().enumerate() {
            let seams = Seams::Guessed(text.len() / stretches + 1);
            for direct in [false, true] {
                alike(text, (Plan { seams, chunk: 64, direct }, others), &options, &whole);
            }
        }
    }
}

#[test]
fn the_corpus_gives_the_same_frame_in_any_parts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/trace_reader");
    for file in fs::read_dir(folder).unwrap() {
        in_all_parts(&fs::read(file.unwrap().path()).unwrap(), 12);
    }
}

#[test]
fn generated_and_broken_traces_give_the_same_frame_in_any_parts() {
    let mut random = Random::new(4);
    for seed in 0..40 {
        // Most generated events lack a duration or a category.
        let json = Writer::trace(seed).replace("\"ph\"", "\"cat\": \"a\", \"dur\": 1, \"ph\"");
        in_all_parts(json.as_bytes(), 6);
        in_all_parts(&mutated(&mut random, json.as_bytes()), 3);
    }
}

/// A trace whose events have these categories and args.
fn trace(events: &[(&str, &str)]) -> String {
    let mut text = String::from(r#"{"distributedInfo": {"rank": 1}, "traceEvents": [{"ph": "M"}"#);
    for (at, (cat, args)) in events.iter().enumerate() {
        let _ = write!(text, r#", {{"cat": "{cat}", "name": "n{at}", "ts": {at}, "dur": 1, "args": {{{args}}}}}"#);
    }
    text + "]}"
}

#[test]
fn what_depends_on_the_order_of_events_does_not_depend_on_the_parts() {
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
        // Counters are columns from the first event of their kind on, for events of every kind.
        trace(&[
            ("cpu_op", r#""smsp__x": 1"#),
            ("cuda_profiler_range", r#""smsp__x": 2, "smsp__y": 3"#),
            ("cpu_op", r#""smsp__x": 4, "smsp__y": 5"#),
            ("cuda_profiler_range", r#""smsp__z": 6, "smsp__x": 7"#),
            ("cpu_op", r#""smsp__z": 8"#),
        ]),
    ];
    for text in texts {
        in_all_parts(text.as_bytes(), usize::MAX);
        let twice = format!(
            "{},\"traceEvents\": [{{\"cat\": \"c\", \"dur\": 2, \"args\": {{\"late\": 1, \"smsp__y\": 2}}}}, {{\"cat\": \"d\", \"dur\": 3, \"args\": {{\"mine\": \"t\"}}}}]}}",
            text.strip_suffix('}').unwrap()
        );
        in_all_parts(twice.as_bytes(), usize::MAX);
    }
    // More args than HTA does not know may have columns.
    let many: Vec<String> = (0..300).map(|at| format!(r#""arg {at}": {at}, "arg {}": 0"#, at / 2)).collect();
    let many = trace(&many.iter().map(|args| ("cpu_op", args.as_str())).collect::<Vec<_>>());
    in_all_parts(many.as_bytes(), 12);
}

#[test]
fn parts_that_fit_are_taken() {
    let text = trace(&[("cpu_op", r#""Input Dims": [1]"#); 9]);
    let seams = braces(text.as_bytes());
    let wanted = LoadOptions::default().wanted().unwrap();
    let meter = Meter::default();
    let builder = |from: usize, to: usize| {
        let mut builder = Builder::new(Compat::Exact, None, &wanted, &meter);
        read_events(
            &[b"[", &text.as_bytes()[seams[from] as usize..seams[to] as usize]].concat()[..],
            "x",
            &mut builder,
        )
        .unwrap();
        builder
    };
    let mut first = builder(0, 3);
    for mut part in [builder(3, 5), builder(5, 8)] {
        assert!(first.fits(&part));
        first.absorb(&mut part, 3);
        // It is empty now, and fits as before.
        assert!(first.fits(&part));
        first.absorb(&mut part, 3);
    }
    assert_eq!(first.finish(2).unwrap().events.height(), 8);
}

#[test]
fn a_part_that_does_not_know_the_counters_is_taught() {
    let text = trace(&[("cuda_profiler_range", r#""smsp__x": 1"#), ("cpu_op", r#""smsp__x": 2"#), ("cpu_op", "")]);
    let seams = braces(text.as_bytes());
    let wanted = LoadOptions::default().wanted().unwrap();
    let meter = Meter::default();
    let read = |builder: &mut Builder<'_>, from: usize, to: usize| {
        let events = [b"[", &text.as_bytes()[seams[from] as usize..seams[to] as usize]].concat();
        read_events(&events[..], "x", builder).unwrap();
    };
    let mut first = Builder::new(Compat::Exact, None, &wanted, &meter);
    let mut part = first.part();
    read(&mut first, 0, 1);
    read(&mut part, 1, 2);
    assert!(!first.fits(&part));
    part.give_up();
    first.teach(&mut part);
    read(&mut part, 1, 2);
    assert!(first.fits(&part));
    first.absorb(&mut part, 1);
    let events = first.finish(0).unwrap().events;
    assert_eq!(events.column("smsp__x").unwrap().i64().unwrap().to_vec(), [Some(1), Some(2)]);
}

#[test]
fn several_files_give_the_same_set_on_one_thread_and_on_several() {
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
fn a_large_plain_file_gives_the_same_frame_on_one_thread_and_on_several() {
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
    // An end is asked for while parts are read.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build().unwrap();
    let stopped = pool.install(|| from_path(&path, &LoadOptions::default(), &mut |_| ControlFlow::Break(())));
    assert!(matches!(stopped.unwrap_err(), Error::Interrupted));
}
