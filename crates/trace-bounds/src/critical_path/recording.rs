//! Frames of a rank → the events of a causal graph.

use super::collectives::Collectives;
use crate::collective;
use crate::domain::{EventKind, is_collective, is_cpu_collective};
use crate::exec::checkpoint::cancellable;
use crate::frame::{IntColumn, READ_COLUMNS, RankEvents, TrackNumbers};
use crate::{Compat, Result, Trace};
use causal::{Call, DeviceEvent, DeviceKind, HostEvent, HostKind, NONE, RankInput, Stream, SyncKind, SyncRow};
use polars::prelude::PlSmallStr;

const WAIT_ON_STREAM: &str = "wait_on_stream";
const WAIT_ON_RECORD: &str = "wait_on_cuda_event_record_corr_id";
const IN_ELEMENTS: &str = "in_msg_nelems";

/// Columns that are read, besides those of all events and of collectives.
const COLUMNS: [&str; 3] = [WAIT_ON_STREAM, WAIT_ON_RECORD, IN_ELEMENTS];

/// The events of a rank, and what their numbers mean. Rows are positions among the events of the rank.
#[derive(Debug, Default)]
pub(super) struct Recording {
    /// The events; streams are in [`RankInput::streams`].
    pub(super) events: RankInput,
    /// Process and thread by the number of a thread.
    pub(super) threads: Vec<(Option<i64>, Option<i64>)>,
}

/// Converts the events of a rank, which it returns, too; `loads_data` tells by name which events of the CPU load data. `loaded` is the number of ranks
/// whose collectives are to be matched. Maps only the columns that it reads.
pub(super) fn recording(
    trace: &Trace,
    compat: Compat,
    loaded: usize,
    loads_data: impl Fn(&str) -> bool,
) -> Result<(Recording, RankEvents)> {
    let names = READ_COLUMNS.iter().chain(&COLUMNS).chain(&collective::COLUMNS);
    let events = trace.frame_of(&names.map(|&name| PlSmallStr::from_static(name)).collect::<Vec<_>>())?;
    let rows = trace.rank_events(&events, compat)?;
    let int = |name: &str| IntColumn::of(&events, name).ok();
    let mut builder = Builder {
        rows: &rows,
        on_stream: int(WAIT_ON_STREAM),
        record: int(WAIT_ON_RECORD),
        threads: TrackNumbers::default(),
        streams: TrackNumbers::default(),
        collectives: Collectives::of(&events, int(IN_ELEMENTS), loaded),
        found: Recording::default(),
    };
    builder.found.events.rank = trace.rank();
    // Reserved memory takes no pages until it is written.
    builder.found.events.host.reserve_exact(rows.len());
    builder.found.events.device.reserve_exact(rows.len());
    builder.fill(loads_data);
    let Builder { mut found, threads, streams, collectives, .. } = builder;
    (found.threads, found.events.streams) = (threads.into_tracks(), streams.into_tracks());
    collectives.number(&mut found.events, &rows);
    load_within(&mut found.events.host);
    Ok((found, rows))
}

/// Makes what runs inside an event that loads data part of it; calls of the runtime stay calls.
fn load_within(host: &mut [HostEvent]) {
    let loading = host.iter().filter(|event| event.kind == HostKind::Loading);
    let mut spans: Vec<(u32, i64, i64)> = loading.map(|event| (event.thread, event.start, event.end)).collect();
    spans.sort_unstable();
    for event in host
        .iter_mut()
        .filter(|event| !matches!(event.kind, HostKind::Call(_) | HostKind::Loading | HostKind::Collective))
    {
        let next = spans.partition_point(|&(thread, start, _)| (thread, start) <= (event.thread, event.start));
        let around = next.checked_sub(1).map(|before| spans[before]);
        if around.is_some_and(|(thread, _, end)| thread == event.thread && event.end <= end) {
            event.kind = HostKind::Loading;
        }
    }
}

/// How the names of PyTorch's own data loading begin: work, not an annotation of other work.
const DATA_LOADER: &str = "enumerate(DataLoader)";

struct Builder<'r> {
    rows: &'r RankEvents,
    on_stream: Option<IntColumn>,
    record: Option<IntColumn>,
    threads: TrackNumbers<(Option<i64>, Option<i64>)>,
    streams: TrackNumbers<Stream>,
    collectives: Collectives,
    found: Recording,
}

impl Builder<'_> {
    fn fill(&mut self, loads_data: impl Fn(&str) -> bool) {
        let rows = self.rows;
        let kinds = rows.kinds();
        let mut loads_data = rows.per_text(loads_data);
        let mut is_loader = rows.per_text(|name| name.starts_with(DATA_LOADER));
        let mut call = rows.per_text(Call::named);
        let mut numbers = 0..u16::MAX;
        let mut call_name = rows.per_text(|_| numbers.next().unwrap_or(u16::MAX));
        let mut communicates = rows.per_text(is_collective);
        let mut communicates_on_cpu = rows.per_text(is_cpu_collective);
        let mut sync = rows.per_text(|name| match name {
            "Stream Sync" => Some(SyncKind::Stream),
            "Context Sync" => Some(SyncKind::Device),
            "Event Sync" => Some(SyncKind::Event),
            "Stream Wait Event" => Some(SyncKind::StreamWait),
            _ => None,
        });
        for row in cancellable(0..rows.len()) {
            let Some(start) = rows.ts(row) else { continue };
            let name = rows.name(row);
            let kind = match kinds[row] {
                EventKind::DeviceAnnotation | EventKind::Span | EventKind::Other => continue,
                EventKind::Sync => {
                    if let Some(kind) = sync(name) {
                        self.sync(row, kind);
                    }
                    continue;
                }
                EventKind::Kernel if communicates(name) => {
                    self.device(row, start, DeviceKind::Communication);
                    continue;
                }
                EventKind::Kernel => {
                    self.device(row, start, DeviceKind::Compute);
                    continue;
                }
                EventKind::Memory => {
                    self.device(row, start, DeviceKind::Memory);
                    continue;
                }
                EventKind::Call => HostKind::Call(call(name)),
                EventKind::Operator | EventKind::Annotation if communicates_on_cpu(name) => HostKind::Collective,
                _ if loads_data(name) => HostKind::Loading,
                EventKind::Operator => HostKind::Operator,
                EventKind::Annotation if is_loader(name) => HostKind::Operator,
                EventKind::Annotation => HostKind::Annotation,
                EventKind::Python => HostKind::Python,
            };
            let thread = self.threads.number(rows.thread(row));
            let call_name = if matches!(kind, HostKind::Call(_)) { call_name(name) } else { 0 };
            let (end, correlation) = (start.saturating_add(rows.dur(row)), number(rows.correlation(row)));
            self.found.events.host.push(HostEvent {
                start,
                end,
                thread,
                row: row as u32,
                correlation,
                call_name,
                kind,
            });
        }
    }

    fn device(&mut self, row: usize, start: i64, kind: DeviceKind) {
        let rows = self.rows;
        let (device, stream) = rows.device_and_stream(row);
        let stream = self.stream(device, stream.unwrap_or(0));
        let at = self.found.events.device.len();
        self.found.events.device.push(DeviceEvent {
            start,
            end: start.saturating_add(rows.dur(row)),
            stream,
            row: row as u32,
            correlation: number(rows.correlation(row)),
            kind,
            collective: NONE,
        });
        if kind == DeviceKind::Communication {
            self.collectives.add(at, row, rows);
        }
    }

    fn sync(&mut self, row: usize, kind: SyncKind) {
        let device = self.rows.thread(row).0;
        let of_row = |column: &Option<IntColumn>| column.as_ref()?.get(row);
        let (on_stream, record, stream) = (of_row(&self.on_stream), of_row(&self.record), self.rows.stream(row));
        let mut known = |stream: Option<i64>| match stream {
            Some(stream) if stream >= 0 => self.stream(device, stream),
            _ => NONE,
        };
        let (on_stream, stream) = (known(on_stream), known(stream));
        self.found.events.syncs.push(SyncRow {
            kind,
            correlation: number(self.rows.correlation(row)),
            stream,
            device: device.unwrap_or(0),
            on_stream,
            record: number(record),
        });
    }

    fn stream(&mut self, device: Option<i64>, stream: i64) -> u32 {
        self.streams.number(Stream { device: device.unwrap_or(0), stream })
    }
}

/// A correlation as a number of the graph.
fn number(correlation: Option<i64>) -> u32 {
    // Correlations count from 1; what does not fit is folded, and hardly ever meets another.
    correlation.filter(|&id| id > 0).map_or(NONE, |id| ((id ^ (id >> 32)) as u32).min(NONE - 1))
}
