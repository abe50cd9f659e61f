//! `tracebook diff --stats`: all iterations or runs of two sides, with intervals and verdicts.

use super::diff_report::rows_as_json;
use super::screen::Screen;
use super::sides::load_runs;
use crate::Error;
use kernel_magic::argument::Call;
use kernel_magic::context::Context;
use kernel_magic::explain::write_json;
use kernel_magic::view::{
    RunsOfSide, SelectedRows, chosen, csv, select, stats_caption, stats_columns, stats_diff, table, write_html,
};
use serde_json::{Value, json};
use trace::columns::DIFF_DURATION;
use trace::polars::prelude::DataFrame;
use trace::statistics::Scope;
use trace::{ComparedStats, Sentence, Warning, display_table};
use trace_view::{Part, Report};

/// Version of the document.
const VERSION: u32 = 2;

/// Compares the runs of both sides, and writes what the call asks for.
pub(super) fn run(call: &Call<'_>, context: &mut Context<'_>, prints: bool) -> Result<(), Error> {
    if call.has("fail-over") {
        let error = call.cannot("use --fail-over and --stats", "it compares device times as they are");
        return Err(error.hint("tracebook gate judges limits by intervals").into());
    }
    let mut side = |argument: &str, label: &str| -> Result<RunsOfSide, Error> {
        let paths = [call.path(argument).unwrap_or_default()];
        Ok(RunsOfSide { label: label.to_owned(), runs: load_runs(call, context, &paths, label)? })
    };
    let sides = [side("CONTROL", "control")?, side("TEST", "test")?];
    let diff = stats_diff(call, &sides)?;
    let compared = diff.run()?;
    let (of_runs, of_diff) = (sides.iter().flat_map(|side| &side.runs).flat_map(|run| run.warnings()), diff.warnings());
    let warnings = Warning::sentences(of_runs.chain(&of_diff).chain(&compared.warnings));
    Screen::warn(&warnings);
    let rows = SelectedRows::select(call, compared.frame.clone())?;
    let columns = chosen(call, &rows.df)?;
    let file = select(&rows.df, &columns)?;
    let shown = columns.or_else(|| Some(stats_columns(&compared)));
    let caption = stats_caption(&compared);
    let shown = table(call, rows, &shown, DIFF_DURATION, |df, rows| display_table(df, &caption, rows))?;
    let mut report = Report::of(Part::Text(compared.text())).with(Part::Table(shown));
    Screen::file(call, "csv", |out| csv(&file, out))?;
    Screen::file(call, "json", |out| write_json(&document(call, &sides, &compared, &file, &warnings), out))?;
    if prints {
        Screen::report(&report)?;
    }
    if call.path("html").is_some() {
        report.parts.extend(warnings.iter().cloned().map(Part::Warning));
        Screen::file(call, "html", |out| write_html("Comparison of two traces", &report, out))?;
    }
    Ok(())
}

fn document(
    call: &Call<'_>,
    sides: &[RunsOfSide; 2],
    compared: &ComparedStats,
    file: &DataFrame,
    warnings: &[String],
) -> Value {
    let (columns, rows) = rows_as_json(file);
    let answer = &compared.answer;
    let side = |argument: &str, side: &RunsOfSide| json!({ "path": call.required(argument), "runs": side.runs.len() });
    let floor = |controls: Option<trace::statistics::Controls>| controls.map(|controls| controls.floor_share());
    json!({
        "version": VERSION,
        "control": side("CONTROL", &sides[0]),
        "test": side("TEST", &sides[1]),
        "scope": if answer.scope == Scope::Program { "program" } else { "recording" },
        "samples": match answer.scope {
            _ if answer.paired => "ranks",
            Scope::Program => "runs",
            Scope::Recording => "iterations",
        },
        "n": answer.samples,
        "comparable": compared.comparable,
        "noise_floor": { "gpu": floor(answer.gpu), "host": floor(answer.host) },
        "sentences": compared.sentences.iter().map(Sentence::to_json).collect::<Vec<_>>(),
        "columns": columns,
        "rows": rows,
        "warnings": warnings,
        "seed": answer.seed,
    })
}
