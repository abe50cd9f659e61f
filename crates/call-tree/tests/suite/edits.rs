//! Known edits of a program: the kernels that both programs share land in the same regions.

use crate::program::{Call, Item, Kernels, Program, Random, Recorder, operator, transformer};
use call_tree::{Alignment, Builder, Grade, Kind, Labels, Recording, Region, Template, Tree, Why, align};
use std::collections::HashMap;

/// Both sides recorded, folded and aligned.
struct Aligned {
    alignment: Alignment,
    /// Numbers of the kernels of each leaf, and their time, of control and of test.
    kernels: [HashMap<u32, (Vec<u32>, i64)>; 2],
}

fn fold(
    recording: &Recording,
    kernels: &HashMap<u32, Vec<u32>>,
    stacks: bool,
    labels: &Labels,
) -> (Template, HashMap<u32, (Vec<u32>, i64)>) {
    let (iterations, left_out) = Builder { without_stacks: !stacks }.build(recording, labels);
    assert!(left_out.is_empty());
    let mut of_leaf: HashMap<u32, (Vec<u32>, i64)> = HashMap::new();
    let mut template: Option<Template> = None;
    for iteration in iterations {
        let rows = iteration.rows;
        let to = match &mut template {
            None => {
                template = Some(Template::new(iteration.tree));
                None
            }
            Some(template) => Some(template.fold(iteration.tree, labels)),
        };
        for (node, row) in rows {
            let node = to.as_ref().map_or(node, |to| to[node as usize]);
            let event = &recording.events[row as usize];
            let leaf = of_leaf.entry(node).or_default();
            leaf.0.extend(&kernels[&row]);
            leaf.1 += event.end - event.start;
        }
    }
    let Some(template) = template else { panic!("no iteration") };
    (template, of_leaf)
}

/// `stacks` says of each side whether its frames of Python were recorded.
fn aligned(control: &Program, test: &Program, iterations: usize, stacks: [bool; 2]) -> Aligned {
    let mut labels = Labels::default();
    let mut record = |program: &Program, seed: u64| {
        (0..iterations).fold(Recorder::new(&mut labels, seed), |recorder, _| recorder.iteration(program)).finish()
    };
    let ((a, one), (b, other)) = (record(control, 1), record(test, 2));
    let both = stacks[0] && stacks[1];
    let ((a, one), (b, other)) = (fold(&a, &one, both, &labels), fold(&b, &other, both, &labels));
    Aligned { alignment: align(a.tree(), b.tree(), &labels), kernels: [one, other] }
}

impl Aligned {
    /// Returns two shares of the GPU time of the kernels that both sides have: that of kernels in the same region on both sides, and that of
    /// kernels whose region has at most two kernels a side.
    fn score(&self) -> (f64, f64) {
        let mut region_of: HashMap<u32, usize> = HashMap::new();
        for (index, region) in self.alignment.regions.iter().enumerate() {
            for kernel in region.test.iter().flat_map(|leaf| &self.kernels[1][leaf].0) {
                region_of.insert(*kernel, index);
            }
        }
        let (mut all, mut same, mut narrow) = (0.0, 0.0, 0.0);
        for (index, region) in self.alignment.regions.iter().enumerate() {
            for leaf in &region.control {
                let (kernels, ns) = &self.kernels[0][leaf];
                let Some(there) = region_of.get(&kernels[0]) else { continue };
                all += *ns as f64;
                if *there == index {
                    same += *ns as f64;
                    narrow += if region.control.len() <= 2 && region.test.len() <= 2 { *ns as f64 } else { 0.0 };
                }
            }
        }
        (same / all, narrow / all)
    }

    fn of(&self, grade: Grade) -> usize {
        self.alignment.regions.iter().filter(|region| region.grade == grade).count()
    }
}

/// All calls that have calls or kernels below, depth first.
fn visit(items: &mut Vec<Item>, seen: &mut impl FnMut(&mut Vec<Item>)) {
    seen(items);
    for item in items {
        if let Item::Call(call) = item {
            visit(&mut call.items, seen);
        }
    }
}

/// Edits the sequence of siblings number `number` among those that `fits`.
fn edit_siblings(
    program: &mut Program,
    number: usize,
    fits: impl Fn(&[Item]) -> bool,
    edit: impl FnOnce(&mut Vec<Item>),
) {
    let (mut count, mut edit) = (0, Some(edit));
    let mut seen = |items: &mut Vec<Item>| {
        if fits(items) {
            if count == number
                && let Some(edit) = edit.take()
            {
                edit(items);
            }
            count += 1;
        }
    };
    visit(&mut program.main, &mut seen);
    visit(&mut program.backward, &mut seen);
    assert!(edit.is_none(), "only {count} sequences fit");
}

fn calls(items: &[Item]) -> usize {
    items.iter().filter(|item| matches!(item, Item::Call(_))).count()
}

fn is_block(item: &Item) -> bool {
    matches!(item, Item::Call(Call { name, .. }) if name.contains("Block_"))
}

#[test]
fn a_program_with_itself_is_exact() {
    let program = transformer(6);
    let found = aligned(&program, &program, 3, [true, true]);
    assert_eq!(found.of(Grade::Exact), found.alignment.regions.len());
    assert!(found.score().1 == 1.0);
}

#[test]
fn a_removed_operator_is_the_only_one_deleted() {
    for number in 0..5 {
        let control = transformer(6);
        let mut test = control.clone();
        edit_siblings(
            &mut test,
            number,
            |items| calls(items) >= 3,
            |items| {
                items.remove(number.min(items.len() - 1));
            },
        );
        let found = aligned(&control, &test, 2, [true, true]);
        assert_eq!((found.of(Grade::Added), found.score().1), (0, 1.0), "{number}");
        assert!(found.of(Grade::Deleted) >= 1);
    }
}

#[test]
fn a_removed_layer_is_deleted_as_a_whole() {
    for layer in [0, 3, 5] {
        let control = transformer(6);
        let mut test = control.clone();
        let blocks: Vec<usize> =
            test.main.iter().enumerate().filter(|(_, item)| is_block(item)).map(|(at, _)| at).collect();
        test.main.remove(blocks[layer]);
        let found = aligned(&control, &test, 2, [true, true]);
        assert_eq!((found.of(Grade::Added), found.of(Grade::Region), found.score().1), (0, 0, 1.0), "{layer}");
        // Without stacks, equal layers cannot be told apart: the last one is named, and it is whole.
        let found = aligned(&control, &test, 2, [false, false]);
        let deleted: Vec<u32> = found
            .alignment
            .regions
            .iter()
            .filter(|region| region.grade == Grade::Deleted)
            .flat_map(|region| region.control.clone())
            .collect();
        assert_eq!(deleted.len(), 8, "{layer}");
        let named = |region: &&Region| region.why == Why::OneOfEqual(6);
        assert_eq!(found.alignment.regions.iter().filter(named).count(), 8, "{layer}");
        let path = |leaf: u32| found.kernels[0][&leaf].0[0];
        let (first, last) =
            (deleted.iter().map(|&leaf| path(leaf)).min(), deleted.iter().map(|&leaf| path(leaf)).max());
        assert_eq!(
            last.zip(first).map(|(last, first)| last - first),
            Some(7),
            "{layer}: one layer has eight kernels in a row"
        );
    }
}

#[test]
fn a_scaled_operator_keeps_its_partner() {
    let control = transformer(6);
    let mut test = control.clone();
    visit(&mut test.main, &mut |items| {
        for item in items {
            if let Item::Kernel(kernel) = item
                && kernel.name.contains("flash")
            {
                kernel.ns *= 5;
            }
        }
    });
    let found = aligned(&control, &test, 2, [true, true]);
    assert_eq!(found.of(Grade::Exact), found.alignment.regions.len());
}

#[test]
fn wrappers_are_transparent() {
    for (number, around) in [(0, 1), (1, 2), (3, 3), (6, 4)] {
        let control = transformer(6);
        let mut test = control.clone();
        edit_siblings(
            &mut test,
            number,
            |items| calls(items) >= 4,
            |items| {
                let wrapped: Vec<Item> = items.drain(1..=around).collect();
                items.insert(1, operator("my::wrapper", "", wrapped));
            },
        );
        for stacks in [true, false] {
            let found = aligned(&control, &test, 2, [stacks, stacks]);
            assert_eq!(found.score(), (1.0, 1.0), "{number} {around} {stacks}");
        }
    }
}

#[test]
fn stacks_on_one_side_change_nothing() {
    let program = transformer(6);
    let found = aligned(&program, &program, 2, [true, false]);
    assert_eq!(found.score(), (1.0, 1.0));
    assert_eq!(found.of(Grade::Exact), found.alignment.regions.len());
}

#[test]
fn fused_kernels_of_an_operator_are_one_region() {
    let control = transformer(6);
    let mut test = control.clone();
    // The two kernels of a backward function become one, as a library that fuses would do.
    let Some(Item::Call(function)) = test.backward.first_mut() else { panic!("a backward function") };
    let Some(Item::Call(inner)) = function.items.first_mut() else { panic!("its operator") };
    let mut kernels = Vec::new();
    for item in inner.items.drain(..) {
        if let Item::Call(call) = item {
            kernels.extend(call.items);
        }
    }
    let [Item::Kernel(one), Item::Kernel(other)] = &kernels[..] else { panic!("two kernels") };
    let mut fused = one.clone();
    fused.ids.extend(&other.ids);
    fused.name = "fused_gemm_and_sum".to_owned();
    inner.items.push(Item::Kernel(fused));
    let found = aligned(&control, &test, 2, [true, true]);
    assert_eq!(found.score(), (1.0, 1.0));
    assert_eq!(found.of(Grade::Region), 1);
}

#[test]
fn a_kernel_that_takes_over_its_neighbour_is_one_region() {
    let control = transformer(6);
    let mut test = control.clone();
    // The operator `aten::sum` is gone: the kernel of `aten::mm` before it does both.
    let Some(Item::Call(function)) = test.backward.first_mut() else { panic!("a backward function") };
    let Some(Item::Call(inner)) = function.items.first_mut() else { panic!("its operator") };
    let Some(Item::Call(gone)) = inner.items.pop() else { panic!("two operators") };
    let (Some(Item::Call(remaining)), [Item::Kernel(other)]) = (inner.items.first_mut(), &gone.items[..]) else {
        panic!("a kernel each")
    };
    let Some(Item::Kernel(one)) = remaining.items.first_mut() else { panic!("a kernel") };
    one.ids.extend(&other.ids);
    one.name = "fused_gemm_and_sum".to_owned();
    for stacks in [true, false] {
        let found = aligned(&control, &test, 2, [stacks, stacks]);
        assert_eq!(found.score(), (1.0, 1.0));
        assert_eq!((found.of(Grade::Region), found.of(Grade::Deleted)), (1, 0));
    }
    // The other way round it is split.
    let found = aligned(&test, &control, 2, [true, true]);
    assert_eq!((found.of(Grade::Region), found.of(Grade::Added)), (1, 0));
}

#[test]
fn exchanged_neighbours_are_moved() {
    let control = transformer(6);
    let mut test = control.clone();
    edit_siblings(&mut test, 2, |items| calls(items) >= 6, |items| items.swap(1, 2));
    for stacks in [true, false] {
        let found = aligned(&control, &test, 2, [stacks, stacks]);
        assert_eq!(found.score(), (1.0, 1.0), "{stacks}");
        assert_eq!(found.of(Grade::Moved), 1, "{stacks}");
    }
}

#[test]
fn another_stream_changes_nothing() {
    let control = transformer(4);
    let mut test = control.clone();
    visit(&mut test.backward, &mut |items| {
        for item in items {
            if let Item::Kernel(kernel) = item {
                kernel.stream += 1;
            }
        }
    });
    let found = aligned(&control, &test, 1, [true, true]);
    assert_eq!(found.of(Grade::Exact), found.alignment.regions.len());
}

#[test]
fn a_dozen_edits_at_once_are_found() {
    for seed in 0..10 {
        let mut random = Random(seed);
        let control = transformer(12);
        let mut test = control.clone();
        for edit in 0..12 {
            let number = random.below(8);
            // Only operators are exchanged: two layers that were exchanged and edited could not be told apart.
            let fits = |items: &[Item]| calls(items) >= 3 && !(edit % 3 == 2 && items.iter().any(is_block));
            edit_siblings(&mut test, number, fits, |items| {
                let at = random.below(items.len() - 2);
                match edit % 3 {
                    0 => {
                        items.remove(at);
                    }
                    1 => {
                        let wrapped: Vec<Item> = items.drain(at..at + 2).collect();
                        items.insert(at, operator("my::wrapper", "", wrapped));
                    }
                    _ => items.swap(at, at + 1),
                }
            });
        }
        // Without stacks a layer may be taken for its equal neighbour, which is no fault.
        let (same, narrow) = aligned(&control, &test, 1, [true, true]).score();
        assert!(same >= 0.96 && narrow >= 0.95, "seed {seed}: {same} {narrow}");
    }
}

#[test]
fn vendors_pair_by_operator_and_family() {
    let control = transformer(6);
    let mut test = control.clone();
    let rename = |items: &mut Vec<Item>| {
        for item in items {
            match item {
                Item::Kernel(kernel) if kernel.name.contains("gemm") => {
                    kernel.name = "Cijk_Ailk_Bljk_HBH_MT128x64x32".to_owned()
                }
                Item::Kernel(kernel) if kernel.name.contains("flash") => kernel.name = "attn_fwd".to_owned(),
                _ => {}
            }
        }
    };
    visit(&mut test.main, &mut |items| rename(items));
    visit(&mut test.backward, &mut |items| rename(items));
    let found = aligned(&control, &test, 2, [true, true]);
    assert_eq!(found.score(), (1.0, 1.0));
    assert!(found.of(Grade::Family) > 0 && found.of(Grade::Added) + found.of(Grade::Deleted) == 0);
}

#[test]
fn iterations_that_differ_share_a_template() {
    let mut labels = Labels::default();
    let whole = transformer(4);
    let mut without = whole.clone();
    without.main.remove(2);
    let (recording, kernels) =
        Recorder::new(&mut labels, 3).iteration(&without).iteration(&whole).iteration(&without).finish();
    let (template, of_leaf) = fold(&recording, &kernels, true, &labels);
    let leaves = |tree: &Tree| tree.leaves(0).len();
    assert_eq!(template.samples(), 3);
    assert_eq!(leaves(template.tree()), leaves(fold_one(&whole).tree()));
    let samples = |node: u32| template.tree().node(node).costs.len();
    let (once, always): (Vec<u32>, Vec<u32>) =
        template.tree().leaves(0).into_iter().partition(|&leaf| samples(leaf) == 1);
    assert_eq!(once.len(), 8, "the kernels of the layer that one iteration has");
    assert!(always.iter().all(|&leaf| samples(leaf) == 3 && of_leaf[&leaf].0.len() == 3));
    assert!(
        always.iter().all(|&leaf| of_leaf[&leaf].0.windows(2).all(|pair| pair[0] == pair[1])),
        "the same kernel in each"
    );
}

fn fold_one(program: &Program) -> Template {
    let mut labels = Labels::default();
    let (recording, kernels) = Recorder::new(&mut labels, 1).iteration(program).finish();
    fold(&recording, &kernels, true, &labels).0
}

#[test]
fn kernels_of_another_kind_of_call_keep_their_place() {
    let mut program = transformer(2);
    program.main.push(super::program::call(Kind::Python, "train.py(9): log", "", vec![]));
    let found = aligned(&transformer(2), &program, 1, [true, true]);
    assert_eq!(found.of(Grade::Exact), found.alignment.regions.len());
}

#[test]
fn copies_of_other_memory_are_not_one_call_of_the_iterations() {
    let (pageable, pinned) = ("Memcpy HtoD (Pageable -> Device)", "Memcpy HtoD (Pinned -> Device)");
    let loads = [vec![pageable, pageable, pinned, pinned], vec![pageable, pinned, pageable, pageable, pinned]];
    let (mut labels, mut kernels) = (Labels::default(), Kernels::default());
    let programs = loads.each_ref().map(|copies| {
        let call = |copy: &&str| operator("aten::to", "", vec![kernels.kernel(copy, 1_000)]);
        Program { main: copies.iter().map(call).collect(), backward: Vec::new() }
    });
    let recorder = programs.iter().fold(Recorder::new(&mut labels, 1), Recorder::iteration);
    let (recording, ids) = recorder.finish();
    let (_, of_leaf) = fold(&recording, &ids, true, &labels);
    // Copies have numbers in the order of the program.
    let names: Vec<&str> = loads.concat();
    let is_one_kind = |ids: &Vec<u32>| ids.iter().all(|&id| names[id as usize - 1] == names[ids[0] as usize - 1]);
    let mut leaves: Vec<&Vec<u32>> = of_leaf.values().map(|(ids, _)| ids).collect();
    leaves.sort_unstable();
    assert!(leaves.iter().all(|ids| is_one_kind(ids)), "{leaves:?}");
    assert_eq!(leaves.iter().filter(|ids| ids.len() == 2).count(), 4, "{leaves:?}");
}
