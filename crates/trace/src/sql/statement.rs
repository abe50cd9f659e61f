//! Statements: text → checks → table functions → polars → rows.

use super::calls::{MOST_CALLS, calls, tables_before};
use super::edits::{Edits, float, masked, plain_numbers, scalar_subqueries};
use super::functions::{Evaluation, FUNCTIONS};
use super::grouping::{aggregate_in_where, column_beside_aggregate, ordered_aggregates, window_beside_groups};
use super::joins::check_joins;
use super::messages::{Known, at_bytes, at_token, nowhere, of_polars, remarked};
use super::refusals::refusal;
use super::scan::{FirstError, lazy};
use super::selects::table_places;
use super::tables::SqlTables;
use super::token::{Token, tokens};
use super::views::View;
use crate::error::SqlError;
use crate::exec::checkpoint;
use crate::{Error, Result, TraceSet};
use polars::prelude::{AnyValue, DataFrame, DataType, IntoLazy, LazyFrame, PolarsError, col};
use polars_sql::SQLContext;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The most tokens of a statement.
const MOST_TOKENS: usize = 10_000;

/// The most operators of a statement: polars goes one level deeper at each.
const MOST_OPERATORS: usize = 200;

/// Words that nest an expression, a join or a union.
const NESTING_WORDS: &[&str] =
    &["AND", "OR", "WHEN", "IS", "JOIN", "UNION", "EXCEPT", "INTERSECT", "LIKE", "ILIKE", "BETWEEN", "COLLATE", "AT"];

/// The deepest nesting of statements: tables of tables that were saved by name.
const DEEPEST: usize = 16;

/// A run of a statement, with those that its table functions need.
pub(super) struct Run<'r> {
    tables: &'r SqlTables,
    failed: FirstError,
    /// The rows of calls that were made already, by their text.
    known: HashMap<String, DataFrame>,
    calls: usize,
    depth: usize,
}

fn refused(error: SqlError) -> Error {
    Error::Sql(Box::new(error))
}

impl<'r> Run<'r> {
    pub(super) fn of(tables: &'r SqlTables) -> Self {
        Self { tables, failed: FirstError::default(), known: HashMap::new(), calls: 0, depth: 0 }
    }

    pub(super) fn traces(&self) -> &'r [TraceSet] {
        self.tables.traces()
    }

    /// Returns the rows of a statement.
    ///
    /// # Errors
    /// [`Error::Sql`], [`Error::MemoryBudget`], [`Error::Interrupted`], and those of reading ranks.
    pub(super) fn rows(&mut self, statement: &str) -> Result<DataFrame> {
        let (frame, columns) = self.lazy(statement)?;
        let sizes = self.tables.frames().values().chain(self.known.values()).map(DataFrame::height);
        let events = self.traces().iter().map(TraceSet::event_count).sum();
        check_joins(&frame, sizes.fold(events, usize::max), &self.failed)?;
        checkpoint::check()?;
        let collected = without_panic(|| frame.clone().collect())?;
        // polars counts unions in a type that is not compiled in, unless the count is pushed down no further.
        let is_wide = matches!(&collected, Err(error) if error.to_string().contains("UInt128"));
        let collected =
            if is_wide { without_panic(|| frame.with_projection_pushdown(false).collect())? } else { collected };
        let rows = collected.map_err(|error| {
            let error = self.error((statement, statement, &Edits::default()), &error, &columns);
            if checkpoint::interrupted() { Error::Interrupted } else { error }
        })?;
        checkpoint::check()?;
        without_decimals(rows)
    }

    /// Returns the rows of a statement as a lazy frame, and the columns of its tables.
    fn lazy(&mut self, statement: &str) -> Result<(LazyFrame, Vec<String>)> {
        let tokens = tokens(statement);
        self.check(statement, &tokens)?;
        let mut context = SQLContext::new();
        let mut columns: BTreeSet<String> = BTreeSet::new();
        let (edits, functions) = self.evaluate(statement, &tokens)?;
        let text = edits.applied(statement);
        let mut named: BTreeMap<String, LazyFrame> = BTreeMap::new();
        for (name, frame) in self.tables.frames() {
            named.insert(name.clone(), with_texts(frame));
        }
        let places: Vec<String> = table_places(&tokens).into_iter().filter_map(|at| tokens[at].name()).collect();
        for (name, saved) in self.tables.saved() {
            if places.contains(name) && !named.contains_key(name) {
                named.insert(name.clone(), self.saved(name, saved)?);
            }
        }
        for view in View::ALL {
            named.insert(view.name().to_owned(), lazy(view, self.traces(), &self.failed)?);
            if places.iter().any(|place| place == view.name()) {
                columns.extend(view.schema(self.traces()).iter_names().map(|name| name.to_string()));
            }
        }
        named.extend(functions.into_iter().map(|(name, frame)| (name, frame.lazy())));
        check_with(statement, &tokens, &named)?;
        for (name, frame) in &mut named {
            let is_view = View::ALL.into_iter().any(|view| view.name() == name);
            if !is_view && places.iter().any(|place| name.starts_with(place.as_str())) {
                let schema = frame.collect_schema()?;
                columns.extend(schema.iter_names().map(|name| name.to_string()));
            }
            context.register(name, frame.clone());
        }
        let columns: Vec<String> = columns.into_iter().collect();
        let found = without_panic(|| context.execute(&text))?;
        let frame = found.map_err(|error| self.error((statement, &text, &edits), &error, &columns))?;
        Ok((frame, columns))
    }

    /// Refuses what polars-sql cannot do, or does otherwise than a reader expects.
    fn check(&self, statement: &str, tokens: &[Token<'_>]) -> Result<()> {
        if tokens.is_empty() {
            return Err(refused(nowhere(
                "missing statement".to_owned(),
                "write SELECT * FROM events LIMIT 5".to_owned(),
            )));
        }
        if tokens.len() > MOST_TOKENS {
            let message = format!("cannot run the statement: it has more than {MOST_TOKENS} words");
            return Err(refused(nowhere(message, "put long lists into a data frame and join with it".to_owned())));
        }
        let nests = |token: &&Token<'_>| {
            let sign = ["+", "-", "*", "/", "%", "|", "=", "<", ">", ":", "[", "~", "^", "&"];
            token.is_any(NESTING_WORDS) || sign.iter().any(|sign| token.is_symbol(sign))
        };
        if tokens.iter().filter(nests).count() > MOST_OPERATORS {
            let message = format!("cannot run the statement: it has more than {MOST_OPERATORS} operators");
            return Err(refused(nowhere(
                message,
                "write IN (1, 2, …), or put the values into a data frame and join with it".to_owned(),
            )));
        }
        if let Some(found) = refusal(tokens) {
            let message = format!("cannot run the statement: {}", found.reason);
            return Err(refused(at_token(statement, &tokens[found.token], message, found.rewrite)));
        }
        if let Some(at) = window_beside_groups(tokens) {
            let message = "cannot run the statement: a function with OVER stands beside groups".to_owned();
            let rewrite = "group first: SELECT *, SUM(dur) OVER (PARTITION BY trace) AS whole FROM (SELECT trace, name, SUM(dur) AS dur FROM \
                           kernels GROUP BY trace, name) AS g";
            return Err(refused(at_token(statement, &tokens[at], message, rewrite.to_owned())));
        }
        if let Some(found) = column_beside_aggregate(tokens) {
            let column = found.columns.first().cloned().unwrap_or_else(|| "*".to_owned());
            let (message, rewrite) = if found.columns.is_empty() {
                let message = "cannot run the statement: * stands beside an aggregate".to_owned();
                (message, "name the columns, and add GROUP BY".to_owned())
            } else if found.is_grouped {
                let message =
                    format!("cannot run the statement: `{column}` is neither in GROUP BY nor in an aggregate");
                (message, format!("add it: GROUP BY …, {}, or write MIN({column})", found.columns.join(", ")))
            } else {
                let message =
                    format!("cannot run the statement: `{column}` stands beside an aggregate without GROUP BY");
                let window = format!("for each row beside the whole, SUM({column}) OVER (PARTITION BY trace)");
                (message, format!("add GROUP BY {}, or write MIN({column}); {window}", found.columns.join(", ")))
            };
            return Err(refused(at_token(statement, &tokens[found.token], message, rewrite)));
        }
        if let Some(at) = aggregate_in_where(tokens) {
            let message = "cannot run the statement: WHERE has an aggregate".to_owned();
            let rewrite =
                "for groups write HAVING, for all rows a subquery: WHERE dur > (SELECT AVG(dur) FROM kernels)"
                    .to_owned();
            return Err(refused(at_token(statement, &tokens[at], message, rewrite)));
        }
        let views = View::ALL.map(View::name);
        let place = table_places(tokens).into_iter().find(|&at| {
            tokens[at].name().is_some_and(|name| {
                views.contains(&name.as_str()) || FUNCTIONS.iter().any(|function| tokens[at].is(function.name))
            })
        });
        if let (Some(at), []) = (place, self.traces()) {
            let message = format!("cannot read {}: no trace is loaded", tokens[at].text);
            return Err(refused(at_token(
                statement,
                &tokens[at],
                message,
                "%trace_load PATH --as NAME loads one".to_owned(),
            )));
        }
        Ok(())
    }

    /// Makes the rows of table functions and the values of scalar subqueries; returns the edits that put them into the statement.
    fn evaluate(&mut self, statement: &str, tokens: &[Token<'_>]) -> Result<(Edits, Vec<(String, DataFrame)>)> {
        let known: Vec<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        let mut edits = Edits::default();
        let mut frames: Vec<(String, DataFrame)> = Vec::new();
        // The texts of the calls of each function, for names that differ.
        let mut texts: HashMap<String, Vec<String>> = HashMap::new();
        let subqueries = scalar_subqueries(statement);
        for call in calls(statement, &known) {
            let is_bare = !statement[call.range.clone()].contains('(');
            let is_table =
                self.tables.frames().contains_key(&call.name) || self.tables.saved().contains_key(&call.name);
            let in_subquery = subqueries.iter().any(|range| range.contains(&call.range.start));
            if (is_bare && is_table) || in_subquery {
                continue;
            }
            let with = tables_before(statement, call.range.start);
            let text = format!("{}\u{0}{}", &statement[with.clone()], &statement[call.range.clone()]);
            let calls_of = texts.entry(call.name.clone()).or_default();
            let number = calls_of.iter().position(|other| *other == text).unwrap_or_else(|| {
                calls_of.push(text.clone());
                calls_of.len() - 1
            });
            let name = if number == 0 { call.name.clone() } else { format!("{}_{}", call.name, number + 1) };
            if !frames.iter().any(|(other, _)| *other == name) {
                self.count(statement, &call.range)?;
                let rows = match self.known.get(&text) {
                    Some(known) => known.clone(),
                    None => Evaluation { statement, call: &call, with, run: self }.rows()?,
                };
                self.known.insert(text, rows.clone());
                frames.push((name.clone(), rows));
            }
            edits.add(call.range, name);
        }
        for range in subqueries {
            let inside_call = calls(statement, &known).iter().any(|call| call.range.contains(&range.start));
            if inside_call {
                continue;
            }
            self.count(statement, &range)?;
            let with = tables_before(statement, range.start);
            let rows = self.part(statement, &with, &range).map_err(|error| correlated(statement, tokens, error))?;
            edits.add(range.clone(), value(statement, &range, &rows)?);
        }
        for (range, text) in plain_numbers(tokens) {
            edits.add(range, text);
        }
        match ordered_aggregates(tokens) {
            Ok(found) => found.into_iter().for_each(|(range, text)| edits.add(range, text)),
            Err(at) => {
                let message = "cannot run the statement: ORDER BY has an aggregate that is not selected".to_owned();
                let rewrite =
                    "select it with a name, and order by the name: SUM(dur) AS total … ORDER BY total".to_owned();
                return Err(refused(at_token(statement, &tokens[at], message, rewrite)));
            }
        }
        Ok((edits, frames))
    }

    /// Returns the rows of a query within a statement, which may use the tables of `with`; both are bytes of the statement.
    ///
    /// # Errors
    /// As [`Self::rows`], with places of the whole statement.
    pub(super) fn part(&mut self, statement: &str, with: &Range<usize>, query: &Range<usize>) -> Result<DataFrame> {
        let text = masked(statement, &[with.clone(), query.clone()]);
        self.rows(&text).map_err(|error| match error {
            Error::Sql(error) => refused(remarked(statement, *error)),
            error => error,
        })
    }

    /// Counts what is run for a statement.
    fn count(&mut self, statement: &str, range: &Range<usize>) -> Result<()> {
        checkpoint::check()?;
        self.calls += 1;
        if self.calls <= MOST_CALLS {
            return Ok(());
        }
        let message = format!("cannot run the statement: it has more than {MOST_CALLS} table functions and subqueries");
        let rewrite = "bind some of them to names: df << SELECT …".to_owned();
        Err(refused(at_bytes(statement, range.start, range.len(), message, rewrite)))
    }

    /// Returns the rows of a statement that was saved under a name.
    fn saved(&mut self, name: &str, statement: &str) -> Result<LazyFrame> {
        if self.depth == DEEPEST {
            let message = format!("cannot run `{name}`: it was saved from a statement that uses itself");
            return Err(refused(nowhere(message, "save it under another name".to_owned())));
        }
        self.depth += 1;
        let frame = self.lazy(statement).map(|(frame, _)| frame);
        self.depth -= 1;
        frame.map_err(|error| match error {
            Error::Sql(error) => {
                let message = format!("in the saved statement `{name}`: {}", error.message);
                refused(SqlError { message, ..*error })
            }
            error => error,
        })
    }

    /// Returns an error of polars as one of the statement; the library's own, if a scan failed.
    fn error(&self, statement: (&str, &str, &Edits), error: &PolarsError, columns: &[String]) -> Error {
        if let Some(error) = self.failed.take() {
            return error;
        }
        let functions = super::tables::sql_functions();
        let mut tables: Vec<String> = View::ALL.iter().map(|view| view.name().to_owned()).collect();
        tables.extend(FUNCTIONS.iter().map(|function| function.usage.split(',').next().unwrap_or_default().to_owned()));
        for table in tables.iter_mut().filter(|table| table.contains('(') && !table.ends_with(')')) {
            table.push_str(", …)");
        }
        tables.extend(self.tables.frames().keys().chain(self.tables.saved().keys()).cloned());
        let (statement, text, edits) = statement;
        refused(of_polars((statement, text, edits), error, &Known { tables: &tables, columns, functions: &functions }))
    }
}

/// Returns the value of a scalar subquery as polars-sql reads it.
fn value(statement: &str, range: &Range<usize>, rows: &DataFrame) -> Result<String> {
    let wrong = |reason: String, rewrite: &str| {
        let message = format!("cannot run the statement: a subquery that is compared has one value; {reason}");
        Err(refused(at_bytes(statement, range.start, range.len(), message, rewrite.to_owned())))
    };
    if rows.width() != 1 {
        return wrong(format!("this one has {} columns", rows.width()), "select one");
    }
    if rows.height() > 1 {
        return wrong(format!("this one has {} rows", rows.height()), "aggregate them, or write IN");
    }
    let column = &rows.columns()[0];
    Ok(match column.get(0) {
        Err(_) | Ok(AnyValue::Null) => "NULL".to_owned(),
        Ok(AnyValue::Boolean(value)) => value.to_string(),
        Ok(AnyValue::String(text)) => format!("'{}'", text.replace('\'', "''")),
        Ok(value) if value.dtype().is_integer() => value.to_string(),
        Ok(value) => match value.try_extract::<f64>() {
            Ok(number) if number.is_finite() => float(number),
            _ => return wrong(format!("this one is {}", value.dtype()), "select a number or a text"),
        },
    })
}

/// Explains an unknown name of a subquery that is one of the query around it.
fn correlated(statement: &str, tokens: &[Token<'_>], error: Error) -> Error {
    let Error::Sql(error) = error else { return error };
    let outer: Vec<String> = table_places(tokens)
        .into_iter()
        .flat_map(|at| [at, at + 1, at + 2])
        .filter_map(|at| tokens.get(at).and_then(Token::name))
        .map(|name| format!("`{name}`"))
        .collect();
    let is_outer =
        error.message.starts_with("unknown column") && outer.iter().any(|name| error.message.contains(name.as_str()));
    if !is_outer {
        return refused(*error);
    }
    let message =
        "cannot run the statement: a subquery with one value cannot use columns of the query around it".to_owned();
    let rewrite =
        "join with groups: JOIN (SELECT name, AVG(dur) AS mean FROM kernels GROUP BY name) AS m ON m.name = k.name"
            .to_owned();
    refused(remarked(statement, SqlError { message, rewrite, ..*error }))
}

/// Refuses a WITH that has the name of a table: polars would take the table.
fn check_with(statement: &str, tokens: &[Token<'_>], named: &BTreeMap<String, LazyFrame>) -> Result<()> {
    let is_table = |at: &usize| {
        let open = tokens.get(at + 2).is_some_and(|token| token.is_symbol("("));
        tokens[at + 1].is("AS")
            && open
            && tokens.get(at + 3).is_some_and(|token| token.is_any(&["SELECT", "WITH"]))
            && tokens[*at].name().is_some_and(|name| named.contains_key(&name))
    };
    match (0..tokens.len().saturating_sub(1)).find(is_table) {
        Some(at) => {
            let message = format!("cannot run the statement: `{}` is the name of a table already", tokens[at].text);
            Err(refused(at_token(statement, &tokens[at], message, "choose another name after WITH".to_owned())))
        }
        None => Ok(()),
    }
}

/// Returns a frame whose texts are strings, so that functions of texts take them.
fn with_texts(frame: &DataFrame) -> LazyFrame {
    let is_category = |dtype: &DataType| dtype.is_categorical() || dtype.is_enum();
    let casts: Vec<_> = frame
        .columns()
        .iter()
        .filter(|column| is_category(column.dtype()))
        .map(|column| col(column.name().clone()).cast(DataType::String))
        .collect();
    let lazy = frame.clone().lazy();
    if casts.is_empty() { lazy } else { lazy.with_columns(casts) }
}

/// Returns the rows with numbers instead of decimals, which `1.0 * dur` gives.
fn without_decimals(rows: DataFrame) -> Result<DataFrame> {
    let mut found = rows.clone();
    for column in rows.columns().iter().filter(|column| column.dtype().is_decimal()) {
        found.with_column(column.cast(&DataType::Float64)?)?;
    }
    Ok(found)
}

/// Runs polars; a panic of polars is an error of the statement.
fn without_panic<T>(work: impl FnOnce() -> T) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        let Some(text) = text else { resume_unwind(panic) };
        let text = text.lines().next().unwrap_or_default().to_owned();
        refused(nowhere(
            format!("cannot run the statement: polars failed ({text})"),
            "write it in another way".to_owned(),
        ))
    })
}
