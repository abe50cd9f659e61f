//! Columns of the aligned tree.

use super::tree::{TreeDiff, TreeRow};
use crate::Result;
use crate::explain::certainty::Certainty;
use crate::explain::columns::{
    CONTROL_TOTAL_US, CONTROL_US, DELTA_US, GRADE, INTERVAL_HIGH_US, INTERVAL_LOW_US, Q, TEST_TOTAL_US, TEST_US,
    VERDICT, WHY,
};
use crate::frame::columns::NAME;
use crate::present::{Field, answer_frame};
use polars::prelude::DataFrame;
use trace_view::Unit;

/// Columns of the rows of a tree, in the order of its frame.
const COLUMNS: [Field<TreeRow>; 23] = [
    Field::id("id", "position in the tree", |row| i64::try_from(row.id).ok()),
    Field::id("parent", "row of the call above; null at the top", |row| i64::try_from(row.parent?).ok()),
    Field::whole("depth", Unit::Count, "number of calls above", |row| i64::try_from(row.depth).ok()),
    Field::text("path", "names of the rows above, the outermost first", |row| Some(row.path.join(" > "))),
    Field::name(NAME, "call; of a region its operator and kernel", |row| Some(&row.name)),
    Field::word("kind", "call, region, kernel, idle, unattributed or rest", |row| Some(row.kind.word())),
    Field::known_word(GRADE, |row| row.grade),
    Field::known_word(WHY, |row| Some(&row.why)),
    Field::id("region", "number among the regions", |row| i64::try_from(row.region?).ok()),
    Field::number("control_count", Unit::Count, "GPU events a step of control", |row| Some(row.count[0])),
    Field::number("test_count", Unit::Count, "GPU events a step of test", |row| Some(row.count[1])),
    Field::known_number(CONTROL_US, |row| Some(row.us[0])),
    Field::known_number(TEST_US, |row| Some(row.us[1])),
    Field::known_number(DELTA_US, |row| Some(row.delta_us)),
    Field::number("share_of_delta", Unit::Percent, "share of the change of the step", |row| row.share),
    Field::number("control_self_us", Unit::Micros, "control without the calls below", |row| Some(row.self_us[0])),
    Field::number("test_self_us", Unit::Micros, "test without the calls below", |row| Some(row.self_us[1])),
    Field::known_number(CONTROL_TOTAL_US, |row| Some(row.total_us[0])),
    Field::known_number(TEST_TOTAL_US, |row| Some(row.total_us[1])),
    Field::known_number(INTERVAL_LOW_US, |row| Some(row.judged.as_ref()?.interval_us?[0])),
    Field::known_number(INTERVAL_HIGH_US, |row| Some(row.judged.as_ref()?.interval_us?[1])),
    Field::known_number(Q, |row| row.judged.as_ref()?.q),
    Field::known_text(VERDICT, |row| Certainty::word(row.judged)),
];

impl TreeDiff {
    /// The rows as a frame, in the same order.
    ///
    /// # Columns
    /// `id`, `parent` (null at the top), `depth`, `path` (names of the rows above, joined by ` > `), `name`, `kind` (`call`,
    /// `region`, `kernel`, `idle`, `unattributed`, `rest`), `grade`, `why`, `region` (its number among the regions); of both sides
    /// `control_count`, `test_count` (GPU events a step), `control_us`, `test_us` (share of the step), `delta_us`,
    /// `share_of_delta` (percent of the change of the step; null if it did not change), `control_self_us`, `test_self_us`
    /// (without the calls below), `control_total_us`, `test_total_us` (sums of durations); `interval_low_us`, `interval_high_us` (95 %
    /// interval of `delta_us`), `q`, `verdict`, null where nothing was judged. Times are means in µs.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn frame(&self) -> Result<DataFrame> {
        answer_frame(&self.rows(), &COLUMNS)
    }
}
