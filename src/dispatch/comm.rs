//! Comms, of which this kernel has none: lists are empty, and a comm that a front end opens is closed at once.

use super::reply::typed;
use jupyter_protocol::{CommClose, CommId, CommInfoReply};
use serde_json::Value;

/// Returns the content of the reply to `comm_info_request`.
pub(super) fn info() -> Value {
    typed(&CommInfoReply::default())
}

/// Returns the content of the `comm_close` that answers a `comm_open`.
pub(super) fn close(open: &Value) -> Value {
    let id = open["comm_id"].as_str().unwrap_or_default();
    typed(&CommClose { comm_id: CommId(id.to_owned()), data: serde_json::Map::new() })
}
