//! A function of names or categories, computed once per text.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::CategoricalMapping;

/// Codes below this one are positions in a list; a trace rarely has more texts.
const DENSE: u32 = 1 << 14;

/// Wraps `of` as a function of codes that calls it once per text, however many rows have its code. An unknown code has the
/// empty text.
pub fn once_per_text<'t, T: Copy + 't>(
    texts: &'t CategoricalMapping,
    mut of: impl FnMut(&'t str) -> T + 't,
) -> impl FnMut(u32) -> T + 't {
    let mut known: Vec<Option<T>> = Vec::new();
    let mut others: HashMap<u32, T, FixedState> = HashMap::default();
    move |code| {
        let mut find = || of(texts.cat_to_str(code).unwrap_or_default());
        if code >= DENSE {
            return *others.entry(code).or_insert_with(find);
        }
        let at = code as usize;
        if let Some(Some(found)) = known.get(at) {
            return *found;
        }
        if known.len() <= at {
            known.resize((at + 1).next_power_of_two(), None);
        }
        *known[at].insert(find())
    }
}
