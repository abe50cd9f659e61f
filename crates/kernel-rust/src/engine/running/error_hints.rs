//! Hints for errors of polars with which a cell ended.

use trace_view::format::nearest;

/// Adds a hint behind the first line of an error message where one is known. `columns` returns the columns of the frame from which
/// the cell wanted a column of this name.
pub(super) fn with_hint(message: &str, columns: impl FnOnce(&str) -> Option<Vec<String>>) -> String {
    let Some(hint) = hint(message, columns) else { return message.to_owned() };
    match message.split_once('\n') {
        Some((first, rest)) => format!("{first}\nhint: {hint}\n{rest}"),
        None => format!("{message}\nhint: {hint}"),
    }
}

fn hint(message: &str, columns: impl FnOnce(&str) -> Option<Vec<String>>) -> Option<String> {
    let is_category =
        ["got: cat", "got cat", "got `cat", "cat` for", "dtype cat"].iter().any(|part| message.contains(part));
    if is_category && message.contains("String") {
        return Some(
            "`name` and `cat` of events hold categories: write `col(\"name\").cast(DataType::String).str().contains(…)`, \
             or `filter::name(\"nccl\")?` for a pattern"
                .to_owned(),
        );
    }
    if let Some(known) = message.split_once("valid columns: [").and_then(|(_, rest)| rest.split_once(']')) {
        let known: Vec<String> = known.0.split(", ").map(|name| name.trim_matches('"').to_owned()).collect();
        let has_suggestion = message.contains("Did you mean");
        let missing = quoted(message)?;
        let literal = || format!("a text beside a column is `lit(\"{missing}\")`; without `lit` it names a column");
        return did_you_mean(missing, &known).or_else(|| Some(literal())).filter(|_| !has_suggestion);
    }
    if message.starts_with("not found: \"") {
        let missing = quoted(message)?;
        let known = columns(missing)?;
        let listed = known.join(", ");
        let nearest = did_you_mean(missing, &known).map(|hint| format!("{hint} ")).unwrap_or_default();
        return Some(format!("{nearest}The columns are {listed}"));
    }
    None
}

/// Returns the hint for a panic: an index of a frame with a column that does not exist.
pub(super) fn of_panic(message: &str, columns: impl FnOnce(&str) -> Option<Vec<String>>) -> Option<String> {
    let (_, rest) = message.split_once("ColumnNotFound(ErrString(\"\\\"")?;
    let (missing, _) = rest.split_once("\\\" not found")?;
    let listed = columns(missing).map_or_else(String::new, |known| {
        let nearest =
            did_you_mean(missing, &known).map_or(String::new(), |hint| format!(" {}", hint.replacen("did", "Did", 1)));
        format!(".{nearest} The columns are {}", known.join(", "))
    });
    Some(format!("there is no column \"{missing}\"; `df.column(\"{missing}\")?` fails without a panic{listed}"))
}

/// Returns the first text in quotes.
fn quoted(message: &str) -> Option<&str> {
    message.split('"').nth(1)
}

/// Returns a hint with the known name nearest to a missing one, if one is near.
fn did_you_mean(missing: &str, known: &[String]) -> Option<String> {
    nearest(missing, known.iter().map(String::as_str)).map(|nearest| format!("did you mean \"{nearest}\"?"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn missing_column_lists_existing_ones() {
        let columns = |_: &str| Some(vec!["name".to_owned(), "dur".to_owned()]);
        let hint = with_hint("not found: \"durr\" not found", columns);
        assert!(hint.ends_with("hint: did you mean \"dur\"? The columns are name, dur"), "{hint}");
        let hint = with_hint("unable to find column \"durr\"; valid columns: [\"name\", \"dur\"]\n\nplan", columns);
        assert!(hint.ends_with("\nhint: did you mean \"dur\"?\n\nplan"), "{hint}");
        assert_eq!(with_hint("no such file", columns), "no such file");
    }

    #[test]
    fn panic_about_a_missing_column_names_the_nearest() {
        let message =
            "called `Result::unwrap()` on an `Err` value: ColumnNotFound(ErrString(\"\\\"durr\\\" not found\"))";
        let hint = of_panic(message, |_| Some(vec!["name".to_owned(), "dur".to_owned()])).unwrap();
        let expected = "there is no column \"durr\"; `df.column(\"durr\")?` fails without a panic. Did you mean \"dur\"? \
                        The columns are name, dur";
        assert_eq!(hint, expected);
        assert_eq!(of_panic("index out of bounds", |_| None), None);
    }

    #[test]
    fn string_function_on_category_suggests_cast() {
        let hint = with_hint("expected String type, got: cat\n\nResolved plan", |_| None);
        assert!(hint.contains("got: cat\nhint: ") && hint.contains("cast(DataType::String)"), "{hint}");
    }
}
