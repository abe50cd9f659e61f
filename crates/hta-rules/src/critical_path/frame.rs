//! The events of one rank as HTA has them in a frame.

/// The events of one rank, in the order of HTA's frame: the kept events of the GPU first, then those of the CPU, each in file
/// order; without incomplete profiler steps.
///
/// A *place* is the position of an event in this order. Names and categories are codes of texts, small numbers, or [`NO_TEXT`].
pub trait Frame {
    /// Returns the number of events.
    fn len(&self) -> usize;

    /// Whether there are no events.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the event at a place.
    fn row(&self, position: usize) -> Row;

    /// Returns the place of the event with an index in the file.
    fn position(&self, index: i64) -> Option<usize>;

    /// Returns the text of a name or a category.
    fn text(&self, code: u32) -> &str;

    /// Returns the name without parameters, by which HTA decides whether a kernel communicates.
    fn short_name(&self, code: u32) -> String;

    /// Whether an event with this name has nodes because it loads data: HTA looks for plain text in the name.
    fn has_nodes_as_loading(&self, _code: u32) -> bool {
        false
    }

    /// Whether the time of an event with this name counts as loading data: HTA looks for patterns in the short name.
    fn counts_as_loading(&self, _code: u32) -> bool {
        false
    }
}

/// The code of an absent text. Other codes are small: as many bytes are used as the largest one.
pub const NO_TEXT: u32 = u32::MAX;

/// An event. Times are in ns on any clock; −1 is HTA's absence of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Position in the file's `traceEvents`.
    pub index: i64,
    /// Code of the name.
    pub name: u32,
    /// Code of the category.
    pub cat: u32,
    /// Start.
    pub ts: i64,
    /// Duration; negative where HTA's rounding made it so.
    pub dur: i64,
    /// Process; of a kernel the device.
    pub pid: i64,
    /// Thread; of a kernel the stream.
    pub tid: i64,
    /// Stream; −1 on the CPU.
    pub stream: i64,
    /// Correlation id; −1 for none.
    pub correlation: i64,
    /// Index of the event at the other end of the correlation; 0 if it is not in the trace, −1 without a correlation.
    pub partner: i64,
    /// Stream that a synchronisation waits for; −1 for none.
    pub wait_on_stream: i64,
    /// Correlation id of the record that a synchronisation waits for; −1 for none.
    pub wait_on_record: i64,
}

impl Row {
    /// Returns the end.
    #[inline]
    pub fn end(&self) -> i64 {
        self.ts.saturating_add(self.dur)
    }

    /// Whether HTA takes the event for one of the GPU.
    #[inline]
    pub(super) fn is_on_gpu(&self) -> bool {
        self.stream != -1
    }
}
