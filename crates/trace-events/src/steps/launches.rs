//! Launches of the thread that launches most work, told apart by the kernels that they launch.

use super::work::Thread;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::RankEvents;
use foldhash::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A launch of a kernel, or of a graph of kernels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Launch {
    /// Its row among the events.
    pub(super) row: u32,
    /// The number of the kernels that it launches: equal ones in equal order have one number.
    pub(super) token: u32,
    /// The code of the name of the first of them.
    pub(super) first_name: u32,
    /// The begin of the call, in ns.
    pub(super) start: i64,
    /// Time of the kernels in ns.
    pub(super) ns: i64,
}

/// The launches of a thread.
#[derive(Debug, Default)]
pub(super) struct Launches {
    /// Ascending by start.
    pub(super) all: Vec<Launch>,
    /// Number of different launches.
    pub(super) tokens: usize,
    /// Launches of all threads that begin with a kernel, by the code of its name.
    beginning: HashMap<u32, usize>,
}

impl Launches {
    /// Collects the launches of a rank.
    pub(super) fn of(rows: &RankEvents) -> Self {
        let kinds = rows.kinds();
        // Launch, begin of the kernel, kernel.
        let mut kernels: Vec<(i64, u32, i64, u32)> = Vec::new();
        for row in cancellable(0..rows.len()).filter(|&row| kinds[row] == EventKind::Kernel) {
            let launch = rows.partner(row).filter(|&launch| !rows.is_on_device(launch));
            let times = launch.and_then(|launch| Some((rows.ts(launch)?, launch as u32, rows.ts(row)?, row as u32)));
            kernels.extend(times);
        }
        kernels.sort_unstable();
        let mut work: HashMap<Thread, i64> = HashMap::default();
        let mut main: Option<(i64, Thread)> = None;
        for &(_, launch, _, row) in &kernels {
            let thread = rows.thread(launch as usize);
            let ns = work.entry(thread).or_default();
            *ns = ns.saturating_add(rows.dur(row as usize).max(0));
            if main.is_none_or(|(most, _)| *ns > most) {
                main = Some((*ns, thread));
            }
        }
        let mut launches = Self::default();
        let mut numbers: HashMap<u64, u32> = HashMap::default();
        for of_launch in kernels.chunk_by(|one, other| one.1 == other.1) {
            let (start, row, _, first) = of_launch[0];
            let first_name = rows.name(first as usize);
            *launches.beginning.entry(first_name).or_default() += 1;
            if main.is_none_or(|(_, thread)| rows.thread(row as usize) != thread) {
                continue;
            }
            let mut hasher = DefaultHasher::new();
            of_launch.iter().for_each(|&(.., kernel)| rows.name(kernel as usize).hash(&mut hasher));
            let next = numbers.len() as u32;
            let token = *numbers.entry(hasher.finish()).or_insert(next);
            let ns =
                of_launch.iter().fold(0, |sum: i64, kernel| sum.saturating_add(rows.dur(kernel.3 as usize).max(0)));
            launches.all.push(Launch { row, token, first_name, start, ns });
        }
        launches.tokens = numbers.len();
        launches
    }

    /// Number of launches of all threads whose first kernel has this name.
    pub(super) fn beginning(&self, name: u32) -> usize {
        self.beginning.get(&name).copied().unwrap_or(0)
    }

    /// Returns the position of the first launch after a share of the work.
    pub(super) fn after_share(&self, share: f64) -> usize {
        let all: i64 = self.all.iter().fold(0, |sum, launch| sum.saturating_add(launch.ns));
        let mut before = 0_i64;
        self.all
            .iter()
            .position(|launch| {
                before = before.saturating_add(launch.ns);
                before as f64 > share * all as f64
            })
            .unwrap_or(self.all.len())
    }
}
