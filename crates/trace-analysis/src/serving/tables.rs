//! Tables of an answer: phases, the time of each by what the GPU did, and all steps.

use super::answer::ServingAnswer;
use super::phases::{PhaseSummary, Spread};
use super::replicas::Replica;
use super::windows::TimedStep;
use crate::stats::micros;
use crate::{DeviceTime, Result, ServedStep, Server};
use polars::df;
use polars::prelude::DataFrame;
use trace_view::{Column, Header, Kind, Table, Unit};

/// The word of the time in which no step runs.
pub(super) const BETWEEN: &str = "between steps";

pub(super) const PHASE_COLUMNS: &[Column] = &[
    Column::new("phase", Unit::None, "prefill reads prompts, decode generates, mixed does both in one step"),
    Column::new("steps", Unit::Count, "number of steps; of ranks that run the same steps, those of one rank"),
    Column::new("requests", Unit::Count, "mean number of requests a step"),
    Column::new("prompt_tokens", Unit::Count, "mean number of prompt tokens that a step reads"),
    Column::new("output_tokens", Unit::Count, "mean number of requests that get a token in a step"),
    Column::new("key_tokens", Unit::Count, "mean number of tokens whose keys and values the attention of a step reads"),
    Column::new("step_p10", Unit::Micros, "a tenth of the steps takes less"),
    Column::new("step_median", Unit::Micros, "half of the steps takes less"),
    Column::new("step_p90", Unit::Micros, "a tenth of the steps takes more"),
    Column::new("time_per_output_token", Unit::Micros, "median time in which a request that generates gets a token"),
    Column::new("prompt_tokens_per_s", Unit::Count, "prompt tokens a second while such steps run"),
    Column::new("output_tokens_per_s", Unit::Count, "tokens that requests get a second while such steps run"),
    Column::new("prompt_tokens_per_s_gpu", Unit::Count, "the same, divided by the GPUs that run the steps"),
    Column::new("output_tokens_per_s_gpu", Unit::Count, "the same, divided by the GPUs that run the steps"),
    Column::new("padding_percent", Unit::Percent, "share of the batches of captured graphs that ran nothing"),
    Column::new("graph_launches", Unit::Count, "mean number of graphs that a step launches"),
];

pub(super) const TIME_COLUMNS: &[Column] = &[
    Column::new("phase", Unit::None, "phase of the steps; between steps nothing is known to wait"),
    Column::new("time", Unit::Micros, "sum over the steps of this phase"),
    Column::new("computation", Unit::Micros, "the GPU computes"),
    Column::new("communication", Unit::Micros, "the GPU communicates, and computes nothing meanwhile"),
    Column::new("copies", Unit::Micros, "the GPU copies or fills, and does none of the above meanwhile"),
    Column::new("other", Unit::Micros, "the GPU does only other work"),
    Column::new("idle", Unit::Micros, "the GPU does nothing"),
    Column::new("busy_percent", Unit::Percent, "share of the time in which the GPU does anything"),
];

const STEP_COLUMNS: &[Column] = &[
    Column::new("rank", Unit::None, "the rank whose times these are"),
    Column::new("step", Unit::None, "number of the step on this rank, from 0 in order of time"),
    Column::new("phase", Unit::None, "phase of the step"),
    Column::new("start", Unit::Micros, "from the first step of all ranks to this one"),
    Column::new("time", Unit::Micros, "how long the step took"),
    Column::new("requests", Unit::Count, "number of requests"),
    Column::new("prompt_tokens", Unit::Count, "prompt tokens that the step reads"),
    Column::new("output_tokens", Unit::Count, "requests that get a token"),
    Column::new("query_tokens", Unit::Count, "tokens that the step computes"),
    Column::new("key_tokens", Unit::Count, "tokens whose keys and values its attention reads"),
    Column::new("graph_size", Unit::Count, "requests or tokens for which its graph was captured"),
    Column::new("graph_launches", Unit::Count, "number of graphs that it launches"),
    Column::new("computation", Unit::Micros, "the GPU computes"),
    Column::new("communication", Unit::Micros, "the GPU communicates, and computes nothing meanwhile"),
    Column::new("copies", Unit::Micros, "the GPU copies or fills, and does none of the above meanwhile"),
    Column::new("other", Unit::Micros, "the GPU does only other work"),
    Column::new("idle", Unit::Micros, "the GPU does nothing"),
    Column::new("server", Unit::None, "server, by the form of the annotation"),
    Column::new("name", Unit::None, "text of the annotation"),
];

impl ServingAnswer {
    /// Returns a row per phase, times in µs: `phase`, `steps`, `requests`, `prompt_tokens`, `output_tokens`, `key_tokens`, `step_p10`,
    /// `step_median`, `step_p90`, `time_per_output_token`, `prompt_tokens_per_s`, `output_tokens_per_s`, `prompt_tokens_per_s_gpu`,
    /// `output_tokens_per_s_gpu`, `padding_percent`, `graph_launches`. What annotations do not say is null.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn summary(&self) -> Result<DataFrame> {
        let of = |value: &dyn Fn(&PhaseSummary) -> Option<f64>| self.phases.iter().map(value).collect::<Vec<_>>();
        let step = |value: fn(Spread) -> f64| of(&|phase| Some(value(phase.step) / 1e3));
        Ok(df!(
            "phase" => self.phases.iter().map(|phase| phase.phase.word()).collect::<Vec<_>>(),
            "steps" => self.phases.iter().map(|phase| phase.steps as i64).collect::<Vec<_>>(),
            "requests" => of(&|phase| phase.requests),
            "prompt_tokens" => of(&|phase| phase.prompt_tokens),
            "output_tokens" => of(&|phase| phase.output_tokens),
            "key_tokens" => of(&|phase| phase.key_tokens),
            "step_p10" => step(|step| step.p10),
            "step_median" => step(|step| step.median),
            "step_p90" => step(|step| step.p90),
            "time_per_output_token" => of(&|phase| Some(phase.time_per_output_token()?.median / 1e3)),
            "prompt_tokens_per_s" => of(&|phase| phase.prompt_tokens_per_second),
            "output_tokens_per_s" => of(&|phase| phase.output_tokens_per_second),
            "prompt_tokens_per_s_gpu" => of(&|phase| self.per_gpu(phase.prompt_tokens_per_second)),
            "output_tokens_per_s_gpu" => of(&|phase| self.per_gpu(phase.output_tokens_per_second)),
            "padding_percent" => of(&|phase| phase.padding.percent()),
            "graph_launches" => of(&|phase| Some(phase.graph_launches)),
        )?)
    }

    /// Returns the time of each phase by what the GPU did, in µs, and in the last row the time between steps: `phase`, `time`,
    /// `computation`, `communication`, `copies`, `other`, `idle`, `busy_percent`. Concurrent work counts for the first of these.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn time(&self) -> Result<DataFrame> {
        let between = self.replicas.iter().map(Replica::between_ns).fold(0, i64::saturating_add);
        let phases = || self.phases.iter().map(|phase| (phase.phase.word(), phase.device.span_ns, Some(phase.device)));
        let rows: Vec<_> = phases().chain((between > 0).then_some((BETWEEN, between, None))).collect();
        let of = |value: fn(&DeviceTime) -> i64| -> Vec<Option<f64>> {
            rows.iter().map(|(.., device)| device.as_ref().map(|device| micros(value(device)))).collect()
        };
        Ok(df!(
            "phase" => rows.iter().map(|(phase, ..)| *phase).collect::<Vec<_>>(),
            "time" => rows.iter().map(|(_, ns, _)| micros(*ns)).collect::<Vec<_>>(),
            "computation" => of(|device| device.computation_ns),
            "communication" => of(|device| device.communication_ns),
            "copies" => of(|device| device.memory_ns),
            "other" => of(|device| device.other_ns),
            "idle" => of(|device| device.idle_ns),
            "busy_percent" => rows.iter().map(|(.., device)| device.and_then(|device| device.busy_percent())).collect::<Vec<_>>(),
        )?)
    }

    /// Returns a row per step, in order of rank and time, times in µs: `rank`, `step`, `phase`, `start`, `time`, `requests`,
    /// `prompt_tokens`, `output_tokens`, `query_tokens`, `key_tokens`, `graph_size`, `graph_launches`, `computation`, `communication`,
    /// `copies`, `other`, `idle`, `server`, `name`. What annotations do not say is null.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub fn steps(&self) -> Result<DataFrame> {
        let of_replica = |replica: &Replica| -> Vec<(i64, i64)> {
            (0_i64..).take(replica.steps.len()).map(|number| (replica.rank, number)).collect()
        };
        let numbers: Vec<(i64, i64)> = self.replicas.iter().flat_map(of_replica).collect();
        let steps: Vec<&TimedStep> = self.replicas.iter().flat_map(|replica| &replica.steps).collect();
        let first = self.first_ns();
        let annotated = |value: fn(&ServedStep) -> Option<u64>| -> Vec<Option<i64>> {
            steps.iter().map(|step| i64::try_from(step.served.as_ref().and_then(value)?).ok()).collect()
        };
        let time = |value: fn(&DeviceTime) -> i64| -> Vec<f64> {
            steps.iter().map(|step| micros(value(&step.device))).collect()
        };
        let sizes = steps.iter().map(|step| i64::try_from(step.graph_size?).ok());
        Ok(df!(
            "rank" => numbers.iter().map(|(rank, _)| *rank).collect::<Vec<_>>(),
            "step" => numbers.iter().map(|(_, number)| *number).collect::<Vec<_>>(),
            "phase" => steps.iter().map(|step| step.phase().word()).collect::<Vec<_>>(),
            "start" => steps.iter().map(|step| micros(step.start_ns.saturating_sub(first))).collect::<Vec<_>>(),
            "time" => time(|device| device.span_ns),
            "requests" => annotated(|step| step.requests),
            "prompt_tokens" => annotated(|step| step.context.query_tokens),
            "output_tokens" => annotated(ServedStep::output_tokens),
            "query_tokens" => annotated(|step| step.query_tokens),
            "key_tokens" => annotated(ServedStep::key_tokens),
            "graph_size" => sizes.collect::<Vec<_>>(),
            "graph_launches" => steps.iter().map(|step| step.graph_launches as i64).collect::<Vec<_>>(),
            "computation" => time(|device| device.computation_ns),
            "communication" => time(|device| device.communication_ns),
            "copies" => time(|device| device.memory_ns),
            "other" => time(|device| device.other_ns),
            "idle" => time(|device| device.idle_ns),
            "server" => steps.iter().map(|step| step.served.map(|step| step.server.name())).collect::<Vec<_>>(),
            "name" => steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(),
        )?)
    }

    /// Returns the table of phases, without the columns of which nothing is known.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn summary_table(&self) -> Result<Table> {
        Ok(drawn(&known(&self.summary()?), PHASE_COLUMNS, &format!("serving · {}", self.label), usize::MAX))
    }

    /// Returns the table of time by phase and by what the GPU did.
    ///
    /// # Errors
    /// If polars refuses, which no input should cause.
    pub(super) fn time_table(&self) -> Result<Table> {
        let mut table = drawn(&self.time()?, TIME_COLUMNS, &format!("time by phase · {}", self.label), usize::MAX);
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
        Ok(drawn(&known(&self.steps()?), STEP_COLUMNS, &format!("steps · {}", self.label), most))
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
pub(super) fn drawn(frame: &DataFrame, columns: &[Column], caption: &str, most: usize) -> Table {
    let mut table = crate::frame_table(frame, caption, most);
    for header in &mut table.headers {
        let Some(column) = columns.iter().find(|column| column.name == header.name) else { continue };
        let kind = match column.name {
            "phase" | "server" | "quantity" => Kind::Category,
            "rank" | "step" => Kind::Id,
            "name" => Kind::Name,
            "busy_percent" => Kind::Bar,
            _ => Kind::Number,
        };
        let name = column.name.replace('_', " ");
        *header = Header { meaning: column.meaning.to_owned(), ..Header::new(name, column.unit, kind) };
    }
    table.in_fitting_time_unit()
}
