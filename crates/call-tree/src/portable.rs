//! Values with the texts of their labels, which any comparison can join: in this process or in another one.

use crate::input::kind::Kind;
use crate::input::label::{LabelId, Labels};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value whose labels are numbered by a table of their texts, not by the [`Labels`] of a comparison.
///
/// It is made where a recording is ([`Portable::of`]), moved or serialized, and joined with the labels of both sides of a comparison
/// ([`Portable::join`]). All that is derived from the texts is derived again there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Received<T>", bound(deserialize = "T: Deserialize<'de> + HasLabels"))]
pub struct Portable<T> {
    texts: Vec<String>,
    /// Role of each label, and numbers of its name and of its inputs among the texts, in the order of first use.
    labels: Vec<(Kind, u32, u32)>,
    value: T,
}

/// A value that holds labels.
pub trait HasLabels {
    /// Visits all of its labels, always in the same order.
    fn visit_labels(&mut self, visit: &mut dyn FnMut(&mut LabelId));

    /// Checks what the rest of the crate relies on, since a received value may hold any numbers.
    ///
    /// # Errors
    /// If the value cannot come from a recording.
    fn check(&self) -> Result<(), Damaged>;
}

/// The reason why a received value is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged(pub(crate) &'static str);

impl fmt::Display for Damaged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Damaged {}

impl<T: HasLabels> Portable<T> {
    /// Takes a value whose labels are among `labels`.
    pub fn of(mut value: T, labels: &Labels) -> Self {
        let mut numbers: HashMap<LabelId, LabelId> = HashMap::default();
        let mut known: HashMap<&str, u32> = HashMap::default();
        let (mut texts, mut used) = (Vec::new(), Vec::new());
        value.visit_labels(&mut |label| {
            let number = *numbers.entry(*label).or_insert_with(|| {
                let [name, inputs] = [labels.text(*label), labels.inputs(*label)].map(|text| {
                    *known.entry(text).or_insert_with(|| {
                        texts.push(text.to_owned());
                        texts.len() as u32 - 1
                    })
                });
                used.push((labels.kind(*label), name, inputs));
                LabelId::numbered(used.len() - 1)
            });
            *label = number;
        });
        Self { texts, labels: used, value }
    }

    /// Returns the value, and adds its labels to those of a comparison.
    pub fn join(self, labels: &mut Labels) -> T {
        let Self { texts, labels: used, mut value } = self;
        let text = |number: u32| texts.get(number as usize).map_or("", String::as_str);
        let ids: Vec<LabelId> =
            used.iter().map(|&(kind, name, inputs)| labels.add(kind, text(name), text(inputs))).collect();
        value.visit_labels(&mut |label| *label = ids[label.number()]);
        value
    }

    /// Returns the value; its labels are numbers of the table.
    pub fn value(&self) -> &T {
        &self.value
    }
}

/// A [`Portable`] as it was received, before it is checked.
#[derive(Deserialize)]
struct Received<T> {
    texts: Vec<String>,
    labels: Vec<(Kind, u32, u32)>,
    value: T,
}

impl<T: HasLabels> TryFrom<Received<T>> for Portable<T> {
    type Error = Damaged;

    fn try_from(Received { texts, labels, mut value }: Received<T>) -> Result<Self, Damaged> {
        let has_text = |number: u32| (number as usize) < texts.len();
        let mut is_known = labels.iter().all(|&(_, name, inputs)| has_text(name) && has_text(inputs));
        value.visit_labels(&mut |label| is_known &= label.number() < labels.len());
        if !is_known {
            return Err(Damaged("a label has no text"));
        }
        value.check()?;
        Ok(Self { texts, labels, value })
    }
}
