//! One or several numbers, as a caller writes them.

use super::{Iteration, Rank, Stream};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::{Range, RangeInclusive};

/// One or several ranks, iterations or streams; duplicates count once.
///
/// Made from `3`, `[0, 2]`, `vec![0, 2]`, `0..4`, `0..=3`, from a `T`, or collected from several:
///
/// ```
/// use trace::{Pick, Rank};
///
/// fn ranks(pick: impl Into<Pick<Rank>>) -> Vec<i64> {
///     pick.into().numbers().to_vec()
/// }
/// assert_eq!((ranks(3), ranks([0, 2]), ranks(0..4)), (vec![3], vec![0, 2], vec![0, 1, 2, 3]));
/// assert_eq!((ranks(vec![2, 2]), ranks([]), ranks(Rank::from(7))), (vec![2], vec![], vec![7]));
/// let both: Pick<Rank> = [7, 9].map(Rank::from).into_iter().collect();
/// assert_eq!(ranks(both), [7, 9]);
/// ```
///
/// An iteration is not a rank:
///
/// ```compile_fail,E0277
/// # use trace::{Iteration, Pick, Rank};
/// let pick: Pick<Rank> = Iteration::from(3).into();
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Pick<T = i64>(Vec<i64>, PhantomData<fn() -> T>);

impl<T> Pick<T> {
    fn of(numbers: impl IntoIterator<Item = i64>) -> Self {
        let mut seen = BTreeSet::new();
        Self(numbers.into_iter().filter(|&number| seen.insert(number)).collect(), PhantomData)
    }

    /// Returns the numbers, in the given order.
    pub fn numbers(&self) -> &[i64] {
        &self.0
    }
}

impl<T> From<i64> for Pick<T> {
    fn from(one: i64) -> Self {
        Self::of([one])
    }
}

impl<T, const N: usize> From<[i64; N]> for Pick<T> {
    fn from(several: [i64; N]) -> Self {
        Self::of(several)
    }
}

impl<T> From<Vec<i64>> for Pick<T> {
    fn from(several: Vec<i64>) -> Self {
        Self::of(several)
    }
}

impl<T> From<&[i64]> for Pick<T> {
    fn from(several: &[i64]) -> Self {
        Self::of(several.iter().copied())
    }
}

impl<T> From<&Vec<i64>> for Pick<T> {
    fn from(several: &Vec<i64>) -> Self {
        Self::of(several.iter().copied())
    }
}

impl<T> From<Range<i64>> for Pick<T> {
    fn from(several: Range<i64>) -> Self {
        Self::of(several)
    }
}

impl<T> From<RangeInclusive<i64>> for Pick<T> {
    fn from(several: RangeInclusive<i64>) -> Self {
        Self::of(several)
    }
}

macro_rules! picks {
    ($($name:ident),*) => {$(
        impl From<$name> for Pick<$name> {
            fn from(one: $name) -> Self {
                Self::of([one.into()])
            }
        }

        impl FromIterator<$name> for Pick<$name> {
            fn from_iter<I: IntoIterator<Item = $name>>(several: I) -> Self {
                Self::of(several.into_iter().map(i64::from))
            }
        }
    )*};
}

picks!(Rank, Iteration, Stream);
