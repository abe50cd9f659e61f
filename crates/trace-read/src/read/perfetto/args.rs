//! Debug annotations → members of `args`, as JSON text.

use super::event::Keys;
use super::sequence::Sequence;
use super::strings::{Strings, Symbol, write_text};
use super::wire::{Malformed, Message, Value};

/// Depth of dictionaries and lists; deeper ones are null.
const MAX_DEPTH: usize = 40;

/// Appends a member; `value` appends the value.
pub(super) fn member(out: &mut Vec<u8>, key: &str, value: impl FnOnce(&mut Vec<u8>)) {
    if !out.is_empty() {
        out.extend_from_slice(b", ");
    }
    write_text(out, key);
    out.extend_from_slice(b": ");
    value(out);
}

/// Appends a `DebugAnnotation` as a member.
///
/// # Errors
/// If it is malformed.
pub(super) fn annotation(
    out: &mut Vec<u8>,
    keys: &mut Keys,
    message: Message<'_>,
    sequence: &Sequence,
    strings: &Strings,
) -> Result<(), Malformed> {
    let name = name_of(message, sequence, strings)?;
    keys.add(&name);
    let mut text = Vec::new();
    value_of(&mut text, message, sequence, strings, 0)?;
    member(out, &name, |out| out.extend_from_slice(&text));
    Ok(())
}

fn name_of(message: Message<'_>, sequence: &Sequence, strings: &Strings) -> Result<String, Malformed> {
    let mut name = String::new();
    for field in message.fields() {
        match field? {
            (1, value) => {
                let symbol = sequence.annotation_names.get(&value.number()).copied().unwrap_or(Symbol::EMPTY);
                strings.text(symbol).clone_into(&mut name);
            }
            (10, value) => name = value.message().text().into_owned(),
            _ => {}
        }
    }
    Ok(name)
}

/// Appends the value of a `DebugAnnotation`.
fn value_of(
    out: &mut Vec<u8>,
    message: Message<'_>,
    sequence: &Sequence,
    strings: &Strings,
    depth: usize,
) -> Result<(), Malformed> {
    let (mut members, mut entries, mut scalar) = (Vec::new(), Vec::new(), None);
    for field in message.fields() {
        match field? {
            (11, value) => members.push(value.message()),
            (12, value) => entries.push(value.message()),
            (number @ (2..=9 | 17), value) => scalar = Some((number, value)),
            _ => {}
        }
    }
    if depth >= MAX_DEPTH {
        out.extend_from_slice(b"null");
    } else if !members.is_empty() {
        let mut object = Vec::new();
        for entry in members {
            let mut text = Vec::new();
            value_of(&mut text, entry, sequence, strings, depth + 1)?;
            let name = name_of(entry, sequence, strings)?;
            member(&mut object, &name, |out| out.extend_from_slice(&text));
        }
        enclosed(out, b'{', &object, b'}');
    } else if !entries.is_empty() {
        let mut list = Vec::new();
        for (at, entry) in entries.into_iter().enumerate() {
            if at > 0 {
                list.extend_from_slice(b", ");
            }
            value_of(&mut list, entry, sequence, strings, depth + 1)?;
        }
        enclosed(out, b'[', &list, b']');
    } else if let Some((number, value)) = scalar {
        write_scalar(out, number, value, sequence, strings, depth)?;
    } else {
        // A list without entries has nothing to write; null is a text, see `write_string`.
        out.extend_from_slice(b"[]");
    }
    Ok(())
}

fn enclosed(out: &mut Vec<u8>, open: u8, inner: &[u8], close: u8) {
    out.push(open);
    out.extend_from_slice(inner);
    out.push(close);
}

/// Appends the one value of a `DebugAnnotation` that is in this field.
fn write_scalar(
    out: &mut Vec<u8>,
    number: u32,
    value: Value<'_>,
    sequence: &Sequence,
    strings: &Strings,
    depth: usize,
) -> Result<(), Malformed> {
    match number {
        2 => out.extend_from_slice(if value.number() != 0 { b"true" } else { b"false" }),
        3 => out.extend_from_slice(value.number().to_string().as_bytes()),
        4 => out.extend_from_slice(value.signed().to_string().as_bytes()),
        5 => write_double(out, f64::from_bits(value.number())),
        6 => write_string(out, &value.message().text()),
        7 => write_text(out, &format!("{:#x}", value.number())),
        8 => nested(out, value.message(), depth + 1)?,
        9 => {
            let text = value.message().text();
            // Another writer's JSON may be none.
            match serde_json::from_str::<serde_json::Value>(&text) {
                Ok(json) => out.extend_from_slice(json.to_string().as_bytes()),
                Err(_) => write_text(out, &text),
            }
        }
        _ => {
            let symbol = sequence.annotation_values.get(&value.number()).copied().unwrap_or(Symbol::EMPTY);
            out.extend_from_slice(strings.json(symbol).as_bytes());
        }
    }
    Ok(())
}

/// Appends a text. PyTorch writes the null of its JSON as this text.
fn write_string(out: &mut Vec<u8>, text: &str) {
    if text == "null" {
        out.extend_from_slice(b"null");
    } else {
        write_text(out, text);
    }
}

/// Appends a number as JSON, which has neither NaN nor infinity.
pub(super) fn write_double(out: &mut Vec<u8>, value: f64) {
    match serde_json::Number::from_f64(value) {
        Some(number) => out.extend_from_slice(number.to_string().as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
}

/// Appends a `NestedValue`, the older form of dictionaries and lists.
fn nested(out: &mut Vec<u8>, message: Message<'_>, depth: usize) -> Result<(), Malformed> {
    let (mut kind, mut keys, mut values, mut entries) = (0, Vec::new(), Vec::new(), Vec::new());
    let mut scalar = b"null".to_vec();
    for field in message.fields() {
        match field? {
            (1, value) => kind = value.number(),
            (2, value) => keys.push(value.message().text().into_owned()),
            (3, value) => values.push(value.message()),
            (4, value) => entries.push(value.message()),
            (5, value) => scalar = value.signed().to_string().into_bytes(),
            (6, value) => {
                scalar.clear();
                write_double(&mut scalar, f64::from_bits(value.number()));
            }
            (7, value) => scalar = if value.number() != 0 { b"true".to_vec() } else { b"false".to_vec() },
            (8, value) => {
                scalar.clear();
                write_string(&mut scalar, &value.message().text());
            }
            _ => {}
        }
    }
    if depth >= MAX_DEPTH {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    let mut inner = Vec::new();
    match kind {
        1 => {
            for (key, value) in keys.iter().zip(values) {
                let mut text = Vec::new();
                nested(&mut text, value, depth + 1)?;
                member(&mut inner, key, |out| out.extend_from_slice(&text));
            }
            enclosed(out, b'{', &inner, b'}');
        }
        2 => {
            for (at, entry) in entries.into_iter().enumerate() {
                if at > 0 {
                    inner.extend_from_slice(b", ");
                }
                nested(&mut inner, entry, depth + 1)?;
            }
            enclosed(out, b'[', &inner, b']');
        }
        _ => out.extend_from_slice(&scalar),
    }
    Ok(())
}
