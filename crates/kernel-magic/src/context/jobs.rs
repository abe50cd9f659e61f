//! Engines as calls choose them, and the progress of their jobs.

use super::{Context, Progress};
use crate::argument::{Argument, Call, Group, Kind};
use crate::cluster::{self, Chosen, ENGINES, Listener, Needs, NoEngine};
use crate::display::Sink;
use crate::{Error, Problem};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use trace_core::task::{Engine, UnreadFile, is_uri, path_of};
use trace_core::{LoadOptions, TraceSet, without_secrets};
use trace_view::format::{bytes, grouped};
use trace_view::{Header, Kind as Shown, Part, Report, Table, TableValue, Unit};

/// The flags that choose an engine.
pub const ENGINE: Group = Group::new(
    "Engine",
    &[
        Argument::flag(
            "engine",
            Kind::Choice(ENGINES),
            "reads the ranks: this process, children of it, a Ray or a Slurm cluster (see the guide, Traces of a cluster)",
        )
        .or("local"),
        Argument::flag("address", Kind::Text, "address of the Ray dashboard, http://HOST:8265")
            .or("TRACEBOOK_RAY_ADDRESS"),
        Argument::flag("shared-folder", Kind::Path, "folder that this machine and all nodes of Slurm see, for plans and answers")
            .or("TRACEBOOK_SLURM_FOLDER"),
        Argument::flag("task-cpus", Kind::Number, "cores of a task").or("1"),
        Argument::flag("task-memory", Kind::Size, "memory of a task")
            .or("six times the largest file and 256 MiB; of processes half of what is free, shared"),
        Argument::flag("resource", Kind::Texts, "NAME=AMOUNT of Ray: only nodes that have it run tasks").or("none"),
    ],
);

impl Context<'_> {
    /// Returns the engine that a call chooses; `None` for this process.
    ///
    /// # Errors
    /// If the address is missing or invalid, no cluster answers there, or a flag is of another engine.
    pub fn engine(&mut self, call: &Call<'_>, path: &str) -> Result<Option<Arc<dyn Engine>>, Error> {
        let Some(chosen) = self.chosen(call, path)? else { return Ok(None) };
        if let Some(engine) = self.session.engine(&chosen) {
            return Ok(Some(engine));
        }
        let made = {
            let chosen = chosen.clone();
            self.run_blocking(move || Ok::<_, Error>(cluster::engine(&chosen)))?
        };
        match made {
            Ok(engine) => {
                self.session.keep_engine(chosen, &engine);
                Ok(Some(engine))
            }
            Err(NoEngine::Address { address, expected }) => Err(call.invalid("--address", &address, expected).into()),
            Err(NoEngine::Trace(error)) => Err(error.into()),
        }
    }

    fn chosen(&mut self, call: &Call<'_>, path: &str) -> Result<Option<Chosen>, Error> {
        let cpus = call.number("task-cpus").unwrap_or(1.0);
        if !(cpus > 0.0 && cpus <= 1024.0) {
            return Err(call.invalid("--task-cpus", &cpus.to_string(), "a number above 0, such as 1").into());
        }
        let needs = Needs { cpus, memory: call.whole("task-memory"), resources: resources(call)? };
        Ok(match call.text("engine") {
            Some("processes") => {
                let cache = if call.switch("no-cache") { None } else { self.cache() };
                Some(Chosen::Processes { needs, cache: cache.map(|cache| cache.folder().display().to_string()) })
            }
            Some("slurm") => {
                check_is_uri(call, path, "Slurm")?;
                if call.has("resource") {
                    let error = call.cannot("use --resource", "it is Ray's");
                    return Err(error.hint("sbatch reads SBATCH_GRES and SBATCH_CONSTRAINT").into());
                }
                let Some(folder) = cluster::shared_folder(call.path("shared-folder")) else {
                    let what = "--shared-folder DIR, or TRACEBOOK_SLURM_FOLDER: a folder that all nodes see".to_owned();
                    return Err(call.usage(Problem::Missing { what }).into());
                };
                Some(Chosen::Slurm { folder, needs })
            }
            Some("ray") => {
                check_is_uri(call, path, "Ray")?;
                let Some(address) = cluster::address(call.text("address")) else {
                    let what = "--address http://HOST:8265, or TRACEBOOK_RAY_ADDRESS".to_owned();
                    return Err(call.usage(Problem::Missing { what }).into());
                };
                Some(Chosen::Ray { address, needs })
            }
            _ => {
                let flags = ["address", "shared-folder", "task-cpus", "task-memory", "resource"];
                if let Some(flag) = flags.into_iter().find(|flag| call.has(flag)) {
                    let error = call.cannot(format!("use --{flag}"), "this process reads the trace");
                    return Err(error.hint("an --engine uses it: processes, ray or slurm").into());
                }
                None
            }
        })
    }

    /// Loads a trace by an engine, with the progress of its job.
    ///
    /// # Errors
    /// As [`TraceSet::load_elsewhere`].
    pub fn load_elsewhere(&self, uri: &str, options: LoadOptions, engine: &Arc<dyn Engine>) -> Result<TraceSet, Error> {
        let (uri, engine) = (uri.to_owned(), Arc::clone(engine));
        self.run_blocking(move || TraceSet::load_elsewhere(&uri, &options, &engine))
    }
}

/// Refuses a path of this machine, where nodes of a cluster read the trace.
fn check_is_uri(call: &Call<'_>, path: &str, engine: &str) -> Result<(), Error> {
    // An address with a secret would be sent with the plan.
    path_of(path)?;
    if is_uri(path) {
        return Ok(());
    }
    let shown = without_secrets(path);
    let error = call
        .cannot(format!("load {shown} by {engine}"), "a path is this machine's, and nodes of a cluster read the trace");
    Err(error.hint(format!("name a folder that every node sees: file://{}", absolute(&shown))).into())
}

fn absolute(path: &str) -> String {
    std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}

/// Reads `NAME=AMOUNT`.
fn resources(call: &Call<'_>) -> Result<BTreeMap<String, f64>, Error> {
    let mut resources = BTreeMap::new();
    for text in call.words("resource").unwrap_or_default() {
        let read =
            text.split_once('=').and_then(|(name, amount)| Some((name.trim(), amount.trim().parse::<f64>().ok()?)));
        match read.filter(|(name, amount)| !name.is_empty() && *amount > 0.0 && amount.is_finite()) {
            Some((name, amount)) => resources.insert(name.to_owned(), amount),
            None => return Err(call.invalid("--resource", text, "NAME=AMOUNT, such as node1=1").into()),
        };
    }
    Ok(resources)
}

/// Returns how many ranks were read, and the engine: `4,093 of 4,096 ranks`; ` · Ray 2.60.0 at 127.0.0.1:8265, 16 nodes, 64 slots`.
pub(crate) fn read_by(traces: &TraceSet) -> Option<(String, String)> {
    let (engine, _, all) = traces.elsewhere()?;
    let read = traces.traces().len();
    let ranks = if read == all {
        trace_view::format::counted(read, "rank")
    } else {
        format!("{} of {} ranks", grouped(read), grouped(all))
    };
    let size = Some(engine.size()).filter(|size| !size.is_empty());
    Some((ranks, [Some(engine.name()), size].into_iter().flatten().collect::<Vec<_>>().join(", ")))
}

/// The most tasks whose logs are shown.
const MOST_LOGS: usize = 5;

/// Makes the table of files that could not be read, and the end of the logs of their tasks; `None` without any.
pub(crate) fn failures(traces: &TraceSet) -> Option<Report> {
    let unread = traces.unread_files();
    if unread.is_empty() {
        return None;
    }
    let row = |one: &UnreadFile| vec![TableValue::Text(one.file.clone()), TableValue::Text(one.reason.clone())];
    let rows: Vec<Vec<TableValue>> = unread.iter().map(row).collect();
    let head =
        |name: &str, kind, meaning: &str| Header { meaning: meaning.to_owned(), ..Header::new(name, Unit::None, kind) };
    let table = Report::of(Part::Table(Table {
        caption: format!("files of {} that could not be read", traces.label()),
        headers: vec![
            head("file", Shown::Name, "where it is"),
            head("reason", Shown::Text, "why it could not be read"),
        ],
        total_rows: rows.len(),
        rows,
        ..Table::default()
    }));
    Some(logs(unread).into_iter().fold(table, |report, log| report.with(Part::Text(log))))
}

/// Returns the end of the logs of failed tasks, each once.
pub fn logs(unread: &[UnreadFile]) -> Vec<String> {
    let mut told: Vec<(&str, &str)> = Vec::new();
    for UnreadFile { file, log, .. } in unread {
        if !log.is_empty() && told.iter().all(|(_, other)| other != log) {
            told.push((file, log));
        }
    }
    let shown = told.iter().take(MOST_LOGS);
    let mut logs: Vec<String> =
        shown.map(|(file, log)| format!("The end of the log of the task that read {file}:\n{log}")).collect();
    if told.len() > MOST_LOGS {
        logs.push(format!(
            "The logs of {} are left out.",
            trace_view::format::counted(told.len() - MOST_LOGS, "more task")
        ));
    }
    logs
}

/// Makes a listener that draws a bar.
pub(super) fn listener(out: Arc<dyn Sink>) -> Listener {
    let mut bar = Bar { progress: Progress::new(&out, true), last: String::new(), out };
    Box::new(move |job| bar.show(job))
}

/// The bar of jobs: a line for the last job is left.
struct Bar {
    progress: Progress,
    last: String,
    out: Arc<dyn Sink>,
}

impl Bar {
    fn show(&mut self, job: &cluster::Progress) {
        self.last = format!("{} of {}", job.question, job.label);
        self.progress.draw_if_due(|elapsed| bar(job, elapsed));
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        let how = if self.out.interrupted() { "interrupted" } else { "done" };
        self.progress.end(&format!("{} · {how} · {:.1} s", self.last, self.progress.elapsed().as_secs_f64()));
    }
}

/// Returns percentage and text: `load of job · 6 of 24 files, 1 failed · 25 %, 12.5 MiB of 50 MiB · 3 tasks · about 9 s left · 3.0 s`.
fn bar(job: &cluster::Progress, elapsed: Duration) -> (f64, String) {
    let percent = (100.0 * job.done as f64 / job.whole.max(1) as f64).clamp(0.0, 100.0);
    let seconds = elapsed.as_secs_f64();
    let mut text = format!("{} of {}", job.question, job.label);
    if job.whole > 0 {
        // A folder may have other files than those of ranks, which only a load tells.
        let what = if job.question == "load" { "files" } else { "ranks" };
        text.push_str(&format!(" · {} of {} {what}", grouped(job.ranks), grouped(job.all_ranks)));
        if job.failed > 0 {
            text.push_str(&format!(", {} failed", grouped(job.failed)));
        }
        text.push_str(&format!(" · {percent:.0} %, {} of {}", bytes(job.done), bytes(job.whole)));
        text.push_str(&format!(" · {}", trace_view::format::counted(job.tasks, "task")));
    }
    if job.done > 0 && job.done < job.whole {
        let left = seconds * (job.whole - job.done) as f64 / job.done as f64;
        text.push_str(&format!(" · about {left:.0} s left"));
    }
    if !job.state.is_empty() {
        text.push_str(&format!(" · {}", job.state));
    }
    (percent, format!("{text} · {seconds:.1} s"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bar_says_what_is_done_and_what_is_left() {
        let job = cluster::Progress {
            question: "load".to_owned(),
            label: "job".to_owned(),
            done: 25 << 20,
            whole: 100 << 20,
            ranks: 1024,
            all_ranks: 4096,
            failed: 1,
            tasks: 3,
            state: "3 nodes, 2 slots".to_owned(),
        };
        let (percent, text) = bar(&job, Duration::from_secs(3));
        let rest = " · 25 %, 25 MiB of 100 MiB · 3 tasks · about 9 s left · 3 nodes, 2 slots · 3.0 s";
        assert_eq!((percent, text), (25.0, format!("load of job · 1,024 of 4,096 files, 1 failed{rest}")));
        let question = cluster::Progress { question: "describe".to_owned(), failed: 0, ..job };
        let (_, text) = bar(&question, Duration::from_secs(3));
        assert_eq!(text, format!("describe of job · 1,024 of 4,096 ranks{rest}"));
    }
}
