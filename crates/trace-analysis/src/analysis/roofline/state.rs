//! Work of ranks by call, and the time that is not counted: partial results that merge.

use super::counted_work::{CallTimes, CountedWork};
use super::limits::{Device, device_of};
use crate::Result;
use crate::analysis::call_trees::CallTrees;
use crate::analysis::{Merge, RankView};
use crate::companion::{Lending, merge_lending};
use efficiency::{Family, Work};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Equal calls of the ranks with one kind of device.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Key {
    pub(super) device: String,
    pub(super) name: String,
    pub(super) shapes: String,
    pub(super) types: String,
    pub(super) family: String,
    pub(super) peak: String,
    pub(super) flops: u128,
    pub(super) bytes: u128,
    pub(super) note: String,
}

/// Number and times of equal calls, in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sums {
    pub(super) count: u64,
    pub(super) gpu: i64,
    pub(super) host: i64,
    /// Of the time of the kernels that of calls that a companion lends.
    pub(super) borrowed: i64,
}

/// The partial result: sums by call, and the time that is not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) sums: BTreeMap<Key, Sums>,
    pub(super) without_model: BTreeMap<String, i64>,
    pub(super) without_shapes: i64,
    pub(super) without_operator: i64,
    pub(super) communication: i64,
    pub(super) gpu: i64,
    /// The devices as recorded.
    pub(super) devices: BTreeSet<Device>,
    /// Ranks without a counted call.
    pub(super) without_rows: BTreeSet<i64>,
    /// Ranks whose file could not be read again for the values of inputs.
    pub(super) without_values: BTreeSet<i64>,
    /// What companions lend; `None` without one.
    pub(super) lending: Option<Lending>,
}

impl Merge for State {
    fn merge(&mut self, other: Self) {
        for (key, sums) in other.sums {
            let own = self.sums.entry(key).or_default();
            own.count += sums.count;
            own.gpu = own.gpu.saturating_add(sums.gpu);
            own.host = own.host.saturating_add(sums.host);
            own.borrowed = own.borrowed.saturating_add(sums.borrowed);
        }
        for (name, ns) in other.without_model {
            *self.without_model.entry(name).or_default() += ns;
        }
        self.without_shapes += other.without_shapes;
        self.without_operator += other.without_operator;
        self.communication += other.communication;
        self.gpu += other.gpu;
        self.devices.extend(other.devices);
        self.without_rows.extend(other.without_rows);
        self.without_values.extend(other.without_values);
        merge_lending(&mut self.lending, other.lending);
    }
}

impl State {
    /// Takes the time of the kernels of a rank of which no work is counted.
    pub(in crate::analysis) fn of_gpu(rank: &RankView) -> Self {
        Self { gpu: rank.gpu_work_ns(), devices: [device_of(rank.info())].into(), ..Self::default() }
    }

    /// Counts the work of a rank, whose call trees are `trees`.
    ///
    /// # Errors
    /// If events cannot be read any more.
    pub(in crate::analysis) fn of(rank: &RankView, trees: &CallTrees) -> Result<Self> {
        let found = CountedWork::of(rank, trees)?;
        let device = device_of(rank.info());
        let mut state = State {
            without_model: found.without_model,
            without_shapes: found.without_shapes,
            without_operator: found.without_operator,
            communication: found.communication,
            gpu: found.gpu,
            devices: [device.clone()].into(),
            lending: trees.lending().cloned(),
            ..State::default()
        };
        for (call, CallTimes { calls, gpu, host, borrowed }) in found.counted {
            let Work { flops, bytes, peak, family, note, .. } = call.work;
            let key = Key {
                device: device.0.clone(),
                name: call.name,
                shapes: call.shapes,
                types: call.types,
                family: Family::word(family).to_owned(),
                peak: peak.word().to_owned(),
                flops,
                bytes,
                note: note.map_or_else(String::new, |note| note.sentence().to_owned()),
            };
            let sums = state.sums.entry(key).or_default();
            *sums = Sums {
                count: sums.count + calls,
                gpu: sums.gpu + gpu,
                host: sums.host + host,
                borrowed: sums.borrowed + borrowed,
            };
        }
        if state.sums.is_empty() {
            state.without_rows.insert(rank.rank());
        }
        if !found.has_values {
            state.without_values.insert(rank.rank());
        }
        Ok(state)
    }
}
