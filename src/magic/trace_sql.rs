//! `%trace_sql` and `%%trace_sql`: questions in SQL to all loaded traces and data frames.

use crate::{Error, session};
use kernel_magic::api::Magic;
use kernel_magic::argument::{Argument, Call, Group, Kind, any_of, did_you_mean};
use kernel_magic::context::{Context, Progress};
use kernel_magic::view::{COMPANION, Frame, RESULT, ROWS_WHERE, SHOWN, SORT, deliver};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use trace::sql::{sql_tables, tables_named};
use trace::{SqlTables, TraceSet};
use trace_view::grouped;

pub(super) struct TraceSql;

/// Types of variables that are tables.
const FRAMES: &[&str] = &["DataFrame", "LazyFrame"];

/// The longest part of a statement in a caption, in characters.
const LONGEST_CAPTION: usize = 90;

const ARGUMENTS: &[Group] = &[
    Group::new(
        "Arguments",
        &[Argument::optional(
            "STATEMENT",
            Kind::Code,
            "a SELECT, or NAME << SELECT …; for %%trace_sql, the lines below",
        )],
    ),
    Group::new(
        "Statement",
        &[
            Argument::flag("save", Kind::Name, "keep the statement under this name: a table of later ones (-S)")
                .or("not kept"),
            Argument::flag(
                "with",
                Kind::Texts,
                "saved statements that this one uses; they are found without it, too (-w)",
            )
            .or("those that it names"),
            Argument::flag("file", Kind::Path, "read the statement from this file (-f)").or("the cell"),
            Argument::flag("no-execute", Kind::Switch, "only save it (-N)"),
            COMPANION,
        ],
    ),
    Group::new(
        "Rows (of table, file and variable)",
        &[
            Argument::flag("filter", Kind::Regex, "only rows whose name matches; quote it: 'nccl|memcpy'")
                .or("all rows"),
            ROWS_WHERE,
            SORT,
        ],
    ),
    SHOWN,
    RESULT,
];

impl Magic for TraceSql {
    fn name(&self) -> &'static str {
        "trace_sql"
    }

    fn owns_cells(&self) -> bool {
        true
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn summary(&self) -> &'static str {
        "Ask all loaded traces and data frames in SQL."
    }

    fn arguments(&self) -> &'static [Group] {
        ARGUMENTS
    }

    fn result(&self) -> Option<&'static str> {
        Some("a polars DataFrame of the rows")
    }

    fn notes(&self) -> &'static str {
        "Tables: events, kernels, launches, iterations and ranks of all loaded traces, told apart by the columns trace and rank; data frames \
         by the name of their variable; saved statements. Table functions: ancestors(id), descendants(id), self_time, gaps(stream), \
         intersect(a, b), overlap(table). The dialect is SQLite's, with REGEXP, MEDIAN, QUANTILE_CONT, STDDEV and other functions. Names \
         and categories are texts for LIKE and REGEXP, times are nanoseconds, the end of an event is end_ts, its position in the file is \
         id. Only the columns that a statement names are read, and only the ranks that conditions on trace and rank leave. With a companion, \
         operator in events and kernels is the innermost operator above a GPU event, and operator_source says whether it was recorded or \
         is borrowed. Tab completes tables, columns and functions; Shift-Tab on a table lists its columns. What other dialects write is refused with what to write \
         instead."
    }

    fn examples(&self) -> &'static [&'static str] {
        &[
            "%trace_sql SELECT trace, name, SUM(dur) AS dur FROM kernels GROUP BY trace, name ORDER BY dur DESC LIMIT 10",
            "%%trace_sql --as idle\nSELECT trace, rank, SUM(dur) AS dur FROM gaps(7) GROUP BY trace, rank",
            "%%trace_sql --save copies\nSELECT * FROM kernels WHERE name LIKE 'Memcpy%'",
            "%%trace_sql\nlongest << SELECT name, dur FROM kernels ORDER BY dur DESC LIMIT 5",
        ]
    }

    fn run(&self, call: &Call<'_>, context: &mut Context<'_>) -> Result<(), Error> {
        let text = text(call)?;
        let (assigned, statement) = assignment(&text);
        let bind = name(call, assigned)?;
        for saved in call.words("with").unwrap_or_default() {
            let names: Vec<&str> = context.session.statements().keys().map(String::as_str).collect();
            if !names.contains(&saved.as_str()) {
                let hint = did_you_mean(saved, names.iter().copied());
                return Err(call.unknown("saved statement", saved, any_of(&names)).hint(hint).into());
            }
        }
        if let Some(name) = call.text("save") {
            self.check_name(call, context, name)?;
        }
        if !call.switch("no-execute") {
            let tables = tables(call, context, statement)?;
            let asked = statement.to_owned();
            let all = context.session.traces().values().map(|trace| trace.event_count() as u64).sum::<u64>().max(1);
            let progress = Arc::new(Mutex::new(Progress::new(context.out, !call.quiet())));
            let shown = Arc::clone(&progress);
            let on_rows = move |rows: u64| {
                let mut progress = shown.lock().unwrap_or_else(PoisonError::into_inner);
                progress.draw_if_due(|elapsed| bar(rows, all, elapsed));
            };
            let answer = context.run_blocking(move || tables.answer_with(&asked, on_rows));
            let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
            let seconds = format!("{:.1} s", progress.elapsed().as_secs_f64());
            let how = match &answer {
                Ok(_) => "done",
                Err(Error::Interrupted) => "interrupted",
                Err(_) => "failed",
            };
            progress.end(&format!("{how} · {seconds}"));
            let answer = answer?;
            context.check_interrupt()?;
            let df = answer.rows;
            if df.height() == 0 && !call.quiet() {
                context.print_line("no rows");
            }
            let caption = caption(statement, df.height());
            let columns = df.get_column_names_owned().iter().map(ToString::to_string).collect();
            let frame = Frame { times: Some(answer.times), columns: Some(columns), ..Frame::of(df, &caption) };
            deliver(call, context, frame, bind.as_deref())?;
            if let Some(name) = bind.as_deref().filter(|name| is_table(name) && !call.quiet()) {
                context.print_line(format!("FROM {name} still reads the traces: choose another name to use it in SQL"));
            }
        }
        if let Some(name) = call.text("save") {
            context.session.save_statement(name, statement);
            if !call.quiet() {
                context.print_line(format!("saved: FROM {name} runs it"));
            }
        }
        Ok(())
    }
}

impl TraceSql {
    /// Checks the name of a statement to be saved.
    fn check_name(&self, call: &Call<'_>, context: &Context<'_>, name: &str) -> Result<(), Error> {
        if is_table(name) {
            return Err(call
                .cannot(format!("save {name}"), "a table has this name")
                .hint("choose another name")
                .into());
        }
        if context.session.is_label(name) {
            let error = call.cannot(format!("save {name}"), "a loaded trace has this name");
            return Err(error.hint("choose another name").into());
        }
        Ok(())
    }
}

/// Whether a table or a table function has this name.
fn is_table(name: &str) -> bool {
    sql_tables([]).iter().any(|table| table.name == name)
}

/// Returns the text after the flags, or that of `--file`.
fn text(call: &Call<'_>) -> Result<String, Error> {
    let typed = call.text("STATEMENT").filter(|text| !text.trim().is_empty());
    match (typed, call.path("file")) {
        (Some(_), Some(_)) => {
            let error = call.cannot("run two statements", "one is in the cell, one in the file");
            Err(error.hint("leave one of them out").into())
        }
        (Some(text), None) => Ok(text.to_owned()),
        (None, Some(path)) => std::fs::read_to_string(&path).map_err(|cause| {
            call.cannot(format!("read {}", path.display()), cause.to_string()).hint("name a file with a SELECT").into()
        }),
        (None, None) => {
            let error = call.usage(crate::Problem::Missing { what: "STATEMENT".to_owned() });
            Err(error.hint("write SELECT * FROM events LIMIT 5").into())
        }
    }
}

/// Splits `name << SELECT …`, and `<< SELECT …`.
fn assignment(text: &str) -> (Option<&str>, &str) {
    let Some((before, statement)) = text.split_once("<<") else { return (None, text) };
    let name = before.trim().trim_end_matches('=').trim();
    let is_name = !name.is_empty() && name.chars().all(|c| c == '_' || c.is_alphanumeric());
    match before.trim() {
        "" => (None, statement),
        _ if is_name => (Some(name), statement),
        _ => (None, text),
    }
}

/// Returns the name of the result: of `x << …`, of `x = %trace_sql …` or of `--as x`.
fn name(call: &Call<'_>, assigned: Option<&str>) -> Result<Option<String>, Error> {
    let bound = call.result_name()?;
    match (assigned, bound) {
        (Some(assigned), Some(bound)) if assigned != bound => {
            let reason = format!("`{assigned} <<` and `{bound}` differ");
            Err(call.cannot("bind the result to two names", reason).hint("give one of them").into())
        }
        (Some(assigned), _) => {
            let what = format!("name `{assigned}`");
            session::label::check(assigned).map_err(|reason| call.usage(crate::Problem::Rejected { what, reason }))?;
            Ok(Some(assigned.to_owned()))
        }
        (None, bound) => Ok(bound.map(str::to_owned)),
    }
}

/// Returns the tables of a statement: all traces, and the frames and saved statements that it names.
fn tables(call: &Call<'_>, context: &mut Context<'_>, statement: &str) -> Result<SqlTables, Error> {
    let traces: Vec<TraceSet> =
        context.session.traces().values().map(|trace| TraceSet::clone(Arc::as_ref(trace))).collect();
    let mut tables = SqlTables::of(&traces);
    for trace in &traces {
        let companions = context.companions(call, [trace.label()])?;
        for companion in companions.iter().filter(|companion| companion.label() != trace.label()) {
            tables = tables.companion(trace.label(), companion);
        }
    }
    let mut named = tables_named(statement);
    for (name, saved) in context.session.statements().clone() {
        named.extend(tables_named(&saved));
        tables = tables.statement(name, saved);
    }
    let is_frame = |type_name: &str| FRAMES.iter().any(|frame| type_name.ends_with(frame));
    let variables = context.cells.variables();
    let frames: Vec<String> = variables
        .into_iter()
        .filter(|variable| is_frame(&variable.type_name) && named.contains(&variable.name) && !is_view(&variable.name))
        .map(|variable| variable.name)
        .collect();
    for name in frames {
        let frame = context.cells.frame(&name).map_err(Error::Rust)?;
        tables = tables.frame(name, frame);
    }
    Ok(tables)
}

fn is_view(name: &str) -> bool {
    sql_tables([]).iter().any(|table| table.name == name && !table.is_function)
}

/// Returns a share and a text: `12,300,000 rows read · 4.1 s`. Joins read rows more than once, so that the share may stay at its end.
fn bar(rows: u64, all: u64, elapsed: Duration) -> (f64, String) {
    let percent = (rows as f64 / all as f64 * 100.0).min(99.0);
    (percent, format!("{} rows read · {:.1} s", grouped(rows as usize), elapsed.as_secs_f64()))
}

/// Returns the statement on one line, and the number of rows.
fn caption(statement: &str, rows: usize) -> String {
    let line = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.trim_end_matches(';').trim_end();
    let shown = match line.char_indices().nth(LONGEST_CAPTION) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line.to_owned(),
    };
    format!("{shown} · {} row{}", grouped(rows), if rows == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_before_the_statement_are_split_off() {
        assert_eq!(assignment("df << SELECT 1"), (Some("df"), " SELECT 1"));
        assert_eq!(assignment("df = <<\nSELECT 1"), (Some("df"), "\nSELECT 1"));
        assert_eq!(assignment("<< SELECT 1"), (None, " SELECT 1"));
        assert_eq!(assignment("SELECT '<<'"), (None, "SELECT '<<'"));
        assert_eq!(assignment("SELECT 1"), (None, "SELECT 1"));
    }

    #[test]
    fn caption_is_one_short_line() {
        assert_eq!(caption("SELECT 1\n  AS x ;", 1), "SELECT 1 AS x · 1 row");
        let long = caption(&format!("SELECT {}", "é, ".repeat(100)), 1234);
        assert!(long.ends_with("… · 1,234 rows") && long.chars().count() < 120, "{long}");
    }
}
