//! Rules of synchronisations: waits for events, and for streams.

use super::checked::Checked;
use super::rules::RuleName;
use crate::Result;
use crate::analysis::RankView;
use crate::callstack::Enclosing;
use crate::domain::EventKind;
use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use call_tree::vendor_neutral;
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use std::collections::BTreeMap;
use trace_view::format::nanoseconds;

/// The argument that names the call whose event is waited for.
const RECORD: &str = "wait_on_cuda_event_record_corr_id";

/// What a synchronisation waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    /// A stream for an event.
    StreamForEvent,
    /// The CPU for an event.
    Event,
    /// The CPU for a stream.
    Stream,
}

impl Wait {
    fn of(name: &str) -> Option<Self> {
        match name {
            "Stream Wait Event" => Some(Self::StreamForEvent),
            "Event Sync" | "Event Synchronize" => Some(Self::Event),
            "Stream Sync" | "Stream Synchronize" => Some(Self::Stream),
            _ => None,
        }
    }
}

/// Checks the synchronisations of a view.
///
/// # Errors
/// If events cannot be read any more.
pub(super) fn check(view: &RankView, found: &mut BTreeMap<RuleName, Checked>) -> Result<()> {
    let rows = view.rank_events();
    let kinds = rows.kinds();
    let mut wait = rows.per_text(Wait::of);
    let waits = cancellable(view.rows()).map(|&row| row as usize).filter(|&row| kinds[row] == EventKind::Sync);
    let waits: Vec<(usize, Wait)> = waits.filter_map(|row| Some((row, wait(rows.name(row))?))).collect();
    if waits.is_empty() {
        return Ok(());
    }
    let of_events: Vec<(usize, Wait)> = waits.iter().copied().filter(|(_, wait)| *wait != Wait::Stream).collect();
    check_events(view, &of_events, found)?;
    let of_streams: Vec<usize> = waits.iter().filter(|(_, wait)| *wait == Wait::Stream).map(|(row, _)| *row).collect();
    check_streams(view, &of_streams, found);
    Ok(())
}

fn check_events(view: &RankView, waits: &[(usize, Wait)], found: &mut BTreeMap<RuleName, Checked>) -> Result<()> {
    if waits.is_empty() {
        return Ok(());
    }
    let rows = view.rank_events();
    let events = view.all_events_with_args(&[RECORD], &[RECORD])?;
    let record = events.column(RECORD).is_ok().then(|| IntColumn::of(&events, RECORD)).transpose()?;
    let records = records(view);
    let (mut named, mut earlier) = (Checked::default(), Checked::default());
    for &(row, wait) in cancellable(waits) {
        let (name, index) = (rows.text(rows.name(row)), rows.index(row));
        let of = record.as_ref().and_then(|record| record.get(row)).filter(|&of| of >= 0);
        named.add(of.is_some(), index, || format!("{name} of no recorded event"));
        // PyTorch checks waits of streams only: the CPU may wait for an event from before the recording.
        let (Some(of), Wait::StreamForEvent, Some(at)) = (of, wait, rows.ts(row)) else { continue };
        let recorded = records.get(&of).copied();
        earlier.add(recorded.is_some_and(|recorded| recorded <= at), index, || match recorded {
            None => format!("{name} for call {of} (correlation), which is not in the recording"),
            Some(recorded) => {
                format!("{name} for call {of} (correlation), which begins {} later", nanoseconds(recorded - at))
            }
        });
    }
    found.extend([(RuleName::WaitNamesRecord, named), (RuleName::RecordBeforeWait, earlier)]);
    Ok(())
}

/// Returns the start of the call that recorded an event, by its correlation, of all events of the rank.
fn records(view: &RankView) -> HashMap<i64, i64, FixedState> {
    let rows = view.rank_events();
    let mut is_record = rows.per_text(|name| vendor_neutral(name).starts_with("hipEventRecord"));
    let mut records: HashMap<i64, i64, FixedState> = HashMap::default();
    for row in cancellable(0..rows.len()) {
        if let (true, Some(id), Some(at)) = (is_record(rows.name(row)), rows.correlation(row), rows.ts(row)) {
            let first = records.entry(id).or_insert(at);
            *first = at.min(*first);
        }
    }
    records
}

/// The kernels of a stream.
#[derive(Default)]
struct OnStream {
    /// Start, end and row, by the start.
    kernels: Vec<(i64, i64, usize)>,
}

fn check_streams(view: &RankView, waits: &[usize], found: &mut BTreeMap<RuleName, Checked>) {
    if waits.is_empty() {
        return;
    }
    let rows = view.rank_events();
    let mut streams: BTreeMap<_, OnStream> = BTreeMap::new();
    for event in cancellable(view.gpu()).filter(|event| event.is_work) {
        let stream = rows.device_and_stream(event.row as usize);
        streams.entry(stream).or_default().kernels.push((event.ts, event.end(), event.row as usize));
    }
    let mut busy = BTreeMap::new();
    for (stream, mut on_stream) in streams {
        on_stream.kernels.sort_unstable();
        let around = Enclosing::new(on_stream.kernels.iter().map(|&(start, end, _)| (start, end)));
        busy.insert(stream, (on_stream, around));
    }
    let mut drained = Checked::default();
    for &row in cancellable(waits) {
        let Some(start) = rows.ts(row) else { continue };
        let end = |row: usize| rows.ts(row).map(|start| start.saturating_add(rows.dur(row)));
        let call = rows.partner(row).filter(|&call| !rows.is_on_device(call));
        // The call returns once the stream is empty; its row on the GPU may end before.
        let over = end(row).max(call.and_then(end)).unwrap_or(start);
        let begun = call.and_then(|call| rows.ts(call)).unwrap_or(start);
        let running = busy.get(&rows.device_and_stream(row)).and_then(|(on_stream, around)| {
            let (_, end, kernel) = on_stream.kernels[around.last_around(over, over.saturating_add(1))?];
            let launched = rows.ts(rows.partner(kernel)?)?;
            (launched < begun).then_some((end, kernel))
        });
        drained.add(running.is_none(), rows.index(row), || {
            running.map_or_else(String::new, |(end, kernel)| {
                let name = rows.text(rows.name(kernel));
                format!("{name} ends {} after {}", nanoseconds(end.saturating_sub(over)), rows.text(rows.name(row)))
            })
        });
    }
    found.insert(RuleName::StreamIsDrained, drained);
}
