//! Operations and traffic of ranges, by the counters that count them.

use super::counter::Counter;

/// Counters of instructions of threads: begin and end of their names.
const INSTRUCTIONS: (&str, &str) = ("smsp__sass_thread_inst_executed_op_", "_pred_on_sum");
/// Traffic of memory: the names whose sum it is, the better ones first.
const TRAFFIC: [&[&str]; 3] = [
    &["dram__bytes_sum"],
    &["dram__bytes_read_sum", "dram__bytes_write_sum"],
    &["dram__bytes_op_read_sum", "dram__bytes_op_write_sum"],
];

/// The counters of operations, each with the operations of an instruction, and those of traffic.
pub(super) struct Work<'c> {
    operations: Vec<(&'c Counter, f64)>,
    traffic: Vec<&'c Counter>,
}

impl<'c> Work<'c> {
    /// Finds them among the counters of ranges.
    pub(super) fn of(counters: &'c [Counter]) -> Self {
        let named = |name: &str| counters.iter().find(|counter| counter_name(&counter.name) == name);
        let traffic = TRAFFIC.iter().find_map(|names| names.iter().map(|name| named(name)).collect::<Option<Vec<_>>>());
        let operations = counters.iter().filter_map(|counter| Some((counter, operations(&counter.name)?)));
        Self { operations: operations.collect(), traffic: traffic.unwrap_or_default() }
    }

    /// Returns the operations of a range; `None` if no counter counts any.
    pub(super) fn flops(&self, range: usize) -> Option<f64> {
        let counted = self.operations.iter().filter_map(|(counter, weight)| Some(counter.values.get(range)? * weight));
        counted.fold(None, |sum: Option<f64>, operations| Some(sum.unwrap_or(0.0) + operations))
    }

    /// Returns the bytes that a range moved; `None` if no counter counts them.
    pub(super) fn bytes(&self, range: usize) -> Option<f64> {
        if self.traffic.is_empty() {
            return None;
        }
        self.traffic.iter().map(|counter| counter.values.get(range)).sum()
    }

    /// Returns the operations of a range for each of its bytes.
    pub(super) fn intensity(&self, range: usize) -> Option<f64> {
        let bytes = self.bytes(range).filter(|bytes| *bytes > 0.0)?;
        Some(self.flops(range)? / bytes)
    }
}

/// Returns the name of a counter as a column of all arguments has it: `dram__bytes_read_sum` for `dram__bytes_read.sum`.
fn counter_name(name: &str) -> String {
    name.replace('.', "_")
}

/// Returns the operations of an instruction that a counter counts, by HTA's table; `None` for another counter.
///
/// # Source
/// HTA `CUDA_SASS_INSTRUCTION_COUNTER_FLOPS`.
fn operations(name: &str) -> Option<f64> {
    let name = counter_name(name);
    let operation = name.strip_prefix(INSTRUCTIONS.0)?.strip_suffix(INSTRUCTIONS.1)?;
    match operation {
        "ffma" | "hfma" | "dfma" => Some(2.0),
        "fmul" | "fadd" | "hmul" | "hadd" | "dmul" | "dadd" => Some(1.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::counter::Values;
    use super::*;

    fn counter(name: &str, value: i64) -> Counter {
        Counter { name: name.to_owned(), values: Values::Whole(vec![Some(value), None]) }
    }

    #[test]
    fn fused_operations_count_twice_and_traffic_adds_up() {
        let counters = [
            counter("smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 100),
            counter("smsp__sass_thread_inst_executed_op_dadd_pred_on.sum", 10),
            counter("smsp__sass_thread_inst_executed_op_integer_pred_on.sum", 7),
            counter("dram__bytes_read.sum", 40),
            counter("dram__bytes_write_sum", 2),
        ];
        let work = Work::of(&counters);
        assert_eq!((work.flops(0), work.bytes(0), work.intensity(0)), (Some(210.0), Some(42.0), Some(5.0)));
        assert_eq!((work.flops(1), work.bytes(1), work.intensity(1)), (None, None, None));
        assert_eq!(Work::of(&counters[..4]).bytes(0), None, "reads alone are not the traffic");
    }
}
