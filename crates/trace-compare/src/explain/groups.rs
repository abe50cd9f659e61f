//! Regions of the same operator, kernel and grade, as tables show them.

use super::explanation::Explanation;
use super::region_group::Group;
use super::tree_diff::either;
use crate::shorten_name;
use call_tree::{Class, Kind, NodeId, RegionChange, Tree};
use std::collections::HashMap;
use trace_view::tidy;

impl Explanation {
    /// All groups, the largest change first; ties in the order of control.
    pub(super) fn groups(&self) -> &[Group] {
        self.groups.get_or_init(|| self.grouped())
    }

    fn grouped(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut indices: HashMap<(String, String, &'static str, Class, bool), usize> = HashMap::new();
        for (id, region) in self.found.regions.iter().enumerate() {
            let row = self.row(id, region);
            let operator = row.path.last().cloned().unwrap_or_default();
            let short = |(tree, leaf): (&Tree, NodeId)| {
                let label = tree.node(leaf).chain.last();
                label.map_or_else(String::new, |&label| tidy(&shorten_name(self.labels.text(label))))
            };
            let kernel = either(self.main_leaves(region).map(short));
            let (class, is_chosen) = (self.class(region), self.is_chosen(id));
            let index =
                *indices.entry((operator.clone(), kernel.clone(), row.grade, class, is_chosen)).or_insert_with(|| {
                    let (grade, regions) = (row.grade, Vec::new());
                    groups.push(Group { operator, kernel, grade, class, regions, is_chosen, times: [0.0; 4] });
                    groups.len() - 1
                });
            let group = &mut groups[index];
            group.regions.push(id);
            let [control, test] = row.attributed_us;
            for (sum, time) in group.times.iter_mut().zip([control, test, row.delta_us, row.count_part_us]) {
                *sum += time;
            }
        }
        groups.sort_by(|one, other| other.times[2].abs().total_cmp(&one.times[2].abs()));
        groups
    }

    /// Returns the class of a region by its kernel with most time.
    pub(super) fn class(&self, region: &RegionChange) -> Class {
        let (tree, leaf) = self.naming_leaf(region);
        match tree.node(leaf).chain.last().map(|&label| self.labels.kind(label)) {
            Some(Kind::Gpu(class)) => class,
            _ => Class::Host,
        }
    }
}
