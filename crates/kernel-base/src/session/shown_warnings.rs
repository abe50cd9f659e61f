//! The folded warnings that magic lines showed.

use std::collections::HashMap;
use trace_view::Folded;

/// Which magic line showed each sentence of a folded warning first. Later lines do not repeat it: conditions of two recordings are the
/// same for each comparison of them. The line that showed it shows it again when its cell runs again, since that replaces its outputs.
#[derive(Debug, Default)]
pub(super) struct ShownWarnings {
    line: String,
    /// The line that showed each sentence, by what its warning is about and the sentence.
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

    /// Returns what the current line shows of the sentences: all, but for those of a warning that another line showed. `None` if that is
    /// nothing.
    pub(super) fn shown(&mut self, folded: &Folded) -> Option<Folded> {
        if !folded.is_warning {
            return Some(folded.clone());
        }
        let (about, words) = folded.title.rsplit_once(": ").unwrap_or((&folded.title, ""));
        let mut is_new = |sentence: &str| {
            let key = (about.to_owned(), sentence.to_owned());
            *self.lines.entry(key).or_insert_with(|| self.line.clone()) == self.line
        };
        let sentences: Vec<(&str, bool)> = folded.text.lines().map(|sentence| (sentence, is_new(sentence))).collect();
        if sentences.iter().all(|(_, is_new)| *is_new) {
            return Some(folded.clone());
        }
        let left: Vec<&str> = sentences.iter().filter(|(_, is_new)| *is_new).map(|(sentence, _)| *sentence).collect();
        let words: Vec<&str> = words.split(", ").collect();
        let title = if words.len() == sentences.len() {
            let words = words.into_iter().zip(&sentences).filter(|(_, (_, is_new))| *is_new).map(|(word, _)| word);
            format!("{about}, also: {}", words.collect::<Vec<_>>().join(", "))
        } else {
            folded.title.clone()
        };
        (!left.is_empty()).then(|| Folded { title, text: left.join("\n"), is_warning: true })
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
            [&warning, &plain].map(|folded| shown.shown(folded).is_some())
        };
        assert_eq!(line("%compare_traces a b"), [true, true]);
        assert_eq!(line("%explain a b"), [false, true]);
        assert_eq!(line("%compare_traces a b"), [true, true], "its cell runs again");
        assert!(shown.shown(&other).is_some(), "another pair");
        shown.clear();
        shown.begin("%explain a b".to_owned());
        assert!(shown.shown(&warning).is_some(), "the traces were loaded again");
    }

    #[test]
    fn further_conditions_are_shown_alone() {
        let warning = |words: &str, text: &str| Folded {
            title: format!("a and b differ: {words}"),
            text: text.to_owned(),
            is_warning: true,
        };
        let mut shown = ShownWarnings::default();
        shown.begin("%compare_traces a b".to_owned());
        let first = warning("ranks, devices", "1 and 2 ranks\nH100 and MI300");
        assert_eq!(shown.shown(&first), Some(first.clone()));
        shown.begin("%compare_traces a b --stats".to_owned());
        let more = warning("ranks, devices, events", "1 and 2 ranks\nH100 and MI300\nother events");
        let expected = Folded {
            title: "a and b differ, also: events".to_owned(),
            text: "other events".to_owned(),
            is_warning: true,
        };
        assert_eq!(shown.shown(&more), Some(expected));
        assert_eq!(shown.shown(&first), None);
    }
}
