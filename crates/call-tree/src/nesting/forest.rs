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
    pub fn len(&self) -> usize {
        self.parent.len()
    }

    /// Tells whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.parent.is_empty()
    }

    /// Returns the row above; `None` for roots and for rows in no tree.
    pub fn parent(&self, row: usize) -> Option<usize> {
        Some(self.parent[row]).filter(|&parent| parent != NONE).map(|parent| parent as usize)
    }

    /// Returns the number of rows above; `None` for a row in no tree.
    pub fn depth(&self, row: usize) -> Option<u32> {
        Some(self.depth[row]).filter(|&depth| depth != NONE)
    }

    /// Returns the rows right below, ascending.
    pub fn children(&self, row: usize) -> &[u32] {
        &self.children[self.first[row] as usize..self.first[row + 1] as usize]
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
    pub fn put(&mut self, row: usize, parent: Option<usize>) {
        self.parent[row] = parent.map_or(NONE, |parent| parent as u32);
        self.inside[row] = true;
    }

    /// Tells whether a row is in a tree.
    pub fn is_inside(&self, row: usize) -> bool {
        self.inside[row]
    }

    /// Tells whether a row is in a tree and below no other.
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
