//! Flame graphs of random calls.

use super::views::Random;
use std::collections::BTreeMap;
use timeline::{Call, Calls, Flame, FlameBox, Layout};

fn calls(seed: u64, count: u32) -> Vec<Call> {
    let mut random = Random(seed);
    (0..count)
        .map(|index| Call {
            parent: (index > 0 && random.below(10) > 0)
                .then(|| index - 1 - random.below(u64::from(index.min(5))) as u32),
            name: random.below(5) as u32,
            own: random.below(100) as i64 - 10,
            side: random.below(2) as u8,
            at: i64::from(index),
        })
        .collect()
}

fn list(calls: &[Call]) -> Calls {
    calls.iter().copied().collect()
}

fn width(found: &FlameBox) -> i64 {
    found.sides[0] + found.sides[1]
}

/// Checks that boxes add up, stand inside their parents, and follow each other.
fn check(boxes: &[FlameBox]) {
    for (row, found) in boxes.iter().enumerate() {
        let inside: Vec<&FlameBox> = boxes.iter().filter(|one| one.parent == Some(row as u32)).collect();
        assert_eq!(inside.iter().map(|one| width(one)).sum::<i64>() + found.own, width(found), "{boxes:#?}");
        let mut edge = found.start;
        for one in inside {
            assert_eq!((one.start, one.depth), (edge, found.depth + 1));
            edge += width(one);
        }
        assert!(found.parent.is_none_or(|parent| (parent as usize) < row));
    }
}

#[test]
fn boxes_add_up_at_any_number_of_boxes() {
    for seed in 0..30 {
        let calls = calls(seed, 200);
        for flame in [Flame::merged(&list(&calls)), Flame::neighbours(&list(&calls))] {
            let own = |side| calls.iter().filter(|call| call.side == side).map(|call| call.own.max(0)).sum::<i64>();
            assert_eq!(flame.total(), [own(0), own(1)]);
            for layout in [Layout::LeftHeavy, Layout::Time] {
                for most in [0, 1, 5, 30, 1_000] {
                    let boxes = flame.boxes(layout, most);
                    check(&boxes);
                    let bottom = boxes.iter().filter(|found| found.parent.is_none());
                    assert_eq!(bottom.map(width).sum::<i64>(), own(0) + own(1), "{most}");
                    assert!(boxes.len() <= 2 * most + 1);
                }
            }
        }
    }
}

#[test]
fn stacks_have_the_own_times_of_their_calls() {
    let calls = calls(7, 300);
    let mut expected: BTreeMap<Vec<u32>, [i64; 2]> = BTreeMap::new();
    for call in &calls {
        let (mut names, mut up) = (vec![call.name], call.parent);
        while let Some(parent) = up {
            names.push(calls[parent as usize].name);
            up = calls[parent as usize].parent;
        }
        names.reverse();
        expected.entry(names).or_default()[usize::from(call.side)] += call.own.max(0);
    }
    expected.retain(|_, own| *own != [0; 2]);
    for flame in [Flame::merged(&list(&calls)), Flame::neighbours(&list(&calls))] {
        let mut found: BTreeMap<Vec<u32>, [i64; 2]> = BTreeMap::new();
        for (names, own) in flame.stacks() {
            let sum = found.entry(names).or_default();
            *sum = [sum[0] + own[0], sum[1] + own[1]];
        }
        assert_eq!(found, expected);
    }
}

#[test]
fn neighbours_are_merged_in_order_of_time() {
    let call = |parent, name, own, at| Call { parent, name, own, side: 0, at };
    let calls = [
        call(None, 0, 0, 0),
        call(Some(0), 1, 3, 0),
        call(Some(0), 1, 3, 3),
        call(Some(0), 2, 9, 6),
        call(Some(0), 1, 1, 15),
    ];
    let names = |flame: Flame, layout| {
        flame.boxes(layout, 100).iter().map(|one| (one.name.unwrap(), width(one))).collect::<Vec<_>>()
    };
    assert_eq!(names(Flame::neighbours(&list(&calls)), Layout::Time), [(0, 16), (1, 6), (2, 9), (1, 1)]);
    assert_eq!(names(Flame::merged(&list(&calls)), Layout::LeftHeavy), [(0, 16), (2, 9), (1, 7)]);
    assert_eq!(names(Flame::merged(&list(&calls)), Layout::Time), [(0, 16), (1, 7), (2, 9)]);
}

#[test]
fn vanished_stacks_keep_their_width() {
    let call = |parent, name, own, side| Call { parent, name, own, side, at: 0 };
    let calls = [call(None, 0, 10, 0), call(Some(0), 1, 5, 0), call(None, 0, 7, 1)];
    let boxes = Flame::merged(&list(&calls)).boxes(Layout::LeftHeavy, 100);
    assert_eq!(boxes.iter().map(|one| one.sides).collect::<Vec<_>>(), [[15, 7], [5, 0]]);
    assert_eq!(boxes[0].own, 17);
}

#[test]
fn deep_stacks_do_not_overflow() {
    let calls: Vec<Call> = (0..300_000)
        .map(|index: u32| Call { parent: index.checked_sub(1), name: index, own: 1, side: 0, at: 0 })
        .collect();
    let boxes = Flame::merged(&list(&calls)).boxes(Layout::LeftHeavy, 1_000);
    assert_eq!((boxes[0].sides[0], boxes.len()), (300_000, 1_001));
    let longest = Flame::merged(&list(&calls)).stacks().map(|(names, _)| names.len()).max();
    assert_eq!(longest, Some(1_001));
}

/// Calls of random launches, most of which repeat an earlier one, as a list with repetitions and as plain calls.
fn launches(seed: u64, sides: u64) -> (Calls, Vec<Call>) {
    let mut random = Random(seed);
    let mut both = (Calls::default(), Vec::new());
    let add = |both: &mut (Calls, Vec<Call>), call: Call| {
        both.1.push(call);
        both.0.push(call)
    };
    // The calls below two kinds of launches: inside which of them each is, if any, and its name.
    let mut kinds: [Vec<(Option<u32>, u32)>; 2] = [Vec::new(), Vec::new()];
    for kind in &mut kinds {
        for at in 0..1 + random.below(12) as u32 {
            kind.push((
                (at > 0 && random.below(3) > 0).then(|| random.below(u64::from(at)) as u32),
                random.below(3) as u32,
            ));
        }
    }
    let mut first: [Option<u32>; 2] = [None; 2];
    let mut around = None;
    for launch in 0..30 {
        let (side, at) = (random.below(sides) as u8, 10 * launch);
        let one = |parent, name, own| Call { parent, name, own, side, at };
        if random.below(3) == 0 {
            around = Some(add(&mut both, one(None, random.below(2) as u32, 0)));
        }
        let parent = add(&mut both, one(around, 5 + random.below(2) as u32, random.below(2) as i64));
        let kind = random.below(2) as usize;
        let own: Vec<i64> = kinds[kind].iter().map(|_| random.below(5) as i64 - 1).collect();
        let begin = parent + 1;
        let below = kinds[kind]
            .iter()
            .zip(&own)
            .map(|(&(inside, name), &own)| one(Some(inside.map_or(parent, |inside| begin + inside)), name, own));
        match first[kind] {
            None => {
                first[kind] = Some(begin);
                for call in below {
                    add(&mut both, call);
                }
            }
            Some(first) => {
                let count = kinds[kind].len() as u32;
                both.0.repeat(first..first + count, one(Some(parent), 0, 0), (0..).zip(own.iter().copied()));
                both.1.extend(below);
            }
        }
    }
    both
}

#[test]
fn repeated_calls_have_the_boxes_of_plain_ones() {
    for seed in 0..300 {
        let (calls, plain) = launches(seed, 1 + seed % 2);
        assert_eq!(calls.iter().collect::<Vec<_>>(), plain, "{seed}");
        let plain = list(&plain);
        for (repeated, all) in
            [(Flame::merged(&calls), Flame::merged(&plain)), (Flame::neighbours(&calls), Flame::neighbours(&plain))]
        {
            assert_eq!(repeated.len(), all.len(), "{seed}");
            assert!(repeated.stacks().eq(all.stacks()), "{seed}");
            for layout in [Layout::LeftHeavy, Layout::Time] {
                assert_eq!(repeated.boxes(layout, 1_000), all.boxes(layout, 1_000), "{seed}");
            }
        }
    }
}

#[test]
fn repeated_calls_below_the_deepest_box_keep_their_time() {
    for depth in [998, 999, 1_000, 1_001] {
        let one = |parent, name, own, at| Call { parent, name, own, side: 0, at };
        let mut calls = Calls::default();
        let mut around = None;
        for _ in 0..depth {
            around = Some(calls.push(one(around, 1, 0, 0)));
        }
        let first = calls.push(one(around, 2, 0, 0));
        let inside = calls.push(one(Some(first), 3, 5, 0));
        calls.push(one(Some(inside), 4, 6, 0));
        let again = calls.push(one(around, 5, 0, 9));
        calls.repeat(inside..inside + 2, one(Some(again), 0, 0, 9), [(0, 7), (1, 8)]);
        let plain: Calls = calls.iter().collect();
        let (repeated, all) = (Flame::neighbours(&calls), Flame::neighbours(&plain));
        assert_eq!((repeated.total(), all.total()), ([26, 0], [26, 0]), "{depth}");
        assert_eq!(repeated.boxes(Layout::Time, 5_000), all.boxes(Layout::Time, 5_000), "{depth}");
    }
}
