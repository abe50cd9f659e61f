//! Algorithm and bus bandwidth of collectives, as nccl-tests define them.

use crate::operand::data_type::DataType;
use std::fmt;

/// The kind of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CollectiveKind {
    /// All ranks get the reduction of all inputs.
    AllReduce,
    /// All ranks get all inputs.
    AllGather,
    /// Each rank gets its share of the reduction.
    ReduceScatter,
    /// Each rank sends a share to each, of equal or of different sizes.
    AllToAll,
    /// One rank sends its input to all.
    Broadcast,
    /// One rank gets the reduction.
    Reduce,
    /// One rank gets all inputs.
    Gather,
    /// One rank sends a share to each.
    Scatter,
    /// One rank sends to another.
    Send,
    /// One rank receives from another.
    Receive,
    /// All ranks wait for each other; no data.
    Barrier,
}

impl CollectiveKind {
    /// Reads the kind from a recorded name: `_allgather_base`, `nccl:all_reduce`, `c10d::allreduce_`, `nccl:send 1->2`.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.rsplit(':').next().unwrap_or(name);
        let name = name.split_whitespace().next()?;
        let mut plain: String = name.chars().filter(char::is_ascii_alphanumeric).take(64).collect();
        plain.make_ascii_lowercase();
        let plain = ["coalesced", "sparse", "intotensor", "tensor", "base", "single"]
            .iter()
            .fold(plain.as_str(), |plain, end| plain.strip_suffix(end).unwrap_or(plain));
        Some(match plain {
            "allreduce" => Self::AllReduce,
            "allgather" | "allgatherv" => Self::AllGather,
            "reducescatter" | "reducescatterv" => Self::ReduceScatter,
            "alltoall" | "alltoallv" => Self::AllToAll,
            "broadcast" => Self::Broadcast,
            "reduce" => Self::Reduce,
            "gather" => Self::Gather,
            "scatter" => Self::Scatter,
            "send" => Self::Send,
            "recv" | "receive" | "recvanysource" => Self::Receive,
            "barrier" => Self::Barrier,
            _ => return None,
        })
    }

    /// Returns the word for the kind in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::AllReduce => "all_reduce",
            Self::AllGather => "all_gather",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllToAll => "all_to_all",
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::Send => "send",
            Self::Receive => "recv",
            Self::Barrier => "barrier",
        }
    }

    /// Returns the factor from algorithm to bus bandwidth: what a link carries of each byte.
    pub fn bus_factor(self, ranks: u64) -> f64 {
        let n = ranks as f64;
        match self {
            Self::AllReduce => 2.0 * (n - 1.0) / n,
            Self::AllGather | Self::ReduceScatter | Self::AllToAll | Self::Gather | Self::Scatter => (n - 1.0) / n,
            Self::Broadcast | Self::Reduce | Self::Send | Self::Receive | Self::Barrier => 1.0,
        }
    }
}

/// What one rank recorded of a collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message {
    /// The kind.
    pub kind: CollectiveKind,
    /// Elements that this rank contributes (`In msg nelems`).
    pub in_elements: u64,
    /// Elements that this rank gets (`Out msg nelems`).
    pub out_elements: u64,
    /// Ranks that take part (`Group size`).
    pub ranks: u64,
    /// The type of elements (`dtype`).
    pub element: DataType,
}

/// Bandwidth of one collective.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bandwidth {
    /// The size by which nccl-tests divide, in bytes.
    pub size: u128,
    /// Size by time, in GB/s.
    pub algorithm: f64,
    /// What links carried, in GB/s: to be compared with the bandwidth of a link.
    pub bus: f64,
}

/// Why a collective has no bandwidth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoBandwidth {
    /// It moves no data.
    NoData,
    /// Fewer than two ranks take part.
    OneRank,
    /// The time is not positive.
    NoTime,
}

impl fmt::Display for NoBandwidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoData => "no data is moved",
            Self::OneRank => "invalid group size: expected two ranks or more",
            Self::NoTime => "invalid time: expected more than 0 ns",
        })
    }
}

impl std::error::Error for NoBandwidth {}

impl Message {
    /// Returns the size of nccl-tests in bytes: of the whole input or result, whichever all ranks share.
    pub fn size(&self) -> u128 {
        let elements = match self.kind {
            CollectiveKind::AllReduce | CollectiveKind::Broadcast | CollectiveKind::Reduce => {
                // The rank that only receives may record an empty input.
                if self.in_elements == 0 { self.out_elements } else { self.in_elements }
            }
            CollectiveKind::Barrier => 0,
            _ => self.in_elements.max(self.out_elements),
        };
        u128::from(elements) * self.element.half_bytes() / 2
    }

    /// Computes the bandwidth for the time that the transfer took: from the arrival of the last rank to the end.
    pub fn bandwidth(&self, ns: f64) -> Result<Bandwidth, NoBandwidth> {
        let size = self.size();
        let is_pair = matches!(self.kind, CollectiveKind::Send | CollectiveKind::Receive);
        if size == 0 {
            return Err(NoBandwidth::NoData);
        }
        if self.ranks < 2 && !is_pair {
            return Err(NoBandwidth::OneRank);
        }
        if ns.is_nan() || ns <= 0.0 || ns.is_infinite() {
            return Err(NoBandwidth::NoTime);
        }
        let algorithm = size as f64 / ns;
        Ok(Bandwidth { size, algorithm, bus: algorithm * self.kind.bus_factor(self.ranks) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_names_have_a_kind() {
        use CollectiveKind::*;
        for (name, kind) in [
            ("allreduce", AllReduce),
            ("allreduce_coalesced", AllReduce),
            ("nccl:all_reduce", AllReduce),
            ("c10d::allreduce_", AllReduce),
            ("_allgather_base", AllGather),
            ("allgather", AllGather),
            ("allgather_into_tensor_coalesced", AllGather),
            ("_reduce_scatter_base", ReduceScatter),
            ("reduce_scatter_tensor_coalesced", ReduceScatter),
            ("all_to_all", AllToAll),
            ("all_to_allv", AllToAll),
            ("c10d::alltoall_base_", AllToAll),
            ("broadcast", Broadcast),
            ("reduce", Reduce),
            ("gather", Gather),
            ("scatter", Scatter),
            ("nccl:send 1->2", Send),
            ("nccl:recv 3<-0", Receive),
            ("barrier", Barrier),
        ] {
            assert_eq!(CollectiveKind::named(name), Some(kind), "{name}");
        }
        for name in ["", "wait", "init", "nccl:", "coalesced"] {
            assert_eq!(CollectiveKind::named(name), None, "{name}");
        }
    }

    fn message(kind: CollectiveKind, in_elements: u64, out_elements: u64) -> Message {
        Message { kind, in_elements, out_elements, ranks: 4, element: DataType::Bf16 }
    }

    #[test]
    fn bandwidths_are_those_of_nccl_tests() {
        use CollectiveKind::*;
        // 1000 elements of 2 bytes a rank among four ranks, in 1000 ns.
        for (kind, sent, received, size, bus) in [
            (AllReduce, 1000, 1000, 2000, 3.0),
            (AllGather, 1000, 4000, 8000, 6.0),
            (ReduceScatter, 4000, 1000, 8000, 6.0),
            (AllToAll, 4000, 4000, 8000, 6.0),
            (Gather, 1000, 4000, 8000, 6.0),
            (Scatter, 4000, 1000, 8000, 6.0),
            (Broadcast, 1000, 1000, 2000, 2.0),
            (Reduce, 1000, 1000, 2000, 2.0),
            (Send, 1000, 1000, 2000, 2.0),
        ] {
            let found = message(kind, sent, received).bandwidth(1000.0).unwrap();
            assert_eq!((found.size, found.bus), (size, bus), "{kind:?}");
            assert_eq!(found.algorithm, size as f64 / 1000.0);
        }
    }

    #[test]
    fn what_has_no_bandwidth_has_a_reason() {
        assert_eq!(message(CollectiveKind::Barrier, 9, 9).bandwidth(1.0), Err(NoBandwidth::NoData));
        let one = Message { ranks: 1, ..message(CollectiveKind::AllReduce, 1, 1) };
        assert_eq!(one.bandwidth(1.0), Err(NoBandwidth::OneRank));
        assert_eq!(message(CollectiveKind::AllReduce, 1, 1).bandwidth(0.0), Err(NoBandwidth::NoTime));
        let huge = message(CollectiveKind::AllReduce, u64::MAX, 0);
        assert!(huge.bandwidth(1.0).unwrap().bus.is_finite());
    }
}
