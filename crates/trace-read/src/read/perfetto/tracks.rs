//! Tracks: where events are drawn, and from that their process and thread in JSON.

use super::strings::{Strings, Symbol};
use super::wire::{Malformed, Message};
use hashbrown::HashMap;

/// Parents that are followed at most.
const MAX_PARENTS: usize = 32;

/// The number of a lane.
pub(super) type Lane = u32;

/// A track of the recording, or a lane of the GPU that has none.
#[derive(Debug, Clone, Default)]
pub(super) struct Track {
    pub(super) uuid: u64,
    parent: Option<u64>,
    pub(super) name: Symbol,
    /// Number and name of a process.
    process: Option<(i64, Symbol)>,
    /// Numbers of process and thread, and the name of the thread.
    thread: Option<(i64, i64, Symbol)>,
    /// Whether the track is a counter.
    pub(super) is_counter: bool,
    /// Of a lane without a track, its process and thread as JSON.
    ids: Option<(String, String)>,
}

/// The tracks of a recording.
#[derive(Default)]
pub(super) struct Tracks {
    lanes: Vec<Track>,
    by_uuid: HashMap<u64, Lane, foldhash::fast::FixedState>,
    by_ids: HashMap<(String, String), Lane, foldhash::fast::FixedState>,
}

impl Tracks {
    /// Returns the lane of a track, which may be described later.
    pub(super) fn lane(&mut self, uuid: u64) -> Lane {
        let next = self.lanes.len() as Lane;
        let lane = *self.by_uuid.entry(uuid).or_insert(next);
        if lane == next {
            self.lanes.push(Track { uuid, ..Track::default() });
        }
        lane
    }

    /// Returns the lane of a process and a thread that are given as JSON.
    pub(super) fn lane_at(&mut self, pid: String, tid: String) -> Lane {
        let next = self.lanes.len() as Lane;
        let lane = *self.by_ids.entry((pid.clone(), tid.clone())).or_insert(next);
        if lane == next {
            self.lanes.push(Track { ids: Some((pid, tid)), ..Track::default() });
        }
        lane
    }

    /// Takes a `TrackDescriptor`.
    ///
    /// # Errors
    /// If it is malformed.
    pub(super) fn describe(&mut self, message: Message<'_>, strings: &mut Strings) -> Result<(), Malformed> {
        let mut track = Track::default();
        for field in message.fields() {
            match field? {
                (1, value) => track.uuid = value.number(),
                (2 | 10 | 13, value) => track.name = strings.symbol(&value.message().text()),
                (3, value) => track.process = Some(process(value.message(), strings)?),
                (4, value) => track.thread = Some(thread(value.message(), strings)?),
                (5, value) => track.parent = Some(value.number()),
                (8, _) => track.is_counter = true,
                _ => {}
            }
        }
        let lane = self.lane(track.uuid);
        self.lanes[lane as usize] = track;
        Ok(())
    }

    /// Returns a track.
    pub(super) fn of(&self, lane: Lane) -> Option<&Track> {
        self.lanes.get(lane as usize)
    }

    /// Returns the track above a track, unless it stands for a process or a thread.
    pub(super) fn group_of(&self, track: &Track) -> Option<&Track> {
        let above = self.of(*self.by_uuid.get(&track.parent?)?)?;
        (above.process.is_none() && above.thread.is_none()).then_some(above)
    }

    /// Returns process and thread of each lane, as JSON.
    pub(super) fn thread_ids(&self, strings: &Strings) -> Vec<(String, String)> {
        self.lanes.iter().map(|track| self.ids_of(track, strings)).collect()
    }

    fn ids_of(&self, track: &Track, strings: &Strings) -> (String, String) {
        if let Some(ids) = &track.ids {
            return ids.clone();
        }
        let mut at = Some(track);
        for _ in 0..MAX_PARENTS {
            let Some(here) = at else { break };
            if let Some((pid, tid, name)) = here.thread {
                return (pid.to_string(), whole_tid(tid, strings.text(name)).to_string());
            }
            if let Some((pid, _)) = here.process {
                return (pid.to_string(), "0".to_owned());
            }
            at = here.parent.and_then(|uuid| self.of(*self.by_uuid.get(&uuid)?));
        }
        ("0".to_owned(), track.uuid.to_string())
    }

    /// Calls `each` with the JSON of process, thread and name of each process (without a thread) and each thread.
    pub(super) fn each_name<'s>(&self, strings: &'s Strings, mut each: impl FnMut(String, Option<String>, &'s str)) {
        for track in &self.lanes {
            if let Some((pid, name)) = track.process {
                each(pid.to_string(), None, strings.json(name));
            }
            if let Some((pid, tid, name)) = track.thread {
                each(pid.to_string(), Some(whole_tid(tid, strings.text(name)).to_string()), strings.json(name));
            }
        }
    }
}

/// Returns number and name of a `ProcessDescriptor`.
fn process(message: Message<'_>, strings: &mut Strings) -> Result<(i64, Symbol), Malformed> {
    let (mut pid, mut name) = (0, Symbol::EMPTY);
    for field in message.fields() {
        match field? {
            (1, value) => pid = i64::from(value.number() as u32 as i32),
            (6, value) => name = strings.symbol(&value.message().text()),
            _ => {}
        }
    }
    Ok((pid, name))
}

/// Returns the numbers and the name of a `ThreadDescriptor`.
fn thread(message: Message<'_>, strings: &mut Strings) -> Result<(i64, i64, Symbol), Malformed> {
    let (mut pid, mut tid, mut name) = (0, 0, Symbol::EMPTY);
    for field in message.fields() {
        match field? {
            (1, value) => pid = i64::from(value.number() as u32 as i32),
            (2, value) => tid = i64::from(value.number() as u32 as i32),
            (5, value) => name = strings.symbol(&value.message().text()),
            _ => {}
        }
    }
    Ok((pid, tid, name))
}

/// Returns the number of a thread. A descriptor has 31 bits of it, its name often all: `thread 139988443383552 (python)`.
fn whole_tid(tid: i64, name: &str) -> i64 {
    let digits = name.split(|c: char| !c.is_ascii_digit()).find(|digits| !digits.is_empty());
    let whole = digits.and_then(|digits| digits.parse::<i64>().ok());
    whole.filter(|whole| whole & 0x7fff_ffff == tid & 0x7fff_ffff && tid >= 0).unwrap_or(tid)
}
