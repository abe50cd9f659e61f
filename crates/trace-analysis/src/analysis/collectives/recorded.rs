//! Collectives of one rank as they were recorded: group, kind, sizes, times.

use super::exposed::{ExposedCollectives, times};
use super::peers::{Peers, add_splits};
use crate::Result;
use crate::analysis::{ByRank, Merge, RankView};
use crate::collective::{COLUMNS, Collectives as Matching, Numbering};
use crate::domain::{KernelType, is_cpu_collective};
use crate::exec::checkpoint::cancellable;
use crate::frame::IntColumn;
use efficiency::{CollectiveKind, DataType, Message};
use polars::prelude::{DataFrame, DataType as ColumnType, IdxCa, StringChunked};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const GROUP_NAME: &str = "process_group_name";
const GROUP_DESCRIPTION: &str = "process_group_desc";
const GROUP_RANKS: &str = "process_group_ranks";
const GROUP_SIZE: &str = "group_size";
const NAME: &str = "collective_name";
const SENT: &str = "in_msg_nelems";
const RECEIVED: &str = "out_msg_nelems";
const ELEMENT: &str = "msg_dtype";
const SENT_SPLITS: &str = "in_split_size";
const RECEIVED_SPLITS: &str = "out_split_size";

/// The arguments that are read.
const ARGS: [&str; 10] = [
    GROUP_NAME,
    GROUP_DESCRIPTION,
    GROUP_RANKS,
    GROUP_SIZE,
    NAME,
    SENT,
    RECEIVED,
    ELEMENT,
    SENT_SPLITS,
    RECEIVED_SPLITS,
];

/// The partial result: the collectives of ranks.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct State {
    /// Those that ranks have in common.
    pub(super) matching: Matching,
    pub(super) ranks: ByRank<OnRank>,
}

impl State {
    /// Returns the time of all kernels, and how much of it is exposed.
    pub(super) fn exposed(&self) -> ExposedCollectives {
        let kernels = self.ranks.0.values().flat_map(|rank| &rank.kernels);
        ExposedCollectives::sum(kernels.map(|kernel| (kernel.dur, kernel.exposed)))
    }

    /// Returns the bytes by peer of each rank.
    pub(super) fn peers(&self) -> Vec<(i64, &[Peers])> {
        self.ranks.0.iter().map(|(&rank, found)| (rank, found.peers.as_slice())).collect()
    }
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        self.matching.merge(other.matching);
        self.ranks.merge(other.ranks);
    }
}

/// The collectives of a rank.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct OnRank {
    /// Each combination of group, kind, size and kernel once.
    pub(super) calls: Vec<Call>,
    /// Ascending by row.
    pub(super) kernels: Vec<Kernel>,
    /// Collectives that ran on the CPU.
    pub(super) on_cpu: u64,
    /// Bytes by peer of each group with uneven shares.
    pub(super) peers: Vec<Peers>,
    /// Lists of shares that were recorded for the first peers only.
    pub(super) cut: u64,
}

/// The kernel of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kernel {
    /// Its row among the events of the rank.
    pub(super) row: u32,
    /// Its index in [`OnRank::calls`].
    pub(super) call: u32,
    /// Duration in ns.
    pub(super) dur: i64,
    /// Time in ns during which no computation of the rank runs.
    pub(super) exposed: i64,
}

/// What a rank recorded of a collective; texts that were not recorded are empty, numbers 0.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Call {
    /// `default_pg (0)`
    pub(super) group: String,
    /// `[0, 1]`
    pub(super) group_ranks: String,
    pub(super) group_size: u64,
    /// The word of its kind, or what was recorded.
    pub(super) collective: String,
    /// The name of its kernel.
    pub(super) name: String,
    /// The type of its elements.
    pub(super) element: String,
    /// Elements sent.
    pub(super) sent: u64,
    /// Elements received.
    pub(super) received: u64,
    /// Whether it is an all-to-all with shares of different sizes.
    pub(super) is_uneven: bool,
}

impl Call {
    /// Returns its message; `None` if its size is not known.
    pub(super) fn message(&self) -> Option<Message> {
        let message = Message {
            kind: CollectiveKind::named(&self.collective)?,
            in_elements: self.sent,
            out_elements: self.received,
            ranks: self.group_size,
            element: DataType::named(&self.element)?,
        };
        (message.size() > 0).then_some(message)
    }

    /// Returns the size of nccl-tests in bytes, if it is known.
    pub(super) fn size(&self) -> Option<u64> {
        self.message().map(|message| u64::try_from(message.size()).unwrap_or(u64::MAX))
    }
}

impl State {
    /// Collects the collectives of one rank.
    ///
    /// # Errors
    /// If the events cannot be read any more.
    pub(in crate::analysis) fn of(view: &RankView) -> Result<Self> {
        let (mut rank, mut matching) = (OnRank { on_cpu: on_cpu(view), ..OnRank::default() }, Matching::default());
        let rows: Vec<usize> = view.communication().map(|event| event.row as usize).collect();
        if !rows.is_empty() {
            let events = with_args(view)?;
            matching = Matching::of(view.rank(), &events, view.rank_events(), &rows);
            collect(view, &events, &mut rank)?;
        }
        Ok(Self { matching, ranks: ByRank::of(view.rank(), rank) })
    }
}

/// Counts the collectives that ran on the CPU.
fn on_cpu(view: &RankView) -> u64 {
    let rows = view.rank_events();
    let mut is_collective = rows.per_text(is_cpu_collective);
    let counts = |row: &&u32| is_collective(rows.name(**row as usize)) && !rows.is_on_device(**row as usize);
    cancellable(view.rows()).filter(counts).count() as u64
}

/// Returns the events with the arguments of collectives. The file is read only if there are any.
fn with_args(view: &RankView) -> Result<DataFrame> {
    let numbers = COLUMNS.into_iter().filter(|name| !ARGS.contains(name));
    let names: Vec<&'static str> = ARGS.into_iter().chain(numbers).collect();
    let loaded = view.all_events_with(&names)?;
    let has_args = [GROUP_NAME, NAME].iter().any(|name| loaded.column(name).is_ok());
    if has_args { view.all_events_with_args(&names, &ARGS) } else { Ok(loaded) }
}

/// The arguments of some rows.
struct Args(DataFrame);

impl Args {
    fn texts(&self, name: &str) -> Option<StringChunked> {
        self.0.column(name).ok()?.cast(&ColumnType::String).ok()?.str().ok().cloned()
    }

    fn ints(&self, name: &str) -> Option<IntColumn> {
        IntColumn::of(&self.0, name).ok()
    }
}

fn text(column: Option<&StringChunked>, index: usize) -> &str {
    column.and_then(|column| column.get(index)).filter(|text| !matches!(*text, "[]" | "-1")).unwrap_or_default()
}

fn number(column: Option<&IntColumn>, index: usize) -> u64 {
    column.and_then(|column| u64::try_from(column.get(index)?).ok()).unwrap_or(0)
}

/// Adds the kernels of a rank, with what was recorded of them.
fn collect(view: &RankView, events: &DataFrame, rank: &mut OnRank) -> Result<()> {
    let rows = view.rank_events();
    let mut all: Vec<_> = view.communication().collect();
    all.sort_unstable_by_key(|event| event.row);
    let indexes: Vec<u32> = all.iter().map(|event| event.row).collect();
    let args = Args(events.take(&IdxCa::from_vec("row".into(), indexes))?);
    let numbering = Numbering::of(events);
    let computing = view.busy(KernelType::Computation);
    let [group_names, descriptions, group_ranks, elements, sent_splits, received_splits] =
        [GROUP_NAME, GROUP_DESCRIPTION, GROUP_RANKS, ELEMENT, SENT_SPLITS, RECEIVED_SPLITS]
            .map(|name| args.texts(name));
    let [sizes, sent, received] = [GROUP_SIZE, SENT, RECEIVED].map(|name| args.ints(name));
    let mut kind_of_kernel = rows.per_text(kind_of_kernel);
    let mut numbers: BTreeMap<Call, u32> = BTreeMap::new();
    let mut peers: BTreeMap<(String, String), Peers> = BTreeMap::new();
    for (index, event) in cancellable(all.iter().enumerate()) {
        let recorded = numbering.kind(rows, event.row as usize);
        let kind = recorded.and_then(CollectiveKind::named).or_else(|| kind_of_kernel(event.name));
        let mut call = Call {
            group: group(text(group_names.as_ref(), index), text(descriptions.as_ref(), index)),
            group_ranks: text(group_ranks.as_ref(), index).to_owned(),
            group_size: number(sizes.as_ref(), index),
            collective: kind.map(CollectiveKind::word).or(recorded).unwrap_or_default().to_owned(),
            name: rows.text(event.name).to_owned(),
            element: text(elements.as_ref(), index).to_owned(),
            sent: number(sent.as_ref(), index),
            received: number(received.as_ref(), index),
            is_uneven: false,
        };
        if kind == Some(CollectiveKind::AllToAll) {
            let splits = [text(sent_splits.as_ref(), index), text(received_splits.as_ref(), index)];
            call.is_uneven = call.sent != call.received || splits.iter().any(|splits| !splits.is_empty());
            if let Some(element) = DataType::named(&call.element).filter(|_| call.is_uneven) {
                let group = (call.group.clone(), call.group_ranks.clone());
                rank.cut += add_splits(&mut peers, group, splits, [call.sent, call.received], element);
            }
        }
        let next = rank.calls.len() as u32;
        let call = *numbers.entry(call).or_insert_with_key(|call| {
            rank.calls.push(call.clone());
            next
        });
        let (dur, exposed) = times(event.span(), &computing);
        rank.kernels.push(Kernel { row: event.row, call, dur, exposed });
    }
    rank.peers = peers.into_values().collect();
    Ok(())
}

/// `default_pg (0)`, or what of that was recorded.
fn group(name: &str, description: &str) -> String {
    match (description, name) {
        ("" | "undefined", name) => name.to_owned(),
        (description, "") => description.to_owned(),
        (description, name) if description == name => name.to_owned(),
        (description, name) => format!("{description} ({name})"),
    }
}

/// Returns the kind that the name of a kernel of a collective library tells: `ncclDevKernel_AllReduce_Sum_f32_RING_LL`.
fn kind_of_kernel(name: &str) -> Option<CollectiveKind> {
    let function = name.split(['(', '<']).next()?;
    let (_, kind) = function.split_once("ncclDevKernel_").or_else(|| function.split_once("ncclKernel_"))?;
    CollectiveKind::named(kind.split('_').next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_read_from_names_of_nccl_only() {
        use CollectiveKind::{AllReduce, Broadcast, ReduceScatter};
        for (name, kind) in [
            ("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Some(AllReduce)),
            ("ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", Some(Broadcast)),
            ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", Some(ReduceScatter)),
            ("ncclDevKernel_SendRecv(ncclDevKernelArgs)", None),
            ("void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", None),
        ] {
            assert_eq!(kind_of_kernel(name), kind, "{name}");
        }
    }

    #[test]
    fn group_is_named_by_description_and_number() {
        assert_eq!(group("0", "default_pg"), "default_pg (0)");
        assert_eq!(
            (group("7", "undefined"), group("", "tp"), group("tp", "tp")),
            ("7".into(), "tp".into(), "tp".into())
        );
    }
}
