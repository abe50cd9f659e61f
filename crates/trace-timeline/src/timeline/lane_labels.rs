//! Order and labels of the lanes of a rank, with the names that the profiler gave to threads, processes and devices.

use super::lane::{Content, Key, LaneKind, RankLane};
use crate::TrackNames;
use crate::frame::RankEvents;
use foldhash::fast::FixedState;
use hashbrown::HashSet;

/// The most characters of a name in a label.
const LONGEST_NAME: usize = 60;

/// Orders lanes from above and labels them: the thread with the profiler's steps, other threads, each below its annotations; the
/// streams of each device, each above its queue; bandwidths; threads that run Python only.
pub(super) fn arrange(lanes: &mut [RankLane], rows: &RankEvents, names: &TrackNames) {
    let has_steps = |lane: &RankLane| match &lane.content {
        Content::Events(events) => events.levels().next().is_some_and(|level| {
            lane.key.kind == LaneKind::Annotation
                && (0..level.len()).any(|at| rows.text(level.name(at)).starts_with("ProfilerStep"))
        }),
        Content::Counter(..) => false,
    };
    let main: HashSet<_, FixedState> =
        lanes.iter().filter(|lane| has_steps(lane)).map(|lane| (lane.key.pid, lane.key.tid)).collect();
    lanes.sort_by_key(|lane| {
        let Key { pid, tid, kind, is_sync } = lane.key;
        let section = section(lane);
        (section, section == LaneSection::Threads && !main.contains(&(pid, tid)), pid, tid, kind, is_sync)
    });
    let many = |cpu: bool| {
        let mut pids = lanes.iter().filter(|lane| lane.key.kind.nests() == cpu).filter_map(|lane| lane.key.pid);
        pids.next().is_some_and(|first| pids.any(|pid| pid != first))
    };
    let (processes, devices) = (many(true), many(false));
    for lane in lanes {
        let Key { pid, tid, kind, is_sync } = lane.key;
        let label = match kind {
            LaneKind::Thread => named(pid, tid, names).unwrap_or_else(|| format!("thread {}", number(tid))),
            LaneKind::Annotation => format!("annotations of thread {}", number(tid)),
            LaneKind::Stream if is_sync => format!("waits for stream {}", number(tid)),
            LaneKind::Stream => named(pid, tid, names).unwrap_or_else(|| format!("stream {}", number(tid))),
            LaneKind::GpuAnnotation => format!("annotations of stream {}", number(tid)),
            LaneKind::Counter => std::mem::take(&mut lane.label),
        };
        lane.label = match pid {
            Some(pid) if kind.nests() && processes => format!("{label}, {}", process(pid, names)),
            Some(pid) if !kind.nests() && (devices || kind == LaneKind::Stream && !is_sync) => match names.label(pid) {
                Some(device) => format!("{label}, {}", shortened(device)),
                None if devices => format!("{label}, device {pid}"),
                None => label,
            },
            _ => label,
        };
    }
}

/// The section of a rank in which a lane is, from above.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LaneSection {
    Threads,
    Streams,
    Bandwidths,
    Helpers,
}

/// Returns the section of a rank in which a lane is.
pub(super) fn section(lane: &RankLane) -> LaneSection {
    match lane.key.kind {
        _ if lane.is_helper => LaneSection::Helpers,
        kind if kind.nests() => LaneSection::Threads,
        LaneKind::Counter if lane.key.tid.is_none() => LaneSection::Bandwidths,
        _ => LaneSection::Streams,
    }
}

/// Returns the name of a thread or a stream with its number, as Perfetto shows it: `thread 40711 (python3)`, `pt_autograd_0 41918`.
fn named(process: Option<i64>, thread: Option<i64>, names: &TrackNames) -> Option<String> {
    let (process, thread) = process.zip(thread)?;
    let (name, number) = (names.thread(process, thread)?, thread.to_string());
    let has_number = name.split(|letter: char| !letter.is_ascii_digit() && letter != '-').any(|part| part == number);
    let name = shortened(name);
    Some(if has_number { name } else { format!("{name} {number}") })
}

fn process(process: i64, names: &TrackNames) -> String {
    match names.process(process) {
        Some(name) => format!("process {process} ({})", shortened(name)),
        None => format!("process {process}"),
    }
}

fn number(number: Option<i64>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}

/// Cuts a name that is too long for a label.
fn shortened(name: &str) -> String {
    cut(name, LONGEST_NAME)
}

/// Cuts a text of more than so many characters.
pub(super) fn cut(name: &str, most: usize) -> String {
    match name.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}
