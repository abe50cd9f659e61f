//! The tree of a table's rows: which row is below which, and which paths are open at first.

/// The tree of a table whose rows are in depth-first order: each row is followed by the rows below it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tree {
    levels: Vec<u32>,
    open: Vec<bool>,
}

impl Tree {
    /// Creates the tree of `rows` rows. Level 0 is a root; a level that is more than one deeper than that of the row before is
    /// taken as one deeper. Rows without a level are roots, rows without `open` are collapsed; both lists are cut to `rows`.
    pub fn new(rows: usize, mut levels: Vec<u32>, mut open: Vec<bool>) -> Self {
        levels.resize(rows, 0);
        open.resize(rows, false);
        let mut deepest = 0;
        for level in &mut levels {
            *level = (*level).min(deepest);
            deepest = *level + 1;
        }
        Self { levels, open }
    }

    /// Returns the level of each row; 0 is a root.
    pub fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// Returns whether each row is expanded at first; without meaning for a row with nothing below it.
    pub fn open(&self) -> &[bool] {
        &self.open
    }

    /// Returns the number of rows below each row, at all depths.
    pub fn below(&self) -> Vec<usize> {
        let parents = self.parents();
        let mut below = vec![0; parents.len()];
        // From behind, so that the rows below a row are counted before it is.
        for row in (0..below.len()).rev() {
            if let Some(parent) = parents[row] {
                below[parent] += below[row] + 1;
            }
        }
        below
    }

    /// Returns the row above each row; `None` for a root.
    fn parents(&self) -> Vec<Option<usize>> {
        let mut path: Vec<usize> = Vec::new();
        let parent = |(row, &level): (usize, &u32)| {
            path.truncate(level as usize);
            let parent = path.last().copied();
            path.push(row);
            parent
        };
        self.levels.iter().enumerate().map(parent).collect()
    }

    /// Returns how many of the rows above each row are collapsed; 0 for the rows that are visible at first.
    fn collapsed(&self) -> Vec<usize> {
        let mut collapsed: Vec<usize> = Vec::with_capacity(self.levels.len());
        for parent in self.parents() {
            collapsed.push(parent.map_or(0, |parent| collapsed[parent] + usize::from(!self.open[parent])));
        }
        collapsed
    }

    /// Returns the rows in the order in which they are worth showing: open paths before collapsed ones, then by level. A row comes
    /// behind the row above it, so that any first part is a tree.
    pub(crate) fn by_weight(&self) -> Vec<usize> {
        let collapsed = self.collapsed();
        let mut rows: Vec<usize> = (0..self.levels.len()).collect();
        rows.sort_by_key(|&row| (collapsed[row], self.levels[row]));
        rows
    }

    /// Returns the number of rows that are visible at first.
    pub(crate) fn visible(&self) -> usize {
        self.collapsed().into_iter().filter(|&collapsed| collapsed == 0).count()
    }

    /// Returns the places of some rows, given in order and each with the rows above it.
    pub(crate) fn nodes(&self, rows: &[usize]) -> Vec<Node> {
        let below = self.below();
        let parents = self.parents();
        let mut left: Vec<usize> = below.clone();
        let mut children = vec![false; below.len()];
        for &row in rows {
            if let Some(parent) = parents[row] {
                children[parent] = true;
                left[parent] = left[parent].saturating_sub(below[row] + 1);
            }
        }
        let node = |&row: &usize| Node {
            level: self.levels[row] as usize,
            open: self.open[row] && children[row],
            parent: below[row] > 0,
            left: left[row],
        };
        rows.iter().map(node).collect()
    }
}

/// The place of a shown row in its tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Node {
    /// Its level; 0 is a root.
    pub(crate) level: usize,
    /// Whether it is expanded at first, and rows below it are shown.
    pub(crate) open: bool,
    /// Whether it has rows below it, shown or not.
    pub(crate) parent: bool,
    /// The number of rows below it that are not shown, but for those below a shown one.
    pub(crate) left: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A root with three children; the first has two children, of which the second has one.
    fn sample() -> Tree {
        Tree::new(7, vec![0, 1, 2, 2, 3, 1, 1], vec![true, false, false, true, false, false, false])
    }

    #[test]
    fn rows_below_are_counted_at_all_depths() {
        assert_eq!(sample().below(), [6, 3, 0, 1, 0, 0, 0]);
        assert!(Tree::default().below().is_empty());
    }

    #[test]
    fn levels_that_skip_one_are_taken_as_one_deeper() {
        let tree = Tree::new(5, vec![3, 9, 9, 1], vec![true; 9]);
        assert_eq!(tree.levels(), [0, 1, 2, 1, 0]);
        assert_eq!(tree.open().len(), 5);
        let deep = Tree::new(3, vec![u32::MAX; 3], Vec::new());
        assert_eq!((deep.levels(), deep.open()), (&[0, 1, 2][..], &[false; 3][..]));
    }

    #[test]
    fn open_paths_come_first_and_every_first_part_is_a_tree() {
        let tree = sample();
        assert_eq!(tree.by_weight(), [0, 1, 5, 6, 2, 3, 4]);
        assert_eq!(tree.visible(), 4);
        let parents = tree.parents();
        for most in 0..=7 {
            let first = &tree.by_weight()[..most];
            assert!(first.iter().all(|&row| parents[row].is_none_or(|parent| first.contains(&parent))));
        }
    }

    #[test]
    fn places_count_the_rows_that_are_left_out() {
        let tree = sample();
        let nodes = tree.nodes(&[0, 1, 5]);
        let of = |level, open, parent, left| Node { level, open, parent, left };
        assert_eq!(nodes, [of(0, true, true, 1), of(1, false, true, 3), of(1, false, false, 0)]);
        let all = tree.nodes(&[0, 1, 2, 3, 4, 5, 6]);
        assert!(all.iter().all(|node| node.left == 0));
        assert_eq!(all.iter().filter(|node| node.open).count(), 2);
    }
}
