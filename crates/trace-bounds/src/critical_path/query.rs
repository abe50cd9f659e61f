//! The question what bounds a step: which ranks and windows, and what to try out.

use super::change::TimeChange;
use crate::TraceSet;
use regex::Regex;
use std::str::FromStr;

/// The question what bounds a step, and what would help.
#[derive(Debug, Clone)]
pub struct CriticalPath {
    /// The ranks whose windows are explained; `None` for the first. Other ranks that are loaded are used for collectives, as far as
    /// memory has room for them.
    pub ranks: Option<Vec<i64>>,
    /// Text that the names of annotations contain whose instances are the windows; an empty text is the whole recording. `None` is
    /// `ProfilerStep`, or the whole recording if there is none and no instance is named.
    pub annotation: Option<String>,
    /// Which of these annotations.
    pub instance: Instance,
    /// Events of the CPU whose name matches load data; `None` for those of PyTorch's `DataLoader`.
    pub data_loading: Option<Regex>,
    /// What to try out; each alone, and all together.
    pub changes: Vec<TimeChange>,
    /// Names whose savings are computed: those that take longest on the path.
    pub top: usize,
    /// Whether the answer holds the edges of the graph.
    pub edges: bool,
    /// Whether each change is also tried out with other factors, from 0 to 2.
    pub sweep: bool,
    /// How many single changes are proposed, those that save most: names and classes of time, each twice as fast.
    pub proposals: usize,
    /// Recordings of the same program without graphs, or of the capture of its graphs: kernels of graphs on the path then name the
    /// innermost operator of their capture.
    pub companions: Vec<TraceSet>,
}

/// How the names of PyTorch's own data loading begin.
const DATA_LOADER: &str = "enumerate(DataLoader)";
/// Names whose savings are computed by default.
const TOP: usize = 15;

impl Default for CriticalPath {
    fn default() -> Self {
        Self {
            ranks: None,
            annotation: None,
            instance: Instance::default(),
            data_loading: None,
            changes: Vec::new(),
            top: TOP,
            edges: false,
            sweep: false,
            proposals: 0,
            companions: Vec::new(),
        }
    }
}

impl CriticalPath {
    /// Tells whether an event of the CPU with this name loads data.
    pub fn loads_data(&self, name: &str) -> bool {
        self.data_loading.as_ref().map_or_else(|| name.starts_with(DATA_LOADER), |pattern| pattern.is_match(name))
    }
}

/// Which of several annotations are windows; counted from 0 in order of time, on each rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Instance {
    /// The second if there are several, since the first often lacks events; else the first. Of two traces all: their mean is compared.
    #[default]
    Usual,
    /// This one.
    One(usize),
    /// One window from the first to the last of them.
    Range(usize, usize),
    /// A window for each complete one.
    All,
}

impl FromStr for Instance {
    type Err = String;

    /// Parses `2`, `1-3` or `all`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |text: &str| text.trim().parse::<usize>().ok().filter(|_| !text.trim().starts_with('+'));
        let found = match text.trim().split_once('-') {
            Some((first, last)) => number(first)
                .zip(number(last))
                .filter(|(first, last)| first <= last)
                .map(|(first, last)| Self::Range(first, last)),
            None if text.trim().eq_ignore_ascii_case("all") => Some(Self::All),
            None => number(text).map(Self::One),
        };
        found.ok_or_else(|| "a number from 0 on, a range such as 1-3, or all".to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn instances_are_numbers_ranges_or_all() {
        let parsed = |text: &str| text.parse::<Instance>();
        assert_eq!(parsed("2"), Ok(Instance::One(2)));
        assert_eq!(parsed(" 1-3 "), Ok(Instance::Range(1, 3)));
        assert_eq!(parsed("ALL"), Ok(Instance::All));
        for text in ["", "-1", "3-1", "1-", "+1", "1.5", "99999999999999999999999", "first"] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }

    #[test]
    fn pytorchs_data_loader_loads_data() {
        let query = CriticalPath::default();
        assert!(query.loads_data("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"));
        assert!(!query.loads_data("aten::mm"));
        let query = CriticalPath { data_loading: Some(Regex::new("fetch").unwrap()), ..query };
        assert!(query.loads_data("prefetch") && !query.loads_data("enumerate(DataLoader)#x"));
    }
}
