//! Steps of servers in traces written by hand, whose numbers are computed by hand.
#![allow(clippy::unwrap_used)]

use super::{Serving, ServingAnswer, StepSource};
use crate::{ServedPhase, Server, TraceSet};
use trace_testkit::{Stream, TraceBuilder};

/// Adds a step in µs: its annotation, and one launch of a graph, which runs `kernel`.
fn step(
    trace: TraceBuilder,
    name: &str,
    annotation: std::ops::Range<i64>,
    kernel: &str,
    runs: std::ops::Range<i64>,
) -> TraceBuilder {
    let launch = annotation.start + 1;
    trace
        .annotation(name, annotation)
        .runtime("cudaGraphLaunch", launch, launch..launch + 2)
        .kernel(kernel, Stream(7), runs)
        .correlation(launch)
}

/// A prefill of 100 µs and three decodes of 20, 20 and 30 µs; the GPU is behind the host.
///
/// ```text
/// annotations   0-10 prefill       100-105 decode  121-125 decode      142-146 decode
/// GPU           10-100             102-118         122-138             143-170
/// steps         0-100              100-120         120-140             140-170
/// ```
fn server(trace: TraceBuilder) -> TraceBuilder {
    let trace = step(trace, "execute_context_2(6144)_generation_0(0)", 0..10, "gemm", 10..100);
    let trace = step(trace, "execute_context_0(0)_generation_8(8)", 100..120, "attention", 102..118);
    let trace = step(trace, "execute_context_0(0)_generation_8(8)", 121..125, "attention", 122..140);
    step(trace, "execute_context_0(0)_generation_5(5)", 142..146, "attention", 143..170)
}

fn alone(trace: TraceBuilder) -> TraceBuilder {
    trace.without_rank().metadata("distributedInfo", r#"{"backend": "nccl", "rank": 0, "world_size": 1}"#)
}

fn loaded(ranks: &[TraceBuilder]) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for (rank, trace) in ranks.iter().enumerate() {
        std::fs::write(folder.path().join(format!("{rank}.json")), trace.json()).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label("server")
}

fn asked(trace: TraceBuilder) -> ServingAnswer {
    Serving::default().run(&loaded(&[trace])).unwrap()
}

#[test]
fn steps_end_with_their_work_and_begin_where_tokens_are_due() {
    let answer = asked(alone(server(TraceBuilder::new())));
    let steps = &answer.replicas[0].steps;
    let times: Vec<[i64; 2]> = steps.iter().map(|step| [step.start_ns / 1000, step.end_ns() / 1000]).collect();
    assert_eq!(times, [[0, 100], [100, 120], [120, 140], [140, 170]]);
    let decode = answer.phase(ServedPhase::Decode).unwrap();
    let spread = decode.time_per_output_token().unwrap();
    // Of 20, 20 and 30 µs: p90 is 20 + 0.8 · 10.
    assert_eq!([spread.p10, spread.median, spread.p90], [20_000.0, 20_000.0, 28_000.0]);
    // 21 tokens in 70 µs.
    assert_eq!(decode.output_tokens_per_second, Some(21.0 / 70e-6));
    assert_eq!((decode.requests, decode.output_tokens), (Some(7.0), Some(7.0)));
    let prefill = answer.phase(ServedPhase::Prefill).unwrap();
    assert_eq!(prefill.prompt_tokens_per_second, Some(6144.0 / 100e-6));
    assert_eq!((prefill.time_per_output_token(), prefill.output_tokens_per_second), (None, None));
    assert_eq!((answer.servers(), answer.gpus()), (vec![Server::Vllm], Some(1)));
    assert_eq!(answer.replicas[0].between_ns(), 0);
}

#[test]
fn time_of_each_phase_is_divided_by_what_the_gpu_did() {
    let trace = alone(server(TraceBuilder::new()))
        // 4 of 6 µs while nothing computes.
        .kernel("ncclDevKernel_AllReduce", Stream(20), 114..120)
        .memcpy("Memcpy HtoD (Pinned -> Device)", Stream(21), 8, 4..12);
    let answer = asked(trace);
    let micros = |phase| {
        let device = answer.phase(phase).unwrap().device;
        [device.span_ns, device.computation_ns, device.communication_ns, device.memory_ns, device.idle_ns]
            .map(|ns| ns / 1000)
    };
    assert_eq!(micros(ServedPhase::Prefill), [100, 90, 0, 6, 4]);
    // 16 of 20, 18 of 20 and 27 of 30 µs compute; 2 µs of the collective are alone.
    assert_eq!(micros(ServedPhase::Decode), [70, 61, 2, 0, 7]);
    let time = answer.time().unwrap();
    assert_eq!(time.column("time").unwrap().f64().unwrap().iter().flatten().sum::<f64>(), 170.0);
}

#[test]
fn pause_before_a_prefill_is_between_steps() {
    let trace = step(alone(TraceBuilder::new()), "step[DECODE bs=4]", 0..20, "attention", 5..18);
    let trace = step(trace, "step[EXTEND bs=1 toks=90]", 50..60, "gemm", 55..80);
    let trace = step(trace, "step[DECODE bs=5]", 90..100, "attention", 91..99);
    let answer = asked(trace);
    let times: Vec<i64> = answer.replicas[0].steps.iter().map(|step| step.device.span_ns / 1000).collect();
    assert_eq!(times, [20, 30, 20]);
    assert_eq!(answer.replicas[0].between_ns(), 30_000);
    let time = answer.time().unwrap();
    assert_eq!(time.column("phase").unwrap().str().unwrap().last(), Some("between steps"));
}

#[test]
fn padding_is_that_of_annotations_and_of_captures() {
    let trace = step(alone(TraceBuilder::new()), "decode[bs=117/128 tok=117 d=117]", 0..20, "attention", 5..18);
    let padding = asked(trace).phase(ServedPhase::Decode).unwrap().padding;
    assert_eq!((padding.run, padding.captured), (117, 128));
    assert_eq!(padding.percent(), Some(100.0 * 11.0 / 128.0));

    // 17 requests run the graph of 32, not that of 16, nor one of prefills; 33 run none.
    let captures = |trace: TraceBuilder| {
        trace
            .annotation("capture_16_FULL", 1000..1010)
            .annotation("capture_24_mixed_prefill", 1010..1020)
            .annotation("capture_32_FULL", 1020..1030)
    };
    let replay = step(alone(TraceBuilder::new()), "step[DECODE bs=17]", 0..20, "attention", 5..18);
    let replay = step(replay, "step[DECODE bs=33]", 30..50, "attention", 35..48);
    let padding = |answer: &ServingAnswer| {
        let padding = answer.phase(ServedPhase::Decode).unwrap().padding;
        (padding.steps, padding.run, padding.captured)
    };
    assert_eq!(padding(&asked(captures(replay.clone()))), (1, 17, 32));
    // The captures are in another recording.
    let capture = loaded(&[captures(alone(TraceBuilder::new()))]);
    let query = Serving { companions: vec![capture.clone()], ..Serving::default() };
    let answer = query.run(&loaded(std::slice::from_ref(&replay))).unwrap();
    assert_eq!(padding(&answer), (1, 17, 32));
    assert_eq!(padding(&asked(replay)).0, 0);
    let alone = Serving::default().run(&capture).unwrap();
    assert!(
        alone.sentences().join(" ").contains("batches of 16, 24, 32 (FULL, mixed_prefill)"),
        "{:?}",
        alone.sentences()
    );
    assert!(alone.sentences().join(" ").contains("a recording of captures"));
}

#[test]
fn ranks_that_run_the_same_steps_count_once() {
    let rank = |rank: i64, communicates: bool| {
        let info = format!(r#"{{"backend": "nccl", "rank": {rank}, "world_size": 2}}"#);
        let trace = server(TraceBuilder::new().without_rank().metadata("distributedInfo", &info));
        if communicates { trace.kernel("ncclDevKernel_AllReduce", Stream(20), 110..116) } else { trace }
    };
    let ask = |ranks: &[TraceBuilder]| Serving::default().run(&loaded(ranks)).unwrap();
    let one = ask(&[rank(0, true), rank(1, true)]);
    assert_eq!((one.replicas.len(), one.replicas[0].rank, one.gpus()), (1, 0, Some(2)));
    let rate = one.phase(ServedPhase::Decode).unwrap().output_tokens_per_second.unwrap();
    assert!((rate - 21.0 / 70e-6).abs() < 1e-3);
    assert_eq!(one.per_gpu(Some(rate)), Some(rate / 2.0));
    let text = one.sentences().join("\n");
    assert!(text.contains("Ranks 0, 1 run the same steps") && text.contains("the times of rank 0"), "{text}");
    // Without communication they are two servers.
    let two = ask(&[rank(0, false), rank(1, false)]);
    assert_eq!((two.replicas.len(), two.gpus()), (2, Some(2)));
    let sum = two.phase(ServedPhase::Decode).unwrap().output_tokens_per_second.unwrap();
    assert!((sum - 2.0 * rate).abs() < 1e-3, "{sum}");
    assert!(two.sentences().join("\n").contains("Ranks 0, 1 run steps of their own"));
    // One of two ranks: the other one may run the same.
    let half = ask(&[rank(0, true)]);
    assert_eq!((half.gpus(), half.per_gpu(Some(rate))), (None, None));
    assert!(half.sentences().join("\n").contains("Not all ranks of the job are loaded"));
    // A rank that lacks the first step is of the same server; the steps are those of the other one.
    let late = |number: i64| {
        let info = format!(r#"{{"backend": "nccl", "rank": {number}, "world_size": 2}}"#);
        let trace = TraceBuilder::new().without_rank().metadata("distributedInfo", &info);
        let trace = step(trace, "execute_context_0(0)_generation_8(8)", 100..120, "attention", 102..118);
        let trace = step(trace, "execute_context_0(0)_generation_8(8)", 121..125, "attention", 122..140);
        step(trace, "execute_context_0(0)_generation_5(5)", 142..146, "attention", 143..170).kernel(
            "ncclDevKernel_AllReduce",
            Stream(20),
            110..116,
        )
    };
    let both = ask(&[late(0), rank(1, true)]);
    assert_eq!((both.replicas.len(), both.replicas[0].rank, both.replicas[0].steps.len()), (1, 1, 4));
}

#[test]
fn annotation_inside_of_a_step_completes_it() {
    let outer = "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk900sqsq32sqsk900)";
    let trace = step(alone(TraceBuilder::new()), outer, 0..30, "attention", 5..28);
    let answer = asked(trace.annotation("step[DECODE bs=32]", 2..29).annotation("step[DECODE bs=3]", 20..60));
    assert_eq!((answer.replicas[0].steps.len(), answer.overlapping), (1, 1));
    assert_eq!(answer.servers(), [Server::Sglang]);
    assert_eq!(answer.phase(ServedPhase::Decode).unwrap().key_tokens, Some(900.0));
}

#[test]
fn device_annotations_are_steps_without_those_of_the_host() {
    let trace = alone(TraceBuilder::new())
        .complete("gpu_user_annotation", "step[DECODE bs=4]", 0, 7, 10..30)
        .kernel("attention", Stream(7), 12..30)
        .complete("gpu_user_annotation", "step[DECODE bs=4]", 0, 7, 35..60)
        .kernel("attention", Stream(7), 35..60);
    let answer = asked(trace);
    let times: Vec<i64> = answer.replicas[0].steps.iter().map(|step| step.device.span_ns / 1000).collect();
    assert_eq!(times, [20, 30]);
}

#[test]
fn speculation_makes_a_step_an_upper_bound() {
    let name = "decode[bs=32 tok=128 d=32 spec=3]";
    let answer = asked(step(alone(TraceBuilder::new()), name, 0..30, "attention", 5..28));
    let decode = answer.phase(ServedPhase::Decode).unwrap();
    assert!(decode.speculates);
    let text = answer.sentences().join("\n");
    assert!(text.contains("a request gets one token or several") && text.contains("at least"), "{text}");
}

#[test]
fn without_annotations_steps_are_found_and_options_named() {
    let mut trace = alone(TraceBuilder::new());
    for number in 0..4 {
        let at = 100 * number;
        trace = trace.annotation("forward_step", at..at + 80);
        trace = trace.runtime("cudaGraphLaunch", number + 1, at + 1..at + 3);
        trace = trace.kernel("gemm", Stream(7), at + 5..at + 65).correlation(number + 1);
    }
    let answer = asked(trace);
    assert!(matches!(&answer.source, StepSource::Found(marker) if marker.count == 4), "{:?}", answer.source);
    let steps = answer.phase(ServedPhase::Unknown).unwrap();
    assert_eq!((steps.steps, steps.step.median, steps.graph_launches), (4, 80_000.0, 1.0));
    assert_eq!((steps.device.busy_ns, answer.graph_launches), (240_000, 4));
    let text = answer.sentences().join("\n");
    for words in [
        "No server annotates",
        "`forward_step`",
        "launches of graphs: 4",
        "--profiler-config.detailed_trace_annotation True",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    // The steps of the profiler.
    let trace = alone(TraceBuilder::new()).step(1, 0..50).step(2, 50..120).kernel("gemm", Stream(7), 5..65);
    let answer = asked(trace);
    assert_eq!((answer.source.word(), answer.phases[0].steps), ("profiler", 2));
    // Nothing at all.
    let nothing = asked(alone(TraceBuilder::new()).operator("aten::mm", 0..5));
    assert_eq!((nothing.phases.len(), nothing.source.word()), (0, "none"));
    assert!(nothing.summary().unwrap().height() == 0 && nothing.report(5).unwrap().parts.len() == 1);
}

#[test]
fn phases_of_two_traces_are_compared_with_each_other() {
    let control = loaded(&[alone(server(TraceBuilder::new()))]).with_label("control");
    let faster = step(alone(TraceBuilder::new()), "execute_context_0(0)_generation_8(8)", 0..10, "attention", 2..10);
    let faster = step(faster, "execute_context_0(0)_generation_8(8)", 10..20, "attention", 12..20);
    let test = loaded(&[faster]).with_label("test");
    let change = Serving::default().compare(&control, &test).unwrap();
    assert_eq!(change.phases(), [ServedPhase::Prefill, ServedPhase::Decode]);
    let decode = change.quantity(ServedPhase::Decode, "time per output token, median").unwrap();
    assert_eq!((decode.values, decode.percent()), ([Some(20_000.0), Some(10_000.0)], Some(-50.0)));
    let prefill = change.quantity(ServedPhase::Prefill, "step, median").unwrap();
    assert_eq!((prefill.values, prefill.change()), ([Some(100_000.0), None], None));
    let text = change.sentences().join("\n");
    for words in [
        "prefill: only in control.",
        "decode: time per output token, median 20.0 µs → 10.0 µs (−50.0 %)",
        "decode has 7 requests a step in control, 8 in test",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(change.frame().unwrap().height(), change.quantities.len());
    // Both figures have a series per side and phase.
    let figures = super::figure::figures(&[(&change.sides[0], "control"), (&change.sides[1], "test")], "");
    let names: Vec<&str> = figures[0].series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["control: prefill", "control: decode", "test: decode"]);
}

#[test]
fn tables_documents_and_figures_have_all_steps() {
    let answer = asked(alone(server(TraceBuilder::new())));
    let steps = answer.steps().unwrap();
    assert_eq!(steps.height(), 4);
    let time = steps.column("time").unwrap().f64().unwrap().into_no_null_iter().collect::<Vec<_>>();
    assert_eq!(time, [100.0, 20.0, 20.0, 30.0]);
    let json = answer.to_json();
    assert_eq!(json["phases"][1]["time_per_output_token_ns"]["median"], 20_000.0);
    assert_eq!(json["replicas"][0]["steps"][0]["served"]["context"]["query_tokens"], 6144);
    let figures = answer.figures();
    assert_eq!(figures.len(), 2);
    // A line from 0 to 100 µs at the height of 100 µs, and a gap.
    assert_eq!(figures[0].series[0].y[..2], [100.0, 100.0]);
    assert!(figures[0].series[0].y[2].is_nan());
    // A table leaves out of what nothing is known.
    let headers = |answer: &ServingAnswer| -> Vec<String> {
        answer.summary_table().unwrap().headers.into_iter().map(|header| header.name).collect()
    };
    assert!(!headers(&answer).contains(&"key tokens".to_owned()));
    assert_eq!(answer.report(10).unwrap().parts.len(), 6);
}

#[test]
fn names_of_steps_are_data_whatever_they_contain() {
    let name = "step[DECODE bs=4 <script>alert(1)</script>]";
    let answer = asked(step(alone(TraceBuilder::new()), name, 0..10, "k", 1..9));
    assert_eq!(answer.replicas[0].steps[0].name, name);
}

#[test]
fn recorded_decode_of_a_server_has_its_32_requests() {
    let Some(folder) =
        std::env::var_os("TRACEBOOK_SHARED").map(|at| std::path::PathBuf::from(at).join("traces/capture"))
    else {
        return eprintln!("skipped: TRACEBOOK_SHARED names no folder of traces");
    };
    if !folder.is_dir() {
        return eprintln!("skipped: no recorded server");
    }
    let load = |name: &str| TraceSet::load(folder.join(name)).unwrap();
    let query = Serving { companions: vec![load("sglang_decode.capture.json.gz")], ..Serving::default() };
    let answer = query.run(&load("sglang_decode.replay.json.gz")).unwrap();
    assert_eq!(answer.servers(), [Server::Sglang]);
    let decode = answer.phase(ServedPhase::Decode).unwrap();
    assert_eq!((decode.requests, decode.key_tokens), (Some(32.0), Some(32_785.0)));
    assert_eq!((decode.steps, decode.padding.percent()), (1, Some(0.0)));
    // From its annotation, at …216,204.635 µs of the clock, to the end of its last kernel, at …690,035.167 µs.
    assert_eq!(decode.step.median, 473_830_532.0);
}
