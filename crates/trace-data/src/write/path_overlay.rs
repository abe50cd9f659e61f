//! Edit of a trace copy that shows a path: marked events, and arrows between them.

use super::TraceEdit;
use super::micros::micros_text;
use super::overlay::{object, with_args};
use crate::read::{Token, object_members};
use hashbrown::HashMap;
use std::io::Result as IoResult;
use std::sync::{Mutex, PoisonError};

type FastMap<K, V> = HashMap<K, V, foldhash::fast::FixedState>;

/// A moment of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Anchor {
    /// Position of the event in `traceEvents`.
    #[doc(hidden)]
    pub event: i64,
    /// Which moment of it.
    #[doc(hidden)]
    pub at: Moment,
}

/// Which moment of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// Its start.
    Start,
    /// 1 µs before its end on a device, its end on the CPU, as HTA has it.
    EndAsHta,
    /// The moment of the event that is nearest to these ns of the trace, before its end.
    Nearest(i64),
}

impl Moment {
    /// Returns the moment of an event, in ns.
    fn of(self, seen: &Seen) -> i64 {
        let dur = seen.dur.max(0);
        let before_end = |nanos: i64| seen.ts.saturating_add(dur - nanos.min(dur));
        match self {
            Self::Start => seen.ts,
            Self::EndAsHta => before_end(if seen.is_on_device { 1_000 } else { 0 }),
            Self::Nearest(moment) => moment.clamp(seen.ts, before_end(1)),
        }
    }
}

/// An arrow from one event to another.
#[derive(Debug, Clone)]
pub struct Arrow {
    /// Where it begins.
    #[doc(hidden)]
    pub from: Anchor,
    /// Where it ends.
    #[doc(hidden)]
    pub to: Anchor,
    /// The arguments of both ends, the text of a JSON object.
    #[doc(hidden)]
    pub args: String,
}

/// What the source says of an event, as it is written there.
#[derive(Debug, Clone)]
struct Seen {
    pid: Vec<u8>,
    tid: Vec<u8>,
    ts: i64,
    dur: i64,
    is_on_device: bool,
}

/// Marks the events of a path with the argument `critical`, and draws arrows between events, as flow events that Perfetto and
/// chrome://tracing show.
///
/// ```text
/// {"ph": "X", "name": "aten::mm", …, "args": {"External id": 7, "critical": 1}}
/// {"ph": "s", "id": 0, "pid": 1, "tid": 1, "ts": 5.2, "cat": "critical_path", "name": "critical_path", "args": {…}}
/// {"ph": "f", "id": 0, "pid": 0, "tid": 7, "ts": 9,   "cat": "critical_path", "name": "critical_path", "args": {…}, "bp": "e"}
/// ```
///
/// A viewer draws an arrow to the slice that holds its moment, so an arrow at the end of an event stands a little before it.
/// Processes, threads and times of arrows are those that the source has, digit by digit, however the trace was loaded.
#[derive(Debug)]
pub struct PathOverlay {
    /// By position in `traceEvents` of an event of the path: further arguments, the texts of JSON values by name.
    marked: FastMap<i64, Vec<(&'static str, String)>>,
    arrows: Vec<Arrow>,
    /// The events of arrows, once the source was read past them.
    seen: Mutex<FastMap<i64, Option<Seen>>>,
    /// Whether other complete events are left out, but annotations and Python functions.
    only_path: bool,
}

impl PathOverlay {
    /// Creates an overlay of these arrows without marked events.
    #[doc(hidden)]
    pub fn new(arrows: Vec<Arrow>) -> Self {
        let seen = arrows.iter().flat_map(|arrow| [arrow.from.event, arrow.to.event]).map(|event| (event, None));
        let seen = Mutex::new(seen.collect());
        Self { marked: FastMap::default(), arrows, seen, only_path: false }
    }

    /// Marks an event as one of the path, with further arguments: texts of JSON values by name.
    #[doc(hidden)]
    pub fn mark(&mut self, event: i64, args: Vec<(&'static str, String)>) {
        self.marked.insert(event, args);
    }

    /// Leaves out complete events that are not on the path, but annotations and Python functions.
    #[must_use]
    #[doc(hidden)]
    pub fn only_path(self, only_path: bool) -> Self {
        Self { only_path, ..self }
    }
}

impl TraceEdit for PathOverlay {
    fn omits(&self, index: i64, text: &[u8]) -> bool {
        if !self.only_path || self.marked.contains_key(&index) {
            return false;
        }
        let Some(members) = object_members(text) else { return false };
        let value = |wanted: &[u8]| members.iter().rfind(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let is_exempt = matches!(value(b"cat"), Some(b"\"user_annotation\"" | b"\"python_function\""));
        value(b"ph") == Some(b"\"X\"") && !is_exempt
    }

    fn event(&self, index: i64, text: &[u8]) -> Option<Vec<u8>> {
        let mark = self.marked.get(&index);
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = seen.get_mut(&index);
        if mark.is_none() && wanted.is_none() {
            return None;
        }
        let members = object_members(text)?;
        let value = |wanted: &[u8]| members.iter().rfind(|(key, _)| *key == wanted).map(|(_, value)| *value);
        let args = value(b"args").and_then(object_members).unwrap_or_default();
        if let Some(wanted) = wanted {
            let nanos = |key: &[u8]| value(key).and_then(|text| Token::of(text).nanos().ok());
            let device = args.iter().rfind(|(key, _)| *key == b"device").map(|(_, value)| *value);
            *wanted = nanos(b"ts").zip(nanos(b"dur")).map(|(ts, dur)| Seen {
                pid: value(b"pid").unwrap_or(b"0").to_vec(),
                tid: value(b"tid").unwrap_or(b"0").to_vec(),
                ts,
                dur,
                is_on_device: device.and_then(|text| Token::of(text).integer().ok()).is_some_and(|number| number >= 0),
            });
        }
        let mark = mark?;
        let is_other = |key: &[u8]| key != b"critical" && mark.iter().all(|(name, _)| name.as_bytes() != key);
        let others = args.iter().filter(|(key, _)| is_other(key)).copied();
        let further = mark.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
        let args = object(others.chain([(&b"critical"[..], &b"1"[..])]).chain(further));
        Some(with_args(&members, &args))
    }

    fn added(&self, write: &mut dyn FnMut(&[u8]) -> IoResult<()>) -> IoResult<()> {
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |anchor: Anchor| seen.get(&anchor.event)?.as_ref().map(|seen| (seen, anchor.at.of(seen)));
        let arrows = self.arrows.iter().filter_map(|arrow| Some((arrow, known(arrow.from)?, known(arrow.to)?)));
        for (id, (arrow, from, to)) in arrows.enumerate() {
            for (phase, (seen, moment), end) in [("s", from, ""), ("f", to, r#", "bp": "e""#)] {
                let head = format!(r#"{{"ph": "{phase}", "id": {id}, "pid": "#);
                let (ts, args) = (micros_text(moment), &arrow.args);
                let tail =
                    format!(r#", "ts": {ts}, "cat": "critical_path", "name": "critical_path", "args": {args}{end}}}"#);
                write(&[head.as_bytes(), &seen.pid, br#", "tid": "#, &seen.tid, tail.as_bytes()].concat())?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::edited::{added, edited};
    use super::*;
    use serde_json::{Value, json};

    fn arrow(at: Moment, to: i64) -> Arrow {
        let (from, to) = (Anchor { event: 0, at }, Anchor { event: to, at: Moment::Start });
        Arrow { from, to, args: r#"{"type": "launch"}"#.to_owned() }
    }

    #[test]
    fn events_of_the_path_are_marked_and_keep_their_arguments() {
        let mut overlay = PathOverlay::new(Vec::new());
        overlay.mark(1, vec![("bound_by", "\"cpu\"".to_owned())]);
        let event = json!({"ph": "X", "name": "a", "args": {"critical": 0, "x": [1]}});
        let expected = json!({"ph": "X", "name": "a", "args": {"x": [1], "critical": 1, "bound_by": "cpu"}});
        assert_eq!(edited(&overlay, 1, &event).unwrap(), expected);
        let bare = json!({"ph": "X", "name": "b"});
        assert_eq!(edited(&overlay, 1, &bare).unwrap()["args"], json!({"critical": 1, "bound_by": "cpu"}));
        assert_eq!(edited(&overlay, 2, &event), None);
    }

    #[test]
    fn arrows_have_the_digits_of_the_source() {
        let kernel = json!({"ph": "X", "pid": 0, "tid": 7, "ts": 9, "dur": 1, "args": {"device": 0}});
        let moments = [
            (Moment::Start, "632.125"),
            (Moment::EndAsHta, "634.625"),
            (Moment::Nearest(0), "632.125"),
            (Moment::Nearest(1_695_835_585_860_633_000), "633"),
            (Moment::Nearest(i64::MAX), "634.624"),
        ];
        for (at, end) in moments {
            let overlay = PathOverlay::new(vec![arrow(at, 1), arrow(at, 7)]);
            overlay.event(0, br#"{"ph": "X", "pid": "job", "tid": 3, "ts": 1695835585860632.125, "dur": 2.5}"#);
            assert_eq!(edited(&overlay, 1, &kernel), None, "an arrow alone does not change it");
            let mut texts = Vec::new();
            let mut write = |text: &[u8]| {
                texts.push(String::from_utf8(text.to_vec()).unwrap());
                Ok(())
            };
            overlay.added(&mut write).unwrap();
            assert_eq!(texts.len(), 2, "an arrow to an event that the source does not have is left out");
            assert!(
                texts[0].contains(&format!(r#""pid": "job", "tid": 3, "ts": 1695835585860{end}, "#)),
                "{}",
                texts[0]
            );
            let added = added(&overlay);
            assert_eq!(added[1]["ts"], 9);
            assert_eq!((&added[0]["id"], &added[0]["ph"], &added[1]["bp"]), (&json!(0), &json!("s"), &json!("e")));
        }
    }

    #[test]
    fn other_complete_events_are_left_out_on_request() {
        let mut overlay = PathOverlay::new(Vec::new()).only_path(true);
        overlay.mark(0, Vec::new());
        let omits = |index: i64, event: Value| overlay.omits(index, event.to_string().as_bytes());
        assert!(!omits(0, json!({"ph": "X", "cat": "cpu_op"})));
        assert!(omits(1, json!({"ph": "X", "cat": "cpu_op"})));
        assert!(omits(1, json!({"ph": "X"})));
        for event in [json!({"ph": "X", "cat": "python_function"}), json!({"ph": "M", "name": "x"}), json!(5)] {
            assert!(!omits(1, event));
        }
    }
}
