//! Counts of TraceLens for the operators of a recorded server, and each difference from them.

use crate::shared::shared;
use efficiency::{Call, NoModel, Operands, RequestSums, Sums, is_composite, work};

/// The fields of a line of CSV, of which some are quoted.
fn fields(line: &str) -> Vec<String> {
    let (mut found, mut field, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if is_quoted && chars.peek() == Some(&'"') => field.extend(chars.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => found.push(std::mem::take(&mut field)),
            c => field.push(c),
        }
    }
    found.push(field);
    found
}

/// What we count besides, or in place of what TraceLens counts: flops and bytes, ours minus theirs.
fn difference(name: &str, dims: &str, types: &str) -> (i128, i128) {
    match name {
        // A copy computes nothing; theirs is one operation for each element.
        "aten::copy_" => (-numel(dims), 0),
        // We count the slots that are read: 32 of 8 bytes.
        "sglang::store_cache" => (0, 32 * 8),
        // A running sum of 32-bit integers has 64 bits: 4 bytes more for each of 32 results.
        "aten::cumsum" if types.contains("'int'") => (0, 32 * 4),
        _ => (0, 0),
    }
}

/// The elements of the first shape.
fn numel(dims: &str) -> i128 {
    let shape = dims.trim_start_matches('(').split(')').next().unwrap();
    shape.split(',').filter_map(|dim| dim.trim().parse::<i128>().ok()).product()
}

/// Operators that we count and TraceLens does not.
const OURS_ONLY: &[&str] = &["aten::argmax", "aten::gather", "aten::_foreach_copy_"];

#[test]
fn counts_are_those_of_the_other_program_or_explained() {
    let Some(traces) = shared("counts_are_those_of_the_other_program_or_explained") else { return };
    let text = std::fs::read_to_string(traces.join("capture/sglang_decode.unified_perf_summary.csv")).unwrap();
    let mut lines = text.lines().map(fields);
    let header = lines.next().unwrap();
    let column = |name: &str| header.iter().position(|own| own == name).unwrap();
    let (name, dims, types) = (column("name"), column("Input Dims"), column("Input type"));
    let [values, gflops, megabytes] = ["Concrete Inputs", "GFLOPS", "Data Moved (MB)"].map(column);
    // One token for each of 32 requests, over 32,785 keys.
    let generation = RequestSums { queries: 32, keys: 32_785, queries_squared: 32, queries_by_keys: 32_785 };
    let sums = Sums { generation, ..Sums::default() };
    let (mut both, mut ours) = (0, 0);
    for row in lines {
        let operands = Operands::parse(&row[dims], &row[types], &row[values]).unwrap();
        let call = Call { sums: Some(sums), ..Call::new(&row[name], &operands) };
        match (work(&call), row[gflops].trim().parse::<f64>()) {
            (Ok(found), Ok(gflops)) => {
                let (flops, bytes) = difference(&row[name], &row[dims], &row[types]);
                let theirs = (gflops * 1e9).round() as i128;
                // Their megabytes are binary.
                let moved = (row[megabytes].parse::<f64>().unwrap() * f64::from(1 << 20)).round() as i128;
                assert_eq!(found.flops as i128, theirs + flops, "flops of {} {}", row[name], row[dims]);
                assert_eq!(found.bytes as i128, moved + bytes, "bytes of {} {}", row[name], row[dims]);
                both += 1;
            }
            (Ok(_), Err(_)) => {
                assert!(OURS_ONLY.contains(&row[name].as_str()), "{}", row[name]);
                ours += 1;
            }
            (Err(reason), Ok(_)) => panic!("{}: {reason}", row[name]),
            (Err(reason), Err(_)) => {
                assert!(reason == NoModel::UnknownName && !is_composite(&row[name]), "{}: {reason}", row[name]);
            }
        }
    }
    assert_eq!((both, ours), (21, 4));
}
