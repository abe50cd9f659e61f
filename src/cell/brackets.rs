//! Brackets that do not pair up in a cell's Rust.

use super::token_walk::{Step, Walk};

/// The first bracket of a cell without its partner. Places are byte offsets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unpaired {
    /// Opened and never closed.
    Unclosed {
        /// Where it is opened.
        open: usize,
    },
    /// Closed where nothing is open.
    Unopened {
        /// Where it is closed.
        close: usize,
    },
    /// Closed by a bracket of another kind.
    Mismatched {
        /// Where it is opened.
        open: usize,
        /// Where the other one stands.
        close: usize,
    },
}

/// Finds the first bracket without a partner. Text with an open string or comment has none: that is the error to mend
/// first.
pub fn unpaired(code: &str) -> Option<Unpaired> {
    let mut walk = Walk::new(code, 0);
    loop {
        let open = walk.innermost();
        let Some((step, at, _)) = walk.step() else { break };
        if matches!(step, Step::Unterminated | Step::Broken) {
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
        assert_eq!(unpaired("f(\"abc"), None, "the open string comes first");
    }
}
