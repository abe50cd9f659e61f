//! `%temporal_breakdown`, `%idle_time_breakdown`, …: a magic of every question of the trace library.
//!
//! Everything comes from the catalog: names, help, flags and their defaults. None of the questions is known by name.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{SelectedRows, WHERE, chosen, drill_down, grouped, size, table, write_csv};
use crate::Error;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use trace::analysis::{AnswerTable, CATALOG, Entry, Parameter, ParameterKind, TableSchema};
use trace::polars::prelude::DataFrame;
use trace::{Answer, TraceAnalysis};
use trace_view::{Figure, Part, Report, Table};

/// A magic per row of the catalog, in its order.
pub(super) static ANALYSES: LazyLock<Vec<AnalysisMagic>> =
    LazyLock::new(|| CATALOG.iter().map(AnalysisMagic::of).collect());

/// The magic that asks one question. Its texts are made once and live as long as the kernel.
pub(super) struct AnalysisMagic {
    entry: &'static Entry,
    arguments: &'static [Group],
    /// Parameters by the argument that sets them.
    given: Vec<(&'static str, Parameter)>,
    columns: &'static [&'static str],
    notes: &'static str,
    examples: &'static [&'static str],
}

/// The trace that is asked.
const NAME: Argument = Argument::required("NAME", Kind::Trace, "the trace");

/// How the tables are shown; [`MIN_US`] only where a table has durations.
const TABLES: &[Argument] = &[
    Argument::flag("filter", Kind::Regex, "show only rows whose name matches; quote it: 'nccl|memcpy'").or("all rows"),
    Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
    Argument::flag("columns", Kind::Columns, "show only these columns").or("all"),
    Argument::flag("top", Kind::Whole, "show this many rows; 0 shows all").or("20"),
    Argument::flag("unit", Kind::Choice(&["auto", "us", "ms", "s"]), "unit of the durations shown").or("auto"),
    Argument::flag("no-figure", Kind::Switch, "draw nothing"),
];
const MIN_US: Argument =
    Argument::flag("min-us", Kind::Number, "hide rows without a duration of at least this many µs").or("0");

/// Where the answer goes.
const RESULT: Group = Group::new(
    "Where it goes",
    &[
        Argument::flag("csv", Kind::File, "write every table whole, shown or not, durations in µs"),
        Argument::flag("as", Kind::Name, "bind the main table to this Rust variable too"),
        Argument::flag("quiet", Kind::Switch, "show nothing but warnings"),
    ],
);

impl AnalysisMagic {
    fn of(entry: &'static Entry) -> Self {
        let defaults = entry.defaults();
        let mut places = vec![NAME];
        let mut asked = vec![
            Argument::flag("rank", Kind::List(IdKind::Ranks), "only these ranks, or all")
                .or(if entry.first_rank_only { "the first" } else { "all" }),
            Argument::flag(
                "iteration",
                Kind::List(IdKind::Iterations),
                "only rows of these iterations, or of all; on the GPU those launched in them",
            )
            .or("all rows"),
            WHERE,
            Argument::flag(
                "include-last-profiler-step",
                Kind::Switch,
                "look at the last profiler step too, which is usually cut off",
            ),
        ];
        let mut given = Vec::new();
        for &parameter in entry.parameters {
            let kind = kind(parameter.kind);
            if let Some(place) = parameter.place {
                places.push(Argument::required(place, kind, parameter.meaning));
                given.push((place, parameter));
                continue;
            }
            let name: &'static str = parameter.name.replace('_', "-").leak();
            let default = words(&defaults[parameter.name], parameter.kind).leak();
            asked.push(Argument::flag(name, kind, parameter.meaning).or(default));
            given.push((name, parameter));
        }
        let mut tables = TABLES.to_vec();
        if columns_of(entry.tables).any(|(name, unit)| unit.measures_durations(name)) {
            tables.insert(4, MIN_US);
        }
        let mut columns: Vec<&'static str> = Vec::new();
        for (name, _) in columns_of(entry.tables) {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        let arguments = vec![
            Group::new("Arguments", places.leak()),
            Group::new("What is asked", asked.leak()),
            Group::new("Tables", tables.leak()),
            RESULT,
        ];
        Self {
            entry,
            arguments: arguments.leak(),
            given,
            columns: columns.leak(),
            notes: notes(entry).leak(),
            examples: examples(entry).leak(),
        }
    }

    /// The parameters that were given.
    fn given(&self, call: &Call<'_>) -> Map<String, Value> {
        let value = |name: &str, kind| match kind {
            ParameterKind::Whole => call.whole(name).map(Value::from),
            ParameterKind::Number => call.number(name).map(Value::from),
            ParameterKind::Streams | ParameterKind::Iterations => call.list(name).map(Value::from),
            ParameterKind::Switch => call.decided(name).map(Value::from),
            ParameterKind::Text | ParameterKind::Operator | ParameterKind::Path => call.text(name).map(Value::from),
            ParameterKind::Texts | ParameterKind::Choices(_) => call.words(name).map(Value::from),
        };
        let given =
            |(name, parameter): &(&str, Parameter)| Some((parameter.name.to_owned(), value(name, parameter.kind)?));
        self.given.iter().filter_map(given).collect()
    }
}

impl Magic for AnalysisMagic {
    fn name(&self) -> &'static str {
        self.entry.name
    }

    fn summary(&self) -> &'static str {
        self.entry.summary
    }

    fn arguments(&self) -> &'static [Group] {
        self.arguments
    }

    fn columns(&self) -> &'static [&'static str] {
        self.columns
    }

    fn result(&self) -> Option<&'static str> {
        Some(
            "a polars DataFrame of the main table, all rows, with HTA's columns (of tables per rank all ranks, with a \
             column `rank`); of further tables x_TABLE",
        )
    }

    fn notes(&self) -> &'static str {
        self.notes
    }

    fn examples(&self) -> &'static [&'static str] {
        self.examples
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let bind = call.result_name()?.map(str::to_owned);
        let traces = context.trace(call, call.required("NAME"))?;
        let last = call.switch("include-last-profiler-step");
        let (condition, ranks) = (call.condition("where").cloned(), call.pick("rank", || traces.ranks()));
        let (iterations, every) = (call.list("iteration").map(<[i64]>::to_vec), call.given("iteration"));
        let (entry, given) = (self.entry, self.given(call));
        let answer = context.run_blocking(move || {
            let mut analysis = TraceAnalysis::with_last_profiler_step(&traces, last)?;
            let iterations = match iterations {
                // `all`; a trace without iterations has its whole window.
                None if every && traces.has_profiler_steps() => Some(analysis.iterations()?),
                iterations => iterations,
            };
            if let Some(iterations) = iterations {
                analysis = analysis.in_iterations(iterations)?;
            }
            if let Some(condition) = &condition {
                analysis = analysis.filter(condition)?;
            }
            entry.ask(&analysis, given, ranks.as_deref())
        })?;
        context.check_interrupt()?;
        let tables = answer.whole_tables();
        // What is shown comes first, so that a wrong flag leaves no file and no variable behind.
        let report = report(call, &answer, &tables)?;
        let names = bind.as_deref().map(|bind| variables(bind, &tables)).unwrap_or_default();
        for name in &names {
            context.check_free(call, name)?;
        }
        let files = call.path("csv").map(|path| files(&path, &answer.tables)).unwrap_or_default();
        for (path, table) in files.iter().zip(&answer.tables) {
            write_csv(path, &table.frame)?;
        }
        let mut said = Vec::new();
        for mut copy in answer.copies.clone() {
            let beside = copy.target.parent() == copy.source.parent();
            copy.source = context.session.file_of(call.required("NAME"), &copy.source);
            if beside {
                copy.target = context.session.file_of(call.required("NAME"), &copy.target);
            }
            let copied = copy.save_while(&mut || !context.out.interrupted())?;
            let events = grouped(copied.events);
            let added = if copied.added == 0 { "none".to_owned() } else { grouped(copied.added) };
            said.push(format!("wrote {}: {events} events, {added} added", copy.target.display()));
        }
        for (name, table) in names.iter().zip(&tables) {
            context.bind_frame(call, name, &table.frame)?;
        }
        if call.quiet() {
            return Ok(());
        }
        context.show(&report);
        for (name, table) in names.iter().zip(&tables) {
            context.print_line(format!("{name}: DataFrame {}", size(&table.frame)));
        }
        for (path, table) in files.iter().zip(&answer.tables) {
            context.print_line(format!("wrote {}: {}", path.display(), size(&table.frame)));
        }
        said.into_iter().for_each(|line| context.print_line(line));
        Ok(())
    }
}

/// Sentences, tables and figures; only the sentences if the answer is bound and not shown.
fn report(call: &Call<'_>, answer: &Answer, tables: &[AnswerTable]) -> Result<Report, Error> {
    let mut parts: Vec<Part> = Vec::new();
    // What an empty table has to say, its sentence says.
    let says = |table: &&AnswerTable| answer.notes.is_empty() || table.frame.height() > 0;
    let shown: Vec<&AnswerTable> = tables.iter().filter(|table| table.shown).filter(says).collect();
    // Without a table nothing else says what was asked of what.
    if shown.is_empty() {
        parts.push(Part::Text(answer.title.clone()));
    }
    parts.extend(answer.notes.iter().cloned().map(Part::Text));
    let takes = takers(call, &shown);
    let mut tables = Vec::new();
    for (answer_table, takes) in shown.iter().zip(takes) {
        let frame = answer_table.frame.clone();
        let (rows, columns) = if takes {
            (SelectedRows::of(call, frame)?, chosen(call, &answer_table.frame)?)
        } else {
            let of = frame.height();
            (SelectedRows { df: frame, of, order: None }, None)
        };
        let caption = answer_table.caption(&answer.title);
        let draw = |df: &DataFrame, rows| answer_table.table(df, &caption, rows);
        let table = table(call, rows, &columns, "", draw)?;
        let ranked = answer_table.frame.column("rank").is_ok();
        let events = answer_table.named_events.then(|| drill_down(call, call.required("NAME"), ranked));
        tables.push(Part::Table(Table { events, ..table }));
    }
    if call.shows() {
        parts.extend(tables);
        if !call.switch("no-figure") {
            // What --top cuts a table to, it cuts a figure to as well.
            let top = call.whole("top").filter(|top| *top > 0).map(|top| usize::try_from(top).unwrap_or(usize::MAX));
            let cut = |figure: &Figure| top.map_or_else(|| figure.clone(), |top| figure.first_names(top));
            parts.extend(answer.figures.iter().map(|figure| Part::Figure(cut(figure))));
        }
    }
    Ok(Report { parts })
}

/// Which tables `--filter`, `--sort` and `--columns` are for: those that have the columns. If none has, all: each says
/// what it lacks.
fn takers(call: &Call<'_>, tables: &[&AnswerTable]) -> Vec<bool> {
    let has = |table: &&AnswerTable, name: &str| table.frame.column(name).is_ok();
    let named = tables.iter().any(|table| has(table, "name"));
    let filters = call.regex("filter").is_some();
    let takes = |table: &&AnswerTable| {
        call.sorts("sort").iter().all(|sort| has(table, &sort.column))
            && call.words("columns").is_none_or(|names| names.iter().all(|name| has(table, name)))
            && (!filters || !named || has(table, "name"))
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

/// `out.csv` for a table without a name, `out.kernels.csv` for one with, `out.rank0.csv` for one of a rank.
fn files(path: &Path, tables: &[AnswerTable]) -> Vec<PathBuf> {
    tables.iter().map(|table| file(path, &table.part())).collect()
}

fn file(path: &Path, part: &str) -> PathBuf {
    if part.is_empty() {
        return path.to_owned();
    }
    let text = path.to_string_lossy();
    PathBuf::from(format!("{}.{part}.csv", text.strip_suffix(".csv").unwrap_or(&text)))
}

/// The columns of all tables, with a rank in front of tables per rank.
fn columns_of(tables: &'static [TableSchema]) -> impl Iterator<Item = (&'static str, trace_view::Unit)> {
    tables.iter().flat_map(|table| {
        let rank = table.per_rank.then_some(("rank", trace_view::Unit::None));
        rank.into_iter().chain(table.columns.iter().map(|column| (column.name, column.unit)))
    })
}

fn notes(entry: &Entry) -> String {
    let part = |table: &TableSchema| match (table.name, table.per_rank) {
        (name, false) => name.to_owned(),
        ("", true) => "rankN".to_owned(),
        (name, true) => format!("{name}.rankN"),
    };
    let files: Vec<String> =
        entry.tables.iter().map(|table| file(Path::new("out.csv"), &part(table)).display().to_string()).collect();
    let each =
        if entry.tables.iter().any(|table| table.per_rank) { ", one for every rank N that is asked" } else { "" };
    let launches = if entry.launches {
        "\n\nThe launches of the kernels that --where takes count, whether it takes them or not."
    } else {
        ""
    };
    let more = if entry.notes.is_empty() { String::new() } else { format!("{}\n\n", entry.notes) };
    format!(
        "{more}--csv out.csv writes {}{each}. The other flags of tables shape only what is shown; --top N also draws at most N names.{launches}",
        files.join(" and ")
    )
}

fn examples(entry: &Entry) -> Vec<&'static str> {
    let places: String =
        entry.parameters.iter().filter_map(|parameter| parameter.place).map(|at| format!(" {at}")).collect();
    let start = format!("%{} control{places}", entry.name);
    let rests = [String::new(), " --rank 0,2-3 --no-figure".to_owned(), format!(" --csv {}.csv", entry.name)];
    rests.iter().map(|rest| &*format!("{start}{rest}").leak()).collect()
}

/// A default as the help page says it.
fn words(value: &Value, kind: ParameterKind) -> String {
    match (value, kind) {
        (Value::Null, ParameterKind::Path) => "see below".to_owned(),
        (Value::Null, _) => "all".to_owned(),
        (Value::String(text), _) => text.clone(),
        (Value::Array(values), _) => values.iter().map(|value| words(value, kind)).collect::<Vec<_>>().join(","),
        (value, _) => value.to_string().trim_end_matches(".0").to_owned(),
    }
}

fn kind(kind: ParameterKind) -> Kind {
    match kind {
        ParameterKind::Whole => Kind::Whole,
        ParameterKind::Number => Kind::Number,
        ParameterKind::Streams => Kind::List(IdKind::Streams),
        ParameterKind::Iterations => Kind::List(IdKind::Iterations),
        ParameterKind::Operator => Kind::Operator,
        ParameterKind::Switch => Kind::Switch,
        ParameterKind::Text => Kind::Text,
        ParameterKind::Texts => Kind::Texts,
        ParameterKind::Choices(words) => Kind::Choices(words),
        ParameterKind::Path => Kind::Target,
    }
}
