//! Typed access to the events of a rank, value by value.

use super::columns::*;
use super::int_column::{IntColumn, followed_by, value_of};
use super::once_per_text;
use super::step_name::StepName;
use crate::domain::EventKind;
use crate::{Compat, Result};
use polars::prelude::{Categorical32Type, CategoricalMapping, DataFrame};
use polars_arrow::array::PrimitiveArray;
use std::sync::{Arc, OnceLock};

/// The columns that [`RankEvents`] reads.
pub const READ_COLUMNS: [&str; 11] =
    [INDEX, TS, DUR, PID, TID, STREAM, CORRELATION, INDEX_CORRELATION, ITERATION, NAME, CAT];

/// The kinds of the events of a rank, by row.
pub type Kinds = Arc<Vec<EventKind>>;

/// The events of a rank, for algorithms with their own order of rows: their columns, and what each event is and where it ran. A row is
/// the position of an event among all events of the rank. It copies nothing; [`Trace::rank_events`](crate::Trace::rank_events) shares the
/// kinds among all that read a rank.
#[derive(Clone)]
pub struct RankEvents {
    compat: Compat,
    kinds: OnceLock<Kinds>,
    index: IntColumn,
    ts: IntColumn,
    dur: IntColumn,
    pid: IntColumn,
    tid: IntColumn,
    stream: IntColumn,
    correlation: IntColumn,
    partner: IntColumn,
    iteration: IntColumn,
    name: PrimitiveArray<u32>,
    cat: PrimitiveArray<u32>,
    texts: Arc<CategoricalMapping>,
}

/// A call that no file has: another recording has it, for kernels of this launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InsertedCall {
    /// What it is.
    pub kind: EventKind,
    /// Code of its name.
    pub name: u32,
    /// Row of the launch, whose start, thread and iteration it has.
    pub launch: u32,
}

impl RankEvents {
    /// Returns the rows of a frame of events that was loaded with `compat`.
    ///
    /// # Errors
    /// If a column is missing.
    pub fn of(events: &DataFrame, compat: Compat) -> Result<Self> {
        let int = |name: &str| IntColumn::of(events, name);
        let series = |name: &str| -> Result<_> { Ok(events.column(name)?.as_materialized_series().rechunk()) };
        let (name, cat) = (series(NAME)?, series(CAT)?);
        // Names and categories are of one table.
        let (name, cat) = (name.cat::<Categorical32Type>()?, cat.cat::<Categorical32Type>()?);
        Ok(Self {
            compat,
            kinds: OnceLock::new(),
            index: int(INDEX)?,
            ts: int(TS)?,
            dur: int(DUR)?,
            pid: int(PID)?,
            tid: int(TID)?,
            stream: int(STREAM)?,
            correlation: int(CORRELATION)?,
            partner: int(INDEX_CORRELATION)?,
            iteration: int(ITERATION)?,
            name: name.physical().downcast_as_array().clone(),
            cat: cat.physical().downcast_as_array().clone(),
            texts: name.get_mapping().clone(),
        })
    }

    /// Returns these events with calls behind them, which take no time.
    pub fn with_calls(&self, calls: &[InsertedCall]) -> Self {
        let behind = |column: &IntColumn| column.followed_by(calls.iter().map(|call| column.get(call.launch as usize)));
        let nothing = |column: &IntColumn| column.followed_by(calls.iter().map(|_| None));
        let last = self.index.get(self.len().saturating_sub(1)).unwrap_or(-1);
        let kinds = self.kinds().iter().copied().chain(calls.iter().map(|call| call.kind)).collect();
        Self {
            compat: self.compat,
            kinds: OnceLock::from(Arc::new(kinds)),
            index: self.index.followed_by((0..calls.len()).map(|number| last.checked_add(number as i64 + 1))),
            ts: behind(&self.ts),
            dur: self.dur.followed_by(calls.iter().map(|_| Some(0))),
            pid: behind(&self.pid),
            tid: behind(&self.tid),
            stream: nothing(&self.stream),
            correlation: nothing(&self.correlation),
            partner: nothing(&self.partner),
            iteration: behind(&self.iteration),
            name: followed_by(&self.name, calls.iter().map(|call| Some(call.name))),
            cat: followed_by(&self.cat, calls.iter().map(|_| None)),
            texts: Arc::clone(&self.texts),
        }
    }

    /// Returns how the rank was loaded.
    #[inline]
    pub fn compat(&self) -> Compat {
        self.compat
    }

    /// Number of rows.
    #[allow(clippy::len_without_is_empty)]
    #[inline]
    pub fn len(&self) -> usize {
        self.index.len()
    }

    /// Position in the `traceEvents` of the file.
    #[inline]
    pub fn index(&self, row: usize) -> i64 {
        self.index.get(row).unwrap_or(-1)
    }

    /// Start, if the event has one.
    #[inline]
    pub fn ts(&self, row: usize) -> Option<i64> {
        self.ts.get(row)
    }

    /// Duration as it counts, see [`Compat::counted`].
    #[inline]
    pub fn dur(&self, row: usize) -> i64 {
        self.compat.counted(self.dur.get(row).unwrap_or(0))
    }

    /// Process and thread; on the GPU device and stream.
    #[inline]
    pub fn thread(&self, row: usize) -> (Option<i64>, Option<i64>) {
        (self.pid.get(row), self.tid.get(row))
    }

    /// Returns the stream of a row.
    #[inline]
    pub fn stream(&self, row: usize) -> Option<i64> {
        self.stream.get(row)
    }

    /// Returns the correlation of a row.
    #[inline]
    pub fn correlation(&self, row: usize) -> Option<i64> {
        self.correlation.get(row)
    }

    /// Returns the iteration of a row.
    #[inline]
    pub fn iteration(&self, row: usize) -> Option<i64> {
        self.iteration.get(row)
    }

    /// Returns the row at the other end of its correlation: the launch of a kernel, the last kernel of a launch.
    #[inline]
    pub fn partner(&self, row: usize) -> Option<usize> {
        self.row_of(self.partner.get(row)?)
    }

    /// Returns the position in the file of the event at the other end of its correlation.
    #[inline]
    pub fn partner_index(&self, row: usize) -> Option<i64> {
        self.partner.get(row)
    }

    /// Returns the row of a position in the file.
    #[inline]
    pub fn row_of(&self, index: i64) -> Option<usize> {
        // Rows are in file order.
        self.index.row_of(index)
    }

    /// Returns the code of the name.
    #[inline]
    pub fn name(&self, row: usize) -> u32 {
        value_of(&self.name, row).unwrap_or(u32::MAX)
    }

    /// Returns the code of the category.
    #[inline]
    pub fn cat(&self, row: usize) -> u32 {
        value_of(&self.cat, row).unwrap_or(u32::MAX)
    }

    /// Returns the text of a name or a category; empty for an unknown code.
    pub fn text(&self, code: u32) -> &str {
        self.texts.cat_to_str(code).unwrap_or_default()
    }

    /// Returns the table of all texts.
    pub fn mapping(&self) -> Arc<CategoricalMapping> {
        Arc::clone(&self.texts)
    }

    /// Returns the names, each once.
    pub fn names(&self) -> Vec<String> {
        let mut codes: Vec<u32> = self.name.iter().flatten().copied().collect();
        codes.sort_unstable();
        codes.dedup();
        codes.into_iter().map(|code| self.text(code).to_owned()).collect()
    }

    /// Returns the kinds of all events, found at the first call.
    #[inline]
    pub fn kinds(&self) -> &[EventKind] {
        self.shared_kinds()
    }

    /// Returns the kinds of all events, for others that read the same rank.
    #[inline]
    pub fn shared_kinds(&self) -> &Kinds {
        self.kinds.get_or_init(|| {
            let mut of_category = self.per_text(EventKind::of_category);
            let mut is_step = self.per_text(StepName::is_step);
            let kind = |row: usize| EventKind::of(of_category(self.cat(row)), || is_step(self.name(row)));
            Arc::new((0..self.len()).map(kind).collect())
        })
    }

    /// Takes over kinds that were found before, if they are of as many events.
    pub fn with_kinds(self, kinds: &Kinds) -> Self {
        if kinds.len() == self.len() {
            // Those that it has already are the same.
            self.kinds.set(Arc::clone(kinds)).ok();
        }
        self
    }

    /// Returns the kind of one event, without looking at all others.
    #[inline]
    pub fn kind(&self, row: usize) -> EventKind {
        match self.kinds.get() {
            Some(kinds) => kinds.get(row).copied().unwrap_or(EventKind::Other),
            None => {
                let of_category = EventKind::of_category(self.text(self.cat(row)));
                EventKind::of(of_category, || StepName::is_step(self.text(self.name(row))))
            }
        }
    }

    /// Tells whether an event ran on a device. Its kind says so; a stream does only where the kind is unknown, since operators of
    /// `torch.compile` run on a thread and name the stream that they launch on.
    #[inline]
    pub fn is_on_device(&self, row: usize) -> bool {
        match self.kind(row) {
            EventKind::Span | EventKind::Other => self.stream(row).is_some(),
            kind => kind.is_on_device(),
        }
    }

    /// Returns the device and the stream of an event that ran on a device; recordings without streams have a thread per stream.
    #[inline]
    pub fn device_and_stream(&self, row: usize) -> (Option<i64>, Option<i64>) {
        (self.pid.get(row), self.stream(row).or_else(|| self.tid.get(row)))
    }

    /// Returns a function from codes to the results of `what`, which is called once per distinct text.
    pub fn per_text<'r, T: Copy + 'r>(&'r self, what: impl FnMut(&'r str) -> T + 'r) -> impl FnMut(u32) -> T + 'r {
        once_per_text(&self.texts, what)
    }
}
