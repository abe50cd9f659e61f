//! The quantities of two sides that are compared, and the method.

use crate::numbers::error::{Error, finite};

/// One quantity of one side: its runs, each the values of its iterations in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    values: Vec<f64>,
    lengths: Vec<usize>,
}

impl Runs {
    /// Makes the runs of a side.
    ///
    /// # Errors
    /// [`Error::TooFew`] if there is no run or a run is empty, [`Error::NotFinite`].
    pub fn new(runs: &[Vec<f64>]) -> Result<Runs, Error> {
        if runs.is_empty() || runs.iter().any(Vec::is_empty) {
            return Err(Error::TooFew { needed: 1, have: 0 });
        }
        let values = runs.concat();
        finite(&values)?;
        Ok(Runs { values, lengths: runs.iter().map(Vec::len).collect() })
    }

    /// The iterations of all runs, one run after the other.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The number of iterations of each run.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Each run's iterations.
    pub fn each(&self) -> impl Iterator<Item = &[f64]> {
        let mut rest = &self.values[..];
        self.lengths.iter().map(move |&length| {
            let (run, after) = rest.split_at(length.min(rest.len()));
            rest = after;
            run
        })
    }
}

/// Which unchanged quantities a quantity is judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Times of the GPU.
    Gpu,
    /// Times of the host, and of steps, which contain them.
    Host,
}

/// A quantity to compare: the time of a step, a class, a region. All quantities of a comparison have the same runs and iterations, with
/// zeros where a region is absent.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The quantity that contains this one; it comes before it. The first quantity is the step.
    pub parent: Option<usize>,
    /// Which controls it is judged by.
    pub domain: Domain,
    /// Whether it is an internal control: the same code with the same shapes on both sides.
    pub unchanged: bool,
    /// Values of control.
    pub control: Runs,
    /// Values of test.
    pub test: Runs,
}

/// Returns whether each quantity contains no other one.
pub(crate) fn leaves(quantities: &[Quantity]) -> Vec<bool> {
    let mut is_leaf = vec![true; quantities.len()];
    for parent in quantities.iter().filter_map(|quantity| quantity.parent) {
        if let Some(leaf) = is_leaf.get_mut(parent) {
            *leaf = false;
        }
    }
    is_leaf
}

/// The question that is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Between these two recordings: samples are iterations.
    Recording,
    /// Between the programs: samples are runs, each a fresh process.
    Program,
}

/// The test that p comes from. Of pairs Mann–Whitney and Brunner–Munzel are Wilcoxon's signed-rank test, Welch is the t test of their
/// differences, and the permutation exchanges the sides of pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TestKind {
    /// Mann–Whitney.
    #[default]
    MannWhitney,
    /// Welch.
    Welch,
    /// Permutation of means.
    Permutation,
    /// Brunner–Munzel.
    BrunnerMunzel,
}

impl TestKind {
    /// All tests with the words that users write.
    pub const WORDS: [(&'static str, Self); 4] = [
        ("mann-whitney", Self::MannWhitney),
        ("welch", Self::Welch),
        ("permutation", Self::Permutation),
        ("brunner-munzel", Self::BrunnerMunzel),
    ];

    /// Returns the test of a word.
    pub fn of(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(known, _)| *known == word).map(|&(_, kind)| kind)
    }

    /// Returns its word.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, kind)| *kind == self).map_or("", |&(word, _)| word)
    }
}

/// How to compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The question.
    pub scope: Scope,
    /// The test.
    pub test: TestKind,
    /// Whether the samples of control and test at the same place are a pair, as the ranks of one iteration of each side, which have
    /// much in common. Both sides then have one run with as many values; only the scope of recordings takes pairs.
    pub paired: bool,
    /// The seed of everything random.
    pub seed: u64,
    /// Resamples of the bootstrap, at least 100.
    pub resamples: usize,
    /// The level of intervals.
    pub level: f64,
    /// The largest q of a change.
    pub alpha: f64,
    /// Smallest relevant change, as a share of the quantity.
    pub relevance: f64,
    /// Smallest relevant change, as a share of the step.
    pub of_step: f64,
    /// The first so many quantities have intervals of their difference, which take most of the time; all by default.
    pub intervals: usize,
}

impl Options {
    /// The defaults: Mann–Whitney, seed 0, 10,000 resamples, level 0.95, q ≤ 0.05, 1 % of the quantity, 0.1 % of the step.
    pub fn new(scope: Scope) -> Options {
        Options {
            scope,
            test: TestKind::default(),
            paired: false,
            seed: 0,
            resamples: 10_000,
            level: 0.95,
            alpha: 0.05,
            relevance: 0.01,
            of_step: 0.001,
            intervals: usize::MAX,
        }
    }
}
