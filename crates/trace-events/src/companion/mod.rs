//! Companions: recordings whose operators count for the kernels of graphs; and events of ranks as call trees take them.

#[cfg(test)]
mod annotations_tests;
mod batches;
mod borrowed_calls;
mod captures;
mod companions;
mod kernel_operators;
mod loan;
mod recordings;

pub use borrowed_calls::{BorrowedCall, BorrowedCalls, Partner};
pub use companions::{Companions, in_words};
pub use kernel_operators::{
    KernelOperator, KernelOperators, OPERATOR, OPERATOR_COLUMNS, OPERATOR_SOURCE, operator_columns,
};
pub use loan::{Lending, LoanCount, borrowed_in_words, merge_lending};
pub use recordings::{Iterations, recording};
