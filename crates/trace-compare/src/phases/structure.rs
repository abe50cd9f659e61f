//! Phases of iterations by structure: iterations of other phases run other kernels, and take another time.

use std::collections::BTreeMap;

/// Time of kernels in ns, by name without template arguments, parameters and digits.
pub(crate) type Work = BTreeMap<String, i64>;

/// Share of the time of an iteration that kernels may take which its phase does not have, and the other way round.
const OTHER_KERNELS: f64 = 0.02;
/// Ratio of step times, or of the GPU's, from which iterations with other kernels or names are of another phase.
const OTHER_TIME: f64 = 1.5;
/// More kinds of iterations than these are no phases.
const MOST: usize = 64;

/// An iteration of a run.
#[derive(Debug, Clone)]
pub(crate) struct IterationWork {
    pub(crate) run: usize,
    pub(crate) iteration: i64,
    /// Mean length over ranks.
    pub(crate) step_ns: f64,
    /// Its kernels, the sum over ranks; empty without a GPU.
    pub(crate) work: Work,
    /// Name of the annotation that marks it.
    pub(crate) name: Option<String>,
}

/// Iterations of one phase of a side.
#[derive(Default)]
pub(super) struct StructuralPhase {
    /// Positions of its iterations.
    pub(super) members: Vec<usize>,
    /// Time of its kernels in ns by name.
    pub(super) work: Work,
    step_ns: f64,
}

impl StructuralPhase {
    /// A phase of one iteration, at a position.
    pub(super) fn of(at: usize, iteration: &IterationWork) -> Self {
        Self { members: vec![at], work: iteration.work.clone(), step_ns: iteration.step_ns }
    }

    fn mean_ns(&self) -> f64 {
        self.step_ns / self.members.len().max(1) as f64
    }

    fn is_as_long_as(&self, other: &Self) -> bool {
        let mean_work = |phase: &Self| phase.work.values().sum::<i64>() as f64 / phase.members.len().max(1) as f64;
        let are_similar = |one: f64, other: f64| one.max(other) <= OTHER_TIME * one.min(other);
        are_similar(self.mean_ns(), other.mean_ns()) && are_similar(mean_work(self), mean_work(other))
    }

    pub(super) fn merge(&mut self, other: Self) {
        self.members.extend(other.members);
        self.step_ns += other.step_ns;
        for (name, ns) in other.work {
            *self.work.entry(name).or_default() += ns;
        }
    }

    /// Returns the kernel that takes most of the time of this phase among those that no other phase has.
    pub(super) fn own_kernel<'p>(&'p self, others: impl Iterator<Item = &'p Self> + Clone) -> Option<&'p str> {
        let is_own = |name: &String| others.clone().all(|other| !other.work.contains_key(name));
        let own = self.work.iter().filter(|(name, _)| is_own(name));
        own.max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0))).map(|(name, _)| name.as_str())
    }
}

/// Divides the iterations of a side into phases, the longest steps first. None if they are of more than [`MOST`] kinds.
pub(super) fn structural_phases(iterations: &[IterationWork]) -> Vec<StructuralPhase> {
    let mut phases: Vec<StructuralPhase> = Vec::new();
    for (at, iteration) in iterations.iter().enumerate() {
        let one = StructuralPhase::of(at, iteration);
        match phases.iter().position(|phase| have_same_kernels(&phase.work, &one.work)) {
            Some(at) => phases[at].merge(one),
            None if phases.len() == MOST => return Vec::new(),
            None => phases.push(one),
        }
    }
    let mut phases = without_similar(phases);
    phases.sort_by(|one, other| other.mean_ns().total_cmp(&one.mean_ns()));
    phases
}

/// Merges phases whose iterations take about as long, in all and on the GPU: a mean over them means something.
pub(super) fn without_similar(phases: Vec<StructuralPhase>) -> Vec<StructuralPhase> {
    let mut merged: Vec<StructuralPhase> = Vec::new();
    for mut phase in phases {
        while let Some(at) = merged.iter().position(|known| known.is_as_long_as(&phase)) {
            let mut known = merged.swap_remove(at);
            // That of most iterations comes first, and names both.
            if known.members.len() < phase.members.len() {
                std::mem::swap(&mut known, &mut phase);
            }
            known.merge(phase);
            phase = known;
        }
        merged.push(phase);
    }
    merged
}

/// Pairs the phases of control and test that spend their time in the same kernels, the most similar first.
pub(super) fn paired_phases(control: &[StructuralPhase], test: &[StructuralPhase]) -> Vec<(usize, usize)> {
    let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
    for (a, one) in control.iter().enumerate() {
        candidates.extend(test.iter().enumerate().map(|(b, other)| (similarity(&one.work, &other.work), a, b)));
    }
    // Of equally similar ones, those at the same position in the order of time.
    candidates.sort_by(|one, other| {
        other.0.total_cmp(&one.0).then((one.1.abs_diff(one.2), one.1).cmp(&(other.1.abs_diff(other.2), other.1)))
    });
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, a, b) in candidates {
        if !pairs.iter().any(|&(one, other)| one == a || other == b) {
            pairs.push((a, b));
        }
    }
    pairs
}

/// Tells whether each has nearly all of its time in kernels that the other has, too.
fn have_same_kernels(one: &Work, other: &Work) -> bool {
    let own_share = |one: &Work, other: &Work| {
        let own: i64 = one.iter().filter(|(name, _)| !other.contains_key(*name)).map(|(_, ns)| ns).sum();
        own as f64 / one.values().sum::<i64>().max(1) as f64
    };
    own_share(one, other) <= OTHER_KERNELS && own_share(other, one) <= OTHER_KERNELS
}

/// Sum of the smaller shares of time by kernel: 1 for equal shares, 0 without a common kernel.
fn similarity(one: &Work, other: &Work) -> f64 {
    let share =
        |of: &Work, name: &String| of.get(name).copied().unwrap_or(0) as f64 / of.values().sum::<i64>().max(1) as f64;
    one.keys().map(|name| share(one, name).min(share(other, name))).sum()
}
