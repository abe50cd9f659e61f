//! Quantities of an explanation: step → class → operator and kernel, or cause of idle time → region.

use super::sampling::Sampling;
use crate::explain::Explanation;
use crate::explain::events::SIDES;
use crate::explain::explanation::{CAUSES, word};
use call_tree::{Class, Grade, RegionChange, Sample};
use statistics::{Domain, Quantity, Runs};

/// Smallest share of the step of a region with a verdict: what is smaller cannot be relevant.
const SMALLEST_SHARE: f64 = 0.001;
/// Most regions with a verdict: statistics of this many take less than a second.
const MOST_REGIONS: usize = 1_000;

/// What a quantity is.
pub(super) enum Subject {
    Step,
    Class(&'static str),
    Idle(&'static str),
    /// Regions of the same operator, kernel and grade.
    Group {
        group: usize,
        regions: Vec<usize>,
    },
    Region(usize),
}

/// Quantities with their places.
pub(super) struct Quantities {
    pub(super) subjects: Vec<Subject>,
    pub(super) values: Vec<Quantity>,
}

/// The sides' samples and what an explanation found.
pub(super) struct Source<'e> {
    pub(super) explanation: &'e Explanation,
    pub(super) sampling: [Sampling; 2],
    pub(super) has_gpu: bool,
}

impl Quantities {
    /// Returns the quantities of an explanation.
    ///
    /// # Errors
    /// If a side has no sample.
    pub(super) fn of(explanation: &Explanation) -> Result<Self, statistics::Error> {
        let source = Source::of(explanation);
        let mut quantities = Self { subjects: Vec::new(), values: Vec::new() };
        quantities.add(Subject::Step, source.step()?);
        let groups = explanation.groups();
        let judged = source.largest_regions();
        for class in &explanation.classes {
            let parent = quantities.values.len();
            let of_class = Sample::CLASSES.into_iter().find(|known| word(*known) == class.class);
            let domain = if of_class.is_some_and(|class| class != Class::Host) { Domain::Gpu } else { Domain::Host };
            quantities.add(
                Subject::Class(class.class),
                source.of_samples(Some(0), domain, |sample| match of_class {
                    Some(class) => sample.classes_ns[class as usize],
                    None => sample.idle_ns,
                })?,
            );
            let Some(of_class) = of_class else {
                for (index, cause) in CAUSES.into_iter().enumerate() {
                    let quantity = source.of_samples(Some(parent), Domain::Host, |sample| sample.causes_ns[index])?;
                    if quantity.control.values().iter().chain(quantity.test.values()).any(|&ns| ns != 0.0) {
                        quantities.add(Subject::Idle(cause), quantity);
                    }
                }
                continue;
            };
            for (number, group) in groups.iter().enumerate().filter(|(_, group)| group.class == of_class) {
                let at = quantities.values.len();
                let is_leaf = group.regions.len() == 1 || !group.regions.iter().any(|&region| judged[region]);
                let quantity = source.of_regions(Some(parent), &group.regions, is_leaf)?;
                quantities.add(Subject::Group { group: number, regions: group.regions.clone() }, quantity);
                for &region in group.regions.iter().filter(|_| group.regions.len() > 1) {
                    if judged[region] {
                        quantities.add(Subject::Region(region), source.of_regions(Some(at), &[region], true)?);
                    }
                }
            }
        }
        Ok(quantities)
    }

    /// Returns the step, sets of regions, and behind them all other regions as controls.
    ///
    /// # Errors
    /// If a side has no sample.
    pub(super) fn of_sets(explanation: &Explanation, sets: &[Vec<usize>]) -> Result<Vec<Quantity>, statistics::Error> {
        let source = Source::of(explanation);
        let mut values = vec![source.step()?];
        for set in sets {
            values.push(source.of_regions(Some(0), set, false)?);
        }
        // Below nothing, so that q corrects for the sets alone.
        let judged = source.largest_regions();
        for region in (0..judged.len()).filter(|&region| judged[region]) {
            values.push(source.of_regions(None, &[region], true)?);
        }
        Ok(values)
    }

    fn add(&mut self, subject: Subject, quantity: Quantity) {
        self.subjects.push(subject);
        self.values.push(quantity);
    }
}

impl<'e> Source<'e> {
    pub(super) fn of(explanation: &'e Explanation) -> Self {
        Self {
            explanation,
            sampling: [0, 1].map(|side| Sampling::of(explanation, side)),
            has_gpu: explanation.coverage().iter().any(|coverage| coverage.recorded > 0),
        }
    }

    /// The step: times of the host, which contain those of the GPU.
    fn step(&self) -> Result<Quantity, statistics::Error> {
        self.of_samples(None, Domain::Host, |sample| sample.step_ns)
    }

    fn of_samples(
        &self,
        parent: Option<usize>,
        domain: Domain,
        of: impl Fn(&Sample) -> i64,
    ) -> Result<Quantity, statistics::Error> {
        let side = |side: usize| {
            let samples = &self.explanation.found.samples[side];
            self.sampling[side].runs(samples.iter().map(&of).enumerate())
        };
        Ok(Quantity { parent, domain, unchanged: false, control: side(0)?, test: side(1)? })
    }

    /// Some regions together; as a leaf, one region may be a control.
    fn of_regions(&self, parent: Option<usize>, ids: &[usize], is_leaf: bool) -> Result<Quantity, statistics::Error> {
        let regions = || ids.iter().filter_map(|&id| self.explanation.found.regions.get(id));
        let side = |side: usize| -> Result<Runs, statistics::Error> {
            self.sampling[side].runs(ids.iter().flat_map(|&id| self.explanation.shares(id, side)))
        };
        let domain = if self.has_gpu { Domain::Gpu } else { Domain::Host };
        let unchanged = is_leaf && regions().all(|region| self.is_control(region));
        Ok(Quantity { parent, domain, unchanged, control: side(0)?, test: side(1)? })
    }

    /// Tells whether a region measures the recording: the same code with the same shapes, and no collective, which takes as long as the
    /// slowest rank.
    fn is_control(&self, region: &RegionChange) -> bool {
        region.region.grade == Grade::Exact && self.explanation.class(region) != Class::Communication
    }

    /// Which regions are large enough for a verdict.
    fn largest_regions(&self) -> Vec<bool> {
        let found = &self.explanation.found;
        let share = |region: &RegionChange| -> f64 {
            let of = |part: call_tree::Mean, whole: call_tree::Mean| part.value() / whole.value().max(1.0);
            let time = region.attributed_ns;
            of(time.control, found.step_ns.control).max(of(time.test, found.step_ns.test))
        };
        let mut order: Vec<(usize, f64)> =
            found.regions.iter().map(share).enumerate().filter(|(_, share)| *share >= SMALLEST_SHARE).collect();
        order.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut judged = vec![false; found.regions.len()];
        for (region, _) in order.into_iter().take(MOST_REGIONS) {
            judged[region] = true;
        }
        judged
    }
}

/// Both sides, for loops over them.
pub(super) const BOTH: [usize; SIDES.len()] = [0, 1];
