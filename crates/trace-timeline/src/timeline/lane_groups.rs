//! The lanes of all sides: their order, their labels, and the groups in which a front end shows them.

use super::lane::{Content, LaneLocation, RankLane};
use super::lane_labels::{LaneSection, section};
use super::shown::{Timeline, TimelineSide};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use trace_view::format::{grouped, numbered};

/// Lanes that a front end shows under one title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LaneGroup {
    pub(super) title: String,
    /// Whether it is folded at first.
    pub(super) is_folded: bool,
}

/// Levels of a thread above which the streams of its rank come first: with frames of Python, they would begin below the first screen.
const DEEP: usize = 14;

/// Returns the lanes of all sides from above: of one trace rank by rank, streams below the threads unless these are deep. Of two traces the
/// streams come first, each next to the same stream of the other side, then the threads, the bandwidths and the helper threads.
pub(super) fn ordered(sides: &[TimelineSide]) -> Vec<LaneLocation> {
    let mut lanes = Vec::new();
    for (number, side) in sides.iter().enumerate() {
        for (rank, shown) in side.ranks.iter().enumerate() {
            lanes.extend((0..shown.lanes.lanes.len()).map(|lane| LaneLocation { side: number, rank, lane }));
        }
    }
    if sides.len() > 1 {
        let partners: Vec<Vec<Vec<Partner>>> =
            sides.iter().map(|side| side.ranks.iter().map(|rank| partners(&rank.lanes.lanes)).collect()).collect();
        lanes.sort_by_key(|location| {
            let lane = &sides[location.side].ranks[location.rank].lanes.lanes[location.lane];
            let order = match section(lane) {
                LaneSection::Streams => 0,
                LaneSection::Threads => 1,
                LaneSection::Bandwidths => 2,
                LaneSection::Helpers => 3,
            };
            let partner = &partners[location.side][location.rank][location.lane];
            (location.rank, order, partner, lane.key.kind, lane.key.is_sync, location.side, location.lane)
        });
    } else {
        let deep: Vec<bool> =
            sides.iter().flat_map(|side| &side.ranks).map(|rank| is_deep(&rank.lanes.lanes)).collect();
        lanes.sort_by_key(|location| {
            let lane = &sides[location.side].ranks[location.rank].lanes.lanes[location.lane];
            let is_first = deep[location.rank] && section(lane) == LaneSection::Streams;
            (location.rank, !is_first)
        });
    }
    lanes
}

/// Tells whether a thread of a rank takes many levels.
fn is_deep(lanes: &[RankLane]) -> bool {
    let levels = |lane: &RankLane| match &lane.content {
        Content::Events(events) => events.levels().count(),
        Content::Counter(..) => 1,
    };
    lanes.iter().filter(|lane| section(lane) == LaneSection::Threads).any(|lane| levels(lane) > DEEP)
}

/// What equal lanes of two sides have in common: a stream its device and number, a thread its place, a bandwidth its label.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Partner {
    Stream { device: usize, number: Option<i64> },
    Thread(usize),
    Bandwidth(String),
}

/// Numbers of processes and threads.
type Numbers = HashMap<(Option<i64>, Option<i64>), usize, FixedState>;

/// Returns what the lanes of a rank share with those of the other side. Devices and threads are counted from above, since their numbers
/// differ from process to process.
fn partners(lanes: &[RankLane]) -> Vec<Partner> {
    // Numbers each process or thread by its first place; a trace may have as many threads as events.
    let ordinal = |known: &mut Numbers, one| {
        let next = known.len();
        *known.entry(one).or_insert(next)
    };
    let [mut devices, mut threads] = [Numbers::default(), Numbers::default()];
    let partner = |lane: &RankLane| match section(lane) {
        LaneSection::Streams => {
            Partner::Stream { device: ordinal(&mut devices, (lane.key.pid, None)), number: lane.key.tid }
        }
        LaneSection::Threads | LaneSection::Helpers => {
            Partner::Thread(ordinal(&mut threads, (lane.key.pid, lane.key.tid)))
        }
        LaneSection::Bandwidths => Partner::Bandwidth(lane.label.clone()),
    };
    lanes.iter().map(partner).collect()
}

impl Timeline {
    /// Returns the label of a lane, of two sides with its side: `control: stream 7`.
    pub(super) fn label(&self, location: LaneLocation) -> String {
        let label = &self.lane(location).label;
        if self.sides.len() > 1 { format!("{}: {label}", self.side_name(location.side)) } else { label.clone() }
    }

    /// Returns the label of a side, and what tells it from the other one if that has the same label.
    fn side_name(&self, number: usize) -> String {
        let side = &self.sides[number];
        let same = |other: &&TimelineSide| other.label == side.label;
        if self.sides.iter().filter(same).count() < 2 {
            return side.label.clone();
        }
        let ranks = |side: &TimelineSide| side.ranks.iter().map(|rank| rank.info.rank).collect::<Vec<_>>();
        if self.sides.iter().any(|other| ranks(other) != ranks(side)) {
            return format!("{}, {}", side.label, numbered("rank", &ranks(side)));
        }
        match &side.iterations {
            Some(iterations) if self.sides.iter().any(|other| other.iterations != side.iterations) => {
                format!("{}, {}", side.label, numbered("iteration", iterations))
            }
            _ => format!("{} ({})", side.label, number + 1),
        }
    }

    /// Returns the group of a lane; `None` where a front end shows the lane by itself, or below the title of its rank.
    pub(super) fn group(&self, location: LaneLocation) -> Option<LaneGroup> {
        let section = section(self.lane(location));
        let is_folded = section == LaneSection::Helpers;
        if self.sides.len() < 2 && !is_folded {
            return None;
        }
        let title = match section {
            LaneSection::Streams => "GPU".to_owned(),
            LaneSection::Threads => "CPU threads".to_owned(),
            LaneSection::Bandwidths => "bandwidth".to_owned(),
            LaneSection::Helpers => {
                format!("threads without operators ({})", grouped(self.helpers(location.rank) as i64))
            }
        };
        let ranks: Vec<i64> =
            self.sides.iter().filter_map(|side| Some(side.ranks.get(location.rank)?.info.rank)).collect();
        let is_many = self.sides.iter().any(|side| side.ranks.len() > 1);
        let title = match ranks[..] {
            [control, test] if is_many && control != test => format!("rank {control} → rank {test} · {title}"),
            [rank, ..] if is_many => format!("rank {rank} · {title}"),
            _ => title,
        };
        Some(LaneGroup { title, is_folded })
    }

    /// The threads without operators of the ranks at a place of all sides.
    fn helpers(&self, rank: usize) -> usize {
        self.sides.iter().filter_map(|side| side.ranks.get(rank)).map(|rank| rank.lanes.helpers).sum()
    }
}
