//! `%baseline`: times of runs that are kept under a name, by which a later run is judged.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::{Context, labeled};
use super::explain::query;
use super::view::MARKER_OF_SAMPLES;
use crate::{Error, Problem};
use std::path::PathBuf;
use trace_core::{
    BASELINES_FILE, Baseline, Baselines, Gate, GateAnswer, LabeledTrace, Limit, RecordingsOnce, RunTimes,
};
use trace_view::{Present, Report};

pub(super) struct BaselineMagic;

/// What to do with baselines.
const ACTIONS: &[&str] = &["add", "list", "show", "remove", "check"];

/// The action and the name.
pub const ACTION: [Argument; 2] = [
    Argument::required("ACTION", Kind::Choice(ACTIONS), "add, list, show, remove or check"),
    Argument::optional("NAME", Kind::Text, "the baseline"),
];

/// The file of baselines.
pub const FILE: Argument = Argument::flag("file", Kind::Path, "the file of baselines").or(".tracebook/baselines.json");

/// Flags that select the iterations and ranks of a run.
pub const RUN_SAMPLES: Group = Group::new(
    "Selection",
    &[
        Argument::flag(
            "rank",
            Kind::List(IdKind::RanksOrSlowest),
            "rank or ranks, all, or of each iteration the slowest",
        )
        .or("all"),
        Argument::flag("iteration", Kind::List(IdKind::Iterations), "iteration or iterations, or all").or("all"),
        Argument::flag("warmup", Kind::Whole, "skip this many first iterations of each rank")
            .or("those before the first change of step time"),
        MARKER_OF_SAMPLES,
    ],
);

/// The limits of a check.
pub const LIMIT: Argument = Argument::flag(
    "limit",
    Kind::Text,
    "largest growth: of the step (3%), of a class (class:idle=10%), or of a call or kernel (aten::linear=5%)",
)
.or("3%")
.repeatable();

/// Notes on baselines, shared with `tracebook baseline`.
#[macro_export]
#[doc(hidden)]
macro_rules! baseline_notes {
    () => {
        "add measures runs and keeps, of each, what step, classes and regions take: numbers, no events. Runs that are added to a \
         baseline of the same name extend it. Each run must be a fresh process, since a baseline keeps how much runs differ; from \
         four runs on, check judges a single later run by the interval in which one more run of the same program is expected: mean \
         ± t · s · √(1 + 1/n). Select iterations and ranks alike for add and for check. In limits, a name is that of an operator, a \
         kernel or the innermost module.\n\n\
         The file is small and made for a repository. It is replaced only by a complete one; a damaged file, or one of a newer \
         version, is refused and stays as it is. Regions below 0.01 % of the step are not kept."
    };
}

impl Magic for BaselineMagic {
    fn name(&self) -> &'static str {
        "baseline"
    }

    fn summary(&self) -> &'static str {
        "Keep the times of runs under a name, and judge a later run by them."
    }

    fn arguments(&self) -> &'static [Group] {
        const ARGUMENTS: &[Group] = &[
            Group::new(
                "Arguments",
                &[
                    ACTION[0],
                    ACTION[1],
                    Argument::optional(
                        "TRACE",
                        Kind::Runs,
                        "add: loaded runs, or a group of runs; check: the run to judge",
                    )
                    .repeatable(),
                ],
            ),
            Group::new("Limits of check", &[LIMIT]),
            RUN_SAMPLES,
            Group::new("Output", &[FILE, Argument::flag("quiet", Kind::Switch, "show only warnings")]),
        ];
        ARGUMENTS
    }

    fn notes(&self) -> &'static str {
        baseline_notes!()
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%baseline add main run1 run2 run3 run4 --warmup 2",
            "%baseline check main today --warmup 2 --limit 3% --limit aten::linear=5%",
            "%baseline list",
            "%baseline show main",
            "%baseline remove main",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let action = Action::of(call)?;
        let file = file(call);
        let report = match action {
            Action::Add(name) => {
                let runs = measured(call, context)?;
                let added = add(call, &file, name, &runs)?;
                if !call.quiet() {
                    context.print_line(added);
                }
                return Ok(());
            }
            Action::Check(name) => {
                let runs = measured(call, context)?;
                check(call, &file, name, &runs)?.present()
            }
            Action::Remove(name) => {
                remove(call, &file, name)?;
                if !call.quiet() {
                    context.print_line(format!("removed {name} from {}", file.display()));
                }
                return Ok(());
            }
            Action::List | Action::Show(_) => listed(call, &file, &action)?,
        };
        if call.shows() {
            context.show(&report);
        }
        Ok(())
    }
}

/// What a call asks for.
pub enum Action<'c> {
    /// Adds runs to the baseline of this name.
    Add(&'c str),
    /// Lists all.
    List,
    /// Shows one.
    Show(&'c str),
    /// Removes one.
    Remove(&'c str),
    /// Judges a run by one.
    Check(&'c str),
}

impl<'c> Action<'c> {
    /// Reads the action of a call.
    pub fn of(call: &'c Call<'_>) -> Result<Self, Error> {
        let action = call.required("ACTION");
        let name = || match call.text("NAME") {
            Some(name) => Ok(name),
            None => Err(call.usage(Problem::Missing { what: format!("NAME: the baseline to {action}") })),
        };
        Ok(match action {
            "add" => Action::Add(name()?),
            "show" => Action::Show(name()?),
            "remove" => Action::Remove(name()?),
            "check" => Action::Check(name()?),
            _ => Action::List,
        })
    }
}

/// Returns the file of baselines.
pub fn file(call: &Call<'_>) -> PathBuf {
    call.path("file").unwrap_or_else(|| PathBuf::from(BASELINES_FILE))
}

/// Measures the loaded runs of a call.
fn measured(call: &Call<'_>, context: &Context<'_>) -> Result<Vec<RunTimes>, Error> {
    let mut runs: Vec<LabeledTrace> = Vec::new();
    for labels in call.texts("TRACE") {
        runs.extend(labeled(&context.runs(call, labels)?));
    }
    let (mut measured, mut once) = (Vec::with_capacity(runs.len()), RecordingsOnce::default());
    for run in runs {
        if let Some(warning) = once.copy_of_earlier(&run)? {
            context.warn([warning]);
            continue;
        }
        let query = query(call, vec![run.clone()], vec![run]);
        measured.push(context.run_blocking(move || query.run().map(|explanation| RunTimes::of_control(&explanation)))?);
    }
    Ok(measured)
}

/// Adds runs to a baseline, and says so.
pub fn add(call: &Call<'_>, file: &std::path::Path, name: &str, runs: &[RunTimes]) -> Result<String, Error> {
    if runs.is_empty() {
        return Err(call.usage(Problem::Missing { what: "a run to add".to_owned() }).into());
    }
    let mut baselines = Baselines::read(file)?;
    let mut baseline = baselines.get(name).cloned().unwrap_or_else(|| Baseline::new(name));
    for run in runs {
        if baseline.contains(run) {
            let error = call.cannot(format!("add {} to {name}", run.label), "it is in the baseline");
            return Err(error.hint("each run must be a fresh process, recorded once").into());
        }
        baseline.add(run);
    }
    let all = baseline.runs.len();
    baselines.insert(baseline);
    baselines.write(file)?;
    let added = trace_view::format::counted(runs.len(), "run");
    Ok(format!("added {added} to {name} in {}: {all} in all", file.display()))
}

/// Removes a baseline.
pub fn remove(call: &Call<'_>, file: &std::path::Path, name: &str) -> Result<(), Error> {
    let mut baselines = Baselines::read(file)?;
    if !baselines.remove(name) {
        return Err(unknown(call, &baselines, name));
    }
    Ok(baselines.write(file)?)
}

/// Returns the page of all baselines, or of one.
pub fn listed(call: &Call<'_>, file: &std::path::Path, action: &Action<'_>) -> Result<Report, Error> {
    let baselines = Baselines::read(file)?;
    match action {
        Action::Show(name) => baselines.get(name).map(Present::present).ok_or_else(|| unknown(call, &baselines, name)),
        _ => Ok(baselines.present()),
    }
}

/// Judges one run by a baseline.
pub fn check(call: &Call<'_>, file: &std::path::Path, name: &str, runs: &[RunTimes]) -> Result<GateAnswer, Error> {
    let baselines = Baselines::read(file)?;
    let baseline = baselines.get(name).ok_or_else(|| unknown(call, &baselines, name))?;
    let [run] = runs else {
        let error = call.cannot(format!("judge {} runs by a baseline", runs.len()), "it judges one run");
        return Err(error.hint("%explain and tracebook gate compare several runs with several").into());
    };
    Ok(Gate::new(limits(call)?).judge_run(baseline, run)?)
}

/// Parses the limits of a call.
pub fn limits(call: &Call<'_>) -> Result<Vec<Limit>, Error> {
    let parse = |text: &str| Limit::parse(text).map_err(|expected| call.invalid("--limit", text, expected).into());
    call.texts("limit").into_iter().map(parse).collect()
}

/// The error for a baseline that does not exist.
pub fn unknown(call: &Call<'_>, baselines: &Baselines, name: &str) -> Error {
    let names: Vec<&str> = baselines.all().iter().map(|baseline| baseline.name.as_str()).collect();
    let expected = super::argument::any_of(&names);
    call.unknown("baseline", name, expected).hint("baseline add NAME RUN… makes one").into()
}
