//! Sums over the requests of a batch, as servers write them.

/// Sums over requests: of queries, of keys, of the squares of queries, of queries times keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct RequestSums {
    /// Query tokens.
    pub queries: u64,
    /// Key tokens: those in the cache, and the new ones.
    pub keys: u64,
    /// Squares of the query tokens of each request.
    pub queries_squared: u64,
    /// Query tokens times key tokens of each request.
    pub queries_by_keys: u64,
}

/// The sums of a batch, as servers write them: of requests that read their prompt, and of those that generate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Sums {
    /// Requests that read their prompt (`c_sq`, `c_sk`, `c_sqsq`, `c_sqsk`).
    pub context: RequestSums,
    /// Requests that generate (`g_sq`, `g_sk`, `g_sqsq`, `g_sqsk`).
    pub generation: RequestSums,
}
