//! Changes of what a trace file says beside its events: its rank, and what is left out.

use super::{TraceCopy, TraceEdit};
use crate::RankInfo;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key whose object has the rank.
const DISTRIBUTED: &str = "distributedInfo";

/// The change of a copy that has all events of its source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TopLevel {
    /// The rank that the copy says it is of; `None` leaves it as it is.
    pub rank: Option<i64>,
    /// Whether the events are all that stays, besides a rank that is set.
    pub events_only: bool,
}

impl TraceEdit for TopLevel {
    fn omits_metadata(&self, key: &str) -> bool {
        self.events_only && !(key == DISTRIBUTED && self.rank.is_some())
    }

    fn metadata(&self, key: &str, text: &[u8]) -> Option<Vec<u8>> {
        let rank = self.rank.filter(|_| key == DISTRIBUTED)?;
        // What is not an object has no rank.
        let mut object: Map<String, Value> = serde_json::from_slice(text).unwrap_or_default();
        if self.events_only {
            object.clear();
        }
        object.insert("rank".to_owned(), json!(rank));
        serde_json::to_vec(&object).ok()
    }

    fn added_metadata(&self) -> Option<(&'static str, Vec<u8>)> {
        Some((DISTRIBUTED, json!({ "rank": self.rank? }).to_string().into_bytes()))
    }
}

impl TraceCopy {
    /// Creates a copy of the file of a rank with these changes; nothing is written before [`TraceCopy::save`].
    ///
    /// # Source
    /// HTA `update_trace_rank`, `write_trace`, `convert_to_perfetto`; the file of the rank itself is never changed.
    ///
    /// # Example
    /// ```
    /// use trace::prelude::*;
    /// use trace::write::{TopLevel, TraceCopy};
    ///
    /// # fn main() -> trace::Result<()> {
    /// # let folder = tempfile::tempdir().unwrap();
    /// let rank = TraceSet::load("../../notebooks/data/control")?.rank(3)?;
    /// let target = folder.path().join("rank-5.json.gz");
    /// TraceCopy::of_rank(rank.info(), &target, TopLevel { rank: Some(5), ..TopLevel::default() }).save()?;
    /// assert_eq!(TraceSet::load(&target)?.ranks(), [5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of_rank(info: &RankInfo, target: impl AsRef<Path>, change: TopLevel) -> Self {
        let (source, target) = (PathBuf::from(&info.file), target.as_ref().to_owned());
        Self { rank: info.rank, source, target, events: info.events_in_file, edit: Arc::new(change) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::TraceSet;
    use trace_testkit::TraceBuilder;

    fn copied(text: &str, change: TopLevel) -> Value {
        let folder = tempfile::tempdir().unwrap();
        let (source, target) = (folder.path().join("a.json"), folder.path().join("b.json"));
        std::fs::write(&source, text).unwrap();
        let set = TraceSet::load(&source).unwrap();
        TraceCopy::of_rank(set.info()[0], &target, change).save().unwrap();
        serde_json::from_slice(&std::fs::read(&target).unwrap()).unwrap()
    }

    #[test]
    fn rank_is_replaced_or_added() {
        let change = TopLevel { rank: Some(5), ..TopLevel::default() };
        let trace = || TraceBuilder::new().metadata("schema", "\"x\"").operator("a", 0..5);
        let replaced = copied(&trace().rank(0).json(), change);
        assert_eq!(replaced[DISTRIBUTED], json!({"backend": "nccl", "rank": 5, "world_size": 8}));
        assert_eq!((&replaced["schema"], replaced["traceEvents"].as_array().unwrap().len()), (&json!("x"), 1));
        assert_eq!(copied(&trace().without_rank().json(), change)[DISTRIBUTED], json!({"rank": 5}));
        let bare = r#"[{"ph": "X", "cat": "cpu_op", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]"#;
        let bare = copied(bare, change);
        assert_eq!((&bare[DISTRIBUTED]["rank"], &bare["traceEvents"][0]["name"]), (&json!(5), &json!("a")));
    }

    #[test]
    fn events_may_be_all_that_stays() {
        let text = TraceBuilder::new().rank(0).metadata("schema", "1").operator("a", 0..5).json();
        let keys = |change| copied(&text, change).as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(TopLevel { events_only: true, rank: None }), ["traceEvents"]);
        let mut both = keys(TopLevel { events_only: true, rank: Some(2) });
        both.sort();
        assert_eq!(both, [DISTRIBUTED, "traceEvents"]);
    }
}
