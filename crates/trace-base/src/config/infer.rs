//! Column names of arguments that are not in the table.

/// Returns the column of the argument `raw_name`, named as HTA does: text in round brackets is removed, letters become
/// lower case, runs of blanks and `-/.%` become one `_`. The argument `name` becomes `arg_name`.
///
/// # Source
/// HTA `parse_all_args`.
pub fn column_of(raw_name: &str) -> String {
    let mut column = String::with_capacity(raw_name.len());
    let mut rest = raw_name;
    while let Some(character) = rest.chars().next() {
        // An unclosed bracket is kept.
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
