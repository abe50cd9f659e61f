//! `complete_request`: candidates for the word at the cursor, from the view of the notebook, also while a cell runs.

use super::cursor::{CursorRequest, to_points};
use super::reply::{content, typed};
use crate::session::View;
use crate::{Failure, introspect, magic};
use jupyter_protocol::{CompleteReply, ReplyStatus};
use serde_json::{Map, Value, json};

/// Returns the content of the reply: magics where the cursor is on a magic line, else Rust.
pub(super) fn reply(request: Value, view: &View) -> Result<Value, Failure> {
    let request: CursorRequest = content(request)?;
    let (cursor, code) = (request.cursor(), request.code);
    let (start, end, items) = match magic::complete(&code, cursor, view) {
        Some(found) => {
            let items = found.items.into_iter().map(|item| (item.text, item.kind.as_str(), String::new())).collect();
            (found.start, found.end, items)
        }
        None => {
            let found = introspect::complete(&code, cursor, view);
            let items = found.items.into_iter().map(|item| (item.text, item.kind, item.signature));
            (found.start, cursor, items.collect::<Vec<_>>())
        }
    };
    let (cursor_start, cursor_end) = (to_points(&code, start), to_points(&code, end));
    let (mut matches, mut types) = (Vec::with_capacity(items.len()), Vec::with_capacity(items.len()));
    for (text, kind, signature) in items {
        types.push(json!({
            "text": &text, "type": kind, "signature": signature, "start": cursor_start, "end": cursor_end
        }));
        matches.push(text);
    }
    let (metadata, status) = (Map::new(), ReplyStatus::Ok);
    let mut reply = typed(&CompleteReply { matches, cursor_start, cursor_end, metadata, status, error: None });
    // JupyterLab shows types and signatures only from this field. It is moved: a thousand candidates are not copied.
    reply["metadata"]["_jupyter_types_experimental"] = Value::Array(types);
    Ok(reply)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::session::Variable;
    use std::sync::Arc;
    use trace_view::FrameSchema;

    fn view() -> View {
        let schema = FrameSchema::new(Some(3), [("name", "str"), ("diff_counts", "i64")].into_iter());
        let variable = |name: &str| Variable { name: name.to_owned(), type_name: "i32".to_owned() };
        View {
            labels: vec!["control".to_owned()],
            traces: Vec::new(),
            variables: vec![variable("control"), variable("counts"), variable("other")],
            frames: [("df".to_owned(), Arc::new(schema))].into(),
            ..View::default()
        }
    }

    fn complete(code: &str, cursor_pos: Option<usize>) -> (Vec<String>, u64, u64) {
        let reply = reply(json!({"code": code, "cursor_pos": cursor_pos}), &view()).unwrap();
        let matches = serde_json::from_value(reply["matches"].clone()).unwrap();
        (matches, reply["cursor_start"].as_u64().unwrap(), reply["cursor_end"].as_u64().unwrap())
    }

    #[test]
    fn variables_and_traces_come_first() {
        // Variables come before what every cell has in scope.
        let (names, start, end) = complete("co", None);
        assert_eq!((&names[..2], start, end), (["control".to_owned(), "counts".to_owned()].as_slice(), 0, 2));
        assert!(names.contains(&"col".to_owned()), "{names:?}");
        assert_eq!(complete("f(othe)", Some(6)), (vec!["other".to_owned()], 2, 6));
        assert_eq!(complete("3.xyzzy", None).0, [""; 0]);
    }

    #[test]
    fn cursor_positions_are_code_points() {
        assert_eq!(complete("\"𝒳é\" + othe", None), (vec!["other".to_owned()], 7, 11));
        assert_eq!(complete("", Some(99)).1, 0);
    }

    #[test]
    fn columns_are_offered_inside_col() {
        assert_eq!(complete("df.select([col(\"di", None), (vec!["diff_counts".to_owned()], 16, 18));
        assert_eq!(complete("f(\"di", None).0, [""; 0]);
    }
}
