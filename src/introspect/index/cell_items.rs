//! What the cells of the notebook define, as a layer of the index: those that ran, and the one that is being typed.

use super::scan::{Docs, Source, write};
use crate::session::{Items, View};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

/// The name of the crate that all cells are in.
pub(crate) const CELL: &str = "cell";

/// The items that were read last, and what was written of them: between two keys they mostly stay.
static LAST: Mutex<Option<(String, Arc<str>)>> = Mutex::new(None);

/// The layer's text: the items of cells that ran, and those of the cell `code` but for the one typed at `cursor`.
pub(crate) fn cell_index_text(code: &str, cursor: usize, view: &View) -> Arc<str> {
    let mut items = Items::clone(&view.items);
    items.add(code, Some(cursor));
    let source = items.text();
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((read, text)) = &*last
        && *read == source
    {
        return Arc::clone(text);
    }
    let text: Arc<str> = read(&source).into();
    *last = Some((source, Arc::clone(&text)));
    text
}

fn read(source: &str) -> String {
    const ROOT: &str = "cell.rs";
    let files = BTreeMap::from([(ROOT.to_owned(), source.to_owned())]);
    let cell = Source {
        name: CELL,
        root: ROOT.to_owned(),
        files: &files,
        features: BTreeSet::new(),
        docs: Docs::Whole,
        inside: true,
    };
    write(&[cell], &[CELL])
}
