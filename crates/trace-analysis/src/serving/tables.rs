//! Tables of an answer: phases, the time of each by what the GPU did, and all steps.

use super::answer::ServingAnswer;
use super::phases::PhaseSummary;
use super::replicas::Replica;
use super::windows::TimedStep;
use crate::present::{Field, answer_frame, answer_table, declared};
use crate::{DeviceTime, Result, ServedStep, Server};
use polars::prelude::DataFrame;
use trace_view::{Column, Table, Unit};

/// The word of the time in which no step runs.
pub(super) const BETWEEN: &str = "between steps";

/// A phase of an answer.
struct PhaseRow<'a> {
    answer: &'a ServingAnswer,
    of: &'a PhaseSummary,
}

impl PhaseRow<'_> {
    const COLUMNS: [Field<Self>; 16] = [
        Field::word("phase", "prefill reads prompts, decode generates, mixed does both in one step", |row| {
            Some(row.of.phase.word())
        }),
        Field::whole(
            "steps",
            Unit::Count,
            "number of steps; of ranks that run the same steps, those of one rank",
            |row| Some(row.of.steps as i64),
        ),
        Field::number("requests", Unit::Count, "mean number of requests a step", |row| row.of.requests),
        Field::number("prompt_tokens", Unit::Count, "mean number of prompt tokens that a step reads", |row| {
            row.of.prompt_tokens
        }),
        Field::number("output_tokens", Unit::Count, "mean number of requests that get a token in a step", |row| {
            row.of.output_tokens
        }),
        Field::number(
            "key_tokens",
            Unit::Count,
            "mean number of tokens whose keys and values the attention of a step reads",
            |row| row.of.key_tokens,
        ),
        Field::number("step_p10", Unit::Micros, "a tenth of the steps takes less", |row| Some(row.of.step.p10 / 1e3)),
        Field::number("step_median", Unit::Micros, "half of the steps takes less", |row| {
            Some(row.of.step.median / 1e3)
        }),
        Field::number("step_p90", Unit::Micros, "a tenth of the steps takes more", |row| Some(row.of.step.p90 / 1e3)),
        Field::number(
            "time_per_output_token",
            Unit::Micros,
            "median time in which a request that generates gets a token",
            |row| Some(row.of.time_per_output_token()?.median / 1e3),
        ),
        Field::number("prompt_tokens_per_s", Unit::Count, "prompt tokens a second while such steps run", |row| {
            row.of.prompt_tokens_per_second
        }),
        Field::number(
            "output_tokens_per_s",
            Unit::Count,
            "tokens that requests get a second while such steps run",
            |row| row.of.output_tokens_per_second,
        ),
        Field::number("prompt_tokens_per_s_gpu", Unit::Count, PER_GPU, |row| {
            row.answer.per_gpu(row.of.prompt_tokens_per_second)
        }),
        Field::number("output_tokens_per_s_gpu", Unit::Count, PER_GPU, |row| {
            row.answer.per_gpu(row.of.output_tokens_per_second)
        }),
        Field::number(
            "padding_percent",
            Unit::Percent,
            "share of the batches of captured graphs that ran nothing",
            |row| row.of.padding.percent(),
        ),
        Field::number("graph_launches", Unit::Count, "mean number of graphs that a step launches", |row| {
            Some(row.of.graph_launches)
        }),
    ];
}

const PER_GPU: &str = "the same, divided by the GPUs that run the steps";
const COMPUTATION: &str = "the GPU computes";
const COMMUNICATION: &str = "the GPU communicates, and computes nothing meanwhile";
const COPIES: &str = "the GPU copies or fills, and does none of the above meanwhile";
const OTHER: &str = "the GPU does only other work";
const IDLE: &str = "the GPU does nothing";

/// The time of a phase, or between steps, where nothing is known of the GPU.
struct TimeRow {
    phase: &'static str,
    ns: i64,
    device: Option<DeviceTime>,
}

impl TimeRow {
    const COLUMNS: [Field<Self>; 8] = [
        Field::word("phase", "phase of the steps; between steps nothing is known to wait", |row| Some(row.phase)),
        Field::time("time", "sum over the steps of this phase", |row| Some(row.ns)),
        Field::time("computation", COMPUTATION, |row| Some(row.device?.computation_ns)),
        Field::time("communication", COMMUNICATION, |row| Some(row.device?.communication_ns)),
        Field::time("copies", COPIES, |row| Some(row.device?.memory_ns)),
        Field::time("other", OTHER, |row| Some(row.device?.other_ns)),
        Field::time("idle", IDLE, |row| Some(row.device?.idle_ns)),
        Field::share("busy_percent", "share of the time in which the GPU does anything", |row| {
            row.device?.busy_percent()
        }),
    ];
}

/// A step of a replica.
struct StepRow<'a> {
    rank: i64,
    number: i64,
    /// Start of the first step of all ranks, in ns.
    origin: i64,
    of: &'a TimedStep,
}

impl StepRow<'_> {
    const COLUMNS: [Field<Self>; 19] = [
        Field::id("rank", "the rank whose times these are", |row| Some(row.rank)),
        Field::id("step", "number of the step on this rank, from 0 in order of time", |row| Some(row.number)),
        Field::word("phase", "phase of the step", |row| Some(row.of.phase().word())),
        Field::time("start", "from the first step of all ranks to this one", |row| {
            Some(row.of.start_ns.saturating_sub(row.origin))
        }),
        Field::time("time", "how long the step took", |row| Some(row.of.device.span_ns)),
        Field::whole("requests", Unit::Count, "number of requests", |row| row.served(|of| of.requests)),
        Field::whole("prompt_tokens", Unit::Count, "prompt tokens that the step reads", |row| {
            row.served(|of| of.context.query_tokens)
        }),
        Field::whole("output_tokens", Unit::Count, "requests that get a token", |row| {
            row.served(ServedStep::output_tokens)
        }),
        Field::whole("query_tokens", Unit::Count, "tokens that the step computes", |row| {
            row.served(|of| of.query_tokens)
        }),
        Field::whole("key_tokens", Unit::Count, "tokens whose keys and values its attention reads", |row| {
            row.served(ServedStep::key_tokens)
        }),
        Field::whole("graph_size", Unit::Count, "requests or tokens for which its graph was captured", |row| {
            i64::try_from(row.of.graph_size?).ok()
        }),
        Field::whole("graph_launches", Unit::Count, "number of graphs that it launches", |row| {
            Some(row.of.graph_launches as i64)
        }),
        Field::time("computation", COMPUTATION, |row| Some(row.of.device.computation_ns)),
        Field::time("communication", COMMUNICATION, |row| Some(row.of.device.communication_ns)),
        Field::time("copies", COPIES, |row| Some(row.of.device.memory_ns)),
        Field::time("other", OTHER, |row| Some(row.of.device.other_ns)),
        Field::time("idle", IDLE, |row| Some(row.of.device.idle_ns)),
        Field::word("server", "server, by the form of the annotation", |row| {
            Some(row.of.served.as_ref()?.server.name())
        }),
        Field::name("name", "text of the annotation", |row| Some(&row.of.name)),
    ];

    /// Returns a number of the annotation.
    fn served(&self, number: fn(&ServedStep) -> Option<u64>) -> Option<i64> {
        i64::try_from(number(self.of.served.as_ref()?)?).ok()
    }
}

impl ServingAnswer {
    /// Returns a row per phase, times in µs: `phase`, `steps`, `requests`, `prompt_tokens`, `output_tokens`, `key_tokens`, `step_p10`,
    /// `step_median`, `step_p90`, `time_per_output_token`, `prompt_tokens_per_s`, `output_tokens_per_s`, `prompt_tokens_per_s_gpu`,
    /// `output_tokens_per_s_gpu`, `padding_percent`, `graph_launches`. What annotations do not say is null.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn summary(&self) -> Result<DataFrame> {
        let row = |of| PhaseRow { answer: self, of };
        answer_frame(&self.phases.iter().map(row).collect::<Vec<_>>(), &PhaseRow::COLUMNS)
    }

    /// Returns the time of each phase by what the GPU did, in µs, and in the last row the time between steps: `phase`, `time`,
    /// `computation`, `communication`, `copies`, `other`, `idle`, `busy_percent`. Concurrent work counts for the first of these.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn time(&self) -> Result<DataFrame> {
        let between = self.replicas.iter().map(Replica::between_ns).fold(0, i64::saturating_add);
        let phase =
            |of: &PhaseSummary| TimeRow { phase: of.phase.word(), ns: of.device.span_ns, device: Some(of.device) };
        let between = (between > 0).then_some(TimeRow { phase: BETWEEN, ns: between, device: None });
        answer_frame(&self.phases.iter().map(phase).chain(between).collect::<Vec<_>>(), &TimeRow::COLUMNS)
    }

    /// Returns a row per step, in order of rank and time, times in µs: `rank`, `step`, `phase`, `start`, `time`, `requests`,
    /// `prompt_tokens`, `output_tokens`, `query_tokens`, `key_tokens`, `graph_size`, `graph_launches`, `computation`, `communication`,
    /// `copies`, `other`, `idle`, `server`, `name`. What annotations do not say is null.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn steps(&self) -> Result<DataFrame> {
        let origin = self.first_ns();
        let rows = self.replicas.iter().flat_map(|replica| {
            let steps = (0_i64..).zip(&replica.steps);
            steps.map(move |(number, of)| StepRow { rank: replica.rank, number, origin, of })
        });
        answer_frame(&rows.collect::<Vec<_>>(), &StepRow::COLUMNS)
    }

    /// Returns the table of phases, without the columns of which nothing is known.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn summary_table(&self) -> Result<Table> {
        Ok(drawn(
            &known(&self.summary()?),
            &declared(&PhaseRow::COLUMNS),
            &format!("serving · {}", self.label),
            usize::MAX,
        ))
    }

    /// Returns the table of time by phase and by what the GPU did.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn time_table(&self) -> Result<Table> {
        let mut table =
            drawn(&self.time()?, &declared(&TimeRow::COLUMNS), &format!("time by phase · {}", self.label), usize::MAX);
        table
            .notes
            .push("concurrent work counts for the first of computation, communication, copies and other".to_owned());
        Ok(table)
    }

    /// Returns the table of the first steps.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn step_table(&self, most: usize) -> Result<Table> {
        Ok(drawn(&known(&self.steps()?), &declared(&StepRow::COLUMNS), &format!("steps · {}", self.label), most))
    }

    /// Returns the names of the servers, `vLLM and SGLang`.
    pub(super) fn server_names(&self) -> String {
        self.servers().into_iter().map(Server::name).collect::<Vec<_>>().join(" and ")
    }
}

/// Leaves columns out that have no value.
fn known(frame: &DataFrame) -> DataFrame {
    let has_value = |name: &str| frame.column(name).is_ok_and(|column| column.null_count() < frame.height());
    let names: Vec<String> =
        frame.get_column_names().iter().map(|name| name.to_string()).filter(|name| has_value(name)).collect();
    frame.select(names).unwrap_or_else(|_| frame.clone())
}

/// Draws a frame with the units and meanings of its columns.
fn drawn(frame: &DataFrame, columns: &[Column], caption: &str, most: usize) -> Table {
    let mut table = answer_table(frame, columns, caption, most);
    for header in &mut table.headers {
        header.name = header.name.replace('_', " ");
    }
    table.in_fitting_time_unit()
}
