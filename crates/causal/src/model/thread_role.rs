//! Roles of the threads of a rank: the driving thread, working threads, watchdogs.

use super::stream::Kernels;
use super::thread::Threads;
use crate::input::event::{Call, HostEvent, HostKind, NONE};

/// The roles of the threads of a rank.
#[derive(Debug, Default)]
pub(crate) struct ThreadRoles {
    /// The thread on which annotations and Python functions are open for longest; without any, the one with the longest work. A place
    /// among the threads.
    pub(crate) driver: Option<usize>,
    /// By thread whether it works. A watchdog does not: it has only calls, none of which starts or awaits work. On a rank without working
    /// threads and without work of a GPU, all threads count as working.
    pub(crate) works: Vec<bool>,
}

impl ThreadRoles {
    /// Finds the roles of the threads.
    pub(crate) fn of(host: &[HostEvent], threads: &Threads, kernels: &Kernels) -> Self {
        let mut starts = vec![false; host.len()];
        for &launch in kernels.launch.iter().filter(|&&launch| launch != NONE) {
            starts[launch as usize] = true;
        }
        let works = |event: u32| match host[event as usize].kind {
            HostKind::Call(Call::Other | Call::EventRecord | Call::StreamWait) => starts[event as usize],
            _ => true,
        };
        let mut found = Self::default();
        let mut most = (false, 0_i64);
        for (index, span) in threads.spans.iter().enumerate() {
            let points = span.first as usize..span.end as usize;
            let events = || threads.event[points.clone()].iter().copied();
            found.works.push(events().any(works));
            let is_named =
                events().any(|event| matches!(host[event as usize].kind, HostKind::Annotation | HostKind::Python));
            let open = points.clone().skip(1).filter(|&point| threads.owner[point] != NONE);
            let length = open.fold(0_i64, |sum, point| sum.saturating_add(threads.ts[point] - threads.ts[point - 1]));
            if found.works[index] && (is_named, length) > most {
                (most, found.driver) = ((is_named, length), Some(index));
            }
        }
        if kernels.event.is_empty() && !found.works.contains(&true) {
            found.works.fill(true);
        }
        found
    }
}
