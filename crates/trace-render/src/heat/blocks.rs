//! Blocks of neighbours, for a heat map with more values than a picture has pixels.

use trace_view::format::number;
use trace_view::{Colours, HeatMap};

/// The most columns and rows that are drawn.
pub(super) const MOST_COLUMNS: usize = 600;
pub(super) const MOST_ROWS: usize = 512;
/// The most values that are drawn if nothing says what they mean.
const MOST_PLAIN: (usize, usize) = (200, 150);

/// The values that are drawn, one per block.
pub(super) struct Blocks {
    pub(super) values: Vec<Vec<f64>>,
    /// Columns and rows per block.
    pub(super) by: (usize, usize),
    note: Option<String>,
}

impl Blocks {
    /// Combines neighbours: amounts to their largest, differences to the one that is farthest from zero, other values to their
    /// mean.
    pub(super) fn of(map: &HeatMap) -> Self {
        let (most_columns, most_rows) = match map.colours {
            Colours::BySign => MOST_PLAIN,
            Colours::Amounts | Colours::Differences => (MOST_COLUMNS, MOST_ROWS),
        };
        let wide = map.width();
        let by = (wide.div_ceil(most_columns).max(1), map.values.len().div_ceil(most_rows).max(1));
        let (combine, meaning): (fn(&mut dyn Iterator<Item = f64>) -> f64, _) = match map.colours {
            Colours::BySign => (mean, "mean"),
            Colours::Amounts => (largest, "largest"),
            Colours::Differences => (farthest, "farthest from zero"),
        };
        let values = map.values.chunks(by.1).map(|rows| {
            (0..wide).step_by(by.0).map(|from| {
                let block = rows.iter().flat_map(|row| row.iter().skip(from).take(by.0));
                combine(&mut block.copied().filter(|value| value.is_finite()))
            })
        });
        let values = values.map(Iterator::collect).collect();
        let count = |count: usize| number::float(count as f64, 0);
        let note =
            (by != (1, 1)).then(|| format!("each value is the {meaning} of {} × {} values", count(by.1), count(by.0)));
        Self { values, by, note }
    }

    /// Returns the sentence that says what a block is; `None` if each is one value.
    pub(super) fn note(&self) -> Option<String> {
        self.note.clone()
    }
}

fn mean(values: &mut dyn Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
    sum / count
}

fn largest(values: &mut dyn Iterator<Item = f64>) -> f64 {
    values.fold(f64::NAN, f64::max)
}

fn farthest(values: &mut dyn Iterator<Item = f64>) -> f64 {
    values.fold(f64::NAN, |far, value| if far.is_nan() || value.abs() > far.abs() { value } else { far })
}
