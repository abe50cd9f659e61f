//! HTA's filters.

use super::{taken, trace, traces};
use crate::{Error, Trace, TraceSet, filter};
use polars::prelude::{Expr, IntoLazy};
use trace_testkit::{Stream, TraceBuilder};

#[test]
fn each_filter_selects_its_events() {
    let (set, events) = (traces(), trace().events());
    let all: Vec<i64> = (0..10).collect();
    for (filter, expected) in [
        (filter::iteration(1), vec![1, 2, 3, 4]),
        (filter::iteration([1, 2]), vec![1, 2, 3, 4, 5, 6, 7, 8]),
        (filter::iteration_index(&set, 1).unwrap(), vec![5, 6, 7, 8]),
        (filter::first_iteration(&set).unwrap(), vec![1, 2, 3, 4]),
        (filter::time_range(0..100_000).unwrap(), vec![1, 2, 3, 4]),
        (filter::name("aten|cuda").unwrap(), vec![2, 3, 6, 7]),
        (filter::name("^(aten|cuda)").unwrap(), vec![2, 3, 6, 7]),
        (filter::name_starts("aten|cuda").unwrap(), vec![2, 3, 6, 7]),
        (filter::name_starts("mm").unwrap(), vec![]),
        (filter::name("::mm").unwrap(), vec![2, 6]),
        (filter::query("name ~ '::mm'").unwrap(), vec![2, 6]),
        (filter::zero_duration(), vec![9]),
        (filter::gpu_kernel(), vec![4, 8, 9]),
        (filter::stream(7), vec![4, 8]),
        (filter::stream(crate::Stream::from(20)), vec![9]),
        (filter::cpu_operator(), vec![0, 1, 2, 3, 5, 6, 7]),
        (filter::mem_copy_event("Memcpy DtoH"), vec![9]),
        (filter::mem_copy_event("Memcpy"), vec![]),
        (filter::query("dur >= 40us").unwrap(), vec![1, 4, 5, 6, 8]),
        (filter::composite([filter::gpu_kernel(), filter::iteration(2)]), vec![8]),
        (filter::composite([]), all.clone()),
    ] {
        assert_eq!(taken(&events, filter.clone()), expected, "{filter:?}");
        let others: Vec<i64> = all.iter().copied().filter(|index| !expected.contains(index)).collect();
        assert_eq!(taken(&events, filter.clone().not()), others, "not {filter:?}");
    }
    assert_eq!(taken(&set.events(), filter::rank([0, 3])).len(), 10);
    assert_eq!(taken(&set.events(), filter::rank(3)).len(), 0);
}

#[test]
fn filters_compose() {
    let events = trace().events();
    let both = filter::name("aten").unwrap().or(filter::gpu_kernel()).and(filter::iteration(1));
    assert_eq!(taken(&events, both), [2, 4]);
}

#[test]
fn filters_select_events_around_an_operator() {
    let (trace, events) = (trace(), trace().events());
    let of = |filter: crate::Result<Expr>| taken(&events, filter.unwrap());
    assert_eq!(of(filter::under_operator(&trace, "aten::mm", 0, false)), [2, 3]);
    assert_eq!(of(filter::under_operator(&trace, "aten::mm", 0, true)), [2, 3, 4]);
    assert_eq!(of(filter::under_operator(&trace, "aten::mm", -1, true)), [6, 7, 8]);
    assert_eq!(of(filter::after_operator(&trace, "aten::mm", 0, false)), [5, 6, 7]);
    assert_eq!(of(filter::before_operator(&trace, "ProfilerStep#2", 0, true)), [0, 1, 2, 3, 4]);
    let missing = filter::under_operator(&trace, "aten::mm", 2, false).unwrap_err().to_string();
    assert_eq!(missing, "rank 0 has no `aten::mm` at position 2 (has 2)");
}

/// ```text
/// place      0 root 0..100 · 1 lookup 5..10 · 2 mm 15..40, in it 3 launch 20..22 · 4 relu 45..50 · 5 loss 60..70 · 6 mm 75..90
/// thread 2   7 mm 30..35                    stream 7   8 gemm 80..95, launched by 3        9 loss 120..130 after the root
/// ```
fn nested() -> Trace {
    let json = TraceBuilder::new()
        .operator("root", 0..100)
        .operator("lookup", 5..10)
        .operator("mm", 15..40)
        .runtime("cudaLaunchKernel", 4, 20..22)
        .operator("relu", 45..50)
        .operator("loss", 60..70)
        .operator("mm", 75..90)
        .thread(2)
        .operator("mm", 30..35)
        .kernel("gemm", Stream(7), 80..95)
        .correlation(4)
        .operator("loss", 120..130)
        .json();
    TraceSet::from_bytes(json).unwrap().rank(0).unwrap()
}

#[test]
fn combined_operator_selects_events_between_two_operators() {
    let trace = nested();
    let of = |preceding, following, kernels| {
        let filter = filter::combined_operator(&trace, "root", preceding, following, kernels).unwrap();
        taken(&trace.events(), filter)
    };
    assert_eq!(of(Some("lookup"), Some("loss"), false), [2, 3, 4, 7]);
    assert_eq!(of(Some("lookup"), Some("loss"), true), [2, 3, 4, 7, 8]);
    assert_eq!(of(Some("relu"), Some("mm"), true), [5]);
    assert_eq!(of(None, Some("mm"), true), [1]);
    assert_eq!(of(Some("loss"), None, true), [6]);
    assert_eq!(of(None, None, false), [0, 1, 2, 3, 4, 5, 6, 7]);
    let refused = |root, preceding, following| {
        filter::combined_operator(&trace, root, preceding, following, false).unwrap_err().to_string()
    };
    assert_eq!(refused("root", Some("loss"), Some("relu")), "rank 0 has no `relu` at that place within `root`");
    assert_eq!(refused("root", Some("gemm"), None), "rank 0 has no `gemm` at that place within `root`");
    assert_eq!(refused("stem", None, None), "rank 0 has no `stem` at position 0 (has 0)");
}

#[test]
fn stack_depth_selects_events_by_nesting() {
    let trace = nested();
    let of = |depths: &[i64]| taken(&trace.events(), filter::stack_depth(&trace, depths).unwrap());
    assert_eq!(of(&[0]), [0, 7, 9]);
    assert_eq!(of(&[1]), [1, 2, 4, 5, 6]);
    assert_eq!(of(&[2, 3]), [3, 8]);
    assert!(of(&[4, -1]).is_empty());
    let between = filter::combined_operator(&trace, "root", Some("lookup"), Some("loss"), true).unwrap();
    let both = between.and(filter::stack_depth(&trace, [1, 3]).unwrap());
    assert_eq!(taken(&trace.events(), both), [2, 4, 8]);
}

#[test]
fn invalid_arguments_are_refused() {
    let set = traces();
    assert!(matches!(filter::time_range(std::ops::Range { start: 5, end: 4 }), Err(Error::WrongFilter { .. })));
    assert!(matches!(filter::iteration_index(&set, 2), Err(Error::WrongFilter { .. })));
    assert!(matches!(filter::iteration_index(&set, -1), Err(Error::WrongFilter { .. })));
    for wrong in ["a(", "a)(b"] {
        for filter in [filter::name, filter::name_starts] {
            assert!(matches!(filter(wrong), Err(Error::WrongFilter { .. })), "{wrong}");
        }
    }
    let refused = trace().events().lazy().filter(filter::rank(0)).collect().unwrap_err().to_string();
    assert!(refused.contains("rank"), "{refused}");
}
