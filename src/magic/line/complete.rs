//! Completion in magic lines.

use super::candidate::{Candidate, CandidateKind};
use super::{paths, sql};
use crate::cell::{CursorPosition, MagicCursor, Piece, Word, magic_cursor};
use crate::magic::magics::{MAGICS, find};
use crate::session::{TraceView, View};
use kernel_magic::api::Magic;
use kernel_magic::argument::{Argument, IdKind, Kind, parser_words};
use trace::SHORT_FORMS;
use trace::columns::EVENT_COLUMNS;

/// Candidates for the text between two bytes of the cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// Start of the replaced text, in bytes of the cell.
    pub start: usize,
    /// Its end: the cursor.
    pub end: usize,
    /// The candidates, best first.
    pub items: Vec<Candidate>,
}

/// Returns the candidates at byte `at` of the cell; `None` outside of magic lines.
pub fn complete(code: &str, at: usize, view: &View) -> Option<Completion> {
    if let Some(found) = sql::complete(code, at, view) {
        return Some(found);
    }
    let MagicCursor { name, position } = magic_cursor(code, at)?;
    let end = (0..=at.min(code.len())).rev().find(|&at| code.is_char_boundary(at))?;
    let completion = match position {
        CursorPosition::Name { start, typed } => Completion { start, end, items: names(typed) },
        CursorPosition::Argument { typed, open: Some(open), .. } if open.open == '{' => {
            let expr = &typed[open.at + 1..];
            let from = expr.rfind(|c: char| c != '_' && !c.is_alphanumeric()).map_or(0, |at| at + char_len(expr, at));
            let variables = view.variables.iter().map(|variable| variable.name.as_str());
            let items = matching(&expr[from..], variables, CandidateKind::Variable);
            Completion { start: end - (expr.len() - from), end, items }
        }
        CursorPosition::Argument { before, typed, .. } => {
            let (skip, items) =
                find(name).map_or_else(Default::default, |magic| Line { magic, view, before: &before }.at(typed));
            Completion { start: end - (typed.len() - skip), end, items }
        }
    };
    Some(completion)
}

/// Returns the length of the character at `at`.
fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Returns magics by the name typed after `%`.
fn names(typed: &str) -> Vec<Candidate> {
    let name = typed.trim_start_matches('%');
    let sigil = &typed[..typed.len() - name.len()];
    let mut items = matching(name, MAGICS.iter().map(|magic| magic.name()), CandidateKind::Magic);
    for item in items.iter_mut().filter(|_| !sigil.is_empty()) {
        let own = find(&item.text).map_or("%", |magic| magic.sigil());
        item.text.insert_str(0, if own.len() > sigil.len() { own } else { sigil });
    }
    items
}

/// Returns the texts that start with `typed`, ignoring case.
fn matching<'a>(typed: &str, all: impl IntoIterator<Item = &'a str>, kind: CandidateKind) -> Vec<Candidate> {
    let typed = typed.to_lowercase();
    all.into_iter()
        .filter(|text| text.to_lowercase().starts_with(&typed))
        .map(|text| Candidate { text: text.to_owned(), kind })
        .collect()
}

/// The line of a known magic, up to the word at the cursor.
struct Line<'a> {
    magic: &'a dyn Magic,
    view: &'a View,
    before: &'a [Word],
}

impl Line<'_> {
    /// Returns how many bytes of the typed word stay, and the candidates for the rest.
    fn at(&self, typed: &str) -> (usize, Vec<Candidate>) {
        if typed.starts_with('-') {
            let Some((flag, value)) = typed.split_once('=') else { return (0, self.flags(typed)) };
            let Some(argument) = self.flag(flag) else { return (0, Vec::new()) };
            let (skip, items) = self.values(argument, value);
            return (typed.len() - value.len() + skip, items);
        }
        if let Some(argument) = self.open_flag() {
            return self.values(argument, typed);
        }
        let declared: Vec<&Argument> = self.arguments().filter(|argument| !argument.is_flag()).collect();
        let last = declared.last().copied().filter(|argument| argument.repeatable);
        match declared.get(self.positional().len()).copied().or(last) {
            Some(argument) => self.values(argument, typed),
            None if typed.is_empty() => (0, self.flags("--")),
            None => (0, Vec::new()),
        }
    }

    fn arguments(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.magic.arguments().iter().flat_map(|group| group.arguments)
    }

    fn flag(&self, typed: &str) -> Option<&'static Argument> {
        let name = typed.strip_prefix("--")?;
        self.arguments().find(|argument| argument.answers_to(name))
    }

    /// Returns the flag before the cursor whose value is missing.
    fn open_flag(&self) -> Option<&'static Argument> {
        let (last, before) = self.before.split_last()?;
        let is_value = Self { before, ..*self }.open_flag().is_some();
        match last.as_flag() {
            Some((flag, None)) if !is_value => self.flag(flag).filter(|argument| argument.kind != Kind::Switch),
            _ => None,
        }
    }

    /// Returns the positional words before the cursor as plain text.
    fn positional(&self) -> Vec<String> {
        let mut positional = Vec::new();
        let mut is_value = false;
        for word in self.before {
            match word.as_flag() {
                Some((flag, value)) => {
                    let takes = self.flag(flag).is_some_and(|argument| argument.kind != Kind::Switch);
                    is_value = takes && value.is_none();
                }
                None if is_value => is_value = false,
                None => positional.push(plain(word)),
            }
        }
        positional
    }

    /// Returns the flags that may still be given.
    fn flags(&self, typed: &str) -> Vec<Candidate> {
        let is_used = |argument: &Argument| {
            !argument.repeatable
                && self
                    .before
                    .iter()
                    .filter_map(Word::as_flag)
                    .any(|(flag, _)| flag.strip_prefix("--").is_some_and(|name| argument.answers_to(name)))
        };
        let flags: Vec<String> = self
            .arguments()
            .filter(|argument| argument.is_flag() && !is_used(argument))
            .map(|argument| format!("--{}", argument.name))
            .chain(["--help".to_owned()])
            .collect();
        matching(&typed.replace('_', "-"), flags.iter().map(String::as_str), CandidateKind::Flag)
    }

    fn values(&self, argument: &Argument, typed: &str) -> (usize, Vec<Candidate>) {
        let labels = || self.view.labels.iter().map(String::as_str);
        let value = CandidateKind::Value;
        match argument.kind {
            Kind::Trace => (0, matching(typed, labels(), CandidateKind::Trace)),
            Kind::Runs => {
                let from = typed.rfind(',').map_or(0, |comma| comma + 1);
                let used: Vec<&str> = typed[..from].split(',').collect();
                (from, matching(&typed[from..], labels().filter(|label| !used.contains(label)), CandidateKind::Trace))
            }
            Kind::Variable => (0, self.frames(typed)),
            Kind::TraceOrVariable => {
                let mut items = matching(typed, labels(), CandidateKind::Trace);
                items.extend(self.frames(typed));
                (0, items)
            }
            Kind::Path => (0, paths::complete(typed, paths::Wanted::Traces)),
            Kind::Folder => (0, paths::complete(typed, paths::Wanted::Folders)),
            Kind::File | Kind::Target => (0, paths::complete(typed, paths::Wanted::All)),
            Kind::Choice(words) => (0, matching(typed, words.iter().copied(), value)),
            Kind::Choices(words) => {
                let from = typed.rfind(',').map_or(0, |comma| comma + 1);
                let used: Vec<&str> = typed[..from].split(',').collect();
                let unused = words.iter().copied().filter(|word| !used.contains(word));
                (from, matching(&typed[from..], unused, value))
            }
            Kind::ParserArgs => {
                let from = typed.rfind(',').map_or(0, |comma| comma + 1);
                let used: Vec<&str> = typed[..from].split(',').collect();
                (from, matching(&typed[from..], parser_words().filter(|word| !used.contains(word)), value))
            }
            Kind::Where => {
                let last = typed.rfind(|c: char| c != '_' && !c.is_alphanumeric());
                let from = last.map_or(0, |at| at + char_len(typed, at));
                let columns = EVENT_COLUMNS.iter().map(|column| column.name);
                let words = columns.chain(["rank", "and", "or", "not", "in", "is", "null"]);
                (from, if typed.is_empty() { Vec::new() } else { matching(&typed[from..], words, value) })
            }
            Kind::RowsWhere => {
                let last = typed.rfind(|c: char| c != '_' && !c.is_alphanumeric());
                let from = last.map_or(0, |at| at + char_len(typed, at));
                let mut items = if typed.is_empty() { Vec::new() } else { self.column_names(&typed[from..]) };
                if !typed.is_empty() {
                    items.extend(matching(&typed[from..], ["and", "or", "not", "in", "is", "null"], value));
                }
                (from, items)
            }
            Kind::Columns => {
                let from = typed.rfind(',').map_or(0, |comma| comma + 1);
                (from, self.column_names(&typed[from..]))
            }
            Kind::Column => (0, self.column_names(typed)),
            Kind::Sort => match typed.split_once(':') {
                Some((column, order)) => (column.len() + 1, matching(order, ["asc", "desc"], value)),
                None => (0, self.column_names(typed)),
            },
            Kind::Switch => (0, matching(typed, ["true", "false"], value)),
            Kind::List(kind) => self.numbers(argument, kind, typed),
            Kind::Operator => (0, named(self.trace(argument).map(TraceView::operators).unwrap_or_default(), typed)),
            Kind::Event => (0, named(self.trace(argument).map(TraceView::names).unwrap_or_default(), typed)),
            Kind::Instance => (0, self.instances(argument, typed)),
            Kind::Change => (0, self.changes(argument, typed)),
            Kind::Name
            | Kind::Regex
            | Kind::Whole
            | Kind::Number
            | Kind::Size
            | Kind::Percent
            | Kind::Margin
            | Kind::Code
            | Kind::Annotation
            | Kind::Text
            | Kind::Texts => (0, Vec::new()),
        }
    }

    /// Returns the positional trace that an argument is about.
    fn trace(&self, argument: &Argument) -> Option<&TraceView> {
        let is_trace = |kind: Kind| matches!(kind, Kind::Trace | Kind::Runs | Kind::TraceOrVariable);
        let declared = self.arguments().filter(|argument| !argument.is_flag());
        let mut labels =
            declared.zip(self.positional()).filter(|(argument, _)| is_trace(argument.kind)).map(|(_, label)| label);
        self.view.trace(first_of(&labels.nth(argument.trace)?))
    }

    /// Returns the ids of the trace that are not in the list yet, and `all`.
    fn numbers(&self, argument: &Argument, kind: IdKind, typed: &str) -> (usize, Vec<Candidate>) {
        let Some(trace) = self.trace(argument) else { return (0, Vec::new()) };
        let numbers = match kind {
            IdKind::Ranks | IdKind::RanksOrSlowest => &trace.ranks,
            IdKind::Iterations => &trace.iterations,
            IdKind::Streams => &trace.streams,
        };
        let from = typed.rfind(',').map_or(0, |comma| comma + 1);
        let used: Vec<&str> = typed[..from].split(',').collect();
        let mut texts: Vec<String> = numbers.iter().map(i64::to_string).collect();
        texts.retain(|text| !used.contains(&text.as_str()));
        if from == 0 && !numbers.is_empty() {
            texts.push("all".to_owned());
            texts.extend((kind == IdKind::RanksOrSlowest).then(|| "slowest".to_owned()));
        }
        (from, matching(&typed[from..], texts.iter().map(String::as_str), CandidateKind::Value))
    }

    /// Returns the numbers of the steps of the trace, as those of annotations.
    fn instances(&self, argument: &Argument, typed: &str) -> Vec<Candidate> {
        let steps = self.trace(argument).map_or(0, |trace| trace.iterations.len());
        let numbers: Vec<String> = (0..steps).map(|number| number.to_string()).chain(["all".to_owned()]).collect();
        matching(typed, numbers.iter().map(String::as_str), CandidateKind::Value)
    }

    /// Returns changes to try out: the short forms, and operators of the trace; behind a condition its factors.
    fn changes(&self, argument: &Argument, typed: &str) -> Vec<Candidate> {
        let last = self.before.last().map(plain).unwrap_or_default();
        let is_factor = |word: &str| word.trim_end_matches('%').parse::<f64>().is_ok();
        if last == "x" {
            return matching(typed, ["0", "0.5", "2"], CandidateKind::Value);
        }
        let is_condition = self.positional().len() > 1 && !is_factor(&last) && !last.contains(char::is_whitespace);
        if is_condition {
            return matching(typed, ["x 0", "x 0.5"], CandidateKind::Value);
        }
        let words = SHORT_FORMS.iter().map(|(short, _)| *short).chain(["python"]);
        let mut items = matching(typed, words, CandidateKind::Value);
        if let Some(trace) = self.trace(argument) {
            items.extend(named(if typed.is_empty() { trace.operators() } else { trace.names() }, typed));
        }
        items
    }

    /// Returns columns as they must be typed: names of several words are quoted.
    fn column_names(&self, typed: &str) -> Vec<Candidate> {
        let columns = self.columns();
        let mut items =
            matching(typed.trim_start_matches(['\'', '"']), columns.iter().map(String::as_str), CandidateKind::Value);
        items.iter_mut().for_each(quote);
        items
    }

    /// Returns the variables that hold a data frame.
    fn frames(&self, typed: &str) -> Vec<Candidate> {
        let frames = self.view.variables.iter().filter(|variable| variable.type_name.contains("Frame"));
        matching(typed, frames.map(|variable| variable.name.as_str()), CandidateKind::Variable)
    }

    /// Returns the columns of the table that the line will show: those the magic declares, those of the variable it names,
    /// or those of its comparison.
    fn columns(&self) -> Vec<String> {
        let declared = self.magic.columns();
        if !declared.is_empty() {
            return declared.iter().map(|name| (*name).to_owned()).collect();
        }
        match self.positional().as_slice() {
            [variable] => {
                let frame = self.view.frames.get(variable);
                frame.map_or_else(Vec::new, |frame| frame.names().map(str::to_owned).collect())
            }
            [control, test, ..] => {
                // Columns have the names of the runs that are compared.
                let label = |typed: &str| {
                    let first = first_of(typed);
                    self.view.trace(first).map_or_else(|| first.to_owned(), |trace| trace.label.clone())
                };
                self.magic.compared_columns(&label(control), &label(test))
            }
            [] => Vec::new(),
        }
    }
}

/// Returns names, quoted where needed: first those that start with `typed`, then those that contain it.
fn named(names: &[String], typed: &str) -> Vec<Candidate> {
    let bare = typed.trim_start_matches(['\'', '"']);
    let mut items = matching(bare, names.iter().map(String::as_str), CandidateKind::Value);
    let inner = names.iter().filter(|name| !bare.is_empty() && name.contains(bare));
    for name in inner {
        if !items.iter().any(|item| item.text == *name) {
            items.push(Candidate { text: name.clone(), kind: CandidateKind::Value });
        }
    }
    items.iter_mut().for_each(quote);
    items
}

/// Returns the first of comma-separated labels.
fn first_of(labels: &str) -> &str {
    labels.split(',').next().unwrap_or_default().trim()
}

/// Quotes a text with blanks or with characters that have a meaning in a magic line.
fn quote(item: &mut Candidate) {
    if item.text.contains([' ', '(', ')', '\'', '"', '{', '}', '$', '\\', ';']) {
        item.text = format!("'{}'", item.text);
    }
}

fn plain(word: &Word) -> String {
    let text = |piece: &Piece| if let Piece::Text { text, .. } = piece { text.clone() } else { String::new() };
    word.pieces.iter().map(text).collect()
}
