//! Lines of a description: what roofline, collectives, kernels and modules say in short, counted by the analyses themselves.

use super::call_trees::CallTrees;
use super::collectives::ExposedCollectives;
use super::kernels::ShortKernels;
use super::operators::{Recomputed, has_modules};
use super::roofline::{RooflineShare, State as RooflineState, device_of, peaks, roofline_share};
use super::validate::Drops;
use super::{Merge, RankView};
use crate::Result;
use crate::frame::columns::INPUT_DIMS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use trace_view::format::numbered;

/// The most events of a rank whose call trees are built for a description: they take longer than the rest of it.
const MOST_EVENTS: usize = 1_000_000;

/// The line of each analysis in a description, over the rows that this analysis sees; `None` where nothing is known.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Headlines {
    /// Share of the roofline of all operators; `None` without GPU work, recorded shapes, or known limits of the device.
    pub roofline: Option<RooflineShare>,
    /// Exposed time of `collectives`.
    pub collectives: Option<ExposedCollectives>,
    /// Short kernels of `kernels`.
    pub short_kernels: Option<ShortKernels>,
    /// Recomputation of `operators` by module.
    pub recomputed: Option<Recomputed>,
    /// Dropped launches and graphs of `validate`.
    pub drops: Drops,
    /// Ranks with too many events for their call trees; with such a rank, `roofline` and `recomputed` are `None`.
    pub large_ranks: Vec<i64>,
}

impl Headlines {
    /// Returns a line for each, with the magic that shows more of the trace with this label.
    pub fn lines(&self, label: &str) -> Vec<String> {
        let more = |sentence: String, magic: &str| format!("{sentence} (%{magic})");
        let roofline = self.roofline.map(|share| more(share.sentence(), &format!("roofline {label}")));
        let collectives = self.collectives.and_then(|exposed| exposed.sentence());
        let short = self.short_kernels.map(|short| more(short.sentence(), &format!("kernels {label}")));
        let recomputed = self.recomputed.and_then(|recomputed| recomputed.sentence());
        let large = (!self.large_ranks.is_empty()).then(|| {
            format!(
                "Roofline and recomputation on demand above 1,000,000 events ({}): %roofline {label}, %operators {label} --by module",
                numbered("rank", &self.large_ranks)
            )
        });
        let lines = [
            roofline,
            collectives.map(|sentence| more(sentence, &format!("collectives {label}"))),
            short,
            recomputed.map(|sentence| more(sentence, &format!("operators {label} --by module"))),
            large,
        ];
        let drops = self.drops.sentences().into_iter().map(|sentence| more(sentence, &format!("validate {label}")));
        lines.into_iter().flatten().chain(drops).collect()
    }
}

/// The partial result of some ranks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct HeadlineSums {
    roofline: RooflineState,
    collectives: ExposedCollectives,
    short_kernels: Option<ShortKernels>,
    recomputed: Recomputed,
    drops: Drops,
    large: BTreeSet<i64>,
    /// Ranks of devices without known limits.
    without_peaks: BTreeSet<i64>,
}

impl Merge for HeadlineSums {
    fn merge(&mut self, other: Self) {
        self.roofline.merge(other.roofline);
        self.collectives = self.collectives.with(other.collectives);
        self.short_kernels = match (self.short_kernels, other.short_kernels) {
            (Some(one), Some(other)) => Some(one.with(other)),
            (one, other) => one.or(other),
        };
        self.recomputed = self.recomputed.with(other.recomputed);
        self.drops = self.drops.with(other.drops);
        self.large.extend(other.large);
        self.without_peaks.extend(other.without_peaks);
    }
}

impl HeadlineSums {
    /// Bytes of working memory for each event of a rank of this size.
    pub(crate) fn bytes_per_row(events: usize) -> usize {
        if events > MOST_EVENTS { RankView::BYTES_PER_ROW } else { RankView::BYTES_PER_ROW + 128 }
    }

    /// Counts what is known of a rank.
    ///
    /// # Errors
    /// If its events cannot be read any more.
    pub(crate) fn of(view: &RankView) -> Result<Self> {
        let Some(short) = ShortKernels::of(view) else { return Ok(Self::default()) };
        let mut sums = Self {
            collectives: ExposedCollectives::of(view),
            short_kernels: Some(short),
            recomputed: Recomputed::of_gpu(view, 0),
            drops: Drops::of(view),
            ..Self::default()
        };
        sums.add_work(view)?;
        Ok(sums)
    }

    /// Adds what call trees tell: the roofline, and recomputation.
    fn add_work(&mut self, view: &RankView) -> Result<()> {
        let rank = view.rank();
        let device = device_of(view.info());
        let shapes = view.trace().columns().iter().any(|(name, _)| name == INPUT_DIMS);
        let is_limited = peaks("roofline", None, &device)?.is_ok();
        let has_modules = has_modules(view);
        if !is_limited {
            self.without_peaks.insert(rank);
        }
        let counts = shapes && is_limited;
        if !counts && !has_modules {
            self.roofline = RooflineState::of_gpu(view);
            return Ok(());
        }
        if view.rank_events().len() > MOST_EVENTS {
            self.large.insert(rank);
            return Ok(());
        }
        let trees = CallTrees::of(view)?;
        self.roofline = if counts { RooflineState::of(view, &trees)? } else { RooflineState::of_gpu(view) };
        if has_modules {
            self.recomputed = Recomputed::of(view, &trees)?;
        }
        Ok(())
    }

    /// Returns what is known of all ranks.
    ///
    /// # Errors
    /// None that a trace should cause.
    pub(crate) fn finish(self) -> Result<Headlines> {
        let is_whole = self.large.is_empty() && self.without_peaks.is_empty();
        let share = if is_whole { roofline_share(&self.roofline)? } else { None };
        Ok(Headlines {
            roofline: share.filter(|share| share.is_on_gpu && share.percent.is_some()),
            collectives: Some(self.collectives).filter(|exposed| exposed.time_ns > 0),
            short_kernels: self.short_kernels,
            recomputed: Some(self.recomputed).filter(|found| self.large.is_empty() && found.recomputed_ns > 0),
            drops: self.drops,
            large_ranks: self.large.into_iter().collect(),
        })
    }
}
