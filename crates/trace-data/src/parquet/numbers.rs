//! Numbers of metadata that JSON text does not preserve.
//!
//! serde_json reads some numbers of 16 and more digits as the neighbour of the nearest `f64`. Their bits are written, too.

use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// Bits of numbers, by their JSON pointers, in hexadecimal.
pub(super) type ExactNumbers = BTreeMap<String, String>;

/// Returns the bits of all numbers that `read`, the same values after writing and reading, holds differently.
pub(super) fn exact_numbers(written: &Map<String, Value>, read: &Map<String, Value>) -> ExactNumbers {
    let mut found = ExactNumbers::new();
    if written != read {
        members(written, read, "", &mut found);
    }
    found
}

/// Sets the numbers to their bits.
pub(super) fn restore(metadata: &mut Map<String, Value>, exact: &ExactNumbers) {
    if exact.is_empty() {
        return;
    }
    let mut whole = Value::Object(std::mem::take(metadata));
    for (pointer, bits) in exact {
        let number = u64::from_str_radix(bits, 16).ok().and_then(|bits| Number::from_f64(f64::from_bits(bits)));
        if let (Some(number), Some(value)) = (number, whole.pointer_mut(pointer)) {
            *value = Value::Number(number);
        }
    }
    if let Value::Object(members) = whole {
        *metadata = members;
    }
}

fn members(written: &Map<String, Value>, read: &Map<String, Value>, pointer: &str, found: &mut ExactNumbers) {
    for (key, value) in written {
        if let Some(other) = read.get(key) {
            let key = key.replace('~', "~0").replace('/', "~1");
            compare(value, other, &format!("{pointer}/{key}"), found);
        }
    }
}

fn compare(written: &Value, read: &Value, pointer: &str, found: &mut ExactNumbers) {
    match (written, read) {
        (Value::Number(number), other) if written != other => {
            if let Some(value) = number.as_f64() {
                found.insert(pointer.to_owned(), format!("{:016x}", value.to_bits()));
            }
        }
        (Value::Array(items), Value::Array(others)) => {
            for (position, (item, other)) in items.iter().zip(others).enumerate() {
                compare(item, other, &format!("{pointer}/{position}"), found);
            }
        }
        (Value::Object(written), Value::Object(read)) => members(written, read, pointer, found),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// An object of numbers whose text has many digits, some of which serde_json misreads.
    fn many() -> Map<String, Value> {
        let mut bits = 0x3fd5_5555_5555_5555_u64;
        let numbers = (0..5_000).map(|_| {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // Exponents near 0, so that every number is finite.
            Value::from(f64::from_bits((bits & 0x800f_ffff_ffff_ffff) | ((1_000 + (bits >> 57)) << 52)))
        });
        let numbers = Value::Array(numbers.collect());
        Map::from_iter([("a/b~c".to_owned(), Value::from_iter([("list", numbers)])), ("whole".to_owned(), 7.into())])
    }

    #[test]
    fn numbers_that_text_changes_are_restored_bit_by_bit() {
        let written = many();
        let mut read: Map<String, Value> = serde_json::from_str(&serde_json::to_string(&written).unwrap()).unwrap();
        let exact = exact_numbers(&written, &read);
        assert!(!exact.is_empty() && exact.len() < 5_000, "{} numbers", exact.len());
        restore(&mut read, &exact);
        assert_eq!(written, read);
    }

    #[test]
    fn equal_and_foreign_pointers_change_nothing() {
        let mut numbers = Map::from_iter([("a".to_owned(), Value::from(0.5))]);
        let before = numbers.clone();
        assert!(exact_numbers(&numbers, &before).is_empty());
        restore(&mut numbers, &ExactNumbers::from([("/b/0".to_owned(), "0".to_owned())]));
        restore(&mut numbers, &ExactNumbers::from([("/a".to_owned(), "no number".to_owned())]));
        assert_eq!(numbers, before);
    }
}
