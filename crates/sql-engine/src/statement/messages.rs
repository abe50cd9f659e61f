//! SQLite's errors as people read them: the place with a caret, a near name, what to write instead.

use super::dialect::{instead_of, rows};
use super::error::StatementError;
use super::grouping::is_aggregate;
use super::names::SqlNames;
use super::tables::{NamedTable, named_tables, table_positions, with_names};
use super::token::{Token, TokenKind, tokens};
use rusqlite::Error;
use trace_view::format::nearest;

/// A part of a message, the message in other words (if it is left out, it stays), and what to write instead. `{}` is what follows the
/// part in the message; if nothing does, the word before it.
const FIXES: &str = include_str!("fixes.txt");

/// How functions are called.
const USAGES: &str = include_str!("usages.txt");

const HAVING: &str = "for groups write HAVING, for all rows a subquery: WHERE dur > (SELECT AVG(dur) FROM kernels)";
const NUMBERED: &str = "put it into WHERE of a query around: SELECT * FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY ts) AS n FROM kernels) \
    WHERE n = 1";

/// Keywords that are often mistyped.
const MISTYPED: [&str; 10] =
    ["SELECT", "FROM", "WHERE", "GROUP", "ORDER", "LIMIT", "HAVING", "JOIN", "BETWEEN", "DISTINCT"];

/// Columns of traces that have other names in SQL.
const RENAMED: [(&str, &str); 4] = [("end", "end_ts"), ("index", "id"), ("duration", "dur"), ("start", "ts")];

/// Returns how a function is called, if it is a common one: `round(x, digits)`.
pub fn usage(function: &str) -> Option<&'static str> {
    USAGES.lines().find(|usage| usage.split('(').next().is_some_and(|known| known.eq_ignore_ascii_case(function)))
}

/// Returns an error of SQLite as one of the statement that it was given. `names` are those that the statement may use.
pub fn explained(statement: &str, error: &Error, names: &SqlNames) -> StatementError {
    let (text, offset) = match error {
        Error::SqlInputError { msg, offset, .. } => (msg.clone(), usize::try_from(*offset).ok()),
        Error::SqliteFailure(_, text) => (text.clone().unwrap_or_else(|| "SQLite gives no reason".to_owned()), None),
        other => (other.to_string(), None),
    };
    let tokens = tokens(statement);
    let here = offset.and_then(|offset| tokens.iter().position(|token| token.range.contains(&offset)));
    let tables = named_tables(&tokens);
    let failed = Failed { statement, text: text.trim(), here, names, tokens, tables };
    let explained = failed.syntax().or_else(|| failed.column()).or_else(|| failed.table());
    explained.or_else(|| failed.function()).or_else(|| failed.misuse()).unwrap_or_else(|| failed.other())
}

/// A statement that failed.
struct Failed<'f> {
    statement: &'f str,
    /// SQLite's message.
    text: &'f str,
    /// The token at which it is, if SQLite says so.
    here: Option<usize>,
    names: &'f SqlNames,
    tokens: Vec<Token<'f>>,
    tables: Vec<NamedTable>,
}

impl Failed<'_> {
    fn error(&self, at: Option<usize>, message: String, rewrite: impl Into<String>) -> StatementError {
        let error = StatementError::new(message, rewrite);
        match at.and_then(|at| self.tokens.get(at)) {
            Some(token) => error.at(self.statement, token.range.clone()),
            None => error,
        }
    }

    /// Returns SQLite's token if it passes, else the first that does: SQLite's place may be one in the text of a saved statement.
    fn find(&self, passes: impl Fn(usize) -> bool) -> Option<usize> {
        self.here.filter(|at| passes(*at)).or_else(|| (0..self.tokens.len()).find(|at| passes(*at)))
    }

    fn token(&self, name: &str) -> Option<usize> {
        self.find(|at| self.tokens[at].is_name(name))
    }

    fn is_symbol(&self, at: usize, symbol: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_symbol(symbol))
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is_any(words))
    }

    fn syntax(&self) -> Option<StatementError> {
        if self.text == "incomplete input" {
            let end = self.statement.trim_end().len();
            let is_open = self.tokens.iter().any(|token| token.is_symbol("(") && token.close == self.tokens.len());
            let rewrite = if is_open { "a parenthesis is not closed" } else { "" };
            let error = StatementError::new("invalid SQL: the statement ends too early", rewrite);
            return Some(error.at(self.statement, end..end + 1));
        }
        if let Some(token) = self.text.strip_prefix("unrecognized token: \"") {
            let is_open = token.starts_with(['\'', '"', '`', '[']);
            let what = if is_open { "a quote that is not closed" } else { token.strip_suffix('"').unwrap_or(token) };
            return Some(self.error(self.here, format!("invalid SQL: unexpected {what}"), ""));
        }
        let written = self.text.strip_prefix("near \"")?.strip_suffix("\": syntax error")?;
        let at = self.here.unwrap_or(self.tokens.len());
        let before = at.wrapping_sub(1);
        let nearby: Vec<&Token<'_>> = [at, before].iter().filter_map(|at| self.tokens.get(*at)).collect();
        let renamed = RENAMED.iter().find(|(name, _)| nearby.iter().any(|token| token.is(name)));
        let is_unknown = |token: &&&Token<'_>| token.kind == TokenKind::Word && !token.is_any(&MISTYPED);
        let mistyped = nearby.iter().filter(is_unknown).find_map(|token| nearest(token.text, MISTYPED));
        let column = nearby.first().filter(|token| self.columns().iter().any(|column| token.is(column)));
        let is_text = self.tokens.get(before).is_some_and(|token| token.kind == TokenKind::Text);
        let lacks_by = self.is_any(before, &["GROUP", "ORDER", "PARTITION"]) && !self.is_any(at, &["BY"]);
        let is_clause = self.is_any(at, &["WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"]);
        let rewrite = if let Some((_, column)) = renamed {
            format!("the column is called {column}")
        } else if lacks_by {
            format!("write {} BY", self.tokens[before].text.to_uppercase())
        } else if let Some(keyword) = mistyped {
            format!("did you mean {keyword}?")
        } else if let Some(column) = column {
            format!("a column with the name of a keyword is quoted: \"{}\"", column.text)
        } else {
            let hints = [
                (self.is_symbol(at, "("), "a SELECT of a UNION has no parentheses; wrap it: SELECT * FROM (SELECT …)"),
                (is_text, "a quote within a text is doubled: 'it''s'"),
                (self.is_symbol(before, ","), "leave out the comma before it"),
                (is_clause, "the order is SELECT, FROM, WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, each once"),
            ];
            hints.iter().find(|(holds, _)| *holds).map_or("", |(_, hint)| hint).to_owned()
        };
        Some(self.error(self.here, format!("invalid SQL: unexpected {written}"), rewrite))
    }

    /// Returns the columns that the statement can use: those of its tables, and the names that it gives itself.
    fn columns(&self) -> Vec<String> {
        let of_tables = self.tables.iter().flat_map(|table| self.names.columns(&table.name).iter().cloned());
        let aliases = self.tokens.windows(2).filter(|pair| pair[0].is("AS")).filter_map(|pair| pair[1].name());
        of_tables.chain(aliases).collect()
    }

    /// Explains a column that is unknown, or that several tables have.
    fn column(&self) -> Option<StatementError> {
        if let Some(name) = self.text.strip_prefix("ambiguous column name: ") {
            let (table, column) = name.rsplit_once('.').unwrap_or(("", name));
            let alias = self.tables.first().map_or("events", |table| &table.alias);
            let rewrite = if table.is_empty() {
                format!("name its table: {alias}.{column}")
            } else {
                format!("two tables are called {table}: rename one")
            };
            let at = self.token(table).or_else(|| self.token(column));
            return Some(self.error(at, format!("ambiguous column `{name}`"), rewrite));
        }
        let text = self.text.strip_prefix("no such column: ")?;
        let quoted = text.strip_suffix(" - should this be a string literal in single-quotes?");
        let name = quoted.map_or(text, |quoted| quoted.trim_matches('"'));
        let (table, column) = name.rsplit_once('.').unwrap_or(("", name));
        let is_pair = |at: usize| {
            let pair = self.tokens.get(at..at + 3);
            pair.is_some_and(|pair| pair[0].is_name(table) && pair[1].is_symbol(".") && pair[2].is_name(column))
        };
        let Some(at) = self.find(is_pair) else {
            return Some(self.unknown_column(self.token(name), name, quoted.is_some(), &self.columns()));
        };
        // The alias of a query follows it.
        let is_query =
            self.tokens.windows(2).any(|pair| (pair[0].is("AS") || pair[0].is_symbol(")")) && pair[1].is_name(table));
        Some(match self.tables.iter().find(|known| known.alias.eq_ignore_ascii_case(table)) {
            Some(known) if !self.names.columns(&known.name).is_empty() => {
                self.unknown_column(Some(at + 2), column, false, self.names.columns(&known.name))
            }
            None if !is_query => self.unknown_alias(at, table),
            _ => self.unknown_column(Some(at + 2), column, false, &self.columns()),
        })
    }

    fn unknown_column(&self, at: Option<usize>, name: &str, is_quoted: bool, columns: &[String]) -> StatementError {
        let has = |columns: &[String], name: &str| columns.iter().any(|column| column.eq_ignore_ascii_case(name));
        let renamed = RENAMED.iter().find(|(other, column)| name.eq_ignore_ascii_case(other) && has(columns, column));
        let near = renamed.map(|(_, column)| *column).or_else(|| nearest(name, columns.iter().map(String::as_str)));
        let elsewhere = self.names.tables.iter().find(|(_, columns)| has(columns, name));
        let rewrite = match (near, elsewhere) {
            _ if is_quoted && renamed.is_none() => format!("a text has single quotes: '{}'", name.replace('\'', "''")),
            (Some(near), _) => format!("did you mean {near}?"),
            (None, Some((table, _))) => format!("it is a column of {table}"),
            (None, None) => "Shift-Tab on the name of a table shows its columns".to_owned(),
        };
        self.error(at, format!("unknown column `{name}`"), rewrite)
    }

    /// Explains a name before a point that is no table of the statement.
    fn unknown_alias(&self, at: usize, name: &str) -> StatementError {
        let aliases: Vec<&str> = self.tables.iter().map(|table| table.alias.as_str()).collect();
        let renamed = self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name));
        let rewrite = match (renamed, nearest(name, aliases.iter().copied())) {
            (Some(table), _) => format!("it is called {} here", table.alias),
            (None, Some(near)) => format!("did you mean {near}?"),
            (None, None) => format!("FROM names {}", aliases.join(", ")),
        };
        self.error(Some(at), format!("unknown table `{name}`"), rewrite)
    }

    /// Explains a table that is unknown, or has other arguments.
    fn table(&self) -> Option<StatementError> {
        if let Some(name) = self.text.strip_suffix("' is not a function").and_then(|text| text.strip_prefix('\'')) {
            return Some(self.error(
                self.token(name),
                format!("invalid arguments of {name}: expected none"),
                format!("write FROM {name}"),
            ));
        }
        if let Some(text) = self.text.strip_prefix("too many arguments on ") {
            let (name, most) = text.split_once("() - max ")?;
            let rewrite = format!("write conditions into WHERE: FROM {name}(…) WHERE rank = 0");
            return Some(self.error(
                self.token(name),
                format!("invalid arguments of {name}: expected at most {most}"),
                rewrite,
            ));
        }
        let text = self.text.strip_prefix("no such table: ")?;
        let name = ["main.", "temp."].iter().find_map(|schema| text.strip_prefix(schema)).unwrap_or(text);
        let positions = table_positions(&self.tokens);
        let is_it = |at: &usize| self.tokens.get(*at).is_some_and(|token| token.is_name(name));
        let in_from = positions.into_iter().find(is_it);
        if let Some(at) = self.token(name).filter(|at| in_from.is_none() && self.is_symbol(at + 1, ".")) {
            return Some(self.unknown_alias(at, name));
        }
        let with = with_names(&self.tokens);
        let tables = || with.iter().chain(self.names.tables.iter().map(|(name, _)| name)).map(String::as_str);
        let functions = || self.names.table_functions.iter().map(|(name, _)| name.as_str());
        let all =
            || tables().map(str::to_owned).chain(functions().map(|name| format!("{name}(…)"))).collect::<Vec<_>>();
        let near_table = || nearest(name, tables()).map(|near| format!("did you mean {near}?"));
        let near_function = || nearest(name, functions()).map(|near| format!("did you mean {near}(…)?"));
        let rewrite = instead_of(name).map(str::to_owned).or_else(near_table).or_else(near_function);
        let rewrite = rewrite.unwrap_or_else(|| format!("there are {}", all().join(", ")));
        Some(self.error(in_from.or_else(|| self.token(name)), format!("unknown table `{name}`"), rewrite))
    }

    /// Explains a function that is unknown, or has other arguments.
    fn function(&self) -> Option<StatementError> {
        if let Some(name) = self.text.strip_prefix("no such function: ") {
            let is_table = self.names.table_functions.iter().any(|(table, _)| table.eq_ignore_ascii_case(name));
            let near = || nearest(name, self.names.functions.iter().map(String::as_str));
            let rewrite = match instead_of(name) {
                _ if is_table => format!("it is a table: write FROM {name}(…)"),
                Some(rewrite) => rewrite.to_owned(),
                None => {
                    near().map_or("completion lists all functions".to_owned(), |near| format!("did you mean {near}?"))
                }
            };
            return Some(self.error(self.token(name), format!("unknown function `{name}`"), rewrite));
        }
        let starts = ["wrong number of arguments to function ", "too many arguments on function "];
        let name = starts.iter().find_map(|start| self.text.strip_prefix(start))?.trim_end_matches("()");
        let at = self.token(name);
        let is_distinct = at.is_some_and(|at| self.is_any(at + 2, &["DISTINCT"]));
        let expected = usage(name).map_or("another number of them".to_owned(), str::to_owned);
        let rewrite = if is_distinct {
            "write a subquery: SELECT COUNT(*) FROM (SELECT DISTINCT name, cat FROM events)"
        } else {
            ""
        };
        Some(self.error(at, format!("invalid arguments of {name}: expected {expected}"), rewrite))
    }

    /// Explains an aggregate, or a function with OVER, where it does not belong.
    fn misuse(&self) -> Option<StatementError> {
        let text = self.text.strip_prefix("misuse of ")?;
        let name = text.trim_end_matches("()").rsplit([' ', ':']).next()?;
        let at = self.token(name);
        let clause = if text.starts_with("aliased") { "SELECT" } else { self.clause(at.unwrap_or(0)) };
        let close = at.and_then(|at| self.tokens.get(at + 1)).map_or(0, |open| open.close);
        let (reason, rewrite) = match clause {
            _ if text.starts_with("window") && !self.is_any(close + 1, &["OVER", "FILTER"]) => {
                (format!("`{name}` needs OVER"), "write OVER (PARTITION BY rank ORDER BY ts) behind it")
            }
            "SELECT" if text.contains("window") => ("WHERE has a function with OVER, by its name".to_owned(), NUMBERED),
            clause if text.contains("window") => (format!("{clause} has a function with OVER"), NUMBERED),
            "SELECT" => ("WHERE has an aggregate, by its name".to_owned(), HAVING),
            "ORDER" => ("ORDER BY has an aggregate, and there are no groups".to_owned(), "add GROUP BY name"),
            "(" => (
                format!("`{name}` is an aggregate within an aggregate"),
                "write the inner one into a subquery: SELECT SUM(x) FROM (SELECT AVG(dur) AS x …)",
            ),
            clause => (format!("{clause} has an aggregate"), HAVING),
        };
        Some(self.error(at, format!("cannot run the statement: {reason}"), rewrite))
    }

    /// Returns the keyword of the clause that a token is in, or `(` if it is within an aggregate.
    fn clause(&self, at: usize) -> &'static str {
        let clauses = ["SELECT", "ON", "WHERE", "GROUP", "HAVING", "ORDER", "LIMIT"];
        let (mut clause, mut next) = ("SELECT", 0);
        while let Some(token) = self.tokens.get(next).filter(|_| next < at) {
            if token.is_symbol("(") && token.close < at {
                next = token.close;
            } else if token.is_symbol("(") && next > 0 && is_aggregate(&self.tokens[next - 1]) {
                clause = "(";
            }
            clause = clauses.into_iter().find(|clause| token.is(clause)).unwrap_or(clause);
            next += 1;
        }
        clause
    }

    /// Explains a message by [`FIXES`], or passes it on.
    fn other(&self) -> StatementError {
        let at = self.here.or_else(|| self.mentioned());
        // Functions say themselves what is wrong.
        let is_own = self.text.starts_with("invalid ")
            || self.text.split_once(": ").is_some_and(|(name, _)| self.token(name).is_some());
        let fix =
            rows(FIXES).find_map(|(part, message, rewrite)| Some((self.text.split_once(part)?, message, rewrite)));
        let (message, rewrite) = match fix {
            _ if is_own => (self.text.to_owned(), String::new()),
            Some(((before, rest), message, rewrite)) => {
                let rest =
                    [" - ", " do not have"].iter().fold(rest, |rest, end| rest.split(end).next().unwrap_or_default());
                let word = if rest.is_empty() { before.rsplit(' ').next().unwrap_or_default() } else { rest };
                let message = if message.is_empty() { self.text } else { message };
                let filled = |text: &str| text.replace("{}", word.trim_end_matches("()"));
                (format!("cannot run the statement: {}", filled(message)), filled(rewrite))
            }
            None => (format!("cannot run the statement: {}", self.text), String::new()),
        };
        self.error(at, message, rewrite)
    }

    /// Returns the token that a message names, if there is one such token: its last word, a word in capitals, a function.
    fn mentioned(&self) -> Option<usize> {
        let only = |passes: &dyn Fn(&Token<'_>) -> bool| {
            let mut found = (0..self.tokens.len()).filter(|at| passes(&self.tokens[*at]));
            found.next().filter(|_| found.next().is_none())
        };
        let words: Vec<&str> =
            self.text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() > 1).collect();
        let last = self.text.rsplit(' ').next().unwrap_or_default();
        let capitals = |word: &&str| only(&|token| word.chars().all(|c| c.is_ascii_uppercase()) && token.is(word));
        let called = |word: &&str| only(&|token| token.is(word)).filter(|at| self.is_symbol(at + 1, "("));
        let is_pattern = |token: &Token<'_>| token.text.to_lowercase().starts_with("regexp");
        let found =
            only(&|token| !token.is_keyword() && token.is_name(last)).or_else(|| words.iter().find_map(capitals));
        let found = found.or_else(|| words.iter().find_map(called));
        found.or_else(|| self.text.contains("regular expression").then(|| only(&is_pattern)).flatten())
    }
}
