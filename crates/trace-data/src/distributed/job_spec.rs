//! The input of a task besides its ranks: the question, and facts that all ranks share.

use crate::frame::ColumnType;
use crate::{Compat, DiffSide, ParserConfig};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The most bytes of a merged partial result: it comes home in one piece.
const MOST_BYTES: u64 = 256 << 20;

/// What every task of a job is given; its form is JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct JobSpec {
    /// The build of the program that planned. A program of another build refuses.
    pub build: String,
    /// The question.
    pub question: Query,
    /// The traces whose ranks are mapped; an [`Input`] names one by its place.
    pub traces: Vec<TraceSpec>,
    /// The most bytes of a merged partial result.
    pub most_bytes: u64,
}

impl JobSpec {
    /// Creates what the tasks of a question about these traces are given.
    pub fn new(build: &str, question: Query, traces: Vec<TraceSpec>) -> Self {
        Self { build: build.to_owned(), question, traces, most_bytes: MOST_BYTES }
    }
}

/// A question, with its parameters and the facts of all ranks.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Query {
    /// The facts of each rank.
    Load {
        /// Where the trace is: a file or a folder.
        uri: String,
        /// The ranks that are wanted; `None` for all.
        ranks: Option<Vec<i64>>,
    },
    /// An analysis of the catalog.
    Analysis {
        /// Its name.
        name: String,
        /// Its parameters by name; those that are missing have their defaults.
        parameters: Map<String, Value>,
        /// The plan, `Plan`, as JSON.
        plan: Value,
    },
    /// The iterations of the rows that analyses see.
    Iterations {
        /// The plan, `Plan`, as JSON.
        plan: Value,
    },
    /// One of the comparisons.
    Comparison {
        /// Its name.
        name: String,
        /// The plan as JSON text.
        plan: String,
    },
    /// The overview of a trace.
    Describe,
}

/// The name of a load, in messages and partial results.
pub const LOAD: &str = "load";

impl Query {
    /// Returns the name, for messages and progress.
    pub fn name(&self) -> &str {
        match self {
            Self::Load { .. } => LOAD,
            Self::Analysis { name, .. } | Self::Comparison { name, .. } => name,
            Self::Iterations { .. } => "iterations",
            Self::Describe => "describe",
        }
    }
}

/// A trace, as its ranks are to be loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TraceSpec {
    /// Compatibility mode of the load: by today's rules, or by those of HTA.
    pub compat: Compat,
    /// The arguments that become columns.
    pub parser_config: ParserConfig,
    /// Whether a file that is damaged or truncated is refused.
    pub strict: bool,
    /// The columns of all ranks, with their common types; empty before they are known.
    pub types: Vec<(String, ColumnType)>,
    /// Its side and the place of the run in a comparison.
    pub side: Option<(DiffSide, usize)>,
}

impl TraceSpec {
    /// Creates how the ranks of a trace are loaded, before their columns are known.
    pub fn new(compat: Compat, parser_config: ParserConfig, strict: bool) -> Self {
        Self { compat, parser_config, strict, types: Vec::new(), side: None }
    }
}

/// A file that is mapped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Where it is: a URI, or a path that every node has.
    pub uri: String,
    /// Its place in the listing, which decides between two files of one rank.
    pub at: usize,
    /// Its size, in bytes.
    pub bytes: u64,
    /// The time of its last change, in nanoseconds since 1970, if that is known.
    pub modified: Option<i64>,
    /// The place of its trace among [`JobSpec::traces`].
    pub trace: usize,
}
