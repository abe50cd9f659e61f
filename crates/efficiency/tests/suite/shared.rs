//! Recorded traces outside of the repository, and calls of operators for tests.

use efficiency::{Call, NoModel, Operands, Work, work};
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of shared traces, if it is there: `$TRACEBOOK_SHARED`, by default next to the repository.
pub(crate) fn shared(test: &str) -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = std::env::var_os("TRACEBOOK_SHARED").map_or_else(|| here.join("../../../shared"), PathBuf::from);
    let traces = folder.join("traces");
    if !traces.is_dir() {
        println!("skipped {test}: no traces in {} (set TRACEBOOK_SHARED)", folder.display());
        return None;
    }
    Some(traces)
}

/// A trace, decompressed.
pub(crate) fn trace(path: &Path) -> Value {
    let mut text = Vec::new();
    flate2::read::MultiGzDecoder::new(std::fs::File::open(path).unwrap()).read_to_end(&mut text).unwrap();
    serde_json::from_slice(&text).unwrap()
}

/// The inputs of a recorded operator.
pub(crate) fn operands(event: &Value) -> Operands {
    let text = |key: &str| event["args"].get(key).map_or_else(String::new, Value::to_string);
    Operands::parse(&text("Input Dims"), &text("Input type"), &text("Concrete Inputs")).unwrap()
}

/// Inputs in short: shapes, types and values, where one type stands for all.
pub(crate) fn inputs(dims: &str, types: &str, values: &str) -> Operands {
    Operands::parse(dims, types, values).unwrap()
}

/// The work of a call without further knowledge.
pub(crate) fn counted(name: &str, operands: &Operands) -> Result<Work, NoModel> {
    work(&Call::new(name, operands))
}

/// Flops and bytes.
pub(crate) fn numbers(name: &str, operands: &Operands) -> (u128, u128) {
    let work = counted(name, operands).unwrap_or_else(|reason| panic!("{name}: {reason}"));
    (work.flops, work.bytes)
}
