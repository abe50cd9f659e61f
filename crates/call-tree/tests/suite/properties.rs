//! Properties of all recordings.

use crate::program::{Item, Kernels, Program, Random, Recorder, call, operator};
use call_tree::{Assignment, Change, Correlation, Explainer, Explanation, Grade, Kind, Labels, Mean, NONE, Recording};
use std::collections::BTreeMap;

/// A random program; the same seed has the same one.
pub(crate) fn random(random: &mut Random) -> Program {
    let mut kernels = Kernels::default();
    fn items(random: &mut Random, kernels: &mut Kernels, depth: usize) -> Vec<Item> {
        (0..random.below(6))
            .map(|_| match random.below(if depth == 0 { 3 } else { 8 }) {
                0..3 => {
                    let names = [
                        "gemm_a",
                        "gemm_b<4>(int)",
                        "vectorized_elementwise_kernel",
                        "ncclDevKernel_AllReduce",
                        "Memcpy DtoH (Device -> Pinned)",
                    ];
                    let (name, ns) = (names[random.below(5)], random.below(50_000) as i64);
                    kernels.kernel(name, ns)
                }
                3 => call(
                    Kind::Module,
                    &format!("nn.Module: Block_{}", random.below(3)),
                    "",
                    items(random, kernels, depth - 1),
                ),
                4 => call(
                    Kind::Python,
                    &format!("model.py({}): forward", random.below(3)),
                    "",
                    items(random, kernels, depth - 1),
                ),
                _ => operator(
                    ["aten::a", "aten::b", "aten::c"][random.below(3)],
                    ["", "[[2]]"][random.below(2)],
                    items(random, kernels, depth - 1),
                ),
            })
            .collect()
    }
    let main = items(random, &mut kernels, 4);
    Program { main, backward: items(random, &mut kernels, 3) }
}

/// Edits a program at random places.
fn edited(program: &Program, random: &mut Random) -> Program {
    fn edit(items: &mut Vec<Item>, random: &mut Random) {
        if !items.is_empty() {
            match random.below(8) {
                0 => {
                    items.remove(random.below(items.len()));
                }
                1 => {
                    let (one, other) = (random.below(items.len()), random.below(items.len()));
                    items.swap(one, other);
                }
                2 => {
                    let again = items[random.below(items.len())].clone();
                    items.push(again);
                }
                _ => {}
            }
        }
        for item in items {
            if let Item::Call(call) = item {
                edit(&mut call.items, random);
            }
        }
    }
    let mut edited = program.clone();
    edit(&mut edited.main, random);
    edit(&mut edited.backward, random);
    edited
}

fn check(control: &[&Recording], test: &[&Recording], labels: &Labels) -> Vec<Grade> {
    let owned = |side: &[&Recording]| side.iter().map(|&one| one.clone()).collect::<Vec<_>>();
    let (control, test) = (owned(control), owned(test));
    let found = Explainer { keep_events: true }.explain(&control, &test, labels);
    check_events(&found, [&control, &test]);
    // Each leaf is in one region, and regions are all of the GPU time that is selected.
    for (side, tree) in [(0, &found.alignment.control), (1, &found.alignment.test)] {
        let mut seen = vec![0; tree.nodes().len()];
        for region in &found.regions {
            let leaves = if side == 0 { &region.region.control } else { &region.region.test };
            leaves.iter().for_each(|&leaf| seen[leaf as usize] += 1);
        }
        for (node, times) in tree.nodes().iter().zip(seen) {
            assert_eq!(times, usize::from(node.is_leaf()), "{node:?}");
        }
        let gpu: i64 = found
            .regions
            .iter()
            .map(|region| if side == 0 { region.ns.control.total } else { region.ns.test.total })
            .sum();
        let coverage = found.coverage[side];
        let has_gpu = coverage.recorded > 0;
        assert!(!has_gpu || gpu == coverage.selected_ns);
        assert_eq!(coverage.recorded_ns, coverage.selected_ns + coverage.left_out_ns);
        assert_eq!(coverage.recorded, coverage.selected + coverage.left_out);
    }
    // Partners are mutual, and parents stand above their children.
    for (a, &b) in found.alignment.to_test.iter().enumerate() {
        assert!(b == NONE || found.alignment.to_control[b as usize] as usize == a);
    }
    let classes: i128 = found.classes.iter().map(|(_, change)| change.numerator()).sum();
    assert_eq!(classes + found.idle_ns.numerator(), found.step_ns.numerator());
    assert_eq!(found.idle.iter().map(|(_, change)| change.numerator()).sum::<i128>(), found.idle_ns.numerator());
    let regions: i128 = found.regions.iter().map(|region| region.attributed_ns.numerator()).sum();
    assert_eq!(regions + found.unattributed_ns.numerator(), classes);
    found.regions.iter().map(|region| region.region.grade).collect()
}

/// Every GPU event is kept once; in sum they are the regions, sample by sample.
fn check_events(found: &Explanation, sides: [&[Recording]; 2]) {
    let of = |change: Change, side: usize| -> Mean { if side == 0 { change.control } else { change.test } };
    for (side, recordings) in sides.into_iter().enumerate() {
        let samples = &found.samples[side];
        assert_eq!(of(found.step_ns, side).samples as usize, samples.len());
        assert_eq!(of(found.step_ns, side).total, samples.iter().map(|sample| sample.step_ns).sum::<i64>());
        let mut regions: BTreeMap<u32, [i64; 3]> = BTreeMap::new();
        let (mut by_sample, mut nowhere) = (BTreeMap::new(), 0);
        for (recording, events) in recordings.iter().zip(&found.events[side]) {
            let spans: BTreeMap<u32, i64> = recording
                .events
                .iter()
                .filter(|event| event.kind.is_gpu())
                .map(|event| (event.row, (event.end - event.start).max(0)))
                .collect();
            if spans.is_empty() {
                continue;
            }
            assert!(events.iter().map(|event| event.row).eq(spans.keys().copied()));
            for event in events {
                let Assignment::Region { region, sample } = event.assignment else {
                    nowhere += event.attributed_ns;
                    continue;
                };
                let ns = spans[&event.row];
                let sums = regions.entry(region).or_default();
                *sums = [sums[0] + 1, sums[1] + ns, sums[2] + event.attributed_ns];
                let cost: &mut (u32, i64) = by_sample.entry((region, sample)).or_default();
                *cost = (cost.0 + 1, cost.1 + ns);
            }
        }
        if found.coverage[side].recorded == 0 {
            continue;
        }
        let has_gpu = |sample: u32| samples[sample as usize].has_gpu;
        assert_eq!(samples.iter().filter(|one| one.has_gpu).map(|one| one.unattributed_ns).sum::<i64>(), nowhere);
        for (at, region) in (0..).zip(&found.regions) {
            let costs = &found.costs(&region.region)[side];
            assert!(costs.is_sorted_by_key(|cost| cost.sample));
            let gpu = costs.iter().filter(|cost| has_gpu(cost.sample));
            let sums = gpu.clone().fold([0; 3], |[count, ns, attributed], cost| {
                [count + i64::from(cost.count), ns + cost.ns, attributed + cost.attributed_ns]
            });
            assert_eq!(sums, regions.get(&at).copied().unwrap_or_default());
            for cost in gpu.filter(|cost| cost.count > 0) {
                assert_eq!(by_sample.remove(&(at, cost.sample)), Some((cost.count, cost.ns)));
            }
            let all = costs.iter().map(|cost| cost.attributed_ns).sum::<i64>();
            assert_eq!(all, of(region.attributed_ns, side).total);
        }
        assert!(by_sample.is_empty());
    }
}

#[test]
fn everything_adds_up_for_random_programs() {
    for seed in 0..300 {
        let mut numbers = Random(seed);
        let (one, other) = (random(&mut numbers), random(&mut numbers));
        let near = edited(&one, &mut numbers);
        let mut labels = Labels::default();
        let mut record = |programs: &[&Program], seed: u64| {
            programs
                .iter()
                .fold(Recorder::new(&mut labels, seed), |recorder, program| recorder.iteration(program))
                .finish()
                .0
        };
        let a = record(&[&one, &one, &near], seed);
        let b = record(&[&near, &one], seed + 1);
        let c = record(&[&other], seed + 2);
        check(&[&a], &[&b], &labels);
        check(&[&a, &b], &[&c], &labels);
        check(&[&c], &[&a], &labels);
        let mut last = a.clone();
        last.windows.remove(0);
        check(&[&last], &[&b], &labels);
        assert!(check(&[&a], &[&a], &labels).iter().all(|grade| *grade == Grade::Exact), "seed {seed}");
    }
}

#[test]
fn events_in_any_order_and_form_do_no_harm() {
    for seed in 0..200 {
        let mut numbers = Random(seed);
        let program = random(&mut numbers);
        let mut labels = Labels::default();
        let (mut recording, _) = Recorder::new(&mut labels, seed).iteration(&program).iteration(&program).finish();
        for event in &mut recording.events {
            match numbers.below(12) {
                0 => event.end = event.start,
                1 => event.end = event.start - 5,
                2 => event.start -= numbers.below(30_000) as i64,
                3 => event.end += numbers.below(30_000) as i64,
                4 => event.correlation = Correlation::of(1),
                5 => event.correlation = None,
                6 => event.thread = numbers.below(3) as u32,
                _ => {}
            }
        }
        let mut host = recording.clone();
        host.events.retain(|event| !event.kind.is_gpu());
        check(&[&host], &[&host], &labels);
        check(&[&host], &[&recording], &labels);
        let without = Recording { windows: Vec::new(), ..recording.clone() };
        check(&[&recording], &[&without], &labels);
        check(&[&without], &[&recording], &labels);
        check(&[], &[], &labels);
    }
}
