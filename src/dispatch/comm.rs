//! Comms: we have none. Who asks is told so; who opens one is told that it is closed.

use super::reply::typed;
use jupyter_protocol::{CommClose, CommId, CommInfoReply};
use serde_json::Value;

/// The reply to `comm_info_request`.
pub(super) fn info() -> Value {
    typed(&CommInfoReply::default())
}

/// The `comm_close` that answers a `comm_open`.
pub(super) fn close(open: &Value) -> Value {
    let id = open["comm_id"].as_str().unwrap_or_default();
    typed(&CommClose { comm_id: CommId(id.to_owned()), data: serde_json::Map::new() })
}
