//! Host events nested by their intervals, with the GPU work that they launch.

use super::event::{Event, Role};
use crate::Random;
use std::cmp::Reverse;
use std::collections::HashMap;

/// What is in what, by positions of events.
pub(super) struct Nest {
    pub(super) parent: Vec<Option<usize>>,
    pub(super) children: Vec<Vec<usize>>,
    /// GPU events of each launch.
    pub(super) launched: Vec<Vec<usize>>,
    /// Number of GPU events below each host event; of a trace without GPU work, of operators.
    pub(super) work: Vec<usize>,
    /// Operators with work and without an operator around them, by step, in the order of their begins.
    pub(super) units: Vec<Vec<usize>>,
    pub(super) has_gpu: bool,
}

impl Nest {
    pub(super) fn of(events: &[Event]) -> Self {
        let mut threads: HashMap<(String, String), usize> = HashMap::new();
        let mut hosts: Vec<(usize, usize)> = Vec::new();
        for (at, event) in events.iter().enumerate().filter(|(_, event)| event.is_host()) {
            let next = threads.len();
            hosts.push((*threads.entry(event.thread()).or_insert(next), at));
        }
        hosts.sort_by_key(|&(thread, at)| (thread, events[at].start, Reverse(events[at].end), at));
        let (mut parent, mut children) = (vec![None; events.len()], vec![Vec::new(); events.len()]);
        let mut open: Vec<(usize, usize)> = Vec::new();
        for &(thread, at) in &hosts {
            while let Some(&(of, last)) = open.last() {
                if of == thread && events[at].start < events[last].end {
                    break;
                }
                open.pop();
            }
            parent[at] = open.last().map(|&(_, last)| last);
            if let Some(up) = parent[at] {
                children[up].push(at);
            }
            open.push((thread, at));
        }
        let calls = events.iter().enumerate().filter(|(_, event)| event.role == Role::Call);
        let mut launches: HashMap<i64, usize> = HashMap::new();
        for (at, event) in calls {
            if let Some(id) = event.correlation() {
                launches.entry(id).or_insert(at);
            }
        }
        let mut launched = vec![Vec::new(); events.len()];
        let gpu = |event: &Event| event.role == Role::Gpu;
        for (at, event) in events.iter().enumerate().filter(|(_, event)| gpu(event)) {
            if let Some(&launch) = event.correlation().and_then(|id| launches.get(&id)) {
                launched[launch].push(at);
            }
        }
        let has_gpu = events.iter().any(gpu);
        let mut work: Vec<usize> = launched.iter().map(Vec::len).collect();
        for &(_, at) in hosts.iter().rev() {
            work[at] += usize::from(!has_gpu && events[at].role == Role::Operator);
            if let Some(up) = parent[at] {
                work[up] += work[at];
            }
        }
        let mut nest = Self { parent, children, launched, work, units: Vec::new(), has_gpu };
        nest.units = nest.units(events, &hosts);
        nest
    }

    fn units(&self, events: &[Event], hosts: &[(usize, usize)]) -> Vec<Vec<usize>> {
        let mut steps: Vec<(i64, i64)> = events
            .iter()
            .filter(|event| event.role == Role::Annotation && event.name().starts_with("ProfilerStep"))
            .map(|event| (event.start, event.end))
            .collect();
        steps.sort_unstable();
        if steps.is_empty() {
            steps.push((i64::MIN, i64::MAX));
        }
        let mut units = vec![Vec::new(); steps.len()];
        let is_inside = |at: usize| {
            let mut up = self.parent[at];
            while let Some(around) = up {
                if events[around].role == Role::Operator {
                    return true;
                }
                up = self.parent[around];
            }
            false
        };
        let is_unit = |at: usize| events[at].role == Role::Operator && self.work[at] > 0 && !is_inside(at);
        for &(_, at) in hosts.iter().filter(|&&(_, at)| is_unit(at)) {
            if let Some(step) = steps.iter().position(|&(start, end)| (start..end).contains(&events[at].start)) {
                units[step].push(at);
            }
        }
        units
    }

    /// Draws an operator that `fits`, and finds it in each step: the one of the same name and number.
    pub(super) fn draw(&self, events: &[Event], random: &mut Random, fits: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut steps: Vec<Vec<((&str, usize), usize)>> = Vec::new();
        for units in &self.units {
            let mut seen: HashMap<&str, usize> = HashMap::new();
            let number = |&at: &usize| {
                let number = seen.entry(events[at].name()).or_default();
                *number += 1;
                ((events[at].name(), *number), at)
            };
            steps.push(units.iter().map(number).collect());
        }
        let most = steps.iter().max_by_key(|units| units.len()).map_or(&[][..], Vec::as_slice);
        let fitting: Vec<(&str, usize)> = most.iter().filter(|(_, at)| fits(*at)).map(|(unit, _)| *unit).collect();
        if fitting.is_empty() {
            return Vec::new();
        }
        let drawn = *random.of(&fitting);
        let of_step = |units: &Vec<((&str, usize), usize)>| {
            units.iter().find(|(unit, at)| *unit == drawn && fits(*at)).map(|&(_, at)| at)
        };
        steps.iter().filter_map(of_step).collect()
    }

    /// The next sibling with work, if it is an operator.
    pub(super) fn next(&self, events: &[Event], at: usize) -> Option<usize> {
        let up = self.parent[at]?;
        let index = self.children[up].iter().position(|&child| child == at)?;
        let next = self.children[up][index + 1..].iter().copied().find(|&child| self.work[child] > 0)?;
        (events[next].role == Role::Operator).then_some(next)
    }

    /// A host event and everything below it, with the GPU work; in the order of the calls.
    pub(super) fn below(&self, at: usize) -> Vec<usize> {
        let (mut found, mut open) = (Vec::new(), vec![at]);
        while let Some(at) = open.pop() {
            found.push(at);
            found.extend(&self.launched[at]);
            open.extend(self.children[at].iter().rev());
        }
        found
    }

    /// GPU events below a host event, in the order of their launches; operators of a trace without GPU work.
    pub(super) fn work_below(&self, events: &[Event], at: usize) -> Vec<usize> {
        let wanted = if self.has_gpu { Role::Gpu } else { Role::Operator };
        self.below(at).into_iter().filter(|&at| events[at].role == wanted).collect()
    }
}
