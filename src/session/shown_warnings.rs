//! The folded warnings that magic lines showed.

use std::collections::HashMap;
use trace_view::Folded;

/// Which magic line showed each folded warning first. Later lines do not repeat it: conditions of two recordings are the same for each
/// comparison of them. The line that showed it shows it again when its cell runs again, since that replaces its outputs.
#[derive(Debug, Default)]
pub(super) struct ShownWarnings {
    line: String,
    /// The line that showed each warning, by title and text.
    lines: HashMap<(String, String), String>,
}

impl ShownWarnings {
    /// Sets the line whose outputs follow.
    pub(super) fn begin(&mut self, line: String) {
        self.line = line;
    }

    /// Forgets what was shown: recordings were loaded, which may be other ones under the same labels.
    pub(super) fn clear(&mut self) {
        self.lines.clear();
    }

    /// Tells whether the current line shows the text: always unless it is a warning that another line showed.
    pub(super) fn shows(&mut self, folded: &Folded) -> bool {
        let key = || (folded.title.clone(), folded.text.clone());
        !folded.is_warning || *self.lines.entry(key()).or_insert_with(|| self.line.clone()) == self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_belongs_to_the_line_that_showed_it_first() {
        let folded = |title: &str, is_warning| Folded { title: title.to_owned(), text: "why".to_owned(), is_warning };
        let (warning, other, plain) = (folded("a and b", true), folded("a and c", true), folded("more", false));
        let mut shown = ShownWarnings::default();
        let mut line = |line: &str| {
            shown.begin(line.to_owned());
            [&warning, &plain].map(|folded| shown.shows(folded))
        };
        assert_eq!(line("%compare_traces a b"), [true, true]);
        assert_eq!(line("%explain a b"), [false, true]);
        assert_eq!(line("%compare_traces a b"), [true, true], "its cell runs again");
        assert!(shown.shows(&other), "another pair");
        shown.clear();
        shown.begin("%explain a b".to_owned());
        assert!(shown.shows(&warning), "the traces were loaded again");
    }
}
