//! The answer in sentences: each phase for itself, never a mean over several.

use super::answer::{ServingAnswer, StepSource};
use super::phases::PhaseSummary;
use super::replicas::Replica;
use super::tables::BETWEEN;
use crate::{DeviceTime, ServedPhase, StepMarker};
use trace_view::format::number::float;
use trace_view::format::{counted, grouped, nanoseconds, numbered};

/// How servers are made to say what their steps do.
pub(super) const OPTIONS: &str = "To know requests, tokens and phases, record with annotations: of vLLM --profiler-config.detailed_trace_annotation True, \
     of SGLang \"detailed_annotations\": true in the request to /start_profile, of ATOM ATOM_ENABLE_DETAILED_ANNOTATION=1 in its environment.";
/// How servers are made to say how many keys attention reads.
const DETAILS: &str = "The annotations count requests and query tokens only. Detailed ones also say how many keys attention reads: of vLLM \
     --profiler-config.detailed_trace_annotation True, of SGLang \"detailed_annotations\": true in the request to /start_profile, of ATOM \
     ATOM_ENABLE_DETAILED_ANNOTATION=1 in its environment.";

/// Least share of a time that a sentence names.
const LEAST_SHARE: f64 = 0.0005;
/// Sizes of captured graphs that a sentence lists.
const MOST_SIZES: usize = 20;

impl ServingAnswer {
    /// Returns the answer in sentences, each a line.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = vec![self.headline()];
        sentences.extend(self.replicas_sentence());
        sentences.extend(self.phases.iter().map(|phase| self.phase_sentence(phase)));
        sentences.extend(self.phases.iter().filter_map(padding_sentence));
        sentences.extend(self.captures_sentence());
        sentences.extend(self.between_sentence());
        if self.overlapping > 0 {
            sentences.push(format!(
                "Left out: {} that begin inside another step and end after it, as steps of two engines in one process do.",
                counted(self.overlapping, "annotation")
            ));
        }
        match &self.source {
            StepSource::Annotations if self.needs_details() => sentences.push(DETAILS.to_owned()),
            StepSource::Annotations => {}
            _ => sentences.push(OPTIONS.to_owned()),
        }
        sentences
    }

    /// Whether detailed annotations would say more: steps with requests lack their key tokens.
    fn needs_details(&self) -> bool {
        let lacks =
            |phase: &PhaseSummary| phase.key_tokens.is_none() && phase.requests.is_some_and(|count| count > 0.0);
        self.phases.iter().any(lacks)
    }

    /// Says how many steps there are, and what marks them.
    pub(super) fn headline(&self) -> String {
        let steps = self.phases.iter().map(|phase| phase.steps).sum();
        let span = self.replicas.iter().map(Replica::span_ns).max().unwrap_or(0);
        let (steps, span) = (counted(steps, "step"), nanoseconds(span));
        match &self.source {
            StepSource::Annotations => {
                let of = |phase: &PhaseSummary| format!("{} {}", grouped(phase.steps), phase.phase.word());
                let phases: Vec<String> = self.phases.iter().map(of).collect();
                format!("{}: {steps} in {span}, {}.", self.server_names(), phases.join(", "))
            }
            StepSource::Profiler => {
                format!("No server annotates its steps. The profiler has {steps} in {span}.{}", self.busy())
            }
            StepSource::Found(StepMarker { name, .. }) => {
                format!(
                    "No server annotates its steps. By the call `{name}`, which repeats, there are {steps} in {span}.{}",
                    self.busy()
                )
            }
            StepSource::Several(markers) => {
                let names: Vec<String> = markers.iter().map(|marker| format!("`{}`", marker.name)).collect();
                format!(
                    "No server annotates its steps, and several calls repeat that launch most of the work: {}.{}",
                    names.join(", "),
                    self.busy()
                )
            }
            StepSource::None => {
                format!(
                    "No server annotates its steps, and no call repeats that launches most of the work.{}",
                    self.busy()
                )
            }
        }
    }

    /// Says how busy the GPUs are, and how many graphs are launched, where nothing else is known.
    fn busy(&self) -> String {
        let graphs = grouped(self.graph_launches);
        match &self.device {
            Some(device) => format!(
                " From the first to the last work of the GPU, {} passed{}, of which it was busy for {} ({}); launches of graphs: {graphs}.",
                nanoseconds(device.span_ns),
                if self.ranks.len() > 1 {
                    format!(" on {}, in all", numbered("rank", &self.ranks))
                } else {
                    String::new()
                },
                nanoseconds(device.busy_ns),
                percent(device.busy_percent())
            ),
            None => " No work of a GPU was recorded.".to_owned(),
        }
    }

    fn replicas_sentence(&self) -> Option<String> {
        let is_unknown = self.gpus().is_none() && !self.replicas.is_empty();
        let has_rates =
            self.phases.iter().any(|phase| phase.prompt_tokens_per_second.or(phase.output_tokens_per_second).is_some());
        let partial = if is_unknown && has_rates {
            " Not all ranks of the job are loaded, so tokens a second per GPU are unknown: load the other ranks."
        } else {
            ""
        };
        let are_single = self.replicas.iter().all(|replica| replica.ranks.len() == 1);
        let text = match self.replicas.as_slice() {
            [] => return None,
            [_] if are_single => String::new(),
            [replica] => shared_sentence(replica),
            replicas if are_single => format!(
                "{} run steps of their own: each counts as a server of its own, tokens a second are their sum.",
                numbered("Rank", &replicas.iter().map(|replica| replica.rank).collect::<Vec<_>>())
            ),
            replicas => format!(
                "The ranks are {} of the server, whose tokens a second add up: {}. Steps that several ranks run count once.",
                counted(replicas.len(), "replica"),
                replicas.iter().map(shared).collect::<Vec<_>>().join("; ")
            ),
        };
        let text = format!("{text}{partial}").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    fn phase_sentence(&self, phase: &PhaseSummary) -> String {
        let [median, p10, p90] =
            [phase.step.median, phase.step.p10, phase.step.p90].map(|ns| nanoseconds(ns.round() as i64));
        let spread = if phase.steps > 1 { format!("{median} (median; p10 {p10}, p90 {p90})") } else { median };
        let mut facts = Vec::new();
        if let Some(requests) = phase.requests.filter(|&count| count > 0.0) {
            facts.push(format!("{} a step", plural(requests, "request")));
        }
        if let Some(tokens) = phase.prompt_tokens.filter(|&count| count > 0.0) {
            facts.push(format!("{} a step", plural(tokens, "prompt token")));
        }
        facts.push(match (phase.phase.generates(), phase.speculates) {
            (true, true) => format!("a step takes {spread}, in which a request gets one token or several"),
            (true, false) => format!("time per output token {spread}"),
            (false, _) => format!("a step takes {spread}"),
        });
        for (rate, what) in
            [(phase.prompt_tokens_per_second, "prompt tokens/s"), (phase.output_tokens_per_second, "output tokens/s")]
        {
            let Some(rate) = rate else { continue };
            let several = self.gpus().is_some_and(|gpus| gpus > 1);
            let per_gpu = self.per_gpu(Some(rate)).filter(|_| several);
            let per_gpu = per_gpu.map(|rate| format!(" ({} per GPU)", short(rate))).unwrap_or_default();
            let least = if phase.speculates && what.starts_with("output") { "at least " } else { "" };
            facts.push(format!("{least}{} {what}{per_gpu}", short(rate)));
        }
        let gpu = if phase.device.busy_ns > 0 { format!(" {}", gpu_sentence(&phase.device)) } else { String::new() };
        let word = if phase.phase == ServedPhase::Unknown { "steps" } else { phase.phase.word() };
        format!("{word}: {}.{gpu}", facts.join(", "))
    }

    fn captures_sentence(&self) -> Option<String> {
        let mut sizes: Vec<u64> = self.captures.iter().map(|(size, _)| *size).collect();
        sizes.dedup();
        if sizes.is_empty() {
            return None;
        }
        let shown: Vec<String> = sizes.iter().take(MOST_SIZES).map(|&size| grouped(size)).collect();
        let more = if sizes.len() > MOST_SIZES { format!(", … {} in all", sizes.len()) } else { String::new() };
        let mut kinds: Vec<&str> = self.captures.iter().map(|(_, kind)| kind.as_str()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        let alone = if self.replicas.iter().all(|replica| replica.steps.iter().all(|step| step.served.is_none())) {
            " This is a recording of captures: load it with --companion beside one of the running server."
        } else {
            ""
        };
        Some(format!("Graphs were captured for batches of {}{more} ({}).{alone}", shown.join(", "), kinds.join(", ")))
    }

    fn between_sentence(&self) -> Option<String> {
        let (between, span) = self
            .replicas
            .iter()
            .map(|replica| (replica.between_ns(), replica.span_ns()))
            .fold((0_i64, 0_i64), |sum, of| (sum.0.saturating_add(of.0), sum.1.saturating_add(of.1)));
        let share = 100.0 * between as f64 / span.max(1) as f64;
        (self.source == StepSource::Annotations && between > 0).then(|| {
            format!(
                "{BETWEEN}: {} ({}), while no request is known to wait.",
                nanoseconds(between),
                percent(Some(share))
            )
        })
    }
}

fn shared(replica: &Replica) -> String {
    numbered("rank", &replica.ranks)
}

fn shared_sentence(replica: &Replica) -> String {
    format!(
        "{} run the same steps, as those of tensor parallelism do: each step counts once, with the times of rank {}; tokens a second per GPU \
         are divided by {}.",
        numbered("Rank", &replica.ranks),
        replica.rank,
        replica.ranks.len()
    )
}

/// `The GPU computes 61.0 % of it, communicates alone 12.3 %, copies 0.4 % and is idle 26.3 %.`
pub(super) fn gpu_sentence(device: &DeviceTime) -> String {
    let share = |ns: i64| percent((device.span_ns > 0).then(|| 100.0 * ns as f64 / device.span_ns as f64));
    let classes = [
        ("computes", device.computation_ns),
        ("communicates alone", device.communication_ns),
        ("copies", device.memory_ns),
        ("does other work", device.other_ns),
    ];
    // A share that would be written as zero says nothing.
    let counts = |ns: i64| ns as f64 >= LEAST_SHARE * device.span_ns as f64;
    let busy: Vec<String> = classes
        .into_iter()
        .filter(|&(_, ns)| ns > 0 && counts(ns))
        .map(|(verb, ns)| format!("{verb} {}", share(ns)))
        .collect();
    if busy.is_empty() {
        return format!("The GPU is idle {} of the time.", share(device.idle_ns));
    }
    format!("The GPU {} of the time, and is idle {}.", busy.join(", "), share(device.idle_ns))
}

fn padding_sentence(phase: &PhaseSummary) -> Option<String> {
    let padding = &phase.padding;
    let percent = percent(Some(padding.percent()?));
    Some(format!(
        "Graphs of {} run {} of the {} for which they were captured, in {}: {percent} is padding.",
        phase.phase.word(),
        grouped(padding.run),
        grouped(padding.captured),
        counted(padding.steps, "step"),
    ))
}

/// `8.6 %`
pub(super) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "unknown".to_owned(), |share| format!("{} %", float(share, 1)))
}

/// `1 request`, `23 requests`, `6.5 requests`
fn plural(mean: f64, noun: &str) -> String {
    format!("{} {noun}{}", short(mean), if mean == 1.0 { "" } else { "s" })
}

/// Writes a mean or a rate with about three digits.
pub(super) fn short(value: f64) -> String {
    let is_whole = value.fract() == 0.0 || value.abs() >= 100.0;
    float(value, if is_whole { 0 } else { 1 })
}
