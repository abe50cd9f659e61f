//! A step of a server, as its annotation describes it.

use serde::{Deserialize, Serialize};

/// An inference server, by the form of its annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Server {
    /// `execute_context_2(6144)_generation_3(3)`.
    Vllm,
    /// `step[DECODE bs=64]`.
    Sglang,
    /// `decode[bs=117/128 tok=117 d=117]`.
    Atom,
    /// `execute_diffusion_1_256x256`.
    Xdit,
}

impl Server {
    /// Returns the name that the server has for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::Atom => "ATOM",
            Self::Xdit => "xDiT",
        }
    }
}

/// The phase of a step, in the order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServedPhase {
    /// Prompts are read: many query tokens a request.
    Prefill,
    /// Some requests read their prompts, others generate.
    Mixed,
    /// Requests generate: one query token each, or a few with speculation.
    Decode,
    /// The draft model of speculative decoding runs.
    Draft,
    /// A picture is made.
    Diffusion,
    /// No request runs: a step that keeps a rank in step with others.
    Idle,
    /// The annotation does not say, or there is none.
    Unknown,
}

impl ServedPhase {
    /// Returns its word in tables and documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Prefill => "prefill",
            Self::Mixed => "mixed",
            Self::Decode => "decode",
            Self::Draft => "draft",
            Self::Diffusion => "diffusion",
            Self::Idle => "idle",
            Self::Unknown => "unknown",
        }
    }

    /// Whether requests that run wait for its next token.
    pub fn generates(self) -> bool {
        matches!(self, Self::Mixed | Self::Decode)
    }
}

/// Requests of a step and sums over them; `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RequestSums {
    /// Number of requests.
    pub requests: Option<u64>,
    /// Sum of the query tokens: those that this step computes.
    pub query_tokens: Option<u64>,
    /// Sum of the key tokens: those that their attention reads.
    pub key_tokens: Option<u64>,
    /// Sum of the squares of the query tokens.
    pub query_squares: Option<u64>,
    /// Sum of the products of query and key tokens.
    pub query_keys: Option<u64>,
}

impl RequestSums {
    /// The sums of no request.
    pub(super) const NONE: Self = Self {
        requests: Some(0),
        query_tokens: Some(0),
        key_tokens: Some(0),
        query_squares: Some(0),
        query_keys: Some(0),
    };

    fn or(self, other: Self) -> Self {
        Self {
            requests: self.requests.or(other.requests),
            query_tokens: self.query_tokens.or(other.query_tokens),
            key_tokens: self.key_tokens.or(other.key_tokens),
            query_squares: self.query_squares.or(other.query_squares),
            query_keys: self.query_keys.or(other.query_keys),
        }
    }
}

/// A step of a server, as its annotation describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ServedStep {
    /// Server, by the form of the annotation.
    pub server: Server,
    /// Phase.
    pub phase: ServedPhase,
    /// Number of requests of both groups.
    pub requests: Option<u64>,
    /// Query tokens of both groups.
    pub query_tokens: Option<u64>,
    /// Requests that read their prompts.
    pub context: RequestSums,
    /// Requests that generate.
    pub generation: RequestSums,
    /// Number of requests for which the graph was captured that the step runs.
    pub graph_size: Option<u64>,
}

impl ServedStep {
    /// Makes a step of two groups of requests.
    pub(super) fn of_groups(server: Server, context: RequestSums, generation: RequestSums) -> Self {
        let phase = match (context.requests, generation.requests) {
            (Some(0), Some(0)) => ServedPhase::Idle,
            (_, Some(0)) => ServedPhase::Prefill,
            (Some(0), _) => ServedPhase::Decode,
            _ => ServedPhase::Mixed,
        };
        let sum = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        Self {
            server,
            phase,
            requests: sum(context.requests, generation.requests),
            query_tokens: sum(context.query_tokens, generation.query_tokens),
            context,
            generation,
            graph_size: None,
        }
    }

    /// Returns the key tokens of both groups.
    pub fn key_tokens(&self) -> Option<u64> {
        Some(self.context.key_tokens?.saturating_add(self.generation.key_tokens?))
    }

    /// Returns the tokens that requests get: one for each that generates; `None` if it is unknown how many generate.
    pub fn output_tokens(&self) -> Option<u64> {
        self.generation.requests
    }

    /// Returns what the step runs, in what sizes of graphs count: query tokens, which are one for each request that generates plainly.
    pub fn batch(&self) -> Option<u64> {
        match self.graph_size {
            // The annotation counts requests.
            Some(_) => self.requests,
            None => self.query_tokens.or(self.requests),
        }
    }

    /// Returns the size of the graph that the annotation names: the padded one, else what the step runs.
    pub fn named_graph_size(&self) -> Option<u64> {
        self.graph_size.or_else(|| self.batch())
    }

    /// Tells whether a request computes more than one query token of its answer: it may get several tokens a step.
    pub fn speculates(&self) -> bool {
        self.phase.generates() && self.generation.query_tokens > self.generation.requests
    }

    /// Completes a step by an annotation inside of its own, of the same phase: SGLang's inside of one that others add in the form of vLLM.
    #[must_use]
    pub fn completed_by(self, inner: Self) -> Self {
        let agree = |one: Option<u64>, other: Option<u64>| one.is_none() || other.is_none() || one == other;
        if inner.phase != self.phase || !agree(self.requests, inner.requests) {
            return self;
        }
        Self {
            server: inner.server,
            phase: self.phase,
            requests: self.requests.or(inner.requests),
            query_tokens: self.query_tokens.or(inner.query_tokens),
            context: self.context.or(inner.context),
            generation: self.generation.or(inner.generation),
            graph_size: self.graph_size.or(inner.graph_size),
        }
    }
}
