//! `tracebook.echo`: sends every message back. Tests and diagnoses of a front end use it: it needs no trace.

use super::{Conversation, Reply, Target};
use crate::Failure;
use crate::session::Snapshot;
use serde_json::Value;

pub(super) struct Echo;

impl Target for Echo {
    fn name(&self) -> &'static str {
        "tracebook.echo"
    }

    fn open(&self, request: &Value, _: &Snapshot, reply: Reply) -> Result<Box<dyn Conversation>, Failure> {
        reply.send(request.clone(), Vec::new());
        Ok(Box::new(Self))
    }
}

impl Conversation for Echo {
    fn message(&mut self, data: &Value, buffers: &[Vec<u8>], reply: &Reply) -> Result<(), Failure> {
        reply.send(data.clone(), buffers.to_vec());
        Ok(())
    }
}
