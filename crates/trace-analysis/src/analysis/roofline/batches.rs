//! Sums over the requests of a batch, as the annotations of a server have them.

use crate::{RequestSums, ServedStep};
use efficiency::Sums;

/// Returns the sums of a step; `None` if one is not known.
pub(super) fn sums_of(step: &ServedStep) -> Option<Sums> {
    let of = |group: &RequestSums| {
        Some(efficiency::RequestSums {
            queries: group.query_tokens?,
            keys: group.key_tokens?,
            queries_squared: group.query_squares?,
            queries_by_keys: group.query_keys?,
        })
    };
    Some(Sums { context: of(&step.context)?, generation: of(&step.generation)? })
}
