//! Names of the annotations of servers → steps.
//!
//! The forms are those of vLLM 0.11 and its `detailed_trace_annotation`, of SGLang and its `detailed_annotations`, of ATOM, and of xDiT.
//! Fields that a form does not have are unknown, not zero.

use super::notation::{bracketed, count, lettered, number, value, whole};
use super::step::{RequestSums, ServedPhase, ServedStep, Server};

impl ServedStep {
    /// Reads the name of an annotation; `None` if it is not that of a step of a server.
    pub fn of_annotation(name: &str) -> Option<Self> {
        // Of most names the first byte decides.
        match name.as_bytes().first()? {
            b'e' => of_vllm(name).or_else(|| of_xdit(name)),
            b's' => of_sglang(name),
            b'p' | b'd' => of_atom(name),
            _ => None,
        }
    }
}

/// `execute_context_2(6144)_generation_3(3)`, and with the number of tokens and with sums
/// `execute_6147_context_2(sq6144sk7144sqsq20971520sqsk23019520)_generation_3(sq3sk6144sqsq3sqsk6144)`.
fn of_vllm(name: &str) -> Option<ServedStep> {
    let rest = name.strip_prefix("execute_")?;
    let rest = number(rest).map_or(Some(rest), |(_, rest)| rest.strip_prefix('_'))?;
    let (context, rest) = vllm_group(rest.strip_prefix("context_")?)?;
    let (generation, rest) = vllm_group(rest.strip_prefix("_generation_")?)?;
    rest.is_empty().then(|| ServedStep::of_groups(Server::Vllm, context, generation))
}

/// `2(6144)` or `2(sq6144sk7144sqsq20971520sqsk23019520)`, and what follows.
fn vllm_group(text: &str) -> Option<(RequestSums, &str)> {
    let (requests, rest) = number(text)?;
    let (sums, rest) = rest.strip_prefix('(')?.split_once(')')?;
    if requests == 0 {
        return Some((RequestSums::NONE, rest));
    }
    let mut group = RequestSums { requests: Some(requests), ..RequestSums::default() };
    match whole(sums) {
        Some(tokens) => group.query_tokens = Some(tokens),
        None => {
            for (key, sum) in lettered(sums)? {
                match key {
                    "sq" => group.query_tokens = Some(sum),
                    "sk" => group.key_tokens = Some(sum),
                    "sqsq" => group.query_squares = Some(sum),
                    "sqsk" => group.query_keys = Some(sum),
                    _ => return None,
                }
            }
        }
    }
    Some((group, rest))
}

/// `step[DECODE bs=64 g_sq=64 g_sqsq=64 g_sqsk=131072 g_sk=131072]`, `step[EXTEND bs=2 toks=14721]`,
/// `step[MIXED bs=2 c=1 g=1 c_sq=5 …]`.
fn of_sglang(name: &str) -> Option<ServedStep> {
    let text = bracketed(name, "step")?;
    let (mode, fields) = text.split_once(' ')?;
    let padded = count(fields, "bs")?;
    // A graph of `bs` that runs fewer requests names them.
    let (requests, graph_size) = match count(fields, "raw_bs") {
        Some(requests) => (requests, Some(padded)),
        None => (padded, None),
    };
    let sums = |group: &str| RequestSums {
        requests: count(fields, group),
        query_tokens: count(fields, &format!("{group}_sq")),
        key_tokens: count(fields, &format!("{group}_sk")),
        query_squares: count(fields, &format!("{group}_sqsq")),
        query_keys: count(fields, &format!("{group}_sqsk")),
    };
    let (mut context, mut generation) = (sums("c"), sums("g"));
    let step = match mode {
        _ if requests == 0 || mode == "IDLE" => {
            ServedStep::of_groups(Server::Sglang, RequestSums::NONE, RequestSums::NONE)
        }
        "DECODE" | "TARGET_VERIFY" => {
            generation.requests = Some(requests);
            // Without sums nothing says that requests speculate, unless drafts are verified.
            let plain = (mode == "DECODE").then_some(requests);
            generation.query_tokens = generation.query_tokens.or(plain);
            ServedStep::of_groups(Server::Sglang, RequestSums::NONE, generation)
        }
        "EXTEND" | "SPLIT_PREFILL" => {
            context.requests = Some(requests);
            context.query_tokens = context.query_tokens.or(count(fields, "toks"));
            ServedStep::of_groups(Server::Sglang, context, RequestSums::NONE)
        }
        "MIXED" => {
            let step = ServedStep::of_groups(Server::Sglang, context, generation);
            let query_tokens = step.query_tokens.or(count(fields, "toks"));
            ServedStep { requests: Some(requests), query_tokens, ..step }
        }
        _ => {
            let phase = if mode.contains("DRAFT") { ServedPhase::Draft } else { ServedPhase::Unknown };
            let (context, generation) = (RequestSums::default(), RequestSums::default());
            let step = ServedStep::of_groups(Server::Sglang, context, generation);
            ServedStep { phase, requests: Some(requests), ..step }
        }
    };
    Some(ServedStep { graph_size, ..step })
}

/// `prefill[bs=2 tok=14721 ctx=[7803, 6918]]`, `decode[bs=117/128 tok=117 d=117]`,
/// `decode[bs=128 tok=384 p=2 d=126 sqsq=132612 sqsk=1114112 sk=258048]`.
fn of_atom(name: &str) -> Option<ServedStep> {
    let (fields, is_prefill) = match bracketed(name, "prefill") {
        Some(fields) => (fields, true),
        None => (bracketed(name, "decode")?, false),
    };
    let (requests, graph_size) = match value(fields, "bs")?.split_once('/') {
        Some((requests, size)) => (whole(requests)?, Some(whole(size)?)),
        None => (count(fields, "bs")?, None),
    };
    let group = RequestSums {
        requests: Some(requests),
        query_tokens: count(fields, "tok"),
        key_tokens: count(fields, "sk"),
        query_squares: count(fields, "sqsq"),
        query_keys: count(fields, "sqsk"),
    };
    let prompts = count(fields, "p").filter(|&prompts| prompts > 0);
    let step = match prompts {
        _ if is_prefill => ServedStep::of_groups(Server::Atom, group, RequestSums::NONE),
        None => ServedStep::of_groups(Server::Atom, RequestSums::NONE, group),
        // Sums are of both groups together.
        Some(prompts) => {
            let of = |requests| RequestSums { requests, ..RequestSums::default() };
            let generating = count(fields, "d").or(requests.checked_sub(prompts));
            let step = ServedStep::of_groups(Server::Atom, of(Some(prompts)), of(generating));
            ServedStep { requests: Some(requests), query_tokens: group.query_tokens, ..step }
        }
    };
    Some(ServedStep { graph_size, ..step })
}

/// `execute_diffusion_1_256x256`.
fn of_xdit(name: &str) -> Option<ServedStep> {
    let rest = name.strip_prefix("execute_diffusion_")?;
    let has_size = rest.split('_').any(|word| {
        word.split_once('x').is_some_and(|(height, width)| whole(height).is_some() && whole(width).is_some())
    });
    let (context, generation) = (RequestSums::default(), RequestSums::default());
    let step = ServedStep::of_groups(Server::Xdit, context, generation);
    has_size.then_some(ServedStep { phase: ServedPhase::Diffusion, ..step })
}
