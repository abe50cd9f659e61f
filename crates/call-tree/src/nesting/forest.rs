//! Trees over rows: the parent, the depth and the children of each.

/// No row; no depth.
const NONE: u32 = u32::MAX;

/// Trees over the rows of a table: calls inside calls, kernels below their launches.
///
/// # Example
/// ```
/// use call_tree::nesting::Forest;
///
/// let mut forest = Forest::growing(4);
/// forest.put(2, None);
/// forest.put(0, Some(2));
/// forest.put(3, Some(0));
/// let forest = forest.grown();
/// assert_eq!((forest.parent(3), forest.depth(3), forest.depth(1)), (Some(0), Some(2), None));
/// assert_eq!(forest.below(2), [2, 0, 3]);
/// ```
#[derive(Debug)]
pub struct Forest {
    parent: Vec<u32>,
    depth: Vec<u32>,
    /// The children of row `r` are `children[first[r]..first[r + 1]]`.
    first: Vec<u32>,
    children: Vec<u32>,
}

/// A step of a walk through a [`Forest`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// A row, before the rows below it.
    Enter(usize),
    /// A row, after the rows below it.
    Leave(usize),
}

/// A [`Forest`] that still grows.
#[derive(Debug)]
pub struct Growing {
    parent: Vec<u32>,
    inside: Vec<bool>,
}

impl Forest {
    /// Starts a forest over so many rows, none of which is in a tree yet.
    pub fn growing(rows: usize) -> Growing {
        Growing { parent: vec![NONE; rows], inside: vec![false; rows] }
    }

    /// Number of rows, in trees or not.
    #[inline]
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Tells whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Returns the row above; `None` for roots and for rows in no tree.
    #[inline]
    pub fn parent(&self, row: usize) -> Option<usize> {
        Some(self.parent[row]).filter(|&parent| parent != NONE).map(|parent| parent as usize)
    }

    /// Returns the number of rows above; `None` for a row in no tree.
    #[inline]
    pub fn depth(&self, row: usize) -> Option<u32> {
        Some(self.depth[row]).filter(|&depth| depth != NONE)
    }

    /// Returns the rows right below, ascending.
    #[inline]
    pub fn children(&self, row: usize) -> &[u32] {
        &self.children[self.first[row] as usize..self.first[row + 1] as usize]
    }

    /// Returns the rows in trees, the deepest first: each row after all rows below it.
    pub fn deepest_first(&self) -> Vec<u32> {
        let mut count = Vec::new();
        for &depth in self.depth.iter().filter(|&&depth| depth != NONE) {
            if count.len() <= depth as usize {
                count.resize(depth as usize + 1, 0_usize);
            }
            count[depth as usize] += 1;
        }
        // The place of the first row of each depth.
        let mut next = 0;
        for of_depth in count.iter_mut().rev() {
            next += std::mem::replace(of_depth, next);
        }
        let mut rows = vec![0; next];
        for (row, &depth) in self.depth.iter().enumerate().filter(|(_, depth)| **depth != NONE) {
            let slot = &mut count[depth as usize];
            rows[*slot] = row as u32;
            *slot += 1;
        }
        rows
    }

    /// Visits the rows in trees, each before and after the rows below it; rows side by side by `key`.
    pub fn walk<K: Ord>(&self, key: impl Fn(usize) -> K, mut visit: impl FnMut(Walk)) {
        let roots = |row: &usize| self.depth[*row] == 0;
        let mut beside: Vec<u32> = (0..self.len()).filter(roots).map(|row| row as u32).collect();
        let mut open = Vec::new();
        let add = |open: &mut Vec<(u32, bool)>, beside: &mut Vec<u32>| {
            beside.sort_by_key(|&row| key(row as usize));
            open.extend(beside.drain(..).rev().map(|row| (row, false)));
        };
        add(&mut open, &mut beside);
        while let Some((row, is_entered)) = open.pop() {
            if is_entered {
                visit(Walk::Leave(row as usize));
                continue;
            }
            visit(Walk::Enter(row as usize));
            open.push((row, true));
            beside.extend(self.children(row as usize));
            add(&mut open, &mut beside);
        }
    }

    /// Returns the rows in trees, each before the rows below it; rows side by side by `key`.
    pub fn in_order<K: Ord>(&self, key: impl Fn(usize) -> K) -> Vec<u32> {
        let mut rows = Vec::new();
        self.walk(key, |step| {
            if let Walk::Enter(row) = step {
                rows.push(row as u32);
            }
        });
        rows
    }

    /// Returns the row and all rows below it.
    pub fn below(&self, row: usize) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![row as u32]);
        while let Some(row) = open.pop() {
            found.push(row as usize);
            open.extend(self.children(row as usize));
        }
        found
    }
}

impl Growing {
    /// Puts a row into a tree: below another row, or as a root. A row that was put before moves.
    #[inline]
    pub fn put(&mut self, row: usize, parent: Option<usize>) {
        self.parent[row] = parent.map_or(NONE, |parent| parent as u32);
        self.inside[row] = true;
    }

    /// Tells whether a row is in a tree.
    #[inline]
    pub fn is_inside(&self, row: usize) -> bool {
        self.inside[row]
    }

    /// Returns the row above.
    #[inline]
    pub fn parent(&self, row: usize) -> Option<usize> {
        Some(self.parent[row]).filter(|&parent| parent != NONE).map(|parent| parent as usize)
    }

    /// Tells whether a row is in a tree and below no other.
    #[inline]
    pub fn is_root(&self, row: usize) -> bool {
        self.inside[row] && self.parent[row] == NONE
    }

    /// Ends the growing: computes depths and children, in linear time. Of rows that are above each other in a circle, which no
    /// nesting makes, one becomes a root.
    pub fn grown(mut self) -> Forest {
        let depth = self.depths();
        let (first, children) = children(&self.parent);
        Forest { parent: self.parent, depth, first, children }
    }

    fn depths(&mut self) -> Vec<u32> {
        /// A row on the path whose depth is being found.
        const OPEN: u32 = u32::MAX - 1;
        let parent = &mut self.parent;
        let mut depth = vec![NONE; parent.len()];
        let mut path = Vec::new();
        for start in (0..parent.len()).filter(|&row| self.inside[row]) {
            let mut row = start;
            while depth[row] == NONE {
                depth[row] = OPEN;
                path.push(row);
                let up = parent[row];
                if up == NONE || depth[up as usize] == OPEN {
                    parent[row] = NONE;
                    break;
                }
                row = up as usize;
            }
            while let Some(row) = path.pop() {
                depth[row] = if parent[row] == NONE { 0 } else { depth[parent[row] as usize] + 1 };
            }
        }
        depth
    }
}

/// Returns, for each row, the position of its first child, and the children of all rows.
#[inline]
fn children(parent: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut first = vec![0; parent.len() + 1];
    for &parent in parent.iter().filter(|&&parent| parent != NONE) {
        first[parent as usize + 1] += 1;
    }
    for row in 0..parent.len() {
        first[row + 1] += first[row];
    }
    let mut next = first.clone();
    let mut children = vec![0; first[parent.len()] as usize];
    for (row, &parent) in parent.iter().enumerate().filter(|(_, parent)| **parent != NONE) {
        children[next[parent as usize] as usize] = row as u32;
        next[parent as usize] += 1;
    }
    (first, children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_in_a_circle_end_at_a_root() {
        let mut forest = Forest::growing(3);
        for (row, parent) in [(0, 1), (1, 2), (2, 0)] {
            forest.put(row, Some(parent));
        }
        let forest = forest.grown();
        let mut depths: Vec<_> = (0..3).map(|row| forest.depth(row)).collect();
        depths.sort_unstable();
        assert_eq!(depths, [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn walks_visit_each_row_before_and_after_those_below() {
        let mut forest = Forest::growing(6);
        for (row, parent) in [(4, None), (1, Some(4)), (3, Some(4)), (0, Some(3)), (5, None)] {
            forest.put(row, parent);
        }
        let forest = forest.grown();
        let mut steps = Vec::new();
        forest.walk(std::cmp::Reverse, |step| steps.push(step));
        let (enter, leave) = (Walk::Enter, Walk::Leave);
        let expected =
            [enter(5), leave(5), enter(4), enter(3), enter(0), leave(0), leave(3), enter(1), leave(1), leave(4)];
        assert_eq!(steps, expected);
        assert_eq!(forest.in_order(|row| row), [4, 1, 3, 0, 5]);
        assert_eq!(forest.deepest_first(), [0, 1, 3, 4, 5]);
    }

    #[test]
    fn a_row_that_is_put_again_moves() {
        let mut forest = Forest::growing(2);
        forest.put(0, None);
        assert!(forest.is_root(0) && !forest.is_inside(1));
        forest.put(1, None);
        forest.put(0, Some(1));
        let forest = forest.grown();
        assert_eq!((forest.parent(0), forest.children(1), forest.len()), (Some(1), &[0][..], 2));
    }
}
