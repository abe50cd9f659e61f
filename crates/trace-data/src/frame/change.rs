//! The change of a name from control to test; decided only here.

/// The change of the number of events of a name, from control to test.
///
/// # Source
/// HTA's rule of `TraceDiff.ops_diff`: added or deleted names do not also count as increased or decreased.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// In test only.
    Added,
    /// In control only.
    Deleted,
    /// In both, more often in test.
    Increased,
    /// In both, less often in test.
    Decreased,
    /// In both, equally often.
    Unchanged,
}

impl Change {
    /// All changes, in HTA's order.
    pub const ALL: [Self; 5] = [Self::Added, Self::Deleted, Self::Increased, Self::Decreased, Self::Unchanged];
    /// Their words, in the same order.
    pub const WORDS: [&'static str; 5] = ["added", "deleted", "increased", "decreased", "unchanged"];

    /// Returns the change from `control` events to `test` events.
    pub fn of(control: i64, test: i64) -> Self {
        match (control, test) {
            (0, 1..) => Self::Added,
            (1.., 0) => Self::Deleted,
            _ if test > control => Self::Increased,
            _ if test < control => Self::Decreased,
            _ => Self::Unchanged,
        }
    }

    /// Returns the same of numbers of events in an iteration.
    #[doc(hidden)]
    pub fn of_means(control: f64, test: f64) -> Self {
        let order = control.total_cmp(&test);
        match (control > 0.0, test > 0.0) {
            (false, true) => Self::Added,
            (true, false) => Self::Deleted,
            _ if order.is_lt() => Self::Increased,
            _ if order.is_gt() => Self::Decreased,
            _ => Self::Unchanged,
        }
    }

    /// Returns the word: `added`.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize]
    }

    /// Returns HTA's sign in `counts_change_categories`: `+`, `-` or `=`.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Added | Self::Increased => "+",
            Self::Deleted | Self::Decreased => "-",
            Self::Unchanged => "=",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_disjoint_and_those_of_hta() {
        let changes = [(0, 2), (2, 0), (2, 3), (3, 2), (2, 2)].map(|(control, test)| Change::of(control, test));
        assert_eq!(changes, Change::ALL);
        assert_eq!(changes.map(Change::word), Change::WORDS);
        assert_eq!(changes.map(Change::sign), ["+", "-", "+", "-", "="]);
        assert_eq!(Change::of(0, 0), Change::Unchanged);
    }
}
