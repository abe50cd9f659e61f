//! Items that cells define, as a layer of the index: cells that ran, and the cell that is being typed.

use super::scan::{CrateSource, Docs, index_text};
use crate::session::{Items, View};
use crate::sync::lock;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Name of the crate that contains all cells.
pub(crate) const CELL_CRATE: &str = "cell";

/// Cache of the last source and its index text: most keystrokes change no item.
static LAST: Mutex<Option<(String, Arc<str>)>> = Mutex::new(None);

/// Returns the index text of the items of all cells that ran and of the cell `code`, except the item at `cursor`.
pub(crate) fn cell_index_text(code: &str, cursor: usize, view: &View) -> Arc<str> {
    let mut items = Items::clone(&view.items);
    items.add(code, Some(cursor));
    let source = items.text();
    let mut last = lock(&LAST);
    if let Some((indexed, text)) = &*last
        && *indexed == source
    {
        return Arc::clone(text);
    }
    let text: Arc<str> = scan(&source).into();
    *last = Some((source, Arc::clone(&text)));
    text
}

fn scan(source: &str) -> String {
    const ROOT: &str = "cell.rs";
    let files = BTreeMap::from([(ROOT.to_owned(), source.to_owned())]);
    let cell = CrateSource {
        name: CELL_CRATE,
        root: ROOT.to_owned(),
        files: &files,
        features: BTreeSet::new(),
        docs: Docs::Whole,
        sees_private: true,
    };
    index_text(&[cell], &[CELL_CRATE])
}
