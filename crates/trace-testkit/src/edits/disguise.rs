//! Disguise of a copy: other ids, shifted times, 2 % noise.

use super::event::{Event, Role};
use crate::Random;
use serde_json::Value;

/// Fields of `args` with ids.
const IDS: [&str; 6] = ["correlation", "External id", "Ev Idx", "Python id", "Python parent id", "Record function id"];
const OFFSET: i64 = 1_000_003;
/// Time by which a copy is later.
const LATER_NS: i64 = 3_600_000_000_000;
/// The clock runs 0 to 4 % slower, another way in each interval of this length. Never faster: at a precision of 1 µs, moments
/// that differ would become one, and what is inside what would change.
const INTERVAL_NS: i64 = 50_000;

pub(super) fn disguise(events: &mut [Event], random: &mut Random) {
    for event in events.iter_mut() {
        renumber(event);
    }
    let timed = |event: &Event| event.value.get("ts").is_some();
    let first = events.iter().filter(|event| timed(event) && event.start > 0).map(|event| event.start).min();
    let last = events.iter().map(|event| event.end).max();
    let (Some(first), Some(last)) = (first, last) else { return };
    // Any monotone clock keeps the nesting.
    let intervals = (last - first) / INTERVAL_NS + 1;
    let slopes: Vec<i64> = (0..intervals).map(|_| 1000 + random.below(41) as i64).collect();
    let mut begins = Vec::with_capacity(slopes.len());
    let mut at = first + LATER_NS;
    for slope in &slopes {
        begins.push(at);
        at += INTERVAL_NS * slope / 1000;
    }
    let moved = |ns: i64| {
        let interval = ((ns - first).max(0) / INTERVAL_NS) as usize;
        begins[interval] + (ns - first - interval as i64 * INTERVAL_NS) * slopes[interval] / 1000
    };
    for event in events.iter_mut().filter(|event| timed(event) && event.start > 0) {
        (event.start, event.end) = (moved(event.start), moved(event.end));
        if event.role == Role::Gpu {
            let ns = event.end - event.start;
            event.end += ns * (random.below(41) as i64 - 20) / 1000;
        }
    }
}

fn renumber(event: &mut Event) {
    for name in IDS {
        let id = event.value.get("args").and_then(|args| args.get(name)).and_then(Value::as_i64);
        if let Some(id) = id.filter(|id| *id > 0) {
            event.value["args"][name] = (id + OFFSET).into();
        }
    }
    if let Some(id) = event.value.get("id").and_then(Value::as_i64) {
        event.set("id", id + OFFSET);
    }
    // Objects are at other addresses.
    let name = event.name();
    if event.role == Role::Stack && name.contains("0x") {
        let digits = |c: char| if c.is_ascii_digit() { char::from(b'9' - (c as u8 - b'0')) } else { c };
        let (plain, address) = name.split_at(name.find("0x").map_or(0, |at| at + 2));
        let name = plain.to_owned() + &address.chars().map(digits).collect::<String>();
        event.set("name", name);
    }
}
