//! Damaged and unusual input: whole events are kept, the rest is reported.
#![allow(clippy::unwrap_used)]

use trace::polars::prelude::DataType;
use trace::{Error, TraceSet, Warning};
use trace_testkit::{Stream, TraceBuilder, gzip};

/// A trace of these entries of `traceEvents`.
pub(crate) fn with_events(events: &str) -> String {
    format!(r#"{{"distributedInfo": {{"rank": 0}}, "traceEvents": [{events}]}}"#)
}

/// One event with this name, as JSON.
pub(crate) fn event(name: &str) -> String {
    format!(r#"{{"ph": "X", "cat": "cpu_op", "name": "{name}", "pid": 1, "tid": 2, "ts": 10, "dur": 5}}"#)
}

pub(crate) fn load(bytes: impl AsRef<[u8]>) -> TraceSet {
    TraceSet::from_bytes(bytes).unwrap()
}

pub(crate) fn names(trace: &TraceSet) -> Vec<String> {
    let names = trace.events().column("name").unwrap().cast(&DataType::String).unwrap();
    names.str().unwrap().iter().map(|name| name.unwrap_or("null").to_owned()).collect()
}

fn ints(trace: &TraceSet, column: &str) -> Vec<Option<i64>> {
    trace.events().column(column).unwrap().cast(&DataType::Int64).unwrap().i64().unwrap().iter().collect()
}

pub(crate) fn warnings(trace: &TraceSet) -> String {
    trace.warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

pub(crate) fn refused(bytes: impl AsRef<[u8]>) -> String {
    match TraceSet::from_bytes(bytes) {
        Err(error) => error.to_string(),
        Ok(trace) => panic!("loaded {} events", trace.event_count()),
    }
}

#[test]
fn good_input_has_no_warnings() {
    let trace = load(TraceBuilder::new().step(1, 0..100).operator("a", 10..20).json());
    assert_eq!(warnings(&trace), "");
    assert_eq!(names(&trace), ["ProfilerStep#1", "a"]);
    assert_eq!(ints(&trace, "dur"), [Some(100_000), Some(10_000)]);
}

#[test]
fn nan_and_infinity_become_null_and_the_event_stays() {
    let text = with_events(
        r#"{"cat": "cpu_op", "name": "a", "ts": NaN, "dur": 5, "args": {"External id": Infinity}},
           {"cat": "cpu_op", "name": "b", "ts": 1, "dur": -Infinity, "args": {"External id": 7}}"#,
    );
    let trace = load(text);
    assert_eq!(names(&trace), ["a", "b"]);
    assert_eq!(ints(&trace, "ts"), [None, Some(1000)]);
    assert_eq!(ints(&trace, "dur"), [Some(5000), None]);
    assert_eq!(ints(&trace, "end"), [None, None]);
    assert_eq!(ints(&trace, "external_id"), [None, Some(7)]);
    assert!(warnings(&trace).contains("3 × NaN or Infinity, read as null"), "{}", warnings(&trace));
}

#[test]
fn integers_beyond_64_bits_become_null() {
    let text = with_events(
        r#"{"cat": "cpu_op", "name": "a", "ts": 1, "dur": 5, "args": {"External id": 18446744073709551616}},
           {"cat": "cpu_op", "name": "b", "ts": 99999999999999999999, "dur": 5, "args": {"External id": -9223372036854775808}}"#,
    );
    let trace = load(text);
    assert_eq!(ints(&trace, "external_id"), [None, Some(i64::MIN)]);
    assert_eq!(ints(&trace, "ts"), [Some(1000), None]);
    assert!(warnings(&trace).contains("2 × a number beyond 64 bits, read as null"), "{}", warnings(&trace));
}

#[test]
fn numbers_written_as_text_are_numbers() {
    let trace =
        load(with_events(r#"{"cat": "cpu_op", "name": "a", "ts": "12.345", "dur": "1", "pid": "7", "tid": "main"}"#));
    assert_eq!((ints(&trace, "ts"), ints(&trace, "dur")), (vec![Some(12_345)], vec![Some(1000)]));
    assert_eq!((ints(&trace, "pid"), ints(&trace, "tid")), (vec![Some(7)], vec![None]));
    assert!(warnings(&trace).contains("3 × a number written as text"), "{}", warnings(&trace));
    assert!(warnings(&trace).contains("1 × text or a list where a number belongs"), "{}", warnings(&trace));
}

#[test]
fn invalid_utf8_is_replaced() {
    let text = with_events(&format!("{},{}", event("a@b"), event("good"))).into_bytes();
    let text: Vec<u8> = text.into_iter().map(|byte| if byte == b'@' { 0xff } else { byte }).collect();
    let trace = load(text);
    assert_eq!(names(&trace), ["a\u{fffd}b", "good"]);
    assert!(warnings(&trace).contains("1 × a text with invalid UTF-8"), "{}", warnings(&trace));
}

#[test]
fn bad_escapes_and_lone_surrogates_are_kept_if_readable() {
    let trace = load(with_events(&format!("{},{},{}", event(r"C:\path"), event(r"x\ud800y"), event("tab\there"))));
    assert_eq!(names(&trace), [r"C:\path", "x\u{fffd}y", "tab\there"]);
    assert!(warnings(&trace).contains("2 × a text with an invalid escape"), "{}", warnings(&trace));
}

#[test]
fn last_of_repeated_keys_counts() {
    let trace = load(with_events(
        r#"{"cat": "cpu_op", "name": "a", "name": "b", "ts": 1, "dur": 2, "dur": 3,
            "args": {"External id": 1}, "args": {"Python id": 2, "Python id": 3}}"#,
    ));
    assert_eq!(names(&trace), ["b"]);
    assert_eq!(ints(&trace, "dur"), [Some(3000)]);
    assert_eq!(ints(&trace, "python_id"), [Some(3)]);
    assert!(trace.events().column("external_id").is_err());
}

#[test]
fn absolute_times_with_a_fraction_are_exact() {
    let trace = load(with_events(r#"{"cat": "cpu_op", "name": "a", "ts": 1716423327123456.789, "dur": 0.001}"#));
    assert_eq!(ints(&trace, "ts"), [Some(1_716_423_327_123_456_789)]);
    assert_eq!(ints(&trace, "end"), [Some(1_716_423_327_123_456_790)]);
}

#[test]
fn a_bare_list_is_a_trace_closed_or_not() {
    for text in [format!("[{}, {}]", event("a"), event("b")), format!("[{},\n{},\n", event("a"), event("b"))] {
        let trace = load(text);
        assert_eq!(names(&trace), ["a", "b"]);
        assert!(matches!(trace.warnings(), [Warning::NoRank { .. }]), "{}", warnings(&trace));
    }
    assert!(refused("[]").contains("traceEvents is empty"));
}

#[test]
fn other_places_called_trace_events_do_not_count() {
    let text = format!(
        r#"{{"x": {{"traceEvents": [{}]}}, "y": "\"traceEvents\": [", "traceEvents": [{}], "distributedInfo": {{"rank": 3}}}}"#,
        event("decoy"),
        event("real")
    );
    let trace = load(text);
    assert_eq!(names(&trace), ["real"]);
    assert_eq!(trace.ranks(), [3]);
    assert_eq!(warnings(&trace), "");
}

#[test]
fn a_second_list_of_events_replaces_the_first() {
    let text = format!(r#"{{"traceEvents": [{0}, {0}], "traceEvents": [{1}]}}"#, event("old"), event("new"));
    let trace = load(text);
    assert_eq!(names(&trace), ["new"]);
    assert!(warnings(&trace).contains("an earlier traceEvents list"), "{}", warnings(&trace));
}

#[test]
fn entries_that_are_not_events_count_as_positions() {
    let text = with_events(&format!("null, {}, 7, \"text\", [1, 2], {},", event("a"), event("b")));
    let trace = load(format!("\u{feff}{text}"));
    assert_eq!(names(&trace), ["a", "b"]);
    assert_eq!(ints(&trace, "index"), [Some(1), Some(5)]);
    assert!(warnings(&trace).contains("4 × an entry of traceEvents that is no event"), "{}", warnings(&trace));
}

#[test]
fn an_unescaped_quote_costs_one_event() {
    let broken = event(r#"say "hello" twice"#);
    let trace = load(with_events(&format!("{},\n{broken},\n{}", event("a"), event("b"))));
    assert_eq!(names(&trace), ["a", "b"]);
    assert_eq!(ints(&trace, "index"), [Some(0), Some(2)]);
    assert!(matches!(trace.warnings(), [Warning::SkippedEvents { count: 1, .. }]), "{}", warnings(&trace));
    // The last one: nothing follows that could be an event.
    let trace = load(with_events(&format!("{},\n{broken}", event("a"))));
    assert_eq!(names(&trace), ["a"]);
    assert!(warnings(&trace).contains("1 event was left out"), "{}", warnings(&trace));
}

#[test]
fn deep_nesting_neither_overflows_nor_hides_the_next_event() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = with_events(&format!(
        r#"{{"cat": "cpu_op", "name": "deep", "ts": 1, "dur": 2, "args": {{"Input Dims": {deep}, "other": {deep}}}}}, {}"#,
        event("next")
    ));
    assert_eq!(names(&load(text)), ["deep", "next"]);
}

#[test]
fn a_truncated_text_keeps_its_whole_events_wherever_it_is_cut() {
    let text = with_events(&format!("{},\n{},\n{}", event("a"), event("b"), event("c")));
    let ends: Vec<usize> = text.match_indices(r#""dur": 5}"#).map(|(at, found)| at + found.len()).collect();
    for cut in 0..text.len() - 1 {
        let whole = ends.iter().filter(|end| **end <= cut).count();
        match TraceSet::from_bytes(&text.as_bytes()[..cut]) {
            Ok(trace) => {
                assert_eq!(names(&trace), ["a", "b", "c"][..whole], "cut at {cut}");
                assert!(
                    matches!(trace.warnings(), [Warning::Truncated { events, .. }] if *events == whole as u64),
                    "cut at {cut}: {}",
                    warnings(&trace)
                );
            }
            Err(error) => assert_eq!(whole, 0, "cut at {cut}: {error}"),
        }
    }
    let message = refused(&text[..ends[0] - 3]);
    assert!(message.contains("ends inside an event at byte"), "{message}");
}

#[test]
fn a_truncated_gzip_keeps_its_whole_events() {
    let events: Vec<String> = (0..20_000).map(|number| event(&format!("op{}", number * 7919 % 10_007))).collect();
    let packed = gzip(with_events(&events.join(",\n")).as_bytes());
    let trace = load(&packed[..packed.len() / 2]);
    assert!(trace.event_count() > 1000 && trace.event_count() < 20_000, "{}", trace.event_count());
    let Some(Warning::Truncated { events, reason, .. }) = trace.warnings().first() else {
        panic!("{}", warnings(&trace))
    };
    assert_eq!((*events, reason.as_str()), (trace.event_count() as u64, "the gzip data ends early"));
    assert!(refused(&packed[..12]).contains("the gzip data ends early"));
}

#[test]
fn damaged_gzip_is_reported() {
    let events: Vec<String> = (0..20_000).map(|number| event(&format!("op{}", number * 7919 % 10_007))).collect();
    let mut packed = gzip(with_events(&events.join(",\n")).as_bytes());
    let middle = packed.len() / 2;
    packed[middle..middle + 64].fill(0xff);
    match TraceSet::from_bytes(&packed) {
        Ok(trace) => assert!(!trace.warnings().is_empty()),
        Err(error) => assert!(error.to_string().contains("gzip"), "{error}"),
    }
}

#[test]
fn gzip_is_recognised_by_content_with_several_members() {
    let text = with_events(&format!("{},{}", event("a"), event("b")));
    let (first, second) = text.as_bytes().split_at(80);
    let packed = [gzip(first), gzip(second)].concat();
    let folder = tempfile::tempdir().unwrap();
    for (file, bytes) in [("members.json", packed.as_slice()), ("plain.gz", text.as_bytes())] {
        let path = folder.path().join(file);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(names(&TraceSet::load(&path).unwrap()), ["a", "b"], "{file}");
    }
}

#[test]
fn zstd_is_detected_by_content_and_cut_with_a_warning() {
    let events: Vec<String> = (0..20_000).map(|number| event(&format!("op{}", number * 7919 % 10_007))).collect();
    let text = with_events(&events.join(",\n"));
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("rank0.json.zst"), &packed).unwrap();
    let whole = TraceSet::load(folder.path()).unwrap();
    assert_eq!((names(&whole).len(), warnings(&whole)), (20_000, String::new()));
    std::fs::write(folder.path().join("rank0.json.zst"), &packed[..packed.len() / 2]).unwrap();
    let cut = TraceSet::load(folder.path()).unwrap();
    assert!((1..20_000).contains(&names(&cut).len()));
    assert!(warnings(&cut).contains("the zstd data ends early"), "{}", warnings(&cut));
    let message = refused(&packed[..12]);
    assert!(message.contains("the zstd data ends early"), "{message}");
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (text, reason) in [
        ("", "the file is empty"),
        ("  \n ", "the file is empty"),
        ("oops <body>404", "neither JSON nor compressed by gzip or zstd, it starts with \"oops <body>404\""),
        ("<html><body>404", "it is a web page; the download may have ended at a login page"),
        ("PK\u{3}\u{4}rest", "it is a zip archive; decompress it first: `unzip FILE`"),
        ("BZh91AY", "it is compressed by bzip2; decompress it first: `bzip2 -d FILE`"),
        ("SQLite format 3\0", "it is an SQLite database, as `nsys export` writes"),
        ("{\0\"\0t\0", "it is UTF-16 text; `iconv -f UTF-16 -t UTF-8 FILE"),
        (
            "\n\u{5}\u{1}\u{2}",
            "the Perfetto data is damaged (it ends inside the packet that begins at byte 0), before the first event",
        ),
        ("{\"ph\": \"X\", \"ts\": 1}\n{\"ph\": \"X\", \"ts\": 2}\n", "(JSON lines), `jq -s .` makes"),
        ("{}", "has no `traceEvents` (its keys: none)"),
        (r#"{"nodes": [], "edges": 7}"#, "has no `traceEvents` (its keys: edges, nodes)"),
        (r#"{"traceEvents": []}"#, "its traceEvents is empty"),
        (r#"{"traceEvents": null}"#, "its traceEvents is null"),
        (r#"{"traceEvents": {"a": 1}}"#, "its traceEvents is not a list"),
        (
            r#"{"traceEvents": [{"ph": "M", "name": "process_name"}]}"#,
            "none of its 1 events has a duration and a category",
        ),
        (r#"{"schemaVersion": 1, "traceEv"#, "the JSON text ends at byte 29, before its traceEvents"),
        (r#"{"schemaVersion" 1}"#, "the JSON text is broken at byte 17, before its traceEvents"),
        ("\u{1f}\u{8b}", "neither JSON nor compressed by gzip or zstd"),
    ] {
        let message = refused(text);
        assert!(message.contains(reason), "{text:?}: {message}");
    }
}

#[test]
fn a_broken_end_after_the_events_loses_nothing() {
    let text = format!(r#"{{"traceEvents": [{}], "traceName": "x" oops"#, event("a"));
    let trace = load(text);
    assert_eq!(names(&trace), ["a"]);
    assert!(warnings(&trace).contains("broken after the events"), "{}", warnings(&trace));
}

#[test]
fn invalid_metadata_is_omitted() {
    let text = format!(r#"{{"bad": {{"x": NaN}}, "fine": 1, "traceEvents": [{}]}}"#, event("a"));
    let trace = load(text);
    let keys: Vec<&String> = trace.info()[0].metadata.keys().collect();
    assert_eq!(keys, ["fine"]);
    assert!(warnings(&trace).contains("1 × a top-level value"), "{}", warnings(&trace));
}

#[test]
fn steps_without_a_number_are_ignored_and_named() {
    let trace =
        load(TraceBuilder::new().annotation("ProfilerStep*", 0..10).step(3, 10..20).operator("a", 12..13).json());
    assert_eq!(trace.iterations(), [3]);
    assert_eq!(ints(&trace, "iteration"), [None, Some(3), Some(3)]);
    assert!(warnings(&trace).contains("no iteration number in ProfilerStep*"), "{}", warnings(&trace));
}

#[test]
fn missing_path_names_what_exists_nearby() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("control.json"), with_events(&event("a"))).unwrap();
    let error = TraceSet::load(folder.path().join("contrl.json")).unwrap_err();
    assert!(matches!(error, Error::NoSuchPath { .. }));
    assert!(error.to_string().ends_with("holds: control.json)"), "{error}");
    std::fs::remove_file(folder.path().join("control.json")).unwrap();
    let error = TraceSet::load(folder.path().join("contrl.json")).unwrap_err();
    assert!(error.to_string().ends_with("is empty)"), "{error}");
}

#[test]
fn a_folder_of_folders_names_them() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("tuesday")).unwrap();
    std::fs::create_dir(folder.path().join("monday")).unwrap();
    let error = TraceSet::load(folder.path()).unwrap_err().to_string();
    assert!(
        error.ends_with("(a trace file ends in .json, .pftrace, .gz or .zst); it holds the folders monday, tuesday"),
        "{error}"
    );
}

#[test]
fn missing_relative_path_names_the_working_directory() {
    // Tests run in the folder of their package.
    let here = std::env::current_dir().unwrap().display().to_string();
    let error = TraceSet::load("no-such.json").unwrap_err().to_string();
    assert!(error.starts_with(&format!("no-such.json: no such file or folder (looked for in {here}, which holds: ")));
    let error = TraceSet::load("src/no/such.json").unwrap_err().to_string();
    let expected = format!("src/no/such.json: no such file or folder (looked for in {here}; src holds: lib.rs, ");
    assert!(error.starts_with(&expected), "{error}");
}

#[test]
fn streams_that_are_not_numbers_are_null() {
    // ROCm writes the stream of a runtime call as an address.
    let json = TraceBuilder::new()
        .runtime("hipLaunchKernel", 1, 0..5)
        .arg("stream", "\"0x0\"")
        .kernel("k", Stream(0), 10..20)
        .operator("a", 0..5)
        .arg("stream", "\"7\"")
        .operator("b", 0..5)
        .arg("stream", "-1")
        .json();
    let trace = load(json);
    assert_eq!(ints(&trace, "stream"), [None, Some(0), Some(7), None]);
    assert_eq!(warnings(&trace), "");
}

/// A gzip of one stored block, so that a byte of the text can be changed in the compressed bytes.
fn stored(text: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    std::io::Write::write_all(&mut packed, text).unwrap();
    packed.finish().unwrap()
}

fn position(bytes: &[u8], of: &[u8]) -> usize {
    bytes.windows(of.len()).position(|window| window == of).unwrap()
}

/// The warnings of a gzip'ed trace from memory, from a file read by several threads, and strictly.
fn warnings_of(packed: &[u8]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("packed.json.gz");
    std::fs::write(&path, packed).unwrap();
    let (bytes, file) = (load(packed), TraceSet::load(&path).unwrap());
    assert_eq!(warnings(&file).replace(&path.display().to_string(), "trace"), warnings(&bytes));
    assert!(file.events().equals_missing(&bytes.events()));
    let strict = trace::LoadOptions { strict: true, ..Default::default() };
    let refused = TraceSet::load_with(&path, &strict, &mut |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(refused.is_err(), !bytes.warnings().is_empty(), "{:?}", refused.err());
    warnings(&bytes)
}

#[test]
fn gzip_whose_checksum_or_length_differs_warns() {
    let events: Vec<String> = (0..20_000).map(|number| event(&format!("op{number}"))).collect();
    let text = with_events(&events.join(",\n"));
    let (small, large) = (with_events(&event("a")), text.as_bytes());
    let members = |cut: usize| [gzip(&large[..cut]), gzip(&large[cut..])].concat();
    let change = |mut packed: Vec<u8>, at: usize| {
        packed[at] ^= 1;
        packed
    };
    let back = |packed: Vec<u8>, back: usize| {
        let at = packed.len() - back;
        change(packed, at)
    };
    let wrong = "; every event was read, but its values may be wrong";
    let crc = format!("trace: the gzip data is damaged (its CRC-32 differs){wrong}");
    let length = format!("trace: the gzip data is damaged (its length differs){wrong}");
    for packed in [gzip(large), members(500_000), members(large.len() - 1), gzip(small.as_bytes())] {
        assert_eq!(warnings_of(&packed), "");
        assert_eq!(warnings_of(&back(packed.clone(), 8)), crc);
        assert_eq!(warnings_of(&back(packed.clone(), 1)), length);
        let cut = &packed[..packed.len() - 3];
        assert_eq!(warnings_of(cut), format!("trace: the gzip data ends early{wrong}"));
        assert_eq!(warnings_of(&[packed.as_slice(), &[0; 1024]].concat()), "", "zeros fill a block");
    }
    // A duration of 5 becomes one of 4.
    let packed = stored(small.as_bytes());
    let at = position(&packed, b"\"dur\": 5") + 7;
    let packed = change(packed, at);
    assert_eq!(ints(&load(&packed), "dur"), [Some(4000)]);
    assert_eq!(warnings_of(&packed), crc);
}

#[test]
fn checksum_that_differs_within_the_events_cuts_the_file_there() {
    let events: Vec<String> = (0..20_000).map(|number| event(&format!("op{number}"))).collect();
    let text = with_events(&events.join(",\n"));
    let (first, second) = text.as_bytes().split_at(700_000);
    let mut first = gzip(first);
    let at = first.len() - 8;
    first[at] ^= 1;
    let message = warnings_of(&[first, gzip(second)].concat());
    assert!(message.contains("is incomplete: the gzip data is damaged (its CRC-32 differs) at byte"), "{message}");
}
