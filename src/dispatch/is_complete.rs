//! `is_complete_request`: whether a console should run the cell or wait for more lines.

use super::reply::{content, typed};
use crate::Failure;
use crate::cell::{Completeness, is_complete};
use jupyter_protocol::{IsCompleteReply, IsCompleteRequest};
use serde_json::Value;

/// Returns the content of the reply.
pub(super) fn reply(request: Value) -> Result<Value, Failure> {
    let request: IsCompleteRequest = content(request)?;
    let takes_text = |name: &str| crate::magic::find(name).is_some_and(|magic| magic.takes_text());
    Ok(typed(&match is_complete(&request.code, &takes_text) {
        Completeness::Complete => IsCompleteReply::complete(),
        Completeness::Incomplete { indent } => IsCompleteReply::incomplete(indent),
        Completeness::Invalid => IsCompleteReply::invalid(),
    }))
}
