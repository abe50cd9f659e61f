//! The answers to the requests of a front end.

use super::listed::MOST_LISTED;
use super::shown::Timeline;
use super::view::Columns;
pub use super::view::SentNames;
use crate::Result;
use serde_json::{Value, json};
use trace_view::one_line_texts;

/// The most slices of one reply; a view that needs more is coarser.
const MOST_SLICES: usize = 400_000;
/// The most windows across a view.
const MOST_COLUMNS: f64 = 65_536.0;

/// The answer to a request: the data and the buffers of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// The data of the message.
    pub data: Value,
    /// The buffers behind it.
    pub buffers: Vec<Vec<u8>>,
    /// Of a selection, the condition that its events meet, in the language of [`Where`](crate::filter::Where).
    pub filter: Option<String>,
}

impl Timeline {
    /// Answers a request of a front end, as `docs/timeline-format.md` says; `sent` has the names that the conversation has sent
    /// before. A request that is not understood gets an answer of type `error`.
    ///
    /// # Errors
    /// If the events cannot be read any more; [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn answer(&self, request: &Value, sent: &mut SentNames) -> Result<Answered> {
        let mut columns = Columns::in_buffers();
        let mut filter = None;
        let kind = request["type"].as_str().unwrap_or_default();
        let reply = match kind {
            "view" => window(request).map(|window| self.view(request, window, sent, &mut columns)),
            "slice" | "arrows" => match requested_event(request) {
                Some((lane, event)) => {
                    let found = if kind == "slice" { self.slice(lane, event)? } else { self.arrows(lane, event)? };
                    found.ok_or_else(|| format!("unknown event {event} of lane {lane}"))
                }
                None => Err(format!("invalid request `{kind}`: expected numbers `lane` and `event`")),
            },
            "lanes" => Ok(self.some_lanes(request)),
            "search" => match request["text"].as_str() {
                Some(text) => Ok(self.search(text, &mut columns)?),
                None => Err("invalid request `search`: expected a text `text`".to_owned()),
            },
            "selection" => match window(request) {
                Ok(window) => {
                    let selected = self.select(window, &self.lanes_of(request))?;
                    filter = Some(selected.filter);
                    Ok(selected.reply)
                }
                Err(message) => Err(message),
            },
            _ => Err(format!("unknown request `{kind}`: expected view, slice, arrows, lanes, search or selection")),
        };
        let (kind, mut data) = match reply {
            Ok(reply) => (kind, reply),
            Err(message) => ("error", json!({ "message": message })),
        };
        one_line_texts(&mut data);
        data["type"] = kind.into();
        data["id"] = request["id"].clone();
        Ok(Answered { data, buffers: columns.buffers.unwrap_or_default(), filter })
    }

    fn view(&self, request: &Value, window: (i64, i64), sent: &mut SentNames, columns: &mut Columns) -> Value {
        let lanes = self.lanes_of(request);
        let mut across = request["width_px"].as_f64().unwrap_or(1_000.0).clamp(1.0, MOST_COLUMNS) as u32;
        let mut view = self.look(window, across, &lanes, MOST_SLICES);
        while view.slices.len() > MOST_SLICES && across > 1 {
            across /= 2;
            view = self.look(window, across, &lanes, MOST_SLICES);
        }
        self.view_json(view, columns, |name| sent.note(name))
    }

    /// Lanes that the output does not list: by their ids, or so many from one on.
    fn some_lanes(&self, request: &Value) -> Value {
        let ids: Vec<usize> = if request["ids"].is_array() {
            numbers(&request["ids"])
        } else {
            let [from, count] = ["from", "count"].map(|key| request[key].as_u64().unwrap_or(0) as usize);
            (from..self.lanes.len()).take(count.min(MOST_LISTED)).collect()
        };
        let known = ids.into_iter().filter(|&id| id < self.lanes.len()).take(MOST_LISTED);
        json!({ "lanes": known.map(|id| self.lane_json(id)).collect::<Vec<_>>() })
    }

    /// The lanes of a request; without a list all of them.
    fn lanes_of(&self, request: &Value) -> Vec<usize> {
        if request["lanes"].is_array() { numbers(&request["lanes"]) } else { self.all_lanes() }
    }
}

/// The numbers of a list, ascending, each once.
fn numbers(list: &Value) -> Vec<usize> {
    let numbers = list.as_array().into_iter().flatten().filter_map(Value::as_u64);
    let mut numbers: Vec<usize> = numbers.map(|number| number as usize).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The window of a request.
fn window(request: &Value) -> std::result::Result<(i64, i64), String> {
    match (request["start"].as_f64(), request["end"].as_f64()) {
        // Saturates, as casts of doubles do.
        (Some(start), Some(end)) if start <= end => Ok((start.floor() as i64, end.ceil() as i64)),
        _ => Err("invalid window: expected numbers `start` and `end` in ns, the start first".to_owned()),
    }
}

/// Lane and event of a request.
fn requested_event(request: &Value) -> Option<(usize, u32)> {
    let lane = usize::try_from(request["lane"].as_u64()?).ok()?;
    Some((lane, u32::try_from(request["event"].as_u64()?).ok()?))
}
