//! Timelines of traces written by hand, and of all shared ones.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use serde_json::{Value, json};
use trace::answers::LaneKind;
use trace::answers::{Answered, SentNames};
use trace::filter::Where;
use trace::{Error, EventQuery, Execution, FlameQuery, SelectEvents, Timeline, TimelineQuery, TraceSet};
use trace_testkit::{Large, Stream, TraceBuilder};

/// Two threads, overlapping kernels of one stream, an annotation, a copy, and a hostile name.
pub(crate) fn builder() -> TraceBuilder {
    TraceBuilder::new()
        .step(1, 0..100)
        .operator("aten::linear", 2..50)
        .operator("aten::addmm", 3..40)
        .runtime("cudaLaunchKernel", 4, 5..9)
        .operator("empty", 30..30)
        .kernel("gemm <script>alert(1)</script>", Stream(7), 12..42)
        .correlation(4)
        .kernel("overlapping", Stream(7), 30..50)
        .memcpy("Memcpy HtoD (Pageable -> Device)", Stream(20), 1 << 20, 60..80)
        .thread(2)
        .operator("autograd", 55..90)
}

pub(crate) fn load(builder: &TraceBuilder, label: &str) -> TraceSet {
    TraceSet::from_bytes(builder.json()).unwrap().with_label(label)
}

pub(crate) fn ask(timeline: &Timeline, request: Value) -> Answered {
    timeline.answer(&request, &mut SentNames::default()).unwrap()
}

/// The values of a column of an answer.
fn column(answered: &Answered, list: &str, name: &str) -> Vec<f64> {
    let columns = answered.data[list].as_array().unwrap();
    let column = columns.iter().find(|column| column["name"] == name).unwrap();
    let bytes = &answered.buffers[column["buffer"].as_u64().unwrap() as usize];
    match column["type"].as_str().unwrap() {
        "u8" => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        "u16" => bytes.chunks(2).map(|part| f64::from(u16::from_le_bytes(part.try_into().unwrap()))).collect(),
        "u32" => bytes.chunks(4).map(|part| f64::from(u32::from_le_bytes(part.try_into().unwrap()))).collect(),
        "i32" => bytes.chunks(4).map(|part| f64::from(i32::from_le_bytes(part.try_into().unwrap()))).collect(),
        "f64" => bytes.chunks(8).map(|part| f64::from_le_bytes(part.try_into().unwrap())).collect(),
        other => panic!("{other}"),
    }
}

pub(crate) fn lane(timeline: &Timeline, label: &str) -> usize {
    timeline.lanes().position(|(_, found)| found == label).unwrap()
}

/// The row of an event by its name.
pub(crate) fn event(timeline: &Timeline, lane: usize, name: &str) -> u64 {
    let view = ask(timeline, json!({"type": "view", "start": 0, "end": 300_000, "width_px": 60_000, "lanes": [lane]}));
    let (ids, texts) = (view.data["names"]["ids"].as_array().unwrap(), view.data["names"]["texts"].as_array().unwrap());
    let id = ids[texts.iter().position(|text| text == name).unwrap()].as_f64().unwrap();
    let row = column(&view, "slices", "name").iter().position(|&found| found == id).unwrap();
    column(&view, "slices", "event")[row] as u64
}

#[test]
fn lanes_are_ordered_and_have_levels_and_counters() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let labels: Vec<(LaneKind, &str)> = timeline.lanes().collect();
    assert_eq!(
        labels,
        [
            (LaneKind::Annotation, "annotations of thread 1"),
            (LaneKind::Thread, "thread 1"),
            (LaneKind::Thread, "thread 2"),
            (LaneKind::Stream, "stream 7"),
            (LaneKind::Counter, "queue of stream 7"),
            (LaneKind::Stream, "stream 20"),
            (LaneKind::Counter, "bandwidth of Memcpy HtoD"),
        ]
    );
    let output = timeline.to_json();
    let levels: Vec<i64> =
        output["lanes"].as_array().unwrap().iter().map(|lane| lane["levels"].as_i64().unwrap()).collect();
    assert_eq!(levels, [1, 3, 1, 2, 1, 1, 1]);
    assert_eq!(output["title"], "Timeline of control, rank 0");
    assert_eq!(output["view"]["window"], 1);
    assert_eq!((output["lanes"][4]["max"].as_f64(), output["lanes"][6]["unit"].as_str()), (Some(1.0), Some("GB/s")));
}

#[test]
fn lanes_have_the_names_of_the_profiler() {
    let name = |kind: &str, pid: i64, tid: i64, argument: &str, text: &str| {
        json!({"ph": "M", "name": kind, "pid": pid, "tid": tid, "args": {argument: text}}).to_string()
    };
    let labels = |trace: &TraceBuilder| {
        let timeline = TimelineQuery::new(load(trace, "control")).run().unwrap();
        timeline.lanes().map(|(_, label)| label.to_owned()).collect::<Vec<_>>()
    };
    let op = |pid, tid| move |trace: TraceBuilder| trace.complete("cpu_op", "aten::add", pid, tid, 0..9);
    let kernel = |device: i64, stream: i64| {
        let stream = stream.to_string();
        move |trace: TraceBuilder| trace.complete("kernel", "gemm", device, 0, 0..9).arg("stream", &stream)
    };
    let one = op(5, 11)(op(5, 12)(op(5, 13)(TraceBuilder::new())))
        .raw(&name("thread_name", 5, 11, "name", "thread 11 (python3)"))
        .raw(&name("thread_name", 5, 12, "name", "pt_autograd_1"))
        .raw(&name("process_name", 5, 0, "name", "python3"))
        .raw(&name("process_labels", 5, 0, "labels", "CPU"));
    let one = kernel(3, 7)(one).raw(&name("thread_name", 3, 7, "name", "stream 7 ")).raw(&name(
        "process_labels",
        3,
        0,
        "labels",
        "GPU 3",
    ));
    assert_eq!(labels(&one), ["thread 11 (python3)", "pt_autograd_1 12", "thread 13", "stream 7, GPU 3"]);
    let two = kernel(4, 8)(op(6, 14)(one)).raw(&name("thread_name", 6, 14, "name", &format!("<b>{}", "x".repeat(90))));
    let long = format!("<b>{}… 14, process 6", "x".repeat(57));
    assert_eq!(
        labels(&two),
        [
            "thread 11 (python3), process 5 (python3)",
            "pt_autograd_1 12, process 5 (python3)",
            "thread 13, process 5 (python3)",
            &long,
            "stream 7, GPU 3",
            "stream 8, device 4"
        ]
    );
}

#[test]
fn view_is_exact_and_names_are_sent_once() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let stream = lane(&timeline, "stream 7");
    let request = json!({"type": "view", "id": 5, "start": 0, "end": 100_000, "width_px": 1000, "lanes": [stream]});
    let mut sent = SentNames::default();
    let answered = timeline.answer(&request, &mut sent).unwrap();
    assert_eq!(
        (&answered.data["type"], &answered.data["id"], &answered.data["window"]),
        (&json!("view"), &json!(5), &json!(64))
    );
    assert_eq!(answered.data["tracks"], json!([[stream, 0, 1], [stream, 1, 1]]));
    assert_eq!(column(&answered, "slices", "start"), [12_000.0, 30_000.0]);
    assert_eq!(column(&answered, "slices", "dur"), [30_000.0, 20_000.0]);
    assert_eq!(answered.data["names"]["texts"], json!(["gemm <script>alert(1)</script>", "overlapping"]));
    let again = timeline.answer(&request, &mut sent).unwrap();
    assert_eq!(again.data["names"]["texts"], json!([]));
}

#[test]
fn slice_has_exact_times_and_all_args() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let stream = lane(&timeline, "stream 20");
    let copy = event(&timeline, stream, "Memcpy HtoD (Pageable -> Device)");
    let found = ask(&timeline, json!({"type": "slice", "id": 1, "lane": stream, "event": copy})).data;
    let base: i64 = timeline.to_json()["sides"][0]["base"].as_str().unwrap().parse().unwrap();
    assert_eq!(found["ts"], (base + 60_000).to_string());
    assert_eq!((&found["dur"], &found["end"]), (&json!("20000"), &json!((base + 80_000).to_string())));
    let args = found["args"].as_array().unwrap();
    assert!(args.contains(&json!(["bytes", "1048576"])) && args.contains(&json!(["stream", "20"])), "{args:?}");
    let wrong = ask(&timeline, json!({"type": "slice", "id": 2, "lane": 0, "event": copy})).data;
    assert_eq!(wrong["type"], "error");
}

#[test]
fn arrows_lead_from_launches_to_kernels() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let (thread, stream) = (lane(&timeline, "thread 1"), lane(&timeline, "stream 7"));
    let kernel = event(&timeline, stream, "gemm <script>alert(1)</script>");
    for (lane, event) in [
        (stream, kernel),
        (thread, event(&timeline, thread, "cudaLaunchKernel")),
        (thread, event(&timeline, thread, "aten::linear")),
    ] {
        let found = ask(&timeline, json!({"type": "arrows", "id": 1, "lane": lane, "event": event})).data;
        let arrows = found["arrows"].as_array().unwrap().iter().filter(|arrow| arrow["kind"] != "call");
        let arrows: Vec<&Value> = arrows.collect();
        assert_eq!(arrows.len(), 1, "{found}");
        assert_eq!(arrows[0]["kind"], "launch");
        assert_eq!((&arrows[0]["from"]["name"], &arrows[0]["from"]["level"]), (&json!("cudaLaunchKernel"), &json!(2)));
        assert_eq!((&arrows[0]["to"]["event"], &arrows[0]["to"]["lane"]), (&json!(kernel), &json!(stream)));
    }
}

#[test]
fn forward_operators_lead_to_backward_ones_without_modules() {
    let numbered = |trace: TraceBuilder, number: u64, forward: u64| {
        trace.arg("Sequence number", &number.to_string()).arg("Fwd thread id", &forward.to_string())
    };
    let mut trace = TraceBuilder::new().step(1, 0..100);
    trace = numbered(trace.operator("aten::linear", 2..10), 7, 0);
    trace = numbered(trace.operator("aten::gelu", 12..20), 8, 0);
    trace = numbered(trace.thread(2).operator("AddmmBackward0", 60..70), 7, 1);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rank-0.json");
    std::fs::write(&file, trace.json()).unwrap();
    let arrows = |timeline: &Timeline, lane_label: &str, name: &str| {
        let lane = lane(timeline, lane_label);
        let event = event(timeline, lane, name);
        let found = ask(timeline, json!({"type": "arrows", "id": 1, "lane": lane, "event": event})).data;
        let end = |arrow: &Value, end: &str| arrow[end]["name"].as_str().unwrap().to_owned();
        let arrows = found["arrows"].as_array().unwrap().iter();
        arrows
            .map(|arrow| (arrow["kind"].as_str().unwrap().to_owned(), end(arrow, "from"), end(arrow, "to")))
            .collect::<Vec<_>>()
    };
    let set = TraceSet::load(&file).unwrap();
    let timeline = TimelineQuery::new(&set).run().unwrap();
    let expected = [("forward".to_owned(), "aten::linear".to_owned(), "AddmmBackward0".to_owned())];
    assert_eq!(arrows(&timeline, "thread 1", "aten::linear"), expected);
    assert_eq!(arrows(&timeline, "thread 2", "AddmmBackward0"), expected);
    assert_eq!(arrows(&timeline, "thread 1", "aten::gelu"), []);
    // A file that is gone is no error: there are no arrows.
    let other = TimelineQuery::new(TraceSet::load(&file).unwrap()).run().unwrap();
    std::fs::remove_file(&file).unwrap();
    assert_eq!(arrows(&other, "thread 1", "aten::linear"), []);
    assert_eq!(arrows(&timeline, "thread 1", "aten::linear"), expected, "read once");
}

#[test]
fn timelines_share_lanes_and_release_events() {
    let set = load(&builder(), "control");
    let columns = set.memory_bytes();
    let filter = || TimelineQuery::new(&set).filter("stream is not null".parse::<Where>().unwrap());
    let mut timelines: Vec<Timeline> = (0..20).map(|_| TimelineQuery::new(&set).run().unwrap()).collect();
    let one = timelines[0].memory_bytes();
    // The kinds of events stay, a byte each.
    let kinds = set.traces()[0].info().events;
    assert_eq!(set.memory_bytes(), columns + kinds + one, "20 timelines have the lanes of one");
    let filtered = [filter().run().unwrap(), filter().run().unwrap()];
    assert!(filtered[0].memory_bytes() < one);
    assert_eq!(set.memory_bytes(), columns + kinds + one + filtered[0].memory_bytes());
    drop(filtered);
    set.give_back();
    assert_eq!(set.memory_bytes(), columns + one);

    let timeline = &mut timelines[0];
    let stream = lane(timeline, "stream 7");
    let kernel = event(timeline, stream, "overlapping");
    let slice = json!({"type": "slice", "id": 1, "lane": stream, "event": kernel});
    let before = ask(timeline, slice.clone());
    timeline.release_events();
    assert_eq!(ask(timeline, slice.clone()).data["type"], "error");
    assert_eq!(event(timeline, stream, "overlapping"), kernel, "lanes need no events");
    timeline.take_events(|label| (label == "control").then(|| set.clone()));
    assert_eq!(ask(timeline, slice), before);
    drop(timelines);
    set.give_back();
    assert_eq!(set.memory_bytes(), columns);
}

#[test]
fn lanes_that_do_not_fit_the_budget_are_refused() {
    let set = load(&builder(), "control");
    let refused = Execution::new().memory(1).run(|| TimelineQuery::new(&set).run()).unwrap_err();
    assert!(refused.to_string().starts_with("cannot answer timeline: "), "{refused}");
    let refused = Execution::new().memory(1).run(|| FlameQuery::new(&set).run()).unwrap_err();
    assert!(refused.to_string().starts_with("cannot answer flame graph: "), "{refused}");
}

#[test]
fn search_counts_all_and_lists_places() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    let found = ask(&timeline, json!({"type": "search", "id": 1, "text": "ATEN::"}));
    assert_eq!((&found.data["count"], found.data["names"].as_array().unwrap().len()), (&json!(2), 2));
    assert_eq!(column(&found, "slices", "start"), [2_000.0, 3_000.0]);
    assert_eq!(
        (found.buffers.len(), ask(&timeline, json!({"type": "search", "text": ""})).data["count"].clone()),
        (4, json!(0))
    );
}

#[test]
fn selection_sums_up_and_is_a_filter() {
    let set = load(&builder(), "control");
    let timeline = TimelineQuery::new(&set).run().unwrap();
    let thread = lane(&timeline, "thread 1");
    let request = json!({"type": "selection", "id": 1, "start": 10_000, "end": 45_000, "lanes": [thread]});
    let found = ask(&timeline, request);
    let rows = found.data["rows"].as_array().unwrap();
    assert_eq!(rows[0], json!({"name": "aten::linear", "count": 1, "total": 35_000, "self": 5_000}));
    assert_eq!(rows[1], json!({"name": "aten::addmm", "count": 1, "total": 30_000, "self": 30_000}));
    assert_eq!((&found.data["count"], &found.data["total"]), (&json!(3), &json!(35_000)));
    // The filter selects the same events, and nothing else.
    let filter = found.filter.unwrap();
    assert_eq!(found.data["filter"], filter);
    for (lanes, expected) in
        [(json!([thread]), 3), (json!([lane(&timeline, "stream 7")]), 2), (Value::Null, 6), (json!([0]), 1)]
    {
        let request = json!({"type": "selection", "start": 10_000, "end": 45_000, "lanes": lanes});
        let found = ask(&timeline, request);
        let filter: Where = found.filter.clone().unwrap().parse().unwrap();
        let query = EventQuery::new(&set).filter(&filter);
        assert_eq!(query.run().unwrap().height() as u64, found.data["count"].as_u64().unwrap(), "{filter}");
        assert_eq!(found.data["count"], expected, "{filter}");
    }
}

#[test]
fn damaged_requests_are_answered() {
    let timeline = TimelineQuery::new(load(&builder(), "control")).run().unwrap();
    for request in [
        json!({}),
        json!([]),
        json!({"type": "view"}),
        json!({"type": "view", "start": 5, "end": 1}),
        json!({"type": "slice", "lane": -1, "event": 3}),
        json!({"type": "slice", "lane": 99, "event": 3}),
        json!({"type": "arrows", "lane": 1, "event": 4_000_000_000_u64}),
        json!({"type": "search"}),
        json!({"type": "selection"}),
    ] {
        assert_eq!(ask(&timeline, request.clone()).data["type"], "error", "{request}");
    }
    for (start, end) in [(f64::MIN, f64::MAX), (-1e300, -1e299), (0.0, 0.0)] {
        let view = ask(&timeline, json!({"type": "view", "start": start, "end": end, "lanes": [0, 99, "x"]}));
        assert_eq!(view.data["type"], "view");
        let sums = ask(&timeline, json!({"type": "selection", "start": start, "end": end}));
        assert!(sums.filter.unwrap().parse::<Where>().is_ok());
    }
}

#[test]
fn conversation_finds_the_trace_again() {
    let set = load(&builder(), "control");
    let filter: Where = "stream is not null".parse().unwrap();
    let timeline = TimelineQuery::new(&set).iterations(1).filter(filter).run().unwrap();
    let open = &timeline.to_json()["open"];
    let again =
        TimelineQuery::of_request(open, |label| (label == "control").then(|| set.clone())).unwrap().run().unwrap();
    assert_eq!((again.to_json(), again.event_count()), (timeline.to_json(), 3));
    let gone = TimelineQuery::of_request(open, |_| None).unwrap_err();
    assert!(gone.contains("control is not loaded"), "{gone}");
    let other = load(&builder().operator("more", 95..99), "control");
    assert!(TimelineQuery::of_request(open, |_| Some(other.clone())).unwrap_err().contains("another trace"));
    assert!(TimelineQuery::of_request(&json!({"traces": [1]}), |_| None).is_err());
}

#[test]
fn two_traces_are_aligned_and_coloured_by_change() {
    let control = builder().operator("only control", 92..93);
    let test = TraceBuilder::new()
        .operator("before", 0..400)
        .step(9, 1_000..1_200)
        .operator("aten::linear", 1_002..1_100)
        .operator("only test", 1_150..1_160);
    let (control, test) = (load(&control, "control"), load(&test, "test"));
    let timeline = TimelineQuery::compare(&control, &test).run().unwrap();
    let output = timeline.to_json();
    assert_eq!(output["sides"].as_array().unwrap().len(), 2);
    assert_eq!((&output["start"], &output["end"]), (&json!(-1_000_000), &json!(200_000)));
    let view = ask(&timeline, json!({"type": "view", "start": -1_000_000, "end": 200_000, "width_px": 60_000}));
    let changes = column(&view, "slices", "change");
    let (names, starts) = (column(&view, "slices", "name"), column(&view, "slices", "start"));
    let ids = view.data["names"]["ids"].as_array().unwrap();
    let texts = view.data["names"]["texts"].as_array().unwrap();
    let of = |text: &str| {
        let id = ids[texts.iter().position(|found| found == text).unwrap()].as_f64().unwrap();
        let row = names.iter().position(|&name| name == id).unwrap();
        (changes[row], starts[row])
    };
    assert_eq!(of("only control"), (2.0, 92_000.0));
    assert_eq!(of("only test"), (1.0, 150_000.0));
    assert_eq!(of("aten::linear"), (3.0, 2_000.0));
    let bundle = timeline.bundle(trace_render::lanes);
    assert!(bundle.data.contains_key("image/png") && !bundle.data.contains_key("text/html"));
}

#[test]
fn unknown_ranks_and_iterations_are_named() {
    let set = load(&builder(), "control");
    let error = TimelineQuery::new(&set).ranks(5).run().unwrap_err();
    assert!(matches!(error, Error::UnknownRank { .. }), "{error}");
    let error = TimelineQuery::new(&set).iterations(5).run().unwrap_err();
    assert!(matches!(error, Error::UnknownIteration { .. }), "{error}");
    assert!(TimelineQuery::new(&set).filter("nothing > 3".parse::<Where>().unwrap()).run().is_err());
}

#[test]
fn large_trace_is_embedded_within_its_limit() {
    let mut json = Vec::new();
    let written = Large { bytes: 60_000_000, seed: 3, rank: 0 }.write(&mut json).unwrap();
    let set = TraceSet::from_bytes(json).unwrap().with_label("large");
    let begin = std::time::Instant::now();
    let timeline = TimelineQuery::new(&set).run().unwrap();
    let built = begin.elapsed();
    let begin = std::time::Instant::now();
    let output = timeline.to_json();
    let (embedded, bytes) = (begin.elapsed(), output.to_string().len());
    let request = json!({"type": "view", "start": output["start"], "end": output["end"], "width_px": 1500});
    let begin = std::time::Instant::now();
    let view = ask(&timeline, request);
    let looked = begin.elapsed();
    let begin = std::time::Instant::now();
    let bundle = trace_render::lanes(&timeline.picture(), "");
    println!(
        "{} events ({} in the file): built in {built:?}, embedded {bytes} bytes in {embedded:?}, view of {} slices in {looked:?}, \
         picture in {:?}, {} bytes an event",
        timeline.event_count(),
        written.events,
        column(&view, "slices", "start").len(),
        begin.elapsed(),
        timeline.memory_bytes() / timeline.event_count()
    );
    assert!(bytes < 310_000, "{bytes}");
    assert!(bundle.data.contains_key("image/png"));
    assert!(built.as_secs_f64() < 3.0 && looked.as_secs_f64() < 0.2, "{built:?} {looked:?}");
    let count: f64 = column(&view, "slices", "count").iter().sum();
    assert_eq!(count as usize, timeline.event_count());
}

#[test]
fn every_event_of_shared_traces_has_its_place() {
    let Ok(shared) = std::env::var("TRACEBOOK_SHARED") else {
        println!("skipped: TRACEBOOK_SHARED is not set");
        return;
    };
    for name in
        ["amd_trace", "critical_path/alexnet", "cupti_synthetic", "nccl_parser_config", "triton_example", "cpu_only"]
    {
        let set = TraceSet::load(std::path::Path::new(&shared).join("traces").join(name)).unwrap();
        let timeline = TimelineQuery::new(&set).ranks(set.ranks()).run().unwrap();
        assert_eq!(timeline.event_count(), set.event_count(), "{name}");
        let output = timeline.to_json();
        let view =
            ask(&timeline, json!({"type": "view", "start": output["start"], "end": output["end"], "width_px": 700}));
        let count: f64 = column(&view, "slices", "count").iter().sum();
        assert_eq!(count as usize, timeline.event_count(), "{name}");
    }
}
