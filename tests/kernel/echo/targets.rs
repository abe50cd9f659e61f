//! Targets of conversations that misbehave as a test asks.

use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tracebook::Failure;
use tracebook::comm::{Conversation, Reply, Target};
use tracebook::session::Snapshot;

/// `test.work`: `{"ms": N}` works so long, or until it is cancelled; `{"deaf": N}` cannot be cancelled. `{"flood": N, "bytes": M}`
/// answers with N messages of M bytes, `{"panic": true}` not at all.
pub(crate) struct Work;

impl Target for Work {
    fn name(&self) -> &'static str {
        "test.work"
    }

    fn open(&self, request: &Value, _: &Snapshot, reply: Reply) -> Result<Box<dyn Conversation>, Failure> {
        let mut begun = Box::new(Self);
        begun.message(request, &[], &reply)?;
        Ok(begun)
    }
}

impl Conversation for Work {
    fn message(&mut self, data: &Value, _: &[Vec<u8>], reply: &Reply) -> Result<(), Failure> {
        let number = |key: &str| data[key].as_u64().unwrap_or_default();
        assert!(data["panic"].is_null(), "as asked");
        let end = Instant::now() + Duration::from_millis(number("ms"));
        while Instant::now() < end && !reply.is_cancelled() {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_millis(number("deaf")));
        for n in 0..number("flood") {
            reply.send(json!({"n": n}), vec![vec![0; number("bytes") as usize]]);
        }
        reply.send(json!({"id": data["id"], "done": true}), Vec::new());
        Ok(())
    }
}
