//! The parser of `--where` expressions.

use super::condition::{Compare, Condition, Item, Value, regex};
use super::token::{Token, Word, Wrong, tokens};
use crate::error::WhereReason;
use crate::frame::columns::{RANK, known};
use std::ops::Range;
use trace_view::Unit;

/// A parsed expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
    Condition {
        column: String,
        /// The bytes of the column's name in the text.
        at: Range<usize>,
        condition: Condition,
        /// The bytes of the operator and its operand.
        value: Range<usize>,
        /// Whether a number has a unit of time, which only times may have. Already checked for the columns of every trace.
        has_unit: bool,
    },
}

/// Upper bound on nested brackets and `not`.
const DEEPEST: usize = 64;
/// Upper bound on the conditions of one expression.
const MOST: usize = 1000;

/// Parses an expression.
///
/// # Errors
/// Where and why the text is not an expression.
pub(super) fn parse(text: &str) -> Result<Node, Wrong> {
    let mut parser = Parser { tokens: tokens(text)?, next: 0, depth: 0, conditions: 0, has_unit: false };
    let node = parser.any()?;
    match &parser.peek().word {
        Word::End => Ok(node),
        Word::Sign(")") => Err(parser.wrong("unmatched `)`")),
        _ => Err(parser.wrong("expected `and`, `or` or the end")),
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    conditions: usize,
    /// Whether a number of the current condition has a unit.
    has_unit: bool,
}

impl Parser {
    /// Parses `all or all or …`.
    fn any(&mut self) -> Result<Node, Wrong> {
        let mut nodes = vec![self.all()?];
        while self.takes_word(&["or"]) || self.takes_sign(&["|", "||"]) {
            nodes.push(self.all()?);
        }
        Ok(one_or(nodes, Node::Any))
    }

    /// Parses `one and one and …`.
    fn all(&mut self) -> Result<Node, Wrong> {
        let mut nodes = vec![self.one()?];
        while self.takes_word(&["and"]) || self.takes_sign(&["&", "&&"]) {
            nodes.push(self.one()?);
        }
        Ok(one_or(nodes, Node::All))
    }

    /// Parses `not one`, `(any)` or a condition.
    fn one(&mut self) -> Result<Node, Wrong> {
        let open = self.peek().at.clone();
        let negates = self.takes_word(&["not"]) || self.takes_sign(&["!"]);
        if !negates && !self.takes_sign(&["("]) {
            return self.condition();
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((open, WhereReason::Syntax(format!("more than {DEEPEST} nested brackets"))));
        }
        let node = if negates {
            Node::Not(Box::new(self.one()?))
        } else {
            let inner = self.any()?;
            if !self.takes_sign(&[")"]) {
                return match self.peek().word {
                    Word::End => Err((open, syntax("unclosed bracket"))),
                    _ => Err(self.wrong("expected `and`, `or` or `)`")),
                };
            }
            inner
        };
        self.depth -= 1;
        Ok(node)
    }

    fn condition(&mut self) -> Result<Node, Wrong> {
        self.conditions += 1;
        if self.conditions > MOST {
            return Err(self.wrong(&format!("more than {MOST} conditions")));
        }
        let token = self.peek().clone();
        let column = match token.word {
            Word::Quoted(name) => name,
            Word::Name(name) if !is_keyword(&name) => name,
            Word::Number(_) | Word::Text(_) => {
                return Err(self.wrong("expected a column before the comparison, as in `dur > 100us`"));
            }
            _ => return Err(self.wrong("expected a column, `not` or `(`")),
        };
        self.next += 1;
        let start = self.peek().at.start;
        // An unknown column may be an argument of this trace, or a typing error: that is checked with the trace.
        let is_time = known(&column).map(|known| known.unit == Unit::Nanos).or((column == RANK).then_some(false));
        let column = Named { is_time, name: column };
        self.has_unit = false;
        let (condition, negated) = self.comparison(&column)?;
        let end = self.tokens[self.next - 1].at.end;
        let node = Node::Condition {
            column: column.name,
            at: token.at,
            condition,
            value: start..end,
            has_unit: self.has_unit,
        };
        Ok(if negated { Node::Not(Box::new(node)) } else { node })
    }

    /// Parses what follows a column; also returns whether it is negated.
    fn comparison(&mut self, column: &Named) -> Result<(Condition, bool), Wrong> {
        if self.takes_word(&["is"]) {
            let negated = self.takes_word(&["not"]);
            return if self.takes_word(&["null"]) {
                Ok((Condition::Absent, negated))
            } else {
                Err(self.wrong("expected `null`: `stream is null`, `stream is not null`"))
            };
        }
        let negated = self.is_word(self.next, "not") && self.is_word(self.next + 1, "in");
        self.next += usize::from(negated);
        if self.takes_word(&["in"]) {
            return Ok((Condition::In(self.list(column)?), negated));
        }
        let signs: [(&[&str], Option<Compare>, bool); 8] = [
            (&["==", "="], Some(Compare::Equal), false),
            (&["!="], Some(Compare::Equal), true),
            (&["<="], Some(Compare::LessOrEqual), false),
            (&[">="], Some(Compare::GreaterOrEqual), false),
            (&["<"], Some(Compare::Less), false),
            (&[">"], Some(Compare::Greater), false),
            (&["~"], None, false),
            (&["!~"], None, true),
        ];
        for (written, compare, negated) in signs {
            if !self.takes_sign(written) {
                continue;
            }
            let Some(compare) = compare else { return Ok((self.pattern()?, negated)) };
            if compare == Compare::Equal && self.takes_word(&["null"]) {
                return Ok((Condition::Absent, negated));
            }
            return Ok((Condition::Compare(compare, self.value(column)?), negated));
        }
        let name = &column.name;
        Err(self.wrong(&format!(
            "expected a comparison after `{name}`: ==, !=, <, <=, >, >=, ~, !~, in, not in, is null, is not null"
        )))
    }

    fn pattern(&mut self) -> Result<Condition, Wrong> {
        let token = self.peek().clone();
        let (Word::Text(pattern) | Word::Name(pattern)) = token.word else {
            return Err(self.wrong("expected a regular expression in quotes: name ~ \"^nccl\""));
        };
        self.next += 1;
        regex(&pattern).map(Condition::Matches).map_err(|problem| (token.at, WhereReason::Pattern { pattern, problem }))
    }

    /// Parses a list: `7,20`, `(7, 20)`, `4-7`, `"a","b"`.
    fn list(&mut self, column: &Named) -> Result<Vec<Item>, Wrong> {
        let open = self.peek().at.clone();
        let close = match (self.takes_sign(&["("]), self.takes_sign(&["["])) {
            (true, _) => Some(")"),
            (_, true) => Some("]"),
            _ => None,
        };
        let mut items = Vec::new();
        loop {
            let at = self.peek().at.clone();
            let first = self.value(column)?;
            items.push(if self.takes_sign(&["-"]) {
                let last = self.value(column)?;
                let span = at.start..self.tokens[self.next - 1].at.end;
                match (first, last) {
                    (Value::Int(first), Value::Int(last)) if first <= last => Item::Range(first, last),
                    (Value::Int(_), Value::Int(_)) => {
                        return Err((span, syntax("invalid range: its end is before its start")));
                    }
                    _ => return Err((span, syntax("invalid range: expected whole numbers, as in 4-7"))),
                }
            } else {
                Item::One(first)
            });
            if !self.takes_sign(&[","]) {
                break;
            }
        }
        match close {
            Some(close) if !self.takes_sign(&[close]) => Err((open, syntax("unclosed list"))),
            _ => Ok(items),
        }
    }

    fn value(&mut self, column: &Named) -> Result<Value, Wrong> {
        let start = self.peek().at.clone();
        let negative = self.takes_sign(&["-"]);
        let token = self.peek().clone();
        match token.word {
            Word::Text(text) if !negative => {
                self.next += 1;
                Ok(Value::Text(text))
            }
            Word::Name(text) if !negative && !is_keyword(&text) => {
                self.next += 1;
                Ok(Value::Text(text))
            }
            Word::Number(digits) => {
                self.next += 1;
                let unit = self.unit(token.at.end)?;
                self.has_unit |= unit.is_some();
                let at = start.start..self.tokens[self.next - 1].at.end;
                number(&digits, negative, unit, column).map_err(|reason| (at, reason))
            }
            Word::End => Err(self.wrong("expected a value here")),
            _ => Err(self.wrong("expected a value: a number, or a text in quotes")),
        }
    }

    /// Parses the unit after a number that ends at byte `end`; returns the power of ten that converts to nanoseconds.
    fn unit(&mut self, end: usize) -> Result<Option<u32>, Wrong> {
        let Token { word: Word::Name(name), at } = self.peek().clone() else { return Ok(None) };
        let power = match name.as_str() {
            "ns" => 0,
            "us" | "µs" | "μs" => 3,
            "ms" => 6,
            "s" => 9,
            _ if at.start > end || is_keyword(&name) => return Ok(None),
            _ => {
                return Err((
                    at,
                    WhereReason::Syntax(format!("unknown unit of time `{name}`: expected ns, us, ms or s")),
                ));
            }
        };
        self.next += 1;
        Ok(Some(power))
    }

    fn peek(&self) -> &Token {
        // The last token is the end, which is never consumed.
        &self.tokens[self.next.min(self.tokens.len() - 1)]
    }

    fn is_word(&self, index: usize, word: &str) -> bool {
        let word_at = self.tokens.get(index).map(|token| &token.word);
        matches!(word_at, Some(Word::Name(name)) if name.eq_ignore_ascii_case(word))
    }

    fn takes_word(&mut self, words: &[&str]) -> bool {
        let takes = words.iter().any(|word| self.is_word(self.next, word));
        self.next += usize::from(takes);
        takes
    }

    fn takes_sign(&mut self, signs: &[&str]) -> bool {
        let takes = matches!(self.peek().word, Word::Sign(sign) if signs.contains(&sign));
        self.next += usize::from(takes);
        takes
    }

    fn wrong(&self, reason: &str) -> Wrong {
        (self.peek().at.clone(), syntax(reason))
    }
}

/// A column that is compared.
struct Named {
    name: String,
    /// `None` for a column that is not in the table of columns.
    is_time: Option<bool>,
}

fn is_keyword(name: &str) -> bool {
    ["and", "or", "not", "in", "is", "null"].iter().any(|word| name.eq_ignore_ascii_case(word))
}

fn one_or(mut nodes: Vec<Node>, join: impl Fn(Vec<Node>) -> Node) -> Node {
    match nodes.pop() {
        Some(only) if nodes.is_empty() => only,
        Some(last) => {
            nodes.push(last);
            join(nodes)
        }
        None => join(nodes),
    }
}

/// Parses a number; a time becomes nanoseconds.
fn number(digits: &str, negative: bool, unit: Option<u32>, column: &Named) -> Result<Value, WhereReason> {
    let name = &column.name;
    let is_time = column.is_time == Some(true);
    let sign = if negative { "-" } else { "" };
    match unit {
        Some(_) if column.is_time == Some(false) => Err(WhereReason::NotATime { column: name.clone() }),
        Some(power) => nanos(digits, power)
            .map(|nanos| Value::Int(if negative { -nanos } else { nanos }))
            .ok_or_else(|| syntax("invalid time: expected whole nanoseconds, at most 292 years")),
        None if is_time && digits.parse::<f64>() != Ok(0.0) => {
            Err(WhereReason::NoUnit { column: name.clone(), number: format!("{sign}{digits}") })
        }
        None => match format!("{sign}{digits}").parse::<i64>() {
            Ok(whole) => Ok(Value::Int(whole)),
            Err(_) => match format!("{sign}{digits}").parse::<f64>() {
                Ok(number) if number.is_finite() => Ok(Value::Float(number)),
                _ => Err(syntax("number too large")),
            },
        },
    }
    .map(|value| if is_time && value == Value::Float(0.0) { Value::Int(0) } else { value })
}

fn syntax(reason: &str) -> WhereReason {
    WhereReason::Syntax(reason.to_owned())
}

/// Computes `digits` × 10^`power`, if that is a whole number.
fn nanos(digits: &str, power: u32) -> Option<i64> {
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let value: i128 =
        format!("{whole}{fraction}").parse().ok().or_else(|| (whole.len() + fraction.len() == 0).then_some(0))?;
    let shift = exponent.checked_add(i32::try_from(power).ok()?)?.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let scaled = match u32::try_from(shift) {
        Ok(up) => value.checked_mul(10_i128.checked_pow(up)?)?,
        Err(_) => {
            let down = 10_i128.checked_pow(shift.unsigned_abs())?;
            (value % down == 0).then_some(value / down)?
        }
    };
    i64::try_from(scaled).ok()
}
