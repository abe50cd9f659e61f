//! The column of an argument that nobody described.

/// The column of the argument `raw_name`, as HTA names it: what stands in round brackets goes, letters become small,
/// blanks and `-/.%` become one `_`. The argument `name` becomes `arg_name`.
///
/// # Source
/// HTA `parse_all_args`.
pub(crate) fn column_of(raw_name: &str) -> String {
    let mut column = String::with_capacity(raw_name.len());
    let mut rest = raw_name;
    while let Some(character) = rest.chars().next() {
        // A bracket that is never closed stays.
        if let Some(end) = rest.strip_prefix('(').and_then(|inside| inside.find(')')) {
            rest = &rest[end + 2..];
            continue;
        }
        rest = &rest[character.len_utf8()..];
        if character.is_whitespace() || matches!(character, '-' | '/' | '.' | '%' | '_') {
            if !column.ends_with('_') {
                column.push('_');
            }
        } else {
            column.extend(character.to_lowercase());
        }
    }
    let column = column.trim_matches('_');
    match column {
        "" => "arg".to_owned(),
        "name" => "arg_name".to_owned(),
        column => column.to_owned(),
    }
}
