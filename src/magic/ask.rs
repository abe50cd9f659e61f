//! `%temporal_breakdown`, `%idle_time_breakdown`, …: a magic of every question of the trace library.
//!
//! Everything comes from the catalog: names, help, flags and their defaults. None of the questions is known by name.

use super::view::{Rows, size, table, write_csv};
use super::{Argument, Call, Group, Kind, Magic, Scene};
use crate::Error;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use trace::analysis::{AnswerTable, CATALOG, Entry, Parameter, ParameterKind};
use trace::polars::prelude::DataFrame;
use trace::{Answer, TraceAnalysis};
use trace_view::{Part, Report};

/// A magic per row of the catalog, in its order.
pub(super) static ASKS: LazyLock<Vec<Ask>> = LazyLock::new(|| CATALOG.iter().map(Ask::of).collect());

/// The magic that asks one question. Its texts are made once and live as long as the kernel.
pub(super) struct Ask {
    entry: &'static Entry,
    arguments: &'static [Group],
    /// Parameters by the flag that sets them.
    flags: Vec<(&'static str, Parameter)>,
    notes: &'static str,
    examples: &'static [&'static str],
}

/// Whom it is asked.
const ARGUMENTS: Group = Group::new("Arguments", &[Argument::required("NAME", Kind::Trace, "the trace")]);

/// How the tables are shown.
const TABLES: Group = Group::new(
    "Tables",
    &[
        Argument::flag("filter", Kind::Regex, "show only rows whose name matches; quote it: 'nccl|memcpy'")
            .or("all rows"),
        Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
        Argument::flag("top", Kind::Whole, "show this many rows; 0 shows all").or("20"),
        Argument::flag("unit", Kind::Choice(&["auto", "us", "ms", "s"]), "unit of the durations shown").or("auto"),
        Argument::flag("no-figure", Kind::Switch, "draw nothing"),
    ],
);

/// Where the answer goes.
const RESULT: Group = Group::new(
    "Where it goes",
    &[
        Argument::flag("csv", Kind::File, "write every table whole, shown or not, durations in µs"),
        Argument::flag("as", Kind::Name, "bind the main table to this Rust variable too"),
        Argument::flag("quiet", Kind::Switch, "show nothing but warnings"),
    ],
);

impl Ask {
    fn of(entry: &'static Entry) -> Self {
        let defaults = entry.defaults();
        let mut asked = vec![
            Argument::flag("rank", Kind::List, "only these ranks").or(if entry.first_rank_only {
                "the first"
            } else {
                "all"
            }),
            Argument::flag(
                "include-last-profiler-step",
                Kind::Switch,
                "look at the last profiler step too, which is usually cut off",
            ),
        ];
        let mut flags = Vec::new();
        for &parameter in entry.parameters {
            let name: &'static str = parameter.name.replace('_', "-").leak();
            let default = words(&defaults[parameter.name]).leak();
            asked.push(Argument::flag(name, kind(parameter.kind), parameter.meaning).or(default));
            flags.push((name, parameter));
        }
        let arguments = vec![ARGUMENTS, Group::new("What is asked", asked.leak()), TABLES, RESULT];
        let examples = [String::new(), " --rank 0,2-3 --no-figure".to_owned(), format!(" --csv {}.csv", entry.name)];
        let examples: Vec<&'static str> =
            examples.into_iter().map(|rest| &*format!("%{} control{rest}", entry.name).leak()).collect();
        Self { entry, arguments: arguments.leak(), flags, notes: notes(entry).leak(), examples: examples.leak() }
    }

    /// The parameters that were given.
    fn given(&self, call: &Call<'_>) -> Map<String, Value> {
        let value = |flag: &str, kind| match kind {
            ParameterKind::Whole => call.whole(flag).map(Value::from),
            ParameterKind::Number => call.number(flag).map(Value::from),
            ParameterKind::List => call.list(flag).map(Value::from),
            ParameterKind::Switch => call.decided(flag).map(Value::from),
        };
        let given =
            |(flag, parameter): &(&str, Parameter)| Some((parameter.name.to_owned(), value(flag, parameter.kind)?));
        self.flags.iter().filter_map(given).collect()
    }
}

impl Magic for Ask {
    fn name(&self) -> &'static str {
        self.entry.name
    }

    fn summary(&self) -> &'static str {
        self.entry.summary
    }

    fn arguments(&self) -> &'static [Group] {
        self.arguments
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame of the main table, all rows, with HTA's columns; of further tables x_TABLE")
    }

    fn notes(&self) -> &'static str {
        self.notes
    }

    fn examples(&self) -> &'static [&'static str] {
        self.examples
    }

    fn run(&self, call: &Call<'_>, scene: &mut Scene<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let traces = scene.trace(call, call.required("NAME"))?;
        let last = call.switch("include-last-profiler-step");
        let analysis = TraceAnalysis::with_last_profiler_step(&traces, last)?;
        let answer = self.entry.ask(&analysis, self.given(call), call.list("rank"))?;
        scene.check_interrupt()?;
        // What is shown comes first, so that a wrong flag leaves no file and no variable behind.
        let report = report(call, &answer)?;
        let names = bind.as_deref().map(|bind| variables(bind, &answer.tables)).unwrap_or_default();
        for name in &names {
            scene.free(call, name)?;
        }
        let files = call.path("csv").map(|path| files(&path, &answer.tables)).unwrap_or_default();
        for (path, table) in files.iter().zip(&answer.tables) {
            write_csv(path, &table.frame)?;
        }
        for (name, table) in names.iter().zip(&answer.tables) {
            scene.bind_frame(call, name, &table.frame)?;
        }
        if call.quiet() {
            return Ok(());
        }
        scene.show(&report);
        for (name, table) in names.iter().zip(&answer.tables) {
            scene.say(format!("{name}: DataFrame {}", size(&table.frame)));
        }
        for (path, table) in files.iter().zip(&answer.tables) {
            scene.say(format!("wrote {}: {}", path.display(), size(&table.frame)));
        }
        Ok(())
    }
}

/// Sentences, tables and figures; only the sentences if the answer is bound and not shown.
fn report(call: &Call<'_>, answer: &Answer) -> Result<Report, Error> {
    let mut parts: Vec<Part> = answer.notes.iter().map(|note| Part::Text(note.clone())).collect();
    let shown: Vec<&AnswerTable> = answer.tables.iter().filter(|table| table.shown).collect();
    let takes = takers(call, &shown);
    let mut tables = Vec::new();
    for (answer_table, takes) in shown.iter().zip(takes) {
        let frame = answer_table.frame.clone();
        let rows = if takes {
            Rows::of(call, frame)?
        } else {
            let of = frame.height();
            Rows { df: frame, of, order: None }
        };
        let caption = answer_table.caption(&answer.title);
        let draw = |df: &DataFrame, rows| answer_table.table(df, &caption, rows);
        tables.push(Part::Table(table(call, rows, &None, "", draw)?));
    }
    if call.shows() {
        parts.extend(tables);
        if !call.switch("no-figure") {
            parts.extend(answer.figures.iter().map(|figure| Part::Figure(figure.clone())));
        }
    }
    Ok(Report { parts })
}

/// Which tables `--filter` and `--sort` are for: those that have the columns. If none has, all: each says what it lacks.
fn takers(call: &Call<'_>, tables: &[&AnswerTable]) -> Vec<bool> {
    let has = |table: &&AnswerTable, name: &str| table.frame.column(name).is_ok();
    let named = tables.iter().any(|table| has(table, "name"));
    let filters = call.regex("filter").is_some();
    let takes = |table: &&AnswerTable| {
        call.sorts("sort").iter().all(|sort| has(table, &sort.column)) && (!filters || !named || has(table, "name"))
    };
    let takes: Vec<bool> = tables.iter().map(takes).collect();
    if takes.contains(&true) { takes } else { vec![true; tables.len()] }
}

/// The main table has the name itself, the others theirs behind it.
fn variables(bind: &str, tables: &[AnswerTable]) -> Vec<String> {
    let name = |(place, table): (usize, &AnswerTable)| {
        if place == 0 { bind.to_owned() } else { format!("{bind}_{}", table.name) }
    };
    tables.iter().enumerate().map(name).collect()
}

/// `out.csv` for a table without a name, `out.kernels.csv` for one with.
fn files(path: &Path, tables: &[AnswerTable]) -> Vec<PathBuf> {
    tables.iter().map(|table| file(path, table.name)).collect()
}

fn file(path: &Path, table: &str) -> PathBuf {
    if table.is_empty() {
        return path.to_owned();
    }
    let text = path.to_string_lossy();
    PathBuf::from(format!("{}.{table}.csv", text.strip_suffix(".csv").unwrap_or(&text)))
}

fn notes(entry: &Entry) -> String {
    let files: Vec<String> =
        entry.tables.iter().map(|table| file(Path::new("out.csv"), table).display().to_string()).collect();
    let more = if entry.notes.is_empty() { String::new() } else { format!("{}\n\n", entry.notes) };
    format!("{more}--csv out.csv writes {}. The other flags of tables shape only what is shown.", files.join(" and "))
}

/// A default as the help page says it.
fn words(value: &Value) -> String {
    match value {
        Value::Null => "all".to_owned(),
        value => value.to_string().trim_end_matches(".0").to_owned(),
    }
}

fn kind(kind: ParameterKind) -> Kind {
    match kind {
        ParameterKind::Whole => Kind::Whole,
        ParameterKind::Number => Kind::Number,
        ParameterKind::List => Kind::List,
        ParameterKind::Switch => Kind::Switch,
    }
}
