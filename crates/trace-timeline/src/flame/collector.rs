//! Calls and names of boxes under construction.

use call_tree::{LabelId, Labels};
use foldhash::HashMap;
use timeline::{Call, Calls, Name};

/// Names of boxes, each with a number.
#[derive(Debug, Default)]
pub(super) struct Names {
    numbers: HashMap<String, Name>,
    texts: Vec<String>,
}

impl Names {
    pub(super) fn number(&mut self, text: &str) -> Name {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as Name;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    /// The texts, by number.
    pub(super) fn into_texts(self) -> Vec<String> {
        self.texts
    }
}

/// Collects the calls of ranks.
pub(super) struct Collector<'c> {
    pub(super) names: &'c mut Names,
    /// The calls of all sides.
    pub(super) calls: Calls,
    pub(super) side: u8,
    /// Names of labels, which belong to the labels of one side.
    known: HashMap<LabelId, Name>,
}

impl<'c> Collector<'c> {
    /// Collects calls of a side: 0 or 1.
    pub(super) fn new(names: &'c mut Names, side: u8) -> Self {
        Self { names, calls: Calls::default(), side, known: HashMap::default() }
    }

    pub(super) fn push(&mut self, parent: Option<u32>, name: Name, own: i64, at: i64) -> u32 {
        self.calls.push(Call { parent, name, own, side: self.side, at })
    }

    /// The name of a label; all steps have the same.
    pub(super) fn name(&mut self, labels: &Labels, label: LabelId) -> Name {
        if let Some(&name) = self.known.get(&label) {
            return name;
        }
        let text = if labels.is_step(label) { "ProfilerStep" } else { labels.text(label) };
        let name = self.names.number(text);
        self.known.insert(label, name);
        name
    }
}
