//! Partners by correlation id: launches and kernels.

use super::builder::IdColumn;
use hashbrown::HashMap;

/// The last row on the CPU and the last row on the GPU of a correlation id, counted from one; 0 for none.
type Ends = [u32; 2];

/// Finds the row at the other end of a correlation id.
///
/// ```text
/// cudaGraphLaunch  corr 5   ─┬─► points to the last kernel
///   kernel_a       corr 5   ─┤   points to the launch
///   kernel_b       corr 5   ─┘   points to the launch
/// ```
///
/// Among several rows on the other side, the last one in the file counts.
pub(super) struct Partners<G> {
    ends: Table,
    /// Whether a row with this id is on the GPU's side.
    on_gpu: G,
}

/// Ends by id.
enum Table {
    /// One slot per id from the first one on: profilers number consecutively.
    Near { first: i64, ends: Vec<Ends> },
    /// Sparse ids.
    Far(HashMap<i64, Ends, foldhash::fast::FixedState>),
}

/// Slots of a table per row with an id, at most.
const MOST_SLOTS: u64 = 16;

impl<G: Fn(usize, i64) -> bool> Partners<G> {
    /// Builds the index of `ids`; `on_gpu` returns whether a row with its id is on the GPU's side.
    pub(super) fn of(ids: &IdColumn, on_gpu: G) -> Self {
        let mut ends = Table::of(ids);
        ids.each(|row, id| ends.at(id)[usize::from(on_gpu(row, id))] = row as u32 + 1);
        Self { ends, on_gpu }
    }

    /// Returns the row at the other end of this row's id.
    #[inline]
    pub(super) fn partner(&self, row: usize, id: i64) -> Option<usize> {
        let other = usize::from(!(self.on_gpu)(row, id));
        (self.ends.get(id)?[other] as usize).checked_sub(1)
    }
}

impl Table {
    fn of(ids: &IdColumn) -> Self {
        let (mut first, mut last) = (i64::MAX, i64::MIN);
        ids.each(|_, id| (first, last) = (first.min(id), last.max(id)));
        let rows = ids.count() as u64;
        if rows > 0 && last.abs_diff(first) < rows * MOST_SLOTS {
            Self::Near { first, ends: vec![[0; 2]; (last - first) as usize + 1] }
        } else {
            Self::Far(HashMap::default())
        }
    }

    #[inline]
    fn at(&mut self, id: i64) -> &mut Ends {
        match self {
            Self::Near { first, ends } => &mut ends[(id - *first) as usize],
            Self::Far(ends) => ends.entry(id).or_default(),
        }
    }

    #[inline]
    fn get(&self, id: i64) -> Option<Ends> {
        match self {
            Self::Near { first, ends } => ends.get(usize::try_from(id.checked_sub(*first)?).ok()?).copied(),
            Self::Far(ends) => ends.get(&id).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the partners of rows with these ids; those of 10 and more are on the GPU.
    fn partners(ids: &[Option<i64>]) -> Vec<Option<usize>> {
        let filled = IdColumn::of(ids);
        let partners = Partners::of(&filled, |row, _| row >= 10);
        ids.iter().enumerate().map(|(row, id)| partners.partner(row, (*id)?)).collect()
    }

    #[test]
    fn sparse_ids_have_the_partners_of_dense_ones() {
        let mut ids = vec![None; 14];
        for (row, id) in [(1, 3), (2, 4), (3, 3), (5, 7), (10, 4), (11, 3), (12, 3), (13, 9)] {
            ids[row] = Some(id);
        }
        let mut expected = vec![None; 14];
        for (row, partner) in [(1, 12), (2, 10), (3, 12), (10, 2), (11, 3), (12, 3)] {
            expected[row] = Some(partner);
        }
        assert_eq!(partners(&ids), expected);
        let far = |id: i64| if id == 9 { i64::MAX } else { i64::MIN + id };
        let far: Vec<_> = ids.iter().map(|id| id.map(far)).collect();
        assert_eq!(partners(&far), expected);
        assert_eq!(partners(&[None, None]), [None, None]);
    }
}
