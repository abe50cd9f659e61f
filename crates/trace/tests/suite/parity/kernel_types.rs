//! The type of a kernel by its name.

use super::goldens::{TRACES, csv, either, say, shared};
use super::ledger::counted;
use trace::{Compat, KernelType, memory_kernel_type};

#[test]
fn every_name_has_htas_type() {
    let Some(shared) = shared("kernel types") else { return };
    let mut names = 0;
    for name in TRACES {
        let (heads, rows) = csv(&either(shared.join("golden").join(name).join("symbols.csv")));
        assert_eq!(heads, ["symbol", "short_name", "kernel_type", "memory_kernel_type"]);
        for row in rows {
            let kind = KernelType::of(&row[0], Compat::Hta);
            assert_eq!(kind.word(), row[2], "{}", row[0]);
            if kind == KernelType::Memory {
                assert_eq!(memory_kernel_type(&row[0]), row[3], "{}", row[0]);
            }
            names += 1;
        }
    }
    say(&format!("kernel types: {names}/{names} names"));
    counted("types of kernels", [names, 0, 0]);
    assert!(names > 1000, "only {names} names found");
}
