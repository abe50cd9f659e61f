//! `%temporal_breakdown`, `%idle_time_breakdown`, …: one magic for each analysis of the trace library.
//!
//! Names, help, flags and defaults come from the catalog; no analysis is named here.

use super::api::Magic;
use super::argument::{Argument, Call, Group, IdKind, Kind};
use super::context::Context;
use super::view::{
    AnalysedTrace, COMPANION, GROUP_BY, ROWS_IN_GROUP, SelectedRows, WHERE, chosen, drill_down, grouped, size, table,
    write_csv,
};
use crate::Error;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use trace_core::analysis::{AnswerTable, CATALOG, Entry, Parameter, ParameterKind, TableSchema};
use trace_core::polars::prelude::DataFrame;
use trace_core::{Answer, TraceSet, columns};
use trace_view::{Figure, HeatMap, Part, Report, Table, TableValue};

/// One magic for each row of the catalog, in its order.
pub(super) static ANALYSES: LazyLock<Vec<AnalysisMagic>> =
    LazyLock::new(|| CATALOG.iter().map(AnalysisMagic::of).collect());

/// The magic of one analysis. Its declarations are `'static`: texts made from the catalog are leaked, once per process.
pub(super) struct AnalysisMagic {
    entry: &'static Entry,
    arguments: &'static [Group],
    /// The argument of each parameter.
    parameters: Vec<(&'static str, Parameter)>,
    columns: &'static [&'static str],
    notes: &'static str,
    examples: &'static [&'static str],
}

/// The analysed trace.
const NAME: Argument = Argument::required("NAME", Kind::Trace, "the trace");

/// A second trace, which makes it a comparison.
const TEST: Argument =
    Argument::optional("TEST", Kind::Trace, "a second trace: rows of both meet, with the change from the first one");

/// Flags of the tables; [`MIN_US`] is added if a table has durations.
const TABLES: &[Argument] = &[
    Argument::flag("filter", Kind::Regex, "show only rows whose name matches; quote it: 'nccl|memcpy'").or("all rows"),
    GROUP_BY,
    Argument::flag("sort", Kind::Sort, "order by this column, numbers largest first").repeatable(),
    Argument::flag("columns", Kind::Columns, "show only these columns").or("all"),
    Argument::flag("top", Kind::Whole, "show this many rows; 0 shows all").or("20"),
    Argument::flag("unit", Kind::Choice(&["auto", "us", "ms", "s"]), "unit of the durations shown").or("auto"),
    Argument::flag("no-figure", Kind::Switch, "draw no figure"),
];
const MIN_US: Argument =
    Argument::flag("min-us", Kind::Number, "hide rows whose durations are all below this, in µs").or("0");

/// The most written files that are listed, but the first and the last.
const MOST_FILES: usize = 14;

/// Flags for the destination of the answer.
const RESULT: Group = Group::new(
    "Output",
    &[
        Argument::flag("csv", Kind::File, "write all tables, shown or not, all rows, durations in µs"),
        Argument::flag("as", Kind::Name, "also bind the main table to this Rust variable"),
        Argument::flag("quiet", Kind::Switch, "show only warnings"),
    ],
);

impl AnalysisMagic {
    fn of(entry: &'static Entry) -> Self {
        let defaults = entry.defaults();
        let mut positional = vec![NAME];
        let mut input = vec![
            Argument::flag("rank", Kind::List(IdKind::Ranks), "analyse these ranks, or all")
                .or(if entry.first_rank_only { "the first" } else { "all" }),
            Argument::flag(
                "iteration",
                Kind::List(IdKind::Iterations),
                "analyse these iterations, or all; GPU events belong to the iteration that launched them",
            )
            .or("all events"),
            WHERE,
            Argument::flag(
                "include-last-profiler-step",
                Kind::Switch,
                "include the last profiler step, which is usually cut off",
            ),
        ];
        if entry.borrows {
            input.push(COMPANION);
        }
        let mut parameters = Vec::new();
        for &parameter in entry.parameters {
            let kind = kind(parameter.kind);
            if let Some(name) = parameter.placeholder {
                positional.push(Argument::required(name, kind, parameter.meaning));
                parameters.push((name, parameter));
                continue;
            }
            let name: &'static str = parameter.name.replace('_', "-").leak();
            let default = words(&defaults[parameter.name], parameter.kind).leak();
            input.push(Argument::flag(name, kind, parameter.meaning).or(default));
            parameters.push((name, parameter));
        }
        let mut tables = TABLES.to_vec();
        if columns_of(entry.tables).any(|(name, unit)| unit.measures_durations(name)) {
            tables.insert(4, MIN_US);
        }
        if entry.is_of_two() {
            positional.push(TEST);
        }
        let mut columns: Vec<&'static str> = Vec::new();
        for (name, _) in columns_of(entry.tables) {
            if !columns.contains(&name) {
                columns.push(name);
            }
        }
        columns.extend(
            entry
                .columns_of_two()
                .iter()
                .map(|column| column.name)
                .filter(|name| !columns.contains(name))
                .collect::<Vec<_>>(),
        );
        let arguments = vec![
            Group::new("Arguments", positional.leak()),
            Group::new("Input", input.leak()),
            Group::new("Tables", tables.leak()),
            RESULT,
        ];
        Self {
            entry,
            arguments: arguments.leak(),
            parameters,
            columns: columns.leak(),
            notes: notes(entry).leak(),
            examples: examples(entry).leak(),
        }
    }

    /// Returns the parameters that were given.
    fn values(&self, call: &Call<'_>) -> Map<String, Value> {
        let value = |name: &str, kind| match kind {
            ParameterKind::Whole => call.whole(name).map(Value::from),
            ParameterKind::Number => call.number(name).map(Value::from),
            ParameterKind::Streams | ParameterKind::Iterations => call.list(name).map(Value::from),
            ParameterKind::Switch => call.decided(name).map(Value::from),
            ParameterKind::Text | ParameterKind::Choice(_) | ParameterKind::Operator | ParameterKind::Path => {
                call.text(name).map(Value::from)
            }
            ParameterKind::Texts | ParameterKind::Choices(_) => call.words(name).map(Value::from),
        };
        let named =
            |(name, parameter): &(&str, Parameter)| Some((parameter.name.to_owned(), value(name, parameter.kind)?));
        self.parameters.iter().filter_map(named).collect()
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
            "a polars DataFrame: all rows of the main table, with HTA's columns (tables per rank are joined, with a column \
             `rank`); further tables are bound as x_TABLE",
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
        let control = context.trace(call, call.required("NAME"))?;
        let test = call.text("TEST").map(|label| context.trace(call, label)).transpose()?;
        let sides = std::iter::once(&control).chain(&test).map(|side| side.label());
        let companions = if self.entry.borrows { context.companions(call, sides)? } else { Vec::new() };
        let analysed = |trace: &Arc<TraceSet>| AnalysedTrace::of(call, Arc::clone(trace)).with_companions(&companions);
        let (control, test) = (analysed(&control), test.as_ref().map(analysed));
        let (entry, values) = (self.entry, self.values(call));
        let answer = context.run_blocking(move || match test {
            None => entry.ask(&control.analysis()?, values, control.ranks.as_deref()),
            Some(test) => {
                let ranks = [control.ranks.as_deref(), test.ranks.as_deref()];
                entry.ask_two([&control.analysis()?, &test.analysis()?], values, ranks)
            }
        })?;
        context.check_interrupt()?;
        let tables = answer.whole_tables();
        // The report is made first, so that a wrong flag leaves no file and no variable behind.
        let report = report(call, &answer, &tables)?;
        let names = bind.as_deref().map(|bind| variables(bind, &tables)).unwrap_or_default();
        for name in &names {
            context.check_free(call, name)?;
        }
        let files = call.path("csv").map(|path| files(&path, &answer.tables)).unwrap_or_default();
        for (path, table) in files.iter().zip(&answer.tables) {
            write_csv(path, &table.frame)?;
        }
        let mut copied_lines = Vec::new();
        for mut copy in answer.copies.clone() {
            let same_folder = copy.target.parent() == copy.source.parent();
            copy.source = context.session.file_of(call.required("NAME"), &copy.source);
            if same_folder {
                copy.target = context.session.file_of(call.required("NAME"), &copy.target);
            }
            let copied = copy.save_while(&mut || !context.out.interrupted())?;
            let events = grouped(copied.events);
            let added = if copied.added == 0 { "none".to_owned() } else { grouped(copied.added) };
            copied_lines.push(format!("wrote {}: {events} events, {added} added", copy.target.display()));
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
        let written = files.iter().zip(&answer.tables);
        let written = written.map(|(path, table)| format!("wrote {}: {}", path.display(), size(&table.frame)));
        for lines in [written.collect(), copied_lines] {
            folded(lines).into_iter().for_each(|line| context.print_line(line));
        }
        Ok(())
    }
}

/// Shortens many lines on written files to the first, the last, and the number of the others.
fn folded(lines: Vec<String>) -> Vec<String> {
    match lines.as_slice() {
        [first, between @ .., last] if between.len() > MOST_FILES => {
            vec![first.clone(), format!("… {} more files", grouped(between.len())), last.clone()]
        }
        _ => lines,
    }
}

/// Makes the report of notes, tables and figures; only the notes if the answer is bound and not shown.
fn report(call: &Call<'_>, answer: &Answer, tables: &[AnswerTable]) -> Result<Report, Error> {
    let mut parts: Vec<Part> = Vec::new();
    // The note explains an empty table.
    let has_content = |table: &&AnswerTable| answer.notes.is_empty() || table.frame.height() > 0;
    let shown: Vec<&AnswerTable> = tables.iter().filter(|table| table.shown).filter(has_content).collect();
    // Without a table, no caption names the analysis and the trace.
    if shown.is_empty() {
        parts.push(Part::Text(answer.title.clone()));
    }
    parts.extend(answer.notes.iter().cloned().map(Part::Text));
    let shaped = shaped_by_flags(call, &shown);
    let mut tables = Vec::new();
    for (answer_table, is_shaped) in shown.iter().zip(shaped) {
        // With many ranks those that differ most come first, unless `--sort` orders the rows.
        let is_grouped = call.has("group-by");
        let first = if call.has("sort") || is_grouped { None } else { answer_table.most_different_first() };
        let (frame, ranks) = first.map_or((answer_table.frame.clone(), None), |(frame, ranks)| (frame, Some(ranks)));
        let (rows, columns) = if is_shaped {
            let rows = SelectedRows::select(call, frame)?;
            let columns = chosen(call, &rows.df)?;
            (rows, columns)
        } else {
            let total = frame.height();
            (SelectedRows { df: frame, total, order: None }, None)
        };
        let caption = answer_table.caption(&answer.title);
        let draw = |df: &DataFrame, rows| answer_table.table(df, &caption, rows);
        let mut table = table(call, rows, &columns, "", draw)?;
        if let Some(note) = ranks.and_then(|ranks| shown_ranks(&table, ranks)) {
            table.notes.push(note);
        }
        let has_rank = answer_table.frame.column(columns::RANK).is_ok();
        let events = answer_table
            .named_events
            .then_some(is_grouped)
            .filter(|is_grouped| !is_grouped)
            .map(|_| drill_down(call, call.required("NAME"), has_rank, answer_table.short_names));
        tables.push(Part::Table(Table { events, ..table }));
    }
    if call.shows() {
        parts.extend(tables);
        if !call.switch("no-figure") {
            // --top limits figures, too.
            let top = call.whole("top").filter(|top| *top > 0).map(|top| usize::try_from(top).unwrap_or(usize::MAX));
            let cut = |figure: &Figure| top.map_or_else(|| figure.clone(), |top| figure.first_names(top));
            parts.extend(answer.figures.iter().map(|figure| Part::Figure(cut(figure))));
            let cut = |map: &HeatMap| top.map_or_else(|| map.clone(), |top| map.first_rows(top));
            parts.extend(answer.heat_maps.iter().map(|map| Part::HeatMap(cut(map))));
        }
    }
    Ok(Report { parts })
}

/// Returns the note on a table that shows some of many ranks; `None` if its first page has all.
fn shown_ranks(table: &Table, ranks: usize) -> Option<String> {
    let at = table.headers.iter().position(|header| header.name == columns::RANK)?;
    let shown = table.page.as_ref().map_or(table.rows.len(), |page| page.rows).min(table.rows.len());
    let seen: BTreeSet<i64> = table.rows[..shown]
        .iter()
        .filter_map(|row| if let Some(TableValue::Int(rank)) = row.get(at) { Some(*rank) } else { None })
        .collect();
    (seen.len() < ranks).then(|| {
        format!(
            "{} of {} ranks shown, those that differ most first; `--rank 7` looks closer, `--csv FILE` writes all",
            grouped(seen.len()),
            grouped(ranks)
        )
    })
}

/// Returns which tables `--filter`, `--sort` and `--columns` shape: those that have the columns; if none has, all, so that
/// the error names the missing column.
fn shaped_by_flags(call: &Call<'_>, tables: &[&AnswerTable]) -> Vec<bool> {
    let has = |table: &&AnswerTable, name: &str| table.frame.column(name).is_ok();
    let named = tables.iter().any(|table| has(table, columns::NAME));
    let filters = call.regex("filter").is_some();
    let is_shaped = |table: &&AnswerTable| {
        let keys = call.words("group-by");
        let is_count = |name: &str| keys.is_some() && name == ROWS_IN_GROUP;
        call.sorts("sort").iter().all(|sort| has(table, &sort.column) || is_count(&sort.column))
            && keys.is_none_or(|keys| keys.iter().all(|key| has(table, key)))
            && call.words("columns").is_none_or(|names| names.iter().all(|name| has(table, name) || is_count(name)))
            && (!filters || !named || has(table, columns::NAME))
    };
    let shaped: Vec<bool> = tables.iter().map(is_shaped).collect();
    if shaped.contains(&true) { shaped } else { vec![true; tables.len()] }
}

/// Returns the variable of each table: `x` for the main table, `x_TABLE` for the rest.
fn variables(bind: &str, tables: &[AnswerTable]) -> Vec<String> {
    let name = |(index, table): (usize, &AnswerTable)| {
        if index == 0 { bind.to_owned() } else { format!("{bind}_{}", table.name) }
    };
    tables.iter().enumerate().map(name).collect()
}

/// Returns the file of each table: `out.csv`, `out.kernels.csv` for a named one, `out.rank0.csv` for one of a rank.
fn files(path: &Path, tables: &[AnswerTable]) -> Vec<PathBuf> {
    tables.iter().map(|table| file(path, &table.part())).collect()
}

fn file(path: &Path, suffix: &str) -> PathBuf {
    if suffix.is_empty() {
        return path.to_owned();
    }
    let text = path.to_string_lossy();
    PathBuf::from(format!("{}.{suffix}.csv", text.strip_suffix(".csv").unwrap_or(&text)))
}

/// Returns the columns of all tables; tables per rank begin with `rank`.
fn columns_of(tables: &'static [TableSchema]) -> impl Iterator<Item = (&'static str, trace_view::Unit)> {
    tables.iter().flat_map(|table| {
        let rank = table.per_rank.then_some((columns::RANK, trace_view::Unit::None));
        rank.into_iter().chain(table.columns.iter().map(|column| (column.name, column.unit)))
    })
}

fn notes(entry: &Entry) -> String {
    let suffix = |table: &TableSchema| match (table.name, table.per_rank) {
        (name, false) => name.to_owned(),
        ("", true) => "rankN".to_owned(),
        (name, true) => format!("{name}.rankN"),
    };
    let files: Vec<String> =
        entry.tables.iter().map(|table| file(Path::new("out.csv"), &suffix(table)).display().to_string()).collect();
    let each = if entry.tables.iter().any(|table| table.per_rank) { ", one for each rank N" } else { "" };
    let launches = if entry.launches {
        "\n\n--where selects kernels; their launches are included even if they do not meet the condition."
    } else {
        ""
    };
    let more = if entry.notes.is_empty() { String::new() } else { format!("{}\n\n", entry.notes) };
    format!(
        "{more}--csv out.csv writes {}{each}. The other flags under Tables apply only to what is shown; --top N also limits figures to N names.{launches}",
        files.join(" and ")
    )
}

fn examples(entry: &Entry) -> Vec<&'static str> {
    let positional: String =
        entry.parameters.iter().filter_map(|parameter| parameter.placeholder).map(|name| format!(" {name}")).collect();
    let start = format!("%{} control{positional}", entry.name);
    let rests = [String::new(), " --rank 0,2-3 --no-figure".to_owned(), format!(" --csv {}.csv", entry.name)];
    let two = entry.is_of_two().then(|| format!("%{} control test --no-figure", entry.name));
    rests.into_iter().map(|rest| format!("{start}{rest}")).chain(two).map(|example| &*example.leak()).collect()
}

/// Returns a default as the help page shows it.
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
        ParameterKind::Choice(words) => Kind::Choice(words),
        ParameterKind::Choices(words) => Kind::Choices(words),
        ParameterKind::Path => Kind::Target,
    }
}
