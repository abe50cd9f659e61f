//! Models: names of operators, their formula, and the function that counts.

use super::call::{Call, Family, NoModel, Work};

/// A row of the table: operators that share a formula and the order of their arguments.
pub struct Model {
    /// The operators, by their recorded names; one that ends in `*` stands for all that begin so.
    pub names: &'static [&'static str],
    /// The kind of operator.
    pub family: Family,
    /// Whether operators that it calls do the work: they are counted instead.
    pub is_composite: bool,
    /// The formula of operations.
    pub flops: &'static str,
    /// The formula of bytes.
    pub bytes: &'static str,
    /// The section of the page of models that derives the formulas.
    pub derivation: &'static str,
    pub(crate) count: fn(&Call<'_>) -> Result<Work, NoModel>,
}

impl Model {
    /// Returns the row of the page of models, in Markdown.
    pub fn row(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("`{name}`")).collect();
        let composite = if self.is_composite { ", composite" } else { "" };
        let family = self.family.word();
        format!("| {} | {family}{composite} | {} | {} | {} |", names.join(" "), self.flops, self.bytes, self.derivation)
    }
}

pub(super) const fn row(
    names: &'static [&'static str],
    family: Family,
    formulas: [&'static str; 3],
    count: fn(&Call<'_>) -> Result<Work, NoModel>,
) -> Model {
    let [flops, bytes, derivation] = formulas;
    Model { names, family, is_composite: false, flops, bytes, derivation, count }
}

/// A row of operators that call others.
pub(super) const fn outer(
    names: &'static [&'static str],
    family: Family,
    formulas: [&'static str; 3],
    count: fn(&Call<'_>) -> Result<Work, NoModel>,
) -> Model {
    Model { is_composite: true, ..row(names, family, formulas, count) }
}
