//! Arguments that loads leave out, and that answers read from the file when they are wanted.

/// Columns of the arguments that answers read later, all at once, since most of the time is that of the file: inputs of operators, sizes of
/// messages, numbers of backward functions, streams that are waited for.
pub const READ_LATER: [&str; 15] = [
    "input_dims",
    "input_type",
    "sequence",
    "fwd_thread_id",
    "process_group_desc",
    "process_group_ranks",
    "group_size",
    "collective_name",
    "in_msg_nelems",
    "out_msg_nelems",
    "msg_dtype",
    "in_split_size",
    "out_split_size",
    "wait_on_stream",
    "wait_on_cuda_event_record_corr_id",
];
