//! Labels of several runs.

use std::collections::BTreeMap;

/// The labels that stand for several loaded traces, each with the labels of its runs in order. A group has at least one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Groups {
    runs: BTreeMap<String, Vec<String>>,
}

impl Groups {
    /// Returns the label of a run of a group, from 1: `control_1`.
    pub fn run_label(group: &str, number: usize) -> String {
        format!("{group}_{number}")
    }

    /// Returns the labels of the runs of a group.
    pub fn runs(&self, group: &str) -> Option<&[String]> {
        self.runs.get(group).map(Vec::as_slice)
    }

    /// Returns all groups with their runs, by label.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.runs.iter().map(|(group, runs)| (group.as_str(), runs.as_slice()))
    }

    /// Returns the group of a run.
    pub fn group_of(&self, label: &str) -> Option<&str> {
        self.iter().find(|(_, runs)| runs.iter().any(|run| run == label)).map(|(group, _)| group)
    }

    /// Makes a label a group of runs.
    pub(super) fn insert(&mut self, group: String, runs: Vec<String>) {
        self.runs.insert(group, runs);
    }

    /// Forgets a group; its runs stay.
    pub(super) fn remove(&mut self, group: &str) -> Option<Vec<String>> {
        self.runs.remove(group)
    }

    /// Takes a run out of its groups, and forgets those that are then empty.
    pub(super) fn forget_run(&mut self, label: &str) {
        self.runs.retain(|_, runs| {
            runs.retain(|run| run != label);
            !runs.is_empty()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn group_without_runs_is_forgotten() {
        let mut groups = Groups::default();
        groups.insert("a".to_owned(), vec!["a_1".to_owned(), "a_2".to_owned()]);
        assert_eq!((groups.group_of("a_2"), groups.group_of("a")), (Some("a"), None));
        groups.forget_run("a_1");
        assert_eq!(groups.runs("a"), Some(&["a_2".to_owned()][..]));
        groups.forget_run("a_2");
        assert_eq!((groups.runs("a"), groups.iter().count()), (None, 0));
    }
}
