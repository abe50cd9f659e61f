//! Expansion of the pieces of a word to text.

use crate::cell::Piece;

/// The environment variables that `${NAME}` and `~` refer to.
pub(super) type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns a path with `~`, `${NAME}` and `${NAME:-default}` expanded.
///
/// # Errors
/// A variable that is neither set nor has a default: the reason and the fix.
pub(super) fn path(pieces: &[Piece], environment: Environment<'_>) -> Result<String, String> {
    let mut text = String::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text { text: bare, quoted: false } if index == 0 && (bare == "~" || bare.starts_with("~/")) => {
                let home = environment("HOME").ok_or("~ needs the environment variable HOME, which is not set")?;
                text.push_str(&home);
                text.push_str(&bare[1..]);
            }
            Piece::Text { text: plain, .. } => text.push_str(plain),
            Piece::Expr(expr) => push_expr(&mut text, expr),
            Piece::Env { name, default } => {
                let value = environment(name).filter(|value| default.is_none() || !value.is_empty());
                match value.as_ref().or(default.as_ref()) {
                    Some(value) => text.push_str(value),
                    None => {
                        return Err(format!(
                            "the environment variable {name} is not set; ${{{name}:-DEFAULT}} gives it a default"
                        ));
                    }
                }
            }
        }
    }
    Ok(text)
}

/// Returns any other value as text: `${NAME}` stays as typed.
pub(super) fn plain(pieces: &[Piece]) -> String {
    let mut plain = String::new();
    for piece in pieces {
        match piece {
            Piece::Text { text, .. } => plain.push_str(text),
            Piece::Expr(expr) => push_expr(&mut plain, expr),
            Piece::Env { name, default: None } => plain.push_str(&format!("${{{name}}}")),
            Piece::Env { name, default: Some(default) } => plain.push_str(&format!("${{{name}:-{default}}}")),
        }
    }
    plain
}

fn push_expr(text: &mut String, expr: &str) {
    text.push('{');
    text.push_str(expr);
    text.push('}');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::cell::words;

    fn expanded(word: &str) -> Result<String, String> {
        let environment = |name: &str| match name {
            "HOME" => Some("/home/ann".to_owned()),
            "SET" => Some("value".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        path(&words(word).unwrap().remove(0).pieces, &environment)
    }

    #[test]
    fn path_expands_home_and_environment() {
        assert_eq!(expanded("~/x").unwrap(), "/home/ann/x");
        assert_eq!(expanded("~").unwrap(), "/home/ann");
        assert_eq!(expanded("${SET}/x").unwrap(), "value/x");
        assert_eq!(expanded("${UNSET:-data}/x").unwrap(), "data/x");
        assert_eq!(expanded("${SET:-data}/x").unwrap(), "value/x");
        assert_eq!(expanded("${EMPTY:-data}/x").unwrap(), "data/x");
        assert_eq!(expanded("\"${SET}/a b\"").unwrap(), "value/a b");
    }

    #[test]
    fn tilde_in_quotes_or_in_the_middle_is_kept() {
        assert_eq!(expanded("'~/x'").unwrap(), "~/x");
        assert_eq!(expanded("\"~/x\"").unwrap(), "~/x");
        assert_eq!(expanded("a~/x").unwrap(), "a~/x");
        assert_eq!(expanded("~ann/x").unwrap(), "~ann/x");
        assert_eq!(expanded("'${SET}'").unwrap(), "${SET}");
    }

    #[test]
    fn unset_variable_is_an_error_with_a_hint() {
        let error = expanded("${TRACEBOOK_DATA}/x").unwrap_err();
        assert!(error.contains("TRACEBOOK_DATA") && error.contains("${TRACEBOOK_DATA:-DEFAULT}"), "{error}");
    }
}
