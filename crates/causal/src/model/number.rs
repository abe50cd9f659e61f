//! Numbers of points before they are put in order: by rank, the points of its threads, then two for each kernel.

use super::stream::Kernels;
use super::thread::Threads;
use super::thread_role::ThreadRoles;
use crate::input::event::{HostKind, NONE};
use crate::input::rank::RankInput;
use crate::model::segment::Track;

/// A rank in the making.
#[derive(Debug)]
pub(crate) struct RankDraft {
    /// Its events; those of the CPU are there only until it is known what waits for what.
    pub(crate) events: RankInput,
    /// By CPU event its row and what it is.
    pub(crate) host: Vec<(u32, HostKind)>,
    pub(crate) threads: Threads,
    pub(crate) kernels: Kernels,
    pub(crate) roles: ThreadRoles,
    pub(crate) is_in_whole_us: bool,
    /// Number of its first point.
    pub(crate) host_first: u32,
    /// Number of the start of its first kernel.
    pub(crate) device_first: u32,
}

impl RankDraft {
    /// The point at which a CPU event begins.
    pub(crate) fn call_start(&self, event: u32) -> u32 {
        self.host_first + self.threads.start_of[event as usize]
    }

    /// The point at which a CPU event ends.
    pub(crate) fn call_end(&self, event: u32) -> u32 {
        self.host_first + self.threads.end_of[event as usize]
    }

    pub(crate) fn kernel_start(&self, kernel: u32) -> u32 {
        self.device_first + 2 * kernel
    }

    pub(crate) fn kernel_end(&self, kernel: u32) -> u32 {
        self.device_first + 2 * kernel + 1
    }

    /// The kernel that ends at a point.
    pub(crate) fn kernel_that_ends(&self, point: u32) -> Option<u32> {
        let after = point.checked_sub(self.device_first)?;
        (after % 2 == 1 && after / 2 < self.kernels.event.len() as u32).then_some(after / 2)
    }

    /// The GPU event of a kernel.
    pub(crate) fn kernel(&self, kernel: u32) -> &crate::input::event::DeviceEvent {
        &self.events.device[self.kernels.event[kernel as usize] as usize]
    }

    /// The CPU event that started a kernel.
    pub(crate) fn launch(&self, kernel: u32) -> Option<u32> {
        Some(self.kernels.launch[kernel as usize]).filter(|&launch| launch != NONE)
    }

    /// The kernel before this one on its stream.
    pub(crate) fn previous(&self, kernel: u32) -> Option<u32> {
        let before = kernel.checked_sub(1)?;
        (self.kernel(before).stream == self.kernel(kernel).stream).then_some(before)
    }
}

/// A thread or a stream and its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TrackSpan {
    /// The rank, by its place in the input.
    pub(crate) rank: u32,
    pub(crate) track: Track,
    pub(crate) first: u32,
    pub(crate) end: u32,
    /// Whether it does work of the job: all streams, and threads by [`ThreadRoles::works`].
    pub(crate) works: bool,
}

impl TrackSpan {
    /// Tells whether it does work of a rank.
    pub(crate) fn works_for(&self, rank: u32) -> bool {
        self.works && self.rank == rank
    }
}

/// Times and places of the points of all ranks.
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) ts: Vec<i64>,
    pub(crate) spans: Vec<TrackSpan>,
    /// By block of points the place of the first span that ends after the block begins; and behind all blocks the number of spans.
    blocks: Vec<u32>,
}

/// Points of a block, as a power of two.
const BLOCK: u32 = 10;

impl Points {
    /// Numbers the points of the ranks.
    pub(crate) fn number(ranks: &mut [RankDraft]) -> Self {
        let mut points = Self::default();
        let of_meetings = |rank: &RankDraft| rank.events.device.iter().filter(|event| event.collective != NONE).count();
        let of_rank = |rank: &RankDraft| rank.threads.ts.len() + 2 * rank.events.device.len() + of_meetings(rank);
        points.ts.reserve_exact(ranks.iter().map(of_rank).sum::<usize>() + 1);
        for (number, rank) in (0..).zip(ranks) {
            rank.host_first = points.ts.len() as u32;
            points.ts.append(&mut rank.threads.ts);
            for (span, &works) in rank.threads.spans.iter().zip(&rank.roles.works) {
                let (first, end) = (rank.host_first + span.first, rank.host_first + span.end);
                points.spans.push(TrackSpan { rank: number, track: Track::Thread(span.thread), first, end, works });
            }
            rank.device_first = points.ts.len() as u32;
            for &event in &rank.kernels.event {
                let event = &rank.events.device[event as usize];
                points.ts.extend([event.start, event.end]);
            }
            for (stream, bounds) in (0..).zip(rank.kernels.first.windows(2)) {
                let (first, end) = (rank.device_first + 2 * bounds[0], rank.device_first + 2 * bounds[1]);
                points.spans.push(TrackSpan { rank: number, track: Track::Stream(stream), first, end, works: true });
            }
        }
        let blocks = 0..=points.ts.len() as u32 >> BLOCK;
        let first = |block: u32| points.spans.partition_point(|span| span.end <= block << BLOCK) as u32;
        points.blocks = blocks.map(first).chain([points.spans.len() as u32]).collect();
        points
    }

    /// The thread or stream of a point, by its place among the spans. With many ranks, a search in all of them would take most of the time.
    #[inline]
    pub(crate) fn span_of(&self, point: u32) -> usize {
        let block = (point >> BLOCK) as usize;
        let (first, last) = (self.blocks[block] as usize, self.blocks[block + 1] as usize);
        first + self.spans[first..self.spans.len().min(last + 1)].partition_point(|span| span.end <= point)
    }
}
