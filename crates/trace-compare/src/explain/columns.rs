//! Columns that regions and rows of aligned trees have in common, each declared once.

use trace_view::{Column, Kind, Unit};

pub(super) const GRADE: Column = word("grade", "how well the two sides agree");
pub(super) const WHY: Column = word("why", "reason of the grade");
pub(super) const CONTROL_US: Column = Column::new("control_us", Unit::Micros, "share of the step of control");
pub(super) const TEST_US: Column = Column::new("test_us", Unit::Micros, "share of the step of test");
pub(super) const DELTA_US: Column = Column::new("delta_us", Unit::Micros, "test − control");
pub(super) const CONTROL_TOTAL_US: Column =
    Column::new("control_total_us", Unit::Micros, "sum of durations of control");
pub(super) const TEST_TOTAL_US: Column = Column::new("test_total_us", Unit::Micros, "sum of durations of test");
pub(super) const INTERVAL_LOW_US: Column =
    Column::new("interval_low_us", Unit::Micros, "lower end of the 95 % interval of delta_us");
pub(super) const INTERVAL_HIGH_US: Column =
    Column::new("interval_high_us", Unit::Micros, "upper end of the 95 % interval of delta_us");
pub(super) const Q: Column = Column::new("q", Unit::None, "share of false alarms among changes as certain");
pub(super) const VERDICT: Column =
    Column::new("verdict", Unit::None, "regression, improvement, no relevant change or inconclusive")
        .shown_as(Kind::Text);

const fn word(name: &'static str, meaning: &'static str) -> Column {
    Column::new(name, Unit::None, meaning).shown_as(Kind::Category)
}
