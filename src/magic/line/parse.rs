//! From the text behind `%name` to a [`Call`].
//!
//! The whole line is read first (quotes, unknown flags, bad values), then places are counted, then `{expr}` is asked
//! of the Rust side. Whether a trace of that name exists is asked later, by the magic.

use super::expand::{self, Environment};
use crate::cell::{Piece, Unclosed, Word, words};
use crate::magic::api::Magic;
use crate::magic::argument::{Argument, Call, Form, Kind, Value, did_you_mean, read, what};
use crate::magic::usage::{page, short_usage, usage};
use crate::session::Cells;
use crate::{Error, cell};
use trace_view::Bundle;

/// What a line asks for.
pub(super) enum Parsed<'a> {
    /// `--help` or `-h` stood in it.
    Help,
    /// A call.
    Call(Call<'a>),
}

/// Reads the text behind the name of `magic`; `code` is the code that it takes, if it takes some.
///
/// # Errors
/// The first thing that is wrong with the line.
pub(super) fn parse<'a>(
    magic: &'a dyn Magic,
    bind: Option<&'a str>,
    args: &str,
    code: Option<&str>,
    cells: &mut dyn Cells,
    environment: Environment<'_>,
) -> Result<Parsed<'a>, Error> {
    let reader = Reader { magic, environment, at_terminal: false };
    let Some(given) = reader.given(reader.lexed(args)?, code)? else { return Ok(Parsed::Help) };
    if let Some(name) = bind.filter(|_| magic.result().is_none()) {
        return Err(reader.usage(format!("there is no result to bind to {name}.")));
    }
    let mut values = Vec::with_capacity(given.len());
    for Given { argument, pieces } in given {
        let pieces = ask(pieces, cells)?;
        values.push((argument.name, reader.value(argument, &pieces)?));
    }
    Ok(Parsed::Call(Call::new(magic.spelled(), bind, values)))
}

/// What the words of a command line ask for.
pub(crate) enum Invocation<'a> {
    /// `--help` or `-h` stood among them: the page.
    Help(Bundle),
    /// A call.
    Call(Call<'a>),
}

/// Reads the words that a shell has split and unquoted: quotes, `~`, `${NAME}` and `{expr}` mean nothing here.
///
/// # Errors
/// The first thing that is wrong with them.
pub(crate) fn parse_words<'a>(magic: &'a dyn Magic, typed: &[String]) -> Result<Invocation<'a>, Error> {
    let word = |text: &String| {
        let quoted = !text.starts_with('-');
        Word { range: 0..0, pieces: vec![Piece::Text { text: text.clone(), quoted }] }
    };
    let reader = Reader { magic, environment: &|_| None, at_terminal: true };
    let Some(given) = reader.given(typed.iter().map(word).collect(), None)? else {
        return Ok(Invocation::Help(page(magic)));
    };
    let value = |given: Given| Ok((given.argument.name, reader.value(given.argument, &given.pieces)?));
    Ok(Invocation::Call(Call::new(magic.spelled(), None, given.into_iter().map(value).collect::<Result<_, Error>>()?)))
}

/// One argument as it was typed.
struct Given {
    argument: &'static Argument,
    pieces: Vec<Piece>,
}

struct Reader<'a> {
    magic: &'a dyn Magic,
    environment: Environment<'a>,
    /// Whether the words come from a shell.
    at_terminal: bool,
}

impl Reader<'_> {
    fn lexed(&self, args: &str) -> Result<Vec<Word>, Error> {
        let open_in = |open: Unclosed| {
            let close = if open.open == '{' { '}' } else { open.open };
            format!("unterminated {} in: {}  ({close} ends it)", open.open, args[open.at..].trim_end())
        };
        words(args).map_err(|open| self.usage(open_in(open)))
    }

    /// What was given, checked as far as that goes without the Rust side; `None` if help was asked for.
    fn given(&self, words: Vec<Word>, code: Option<&str>) -> Result<Option<Vec<Given>>, Error> {
        if words.iter().any(|word| matches!(word.as_flag(), Some(("--help" | "-h", None)))) {
            return Ok(None);
        }
        let mut given: Vec<Given> = Vec::new();
        let mut placed: Vec<Vec<Piece>> = Vec::new();
        let mut words = words.into_iter().peekable();
        while let Some(word) = words.next() {
            let Some((flag, value)) = word.as_flag() else {
                placed.push(word.pieces);
                continue;
            };
            let argument = self.flag(flag)?;
            // `--no-NAME` answered for a switch that is on by default.
            let turned_off = !argument.answers_to(flag.strip_prefix("--").unwrap_or_default());
            if !argument.repeatable && given.iter().any(|given| given.argument.name == argument.name) {
                return Err(self.usage_of(argument, "given twice."));
            }
            let value = match value {
                Some(_) if turned_off => {
                    return Err(self.usage_of(argument, format!("{flag} takes no value.")));
                }
                Some(value) => Some(value),
                None if argument.kind == Kind::Switch => Some(vec![bare(if turned_off { "false" } else { "true" })]),
                None => words.next_if(|word| word.as_flag().is_none()).map(|word| word.pieces),
            };
            let Some(pieces) = value else {
                return Err(self.usage_of(argument, format!("expected {}, got nothing.", what(argument.kind))));
            };
            self.check(argument, &pieces)?;
            given.push(Given { argument, pieces });
        }
        let code = code.filter(|code| !code.trim().is_empty());
        placed.extend(code.map(|code| vec![Piece::Text { text: code.to_owned(), quoted: true }]));
        let mut places = self.places();
        for pieces in placed {
            let Some(argument) = places.next() else {
                return Err(self.unexpected(&expand::plain(&pieces)));
            };
            self.check(argument, &pieces)?;
            given.push(Given { argument, pieces });
        }
        let missing: Vec<&str> = places.filter(|place| place.form == Form::Required).map(|place| place.name).collect();
        if !missing.is_empty() {
            return Err(self.usage(format!("missing {}.{}", missing.join(" and "), self.usage_hint())));
        }
        Ok(Some(given))
    }

    fn arguments(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.magic.arguments().iter().flat_map(|group| group.arguments)
    }

    fn places(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.arguments().filter(|argument| !argument.is_flag())
    }

    fn flag(&self, typed: &str) -> Result<&'static Argument, Error> {
        let name = typed.strip_prefix("--").unwrap_or_default();
        if let Some(argument) = self.arguments().find(|argument| argument.answers_to(name)) {
            return Ok(argument);
        }
        let off = name.strip_prefix("no-").or_else(|| name.strip_prefix("no_")).unwrap_or_default();
        if let Some(argument) = self.arguments().find(|argument| argument.is_on() && argument.answers_to(off)) {
            return Ok(argument);
        }
        let flags: Vec<String> = self.arguments().filter(|a| a.is_flag()).map(|a| format!("--{}", a.name)).collect();
        let typed = typed.replace('_', "-");
        let longer: Vec<&str> = flags.iter().map(String::as_str).filter(|flag| names_part(flag, &typed)).collect();
        let hint = match longer.as_slice() {
            [] => did_you_mean(&typed, flags.iter().map(String::as_str)),
            flags => format!(" Did you mean {}?", flags.join(" or ")),
        };
        let hint = if hint.is_empty() { format!(" ({} for help)", self.magic.help_hint()) } else { hint };
        Err(self.usage(format!("unknown flag {typed}.{hint}")))
    }

    /// Reads a value that needs nothing of the Rust side, to report what is wrong with it early.
    fn check(&self, argument: &Argument, pieces: &[Piece]) -> Result<(), Error> {
        let asks = pieces.iter().any(|piece| matches!(piece, Piece::Expr(_)));
        if asks { Ok(()) } else { self.value(argument, pieces).map(drop) }
    }

    fn value(&self, argument: &Argument, pieces: &[Piece]) -> Result<Value, Error> {
        let text = match argument.kind {
            Kind::Path | Kind::File | Kind::Target | Kind::Folder => expand::path(pieces, self.environment),
            _ => Ok(expand::plain(pieces)),
        };
        let is_file = matches!(argument.kind, Kind::File | Kind::Target);
        if is_file && !self.at_terminal && text.as_deref() == Ok("-") {
            let bind = self
                .magic
                .result()
                .map_or_else(String::new, |_| format!(", or bind the rows: x = {} …", self.magic.spelled()));
            return Err(
                self.usage_of(argument, format!("- is standard output, which only a terminal has: name a file{bind}."))
            );
        }
        text.and_then(|text| read(argument.kind, &text)).map_err(|reason| self.usage_of(argument, reason))
    }

    fn usage(&self, message: impl std::fmt::Display) -> Error {
        Error::Usage(format!("{}: {message}", self.magic.spelled()))
    }

    fn usage_of(&self, argument: &Argument, message: impl std::fmt::Display) -> Error {
        let dashes = if argument.is_flag() { "--" } else { "" };
        Error::Usage(format!("{} {dashes}{}: {message}", self.magic.spelled(), argument.name))
    }

    /// A word that no place is left for.
    fn unexpected(&self, text: &str) -> Error {
        let flag = self.arguments().find(|argument| argument.answers_to(text));
        let hint = match flag.map(Argument::spelled) {
            Some(flag) => format!("  {flag} has two dashes.{}", self.help_hint()),
            None => self.usage_hint(),
        };
        self.usage(format!("unexpected \"{text}\".{hint}"))
    }

    fn help_hint(&self) -> String {
        format!("  ({} for help)", self.magic.help_hint())
    }

    fn usage_hint(&self) -> String {
        let whole = usage(self.magic);
        let line = if whole.len() <= 60 { whole } else { short_usage(self.magic) };
        format!("  usage: {line}  ({} for help)", self.magic.help_hint())
    }
}

/// Whether what is typed is one of the words of a longer flag: `--rank` of `--control-rank`.
fn names_part(flag: &str, typed: &str) -> bool {
    let word = typed.trim_start_matches('-');
    !word.is_empty() && flag.trim_start_matches('-').split('-').any(|part| part == word)
}

/// Puts the values of Rust expressions in their place.
fn ask(pieces: Vec<Piece>, cells: &mut dyn Cells) -> Result<Vec<Piece>, Error> {
    pieces
        .into_iter()
        .map(|piece| match piece {
            cell::Piece::Expr(expr) => {
                Ok(Piece::Text { text: cells.text(expr.trim()).map_err(Error::Rust)?, quoted: true })
            }
            piece => Ok(piece),
        })
        .collect()
}

fn bare(text: &str) -> Piece {
    Piece::Text { text: text.to_owned(), quoted: false }
}
