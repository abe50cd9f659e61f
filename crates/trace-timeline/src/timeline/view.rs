//! Slices of some lanes in a window, in the format of `docs/timeline-format.md`.

use super::lane::Content;
use super::lane_labels::cut;
use super::shown::Timeline;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use timeline::{Packed, Samples, Slices, Window};

/// Names longer than this are cut; a reply to `slice` has them whole.
const LONGEST_NAME: usize = 256;

/// Columns on their way to a front end: in the JSON as base64, or as buffers of a message.
pub(crate) struct Columns {
    /// The buffers of the message; `None` for an output.
    pub(super) buffers: Option<Vec<Vec<u8>>>,
    /// Bytes of all columns.
    pub(super) bytes: usize,
}

impl Columns {
    /// Columns in the JSON.
    pub(crate) fn embedded() -> Self {
        Self { buffers: None, bytes: 0 }
    }

    /// Columns in buffers.
    pub(super) fn in_buffers() -> Self {
        Self { buffers: Some(Vec::new()), bytes: 0 }
    }

    /// Adds a column and returns its description.
    pub(crate) fn add(&mut self, name: &str, packed: Packed) -> Value {
        self.bytes += packed.bytes.len();
        match &mut self.buffers {
            Some(buffers) => {
                buffers.push(packed.bytes);
                json!({ "name": name, "type": packed.width.name(), "buffer": buffers.len() - 1 })
            }
            None => json!({ "name": name, "type": packed.width.name(), "data": trace_view::base64(&packed.bytes) }),
        }
    }
}

/// What is in a view before it is encoded.
pub(super) struct View {
    pub(super) window: Window,
    pub(super) slices: Slices,
    changes: Vec<i64>,
    counters: Vec<[usize; 2]>,
    samples: Samples,
}

impl View {
    /// Lane and number of rows of each counter.
    pub(super) fn counters(&self) -> &[[usize; 2]] {
        &self.counters
    }

    /// The samples of all counters.
    pub(super) fn samples(&self) -> &Samples {
        &self.samples
    }
}

impl Timeline {
    /// Looks at some lanes: in `start..end`, relative to the bases, with at least so many windows; of at most about so many slices.
    pub(super) fn look(&self, (start, end): (i64, i64), columns: u32, lanes: &[usize], most: usize) -> View {
        let window = |base: i64| Window::new(base, base.saturating_add(start), base.saturating_add(end), columns);
        self.look_at(window, lanes, most)
    }

    /// Looks at some lanes, with the window of a base.
    pub(super) fn look_at(&self, window: impl Fn(i64) -> Window, lanes: &[usize], most: usize) -> View {
        let mut view = View {
            window: window(0),
            slices: Slices::default(),
            changes: Vec::new(),
            counters: Vec::new(),
            samples: Samples::default(),
        };
        for &id in lanes {
            let Some(&location) = self.lanes.get(id) else { continue };
            let base = self.sides[location.side].base;
            let before = (view.slices.len(), view.samples.len());
            match &self.lane(location).content {
                Content::Events(lane) => view.slices.add(id as u32, lane, &window(base), most),
                Content::Counter(series, _) => {
                    let rows = view.samples.add(series, &window(base));
                    if rows > 0 {
                        view.counters.push([id, rows]);
                    }
                }
            }
            view.slices.start[before.0..].iter_mut().for_each(|start| *start = start.saturating_sub(base));
            view.samples.start[before.1..].iter_mut().for_each(|start| *start = start.saturating_sub(base));
            if let Some(changes) = &self.changes {
                let events = view.slices.event[before.0..].iter().zip(&view.slices.name[before.0..]);
                view.changes.extend(events.map(|(&event, &name)| changes.change(location, event, name) as i64));
            }
            if view.slices.len() + view.samples.len() > most {
                break;
            }
        }
        view
    }

    /// Encodes a view; `is_new` tells whether a name has not been sent yet.
    pub(super) fn view_json(&self, view: View, columns: &mut Columns, is_new: impl FnMut(u32) -> bool) -> Value {
        let View { window, slices, changes, counters, samples } = view;
        let names = self.names(&slices, is_new);
        let tracks = slices.tracks.clone();
        let busy = slices.busy.clone();
        let mut packed = pack(slices, columns);
        if window.size() > 1 {
            packed.push(columns.add("busy", Packed::ints(busy.into_iter().map(i64::from))));
        }
        if self.changes.is_some() {
            packed.push(columns.add("change", Packed::ints(changes.into_iter())));
        }
        let samples = vec![
            columns.add("start", Packed::ints(samples.start.into_iter())),
            columns.add("max", Packed::floats(&samples.max)),
            columns.add("last", Packed::floats(&samples.last)),
            columns.add("count", Packed::ints(samples.count.into_iter().map(i64::from))),
        ];
        json!({
            "start": window.start(),
            "end": window.end(),
            "window": window.size(),
            "tracks": tracks,
            "slices": packed,
            "counters": counters,
            "samples": samples,
            "names": names,
        })
    }

    /// The names of slices, each once, in the order of their ids.
    fn names(&self, slices: &Slices, mut is_new: impl FnMut(u32) -> bool) -> Value {
        let mut rank_of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut row = 0;
        for &[lane, _, rows] in &slices.tracks {
            for &name in &slices.name[row..row + rows as usize] {
                rank_of.entry(name).or_insert(lane as usize);
            }
            row += rows as usize;
        }
        let new: Vec<(u32, usize)> = rank_of.into_iter().filter(|&(name, _)| is_new(name)).collect();
        let text = |&(name, lane): &(u32, usize)| {
            self.lanes.get(lane).map_or_else(String::new, |&location| shortened(self.rank(location).lanes.text(name)))
        };
        json!({
            "ids": new.iter().map(|&(name, _)| name).collect::<Vec<_>>(),
            "texts": new.iter().map(text).collect::<Vec<_>>(),
        })
    }

    /// All lanes of the timeline.
    pub(super) fn all_lanes(&self) -> Vec<usize> {
        (0..self.lanes.len()).collect()
    }
}

/// The columns that every list of slices has.
pub(super) fn pack(slices: Slices, columns: &mut Columns) -> Vec<Value> {
    let wide = |values: Vec<u32>| Packed::ints(values.into_iter().map(i64::from));
    vec![
        columns.add("start", Packed::ints(slices.start.into_iter())),
        columns.add("dur", Packed::ints(slices.dur.into_iter())),
        columns.add("name", wide(slices.name)),
        columns.add("event", wide(slices.event)),
        columns.add("count", wide(slices.count)),
    ]
}

/// Cuts a name that is too long.
pub(crate) fn shortened(name: &str) -> String {
    cut(name, LONGEST_NAME)
}

/// Names that a conversation has sent.
#[derive(Debug, Clone, Default)]
pub struct SentNames(BTreeSet<u32>);

impl SentNames {
    /// Notes that a name is sent; tells whether it was not before.
    pub(super) fn note(&mut self, name: u32) -> bool {
        self.0.insert(name)
    }
}
