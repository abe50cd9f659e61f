//! Fields in the texts of annotations: numbers, `key=value`, `sq32sk55086`.

/// Returns the number at the begin of a text and what follows; nothing without digits, or of more than 64 bits.
pub(super) fn number(text: &str) -> Option<(u64, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    Some((number.parse().ok()?, rest))
}

/// Returns a text that is a number from begin to end.
pub(super) fn whole(text: &str) -> Option<u64> {
    number(text).filter(|(_, rest)| rest.is_empty()).map(|(number, _)| number)
}

/// Returns what is between brackets behind a word: of `step[DECODE bs=64]` behind `step` the text `DECODE bs=64`.
pub(super) fn bracketed<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word)?.strip_prefix('[')?.strip_suffix(']')
}

/// Returns the value of `key=value` among words between spaces.
pub(super) fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.split_ascii_whitespace().find_map(|word| word.strip_prefix(key)?.strip_prefix('='))
}

/// Returns the number of `key=number` among words between spaces.
pub(super) fn count(text: &str, key: &str) -> Option<u64> {
    whole(value(text, key)?)
}

/// Returns keys of letters with the numbers behind them: of `sq32sk55086` the pairs `sq`, 32 and `sk`, 55086. Nothing of another form.
pub(super) fn lettered(text: &str) -> Option<Vec<(&str, u64)>> {
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let letters = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        let (key, behind) = rest.split_at(letters);
        let (number, next) = number(behind).filter(|_| letters > 0)?;
        found.push((key, number));
        rest = next;
    }
    Some(found)
}
