//! `tracebook gate`: limits on how much slower a step may get, for CI.

use super::baseline::measured;
use super::entry::CommandEntry;
use super::screen::Screen;
use super::sides::{SIDES, load_runs, runs, warn_of};
use super::{ENGINE, JSON, LOADING, QUIET};
use crate::{Error, Problem};
use kernel_magic::argument::{Argument, Call, Group, Kind};
use kernel_magic::baseline::{LIMIT, limits, unknown};
use kernel_magic::context::{Context, labeled};
use kernel_magic::explain::{SAMPLES, query, write_json};
use std::path::PathBuf;
use std::sync::Arc;
use trace::{ACCEPTED_FILE, Accepted, BASELINES_FILE, Baselines, Explanation, Gate as Query, GateAnswer, Outcome};
use trace_view::Present;

/// What to do where nothing can be said.
pub(super) const INCONCLUSIVE: Argument =
    Argument::flag("inconclusive", Kind::Choice(&["pass", "fail"]), "what to do if the recordings cannot tell")
        .or("fail");

/// The flag for `git bisect run`, as it is written.
pub(super) const BISECT: &str = "--bisect";

const LIMITS: Group = Group::new(
    "Limits",
    &[
        LIMIT,
        INCONCLUSIVE,
        Argument::flag(
            "bisect",
            Kind::Switch,
            "exit codes for git bisect run: 0 good, 1 bad, 125 skipped, 128 ends it",
        ),
    ],
);

/// A baseline instead of a control.
const BASELINE: Group = Group::new(
    "A baseline instead of CONTROL",
    &[
        Argument::flag(
            "baseline",
            Kind::Text,
            "judge one run, CONTROL or --test, by this baseline (tracebook baseline)",
        ),
        Argument::flag("baselines", Kind::Path, "the file of baselines").or(".tracebook/baselines.json"),
    ],
);

/// Accepted changes.
const ACCEPT: Group = Group::new(
    "Accepted changes",
    &[
        Argument::flag(
            "accept",
            Kind::Text,
            "accept what a call, a kernel or a class (class:idle) costs in TEST; later gates honour it",
        )
        .repeatable(),
        Argument::flag("reason", Kind::Text, "why it is accepted"),
        Argument::flag("by", Kind::Text, "the person or account that accepts it")
            .or("GITHUB_ACTOR, GIT_AUTHOR_NAME or USER"),
        Argument::flag("accepted", Kind::Path, "the file of accepted changes").or(".tracebook/accepted.json"),
    ],
);

/// Flags of output files.
pub(super) const FILES: Group = Group::new(
    "Output",
    &[
        JSON,
        Argument::flag("junit", Kind::File, "write a JUnit report, a test case for each limit; - is standard output"),
        Argument::flag("markdown", Kind::File, "write Markdown for a pull request; - is standard output"),
        QUIET,
    ],
);

const ARGUMENTS: &[Group] = &[SIDES[0], SIDES[1], BASELINE, LIMITS, ACCEPT, SAMPLES, LOADING, ENGINE, FILES];

/// The command.
pub(super) const GATE: CommandEntry = CommandEntry {
    name: "gate",
    summary: "Fail if a step certainly got slower than a limit allows.",
    arguments: ARGUMENTS,
    notes: "A limit is judged by the 95 % interval of the growth: exceeded only if the whole interval is above it and the growth is \
         certain (q ≤ 0.05, beyond the noise between recordings), passed if the interval is below it, else inconclusive, with the \
         number of samples that would tell. With several runs a side, each a fresh process (tracebook record-loop), the answer is \
         about the programs; with one, only about these two recordings.\n\n\
         A limit on a name adds up the shares of the step of all regions with a call or kernel of this name; * stands for any text. \
         Work that only TEST has exceeds any limit on its name. What was added, deleted or runs another number of times is listed \
         first, as a fact; it fails the gate only through the time it takes.\n\n\
         --accept keeps region, reason, author and date in a file of the repository. Later gates leave its regions out of all \
         limits as long as they take at most a tenth longer than when they were accepted, and list what they left out. Idle time that \
         a region causes is not its own: accept class:idle, too.\n\n\
         --json writes one object: version (1), verdict, sentence, scope, samples, comparable, limits, structure, regressions, \
         improvements, accepted, warnings, seed; times end in _ns, growths are shares of control.\n\n\
         Exit code: 0 no regression, 4 regression, 5 inconclusive (0 with --inconclusive pass), 1 an error, 2 wrong usage. With --bisect: \
         0 no regression, 1 regression, 125 for a commit that cannot be judged (inconclusive, or its recording cannot be read), 128 for \
         wrong usage and other errors, which ends the bisection.",
    examples: &[
        "tracebook gate --control 'runs/control-*' --test 'runs/test-*'",
        "tracebook gate runs/main runs/branch --limit 3% --limit class:idle=10% --limit 'aten::linear=5%'",
        "tracebook gate --control 'runs/control-*' --test 'runs/test-*' --markdown comment.md --junit gate.xml --json gate.json",
        "tracebook gate --baseline main runs/today --limit 5%",
        "git bisect run sh bisect.sh  # its last line: tracebook gate --control \"$runs/control-*\" --test \"$runs/test-*\" --bisect",
        "tracebook gate runs/main runs/branch --accept aten::_softmax --reason 'float64 is more accurate'",
    ],
    run,
};

fn run(call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
    let prints = Screen::is_free(call, &["json", "junit", "markdown"])?;
    let limits = limits(call)?;
    let file = call.path("accepted").unwrap_or_else(|| PathBuf::from(ACCEPTED_FILE));
    let by = acceptor(call)?;
    // A damaged file is found before the traces are read.
    let accepted = Accepted::read_all(&file)?;
    if let Some(name) = call.text("baseline") {
        let gate = Query::new(limits).accepting(accepted);
        return deliver(call, &by_baseline(call, context, &gate, name)?, prints);
    }
    let explanation = explanation(call, context)?;
    if let Some((reason, by)) = by {
        keep_accepted(call, &file, &explanation, reason, &by)?;
    }
    let answer = Query::new(limits).accepting(Accepted::read_all(&file)?).judge(&explanation)?;
    deliver(call, &answer, prints)
}

/// Loads both sides, prints their warnings, and explains their difference.
fn explanation(call: &Call<'_>, context: &mut Context<'_>) -> Result<Explanation, Error> {
    let control = runs(call, context, "CONTROL", "control")?;
    let test = runs(call, context, "TEST", "test")?;
    let paths = call.paths("companion");
    let companions = if paths.is_empty() { Vec::new() } else { load_runs(call, context, &paths, "companion")? };
    warn_of(control.iter().chain(&test).chain(&companions));
    let mut query = query(call, labeled(&control), labeled(&test)).require_two_recordings();
    for companion in &companions {
        query = query.companion(Arc::as_ref(companion));
    }
    Ok(query.run()?)
}

/// Judges the one run of a call by a baseline.
fn by_baseline(call: &Call<'_>, context: &mut Context<'_>, gate: &Query, name: &str) -> Result<GateAnswer, Error> {
    let mut paths: Vec<PathBuf> = ["CONTROL", "TEST"].into_iter().filter_map(|argument| call.path(argument)).collect();
    paths.extend(call.paths("test"));
    let reason = match paths.len() {
        _ if call.has("control") => Some("the baseline is the control"),
        _ if call.has("accept") => Some("the time of a region is accepted in a comparison of runs"),
        0 => return Err(call.usage(Problem::Missing { what: "the run to judge".to_owned() }).into()),
        1 => None,
        _ => Some("it judges one run"),
    };
    if let Some(reason) = reason {
        let error = call.cannot("judge this by a baseline", reason);
        return Err(error.hint("tracebook gate --baseline NAME RUN").into());
    }
    let file = call.path("baselines").unwrap_or_else(|| PathBuf::from(BASELINES_FILE));
    let baselines = Baselines::read(&file)?;
    let baseline = baselines.get(name).ok_or_else(|| unknown(call, &baselines, name))?;
    match &measured(call, context, paths)?[..] {
        [run] => Ok(gate.judge_run(baseline, run)?),
        runs => Err(call.cannot(format!("judge {} runs by a baseline", runs.len()), "it judges one run").into()),
    }
}

/// Returns the reason of the call and the person that accepts, if it accepts something.
fn acceptor<'c>(call: &'c Call<'_>) -> Result<Option<(&'c str, String)>, Error> {
    if !call.has("accept") {
        if let Some(flag) = ["reason", "by"].into_iter().find(|flag| call.has(flag)) {
            return Err(call.cannot(format!("use --{flag}"), "nothing is accepted").hint("add --accept REGION").into());
        }
        return Ok(None);
    }
    let Some(reason) = call.text("reason") else {
        let what = "--reason: the reviewers of the next change want to know why".to_owned();
        return Err(call.usage(Problem::Missing { what }).into());
    };
    let of_variable = |name| std::env::var(name).ok().filter(|value: &String| !value.trim().is_empty());
    let known = || ["GITHUB_ACTOR", "GIT_AUTHOR_NAME", "USER", "LOGNAME"].into_iter().find_map(of_variable);
    let Some(by) = call.text("by").map(str::to_owned).or_else(known) else {
        return Err(call
            .usage(Problem::Missing { what: "--by: the person or account that accepts".to_owned() })
            .into());
    };
    Ok(Some((reason, by)))
}

fn keep_accepted(
    call: &Call<'_>,
    file: &std::path::Path,
    explanation: &Explanation,
    reason: &str,
    by: &str,
) -> Result<(), Error> {
    let changes = call.texts("accept").into_iter().map(|region| Accepted::of(explanation, region, reason, by));
    let changes = changes.collect::<trace::Result<Vec<_>>>()?;
    for change in changes {
        change.keep(file)?;
        if !call.quiet() {
            let up_to = trace_view::format::microseconds(change.up_to_us);
            Screen::log(&format!("accepted {} up to {up_to} a step in {}; commit it", change.region, file.display()));
            if change.region != IDLE && idle_grows(explanation) {
                Screen::log(&format!(
                    "idle time grows, too, and still counts: --accept {IDLE} leaves it out of the limits"
                ));
            }
        }
    }
    Ok(())
}

/// The class of idle time, as limits and accepted changes name it.
const IDLE: &str = "class:idle";

fn idle_grows(explanation: &Explanation) -> bool {
    explanation.classes.iter().any(|class| class.class == "idle" && class.delta_us > 0.01 * explanation.step.control_us)
}

/// Writes the files, prints the answer, and ends with its exit code.
pub(super) fn deliver(call: &Call<'_>, answer: &GateAnswer, prints: bool) -> Result<(), Error> {
    let passes = call.text("inconclusive") == Some("pass");
    Screen::warn(&answer.warnings);
    Screen::file(call, "json", |out| write_json(&answer.to_json(), out))?;
    Screen::file(call, "junit", |out| out.write_all(answer.to_junit(passes).as_bytes()))?;
    Screen::file(call, "markdown", |out| out.write_all(answer.to_markdown().as_bytes()))?;
    if prints {
        let mut report = answer.present();
        report.parts.retain(|part| !matches!(part, trace_view::Part::Warning(_)));
        Screen::report(&report)?;
    }
    match answer.outcome() {
        Outcome::Passed => Ok(()),
        Outcome::Inconclusive if passes => Ok(()),
        Outcome::Exceeded => Err(Error::Regression(answer.sentence())),
        Outcome::Inconclusive => Err(Error::Inconclusive(answer.sentence())),
    }
}
