//! Unpaired brackets in Rust.

use super::token_walk::{TokenClass, TokenWalk};

/// A bracket without its partner, by byte offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unpaired {
    /// Opened and never closed.
    Unclosed {
        /// The opening bracket.
        open: usize,
    },
    /// Closed where no bracket is open.
    Unopened {
        /// The closing bracket.
        close: usize,
    },
    /// Closed by a bracket of another kind.
    Mismatched {
        /// The opening bracket.
        open: usize,
        /// The closing bracket of another kind.
        close: usize,
    },
}

/// Finds the first bracket without a partner. `None` if a string or comment is open, since that error is to be fixed first.
pub fn unpaired(code: &str) -> Option<Unpaired> {
    let mut walk = TokenWalk::new(code, 0);
    loop {
        let open = walk.innermost();
        let Some((class, at, _)) = walk.next_token() else { break };
        if matches!(class, TokenClass::Unterminated | TokenClass::Malformed) {
            return None;
        }
        if walk.mismatched() {
            return Some(match open {
                Some(open) => Unpaired::Mismatched { open, close: at },
                None => Unpaired::Unopened { close: at },
            });
        }
    }
    walk.innermost().map(|open| Unpaired::Unclosed { open })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_unpaired_bracket_is_found() {
        assert_eq!(unpaired("if a { b(c[0]) }"), None);
        assert_eq!(unpaired("\"{\"; '{'; // {"), None);
        assert_eq!(unpaired("if a { b("), Some(Unpaired::Unclosed { open: 8 }));
        assert_eq!(unpaired("{ a }}"), Some(Unpaired::Unopened { close: 5 }));
        assert_eq!(unpaired("vec![1, 2)"), Some(Unpaired::Mismatched { open: 4, close: 9 }));
        assert_eq!(unpaired("f(\"abc"), None, "the open string is reported first");
    }
}
