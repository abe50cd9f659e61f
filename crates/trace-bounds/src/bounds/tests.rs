//! Bounds of two runs of a job whose bounds are known by construction.

#![allow(clippy::unwrap_used)]
use super::BoundChange;
use crate::{CriticalPath, TraceSet};
use causal::BoundBy;
use trace_testkit::bound::{self, BoundJob};

fn job(job: BoundJob) -> TraceSet {
    let folder = tempfile::tempdir().unwrap();
    for rank in 0..bound::RANKS {
        std::fs::write(folder.path().join(format!("{rank}.json")), bound::json(job, rank)).unwrap();
    }
    TraceSet::load(folder.path()).unwrap().with_label(job.folder().rsplit('/').next().unwrap())
}

fn change() -> BoundChange {
    let [control, test] = BoundJob::PAIR.map(job);
    CriticalPath::default().compare(&control, &test).unwrap()
}

#[test]
fn times_of_both_sides_add_up_to_their_steps() {
    let change = change();
    for side in 0..2 {
        let classes: i64 = change.classes.iter().map(|class| class.ns[side]).sum();
        let regions: i64 = change.regions.iter().map(|region| region.ns[side]).sum();
        assert_eq!((classes, regions), (change.step_ns[side], change.step_ns[side]));
    }
}

#[test]
fn the_generated_job_has_the_bounds_of_its_construction() {
    let change = change();
    assert_eq!(change.diagnosis(), "host-bound → communication-bound");
    let of = |bound_by: BoundBy| change.classes.iter().find(|class| class.bound_by == bound_by).unwrap().ns;
    let transfers = bound::EXCHANGES as i64 * BoundJob::Communication.transfer_ns();
    assert_eq!(of(BoundBy::Communication), [0, transfers]);
    let host = of(BoundBy::Cpu)[0] + of(BoundBy::Python)[0] + of(BoundBy::CudaRuntime)[0];
    assert!(host > 95 * change.step_ns[0] / 100 && host >= BoundJob::Host.host_ns(), "{host}");
    // All-reduces are four regions; the host's work in control belongs to the kernels that it launches.
    let exchanges = change.regions.iter().filter(|region| region.path.contains("allreduce"));
    assert_eq!(exchanges.map(|region| region.ns[1]).sum::<i64>() / transfers, 1);
    let linear = change.regions.iter().find(|region| region.path.contains("aten::addmm")).unwrap();
    assert_eq!(linear.bound_by[0], Some(BoundBy::Cpu));
    assert!(change.sentences().starts_with("host-bound → communication-bound: control is host-bound (1.07 ms"));
}
