//! A function of names or categories, computed once per text.

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use polars::prelude::CategoricalMapping;

/// Wraps `of` as a function of codes that calls it once per text, however many rows have its code. An unknown code has the
/// empty text.
pub fn once_per_text<'t, T: Copy + 't>(
    texts: &'t CategoricalMapping,
    mut of: impl FnMut(&'t str) -> T + 't,
) -> impl FnMut(u32) -> T + 't {
    let mut known: HashMap<u32, T, FixedState> = HashMap::default();
    move |code| *known.entry(code).or_insert_with(|| of(texts.cat_to_str(code).unwrap_or_default()))
}
