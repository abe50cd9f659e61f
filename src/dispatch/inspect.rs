//! `inspect_request`: help on the name at the cursor, from the view of the notebook, also while a cell runs.

use super::cursor::CursorRequest;
use super::reply::content;
use crate::session::View;
use crate::{Failure, introspect, magic};
use serde_json::{Value, json};
use trace_view::Bundle;

/// Returns the content of the reply.
pub(super) fn reply(request: Value, view: &View) -> Result<Value, Failure> {
    let request: CursorRequest = content(request)?;
    let (cursor, code) = (request.cursor(), request.code);
    let found = magic::inspect(&code, cursor, view).or_else(|| introspect::inspect(&code, cursor, view));
    let Bundle { data, metadata } = found.clone().unwrap_or_default();
    Ok(json!({"status": "ok", "found": found.is_some(), "data": data, "metadata": metadata}))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::Variable;

    #[test]
    fn variable_shows_its_type() {
        let variables = vec![Variable { name: "df".to_owned(), type_name: "DataFrame".to_owned() }];
        let view = View { variables, ..View::default() };
        let inspect = |code: &str, cursor: usize| {
            reply(json!({"code": code, "cursor_pos": cursor, "detail_level": 0}), &view).unwrap()
        };
        assert_eq!(
            inspect("df.height()", 1)["data"]["text/plain"].as_str().unwrap().lines().next(),
            Some("df: DataFrame")
        );
        assert_eq!(inspect("(df)", 3)["found"], true);
        assert_eq!(inspect("dg", 1), json!({"status": "ok", "found": false, "data": {}, "metadata": {}}));
    }
}
