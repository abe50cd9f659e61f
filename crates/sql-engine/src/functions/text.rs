//! Functions of texts. Lengths and positions count characters.

use super::argument::{Call, compare, owned};
use rusqlite::Result;
use rusqlite::types::{Value, ValueRef};
use std::cmp::Ordering;

/// Returns the place of the character of this number in bytes; the end, if there are fewer.
fn offset_of(text: &str, characters: usize) -> usize {
    text.char_indices().nth(characters).map_or(text.len(), |(offset, _)| offset)
}

/// Returns how many characters `left` and `right` keep: `n`, or all but `-n`.
fn retained(text: &str, n: i64) -> usize {
    let n_or_all = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    match u64::try_from(n) {
        Ok(n) => n_or_all(n),
        Err(_) => text.chars().count().saturating_sub(n_or_all(n.unsigned_abs())),
    }
}

/// `left(text, n)`: the first `n` characters, or all but the last `-n`.
pub(super) fn left(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0);
    let end = offset_of(&text, retained(&text, call.integer(1)?));
    Ok(Value::Text(text[..end].to_owned()))
}

/// `right(text, n)`: the last `n` characters, or all but the first `-n`.
pub(super) fn right(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0);
    let dropped = text.chars().count().saturating_sub(retained(&text, call.integer(1)?));
    Ok(Value::Text(text[offset_of(&text, dropped)..].to_owned()))
}

/// `strpos(text, part)`: the number of the character at which the part starts, from 1; 0 without one.
pub(super) fn strpos(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0);
    let found = text.find(&*call.text(1));
    Ok(Value::Integer(found.map_or(0, |offset| text[..offset].chars().count() as i64 + 1)))
}

/// `split_part(text, separator, n)`: the part of number `n`, from 1, from the end if negative. An empty separator splits into
/// characters.
pub(super) fn split_part(call: &Call<'_>) -> Result<Value> {
    let (text, separator, n) = (call.text(0), call.text(1), call.integer(2)?);
    // Split at an empty separator, Rust has an empty part at both ends.
    let parts = || text.split(&*separator).filter(|part| !separator.is_empty() || !part.is_empty());
    let distance = usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
    // Counted from the left in any case, since `aaa` has other parts between `aa` from the right.
    let index = if n < 0 { parts().count().checked_sub(distance) } else { distance.checked_sub(1) };
    Ok(Value::Text(index.and_then(|index| parts().nth(index)).unwrap_or("").to_owned()))
}

/// `starts_with(text, part)`.
pub(super) fn starts_with(call: &Call<'_>) -> Result<Value> {
    Ok(call.text(0).starts_with(&*call.text(1)).into())
}

/// `ends_with(text, part)`.
pub(super) fn ends_with(call: &Call<'_>) -> Result<Value> {
    Ok(call.text(0).ends_with(&*call.text(1)).into())
}

/// `contains(text, part)`.
pub(super) fn contains(call: &Call<'_>) -> Result<Value> {
    Ok(call.text(0).contains(&*call.text(1)).into())
}

/// `reverse(text)`.
pub(super) fn reverse(call: &Call<'_>) -> Result<Value> {
    Ok(Value::Text(call.text(0).chars().rev().collect()))
}

/// `repeat(text, n)`.
pub(super) fn repeat(call: &Call<'_>) -> Result<Value> {
    let text = call.text(0);
    let times = usize::try_from(call.integer(1)?.max(0)).unwrap_or(usize::MAX);
    call.check_size(text.len().saturating_mul(times))?;
    // An empty text may be repeated any number of times.
    Ok(Value::Text(if text.is_empty() { String::new() } else { text.repeat(times) }))
}

/// `lpad(text, n, padding)`: `n` characters, cut or padded on the left.
pub(super) fn lpad(call: &Call<'_>) -> Result<Value> {
    pad(call, |text, padding| padding + text)
}

/// `rpad(text, n, padding)`: `n` characters, cut or padded on the right.
pub(super) fn rpad(call: &Call<'_>) -> Result<Value> {
    pad(call, |text, padding| text.to_owned() + &padding)
}

fn pad(call: &Call<'_>, join: fn(&str, String) -> String) -> Result<Value> {
    let (text, padding) = (call.text(0), call.text(2));
    let length = usize::try_from(call.integer(1)?.max(0)).unwrap_or(usize::MAX);
    let missing = length.saturating_sub(text.chars().count());
    if missing == 0 {
        return Ok(Value::Text(text[..offset_of(&text, length)].to_owned()));
    }
    if padding.is_empty() {
        return Err(call.refusal("expected a padding, found an empty text"));
    }
    // Checked before, as a character has a byte at least, and after, as it may have four.
    call.check_size(length)?;
    let padded = join(&text, padding.chars().cycle().take(missing).collect());
    call.check_size(padded.len())?;
    Ok(Value::Text(padded))
}

/// `bit_length(text)`: eight times its bytes.
pub(super) fn bit_length(call: &Call<'_>) -> Result<Value> {
    Ok(Value::Integer(call.text(0).len() as i64 * 8))
}

/// `len(text)`: its characters; the bytes of a blob, as SQLite's `length`.
pub(super) fn len(call: &Call<'_>) -> Result<Value> {
    Ok(Value::Integer(match call.value(0) {
        ValueRef::Blob(blob) => blob.len(),
        _ => call.text(0).chars().count(),
    } as i64))
}

/// `greatest(…)`: the greatest argument that is not NULL.
pub(super) fn greatest(call: &Call<'_>) -> Result<Value> {
    chosen(call, Ordering::Greater)
}

/// `least(…)`: the least argument that is not NULL.
pub(super) fn least(call: &Call<'_>) -> Result<Value> {
    chosen(call, Ordering::Less)
}

fn chosen(call: &Call<'_>, order: Ordering) -> Result<Value> {
    if call.context.is_empty() {
        return Err(call.refusal("expected at least one argument"));
    }
    let values = (0..call.context.len()).map(|index| call.value(index)).filter(|value| *value != ValueRef::Null);
    let chosen = values.reduce(|chosen, value| if compare(value, chosen) == order { value } else { chosen });
    Ok(chosen.map_or(Value::Null, owned))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{assert_same, refused};

    #[test]
    fn left_and_right_count_characters_from_both_ends() {
        assert_same("left('héllo', 2), left('hello', -2), left('hello', -9)", "'hé', 'hel', ''");
        assert_same("left('hello', 9), left('hello', 0), left('', 1)", "'hello', '', ''");
        assert_same("right('hellö', 2), right('hello', -2), right('hello', -9)", "'lö', 'llo', ''");
        assert_same("right('hello', 9), right('hello', 0), right('', 1)", "'hello', '', ''");
        assert_same("left('ab', -9223372036854775808), right('ab', 9223372036854775807)", "'', 'ab'");
        assert_same("left(12345, 2), right(1.25, 2)", "'12', '25'");
    }

    #[test]
    fn positions_count_characters_from_one() {
        assert_same("strpos('héllo', 'l'), strpos('abc', 'x'), strpos('abc', '')", "3, 0, 1");
        assert_same("strpos('', 'a'), strpos('', '')", "0, 1");
    }

    #[test]
    fn parts_are_counted_from_both_ends() {
        assert_same("split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1)", "'b', 'c'");
        assert_same(
            "split_part('a,b,c', ',', 0), split_part('a,b,c', ',', 4), split_part('a,b', ',', -3)",
            "'', '', ''",
        );
        assert_same("split_part('abc', ',', 1), split_part('', ',', 1), split_part('::a', '::', 1)", "'abc', '', ''");
        assert_same("split_part('abc', '', 2), split_part('abc', '', -1)", "'b', 'c'");
        assert_same("split_part('aaa', 'aa', 1), split_part('aaa', 'aa', -1)", "'', 'a'");
        assert_same("split_part('a', ',', -9223372036854775808)", "''");
    }

    #[test]
    fn parts_of_a_text_are_found() {
        assert_same("contains('hello', 'ell'), contains('hello', 'x'), contains('hello', '')", "1, 0, 1");
        assert_same("starts_with('hello', 'he'), starts_with('hello', 'lo')", "1, 0");
        assert_same("ends_with('hello', 'lo'), ends_with('hello', 'he')", "1, 0");
    }

    #[test]
    fn texts_are_reversed_repeated_and_padded() {
        assert_same("reverse('héllo'), reverse(12)", "'olléh', '21'");
        assert_same("repeat('ab', 3), repeat('ab', 0), repeat('ab', -1)", "'ababab', '', ''");
        assert_same("repeat('', 9223372036854775807)", "''");
        assert_same(
            "lpad('hello', 7, 'xy'), lpad('hello', 8, 'ab'), lpad('hello', 3, 'x')",
            "'xyhello', 'abahello', 'hel'",
        );
        assert_same("rpad('hello', 8, 'ab'), rpad('hello', 3, ''), lpad('é', 3, 'ü')", "'helloaba', 'hel', 'üüé'");
        assert_same("lpad('hello', -1, 'x'), rpad('hello', 0, 'x')", "'', ''");
        assert_eq!(refused("rpad('hello', 8, '')"), "rpad: expected a padding, found an empty text");
    }

    #[test]
    fn texts_over_the_limit_are_refused() {
        let error = |name| format!("{name}: the result is larger than the limit of 10 MB");
        assert_same("length(repeat('ab', 5000000)), length(lpad('', 10000000, 'x'))", "10000000, 10000000");
        assert_eq!(refused("repeat('ab', 5000001)"), error("repeat"));
        assert_eq!(refused("repeat('ab', 9223372036854775807)"), error("repeat"));
        assert_eq!(refused("lpad('a', 9223372036854775807, 'x')"), error("lpad"));
        assert_eq!(refused("rpad('a', 9000000, 'é')"), error("rpad"));
    }

    #[test]
    fn lengths_are_in_bits_and_in_characters() {
        assert_same("bit_length('abc'), bit_length('é'), bit_length('')", "24, 16, 0");
        assert_same("len('é'), len(12), len(x'c3a9'), len('')", "1, 2, 2, 0");
    }

    #[test]
    fn greatest_and_least_compare_as_sqlite_and_skip_null() {
        assert_same("greatest(1, NULL, 3.5), least(NULL, 2, 1.5), greatest(NULL, NULL)", "3.5, 1.5, NULL");
        assert_same("greatest('a', 'B', 'b'), least('a', 'B'), greatest('10', 9)", "'b', 'B', '10'");
        assert_same("greatest(x'00', 'z'), least(7), greatest(10, 9)", "x'00', 7, 10");
        assert_same("greatest(9007199254740993, 9007199254740992.0)", "9007199254740993");
    }
}
