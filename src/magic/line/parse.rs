//! The parser of a magic's arguments: text → [`Call`].
//!
//! Errors are found in this order: quotes, flags and their values, positional arguments, then `{expr}`, which the worker
//! process evaluates. Whether a trace is loaded is checked later, by the magic.

use super::expand::{self, Environment};
use super::foreign::parameter_of_hta;
use crate::cell::{Piece, Unclosed, Word, words};
use crate::session::Cells;
use crate::{Error, Problem, UsageError};
use kernel_magic::api::Magic;
use kernel_magic::argument::{Argument, Call, Form, Kind, Value, any_of, did_you_mean, expected, read};
use kernel_magic::usage::{page, short_usage, usage};
use trace_view::Bundle;

/// A parsed line.
pub(super) enum Parsed<'a> {
    /// It contains `--help` or `-h`.
    Help,
    /// A call.
    Call(Call<'a>),
}

/// Parses the text after the name of `magic`; `code` is the code that it takes, if any.
///
/// # Errors
/// The first mistake in the line.
pub(super) fn parse<'a>(
    magic: &'a dyn Magic,
    bind: Option<&'a str>,
    args: &str,
    code: Option<&str>,
    cells: &mut dyn Cells,
    environment: Environment<'_>,
) -> Result<Parsed<'a>, Error> {
    let parser = Parser { magic, environment, at_terminal: false };
    let Some(assignments) = parser.assign(parser.words(args)?, code)? else { return Ok(Parsed::Help) };
    if let Some(name) = bind.filter(|_| magic.result().is_none()) {
        let reason = format!("{} has no result", magic.spelled());
        return Err(parser.usage(Problem::Cannot { what: format!("bind {name}"), reason }).into());
    }
    let mut values = Vec::with_capacity(assignments.len());
    for Assignment { argument, pieces } in assignments {
        let pieces = evaluate(pieces, cells)?;
        values.push((argument.name, parser.value(argument, &pieces)?));
    }
    Ok(Parsed::Call(Call::new(magic.spelled(), bind, values)))
}

/// A parsed command line of a shell.
pub(crate) enum Invocation<'a> {
    /// It contains `--help` or `-h`: the help page.
    Help(Bundle),
    /// A call.
    Call(Call<'a>),
}

/// Parses words that a shell has split and unquoted: quotes, `~`, `${NAME}` and `{expr}` are plain text here.
///
/// # Errors
/// The first mistake in them.
pub(crate) fn parse_words<'a>(magic: &'a dyn Magic, typed: &[String]) -> Result<Invocation<'a>, Error> {
    let word = |text: &String| {
        let quoted = !text.starts_with('-');
        Word { range: 0..0, pieces: vec![Piece::Text { text: text.clone(), quoted }] }
    };
    let parser = Parser { magic, environment: &|_| None, at_terminal: true };
    let Some(assignments) = parser.assign(typed.iter().map(word).collect(), None)? else {
        return Ok(Invocation::Help(page(magic)));
    };
    let value =
        |assignment: Assignment| Ok((assignment.argument.name, parser.value(assignment.argument, &assignment.pieces)?));
    Ok(Invocation::Call(Call::new(
        magic.spelled(),
        None,
        assignments.into_iter().map(value).collect::<Result<_, Error>>()?,
    )))
}

/// One argument as typed.
struct Assignment {
    argument: &'static Argument,
    pieces: Vec<Piece>,
}

struct Parser<'a> {
    magic: &'a dyn Magic,
    environment: Environment<'a>,
    /// The words come from a shell, where `-` is standard output.
    at_terminal: bool,
}

/// Flags that all tables of rows take.
const OF_TABLES: [&str; 4] = ["where", "group-by", "sort", "top"];

/// The name that the environment of a parser has for the condition of the events that are selected in a timeline.
pub(super) const SELECTION: &str = "sel";

impl Parser<'_> {
    /// Replaces `sel` at the beginning of a condition by that of the events that are selected in a timeline.
    fn selected(&self, argument: &Argument, pieces: Vec<Piece>) -> Result<Vec<Piece>, UsageError> {
        let text = expand::plain(&pieces);
        let Some(rest) = text.trim().strip_prefix(SELECTION).filter(|rest| rest.is_empty() || rest.starts_with(' '))
        else {
            return Ok(pieces);
        };
        let is_column = rest.trim_start().starts_with(['=', '<', '>', '!', '~']);
        if argument.kind != Kind::Where || is_column || self.at_terminal {
            return Ok(pieces);
        }
        let selection = (self.environment)(SELECTION).ok_or_else(|| {
            let reason = "nothing is selected in a timeline".to_owned();
            let problem = Problem::Cannot { what: format!("use {SELECTION} in {}", named(argument)), reason };
            self.usage(problem).hint("draw a timeline with %timeline NAME, and drag over it".to_owned())
        })?;
        Ok(vec![Piece::Text { text: format!("({selection}){rest}"), quoted: true }])
    }

    fn words(&self, args: &str) -> Result<Vec<Word>, UsageError> {
        let missing = |open: Unclosed| {
            let close = if open.open == '{' { '}' } else { open.open };
            Problem::Missing { what: format!("closing {close} after `{}`", args[open.at..].trim_end()) }
        };
        words(args).map_err(|open| self.usage(missing(open)))
    }

    /// Assigns the words to arguments and checks all values but `{expr}`; `None` if help was asked for.
    fn assign(&self, words: Vec<Word>, code: Option<&str>) -> Result<Option<Vec<Assignment>>, UsageError> {
        if words.iter().any(|word| matches!(word.as_flag(), Some(("--help" | "-h", None)))) {
            return Ok(None);
        }
        let mut assignments: Vec<Assignment> = Vec::new();
        let mut positional: Vec<Vec<Piece>> = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let Some((flag, value)) = word.as_flag() else {
                positional.push(word.pieces);
                continue;
            };
            let argument = self.flag(flag)?;
            // `--no-NAME` of a switch that is on by default.
            let turned_off = !argument.answers_to(flag.strip_prefix("--").unwrap_or_default());
            if !argument.repeatable && assignments.iter().any(|assignment| assignment.argument.name == argument.name) {
                return Err(self.usage(Problem::Repeated { what: named(argument) }));
            }
            let value = match value {
                Some(value) if turned_off => {
                    let (value, expected) = (expand::plain(&value), "no value".to_owned());
                    return Err(self.usage(Problem::Invalid { what: flag.to_owned(), value, expected }));
                }
                Some(value) => Some(value),
                None if argument.kind == Kind::Switch => Some(vec![bare(if turned_off { "false" } else { "true" })]),
                None if argument.kind == Kind::Change => {
                    let mut rest = Vec::new();
                    while let Some(word) = words.next_if(|word| word.as_flag().is_none() && !is_change(&rest)) {
                        rest.push(word.pieces);
                    }
                    (!rest.is_empty()).then(|| joined(rest))
                }
                None => words.next_if(|word| word.as_flag().is_none()).map(|word| word.pieces),
            };
            let Some(pieces) = value else {
                let what = format!("value of {}: expected {}", named(argument), expected(argument.kind));
                return Err(self.usage(Problem::Missing { what }));
            };
            let pieces = self.selected(argument, pieces)?;
            self.check(argument, &pieces)?;
            assignments.push(Assignment { argument, pieces });
        }
        let code = code.filter(|code| !code.trim().is_empty());
        positional.extend(code.map(|code| vec![Piece::Text { text: code.to_owned(), quoted: true }]));
        let before = self.positional().take_while(|argument| argument.kind != Kind::Change).count();
        if self.positional().any(|argument| argument.kind == Kind::Change) && positional.len() > before {
            let changes = changes(positional.split_off(before));
            positional.extend(changes);
        }
        let mut declared = self.positional();
        let mut last: Option<&'static Argument> = None;
        for pieces in positional {
            let next = declared.next().or_else(|| {
                // `as x` without its dashes is no further path.
                let is_flag = self.arguments().any(|argument| argument.answers_to(&expand::plain(&pieces)));
                last.filter(|last| last.repeatable && !is_flag)
            });
            let Some(argument) = next else {
                return Err(self.unexpected(expand::plain(&pieces)));
            };
            last = Some(argument);
            self.check(argument, &pieces)?;
            assignments.push(Assignment { argument, pieces });
        }
        let missing: Vec<&str> =
            declared.filter(|argument| argument.form == Form::Required).map(|argument| argument.name).collect();
        if !missing.is_empty() {
            let problem = Problem::Missing { what: missing.join(" and ") };
            return Err(self.usage(problem).hint(self.usage_hint()));
        }
        Ok(Some(assignments))
    }

    fn arguments(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.magic.arguments().iter().flat_map(|group| group.arguments)
    }

    fn positional(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.arguments().filter(|argument| !argument.is_flag())
    }

    fn flag(&self, typed: &str) -> Result<&'static Argument, UsageError> {
        let name = typed.strip_prefix("--").unwrap_or_default();
        if let Some(argument) = self.arguments().find(|argument| argument.answers_to(name)) {
            return Ok(argument);
        }
        let off = name.strip_prefix("no-").or_else(|| name.strip_prefix("no_")).unwrap_or_default();
        if let Some(argument) = self.arguments().find(|argument| argument.is_on() && argument.answers_to(off)) {
            return Ok(argument);
        }
        if let Some(hint) = self.hint_of_tables(name) {
            let typed = format!("--{name}");
            return Err(self.usage(Problem::Unknown { what: "flag", name: typed, expected: String::new() }).hint(hint));
        }
        let flags: Vec<String> = self.arguments().filter(|a| a.is_flag()).map(|a| format!("--{}", a.name)).collect();
        let typed = typed.replace('_', "-");
        let longer: Vec<&str> = flags.iter().map(String::as_str).filter(|flag| has_word(flag, &typed)).collect();
        if let Some(hint) = parameter_of_hta(&typed, self.magic) {
            return Err(self.usage(Problem::Unknown { what: "flag", name: typed, expected: String::new() }).hint(hint));
        }
        let hint = match longer.as_slice() {
            [] => did_you_mean(&typed, flags.iter().map(String::as_str)),
            flags => format!("did you mean {}?", any_of(flags)),
        };
        let hint = if hint.is_empty() { format!("{} lists all", self.magic.help_hint()) } else { hint };
        Err(self.usage(Problem::Unknown { what: "flag", name: typed, expected: String::new() }).hint(hint))
    }

    /// Returns how to ask the rows of an answer that is no single table; `None` for another flag than those of tables.
    fn hint_of_tables(&self, flag: &str) -> Option<String> {
        if self.at_terminal || !OF_TABLES.contains(&flag) {
            return None;
        }
        let name = self.magic.spelled();
        Some(match self.magic.result().filter(|result| result.contains("DataFrame")) {
            Some(_) => {
                format!("its answer is more than a table: bind its rows with x = {name} …, then %show x --{flag} …")
            }
            None => format!("{name} shows no rows of events or names; %events, %trace_sql and %show take --{flag}"),
        })
    }

    /// Checks a value without `{expr}`, so that mistakes are reported before anything is evaluated.
    fn check(&self, argument: &Argument, pieces: &[Piece]) -> Result<(), UsageError> {
        let has_expr = pieces.iter().any(|piece| matches!(piece, Piece::Expr(_)));
        if has_expr { Ok(()) } else { self.value(argument, pieces).map(drop) }
    }

    fn value(&self, argument: &Argument, pieces: &[Piece]) -> Result<Value, UsageError> {
        let what = named(argument);
        let text = match argument.kind {
            Kind::Path | Kind::File | Kind::Target | Kind::Folder => expand::path(pieces, self.environment)
                .map_err(|reason| self.usage(Problem::Cannot { what: format!("expand {what}"), reason }))?,
            _ => expand::plain(pieces),
        };
        if matches!(argument.kind, Kind::File | Kind::Target) && !self.at_terminal && text == "-" {
            let bind = self.magic.result().map(|_| format!("to bind the rows, write x = {} …", self.magic.spelled()));
            let expected = "a file, since a notebook has no standard output".to_owned();
            return Err(self.usage(Problem::Invalid { what, value: text, expected }).hint(bind.unwrap_or_default()));
        }
        read(&self.magic.spelled(), &what, argument.kind, &text)
    }

    fn usage(&self, problem: Problem) -> UsageError {
        UsageError::new(self.magic.spelled(), problem)
    }

    /// The error for a word beyond the last positional argument.
    fn unexpected(&self, text: String) -> UsageError {
        let flag = self.arguments().find(|argument| argument.answers_to(&text));
        let hint = match flag.map(Argument::spelled) {
            Some(flag) => format!("{flag} has two dashes ({} for help)", self.magic.help_hint()),
            None if ["true", "false"].contains(&text.to_lowercase().as_str()) => {
                "a switch has no value: write it alone for True, leave it out for False".to_owned()
            }
            None if self.at_terminal && std::path::Path::new(&text).exists() => {
                format!("if a pattern named it, quote that: 'runs/a-*'; {}", self.usage_hint())
            }
            None => self.usage_hint(),
        };
        self.usage(Problem::Unexpected { value: text }).hint(hint)
    }

    fn usage_hint(&self) -> String {
        let whole = usage(self.magic);
        let line = if whole.len() <= 60 { whole } else { short_usage(self.magic) };
        format!("usage: {line} ({} for help)", self.magic.help_hint())
    }
}

/// `--top`, `PATH`
fn named(argument: &Argument) -> String {
    if argument.is_flag() { format!("--{}", argument.name) } else { argument.name.to_owned() }
}

/// Returns whether `typed` is one of the words of a longer flag: `--rank` of `--control-rank`.
fn has_word(flag: &str, typed: &str) -> bool {
    let word = typed.trim_start_matches('-');
    !word.is_empty() && flag.trim_start_matches('-').split('-').any(|part| part == word)
}

/// Replaces each `{expr}` by its value as text.
fn evaluate(pieces: Vec<Piece>, cells: &mut dyn Cells) -> Result<Vec<Piece>, Error> {
    pieces
        .into_iter()
        .map(|piece| match piece {
            Piece::Expr(expr) => Ok(Piece::Text { text: cells.text(expr.trim()).map_err(Error::Rust)?, quoted: true }),
            piece => Ok(piece),
        })
        .collect()
}

fn bare(text: &str) -> Piece {
    Piece::Text { text: text.to_owned(), quoted: false }
}
/// Joins the words of changes that are not quoted: `communication x 0`. A change ends with its factor.
fn changes(words: Vec<Vec<Piece>>) -> Vec<Vec<Piece>> {
    let (mut changes, mut rest) = (Vec::new(), Vec::new());
    for word in words {
        rest.push(word);
        if is_change(&rest) {
            changes.push(joined(std::mem::take(&mut rest)));
        }
    }
    // Words without a factor are reported one by one.
    changes.extend(rest);
    changes
}

/// Whether words are a whole change; what Rust computes is one.
fn is_change(words: &[Vec<Piece>]) -> bool {
    if words.iter().flatten().any(|piece| matches!(piece, Piece::Expr(_))) {
        return true;
    }
    let text: Vec<String> = words.iter().map(|pieces| expand::plain(pieces)).collect();
    text.join(" ").parse::<trace::TimeChange>().is_ok()
}

fn joined(words: Vec<Vec<Piece>>) -> Vec<Piece> {
    let space = || Piece::Text { text: " ".to_owned(), quoted: true };
    let mut pieces = Vec::new();
    for word in words {
        if !pieces.is_empty() {
            pieces.push(space());
        }
        pieces.extend(word);
    }
    pieces
}
