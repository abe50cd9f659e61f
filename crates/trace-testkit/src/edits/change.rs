//! Edits of operators and kernels.

use super::Edit;
use super::event::{Event, Role};
use super::nest::Nest;
use crate::Random;
use serde_json::json;

/// Makes an edit in every step that has the drawn place. Returns whether there was one.
pub(super) fn apply(events: &mut Vec<Event>, nest: &Nest, edit: Edit, random: &mut Random) -> bool {
    match edit {
        Edit::RemoveLayer => false,
        Edit::RemoveOperator => {
            let drawn = nest.draw(events, random, |_| true);
            remove(events, drawn.iter().flat_map(|&at| nest.below(at)).collect());
            !drawn.is_empty()
        }
        Edit::Scale => each(events, nest, random, |events, nest, at| {
            for at in gpu_below(events, nest, at) {
                events[at].end += 2 * (events[at].end - events[at].start);
            }
        }),
        Edit::Rename => each(events, nest, random, |events, _, at| {
            let name = format!("custom::renamed_{}", events[at].name().rsplit("::").next().unwrap_or(""));
            events[at].set("name", name);
        }),
        Edit::Wrap(number) => wrap(events, nest, number, random),
        Edit::Repeat => repeat(events, nest, random),
        Edit::WithoutStacks => {
            let before = events.len();
            events.retain(|event| event.role != Role::Stack);
            events.len() < before
        }
        Edit::WithoutShapes => {
            let mut found = false;
            for args in events.iter_mut().filter_map(|event| event.value.get_mut("args")?.as_object_mut()) {
                for name in ["Input Dims", "Input type", "Input Strides", "Concrete Inputs"] {
                    found |= args.remove(name).is_some();
                }
            }
            found
        }
        Edit::Fuse => fuse(events, nest, random),
        Edit::FuseNeighbours => fuse_neighbours(events, nest, random),
        Edit::OtherStream => other_stream(events, nest, random),
        Edit::Exchange => exchange(events, nest, random),
        Edit::OtherLibrary => other_library(events),
    }
}

fn each(
    events: &mut Vec<Event>,
    nest: &Nest,
    random: &mut Random,
    change: impl Fn(&mut Vec<Event>, &Nest, usize),
) -> bool {
    let drawn = nest.draw(events, random, |_| true);
    for &at in &drawn {
        change(events, nest, at);
    }
    !drawn.is_empty()
}

fn gpu_below(events: &[Event], nest: &Nest, at: usize) -> Vec<usize> {
    nest.below(at).into_iter().filter(|&at| events[at].role == Role::Gpu).collect()
}

/// Removes events by their positions.
pub(super) fn remove(events: &mut Vec<Event>, gone: Vec<usize>) {
    let mut is_gone = vec![false; events.len()];
    gone.into_iter().for_each(|at| is_gone[at] = true);
    let mut is_gone = is_gone.into_iter();
    events.retain(|_| !is_gone.next().unwrap_or(false));
}

/// Operators from `at` on, that are neighbours.
fn run(events: &[Event], nest: &Nest, at: usize, number: usize) -> Option<usize> {
    (1..number).try_fold(at, |last, _| nest.next(events, last))
}

fn wrap(events: &mut Vec<Event>, nest: &Nest, number: usize, random: &mut Random) -> bool {
    let drawn = nest.draw(events, random, |at| run(events, nest, at, number).is_some());
    let mut wrappers: Vec<(usize, Event)> = Vec::new();
    for &at in &drawn {
        let Some(last) = run(events, nest, at, number) else { continue };
        let first = &events[at];
        let value = json!({
            "ph": "X", "cat": "cpu_op", "name": "custom::wrapper", "pid": first.value["pid"], "tid": first.value["tid"],
            "ts": 0, "dur": 0, "args": {},
        });
        let (start, end) = (first.start, events[last].end);
        wrappers.push((at, Event { value, role: Role::Operator, start, end, origins: Vec::new() }));
    }
    wrappers.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    let found = !wrappers.is_empty();
    // Before the first one in the file: at equal intervals it is the outer one.
    wrappers.into_iter().for_each(|(at, wrapper)| events.insert(at, wrapper));
    found
}

/// Calls an operator again right behind itself.
fn repeat(events: &mut Vec<Event>, nest: &Nest, random: &mut Random) -> bool {
    let drawn = nest.draw(events, random, |at| {
        let length = events[at].end - events[at].start;
        // There must be room for it before the next call.
        nest.parent[at].is_some_and(|up| {
            let next =
                nest.children[up].iter().map(|&child| events[child].start).find(|&start| start >= events[at].end);
            next.unwrap_or(events[up].end).min(events[up].end) - events[at].end >= length
        })
    });
    let mut ids = events.iter().filter_map(Event::correlation).max().unwrap_or(0);
    for &at in &drawn {
        let length = events[at].end - events[at].start;
        let mut changed = std::collections::HashMap::new();
        for at in nest.below(at) {
            let mut again = events[at].clone();
            again.origins.clear();
            again.shift(length);
            if let Some(id) = again.correlation() {
                let id = *changed.entry(id).or_insert_with(|| {
                    ids += 1;
                    ids
                });
                again.value["args"]["correlation"] = id.into();
            }
            events.push(again);
        }
    }
    !drawn.is_empty()
}

/// Kernels of an operator, without copies and fills.
fn kernels(events: &[Event], nest: &Nest, at: usize) -> Vec<usize> {
    let is_kernel = |at: &usize| !events[*at].name().starts_with("Mem");
    gpu_below(events, nest, at).into_iter().filter(is_kernel).collect()
}

/// Lets one kernel take over another, whose launch goes, too. Returns what goes.
fn take_over(events: &mut [Event], nest: &Nest, one: usize, other: usize) -> Vec<usize> {
    let ns = events[other].end - events[other].start;
    let origins = events[other].origins.clone();
    events[one].end += ns;
    events[one].origins.extend(origins);
    events[one].set("name", "fused_kernel");
    let launch = (0..events.len()).find(|&at| nest.launched[at].contains(&other));
    launch.into_iter().chain([other]).collect()
}

fn fuse(events: &mut Vec<Event>, nest: &Nest, random: &mut Random) -> bool {
    let drawn = nest.draw(events, random, |at| kernels(events, nest, at).len() >= 2);
    let mut gone = Vec::new();
    for &at in &drawn {
        let kernels = kernels(events, nest, at);
        gone.extend(take_over(events, nest, kernels[0], kernels[1]));
    }
    remove(events, gone);
    !drawn.is_empty()
}

fn fuse_neighbours(events: &mut Vec<Event>, nest: &Nest, random: &mut Random) -> bool {
    let one_kernel = |at: usize| kernels(events, nest, at).len() == 1 && nest.work[at] == 1;
    let drawn = nest.draw(events, random, |at| one_kernel(at) && nest.next(events, at).is_some_and(one_kernel));
    let mut gone = Vec::new();
    for &at in &drawn {
        if let Some(next) = nest.next(events, at) {
            let (one, other) = (kernels(events, nest, at)[0], kernels(events, nest, next)[0]);
            take_over(events, nest, one, other);
            gone.extend(nest.below(next));
        }
    }
    remove(events, gone);
    !drawn.is_empty()
}

fn other_stream(events: &mut [Event], nest: &Nest, random: &mut Random) -> bool {
    let mut found = false;
    for _ in 0..5 {
        for at in nest.draw(events, random, |_| nest.has_gpu) {
            for at in gpu_below(events, nest, at) {
                let earlier = random.below(200_000) as i64 - 100_000;
                events[at].shift(earlier);
                events[at].set("tid", 99);
                events[at].value["args"]["stream"] = 99.into();
                found = true;
            }
        }
    }
    found
}

fn exchange(events: &mut [Event], nest: &Nest, random: &mut Random) -> bool {
    let differ = |at: usize| nest.next(events, at).is_some_and(|next| events[next].name() != events[at].name());
    let drawn = nest.draw(events, random, differ);
    for &at in &drawn {
        let Some(next) = nest.next(events, at) else { continue };
        let (later, earlier) = (events[next].end - events[at].end, events[next].start - events[at].start);
        nest.below(at).into_iter().for_each(|at| events[at].shift(later));
        nest.below(next).into_iter().for_each(|at| events[at].shift(-earlier));
    }
    !drawn.is_empty()
}

fn other_library(events: &mut [Event]) -> bool {
    let mut found = false;
    for event in events.iter_mut().filter(|event| event.role == Role::Gpu && event.name().contains("gemm")) {
        event.set("name", "Cijk_Ailk_Bljk_BBS_BH_Bias_HAS_SAV_MT64x64x64_MI16x16x1");
        found = true;
    }
    found
}
