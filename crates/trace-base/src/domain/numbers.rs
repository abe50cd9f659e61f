//! Numbers of ranks, iterations and streams: types that cannot be mistaken for each other.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! numbers {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(i64);

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
            }
        }

        impl From<$name> for i64 {
            fn from($name(number): $name) -> Self {
                number
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

numbers! {
    /// The number of a rank, from 0. Functions that take `impl Into<Rank>` take an integer, too.
    Rank;
    /// The number of an iteration: `N` of `ProfilerStep#N`.
    Iteration;
    /// The number of a stream of a GPU.
    Stream;
}
