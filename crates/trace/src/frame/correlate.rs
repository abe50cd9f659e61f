//! Which runtime call started which kernel.

use hashbrown::HashMap;

/// One side of a correlation id: the last row on the CPU, the last row on the GPU.
#[derive(Default, Clone, Copy)]
struct Ends {
    cpu: Option<u32>,
    gpu: Option<u32>,
}

/// The row at the other end of each row's correlation id.
///
/// ```text
/// cudaGraphLaunch  corr 5   ─┬─► points to the last kernel
///   kernel_a       corr 5   ─┤   points to the launch
///   kernel_b       corr 5   ─┘   points to the launch
/// ```
///
/// A row is on the GPU side if it has a stream and a correlation id of 0 or more, or if it is a synchronisation on the
/// GPU's side (`is_sync`: Event Sync, Context Sync). Of several rows on the other side the last one in the file counts.
pub(super) fn partners(
    rows: usize,
    correlation: impl Fn(usize) -> Option<i64>,
    has_stream: impl Fn(usize) -> bool,
    is_sync: impl Fn(usize) -> bool,
) -> Vec<Option<u32>> {
    let on_gpu = |row: usize, id: i64| (id >= 0 && has_stream(row)) || is_sync(row);
    let mut ends: HashMap<i64, Ends, foldhash::fast::FixedState> = HashMap::default();
    for row in 0..rows {
        if let Some(id) = correlation(row) {
            let ends = ends.entry(id).or_default();
            let end = if on_gpu(row, id) { &mut ends.gpu } else { &mut ends.cpu };
            *end = Some(row as u32);
        }
    }
    (0..rows)
        .map(|row| {
            let id = correlation(row)?;
            let ends = ends.get(&id)?;
            if on_gpu(row, id) { ends.cpu } else { ends.gpu }
        })
        .collect()
}
