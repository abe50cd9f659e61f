//! Names of annotations as servers write them, and any other text.
#![allow(clippy::unwrap_used)]

use super::{CapturedGraph, RequestSums, ServedPhase, ServedStep, Server};
use trace_testkit::Random;

/// Names, each with server, phase, requests, query tokens, key tokens and size of the graph.
type Row = (&'static str, Server, ServedPhase, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

const NAMES: &[Row] = {
    use ServedPhase::{Decode, Diffusion, Draft, Idle, Mixed, Prefill, Unknown};
    use Server::{Atom, Sglang, Vllm, Xdit};
    &[
        ("execute_context_2(14721)_generation_0(0)", Vllm, Prefill, Some(2), Some(14721), None, None),
        ("execute_context_0(0)_generation_32(128)", Vllm, Decode, Some(32), Some(128), None, None),
        ("execute_context_2(6144)_generation_3(3)", Vllm, Mixed, Some(5), Some(6147), None, None),
        ("execute_context_0(0)_generation_0(0)", Vllm, Idle, Some(0), Some(0), Some(0), None),
        (
            "execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)",
            Vllm,
            Decode,
            Some(32),
            Some(32),
            Some(55086),
            None,
        ),
        (
            "execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3sqsk6144)",
            Vllm,
            Mixed,
            Some(5),
            Some(6147),
            Some(7144 + 6144),
            None,
        ),
        ("step[EXTEND bs=2 toks=14721]", Sglang, Prefill, Some(2), Some(14721), None, None),
        ("step[DECODE bs=64]", Sglang, Decode, Some(64), Some(64), None, None),
        ("step[MIXED bs=2]", Sglang, Mixed, Some(2), None, None, None),
        (
            "step[EXTEND bs=2 toks=12 c_sq=12 c_sqsq=80 c_sqsk=120 c_sk=20]",
            Sglang,
            Prefill,
            Some(2),
            Some(12),
            Some(20),
            None,
        ),
        (
            "step[DECODE bs=64 g_sq=128 g_sqsq=256 g_sqsk=262144 g_sk=131072]",
            Sglang,
            Decode,
            Some(64),
            Some(128),
            Some(131_072),
            None,
        ),
        (
            "step[MIXED bs=5 c=2 g=3 c_sq=6144 c_sk=7144 c_sqsq=2 c_sqsk=2 g_sq=3 g_sk=6144 g_sqsq=3 g_sqsk=6144]",
            Sglang,
            Mixed,
            Some(5),
            Some(6147),
            Some(7144 + 6144),
            None,
        ),
        ("step[TARGET_VERIFY bs=8]", Sglang, Decode, Some(8), None, None, None),
        ("step[DRAFT_LOOP raw_bs=7 bs=8 topk=1]", Sglang, Draft, Some(7), None, None, Some(8)),
        ("step[IDLE bs=0]", Sglang, Idle, Some(0), Some(0), Some(0), None),
        ("step[DLLM_EXTEND bs=2]", Sglang, Unknown, Some(2), None, None, None),
        ("prefill[bs=2 tok=14721 ctx=[7803, 6918]]", Atom, Prefill, Some(2), Some(14721), None, None),
        ("prefill[bs=6 tok=17408 ctx=[4096, 4096, 4096]...+3]", Atom, Prefill, Some(6), Some(17408), None, None),
        ("decode[bs=117/128 tok=117 d=117]", Atom, Decode, Some(117), Some(117), None, Some(128)),
        (
            "decode[bs=32 tok=128 d=32 spec=3 sqsq=512 sqsk=262144 sk=65536]",
            Atom,
            Decode,
            Some(32),
            Some(128),
            Some(65536),
            None,
        ),
        ("decode[bs=128 tok=384 p=2 d=126 sqsq=1 sqsk=2 sk=3 tbo=1]", Atom, Mixed, Some(128), Some(384), None, None),
        ("execute_diffusion_1_256x256", Xdit, Diffusion, None, None, None, None),
        ("execute_diffusion_1024x768_bf16", Xdit, Diffusion, None, None, None, None),
    ]
};

#[test]
fn annotations_of_servers_are_read() {
    for &(name, server, phase, requests, query, keys, graph) in NAMES {
        let step = ServedStep::of_annotation(name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!((step.server, step.phase), (server, phase), "{name}");
        assert_eq!((step.requests, step.query_tokens), (requests, query), "{name}");
        assert_eq!((step.key_tokens(), step.graph_size), (keys, graph), "{name}");
    }
}

#[test]
fn sums_of_both_groups_are_read() {
    let name = "execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3sqsk6144)";
    let step = ServedStep::of_annotation(name).unwrap();
    let sums = |requests, query_tokens, key_tokens, query_squares, query_keys| RequestSums {
        requests: Some(requests),
        query_tokens: Some(query_tokens),
        key_tokens: Some(key_tokens),
        query_squares: Some(query_squares),
        query_keys: Some(query_keys),
    };
    assert_eq!(step.context, sums(2, 6144, 7144, 20_971_520, 23_019_520));
    assert_eq!(step.generation, sums(3, 3, 6144, 3, 6144));
    assert_eq!((step.output_tokens(), step.speculates()), (Some(3), false));
    let atom = ServedStep::of_annotation("decode[bs=128 tok=384 p=2 d=126]").unwrap();
    assert_eq!((atom.context.requests, atom.generation.requests), (Some(2), Some(126)));
    assert!(ServedStep::of_annotation("decode[bs=32 tok=128 d=32 spec=3]").unwrap().speculates());
}

#[test]
fn other_names_are_not_steps_of_a_server() {
    for name in [
        "",
        "execute",
        "execute_model",
        "execute_context_2(6144)",
        "execute_context_2_generation_3",
        "execute_context_2(6144)_generation_3(3) again",
        "execute_context_99999999999999999999(1)_generation_0(0)",
        "execute_1_context_1(sx3)_generation_0(0)",
        "execute_diffusion_",
        "execute_diffusion_case",
        "step[3]",
        "step[DECODE]",
        "step[DECODE bs=]",
        "steps[DECODE bs=64]",
        "step[DECODE bs=64",
        "prefill",
        "decode[]",
        "decode[bs=1/]",
        "decode[bs=x]",
        "ProfilerStep#3",
        "prefill[tok=5]",
    ] {
        assert_eq!(ServedStep::of_annotation(name), None, "{name}");
    }
}

#[test]
fn captures_have_a_size_and_a_kind() {
    let capture = |name| CapturedGraph::of_annotation(name).map(|graph| (graph.size, graph.kind));
    assert_eq!(capture("capture_32_FULL"), Some((32, "FULL")));
    assert_eq!(capture("capture_8192_PIECEWISE"), Some((8192, "PIECEWISE")));
    assert_eq!(capture("capture_256_mixed_prefill"), Some((256, "mixed_prefill")));
    for name in ["capture_", "capture_32", "capture_32_", "capture_x_FULL", "capture_3_(a)", "capturing_3_FULL"] {
        assert_eq!(capture(name), None, "{name}");
    }
    let runs = |name| CapturedGraph::of_annotation(name).map(|graph| (graph.runs_decode(), graph.runs_prefill()));
    assert_eq!(runs("capture_32_DECODE"), Some((true, false)));
    assert_eq!(runs("capture_1_prefill"), Some((false, true)));
    assert_eq!(runs("capture_32_FULL"), Some((true, true)));
}

#[test]
fn step_is_completed_by_annotation_inside_of_it() {
    let step = |name| ServedStep::of_annotation(name).unwrap();
    let (outer, inner) = (step("execute_context_0(0)_generation_32(32)"), step("step[DECODE bs=32 g_sk=900]"));
    let both = outer.completed_by(inner);
    assert_eq!((both.server, both.key_tokens()), (Server::Sglang, Some(900)));
    // Another number of requests, or another phase.
    assert_eq!(outer.completed_by(step("step[DECODE bs=31]")), outer);
    assert_eq!(outer.completed_by(step("step[EXTEND bs=32 toks=40]")), outer);
}

/// Whatever an annotation contains, it is read or not, without a panic; and what is read of a damaged name is consistent.
#[test]
fn any_text_is_read_or_not() {
    let parts = [
        "execute_",
        "context_",
        "_generation_",
        "step[",
        "DECODE ",
        "MIXED ",
        "EXTEND ",
        "bs=",
        "c=",
        "g=",
        "toks=",
        "sq",
        "sk",
        "g_sq=",
        "prefill[",
        "decode[",
        "tok=",
        "p=",
        "d=",
        "/",
        "(",
        ")",
        "]",
        "[",
        " ",
        "_",
        "capture_",
        "x",
        "0",
        "7",
        "18446744073709551615",
        "18446744073709551616",
        "é",
        "\u{0}",
        "−3",
        "+3",
        "diffusion_",
        "1_256x256",
    ];
    let mut random = Random::new(7);
    for _ in 0..200_000 {
        let mut text: String = (0..random.below(9)).map(|_| *random.of(&parts)).collect();
        if random.below(2) == 0 {
            let (name, ..) = *random.of(NAMES);
            let at = name.char_indices().map(|(at, _)| at).nth(random.below(name.len())).unwrap_or(0);
            text = format!("{}{text}{}", &name[..at], &name[at..]);
        }
        let _ = CapturedGraph::of_annotation(&text).map(|graph| (graph.runs_decode(), graph.runs_prefill()));
        let Some(step) = ServedStep::of_annotation(&text) else { continue };
        assert_eq!(step.completed_by(step), step, "{text}");
        let _ = (step.key_tokens(), step.output_tokens(), step.speculates());
        if step.phase == ServedPhase::Decode {
            assert_eq!(step.context.requests, Some(0), "{text}");
        }
    }
}
